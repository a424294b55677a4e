//! Effect of faults on the command of an ideal drive.
//!
//! # Law
//! ```text
//!   effort:    τ_c = p τ + b                           (1)
//!   position:  q_c = q + clip(q_d - q, ± 2 p v/ω) + b  (2)  within the limits of the joint
//! ```
//! With (2) the drive moves at the fraction p of its maximum speed. If dead, an effort drive exerts
//! no effort and a position drive holds its position, as without power. If stuck, either drive
//! keeps its last command.
//!
//! # Symbols
//! τ, q_d command · τ_c, q_c command with faults · q position · p remaining fraction · b bias and
//! noise [N m, N; rad, m] · v, ω speed limit and bandwidth of a position drive.
//!
//! # Frames
//! About or along the z axis of the joint.
//!
//! # Limits
//! Faults of the drive do not affect springs and friction of the joint. A reduced position drive
//! still carries any load.
//!
//! # Checked by
//! test/analytic/devices/fault.rs

use merrow_model::scene::{Drive, Robot};
use merrow_model::state::{FaultEffect, RobotState};

/// Writes the command of the ideal drive of joint `j` with the effect of its faults. Idempotent
/// within one instant.
pub fn apply_faults(robot: &Robot, state: &mut RobotState, j: usize) {
    let (joint, memory, q) = (
        &robot.links[j + 1].joint,
        &state.joints[j],
        state.motion.q[j],
    );
    let FaultEffect {
        dead,
        stuck,
        fraction: part,
        offset,
        ..
    } = memory.fault;
    let faulty = memory.fault != FaultEffect::NONE;
    let command = match joint.drive {
        Drive::Servo(_) => return,
        _ if !faulty => memory.original_command,
        Drive::Effort { .. } if dead => 0.0,
        Drive::Position { .. } if dead => q,
        _ if stuck => return,
        Drive::Effort { .. } => part * memory.original_command + offset, // (1)
        Drive::Position {
            bandwidth_rad_s,
            max_speed,
            ..
        } => {
            let max_step = 2.0 * part * max_speed / bandwidth_rad_s;
            let way = memory.original_command - q;
            let kept = if part < 1.0 {
                q + way.clamp(-max_step, max_step)
            } else {
                memory.original_command
            };
            (kept + offset).clamp(joint.limits[0], joint.limits[1]) // (2)
        }
    };
    state.joint_commands[j] = command;
}

/// Calls [`apply_faults`] for all joints.
pub fn apply_all_faults(robot: &Robot, state: &mut RobotState) {
    for j in 0..state.joints.len() {
        apply_faults(robot, state, j);
    }
}
