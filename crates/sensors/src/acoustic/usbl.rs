//! Ultra-short baseline (USBL): position of transponders from the travel time and direction of
//! their replies.
//!
//! The array interrogates one transponder in each sample.
//!
//! # Law
//! ```text
//!   t_1 = t_0 + t(t_0, t_1),   t_2 = t_1 + T,   t_3 = t_2 + t(t_2, t_3)        (1)
//! ```
//! # Symbols
//! t_0 transmission of the interrogation, t_1 its arrival at the transponder · t_2 transmission of
//! the reply, t_3 its arrival · t(a, b) travel time between the position of one end at the time a
//! and the position of the other end at the time b · T turn-around time.
//!
//! # Frames
//! Positions in S at t_3; they are stamped with t_3.
//!
//! # Limits
//! The limits of `acoustic/mod.rs` apply. The range is half of the two-way path. For a moving
//! target it is therefore the range at about t_2.
//!
//! # Checked by
//! test/sensors/acoustic.rs

use crate::acoustic::path::AcousticPath;
use crate::acoustic::{AcousticReceiver, BeaconMotion, range_bearing_covariance};
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::sensor::acoustic::{BeaconKind, Carrier, Interrogator};
use merrow_model::state::frames::acoustic::{AcousticFix, AcousticObservations};

/// Reply of a transponder to an interrogation, as the transceiver receives it.
pub struct Reply {
    /// Arrival after the interrogation [s].
    pub arrival: f64,
    /// Turn-around time of the transponder [s].
    pub turn_around: f64,
    /// Path of the reply from the transponder to the transceiver.
    pub path: AcousticPath,
    /// Signal-to-noise ratio of the reply [dB].
    pub snr: f64,
}

/// Interrogates the next transponder and computes its fix.
pub(crate) fn interrogate(
    instrument: &AcousticReceiver<'_>,
    interrogator: &Interrogator,
    carrier: Option<&Carrier>,
) -> AcousticObservations {
    let mut observations = AcousticObservations::default();
    let n = instrument.spec.targets.len() as u64;
    if n == 0 {
        return observations;
    }
    let k = (instrument.errors.sample % n) as usize;
    let mut draw = instrument.draw(k);
    let Some(reply) = receive_reply(
        instrument,
        interrogator,
        instrument.spec.targets[k].beacon,
        &mut draw,
    ) else {
        return observations;
    };
    let (R_WS, _) = instrument.pose.extrapolate(reply.arrival);
    let (d, variance) =
        instrument.measured_bearing(R_WS.tr_mul_vec(reply.path.from), reply.snr, &mut draw);
    let (range, along) = instrument.measured_range(
        0.5 * instrument.sound_speed * (reply.arrival - reply.turn_around),
        &mut draw,
    );
    let (p_S, covariance) = (
        d.scale(range),
        range_bearing_covariance(d, along, range * range * variance),
    );
    let world =
        carrier.map(|c| instrument.to_world(c, (p_S, &covariance), reply.arrival, &mut draw));
    let stamp_ns = instrument.stamp(reply.arrival);
    observations.fixes.push(AcousticFix {
        target: k,
        stamp_ns,
        p_S,
        covariance,
        snr: reply.snr,
        world,
    });
    observations
}

/// Computes the reply of transponder number `index` to an interrogation sent at the sample. Returns
/// `None` if interrogation or reply is not detected or the range exceeds the maximum range. (1)
pub(crate) fn receive_reply(
    instrument: &AcousticReceiver<'_>,
    interrogator: &Interrogator,
    index: usize,
    draw: &mut Draw,
) -> Option<Reply> {
    let beacon = &instrument.beacons[index];
    let BeaconKind::Transponder { turn_around_s, ear } = &beacon.kind else {
        return None;
    };
    let turn_around = *turn_around_s;
    let motion = instrument.beacon_motion(index)?;
    let here = instrument.point_after(Vec3::zero(), 0.0);
    let (transponder_arrival, path) =
        interrogation_arrival(instrument, interrogator, &motion, here.p)?;
    if !instrument.has_line_of_sight(here, motion.position_after(transponder_arrival)) {
        return None;
    }
    let level = instrument.interrogation_level(interrogator, (index, &motion), &path);
    instrument.detect_with(ear, interrogator.frequency, (level, 0.0), draw)?;
    let sent = transponder_arrival + turn_around + instrument.transmission_delay(index);
    let source = motion.position_after(sent).p;
    let receiver_after = |time: f64| instrument.point_after(Vec3::zero(), sent + time).p;
    let back = instrument
        .medium
        .find_arrival(source, receiver_after, beacon.frequency)?;
    let arrival = sent + back.time;
    let level = instrument.signal_level((index, &motion), &back, arrival);
    let snr = instrument.detect(beacon.frequency, level, draw)?;
    if 0.5 * instrument.sound_speed * (arrival - turn_around) > instrument.spec.hearing.max_range_m
    {
        return None;
    }
    Some(Reply {
        arrival,
        turn_around,
        path: back,
        snr,
    })
}

/// Computes when an interrogation sent from `from` (W [m]) at the sample reaches the transponder [s
/// after the sample], and its path.
fn interrogation_arrival(
    instrument: &AcousticReceiver<'_>,
    interrogator: &Interrogator,
    motion: &BeaconMotion,
    from: Vec3,
) -> Option<(f64, AcousticPath)> {
    let transponder_after = |time: f64| motion.position_after(time).p;
    let path = instrument
        .medium
        .find_arrival(from, transponder_after, interrogator.frequency)?;
    Some((path.time, path))
}
