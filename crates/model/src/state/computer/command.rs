//! Commands that pass through a task: commands to actuators and set-points of the firmware.

use crate::persist::Persist;
use crate::scene::robot::joint::JointMode;
use crate::state::commands::Command;
use merrow_math::{Quat, Vec3};
use std::sync::Arc;

/// Command to the robot of the task. [`Command`] describes the fields of each variant.
#[allow(missing_docs)] // `Command` describes the fields
#[derive(Clone, Debug, PartialEq, Persist)]
pub enum TaskCommand {
    /// Commands one thruster of the robot, in its own unit.
    Thruster { thruster: usize, value: f64 },
    /// Commands all thrusters of the robot, each in its own unit.
    Thrusters { values: Vec<f64> },
    /// Commands the angle of one fin [rad].
    Fin { fin: usize, value: f64 },
    /// Commands the angles of all fins [rad].
    Fins { values: Vec<f64> },
    /// Commands the volume of a buoyancy engine [m³].
    BuoyancyEngine { engine: usize, value: f64 },
    /// Commands the thrust allocation with a force [N] and moment [N m] in B.
    Wrench { force: Vec3, moment: Vec3 },
    /// Commands a joint in its current mode.
    Joint { joint: usize, value: f64 },
    /// Commands a joint and switches it to `mode` if necessary.
    JointWithMode {
        joint: usize,
        mode: JointMode,
        value: f64,
    },
    /// Commands all joints of a group and switches them to `mode`.
    JointGroup {
        group: usize,
        mode: JointMode,
        values: Vec<f64>,
    },
    /// Commands the firmware with velocities [m/s, rad/s].
    Velocity { linear: Vec3, angular: Vec3 },
    /// Commands the firmware with a heading [rad] and a depth [m].
    HeadingDepth {
        heading: Option<f64>,
        depth: Option<f64>,
    },
    /// Requests station keeping at a pose [m].
    PoseGoal { p_WB: Vec3, q_WB: Option<Quat> },
    /// Requests to follow waypoints in W [m].
    FollowPath { waypoints: Arc<Vec<Vec3>> },
    /// Deflections of a joystick, -1..1.
    Joystick { sticks: [f64; 4] },
}

/// Declares the conversions between the variants of both types.
macro_rules! declare_conversions {
    ($($variant:ident { $($field:ident),+ }),+ $(,)?) => {
        impl TaskCommand {
            /// Returns the robot and the command of a task. `None`: the command does not pass
            /// through tasks.
            pub fn from_command(command: &Command) -> Option<(usize, Self)> {
                match command {
                    $(Command::$variant { robot, $($field),+ } => {
                        Some((*robot, Self::$variant { $($field: $field.clone()),+ }))
                    })+
                    _ => None,
                }
            }

            /// Returns the command with the index of its robot, the inverse of
            /// [`Self::from_command`].
            pub fn to_command(&self, robot: usize) -> Command {
                match self {
                    $(Self::$variant { $($field),+ } => {
                        Command::$variant { robot, $($field: $field.clone()),+ }
                    })+
                }
            }
        }
    };
}

declare_conversions! {
    Thruster { thruster, value },
    Thrusters { values },
    Fin { fin, value },
    Fins { values },
    BuoyancyEngine { engine, value },
    Wrench { force, moment },
    Joint { joint, value },
    JointWithMode { joint, mode, value },
    JointGroup { group, mode, values },
    Velocity { linear, angular },
    HeadingDepth { heading, depth },
    PoseGoal { p_WB, q_WB },
    FollowPath { waypoints },
    Joystick { sticks },
}
