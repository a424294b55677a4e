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

use crate::acoustic::AcousticReceiver;
use crate::acoustic::path::{AcousticPath, PathEnd};
use merrow_math::rng::Draw;
use merrow_math::{Mat3, Vec3};
use merrow_model::sensor::acoustic::{Interrogator, Transmission, UsblKeys};
use merrow_model::state::frames::acoustic::AcousticObservations;

/// Reply of a transponder to an interrogation, as the transceiver receives it.
pub(crate) struct Reply {
    /// Arrival after the interrogation [s].
    pub arrival: f64,
    /// Travel time of interrogation and reply, with the delay of the transponder by its faults [s].
    pub time: f64,
    /// Path of the reply from the transponder to the transceiver.
    pub path: AcousticPath,
    /// Signal-to-noise ratio of the reply [dB].
    pub snr: f64,
}

/// Interrogates the next transponder and computes its fix.
pub(crate) fn interrogate(
    instrument: &AcousticReceiver<'_>,
    keys: &UsblKeys,
) -> AcousticObservations {
    let mut observations = AcousticObservations::default();
    let n = instrument.spec.targets.len() as u64;
    if n == 0 {
        return observations;
    }
    let k = (instrument.sample.errors.sample % n) as usize;
    let mut draw = instrument.draw(k);
    let beacon = instrument.spec.targets[k].beacon;
    let Some(reply) = receive_reply(instrument, &keys.interrogator(), beacon, &mut draw) else {
        return observations;
    };
    let (R_WS, _) = instrument.sample.pose.extrapolate(reply.arrival);
    let (d, variance) =
        instrument.measured_bearing(R_WS.tr_mul_vec(reply.path.from), reply.snr, &mut draw);
    let (range, along) =
        instrument.measured_range(0.5 * instrument.sound_speed * reply.time, &mut draw);
    let (p_S, covariance) = (
        d.scale(range),
        Mat3::axial(d, along, range * range * variance),
    );
    let located = (p_S, &covariance);
    let world = instrument.to_world(&keys.placing, located, reply.arrival, &mut draw);
    let fix = instrument.fix((k, reply.arrival, reply.snr), (p_S, covariance), world);
    observations.fixes.push(fix);
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
    let beacon = instrument.beacon(index);
    let Transmission::Transponder(transponder) = &beacon.keys.sends else {
        return None;
    };
    let turn_around = transponder.turn_around_s;
    let motion = instrument.beacon_motion(index)?;
    let here = instrument.point_after(Vec3::zero(), 0.0);
    let transponder_after = |time: f64| PathEnd::after(&motion, time).p;
    let path = instrument
        .medium
        .find_arrival(here.p, transponder_after, interrogator.frequency)?;
    if !instrument.has_line_of_sight(here, PathEnd::after(&motion, path.time)) {
        return None;
    }
    let level = instrument.interrogation_level(interrogator, (index, &motion), &path);
    instrument.detect_with(&transponder.ear, interrogator.frequency, (level, 0.0), draw)?;
    let sent = path.time + turn_around + instrument.transmission_delay(index);
    let source = PathEnd::after(&motion, sent).p;
    let receiver_after = |time: f64| instrument.point_after(Vec3::zero(), sent + time).p;
    let back = instrument
        .medium
        .find_arrival(source, receiver_after, beacon.frequency())?;
    let arrival = sent + back.time;
    let level = instrument.signal_level((index, &motion), &back, arrival);
    let snr = instrument.detect(beacon.frequency(), level, draw)?;
    let time = arrival - turn_around;
    let is_near = 0.5 * instrument.sound_speed * time <= instrument.spec.hearing().max_range_m;
    is_near.then_some(Reply {
        arrival,
        time,
        path: back,
        snr,
    })
}
