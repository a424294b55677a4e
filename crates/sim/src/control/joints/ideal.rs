//! What faults leave of an ideal drive's command.
//!
//! # Law
//! ```text
//!   effort:    τ_c = p τ + b                                             (1)
//!   position:  q_c = q + clip(q_asked - q, ± 2 p v/ω) + b                (2)  within the joint's limits
//! ```
//! so that the drive goes at the part p of its speed. Dead, an effort drive is limp and a position drive holds where it is, as without power; stuck, either goes on
//! with the command that it had.
//!
//! # Symbols
//! τ, q_asked command · q position · p part that is left · b bias and noise [N m, N; rad, m] · v, ω speed limit and bandwidth of a position drive.
//!
//! # Frames
//! About or along the joint's z axis.
//!
//! # Limits
//! Springs and friction of a joint are not its drive's: they stay. A weak position drive still carries any load.
//!
//! # Checked by
//! test/analytic/fault.rs

use merrow_model::scene::{Drive, Robot};
use merrow_model::state::{Effect, RobotState};

/// Writes the command of an ideal drive as its faults leave it. To do so once more at the same instant changes nothing.
pub fn heed(robot: &Robot, state: &mut RobotState, j: usize) {
    let (joint, memory, q) = (
        &robot.links[j + 1].joint,
        &state.joints[j],
        state.motion.q[j],
    );
    let Effect {
        dead,
        stuck,
        part,
        offset,
        ..
    } = memory.fault;
    let faulty = memory.fault != Effect::NONE;
    let command = match joint.drive {
        Drive::Servo(_) => return,
        _ if !faulty => memory.asked,
        Drive::Effort { .. } if dead => 0.0,
        Drive::Position { .. } if dead => q,
        _ if stuck => return,
        Drive::Effort { .. } => part * memory.asked + offset, // (1)
        Drive::Position {
            bandwidth,
            max_speed,
            ..
        } => {
            let most = 2.0 * part * max_speed / bandwidth;
            let way = memory.asked - q;
            let kept = if part < 1.0 {
                q + way.clamp(-most, most)
            } else {
                memory.asked
            };
            (kept + offset).clamp(joint.limits[0], joint.limits[1]) // (2)
        }
    };
    state.joint_commands[j] = command;
}

/// [`heed`] for all joints.
pub fn heed_all(robot: &Robot, state: &mut RobotState) {
    for j in 0..state.joints.len() {
        heed(robot, state, j);
    }
}
