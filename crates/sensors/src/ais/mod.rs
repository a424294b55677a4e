//! Automatic Identification System (AIS) receiver: reports of transponders within radio range.
//!
//! # Law
//! ```text
//!   P_r = P_t - max(20 log(4π d/λ), 40 log d - 20 log(h_t h_r)) - L_s  (1)
//!   d < sqrt(2 k R h_t) + sqrt(2 k R h_r),   k = 4/3                   (2)
//!   received: P_r + σ n > S                                            (3)
//!   reporting interval: class A 10 s, 6 s over 14 kn, 2 s over 23 kn, 10/3 and 2 s while turning,
//!   180 s at rest; class B 30 s, 180 s under 2 kn; static data: 360 s                 (4)
//!   (1) [Rappaport 2002, ch. 4]
//!   (2) radio horizon [Rappaport 2002]
//!   (4) [ITU-R M.1371-5, table 1 and 2]
//! ```
//! # Symbols
//! P_t, P_r transmitted and received power · λ wavelength at 162 MHz · d distance · h_t, h_r
//! heights of the antennas over the water · L_s loss by land and structures on the path · R radius
//! of the Earth · σ standard deviation of the received power, n standard normal number · S
//! sensitivity.
//!
//! # Frames
//! W; sentences as in `encode.rs`.
//!
//! # Limits
//! Slot collisions are not modelled. A vessel counts as turning if it turns by more than 5 degrees
//! in 30 s. Its position at the instant of a report is extrapolated with its velocity at the sample
//! of the receiver, so the last digit can differ between two receivers. The second is the second of
//! simulated time.
//!
//! # Checked by
//! test/sensors/ais.rs, test/witness/devices/ais.rs

pub mod encode;

use crate::ais::encode::{KNOT, Message, ReportedMotion};
use crate::cost::{CostSite, RECEPTION};
use crate::exteroceptive::{Observation, Observe};
use merrow_environment::geodesy::RADIO_HORIZON_RADIUS;
use merrow_environment::{SPEED_OF_LIGHT, geodesy};
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::scene::Origin;
use merrow_model::sensor::ais::{AisClass, AisReceiver, Sentence, Transponder};
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::view::PointMotion;
use std::f64::consts::{FRAC_PI_2, PI};

/// Wavelength at 162 MHz [m].
const WAVELENGTH: f64 = SPEED_OF_LIGHT / 162e6;
/// Lower limit of the antenna heights, for an antenna in the trough of a wave [m].
const MIN_ANTENNA_HEIGHT: f64 = 0.3;
/// Interval of the static data [s].
const STATIC_INTERVAL: f64 = 360.0;
/// Delay of the first static data after the start of the transponder [s].
const STATIC_DELAY: f64 = 1.5;

impl Observe for AisReceiver {
    fn observe(&self, sample: &Observation<'_>) -> FrameData {
        let (pose, errors) = (sample.pose, sample.errors);
        let now = sample.view.time_ns as f64 * 1e-9;
        let mut out = Vec::new();
        for (k, transponder) in sample.scene.ais.iter().enumerate() {
            let Some(motion) = sample.view.powered_point(transponder.on, transponder.p) else {
                continue;
            };
            let is_own = transponder.on.is_some_and(|(robot, _)| robot == pose.robot);
            let mut draw = errors.draw(k as u64);
            let margin = if is_own {
                f64::INFINITY
            } else {
                link_margin(self, sample, transponder, &motion)
            };
            let fading = errors.std(self.fading_std_db);
            let since = now - 1.0 / sample.rate;
            for (time, report) in due_reports(transponder, &motion, [since, now]) {
                if margin + fading * draw.normal() < 0.0 {
                    continue;
                }
                let origin = &sample.scene.origin;
                let messages = encode_report(origin, transponder, &motion, (report, time), now);
                let channel = ['B', 'A'][usize::from(report.number.is_multiple_of(2))];
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

    fn cost(&self, site: &CostSite<'_>) -> f64 {
        site.world.scene.ais.len() as f64 * (RECEPTION + site.world.ray())
    }
}

/// Returns the received power over the sensitivity [dB]. (1), (2)
fn link_margin(
    spec: &AisReceiver,
    sample: &Observation<'_>,
    transponder: &Transponder,
    motion: &PointMotion,
) -> f64 {
    let (pose, ray_scene) = (sample.pose, sample.ray_scenes.collision());
    let ends = [motion.p, pose.p_WS];
    let heights = ends.map(|p| sample.environment.height_above_surface(p));
    if heights.iter().any(|h| *h <= 0.0) {
        return f64::NEG_INFINITY;
    }
    let [sender, receiver] = heights.map(|h| h.max(MIN_ANTENNA_HEIGHT));
    let offset = motion.p - pose.p_WS;
    let d = offset.norm().max(1.0);
    if d > (2.0 * RADIO_HORIZON_RADIUS * sender).sqrt()
        + (2.0 * RADIO_HORIZON_RADIUS * receiver).sqrt()
    {
        return f64::NEG_INFINITY;
    }
    let log = libm::log10;
    let free_space_loss = 20.0 * log(4.0 * PI * d / WAVELENGTH);
    let two_ray_loss = 40.0 * log(d) - 20.0 * log(sender * receiver);
    let towards = offset.scale(1.0 / d);
    let is_shadowed = match transponder.on {
        Some((robot, _)) => ray_scene.find_occluder([robot, pose.robot], ends).is_some(),
        None => {
            let own = ray_scene.shapes_of(pose.robot);
            let hit = ray_scene.first_hit(own, pose.p_WS, towards, [0.0, d - 0.5]);
            hit.is_some()
        }
    };
    let transmitted = 30.0 + 10.0 * log(transponder.ais.power());
    transmitted
        - free_space_loss.max(two_ray_loss)
        - if is_shadowed { spec.shadow_db } else { 0.0 }
        - spec.sensitivity_dbm
}

/// Report that is due: position or static data, with its number.
#[derive(Clone, Copy)]
struct Report {
    is_static: bool,
    number: u64,
}

/// Returns the interval of the position reports of a vessel [s], for its navigational `status`,
/// `speed` [m/s] and rate of `turn` [rad/s]. (4)
pub(crate) fn reporting_interval(class: AisClass, status: u32, speed: f64, turn: f64) -> f64 {
    let (knots, is_turning) = (speed / KNOT, turn.abs().to_degrees() > 5.0 / 30.0);
    let is_stationary = status == 1 || status == 5;
    match class {
        AisClass::A if is_stationary && knots < 3.0 => 180.0,
        AisClass::A if knots > 23.0 || knots > 14.0 && is_turning => 2.0,
        AisClass::A if is_turning => 10.0 / 3.0,
        AisClass::A if knots > 14.0 => 6.0,
        AisClass::A => 10.0,
        AisClass::B if knots < 2.0 => 180.0,
        AisClass::B => 30.0,
    }
}

/// Reports of a transponder that are sent after the time `after` and up to the time `until` [s].
fn due_reports(
    transponder: &Transponder,
    motion: &PointMotion,
    [after, until]: [f64; 2],
) -> Vec<(f64, Report)> {
    let speed = (motion.v.x * motion.v.x + motion.v.y * motion.v.y).sqrt();
    let period = reporting_interval(
        transponder.ais.class,
        transponder.ais.status,
        speed,
        motion.w.z,
    );
    // random phases: vessels do not transmit simultaneously, and each vessel sends its first report
    // soon
    let phase = transponder.stream.draw(0).uniform();
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
    add(
        transponder.ais.start_s + phase * period.min(10.0),
        period,
        false,
    );
    add(
        transponder.ais.start_s + STATIC_DELAY + phase,
        STATIC_INTERVAL,
        true,
    );
    all
}

fn encode_report(
    origin: &Origin,
    transponder: &Transponder,
    motion: &PointMotion,
    (report, time): (Report, f64),
    now: f64,
) -> Vec<Message> {
    if report.is_static {
        return match transponder.ais.class {
            AisClass::A => vec![crate::ais::encode::voyage_data_a(transponder)],
            AisClass::B => vec![
                crate::ais::encode::static_data_b(transponder, 0),
                crate::ais::encode::static_data_b(transponder, 1),
            ],
        };
    }
    let mut draw: Draw = transponder.stream.draw(report.number + 1);
    let error = Vec3::new(draw.normal(), draw.normal(), 0.0).scale(transponder.ais.position_std_m);
    let p = motion.p + motion.v.scale(time - now) + error;
    let [latitude, longitude, _] = geodesy::geodetic_from_world(origin, p);
    let ahead = motion.R_WL.col(0);
    let speed = (motion.v.x * motion.v.x + motion.v.y * motion.v.y).sqrt();
    let clockwise = |x: f64, y: f64| FRAC_PI_2 - libm::atan2(y, x);
    let heading = clockwise(ahead.x, ahead.y) + motion.w.z * (now - time);
    let reported = ReportedMotion {
        position: [latitude, longitude],
        speed,
        // a vessel at rest has no course
        course: if speed > 0.05 {
            clockwise(motion.v.x, motion.v.y)
        } else {
            heading
        },
        heading,
        turn: -motion.w.z,
        second: time.max(0.0).rem_euclid(60.0) as u32,
        is_accurate: transponder.ais.position_std_m < 10.0,
    };
    vec![match transponder.ais.class {
        AisClass::A => crate::ais::encode::position_a(&transponder.ais, &reported),
        AisClass::B => crate::ais::encode::position_b(&transponder.ais, &reported),
    }]
}
