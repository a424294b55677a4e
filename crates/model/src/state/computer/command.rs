//! Commands that pass through a task: commands to actuators and joints and set-points of the
//! firmware.

use crate::persist::Persist;
use crate::state::commands::{ActuatorCommand, Command, FirmwareCommand, JointCommand};

/// Command to the robot of the task.
#[derive(Clone, Debug, PartialEq, Persist)]
pub enum TaskCommand {
    /// Command to actuators.
    Actuator(ActuatorCommand),
    /// Set-points of joints.
    Joint(JointCommand),
    /// Set-points, goals and paths of the firmware.
    Firmware(FirmwareCommand),
}

impl TaskCommand {
    /// Returns the robot and the command of a task. `None`: the command does not pass through
    /// tasks.
    pub fn from_command(command: &Command) -> Option<(usize, Self)> {
        match command {
            Command::Actuator(robot, command) => Some((*robot, Self::Actuator(command.clone()))),
            Command::Joint(robot, command) => match command {
                JointCommand::Joint { .. }
                | JointCommand::JointWithMode { .. }
                | JointCommand::JointGroup { .. } => Some((*robot, Self::Joint(command.clone()))),
                JointCommand::JointMode { .. }
                | JointCommand::Trajectory { .. }
                | JointCommand::CancelGoal { .. }
                | JointCommand::Gripper { .. } => None,
            },
            Command::Firmware(robot, command) => match command {
                FirmwareCommand::Velocity { .. }
                | FirmwareCommand::HeadingDepth { .. }
                | FirmwareCommand::PoseGoal { .. }
                | FirmwareCommand::FollowPath { .. }
                | FirmwareCommand::Joystick { .. } => {
                    Some((*robot, Self::Firmware(command.clone())))
                }
                FirmwareCommand::ControlMode { .. }
                | FirmwareCommand::Gain { .. }
                | FirmwareCommand::FirmwareOrder { .. } => None,
            },
            _ => None,
        }
    }

    /// Returns the command with the index of its robot, the inverse of [`Self::from_command`].
    pub fn to_command(&self, robot: usize) -> Command {
        match self {
            Self::Actuator(command) => Command::Actuator(robot, command.clone()),
            Self::Joint(command) => Command::Joint(robot, command.clone()),
            Self::Firmware(command) => Command::Firmware(robot, command.clone()),
        }
    }
}
