//! Commands of robots from messages: conversions that are common to several inputs, and a module per
//! kind of input. They do not access the state of the simulation.

pub mod faults;
pub mod firmware;
pub mod mailbox;
pub mod motion_control;
pub(crate) mod node_service;
pub(crate) mod own_services;
pub(crate) mod profile_services;
pub mod replay;
pub(crate) mod serve;
pub mod services;
pub mod view;
pub(crate) mod wrench;

pub use crate::input::mailbox::Mailbox;
pub(crate) use crate::input::mailbox::find_robot;

use crate::topics::Input;
use merrow_math::Vec3;
use merrow_messages::convert::{WORLD_FRAME, from_vector3};
use merrow_model::scene::{JointKind, JointMode, LinkFrame, Robot, Scene};
use merrow_model::state::{
    ActuatorCommand, AppliedWrench, BodyCommand, Command, JointCommand, WrenchFrame, WrenchSource,
};
use merrow_ros2::msg::geometry_msgs::{Wrench, WrenchStamped};
use merrow_ros2::msg::sensor_msgs::JointState;
use merrow_ros2::msg::std_msgs::Float64MultiArray;
use merrow_yaml::error::known_names;

/// Time for which a wrench from a topic acts [s].
pub const WRENCH_TIMEOUT_S: f64 = 0.5;

/// Returns an input of the values of all actuators of a kind.
pub(crate) fn array_input(
    topic: String,
    unit: String,
    command: impl Fn(Vec<f64>) -> Command + Send + Sync + 'static,
) -> Input {
    Input::new(topic, unit, move |_, message: Float64MultiArray| {
        command(values(&message))
    })
}

pub(crate) fn wrench_command(robot: usize, wrench: &Wrench) -> Command {
    ActuatorCommand::Wrench {
        force: from_vector3(&wrench.force),
        moment: from_vector3(&wrench.torque),
    }
    .of(robot)
}

/// Converts a wrench on a link, which acts for a limited time.
pub(crate) fn external_wrench(
    scene: &Scene,
    robot: usize,
    link: usize,
    message: &WrenchStamped,
) -> Result<Command, String> {
    let model = &scene.robots[robot];
    let axes = wrench_frame(model, link, &message.header.frame_id)?;
    let frame = LinkFrame {
        link,
        R_LF: model.links[link].R_LU,
        p_LoF: Vec3::zero(),
    };
    Ok(BodyCommand::ApplyWrench {
        wrench: AppliedWrench {
            link,
            source: WrenchSource::Topic,
            frame: axes,
            F: wrench::along_axes(&frame, axes, &message.wrench),
            p_LoP: Vec3::zero(),
            start_ns: 0,
            end_ns: (WRENCH_TIMEOUT_S * 1e9) as u64,
        },
    }
    .of(robot))
}

/// Returns the axes of a wrench on a link from the frame of its header.
fn wrench_frame(robot: &Robot, link: usize, frame: &str) -> Result<WrenchFrame, String> {
    let own = merrow_messages::frames::link_frame(robot, link);
    if frame == WORLD_FRAME {
        Ok(WrenchFrame::World)
    } else if frame.is_empty() || *frame == own || *frame == robot.links[link].name {
        Ok(WrenchFrame::Link)
    } else {
        Err(format!(
            "wrench in frame {frame:?}; expected {WORLD_FRAME} or {own}"
        ))
    }
}

/// Returns an error unless a wrench is expressed in the base of the robot.
pub(crate) fn check_wrench_frame(robot: &Robot, frame: &str) -> Result<(), String> {
    let base = merrow_messages::frames::link_frame(robot, 0);
    if frame.is_empty() || *frame == base || frame == "base_link" {
        Ok(())
    } else {
        Err(format!("wrench in frame {frame:?}; expected {base}"))
    }
}

/// Returns the numbers of an array, without its layout.
pub(crate) fn values(message: &Float64MultiArray) -> Vec<f64> {
    let offset = message.layout.data_offset as usize;
    message.data.get(offset..).unwrap_or_default().to_vec()
}

/// Converts the commands of all joints of the message, or of none.
pub(crate) fn joint_commands(
    model: &Robot,
    robot: usize,
    message: &JointState,
) -> Result<Vec<Command>, String> {
    let mut commands = Vec::new();
    for (k, name) in message.name.iter().enumerate() {
        let found = model.links[1..]
            .iter()
            .position(|l| l.joint.name == *name && l.joint.kind != JointKind::Fixed);
        let joint = found.ok_or_else(|| {
            let joints = model.links[1..].iter().map(|link| &link.joint);
            let moving = joints.filter(|joint| joint.kind != JointKind::Fixed);
            let names = moving.map(|joint| joint.name.as_str());
            format!("no joint {name:?}{}", known_names(name, names))
        })?;
        let lists = [
            (JointMode::Position, &message.position),
            (JointMode::Velocity, &message.velocity),
            (JointMode::Effort, &message.effort),
        ];
        let drive = &model.links[joint + 1].joint;
        // a servo uses the list that the message contains; an ideal drive supports only one mode
        let given = lists
            .iter()
            .find(|(_, values)| !values.is_empty())
            .filter(|_| drive.servo().is_some());
        let mode = given.map_or(drive.start_mode(), |(mode, _)| *mode);
        let values = lists
            .iter()
            .find(|(m, _)| *m == mode)
            .map_or(&message.position, |(_, values)| *values);
        let what = mode.keyword();
        if values.len() != message.name.len() {
            return Err(format!(
                "{what}: expected one value for each joint, found {} values for {} joints",
                values.len(),
                message.name.len()
            ));
        }
        if !values[k].is_finite() {
            return Err(format!(
                "{name}: {what} is {}; expected a finite number",
                values[k]
            ));
        }
        commands.push(
            JointCommand::JointWithMode {
                joint,
                mode,
                value: values[k],
            }
            .of(robot),
        );
    }
    Ok(commands)
}

#[cfg(test)]
#[path = "extremes_tests.rs"]
mod extremes;
