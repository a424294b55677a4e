//! Hydrophone array: bearing and, with a synchronised clock, range of pingers.
//!
//! # Law
//! ```text
//!   t_a = t_k + t(t_k, t_a),   t_k = t_0 + k T                          (1)
//! ```
//! For each pinger the array reports the last ping that arrived since the preceding sample. The
//! range is c_0 (t_a - t_k), if the transmit times are known to the array.
//!
//! # Symbols
//! t_k transmission of ping k, t_a its arrival · t(t_k, t_a) travel time from the position of the
//! pinger at t_k to the position of the array at t_a · t_0 first ping, T period of the pinger · c_0
//! assumed speed of sound.
//!
//! # Frames
//! Positions in S at the arrival.
//!
//! # Limits
//! The limits of `acoustic/mod.rs` apply: pinger and array have had constant velocity since the
//! ping. If several pings arrived since the preceding sample, only the last ping is reported.
//!
//! # Checked by
//! test/sensors/acoustic.rs

use crate::acoustic::AcousticReceiver;
use crate::acoustic::path::{AcousticPath, PathEnd};
use merrow_math::{Mat3, Vec3};
use merrow_model::sensor::acoustic::{Beacon, Target, Transmission};
use merrow_model::state::frames::acoustic::AcousticObservations;
use merrow_model::state::frames::view::PointMotion;

/// Variance of an unknown range [m²].
const UNKNOWN_VARIANCE: f64 = 1e12;

/// Computes the fixes of all pings that arrived since the preceding sample. `synchronised`: the
/// transmit times of the pingers are known to the array.
pub(crate) fn receive_pings(
    instrument: &AcousticReceiver<'_>,
    synchronised: bool,
) -> AcousticObservations {
    let compute_fix = |(k, target): (usize, &Target)| {
        let beacon = instrument.beacon(target.beacon);
        let motion = instrument.beacon_motion(target.beacon)?;
        let transmission_delay = instrument.transmission_delay(target.beacon);
        let (sent, path) = last_ping(instrument, beacon, &motion, transmission_delay)?;
        let arrival = sent + path.time;
        if !instrument.has_line_of_sight(
            PathEnd::after(&motion, sent),
            instrument.point_after(Vec3::zero(), arrival),
        ) {
            return None;
        }
        let mut draw = instrument.draw(k);
        let received = instrument.signal_level((target.beacon, &motion), &path, arrival);
        let snr = instrument.detect(beacon.frequency(), received, &mut draw)?;
        let (R_WS, _) = instrument.sample.pose.extrapolate(arrival);
        let (d, variance) = instrument.measured_bearing(R_WS.tr_mul_vec(path.from), snr, &mut draw);
        let (range, along) = match synchronised {
            true => instrument.measured_range(
                instrument.sound_speed * (transmission_delay + path.time),
                &mut draw,
            ),
            false => (1.0, UNKNOWN_VARIANCE),
        };
        let covariance = Mat3::axial(d, along, range * range * variance);
        Some(instrument.fix((k, arrival, snr), (d.scale(range), covariance), None))
    };
    let targets = instrument.spec.targets.iter().enumerate();
    AcousticObservations {
        fixes: targets.filter_map(compute_fix).collect(),
        ranges: Vec::new(),
    }
}

/// Finds the last ping of a pinger that arrived since the preceding sample, with the clock of the
/// pinger late by `transmission_delay` [s]. Returns the time of its transmission [s after the
/// sample] and its path. (1)
fn last_ping(
    instrument: &AcousticReceiver<'_>,
    beacon: &Beacon,
    motion: &PointMotion,
    transmission_delay: f64,
) -> Option<(f64, AcousticPath)> {
    let Transmission::Pinger { period_s, .. } = beacon.keys.sends else {
        return None;
    };
    let start = beacon.start_s + transmission_delay;
    let path = |sent: f64| {
        let source = PathEnd::after(motion, sent).p;
        let receiver_after = |time: f64| instrument.point_after(Vec3::zero(), sent + time).p;
        instrument
            .medium
            .find_arrival(source, receiver_after, beacon.frequency())
    };
    let approximate_time = path(0.0)?.time;
    if approximate_time * instrument.sound_speed > 1.1 * instrument.spec.hearing().max_range_m {
        return None;
    }
    // a speed of 10 m/s changes the arrival by less than 1 %
    let (now, period) = (instrument.now(), 1.0 / instrument.sample.rate);
    let newest = ((now - start - 0.98 * approximate_time) / period_s).floor();
    let oldest = ((now - period - start - 1.02 * approximate_time) / period_s).floor();
    let mut k = newest;
    while k >= oldest.max(0.0) {
        let sent = start + k * period_s - now;
        let path = path(sent)?;
        let arrival = sent + path.time;
        if arrival <= 0.0 {
            let in_range = arrival > -period
                && path.time * instrument.sound_speed <= instrument.spec.hearing().max_range_m;
            return in_range.then_some((sent, path));
        }
        // not yet arrived at the sample
        k -= 1.0;
    }
    None
}
