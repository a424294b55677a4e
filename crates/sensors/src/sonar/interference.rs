//! Interference: pings of other sonars in the same frequency band.
//!
//! # Law
//! ```text
//!   NL = SL_2 - 20 log d - α d + 10 log(b_2 b)         from t_2 + d/c on, for a pulse  (1)
//!   (1) [Urick 1983, ch. 2]
//! ```
//! # Symbols
//! NL level at the sonar · SL_2 source level of the other sonar, b_2 its transmit pattern towards
//! the sonar, b the receive pattern towards it · d distance · α absorption · t_2 instant of the
//! other ping · c speed of sound.
//!
//! # Frames
//! World; directions in the acoustic frame A of each sonar.
//!
//! # Limits
//! - Only the direct, straight path is modelled.
//! - Sonars in air are not received.
//! - Other sonars ping at their rate from their start on, whether or not they have subscribers.
//!   Their pose is taken at the instant of this sonar's ping. Sonars that have failed or have no
//!   power at that instant do not transmit.
//!
//! # Checked by
//! test/sensors/sonar.rs

use crate::exteroceptive::Observation;
use crate::sample::Pose;
use crate::sonar::beam::pattern;
use crate::sonar::decibels::power;
use crate::sonar::echoes::EchoPowers;
use crate::sonar::medium::Medium;
use merrow_math::Vec3;
use merrow_math::real::wrap_angle;
use merrow_model::scene::Sensor;
use merrow_model::sensor::SensorParameters;
use merrow_model::sensor::sonar::SonarSpec;
use std::f64::consts::LN_10;

/// Ping of another sonar at its arrival.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burst {
    /// Apparent range at which it starts [m].
    pub range: f64,
    /// Apparent length of the pulse [m].
    pub length: f64,
    /// Unit vector towards its source, in A without the rotation of the head.
    pub from: Vec3,
    /// Power at the sonar without its receive pattern [µPa²].
    pub power: f64,
}

/// Computes the pulses of other sonars that the ping of `spec` in `sample` receives.
pub(crate) fn interfering_pulses(spec: &SonarSpec, sample: &Observation<'_>) -> Vec<Burst> {
    let mut out = Vec::new();
    if !spec.sonar.interference {
        return out;
    }
    let (view, own, environment) = (sample.view, sample.pose, sample.environment);
    let mut medium = None;
    for (r, robot) in sample.scene.robots.iter().enumerate() {
        for (s, device) in robot.sensors.iter().enumerate() {
            let Some(other) = SonarSpec::from_kind(&device.kind) else {
                continue;
            };
            let is_silent = !view.powered[r] || view.dead[r][s];
            if is_silent || (r, s) == (own.robot, sample.index) || !bands_overlap(spec, other) {
                continue;
            }
            let there = Pose::of_sensor(view, r, device);
            let offset = own.p_WS - there.p_WS;
            let ends = [there.p_WS, own.p_WS];
            let obstacles = sample.ray_scenes.collision();
            if environment.height_above_surface(there.p_WS) >= 0.0
                || obstacles.find_occluder([r, own.robot], ends).is_some()
            {
                continue;
            }
            let medium = medium.get_or_insert_with(|| {
                Medium::from_water_near(
                    environment,
                    own.p_WS,
                    spec.sonar.max_range_m,
                    spec.frequency(),
                )
            });
            let towards = other.sensor_to_acoustic(there.R_WS.tr_mul_vec(offset));
            let from = spec.sensor_to_acoustic(own.R_WS.tr_mul_vec(offset.scale(-1.0)));
            let geometry = (offset.norm(), towards, from);
            let source = (device, other);
            bursts(spec, source, geometry, medium, view.time_ns, &mut out);
        }
    }
    out
}

/// Returns true if the frequency bands of two sonars overlap.
fn bands_overlap(a: &SonarSpec, b: &SonarSpec) -> bool {
    (a.frequency() - b.frequency()).abs() < 0.5 * (a.bandwidth() + b.bandwidth())
}

/// Appends to `out` the pings of `other` that arrive while `spec` listens from `now_ns` on.
///
/// The geometry is the distance [m], the unit vector `towards` the sonar in the acoustic frame of
/// the other, and `from` towards the other in the acoustic frame of this sonar.
fn bursts(
    spec: &SonarSpec,
    (other, other_spec): (&Sensor, &SonarSpec),
    (distance, towards, from): (f64, Vec3, Vec3),
    medium: &Medium,
    now_ns: u64,
    out: &mut Vec<Burst>,
) {
    let delay = distance * medium.at_sonar[0];
    // Speed of sound that the sonar assumes for its ranges.
    let speed = spec
        .sonar
        .sound_speed_m_s
        .unwrap_or(1.0 / medium.at_sonar[0]);
    let listening_time = 2.0 * spec.sonar.max_range_m / speed;
    let level = power(other_spec.sonar.source_level_db) / (distance * distance).max(1e-6)
        * libm::exp(-0.1 * LN_10 * medium.at_sonar[1] * distance);
    let now = now_ns as f64 * 1e-9;
    let start = other.start_ns as f64 * 1e-9;
    let first = ((now - delay - start) * other.rate).ceil().max(0.0);
    let mut k = first as u64;
    loop {
        let arrival_time = other.sample_ns(k) as f64 * 1e-9 + delay - now;
        if arrival_time > listening_time {
            return;
        }
        let (across, along) = angles(towards);
        let across = wrap_angle(across - other_spec.head_angle(k));
        let transmit_pattern =
            pattern(&other_spec.across[1], across) * pattern(&other_spec.along[1], along);
        let range = 0.5 * speed * arrival_time;
        out.push(Burst {
            range,
            length: 0.5 * speed * other_spec.pulse(),
            from,
            power: level * transmit_pattern,
        });
        k += 1;
    }
}

/// Returns the angles of a direction in A across the fan and out of it [rad].
fn angles(a: Vec3) -> (f64, f64) {
    (
        libm::atan2(a.y, a.z),
        libm::asin((a.x / a.norm().max(1e-9)).clamp(-1.0, 1.0)),
    )
}

/// Adds the power of all bursts to all beams. `head` is the head angle [rad]. (1)
pub(crate) fn add_bursts(
    echo_powers: &mut EchoPowers,
    spec: &SonarSpec,
    bursts: &[Burst],
    head: f64,
) {
    let bin = spec.bin();
    for burst in bursts {
        let (across, along) = angles(burst.from);
        let along = pattern(&spec.along[0], along);
        let index =
            |r: f64| (((r - spec.sonar.min_range_m) / bin).max(0.0) as usize).min(spec.bins());
        let first = index(burst.range);
        let last = index(burst.range + burst.length + bin);
        for (b, steering) in spec.steering.iter().enumerate() {
            let received = pattern(&spec.across[0], wrap_angle(across - head - steering))
                * along
                * burst.power;
            for k in first..last {
                echo_powers.power[k * echo_powers.beams + b] += received as f32;
            }
        }
    }
}
