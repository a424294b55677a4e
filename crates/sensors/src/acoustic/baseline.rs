//! Places by ranges over a base line: one's own by several transponders (long base line), or a locator's by several receivers (short base line).
//!
//! # Law
//! ```text
//!   r_k = c_0 (t_3k - t_0 - T_k)/2          long                               (1)  [Milne 1983]
//!   r_k = c_0 (t_k - t_0)                   short: locator and receivers share a clock          (2)
//! ```
//! The place follows from three ranges or more by least squares (`fix.rs`).
//!
//! # Symbols
//! t_0 the sample · t_3k, t_k arrivals · T_k turn-around · c_0 assumed speed of sound.
//!
//! # Frames
//! Long: in W, by the surveyed places of the transponders. Short: in S, by the places of the receivers in it.
//!
//! # Limits
//! As `mod.rs`. All ranges of a sample count as of one instant: long, midway between the question and the mean arrival; short, the sample. A known depth is taken as a height in S where S is that of a ship: its
//! heel is left out of it.
//!
//! # Checked by
//! test/analytic/acoustic.rs

use crate::acoustic::Listener;
use crate::acoustic::fix;
use crate::acoustic::fix::Known;
use crate::acoustic::usbl;
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::acoustic::{Carrier, Voice};
use merrow_model::state::frames::acoustic::{Fix, Ranged, Sounds};

/// Rounds in which the way to a receiver that moves is found.
const ROUNDS: usize = 4;

/// A height that a gauge tells, with its standard deviation.
fn height(z: f64, std: Option<f64>, noise: bool, draw: &mut Draw) -> Option<[f64; 2]> {
    std.map(|std| [z + if noise { std * draw.normal() } else { 0.0 }, std])
}

/// One's own place by the replies of all transponders. (1)
pub fn own_place(
    by: &Listener<'_>,
    voice: &Voice,
    survey: &[Vec3],
    depth_std: Option<f64>,
) -> Sounds {
    let (mut sounds, mut known, mut arrivals) = (Sounds::default(), Vec::new(), 0.0);
    let mut weakest = f64::INFINITY;
    for (k, target) in by.spec.targets.iter().enumerate() {
        let mut draw = by.draw(k);
        let Some(reply) = usbl::reply(by, voice, target.beacon, &mut draw) else {
            continue;
        };
        let (range, variance) = by.told(
            0.5 * by.sound_speed * (reply.arrived - reply.turn),
            &mut draw,
        );
        let stamp_ns = by.stamp(reply.arrived);
        sounds.ranges.push(Ranged {
            target: k,
            receiver: 0,
            stamp_ns,
            range,
            variance,
        });
        let Some(moving) = by.beacon(target.beacon) else {
            continue;
        };
        let error = if by.by.noise { survey[k] } else { Vec3::zero() };
        known.push(Known {
            p: moving.after(0.0).p + error,
            range,
            std: variance.sqrt(),
        });
        arrivals += reply.arrived - reply.turn;
        weakest = weakest.min(reply.snr);
    }
    if known.is_empty() {
        return sounds;
    }
    let time = 0.5 * arrivals / known.len() as f64;
    let mut draw = by.draw(by.spec.targets.len());
    let height = height(
        by.own(Vec3::zero(), time).p.z,
        depth_std,
        by.by.noise,
        &mut draw,
    );
    // transponders lie under those who ask them
    let start = middle(&known) + Vec3::new(0.0, 0.0, 0.5 * mean_range(&known));
    if let Some((p, covariance)) = fix::find(&known, height, start) {
        let world = Some((p, covariance));
        let stamp_ns = by.stamp(time);
        sounds.fixes.push(Fix {
            target: 0,
            stamp_ns,
            p_S: Vec3::zero(),
            covariance,
            snr: weakest,
            world,
        });
    }
    sounds
}

fn middle(known: &[Known]) -> Vec3 {
    known
        .iter()
        .fold(Vec3::zero(), |sum, k| sum + k.p)
        .scale(1.0 / known.len() as f64)
}

fn mean_range(known: &[Known]) -> f64 {
    known.iter().map(|k| k.range).sum::<f64>() / known.len() as f64
}

/// Places of all locators by the receivers that hear them. (2)
pub fn places(
    by: &Listener<'_>,
    receivers: &[Vec3],
    depth_std: Option<f64>,
    carrier: Option<&Carrier>,
) -> Sounds {
    let mut sounds = Sounds::default();
    for (k, target) in by.spec.targets.iter().enumerate() {
        let mut draw = by.draw(k);
        let Some(moving) = by.beacon(target.beacon) else {
            continue;
        };
        let late = by.late(target.beacon);
        let source = moving.after(late);
        let (mut known, mut weakest) = (Vec::new(), f64::INFINITY);
        for (n, receiver) in receivers.iter().enumerate() {
            let Some((time, snr)) =
                arrival(by, target.beacon, (source, late), *receiver, &mut draw)
            else {
                continue;
            };
            let (range, variance) = by.told(by.sound_speed * time, &mut draw);
            if range > by.spec.max_range {
                continue;
            }
            sounds.ranges.push(Ranged {
                target: k,
                receiver: n,
                stamp_ns: by.stamp(time),
                range,
                variance,
            });
            known.push(Known {
                p: *receiver,
                range,
                std: variance.sqrt(),
            });
            weakest = weakest.min(snr);
        }
        if known.is_empty() {
            continue;
        }
        let truth = by.pose.R_WS.tr_mul_vec(source.p - by.pose.p_WS);
        let height = height(truth.z, depth_std, by.by.noise, &mut draw);
        let start = middle(&known) - Vec3::new(0.0, 0.0, 0.5 * mean_range(&known));
        if let Some((p_S, covariance)) = fix::find(&known, height, start) {
            let world = carrier.map(|c| by.to_world(c, (p_S, &covariance), 0.0, &mut draw));
            let stamp_ns = by.stamp(0.0);
            sounds.fixes.push(Fix {
                target: k,
                stamp_ns,
                p_S,
                covariance,
                snr: weakest,
                world,
            });
        }
    }
    sounds
}

/// When sound of locator number `index`, which leaves `source` at `sent`, reaches a receiver [s after the sample], and its level over the noise, if it is heard.
fn arrival(
    by: &Listener<'_>,
    index: usize,
    (source, sent): (crate::acoustic::path::End, f64),
    receiver: Vec3,
    draw: &mut Draw,
) -> Option<(f64, f64)> {
    let beacon = &by.beacons[index];
    let (mut time, mut way) = (sent, None);
    for _ in 0..ROUNDS {
        let found = by
            .waters
            .way(source.p, by.own(receiver, time).p, beacon.frequency)?;
        (time, way) = (sent + found.time, Some(found));
    }
    let received = by.source_level(index) - way?.loss;
    let snr = by.hears(&by.spec.ear, beacon.frequency, received, draw)?;
    by.waters
        .is_open(source, by.own(receiver, time))
        .then_some((time, snr))
}
