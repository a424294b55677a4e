//! Places of transponders by one small array: it asks one a sample, and measures time and direction of the reply.
//!
//! # Law
//! ```text
//!   t_1 = t_0 + t(t_0, t_1),   t_2 = t_1 + T,   t_3 = t_2 + t(t_2, t_3)        (1)
//! ```
//! # Symbols
//! t_0 the question leaves, t_1 is heard, t_2 the reply leaves, t_3 arrives · t(a, b) time on the way between where the one end is at a and the other at b · T turn-around.
//!
//! # Frames
//! Places in S at t_3, for which they are stamped.
//!
//! # Limits
//! As `mod.rs`. Range is half of both ways, so that of a target that moves is that of about t_2.
//!
//! # Checked by
//! test/analytic/acoustic.rs

use crate::acoustic::path::Way;
use crate::acoustic::{Listener, Moving, spread};
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::acoustic::{BeaconKind, Carrier, Voice};
use merrow_model::state::frames::acoustic::{Fix, Sounds};

/// How often a way is found anew with where its end is when it gets there.
const ROUNDS: usize = 4;

/// A reply.
pub struct Reply {
    /// When it arrived, after the question [s].
    pub arrived: f64,
    /// Turn-around [s].
    pub turn: f64,
    /// Its way.
    pub way: Way,
    /// Level over the noise [dB].
    pub snr: f64,
}

/// Asks the transponder whose turn it is.
pub fn ask(by: &Listener<'_>, voice: &Voice, carrier: Option<&Carrier>) -> Sounds {
    let mut sounds = Sounds::default();
    let n = by.spec.targets.len() as u64;
    if n == 0 {
        return sounds;
    }
    let k = (by.by.sample % n) as usize;
    let mut draw = by.draw(k);
    let Some(reply) = reply(by, voice, by.spec.targets[k].beacon, &mut draw) else {
        return sounds;
    };
    let (R_WS, _) = by.pose.after(reply.arrived);
    let (d, variance) = by.bearing(R_WS.tr_mul_vec(reply.way.from), reply.snr, &mut draw);
    let (range, along) = by.told(
        0.5 * by.sound_speed * (reply.arrived - reply.turn),
        &mut draw,
    );
    let (p_S, covariance) = (d.scale(range), spread(d, along, range * range * variance));
    let world = carrier.map(|c| by.to_world(c, (p_S, &covariance), reply.arrived, &mut draw));
    let stamp_ns = by.stamp(reply.arrived);
    sounds.fixes.push(Fix {
        target: k,
        stamp_ns,
        p_S,
        covariance,
        snr: reply.snr,
        world,
    });
    sounds
}

/// The reply of transponder number `index` to a question that leaves S now, if both are heard within the greatest range. (1)
pub fn reply(by: &Listener<'_>, voice: &Voice, index: usize, draw: &mut Draw) -> Option<Reply> {
    let beacon = &by.beacons[index];
    let BeaconKind::Transponder { turn_around, ear } = beacon.kind else {
        return None;
    };
    let moving = by.beacon(index)?;
    let here = by.own(Vec3::zero(), 0.0);
    let (heard, way) = question(by, voice, &moving, here.p)?;
    if !by.waters.is_open(here, moving.after(heard)) {
        return None;
    }
    by.hears(&ear, voice.frequency, voice.source_level - way.loss, draw)?;
    let sent = heard + turn_around + by.late(index);
    let source = moving.after(sent).p;
    let (mut arrived, mut back) = (sent + way.time, None);
    for _ in 0..ROUNDS {
        let found = by
            .waters
            .way(source, by.own(Vec3::zero(), arrived).p, beacon.frequency)?;
        (arrived, back) = (sent + found.time, Some(found));
    }
    let back = back?;
    let snr = by.hears(
        &by.spec.ear,
        beacon.frequency,
        by.source_level(index) - back.loss,
        draw,
    )?;
    if 0.5 * by.sound_speed * (arrived - turn_around) > by.spec.max_range {
        return None;
    }
    Some(Reply {
        arrived,
        turn: turn_around,
        way: back,
        snr,
    })
}

/// When the question that left `from` at the sample is heard, and its way.
fn question(by: &Listener<'_>, voice: &Voice, moving: &Moving, from: Vec3) -> Option<(f64, Way)> {
    let (mut heard, mut way) = (0.0, None);
    for _ in 0..ROUNDS {
        let found = by
            .waters
            .way(from, moving.after(heard).p, voice.frequency)?;
        (heard, way) = (found.time, Some(found));
    }
    Some((heard, way?))
}
