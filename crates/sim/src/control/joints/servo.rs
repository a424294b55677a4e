//! Servo: from a set-point to the effort that is asked of the motor, once a tick.
//!
//! # Law
//! ```text
//!   v* = clip(v_d + K (q_d - y), v_max)                                     (1)  position mode; v* = v_d in velocity mode
//!   e = v* - v
//!   τ = clip(τ_{k-1} + clip(Kp e + Ki Σ e T + Kd Δe/T + β (τ_bias - τ_{k-1}), Δτ), τ_max)
//!                                                                           (2)  torque PID [Kolano 2022, table I]
//!   τ = clip(k_v e + k_i Σ e T + J a_d + β τ_bias + τ_d, τ_max)             (3)  cascade
//! ```
//! In (3) the integral rests while the motor gives less than was asked and the error asks for more. In effort mode
//! τ = clip(τ_d, τ_max).
//!
//! # Symbols
//! q_d, v_d, a_d, τ_d set-point (all at once from a trajectory) · y, v as measured · T time of a tick · τ_bias effort that holds
//! base and joints without acceleration (in the world) in the present state: weight, buoyancy, drag, Coriolis, with (2)'s β = 0.25.
//!
//! # Frames
//! About or along the joint's z axis.
//!
//! # Limits
//! The bias is that of the model itself, without friction. Its effort holds until the next tick. (2) winds up, as published.
//!
//! # Checked by
//! test/analytic/servo.rs

use crate::control::joints::Now;
use crate::control::joints::encoder::period;
use merrow_model::scene::robot::actuator::{Law, TorquePid};
use merrow_model::scene::{JointMode, Robot, Servo};
use merrow_model::state::joint::difference;
use merrow_model::state::workspace::JointWork;
use merrow_model::state::{JointMemory, RobotState};

/// (1) for all servos; those in effort mode go as they go.
pub fn want(robot: &Robot, state: &RobotState, work: &mut [JointWork]) {
    for (j, link) in robot.links[1..].iter().enumerate() {
        let memory = &state.joints[j];
        let Some(servo) = link.joint.servo() else {
            continue;
        };
        let set = &memory.reference;
        work[j].wanted = match memory.mode {
            JointMode::Effort => memory.measured.velocity,
            JointMode::Velocity => set.velocity,
            JointMode::Position => {
                let error = difference(&link.joint, set.position, memory.measured.position);
                (set.velocity + servo.position_gain * error)
                    .clamp(-servo.max_speed, servo.max_speed)
            }
        };
    }
}

/// What a torque PID remembers from tick to tick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pid {
    /// τ, the effort asked for [N m].
    pub effort: f64,
    /// Σ e T [rad].
    pub integral: f64,
    /// e [rad/s].
    pub error: f64,
}

/// (2): what holds after a tick with the velocity error `error` and the bias effort `bias`, for the time of a tick and the largest
/// effort `[T, limit]`.
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
    let change = pid + gains.blend * (bias - before.effort);
    let effort = before.effort + change.clamp(-gains.max_change, gains.max_change);
    Pid {
        effort: effort.clamp(-limit, limit),
        integral,
        error,
    }
}

/// (2) or (3).
pub fn tick(servo: &Servo, memory: &mut JointMemory, work: &JointWork, now: Now) {
    let limit = crate::control::joints::actuator::effort_limit(&servo.actuator, memory, now);
    let set = memory.reference;
    if memory.mode == JointMode::Effort {
        memory.effort = set.effort.clamp(-limit, limit);
        return;
    }
    let T = period(servo);
    let error = work.wanted - memory.measured.velocity;
    memory.effort = match servo.law {
        Law::TorquePid(gains) => {
            let before = Pid {
                effort: memory.effort,
                integral: memory.integral,
                error: memory.last_error,
            };
            let after = torque_pid(&gains, before, error, work.bias, [T, limit]);
            memory.integral = after.integral;
            after.effort
        }
        Law::Cascade {
            velocity_gain,
            integral_gain,
            inertia,
            bias,
        } => {
            let ahead = inertia * set.acceleration + bias * work.bias + set.effort;
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
