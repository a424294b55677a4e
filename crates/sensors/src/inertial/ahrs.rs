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
//! tilts the attitude by a/g within 1/k_t. Iron of the vehicle rotates the heading.
//!
//! The covariance is propagated with the filter [Gelb 1974, §3.6], in the same way for tilt and
//! heading, with the gain that a sample had; it is 0 for a measurement that was ignored:
//!
//! ```text
//!   x' = A x + w,   A = [1 - g, -(1 - g) h; g/T_b, 1 - (g/T_b) h],   g = 1 - exp(-k h)      (4)
//!   P' = A P Aᵀ + Q,   P_out = P_φφ + σ_f² + (B_u/B_h)² P_t                             (5)
//! ```
//! A device starts with P in the steady state of (4) and with errors drawn from it, as after a
//! static phase, or cold: with the attitude of its first sample and without an estimate of the gyro
//! bias.
//!
//! # Symbols
//! R attitude of S in W · ω measured angular velocity · b̂ estimated gyro bias · e_t, e_h tilt and
//! heading errors · k_t, k_h gains, the reciprocals of their time constants · T_b time constant of
//! the bias · u vertical of the filter in S · f proper acceleration · α angle about the vertical
//! from the measured field, transformed with the attitude of the filter, to its reference direction
//! · x random errors of angle φ and gyro bias · h time between samples · w effect of the white
//! noise of gyro and direction and of the random walk of the bias, Q its covariance · σ_f fixed and
//! slow error of the direction: bias, misalignment and scale of accelerometer or magnetometer ·
//! B_h, B_u horizontal and upward component of the field; the last term of (5) is for the heading
//! only.
//!
//! # Frames
//! S, and W for the output of the filter.
//!
//! # Limits
//! The filter is generic, not the filter of a manufacturer. Heading and tilt are corrected
//! separately, so that iron never causes tilt. In a vertical field there is no heading. The
//! rotation of the Earth is neglected. (4) and (5) contain neither accelerations nor iron other
//! than the bias of the magnetometer, nor the scale error of a rotating gyro. The bias instability
//! of the gyro counts as a random walk. A device that was without power starts cold.
//!
//! # Checked by
//! test/sensors/inertial/ahrs.rs, test/sensors/covariance.rs

use crate::inertial::with_faults;
use crate::measure::{Measure, Sample};
use crate::noise;
use merrow_math::rng::Draw;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::sensor::FixedErrors;
use merrow_model::sensor::inertial::{AhrsKeys, AhrsSpec, AhrsStart, Imu};
use merrow_model::state::FaultEffect;
use merrow_model::state::navigation::{AhrsMemory, NavigationFilter};

/// Number of doublings of the time in which the covariance reaches its steady state.
const DOUBLINGS: usize = 40;

impl Measure for AhrsSpec {
    /// Takes one sample: measures, advances the filter and returns its output.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Imu> {
        let (sensor, truth, now_ns) = (sample.sensor, sample.truth, sample.on_board.now_ns);
        let (up, gravity) = (truth.R_WS.r[2], truth.around.environment.gravity);
        let specific_force = truth.a_WS_S + up.scale(gravity);
        let found = [
            sample.measure_vector(&self.gyro, 0, truth.V_WS_S.w),
            sample.measure_vector(&self.accelerometer, 3, specific_force),
        ];
        let (memory, draw) = (&mut *sample.memory, &mut sample.draw);
        let (parts, on, samples) = (memory.channel_faults, memory.noise, memory.samples);
        // `NavigationFilter::for_sensor` creates the filter state that matches the kind of the
        // sensor
        let Some(NavigationFilter::Ahrs(filter)) = memory.filter.as_deref_mut() else {
            unreachable!("the filter state of an AHRS sensor must be `NavigationFilter::Ahrs`")
        };
        let [rate, force] = with_faults((sensor, samples), &parts, found, filter.raw);
        let true_field = truth.R_WS.tr_mul_vec(truth.around.origin.magnetic_field)
            + Vec3::from(self.keys.iron_nt.map(|x| 1e-9 * x));
        let drift = &mut filter.field_drift;
        let field = noise::measure_vector(&self.magnetometer, drift, true_field, on, draw);
        let inputs = FilterInputs {
            rate,
            force,
            field,
            gravity,
            earth: truth.around.origin.magnetic_field,
        };
        let at = Instant {
            dt: 1.0 / sensor.rate,
            now_ns,
        };
        if filter.started {
            advance(self, &at, filter, &inputs);
        } else {
            let is_intact = parts[..2].iter().all(|part| *part == FaultEffect::NONE);
            if self.keys.start == AhrsStart::Aligned && samples == 0 && is_intact {
                let truth = [up.scale(gravity), true_field];
                let drift = (&memory.drift, &filter.field_drift);
                let settled = settled_inputs(self, &inputs, truth, drift, on);
                align(self, &at, filter, &settled, on, draw);
            } else {
                filter.q = initial_attitude(self, &inputs);
                filter.covariance = cold_covariance(self, &inputs, samples);
            }
            filter.started = true;
        }
        (filter.raw, filter.time_ns) = ([rate, force], now_ns);
        Some(Imu {
            angular_velocity: rate - filter.bias,
            linear_acceleration: force,
            orientation: Some(filter.q),
            variances: variances(self, filter, &inputs, samples),
        })
    }
}

/// Returns `inputs` at rest and without white noise, from the true specific force [m/s²] and field
/// [T] in S and the slow errors of gyro and accelerometer, and of the magnetometer. With `on` false
/// there are no errors.
fn settled_inputs(
    spec: &AhrsSpec,
    inputs: &FilterInputs,
    [force, field]: [Vec3; 2],
    (drift, field_drift): (&[[f64; 2]; 6], &[[f64; 2]; 3]),
    on: bool,
) -> FilterInputs {
    let settled = noise::without_white_noise;
    let (g, a) = drift.split_at(3);
    FilterInputs {
        rate: settled(&spec.gyro, g, Vec3::zero(), on),
        force: settled(&spec.accelerometer, a, force, on),
        field: settled(&spec.magnetometer, field_drift, field, on),
        ..*inputs
    }
}

/// Time of a sample.
struct Instant {
    /// Nominal time between samples [s].
    dt: f64,
    /// Simulated time [ns].
    now_ns: u64,
}

/// Inputs of the filter at one instant.
#[derive(Clone, Copy)]
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
        if spec.keys.true_north {
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

/// Sets the filter to its state after a static phase. `inputs` are the readings of its sensors
/// without white noise.
fn align(
    spec: &AhrsSpec,
    at: &Instant,
    filter: &mut AhrsMemory,
    inputs: &FilterInputs,
    on: bool,
    draw: &mut Draw,
) {
    filter.covariance = [0, 1].map(|axis| steady_covariance(spec, axis, at, inputs));
    let scale = if on { 1.0 } else { 0.0 };
    let mut errors = [[0.0; 2]; 3];
    for (error, axis) in errors.iter_mut().zip([0, 0, 1]) {
        let [angle, cross, bias] = filter.covariance[axis];
        let [a, b] = [scale * draw.normal(), scale * draw.normal()];
        let std = angle.sqrt();
        let share = if std > 0.0 { cross / std } else { 0.0 };
        *error = [
            std * a,
            share * a + (bias - share * share).max(0.0).sqrt() * b,
        ];
    }
    let turn = Vec3::from(errors.map(|e| e[0]));
    let q = Quat::from_rotation_vector(turn).mul(&initial_attitude(spec, inputs));
    filter.q = q.normalized();
    let bias_W = Vec3::from(errors.map(|e| e[1]));
    filter.bias = inputs.rate + filter.q.matrix().tr_mul_vec(bias_W);
}

/// Advances the filter by (1) to (5) to the time of a sample.
fn advance(spec: &AhrsSpec, at: &Instant, filter: &mut AhrsMemory, inputs: &FilterInputs) {
    // samples are aligned with steps, so their interval varies
    let dt = at.now_ns.saturating_sub(filter.time_ns) as f64 * 1e-9;
    // trapezoidal rule: the mean of the two angular rates applies between the samples
    let mean_rate = (filter.raw[0] + inputs.rate).scale(0.5) - filter.bias;
    let q = filter
        .q
        .mul(&Quat::from_rotation_vector(mean_rate.scale(dt)));
    let R = q.matrix();
    let up = R.r[2];
    let mut correction = Vec3::zero();
    let mut gains = [0.0; 2];
    if (inputs.force.norm() - inputs.gravity).abs() <= spec.keys.acceleration_gate()
        && let Some(f) = inputs.force.unit()
    {
        gains[0] = gain(spec.keys.tilt_time_constant_s, dt);
        correction += f.cross(up).scale(gains[0]);
    }
    let (field, north) = (R.mul_vec(inputs.field), inputs.reference_field(spec));
    if (inputs.field.norm() - inputs.earth.norm()).abs()
        <= spec.keys.field_gate() * inputs.earth.norm()
    {
        let (along, across) = (
            field.x * north.x + field.y * north.y,
            field.x * north.y - field.y * north.x,
        );
        if along * along + across * across > 0.0 {
            gains[1] = gain(spec.keys.heading_time_constant_s, dt);
            correction += up.scale(libm::atan2(across, along) * gains[1]);
        }
    }
    filter.q = q.mul(&Quat::from_rotation_vector(correction)).normalized();
    filter.bias -= correction.scale(1.0 / spec.keys.bias_time_constant_s);
    for (axis, gain) in gains.into_iter().enumerate() {
        let step = ErrorStep::new(spec, axis, (dt, gain), inputs);
        filter.covariance[axis] = step.advance(filter.covariance[axis]);
    }
}

/// Returns the gain of a sample after `dt` [s] for the time constant `tau` [s].
fn gain(tau: f64, dt: f64) -> f64 {
    1.0 - libm::exp(-dt / tau)
}

/// Returns the squared length that makes an angle of an error of accelerometer (`axis` 0) or
/// magnetometer (1): gravity [m²/s⁴] or horizontal field [T²].
fn squared_reference(axis: usize, inputs: &FilterInputs) -> f64 {
    let FilterInputs { gravity, earth, .. } = inputs;
    match axis {
        0 => gravity * gravity,
        _ => earth.x * earth.x + earth.y * earth.y,
    }
}

/// Returns the variance of the white noise of the direction that corrects the tilt (`axis` 0) or
/// the heading (1) [rad²].
fn direction_variance(spec: &AhrsSpec, axis: usize, inputs: &FilterInputs) -> f64 {
    let errors = [&spec.accelerometer, &spec.magnetometer][axis];
    let square = squared_reference(axis, inputs);
    if square > 0.0 {
        errors.white_variance() / square
    } else {
        0.0
    }
}

/// Step of the random errors of tilt or heading: matrix A and covariance Q of (4). Symmetric
/// matrices are written as xx, xy, yy.
struct ErrorStep {
    a: [[f64; 2]; 2],
    q: [f64; 3],
}

impl ErrorStep {
    /// Creates the step of the tilt (`axis` 0) or the heading (1) over `dt` [s] with this gain.
    fn new(spec: &AhrsSpec, axis: usize, (dt, gain): (f64, f64), inputs: &FilterInputs) -> Self {
        let (rest, slope) = (1.0 - gain, gain / spec.keys.bias_time_constant_s);
        let gyro = &spec.gyro;
        let angle = gyro.white_variance() * dt * dt;
        let walk = gyro.bias_step * gyro.bias_step + gyro.walk_step * gyro.walk_step;
        let direction = direction_variance(spec, axis, inputs);
        Self {
            a: [[rest, -rest * dt], [slope, 1.0 - slope * dt]],
            q: [
                rest * rest * angle + gain * gain * direction,
                rest * slope * angle - gain * slope * direction,
                slope * slope * (angle + direction) + walk,
            ],
        }
    }

    /// Returns the covariance after the step from the covariance `p` before it.
    fn advance(&self, p: [f64; 3]) -> [f64; 3] {
        let moved = congruence(&self.a, p);
        std::array::from_fn(|k| moved[k] + self.q[k])
    }
}

/// Returns A P Aᵀ.
fn congruence(a: &[[f64; 2]; 2], [xx, xy, yy]: [f64; 3]) -> [f64; 3] {
    let product = |u: [f64; 2], v: [f64; 2]| {
        u[0] * v[0] * xx + (u[0] * v[1] + u[1] * v[0]) * xy + u[1] * v[1] * yy
    };
    [
        product(a[0], a[0]),
        product(a[0], a[1]),
        product(a[1], a[1]),
    ]
}

/// Returns the covariance in the steady state of (4): the sum of Aⁿ Q Aⁿᵀ, by doubling.
fn steady_covariance(
    spec: &AhrsSpec,
    axis: usize,
    at: &Instant,
    inputs: &FilterInputs,
) -> [f64; 3] {
    let AhrsKeys {
        tilt_time_constant_s,
        heading_time_constant_s,
        ..
    } = spec.keys;
    let time_constant = [tilt_time_constant_s, heading_time_constant_s][axis];
    let step = ErrorStep::new(spec, axis, (at.dt, gain(time_constant, at.dt)), inputs);
    let (mut a, mut sum) = (step.a, step.q);
    for _ in 0..DOUBLINGS {
        let moved = congruence(&a, sum);
        sum = std::array::from_fn(|k| sum[k] + moved[k]);
        a = std::array::from_fn(|i| std::array::from_fn(|j| a[i][0] * a[0][j] + a[i][1] * a[1][j]));
    }
    sum
}

/// Returns the covariance after sample number `sample` has set the attitude, without an estimate of
/// the gyro bias.
fn cold_covariance(spec: &AhrsSpec, inputs: &FilterInputs, sample: u64) -> [[f64; 3]; 2] {
    let bias = spec.gyro.fixed.bias;
    let bias = bias * bias + spec.gyro.drift_variance(sample);
    [0, 1].map(|axis| [direction_variance(spec, axis, inputs), 0.0, bias])
}

/// Returns the variances of the components of angular velocity [rad²/s²], acceleration [m²/s⁴] and
/// attitude [rad²] of sample number `sample`. (5)
fn variances(
    spec: &AhrsSpec,
    filter: &AhrsMemory,
    inputs: &FilterInputs,
    sample: u64,
) -> [Vec3; 3] {
    let [tilt, heading] = filter.covariance;
    let R = filter.q.matrix();
    let up = R.r[2];
    let rate = inputs.rate - filter.bias;
    let in_motion = spec.gyro.variances(rate, sample) - spec.gyro.variances(Vec3::zero(), sample);
    let gyro = up.to_array().map(|u| {
        let vertical = u * u;
        spec.gyro.white_variance() + (1.0 - vertical) * tilt[2] + vertical * heading[2]
    });
    let [gravity, horizontal] = [0, 1].map(|axis| squared_reference(axis, inputs));
    let tilt = tilt[0] + slow_tilt_variance(spec, up, inputs, sample);
    let dip = inputs.earth.z * inputs.earth.z / horizontal;
    let heading = heading[0] + slow_heading_variance(spec, &R, inputs, sample) + dip * tilt;
    let bounded = |x: f64, reference: f64| {
        let unknown = std::f64::consts::PI;
        if reference > 0.0 {
            x.min(unknown)
        } else {
            unknown
        }
    };
    let (tilt, heading) = (bounded(tilt, gravity), bounded(heading, horizontal));
    [
        Vec3::from(gyro) + in_motion,
        spec.accelerometer.variances(inputs.force, sample),
        Vec3::new(tilt, tilt, heading),
    ]
}

/// Returns the variance of the tilt by the fixed and slow errors of the accelerometer [rad²]; `up`
/// is the vertical in S.
fn slow_tilt_variance(spec: &AhrsSpec, up: Vec3, inputs: &FilterInputs, sample: u64) -> f64 {
    let errors = &spec.accelerometer;
    let FixedErrors {
        bias,
        scale,
        misalignment,
    } = errors.fixed;
    let slow = bias * bias + errors.drift_variance(sample);
    // half of the part across the vertical, for each of two axes
    let across: f64 = up.to_array().iter().map(|u| u * u * (1.0 - u * u)).sum();
    slow / squared_reference(0, inputs) + misalignment * misalignment + 0.5 * scale * scale * across
}

/// Returns the variance of the heading by the fixed and slow errors of the magnetometer [rad²]; `R`
/// is the attitude.
fn slow_heading_variance(spec: &AhrsSpec, R: &Mat3, inputs: &FilterInputs, sample: u64) -> f64 {
    let errors = &spec.magnetometer;
    let FixedErrors {
        bias,
        scale,
        misalignment,
    } = errors.fixed;
    let earth = inputs.earth;
    let horizontal = squared_reference(1, inputs);
    let field = R.tr_mul_vec(earth);
    // horizontal and across the field: an error of the field in this direction turns the heading
    let across = R.tr_mul_vec(Vec3::new(-earth.y, earth.x, 0.0).scale(1.0 / horizontal.sqrt()));
    let by_scale: f64 = (0..3)
        .map(|i| (field[i] * across[i]) * (field[i] * across[i]))
        .sum();
    let slow = bias * bias + errors.drift_variance(sample);
    let turned = misalignment * misalignment * earth.dot(earth);
    (slow + scale * scale * by_scale + turned) / horizontal
}
