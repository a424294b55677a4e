//! Servo controller: computes the requested motor effort from a set-point, once per tick.
//!
//! # Law
//! ```text
//!   v* = clip(v_d + K (q_d - y), v_max)                          (1)
//!   e = v* - v
//!   τ = clip(τ_{k-1} + clip(Kp e + Ki Σ e T + Kd Δe/T + β (τ_bias - τ_{k-1}), Δτ), τ_max)  (2)
//!   τ = clip(k_v e + k_i Σ e T + J a_d + β τ_bias + τ_d, τ_max)  (3)  cascade
//!   (1) position mode; v* = v_d in velocity mode
//!   (2) torque PID [Kolano 2022, table I]
//! ```
//! In (3) the integral is frozen while the motor exerts less than requested and the error demands
//! more (anti-windup). In effort mode τ = clip(τ_d, τ_max).
//!
//! # Symbols
//! q_d, v_d, a_d, τ_d set-point (all together from a trajectory) · y, v measured position and
//! velocity · v* requested velocity · T time of a tick · K, Kp, Ki, Kd, k_v, k_i gains · J inertia
//! · v_max, τ_max, Δτ limits of speed, effort and effort change · τ_bias effort that keeps base and
//! joints without acceleration (in the world) in the current state: weight, buoyancy, drag,
//! Coriolis; β its weight, 0.25 in (2).
//!
//! # Frames
//! About or along the z axis of the joint.
//!
//! # Limits
//! The bias is computed from the simulated model itself, without friction. It is constant until the
//! next tick. (2) has integrator windup, as published.
//!
//! # Checked by
//! test/analytic/joints/servo.rs

use crate::control::joints::Now;
use crate::control::joints::encoder::period;
use merrow_model::scene::robot::actuator::{ServoLaw, TorquePid};
use merrow_model::scene::{JointMode, Robot, Servo};
use merrow_model::state::joint::position_difference;
use merrow_model::state::workspace::JointWork;
use merrow_model::state::{JointDriveState, RobotState};

/// Computes (1) for all servos; servos in effort mode request their measured velocity.
pub(crate) fn request_speeds(robot: &Robot, state: &RobotState, work: &mut [JointWork]) {
    for (j, link) in robot.links[1..].iter().enumerate() {
        let memory = &state.joints[j];
        let Some(servo) = link.joint.servo() else {
            continue;
        };
        let set = &memory.reference;
        work[j].target_velocity = match memory.mode {
            JointMode::Effort => memory.measured.velocity,
            JointMode::Velocity => set.velocity,
            JointMode::Position => {
                let error =
                    position_difference(&link.joint, set.position, memory.measured.position);
                (set.velocity + servo.position_gain_per_s * error)
                    .clamp(-servo.max_speed, servo.max_speed)
            }
        };
    }
}

/// State of a torque PID between ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pid {
    /// τ, the requested effort [N m].
    pub effort: f64,
    /// Σ e T, the integral of the velocity error [rad].
    pub integral: f64,
    /// e, the velocity error [rad/s].
    pub error: f64,
}

/// Computes (2): state after a tick with the velocity error `error` [rad/s] and the bias effort
/// `bias` [N m]. The last argument holds the time of a tick [s] and the largest effort [N m].
pub fn torque_pid(
    gains: &TorquePid,
    before: Pid,
    error: f64,
    bias: f64,
    [T, limit]: [f64; 2],
) -> Pid {
    let integral = before.integral + error * T;
    let rate = (error - before.error) / T;
    let pid = gains.kp * error + gains.ki * integral + gains.kd * rate;
    let change = pid + gains.bias_blend * (bias - before.effort);
    let effort = before.effort + change.clamp(-gains.max_change, gains.max_change);
    Pid {
        effort: effort.clamp(-limit, limit),
        integral,
        error,
    }
}

/// Computes the requested effort by (2) or (3).
pub fn tick(servo: &Servo, memory: &mut JointDriveState, work: &JointWork, now: Now) {
    let limit = crate::control::joints::actuator::effort_limit(&servo.actuator, memory, now);
    let set = memory.reference;
    if memory.mode == JointMode::Effort {
        memory.effort = set.effort.clamp(-limit, limit);
        return;
    }
    let T = period(servo);
    let error = work.target_velocity - memory.measured.velocity;
    memory.effort = match &servo.law {
        ServoLaw::TorquePid(gains) => {
            let before = Pid {
                effort: memory.effort,
                integral: memory.integral,
                error: memory.last_error,
            };
            let after = torque_pid(gains, before, error, work.bias, [T, limit]);
            memory.integral = after.integral;
            after.effort
        }
        ServoLaw::Cascade {
            velocity_gain,
            integral_gain,
            inertia_feed_forward,
            bias_feed_forward,
            ..
        } => {
            let ahead = inertia_feed_forward * set.acceleration
                + bias_feed_forward * work.bias
                + set.effort;
            let effort = |integral: f64| velocity_gain * error + integral_gain * integral + ahead;
            let grown = memory.integral + error * T;
            let beyond = effort(grown) - effort(grown).clamp(-limit, limit);
            let missing = memory.effort - memory.motor_effort;
            if beyond * error <= 0.0 && missing * error <= 0.0 {
                memory.integral = grown;
            }
            effort(memory.integral).clamp(-limit, limit)
        }
    };
    memory.last_error = error;
}
