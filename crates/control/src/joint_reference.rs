//! Sets the mode and the set-point of the drive of a joint.

use crate::ideal_drive;
use merrow_model::scene::{Drive, JointMode, Robot};
use merrow_model::state::RobotState;
use merrow_model::state::joint::Reference;

/// Sets the mode and the set-point of joint `joint`, limited to the range of its drive: position
/// [rad or m], velocity [rad/s or m/s] or effort [N m or N].
pub fn set_reference(
    robot: &Robot,
    state: &mut RobotState,
    joint: usize,
    mode: JointMode,
    value: f64,
) {
    let model = &robot.links[joint + 1].joint;
    let memory = &mut state.joints[joint];
    if memory.mode != mode {
        memory.mode = mode;
        (memory.integral, memory.last_error) = (0.0, 0.0);
    }
    memory.effort_limit = model.max_effort;
    let mut reference = Reference {
        position: memory.reference.position,
        ..Reference::default()
    };
    match mode {
        JointMode::Position => reference.position = value.clamp(model.limits[0], model.limits[1]),
        JointMode::Velocity => {
            reference.velocity = value.clamp(-model.max_speed(), model.max_speed())
        }
        JointMode::Effort => reference.effort = value.clamp(-model.max_effort, model.max_effort),
    }
    memory.reference = reference;
    match model.drive {
        Drive::Position { .. } => set_ideal_command(robot, state, joint, reference.position),
        Drive::Effort { .. } => set_ideal_command(robot, state, joint, reference.effort),
        Drive::Servo(_) => {}
    }
}

/// Sets the command of an ideal drive: position [rad or m] or effort [N m or N].
pub fn set_ideal_command(robot: &Robot, state: &mut RobotState, joint: usize, command: f64) {
    state.joints[joint].original_command = command;
    ideal_drive::apply_faults(robot, state, joint);
}
