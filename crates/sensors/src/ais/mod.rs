//! What a receiver of the Automatic Identification System gets of the transponders about it.
//!
//! # Law
//! ```text
//!   P_r = P_t - max(20 log(4π d/λ), 40 log d - 20 log(h_t h_r)) - L_s             (1)  [Rappaport 2002, ch. 4]
//!   d < sqrt(2 k R h_t) + sqrt(2 k R h_r),   k = 4/3                              (2)  radio horizon [Rappaport 2002]
//!   read: P_r + σ n > S                                                            (3)
//!   from report to report: class A 10 s, 6 s over 14 kn, 2 s over 23 kn, 10/3 and 2 s while it turns, 180 s at rest;
//!   class B 30 s, 180 s under 2 kn; what a vessel is: 360 s                        (4)  [ITU-R M.1371-5, table 1 and 2]
//! ```
//! # Symbols
//! P_t, P_r power sent and received · λ wave length at 162 MHz · d distance · h_t, h_r heights of the antennas over the water · L_s what land and structures in between take · R radius of the
//! Earth · σ standard deviation of powers, n normal · S sensitivity.
//!
//! # Frames
//! W; sentences as in `encode.rs`.
//!
//! # Limits
//! Reports do not collide in their slots. A vessel turns if it does so by more than 5 degrees in 30 s. Where it was at the instant of its report follows from its velocity at the
//! receiver's sample, so that two receivers may differ in the last digit. The second is that of simulated time.
//!
//! # Checked by
//! test/analytic/ais.rs, test/witness/ais.rs

pub mod encode;

use crate::ais::encode::{KNOT, Message, Motion};
use crate::ray_scene::Stage;
use crate::sample::{Pose, Spoiling};
use merrow_environment::{Instant, geodesy};
use merrow_math::rng::Draw;
use merrow_math::{Mat3, SpatialVelocity, Vec3};
use merrow_model::scene::Origin;
use merrow_model::scene::sensor::ais::{ReceiverSpec, Transponder};
use merrow_model::state::frames::view::View;
use merrow_model::state::frames::{FrameData, Sentence};
use std::f64::consts::{FRAC_PI_2, PI};

/// Wave length at 162 MHz [m].
const WAVE: f64 = 299_792_458.0 / 162e6;
/// Radius of the Earth that has the horizon of radio [m].
const RADIO_EARTH: f64 = 4.0 / 3.0 * 6_371_000.0;
/// What is lower than this is taken to be that high: an antenna in the trough of a wave [m].
const LEAST_HEIGHT: f64 = 0.3;
/// From one report of what a vessel is to the next [s].
const STATIC: f64 = 360.0;
/// When the first one comes after the transponder's start [s].
const STATIC_AFTER: f64 = 1.5;

/// What a receiver has about it.
pub struct Air<'a> {
    /// All transponders.
    pub transponders: &'a [Transponder],
    /// Where the world is on Earth.
    pub origin: &'a Origin,
    /// What can stand in the way.
    pub stage: &'a Stage,
    /// Where that is.
    pub view: &'a View,
    /// The sea.
    pub at: &'a Instant<'a>,
}

/// A transponder as it moves.
struct Moving {
    p: Vec3,
    v: Vec3,
    /// Axes of what carries it, and how they turn in them.
    R: Mat3,
    w: Vec3,
}

/// All sentences since the sample before.
pub fn receive(
    (spec, rate): (&ReceiverSpec, f64),
    air: &Air<'_>,
    pose: &Pose,
    by: &Spoiling,
) -> FrameData {
    let now = air.view.time_ns as f64 * 1e-9;
    let mut out = Vec::new();
    for (k, transponder) in air.transponders.iter().enumerate() {
        let Some(moving) = moving(air.view, transponder) else {
            continue;
        };
        let is_own = transponder.on.is_some_and(|(robot, _)| robot == pose.robot);
        let mut draw = by
            .stream
            .draw((by.sample + 1).wrapping_mul(1 << 20).wrapping_add(k as u64));
        let margin = if is_own {
            f64::INFINITY
        } else {
            margin(spec, air, transponder, &moving, pose)
        };
        let fading = if by.noise { spec.fading } else { 0.0 };
        for (time, report) in reports(transponder, &moving, [now - 1.0 / rate, now]) {
            if margin + fading * draw.normal() < 0.0 {
                continue;
            }
            let messages = messages(air.origin, transponder, &moving, (report, time), now);
            let channel = if report.number.is_multiple_of(2) {
                'A'
            } else {
                'B'
            };
            let talker = if is_own { "AIVDO" } else { "AIVDM" };
            let stamp_ns = (time * 1e9).round().max(0.0) as u64;
            let sentences = messages
                .iter()
                .flat_map(|m| m.sentences(talker, channel, report.number));
            out.extend(sentences.map(|text| Sentence { stamp_ns, text }));
        }
    }
    out.sort_by_key(|sentence| sentence.stamp_ns);
    FrameData::Sentences(out)
}

fn moving(view: &View, transponder: &Transponder) -> Option<Moving> {
    let Some((robot, link)) = transponder.on else {
        let still = Vec3::zero();
        return Some(Moving {
            p: transponder.p,
            v: still,
            R: Mat3::identity(),
            w: still,
        });
    };
    let ((R, p), V): (_, SpatialVelocity) =
        (&view.links[robot][link], view.velocities[robot][link]);
    let v = R.mul_vec(V.v + V.w.cross(transponder.p));
    let moving = Moving {
        p: *p + R.mul_vec(transponder.p),
        v,
        R: *R,
        w: R.mul_vec(V.w),
    };
    (view.powered[robot] && moving.p.is_finite() && v.is_finite()).then_some(moving)
}

/// Received power over what is needed [dB]. (1), (2)
fn margin(
    spec: &ReceiverSpec,
    air: &Air<'_>,
    transponder: &Transponder,
    moving: &Moving,
    pose: &Pose,
) -> f64 {
    let heights = [moving.p, pose.p_WS].map(|p| air.at.above_surface(p));
    if heights.iter().any(|h| *h <= 0.0) {
        return f64::NEG_INFINITY;
    }
    let [sender, receiver] = heights.map(|h| h.max(LEAST_HEIGHT));
    let way = moving.p - pose.p_WS;
    let d = way.norm().max(1.0);
    if d > (2.0 * RADIO_EARTH * sender).sqrt() + (2.0 * RADIO_EARTH * receiver).sqrt() {
        return f64::NEG_INFINITY;
    }
    let log = libm::log10;
    let free = 20.0 * log(4.0 * PI * d / WAVE);
    let flat = 40.0 * log(d) - 20.0 * log(sender * receiver);
    let ends = [moving.p, pose.p_WS];
    let hidden = match transponder.on {
        Some((robot, _)) => air.stage.parted(air.view, [robot, pose.robot], ends),
        None => air
            .stage
            .look(
                air.view,
                pose.robot,
                pose.p_WS,
                way.scale(1.0 / d),
                [0.0, d - 0.5],
            )
            .is_some(),
    };
    let sent = 30.0 + 10.0 * log(transponder.power);
    sent - free.max(flat) - if hidden { spec.shadow } else { 0.0 } - spec.sensitivity
}

/// A report that is due.
#[derive(Clone, Copy)]
struct Report {
    is_static: bool,
    number: u64,
}

/// From report to report of a vessel's position [s]. (4)
pub fn interval(is_class_a: bool, status: u32, speed: f64, turn: f64) -> f64 {
    let (knots, turns) = (speed / KNOT, turn.abs().to_degrees() > 5.0 / 30.0);
    let rests = status == 1 || status == 5;
    match is_class_a {
        true if rests && knots < 3.0 => 180.0,
        true if knots > 23.0 || knots > 14.0 && turns => 2.0,
        true if turns => 10.0 / 3.0,
        true if knots > 14.0 => 6.0,
        true => 10.0,
        false if knots < 2.0 => 180.0,
        false => 30.0,
    }
}

/// Reports that leave after the first instant and no later than the second [s].
fn reports(of: &Transponder, moving: &Moving, [after, until]: [f64; 2]) -> Vec<(f64, Report)> {
    let speed = (moving.v.x * moving.v.x + moving.v.y * moving.v.y).sqrt();
    let period = interval(of.is_class_a, of.status, speed, moving.w.z);
    // vessels do not all speak at once, and each says soon that it is there
    let phase = of.stream.draw(0).uniform();
    let mut all = Vec::new();
    let mut add = |first: f64, period: f64, is_static: bool| {
        let mut n = ((after - first) / period).floor() + 1.0;
        n = n.max(0.0);
        while first + n * period <= until {
            all.push((
                first + n * period,
                Report {
                    is_static,
                    number: n as u64,
                },
            ));
            n += 1.0;
        }
    };
    add(of.start + phase * period.min(10.0), period, false);
    add(of.start + STATIC_AFTER + phase, STATIC, true);
    all
}

fn messages(
    origin: &Origin,
    of: &Transponder,
    moving: &Moving,
    (report, time): (Report, f64),
    now: f64,
) -> Vec<Message> {
    if report.is_static {
        return match of.is_class_a {
            true => vec![crate::ais::encode::voyage_a(&of.vessel)],
            false => vec![
                crate::ais::encode::static_b(&of.vessel, 0),
                crate::ais::encode::static_b(&of.vessel, 1),
            ],
        };
    }
    let mut draw: Draw = of.stream.draw(report.number + 1);
    let error = Vec3::new(draw.normal(), draw.normal(), 0.0).scale(of.position_std);
    let p = moving.p + moving.v.scale(time - now) + error;
    let [latitude, longitude, _] = geodesy::geodetic_from_world(origin, p);
    let ahead = moving.R.col(0);
    let speed = (moving.v.x * moving.v.x + moving.v.y * moving.v.y).sqrt();
    let clockwise = |x: f64, y: f64| FRAC_PI_2 - libm::atan2(y, x);
    let heading = clockwise(ahead.x, ahead.y) + moving.w.z * (now - time);
    let motion = Motion {
        place: [latitude, longitude],
        speed,
        // of what lies still there is no course
        course: if speed > 0.05 {
            clockwise(moving.v.x, moving.v.y)
        } else {
            heading
        },
        heading,
        turn: -moving.w.z,
        second: time.max(0.0).rem_euclid(60.0) as u32,
        is_accurate: of.position_std < 10.0,
    };
    vec![match of.is_class_a {
        true => crate::ais::encode::position_a(&of.vessel, of.status, &motion),
        false => crate::ais::encode::position_b(&of.vessel, &motion),
    }]
}
