//! Hydrophone array: bearing and, with a synchronised clock, range of pingers.
//!
//! # Law
//! ```text
//!   t_a = t_k + t(t_k, t_a),   t_k = t_0 + k T                          (1)
//! ```
//! For each pinger the array reports the last ping that arrived since the preceding sample. The
//! range is c_0 (t_a - t_k), if the array knows t_k.
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
//! Those of `acoustic/mod.rs`: pinger and array have had constant velocity since the ping. Of
//! several pings since the preceding sample only the last is reported.
//!
//! # Checked by
//! test/sensors/acoustic.rs

use crate::acoustic::path::AcousticPath;
use crate::acoustic::{AcousticReceiver, BeaconMotion, range_bearing_covariance};
use merrow_math::Vec3;
use merrow_model::scene::sensor::acoustic::{Beacon, BeaconKind, Target};
use merrow_model::state::frames::acoustic::{AcousticFix, AcousticObservations};

/// Variance of an unknown range [m²].
const UNKNOWN_VARIANCE: f64 = 1e12;
/// Fixed-point iterations for the path between moving ends.
const PATH_ITERATIONS: usize = 4;

/// Computes the fixes of all pings that arrived since the preceding sample. `synchronised`: the
/// array knows when the pingers transmit.
pub(crate) fn receive_pings(by: &AcousticReceiver<'_>, synchronised: bool) -> AcousticObservations {
    let one = |(k, target): (usize, &Target)| {
        let beacon = &by.beacons[target.beacon];
        let (moving, late) = (by.beacon_motion(target.beacon)?, by.late(target.beacon));
        let (sent, way) = last_ping(by, beacon, &moving, late)?;
        let arrived = sent + way.time;
        if !by.waters.has_line_of_sight(
            moving.end_after(sent),
            by.point_after(Vec3::zero(), arrived),
        ) {
            return None;
        }
        let mut draw = by.draw(k);
        let received = by.source_level(target.beacon) - way.loss;
        let snr = by.detect(&by.spec.receiver, beacon.frequency, received, &mut draw)?;
        let (d, variance) = by.bearing(
            by.pose.extrapolate(arrived).0.tr_mul_vec(way.from),
            snr,
            &mut draw,
        );
        let (range, along) = match synchronised {
            true => by.measured_range(by.sound_speed * (late + way.time), &mut draw),
            false => (1.0, UNKNOWN_VARIANCE),
        };
        let covariance = range_bearing_covariance(d, along, range * range * variance);
        let stamp_ns = by.stamp(arrived);
        Some(AcousticFix {
            target: k,
            stamp_ns,
            p_S: d.scale(range),
            covariance,
            snr,
            world: None,
        })
    };
    let fixes = by.spec.targets.iter().enumerate().filter_map(one).collect();
    AcousticObservations {
        fixes,
        ranges: Vec::new(),
    }
}

/// Finds the last ping of a pinger that arrived since the preceding sample, with the clock of the
/// pinger `late` by this time [s]. Returns the time of its transmission [s after the sample] and
/// its path. (1)
fn last_ping(
    by: &AcousticReceiver<'_>,
    beacon: &Beacon,
    moving: &BeaconMotion,
    late: f64,
) -> Option<(f64, AcousticPath)> {
    let BeaconKind::Pinger { period, start } = beacon.kind else {
        return None;
    };
    let start = start + late;
    let way = |sent: f64| {
        let source = moving.end_after(sent).p;
        let (mut arrived, mut way) = (0.0, None);
        for _ in 0..PATH_ITERATIONS {
            let found = by.waters.find_path(
                source,
                by.point_after(Vec3::zero(), arrived).p,
                beacon.frequency,
            )?;
            (arrived, way) = (sent + found.time, Some(found));
        }
        way
    };
    let about = way(0.0)?.time;
    if about * by.sound_speed > 1.1 * by.spec.max_range {
        return None;
    }
    // a speed of 10 m/s changes the arrival by less than 1 %
    let newest = ((by.now - start - 0.98 * about) / period).floor();
    let oldest = ((by.now - 1.0 / by.rate - start - 1.02 * about) / period).floor();
    let mut k = newest;
    while k >= oldest.max(0.0) {
        let sent = start + k * period - by.now;
        let way = way(sent)?;
        let arrived = sent + way.time;
        if arrived <= 0.0 {
            let good = arrived > -1.0 / by.rate && way.time * by.sound_speed <= by.spec.max_range;
            return good.then_some((sent, way));
        }
        // not yet arrived at the sample
        k -= 1.0;
    }
    None
}
