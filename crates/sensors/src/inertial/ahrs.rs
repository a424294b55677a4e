//! Attitude and heading reference system: a complementary filter over the device's own gyro, accelerometer and magnetometer.
//!
//! # Law
//! ```text
//!   Ṙ = R [ω - b̂ + k_t e_t + k_h e_h]×                          (1)  [Mahony 2008, eq. 32]
//!   b̂' = -(k_t e_t + k_h e_h) / T_b                             (2)
//!   e_t = f/|f| × u,   e_h = α u                                (3)
//! ```
//! Its errors follow from those of its parts: a gyro bias tilts until (2) has found it, an acceleration of the vehicle passes for a part of gravity and tilts by
//! a/g within 1/k_t, iron turns the heading. The covariance is that at rest, of the linear filter [Gelb 1974, §3.6]:
//!
//! ```text
//!   P_t = (N_g² + (k² + k/T_b) N_f²) / 2k + K_g² T_b / 2k² + σ_f²                   (4)
//!   P_h = the same of the heading + (B_u/B_h)² P_t                                  (5)
//! ```
//! # Symbols
//! k_t, k_h gains, 1 over the time constants · T_b time constant of the bias · u vertical of the filter in S · f proper acceleration · α angle about the vertical from the
//! field as the filter lays it to where it should point · N_g, N_f noise densities of gyro and of the direction from the accelerometer (over g) or magnetometer
//! (over B_h) · K_g walk of the gyro's bias · σ_f fixed error of the direction · B_h, B_u field along the horizontal and up.
//!
//! # Frames
//! S, and W for what leaves the filter.
//!
//! # Limits
//! A stated filter, not that of a maker. Heading and tilt are corrected apart, so that iron never tilts; with the field upright there is no heading. The Earth's rotation is left out. (4) and (5) know of no acceleration and of
//! no iron but the magnetometer's bias; wander of the gyro's bias counts as a walk.
//!
//! # Checked by
//! test/analytic/ahrs.rs

use crate::inertial::Triads;
use crate::{Truth, noise};
use merrow_math::rng::Draw;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::scene::Sensor;
use merrow_model::scene::sensor::Errors;
use merrow_model::scene::sensor::navigation::AhrsSpec;
use merrow_model::state::SensorState;
use merrow_model::state::navigation::{AhrsMemory, Filter};
use merrow_model::state::reading::Imu;

/// One sample.
pub fn measure(
    spec: &AhrsSpec,
    sensor: &Sensor,
    memory: &mut SensorState,
    truth: &Truth<'_>,
    now_ns: u64,
    draw: &mut Draw,
) -> Imu {
    let SensorState {
        drift,
        parts,
        noise: on,
        samples,
        filter,
        ..
    } = memory;
    // a sensor's memory is of its kind: `Filter::of`
    let Some(Filter::Ahrs(filter)) = filter.as_deref_mut() else {
        unreachable!("the memory of an AHRS")
    };
    let up = truth.R_WS.r[2];
    let specific_force = truth.a_WS_S + up.scale(truth.at.gravity);
    let triads = Triads {
        errors: [&spec.gyro, &spec.accelerometer],
        drift,
        parts,
        on: *on,
        sample: *samples,
    };
    let [rate, force] = triads.measure(sensor, [truth.V_WS_S.w, specific_force], filter.raw, draw);
    let field = truth.R_WS.tr_mul_vec(truth.origin.magnetic_field) + spec.iron;
    let field = noise::vector(
        &spec.magnetometer,
        &mut filter.field_drift,
        field,
        *on,
        draw,
    );
    let sense = Senses {
        rate,
        force,
        field,
        gravity: truth.at.gravity,
        earth: truth.origin.magnetic_field,
    };
    if filter.started {
        // samples lie on steps: their distance is not always the same
        advance(
            spec,
            now_ns.saturating_sub(filter.time_ns) as f64 * 1e-9,
            filter,
            &sense,
        );
    } else {
        filter.q = level(spec, &sense);
        filter.started = true;
    }
    filter.raw = [rate, force];
    filter.time_ns = now_ns;
    let [tilt, heading] = variances(
        spec,
        sensor.rate,
        truth.at.gravity,
        truth.origin.magnetic_field,
    );
    Imu {
        angular_velocity: rate - filter.bias,
        linear_acceleration: force,
        orientation: Some(filter.q),
        variances: [
            spec.gyro.variance(),
            spec.accelerometer.variance(),
            tilt,
            tilt,
            heading,
        ],
    }
}

/// What a filter has to go by at one instant.
struct Senses {
    rate: Vec3,
    force: Vec3,
    field: Vec3,
    gravity: f64,
    earth: Vec3,
}

impl Senses {
    /// Where the filter takes the field to point, along the horizontal of W.
    fn north(&self, spec: &AhrsSpec) -> Vec3 {
        let level = Vec3::new(self.earth.x, self.earth.y, 0.0);
        if spec.true_north {
            level
        } else {
            Vec3::new(0.0, level.norm(), 0.0)
        }
    }
}

/// The attitude from accelerometer and magnetometer alone; level, or heading east, where one says nothing.
fn level(spec: &AhrsSpec, sense: &Senses) -> Quat {
    let up = sense.force.unit().unwrap_or(Vec3::new(0.0, 0.0, 1.0));
    let along = |v: Vec3, n: Vec3| (v - n.scale(n.dot(v))).unit();
    let z = Vec3::new(0.0, 0.0, 1.0);
    let (Some(m), Some(n)) = (along(sense.field, up), along(sense.north(spec), z)) else {
        return Quat::from_matrix(&Mat3::with_z_axis(up).transpose());
    };
    let of_S = Mat3::from_rows(m, up.cross(m), up);
    let of_W = Mat3::from_rows(n, z.cross(n), z);
    Quat::from_matrix(&of_W.transpose().mul_mat(&of_S))
}

/// (1) to (3) over one sample.
fn advance(spec: &AhrsSpec, dt: f64, filter: &mut AhrsMemory, sense: &Senses) {
    // the mean of two samples' rates acts between them
    let turned = (filter.raw[0] + sense.rate).scale(0.5) - filter.bias;
    let q = filter.q.mul(&Quat::from_rotation_vector(turned.scale(dt)));
    let R = q.matrix();
    let up = R.r[2];
    let mut correction = Vec3::zero();
    let gain = |tau: f64| 1.0 - libm::exp(-dt / tau);
    if (sense.force.norm() - sense.gravity).abs() <= spec.acceleration_gate
        && let Some(f) = sense.force.unit()
    {
        correction += f.cross(up).scale(gain(spec.times[0]));
    }
    let (seen, north) = (R.mul_vec(sense.field), sense.north(spec));
    if (sense.field.norm() - sense.earth.norm()).abs() <= spec.field_gate * sense.earth.norm() {
        let (along, across) = (
            seen.x * north.x + seen.y * north.y,
            seen.x * north.y - seen.y * north.x,
        );
        if along * along + across * across > 0.0 {
            correction += up.scale(libm::atan2(across, along) * gain(spec.times[1]));
        }
    }
    filter.q = q.mul(&Quat::from_rotation_vector(correction)).normalized();
    filter.bias -= correction.scale(1.0 / spec.times[2]);
}

/// Variances of tilt and heading at rest [rad²], (4) and (5).
pub fn variances(spec: &AhrsSpec, rate: f64, gravity: f64, field: Vec3) -> [f64; 2] {
    let [tau_t, tau_h, tau_b] = spec.times;
    let level = (field.x * field.x + field.y * field.y).sqrt();
    let gyro = Spectrum::of(&spec.gyro, rate);
    let of = |errors: &Errors, unit: f64, tau: f64, fixed: f64| {
        let seen = Spectrum::of(errors, rate);
        let (k, ki) = (1.0 / tau, 1.0 / (tau * tau_b));
        let white = (gyro.white + (k * k + ki) * seen.white / (unit * unit)) / (2.0 * k);
        white + gyro.walk / (2.0 * k * ki) + fixed + seen.wander / (unit * unit)
    };
    let [bias, askew, field_bias, field_askew, field_scale] = spec.fixed.map(|s| s * s);
    let tilt = of(
        &spec.accelerometer,
        gravity,
        tau_t,
        bias / (gravity * gravity) + askew,
    );
    let dip = field.z / level;
    // a fourth of the scale's variance, over all headings; askew, the magnetometer takes up of the field for level
    let fixed = field_bias / (level * level) + field_askew * (1.0 + dip * dip) + 0.25 * field_scale;
    let heading = of(&spec.magnetometer, level, tau_h, fixed);
    [tilt, heading + dip * dip * tilt].map(|x| x.min(std::f64::consts::PI))
}

/// Densities of a triad's errors [unit²/Hz, unit²/s], and variance of its wander [unit²].
struct Spectrum {
    white: f64,
    walk: f64,
    wander: f64,
}

impl Spectrum {
    fn of(errors: &Errors, rate: f64) -> Self {
        let step = errors.bias_step * errors.bias_step;
        let keep = errors.bias_keep;
        let wander = if step > 0.0 {
            step / (1.0 - keep * keep)
        } else {
            0.0
        };
        Self {
            white: errors.white * errors.white / rate,
            walk: (step + errors.walk_step * errors.walk_step) * rate,
            wander,
        }
    }
}
