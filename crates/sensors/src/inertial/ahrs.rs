//! Attitude and heading reference system (AHRS): a complementary filter over its own gyro,
//! accelerometer and magnetometer.
//!
//! # Law
//! ```text
//!   Ṙ = R [ω - b̂ + k_t e_t + k_h e_h]×                          (1)  [Mahony 2008, eq. 32]
//!   b̂' = -(k_t e_t + k_h e_h) / T_b                             (2)
//!   e_t = f/|f| × u,   e_h = α u                                (3)
//! ```
//! The errors of the AHRS follow from the errors of its sensors. A gyro bias tilts the attitude
//! until (2) has estimated it. An acceleration a of the vehicle is taken for a part of gravity and
//! tilts the attitude by a/g within 1/k_t. Iron of the vehicle rotates the heading. The covariance
//! is the covariance of the linear filter at rest [Gelb 1974, §3.6]:
//!
//! ```text
//!   P_t = (N_g² + (k² + k/T_b) N_f²) / 2k + K_g² T_b / 2k² + σ_f²                   (4)
//!   P_h = the same of the heading + (B_u/B_h)² P_t                                  (5)
//! ```
//! # Symbols
//! R attitude of S in W · ω measured angular velocity · b̂ estimated gyro bias · e_t, e_h tilt and
//! heading errors · k_t, k_h gains, the reciprocals of their time constants · k = k_t in (4), k_h
//! in (5) · T_b time constant of the bias · u vertical of the filter in S · f proper acceleration ·
//! α angle about the vertical from the measured field, transformed with the attitude of the filter,
//! to its reference direction · N_g, N_f noise densities of the gyro and of the direction from the
//! accelerometer (over g) or magnetometer (over B_h) · K_g random walk of the gyro bias · σ_f fixed
//! error of the direction · B_h, B_u horizontal and upward component of the field.
//!
//! # Frames
//! S, and W for the output of the filter.
//!
//! # Limits
//! The filter is generic, not the filter of a manufacturer. Heading and tilt are corrected
//! separately, so that iron never causes tilt. In a vertical field there is no heading. The
//! rotation of the Earth is neglected. (4) and (5) contain neither accelerations nor iron other
//! than the bias of the magnetometer. The bias instability of the gyro counts as a random walk.
//!
//! # Checked by
//! test/sensors/inertial/ahrs.rs

use crate::inertial::Triads;
use crate::measure::{Measure, Sample};
use crate::{Truth, noise};
use merrow_math::rng::Draw;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::scene::Sensor;
use merrow_model::scene::sensor::Errors;
use merrow_model::sensor::inertial::{AhrsSpec, Imu};
use merrow_model::state::SensorState;
use merrow_model::state::navigation::{AhrsMemory, NavigationFilter};

impl Measure for AhrsSpec {
    fn measure(
        &self,
        memory: &mut SensorState,
        sample: &Sample<'_>,
        draw: &mut Draw,
    ) -> Option<Imu> {
        let now_ns = sample.on_board.now_ns;
        let reading = measure(self, sample.sensor, memory, sample.truth, now_ns, draw);
        Some(reading)
    }
}

/// Takes one sample at `now_ns` [ns]: measures, advances the filter and returns its output.
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
        channel_faults: parts,
        noise: on,
        samples,
        filter,
        ..
    } = memory;
    // `NavigationFilter::for_sensor` creates the filter state that matches the kind of the sensor
    let Some(NavigationFilter::Ahrs(filter)) = filter.as_deref_mut() else {
        unreachable!("the filter state of an AHRS sensor must be `NavigationFilter::Ahrs`")
    };
    let up = truth.R_WS.r[2];
    let specific_force = truth.a_WS_S + up.scale(truth.environment.gravity);
    let triads = Triads {
        errors: [&spec.gyro, &spec.accelerometer],
        drift,
        faults: parts,
        noise: *on,
        sample: *samples,
    };
    let [rate, force] = triads.measure(sensor, [truth.V_WS_S.w, specific_force], filter.raw, draw);
    let field = truth.R_WS.tr_mul_vec(truth.origin.magnetic_field) + spec.iron;
    let field = noise::measure_vector(
        &spec.magnetometer,
        &mut filter.field_drift,
        field,
        *on,
        draw,
    );
    let inputs = FilterInputs {
        rate,
        force,
        field,
        gravity: truth.environment.gravity,
        earth: truth.origin.magnetic_field,
    };
    filter_sample(spec, filter, &inputs, now_ns);
    let [tilt, heading] = variances(
        spec,
        sensor.rate,
        truth.environment.gravity,
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

/// Advances the filter to `now_ns` [ns]; the first sample initialises it.
fn filter_sample(spec: &AhrsSpec, filter: &mut AhrsMemory, inputs: &FilterInputs, now_ns: u64) {
    if filter.started {
        // samples are aligned with steps, so their interval varies
        let dt = now_ns.saturating_sub(filter.time_ns) as f64 * 1e-9;
        advance(spec, dt, filter, inputs);
    } else {
        filter.q = initial_attitude(spec, inputs);
        filter.started = true;
    }
    filter.raw = [inputs.rate, inputs.force];
    filter.time_ns = now_ns;
}

/// Inputs of the filter at one instant.
struct FilterInputs {
    rate: Vec3,
    force: Vec3,
    field: Vec3,
    gravity: f64,
    earth: Vec3,
}

impl FilterInputs {
    /// Returns the horizontal reference direction of the field, in W.
    fn reference_field(&self, spec: &AhrsSpec) -> Vec3 {
        let level = Vec3::new(self.earth.x, self.earth.y, 0.0);
        if spec.true_north {
            level
        } else {
            Vec3::new(0.0, level.norm(), 0.0)
        }
    }
}

/// Computes the attitude from only accelerometer and magnetometer. Without a specific force the
/// attitude is level; without a horizontal field the heading is east.
fn initial_attitude(spec: &AhrsSpec, inputs: &FilterInputs) -> Quat {
    let up = inputs.force.unit().unwrap_or(Vec3::new(0.0, 0.0, 1.0));
    let along = |v: Vec3, n: Vec3| (v - n.scale(n.dot(v))).unit();
    let z = Vec3::new(0.0, 0.0, 1.0);
    let (Some(m), Some(n)) = (
        along(inputs.field, up),
        along(inputs.reference_field(spec), z),
    ) else {
        return Quat::from_matrix(&Mat3::with_z_axis(up).transpose());
    };
    let of_S = Mat3::from_rows(m, up.cross(m), up);
    let of_W = Mat3::from_rows(n, z.cross(n), z);
    Quat::from_matrix(&of_W.transpose().mul_mat(&of_S))
}

/// Advances the filter by (1) to (3) over `dt` [s].
fn advance(spec: &AhrsSpec, dt: f64, filter: &mut AhrsMemory, inputs: &FilterInputs) {
    // trapezoidal rule: the mean of the two angular rates applies between the samples
    let mean_rate = (filter.raw[0] + inputs.rate).scale(0.5) - filter.bias;
    let q = filter
        .q
        .mul(&Quat::from_rotation_vector(mean_rate.scale(dt)));
    let R = q.matrix();
    let up = R.r[2];
    let mut correction = Vec3::zero();
    let gain = |tau: f64| 1.0 - libm::exp(-dt / tau);
    if (inputs.force.norm() - inputs.gravity).abs() <= spec.acceleration_gate
        && let Some(f) = inputs.force.unit()
    {
        correction += f.cross(up).scale(gain(spec.times[0]));
    }
    let (field, north) = (R.mul_vec(inputs.field), inputs.reference_field(spec));
    if (inputs.field.norm() - inputs.earth.norm()).abs() <= spec.field_gate * inputs.earth.norm() {
        let (along, across) = (
            field.x * north.x + field.y * north.y,
            field.x * north.y - field.y * north.x,
        );
        if along * along + across * across > 0.0 {
            correction += up.scale(libm::atan2(across, along) * gain(spec.times[1]));
        }
    }
    filter.q = q.mul(&Quat::from_rotation_vector(correction)).normalized();
    filter.bias -= correction.scale(1.0 / spec.times[2]);
}

/// Computes the variances of tilt and heading at rest [rad²] by (4) and (5), for a sample rate
/// `rate` [Hz], `gravity` [m/s²] and a magnetic field `field` in W [T].
pub fn variances(spec: &AhrsSpec, rate: f64, gravity: f64, field: Vec3) -> [f64; 2] {
    let [tau_t, tau_h, tau_b] = spec.times;
    let level = (field.x * field.x + field.y * field.y).sqrt();
    let gyro = Spectrum::from_errors(&spec.gyro, rate);
    let error_variance = |errors: &Errors, unit: f64, tau: f64, fixed: f64| {
        let spectrum = Spectrum::from_errors(errors, rate);
        let (k, ki) = (1.0 / tau, 1.0 / (tau * tau_b));
        let white = (gyro.white + (k * k + ki) * spectrum.white / (unit * unit)) / (2.0 * k);
        white + gyro.walk / (2.0 * k * ki) + fixed + spectrum.bias_variance / (unit * unit)
    };
    let [
        bias,
        misalignment,
        field_bias,
        field_misalignment,
        field_scale,
    ] = spec.fixed.map(|s| s * s);
    let tilt = error_variance(
        &spec.accelerometer,
        gravity,
        tau_t,
        bias / (gravity * gravity) + misalignment,
    );
    let dip_slope = field.z / level;
    // a quarter of the scale variance is the mean over all headings; with a misalignment the
    // magnetometer takes a part of the vertical field for horizontal
    let fixed = field_bias / (level * level)
        + field_misalignment * (1.0 + dip_slope * dip_slope)
        + 0.25 * field_scale;
    let heading = error_variance(&spec.magnetometer, level, tau_h, fixed);
    [tilt, heading + dip_slope * dip_slope * tilt].map(|x| x.min(std::f64::consts::PI))
}

/// Densities of the errors of a triad [unit²/Hz, unit²/s], and variance of its bias instability
/// [unit²].
struct Spectrum {
    white: f64,
    walk: f64,
    bias_variance: f64,
}

impl Spectrum {
    fn from_errors(errors: &Errors, rate: f64) -> Self {
        let step = errors.bias_step * errors.bias_step;
        let decay = errors.bias_decay;
        let bias_variance = if step > 0.0 {
            step / (1.0 - decay * decay)
        } else {
            0.0
        };
        Self {
            white: errors.white * errors.white / rate,
            walk: (step + errors.walk_step * errors.walk_step) * rate,
            bias_variance,
        }
    }
}
