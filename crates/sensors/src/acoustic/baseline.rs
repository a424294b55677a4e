//! Long-baseline and short-baseline positioning (LBL, SBL): position from several ranges.
//!
//! LBL computes the position of the instrument itself from the replies of several transponders. SBL
//! computes the position of a locator from the arrival times at several receivers.
//!
//! # Law
//! ```text
//!   r_k = c_0 (t_3k - t_0 - T_k)/2          LBL                                (1)  [Milne 1983]
//!   r_k = c_0 (t_k - t_0)                   SBL: locator and receivers share a clock          (2)
//! ```
//! The position is the least-squares solution of three or more ranges (`fix.rs`).
//!
//! # Symbols
//! t_0 instant of the sample · t_3k, t_k arrivals · T_k turn-around time · c_0 assumed speed of
//! sound.
//!
//! # Frames
//! LBL: in W, from the surveyed positions of the transponders. SBL: in S, from the positions of the
//! receivers in S.
//!
//! # Limits
//! The limits of `acoustic/mod.rs` apply. All ranges of a sample are assumed to be simultaneous.
//! For LBL, their instant is midway between the interrogation and the mean arrival; for SBL, it is
//! the instant of the sample. SBL uses a known depth as a height in S; the heel of the ship that
//! carries S is neglected.
//!
//! # Checked by
//! test/sensors/acoustic.rs

use crate::acoustic::fix::KnownRange;
use crate::acoustic::path::PathEnd;
use crate::acoustic::{AcousticReceiver, fix, usbl};
use merrow_math::rng::Draw;
use merrow_math::{Mat3, Vec3};
use merrow_model::sensor::acoustic::{LblKeys, SblKeys};
use merrow_model::state::frames::acoustic::{AcousticObservations, AcousticRange};
use merrow_model::state::frames::view::PointMotion;

/// Computes a position from ranges to `known` positions on one side of it: above (`side` = 1) or
/// below (-1). `z` [m] is the height that a depth gauge with the standard deviation `depth_std` [m]
/// measures, if there is one.
fn solve(
    instrument: &AcousticReceiver<'_>,
    known: &[KnownRange],
    side: f64,
    (z, depth_std): (f64, Option<f64>),
    draw: &mut Draw,
) -> Option<(Vec3, Mat3)> {
    let errors = instrument.sample.errors;
    let height = depth_std.map(|std| [z + errors.std(std) * draw.normal(), std]);
    let n = known.len() as f64;
    let position = known.iter().fold(Vec3::zero(), |sum, k| sum + k.p);
    let range = known.iter().map(|k| k.range).sum::<f64>() / n;
    let start = position.scale(1.0 / n) + Vec3::new(0.0, 0.0, side * 0.5 * range);
    fix::solve_position(known, height, start)
}

/// Computes the position of the instrument in W from the replies of all transponders (LBL). (1)
pub(crate) fn lbl_fix(instrument: &AcousticReceiver<'_>, keys: &LblKeys) -> AcousticObservations {
    let interrogator = keys.interrogator();
    let (mut observations, mut known, mut arrivals) =
        (AcousticObservations::default(), Vec::new(), 0.0);
    let mut weakest = f64::INFINITY;
    for (k, target) in instrument.spec.targets.iter().enumerate() {
        let mut draw = instrument.draw(k);
        let Some(reply) = usbl::receive_reply(instrument, &interrogator, target.beacon, &mut draw)
        else {
            continue;
        };
        let (range, variance) =
            instrument.measured_range(0.5 * instrument.sound_speed * reply.time, &mut draw);
        observations.ranges.push(AcousticRange {
            target: k,
            receiver: 0,
            stamp_ns: instrument.stamp(reply.arrival),
            range,
            variance,
        });
        let Some(motion) = instrument.beacon_motion(target.beacon) else {
            continue;
        };
        let error = if instrument.sample.errors.noise {
            instrument.spec.survey[k]
        } else {
            Vec3::zero()
        };
        known.push(KnownRange {
            p: PathEnd::after(&motion, 0.0).p + error,
            range,
            std: variance.sqrt(),
        });
        arrivals += reply.time;
        weakest = weakest.min(reply.snr);
    }
    if known.is_empty() {
        return observations;
    }
    let time = 0.5 * arrivals / known.len() as f64;
    let mut draw = instrument.draw(instrument.spec.targets.len());
    let z = instrument.point_after(Vec3::zero(), time).p.z;
    // transponders usually lie below the instrument
    let position = solve(instrument, &known, 1.0, (z, keys.depth_std_m), &mut draw);
    if let Some((p, covariance)) = position {
        let (p_S, world) = (Vec3::zero(), Some((p, covariance)));
        let fix = instrument.fix((0, time, weakest), (p_S, covariance), world);
        observations.fixes.push(fix);
    }
    observations
}

/// Computes the positions of all locators in S from the arrivals at the receivers of an SBL system.
/// (2)
pub(crate) fn sbl_fixes(instrument: &AcousticReceiver<'_>, keys: &SblKeys) -> AcousticObservations {
    let mut observations = AcousticObservations::default();
    for (k, target) in instrument.spec.targets.iter().enumerate() {
        let mut draw = instrument.draw(k);
        let Some(motion) = instrument.beacon_motion(target.beacon) else {
            continue;
        };
        let transmission_delay = instrument.transmission_delay(target.beacon);
        let source = PathEnd::after(&motion, transmission_delay);
        let (mut known, mut weakest) = (Vec::new(), f64::INFINITY);
        for (n, receiver) in keys.receivers_m.iter().enumerate() {
            let receiver = Vec3::from(*receiver);
            let Some((time, snr)) = signal_arrival(
                instrument,
                (target.beacon, &motion),
                (source, transmission_delay),
                receiver,
                &mut draw,
            ) else {
                continue;
            };
            let (range, variance) =
                instrument.measured_range(instrument.sound_speed * time, &mut draw);
            if range > instrument.spec.hearing().max_range_m {
                continue;
            }
            observations.ranges.push(AcousticRange {
                target: k,
                receiver: n,
                stamp_ns: instrument.stamp(time),
                range,
                variance,
            });
            known.push(KnownRange {
                p: receiver,
                range,
                std: variance.sqrt(),
            });
            weakest = weakest.min(snr);
        }
        if known.is_empty() {
            continue;
        }
        let pose = instrument.sample.pose;
        let z = pose.R_WS.tr_mul_vec(source.p - pose.p_WS).z;
        let position = solve(instrument, &known, -1.0, (z, keys.depth_std_m), &mut draw);
        if let Some((p_S, covariance)) = position {
            let world = instrument.to_world(&keys.placing, (p_S, &covariance), 0.0, &mut draw);
            let fix = instrument.fix((k, 0.0, weakest), (p_S, covariance), world);
            observations.fixes.push(fix);
        }
    }
    observations
}

/// Computes when the signal of locator number `index`, sent from `source` at the time `sent` [s
/// after the sample], reaches a receiver (position in S [m]). Returns the arrival time [s after the
/// sample] and the signal-to-noise ratio [dB], or `None` if the signal is not detected.
fn signal_arrival(
    instrument: &AcousticReceiver<'_>,
    (index, motion): (usize, &PointMotion),
    (source, sent): (PathEnd, f64),
    receiver: Vec3,
    draw: &mut Draw,
) -> Option<(f64, f64)> {
    let beacon = instrument.beacon(index);
    let receiver_after = |time: f64| instrument.point_after(receiver, sent + time).p;
    let path = instrument
        .medium
        .find_arrival(source.p, receiver_after, beacon.frequency())?;
    let time = sent + path.time;
    let received = instrument.signal_level((index, motion), &path, time);
    let snr = instrument.detect(beacon.frequency(), received, draw)?;
    instrument
        .has_line_of_sight(source, instrument.point_after(receiver, time))
        .then_some((time, snr))
}
