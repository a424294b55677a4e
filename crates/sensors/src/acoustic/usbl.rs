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
//! the reply, t_3 its arrival · t(a, b) travel time between the position of one end at a and that
//! of the other at b · T turn-around time.
//!
//! # Frames
//! Positions in S at t_3; they are stamped with t_3.
//!
//! # Limits
//! Those of `acoustic/mod.rs`. The range is half of the two-way path, so for a moving target it is
//! the range at about t_2.
//!
//! # Checked by
//! test/sensors/acoustic.rs

use crate::acoustic::path::AcousticPath;
use crate::acoustic::{AcousticReceiver, BeaconMotion, range_bearing_covariance};
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::acoustic::{BeaconKind, Carrier, Interrogator};
use merrow_model::state::frames::acoustic::{AcousticFix, AcousticObservations};

/// Fixed-point iterations for the path to a moving end.
const PATH_ITERATIONS: usize = 4;

/// Reply of a transponder.
pub struct Reply {
    /// Arrival after the interrogation [s].
    pub arrived: f64,
    /// Turn-around time of the transponder [s].
    pub turn_around: f64,
    /// Acoustic path of the reply.
    pub path: AcousticPath,
    /// Signal-to-noise ratio of the reply [dB].
    pub snr: f64,
}

/// Interrogates the next transponder and computes its fix.
pub(crate) fn interrogate(
    by: &AcousticReceiver<'_>,
    voice: &Interrogator,
    carrier: Option<&Carrier>,
) -> AcousticObservations {
    let mut sounds = AcousticObservations::default();
    let n = by.spec.targets.len() as u64;
    if n == 0 {
        return sounds;
    }
    let k = (by.by.sample % n) as usize;
    let mut draw = by.draw(k);
    let Some(reply) = receive_reply(by, voice, by.spec.targets[k].beacon, &mut draw) else {
        return sounds;
    };
    let (R_WS, _) = by.pose.extrapolate(reply.arrived);
    let (d, variance) = by.bearing(R_WS.tr_mul_vec(reply.path.from), reply.snr, &mut draw);
    let (range, along) = by.measured_range(
        0.5 * by.sound_speed * (reply.arrived - reply.turn_around),
        &mut draw,
    );
    let (p_S, covariance) = (
        d.scale(range),
        range_bearing_covariance(d, along, range * range * variance),
    );
    let world = carrier.map(|c| by.to_world(c, (p_S, &covariance), reply.arrived, &mut draw));
    let stamp_ns = by.stamp(reply.arrived);
    sounds.fixes.push(AcousticFix {
        target: k,
        stamp_ns,
        p_S,
        covariance,
        snr: reply.snr,
        world,
    });
    sounds
}

/// Computes the reply of transponder number `index` to an interrogation sent at the sample. Returns
/// `None` if interrogation or reply is not detected or the range exceeds the maximum range. (1)
pub(crate) fn receive_reply(
    by: &AcousticReceiver<'_>,
    voice: &Interrogator,
    index: usize,
    draw: &mut Draw,
) -> Option<Reply> {
    let beacon = &by.beacons[index];
    let BeaconKind::Transponder { turn_around, ear } = beacon.kind else {
        return None;
    };
    let moving = by.beacon_motion(index)?;
    let here = by.point_after(Vec3::zero(), 0.0);
    let (heard, way) = interrogation_arrival(by, voice, &moving, here.p)?;
    if !by.waters.has_line_of_sight(here, moving.end_after(heard)) {
        return None;
    }
    by.detect(&ear, voice.frequency, voice.source_level - way.loss, draw)?;
    let sent = heard + turn_around + by.late(index);
    let source = moving.end_after(sent).p;
    let (mut arrived, mut back) = (sent + way.time, None);
    for _ in 0..PATH_ITERATIONS {
        let found = by.waters.find_path(
            source,
            by.point_after(Vec3::zero(), arrived).p,
            beacon.frequency,
        )?;
        (arrived, back) = (sent + found.time, Some(found));
    }
    let back = back?;
    let snr = by.detect(
        &by.spec.receiver,
        beacon.frequency,
        by.source_level(index) - back.loss,
        draw,
    )?;
    if 0.5 * by.sound_speed * (arrived - turn_around) > by.spec.max_range {
        return None;
    }
    Some(Reply {
        arrived,
        turn_around,
        path: back,
        snr,
    })
}

/// Computes when an interrogation sent from `from` (W [m]) at the sample reaches the transponder [s
/// after the sample], and its path.
fn interrogation_arrival(
    by: &AcousticReceiver<'_>,
    voice: &Interrogator,
    moving: &BeaconMotion,
    from: Vec3,
) -> Option<(f64, AcousticPath)> {
    let (mut heard, mut way) = (0.0, None);
    for _ in 0..PATH_ITERATIONS {
        let found = by
            .waters
            .find_path(from, moving.end_after(heard).p, voice.frequency)?;
        (heard, way) = (found.time, Some(found));
    }
    Some((heard, way?))
}
