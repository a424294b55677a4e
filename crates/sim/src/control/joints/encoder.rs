//! Encoder of a servo: measured position and velocity of its joint.
//!
//! # Law
//! ```text
//!   y = Δ round((q + σ w) / Δ)                                    (1)
//!   v = Δ_v round((q̇ + σ_v w) / Δ_v)                              (2)  tachometer
//!   v_k = v_{k-1} + (y_k - y_{k-1} - T v_{k-1}) / (τ + T)         (3)  from the positions
//! ```
//! # Symbols
//! q joint position · y measured position, v measured velocity · Δ, Δ_v resolution · σ, σ_v
//! standard deviation · w standard normal number · T time of a tick · τ time constant of the
//! low-pass filter.
//!
//! # Frames
//! About or along the z axis of the joint; at the rotor for an encoder on the motor.
//!
//! # Limits
//! The measurement has no delay.
//!
//! # Checked by
//! test/analytic/joints/servo.rs

use crate::control::joints::Now;
use merrow_model::scene::Servo;
use merrow_model::scene::robot::actuator::{EncoderSide, Tachometer};
use merrow_model::state::JointDriveState;
use merrow_sensors::noise::quantise;

/// Returns the instant of tick `k` [ns] at `rate` [Hz].
pub fn due_ns(rate: f64, k: u64) -> u64 {
    (k as f64 * 1e9 / rate) as u64
}

/// Returns the number of ticks at `rate` [Hz] before `time_ns` [ns].
pub(crate) fn ticks_before(rate: f64, time_ns: u64) -> u64 {
    let mut k = (time_ns as f64 * 1e-9 * rate) as u64;
    // corrects the rounding
    while k > 0 && due_ns(rate, k - 1) >= time_ns {
        k -= 1;
    }
    while due_ns(rate, k) < time_ns {
        k += 1;
    }
    k
}

/// Returns the time between two ticks [s].
pub fn period(servo: &Servo) -> f64 {
    1.0 / servo.rate_hz
}

/// Takes the measurements of one tick. `joint` is the true position [rad or m] and velocity [rad/s
/// or m/s].
pub fn tick(servo: &Servo, memory: &mut JointDriveState, joint: [f64; 2], now: Now) {
    let encoder = &servo.encoder;
    let behind_gap = servo.actuator.elastic.is_some() && encoder.side == EncoderSide::Motor;
    let [q, qd] = if behind_gap { memory.rotor } else { joint };
    let noisy = encoder.noise_std > 0.0
        || matches!(encoder.velocity, Tachometer::Direct { noise_std, .. } if noise_std > 0.0);
    let (e_q, e_v) = if noisy {
        let mut draw = servo.encoder_stream.draw(memory.ticks);
        (draw.normal(), draw.normal())
    } else {
        (0.0, 0.0)
    };
    let last = memory.measured;
    let position = quantise(q + encoder.noise_std * e_q, encoder.resolution); // (1)
    let velocity = match encoder.velocity {
        Tachometer::Direct {
            resolution,
            noise_std,
            ..
        } => quantise(qd + noise_std * e_v, resolution), // (2)
        Tachometer::Difference { .. } if memory.ticks == 0 => 0.0,
        Tachometer::Difference { filter_s, .. } => {
            let T = period(servo);
            last.velocity + (position - last.position - T * last.velocity) / (filter_s + T) // (3)
        }
    };
    memory.measured.position = position;
    memory.measured.velocity = velocity;
    memory.measured.effort = memory.motor_effort;
    if servo.actuator.effort_per_ampere > 0.0 {
        memory.measured.current = memory.motor_effort / servo.actuator.effort_per_ampere;
    }
    if servo.actuator.winding.is_some() {
        memory.measured.temperature = now.ambient + memory.heat;
    }
    memory.ticks += 1;
}
