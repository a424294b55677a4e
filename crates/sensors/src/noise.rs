//! Noise model common to all scalar and vector sensors.
//!
//! # Law
//! ```text
//!   y = clip(round(M x + b + g + r + n))                        (1)
//!   n_k = N sqrt(fs) w                white noise               (2)  [IEEE 952-1997, C.1.1.2]
//!   g_k = ρ g_{k-1} + σ sqrt(1-ρ²) w  bias instability          (3)  [C.1.1.4]
//!   r_k = r_{k-1} + K sqrt(dt) w      rate random walk          (4)  [C.1.1.5]
//! ```
//! # Symbols
//! x true value · y reading · M scale and misalignment, b turn-on bias (both drawn once) · N noise
//! density · fs sample rate, dt = 1/fs · K random walk coefficient · ρ = exp(-dt/τ), τ correlation
//! time · σ such that the Allan deviation peaks at 0.664 B, B bias instability · w standard normal
//! number.
//!
//! # Frames
//! Sensor frame S.
//!
//! # Limits
//! The errors do not depend on temperature, acceleration or vibration. The bandwidth of the device
//! is not modelled.
//!
//! # Checked by
//! test/sensors/inertial/noise.rs (V84, V86)

use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::sensor::Errors;

/// Applies (1) to the vector `x` (in S, in the unit of `errors`). `drift` is the state of (3) and
/// (4) for its three channels. With `on` false the true value is only quantised and clipped.
#[inline]
pub fn measure_vector(
    errors: &Errors,
    drift: &mut [[f64; 2]],
    x: Vec3,
    on: bool,
    draw: &mut Draw,
) -> Vec3 {
    let mut y = if on { errors.matrix.mul_vec(x) } else { x };
    for i in 0..3 {
        y[i] = channel(errors, &mut drift[i], y[i], errors.bias[i], on, draw);
    }
    y
}

/// Applies (1) to the scalar `x` (in the unit of `errors`). `drift` is the state of (3) and (4);
/// with `on` false the true value is only quantised and clipped.
#[inline]
pub fn measure_scalar(
    errors: &Errors,
    drift: &mut [f64; 2],
    x: f64,
    on: bool,
    draw: &mut Draw,
) -> f64 {
    let scaled = if on { errors.matrix.r[0].x * x } else { x };
    channel(errors, drift, scaled, errors.bias.x, on, draw)
}

/// Returns the reading of the vector `x` (in S, in the unit of `errors`) without white noise and
/// rounding, with the slow errors `drift`; with `on` false the true value.
pub(crate) fn without_white_noise(errors: &Errors, drift: &[[f64; 2]], x: Vec3, on: bool) -> Vec3 {
    if !on {
        return x;
    }
    let slow = Vec3::new(
        drift[0][0] + drift[0][1],
        drift[1][0] + drift[1][1],
        drift[2][0] + drift[2][1],
    );
    errors.matrix.mul_vec(x) + errors.bias + slow
}

#[inline]
fn channel(
    errors: &Errors,
    drift: &mut [f64; 2],
    mut y: f64,
    bias: f64,
    on: bool,
    draw: &mut Draw,
) -> f64 {
    if on {
        if errors.bias_step > 0.0 {
            drift[0] = errors.bias_decay * drift[0] + errors.bias_step * draw.normal(); // (3)
        }
        if errors.walk_step > 0.0 {
            drift[1] += errors.walk_step * draw.normal(); // (4)
        }
        y += bias + drift[0] + drift[1];
        if errors.white > 0.0 {
            y += errors.white * draw.normal(); // (2)
        }
    }
    quantise(y, errors.resolution).clamp(-errors.range, errors.range)
}

/// Rounds `x` to the nearest multiple of `step`, both in the same unit; returns `x` unchanged for
/// `step` 0.
#[inline]
pub fn quantise(x: f64, step: f64) -> f64 {
    if step > 0.0 {
        (x / step).round() * step
    } else {
        x
    }
}
