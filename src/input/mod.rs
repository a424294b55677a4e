//! Subscribed commands: decodes them, checks their form and sends them to the run. This module does
//! not access the simulation state.

pub(crate) mod command_services;
pub mod faults;
pub mod firmware;
pub mod mailbox;
pub mod motion_control;
pub mod profile_services;
pub mod replay;
pub(crate) mod serve;
pub(crate) mod service_names;
pub mod services;
pub mod view;
pub(crate) mod wrench;

pub use crate::input::mailbox::Mailbox;
pub(crate) use crate::input::mailbox::{find_robot, read};

use crate::arm;
use crate::arm::progress::Progress;
use crate::topics::Target;
use merrow_control::modes;
use merrow_math::Vec3;
use merrow_messages::convert::{WORLD_FRAME, from_vector3};
use merrow_model::scene::{JointKind, JointMode, LinkFrame, Robot, Scene};
use merrow_model::state::{
    ActuatorCommand, AppliedWrench, BodyCommand, Command, FirmwareCommand, JointCommand,
    WinchCommand, WrenchFrame, WrenchSource,
};
use merrow_ros2::msg::geometry_msgs::{Wrench, WrenchStamped};
use merrow_ros2::msg::sensor_msgs::JointState;
use merrow_ros2::msg::std_msgs::{Bool, Float64, Float64MultiArray};
use merrow_ros2::node::Callback;
use merrow_sim::{InputMessage, Request};
use merrow_yaml::error::known_names;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Time for which a wrench from a topic acts [s].
pub const WRENCH_TIMEOUT_S: f64 = 0.5;

/// Returns the callback of an input topic.
pub fn callback(mailbox: &Mailbox, topic: &str, target: Target) -> Callback {
    let mailbox = mailbox.clone();
    let topic: Arc<str> = topic.into();
    let mut goals = GoalNotes::default();
    Box::new(move |bytes| {
        let robot = robot_of(target);
        match commands(&mailbox.scene, &mailbox.progress, target, bytes) {
            Ok(commands) => {
                let now_ns = mailbox.progress.now_ns.load(Ordering::Relaxed);
                for command in &commands {
                    if let Some(note) = goals.note(&mailbox.scene, now_ns, command) {
                        mailbox.logger.info(note);
                    }
                }
                let message = InputMessage {
                    topic: Arc::clone(&topic),
                    bytes: bytes.to_vec(),
                };
                let request = Request::Input(mailbox.version, commands, message);
                // sending fails if the run has ended
                let _ = mailbox.requests.send(request);
            }
            Err(why) => mailbox.reject(robot, &topic, &why),
        }
    })
}

/// Minimum simulated time between two notes about goals on a topic [ns].
const NOTE_EVERY_NS: u64 = 1_000_000_000;

/// Notes about the goals on a topic.
#[derive(Default)]
struct GoalNotes {
    /// Last goal [m, W], and the simulated time of the last note [ns].
    last: Option<(Vec3, u64)>,
}

impl GoalNotes {
    /// Returns the line to log about a goal of a vehicle that cannot move sideways, once per goal; for
    /// a stream of goals once per [`NOTE_EVERY_NS`].
    fn note(&mut self, scene: &Scene, now_ns: u64, command: &Command) -> Option<String> {
        let Command::Firmware(robot, FirmwareCommand::PoseGoal { p_WB, .. }) = command else {
            return None;
        };
        let is_known =
            |(p, noted): (Vec3, u64)| p == *p_WB || now_ns.abs_diff(noted) < NOTE_EVERY_NS;
        if self.last.is_some_and(is_known) {
            return None;
        }
        let note = modes::goal_note(&scene.robots[*robot])?;
        self.last = Some((*p_WB, now_ns));
        Some(note)
    }
}

fn robot_of(target: Target) -> Option<usize> {
    match target {
        Target::Thruster { robot, .. }
        | Target::Thrusters { robot }
        | Target::Fin { robot, .. }
        | Target::Fins { robot }
        | Target::BuoyancyEngine { robot, .. }
        | Target::Wrench { robot }
        | Target::WrenchStamped { robot }
        | Target::ExternalWrench { robot, .. }
        | Target::Firmware { robot, .. }
        | Target::Motion { robot, .. }
        | Target::Profile { robot, .. }
        | Target::Joints { robot } => Some(robot),
        Target::Trajectory { group_index } | Target::Group { group_index, .. } => {
            Some(group_index.robot)
        }
        Target::Winch { .. }
        | Target::Coupling { .. }
        | Target::Modem { .. }
        | Target::Bridge { .. }
        | Target::Call { .. }
        | Target::Service => None,
    }
}

/// Converts a message to commands.
fn commands(
    scene: &Arc<Scene>,
    progress: &Progress,
    target: Target,
    bytes: &[u8],
) -> Result<Vec<Command>, String> {
    let command = match target {
        Target::Joints { robot } => {
            let message = read::<JointState>(bytes)?;
            return joint_commands(&scene.robots[robot], robot, &message);
        }
        Target::Thruster { .. }
        | Target::Fin { .. }
        | Target::BuoyancyEngine { .. }
        | Target::Winch { .. } => number_command(target, read::<Float64>(bytes)?.data)?,
        Target::Thrusters { robot } => Command::Actuator(
            robot,
            ActuatorCommand::Thrusters {
                values: read_values(bytes)?,
            },
        ),
        Target::Fins { robot } => Command::Actuator(
            robot,
            ActuatorCommand::Fins {
                values: read_values(bytes)?,
            },
        ),
        Target::Trajectory { group_index } => {
            arm::topic_trajectory(scene, group_index, bytes, progress)?
        }
        Target::Group { group_index, mode } => Command::Joint(
            group_index.robot,
            JointCommand::JointGroup {
                group: group_index.group,
                mode,
                values: read_values(bytes)?,
            },
        ),
        Target::Wrench { robot } => wrench_command(robot, &read(bytes)?),
        Target::WrenchStamped { robot } => {
            let message = read::<WrenchStamped>(bytes)?;
            check_wrench_frame(&scene.robots[robot], &message.header.frame_id)?;
            wrench_command(robot, &message.wrench)
        }
        Target::ExternalWrench { robot, link } => {
            external_wrench(scene, robot, link, &read(bytes)?)?
        }
        Target::Firmware { robot, command } => firmware::command(scene, robot, command, bytes)?,
        Target::Motion { robot, command } => {
            return motion_control::commands(scene, robot, command, bytes);
        }
        Target::Profile { robot, command } => {
            let density = scene.sea.density;
            crate::profile::command(robot, &scene.robots[robot], density, command, bytes)?
        }
        Target::Coupling { coupling } => coupling_command(coupling, bytes)?,
        Target::Bridge { .. } | Target::Modem { .. } | Target::Call { .. } => {
            crate::modem::command(scene, target, bytes)?
        }
        Target::Service => {
            return Err("expected a topic with commands, found requests of services".into());
        }
    };
    Ok(vec![command])
}

/// Converts a message to a command that engages or releases a coupling.
fn coupling_command(coupling: usize, bytes: &[u8]) -> Result<Command, String> {
    Ok(Command::SetCoupling {
        coupling,
        engage: read::<Bool>(bytes)?.data,
        partner: None,
    })
}

/// Converts a number on the topic of an actuator.
fn number_command(target: Target, value: f64) -> Result<Command, String> {
    match target {
        Target::Thruster { robot, thruster } => Ok(Command::Actuator(
            robot,
            ActuatorCommand::Thruster { thruster, value },
        )),
        Target::Fin { robot, fin } => Ok(Command::Actuator(
            robot,
            ActuatorCommand::Fin { fin, value },
        )),
        Target::BuoyancyEngine { robot, engine } => Ok(Command::Actuator(
            robot,
            ActuatorCommand::BuoyancyEngine { engine, value },
        )),
        Target::Winch { tether } => Ok(Command::Winch {
            tether,
            command: WinchCommand::Speed(value),
        }),
        other => Err(format!("{other:?} takes no number")),
    }
}

/// Decodes the numbers of an array.
fn read_values(bytes: &[u8]) -> Result<Vec<f64>, String> {
    Ok(values(&read(bytes)?))
}

fn wrench_command(robot: usize, wrench: &Wrench) -> Command {
    Command::Actuator(
        robot,
        ActuatorCommand::Wrench {
            force: from_vector3(&wrench.force),
            moment: from_vector3(&wrench.torque),
        },
    )
}

/// Converts a wrench on a link, which acts for a limited time.
fn external_wrench(
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
    Ok(Command::Body(
        robot,
        BodyCommand::ApplyWrench {
            wrench: AppliedWrench {
                link,
                source: WrenchSource::Topic,
                frame: axes,
                F: wrench::along_axes(&frame, axes, &message.wrench),
                p_LoP: Vec3::zero(),
                start_ns: 0,
                end_ns: (WRENCH_TIMEOUT_S * 1e9) as u64,
            },
        },
    ))
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
fn check_wrench_frame(robot: &Robot, frame: &str) -> Result<(), String> {
    let base = merrow_messages::frames::link_frame(robot, 0);
    if frame.is_empty() || *frame == base || frame == "base_link" {
        Ok(())
    } else {
        Err(format!("wrench in frame {frame:?}; expected {base}"))
    }
}

/// Returns the numbers of an array, without its layout.
fn values(message: &Float64MultiArray) -> Vec<f64> {
    let offset = message.layout.data_offset as usize;
    message.data.get(offset..).unwrap_or_default().to_vec()
}

/// Converts the commands of all joints of the message, or of none.
fn joint_commands(
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
        commands.push(Command::Joint(
            robot,
            JointCommand::JointWithMode {
                joint,
                mode,
                value: values[k],
            },
        ));
    }
    Ok(commands)
}

#[cfg(test)]
#[path = "extremes_tests.rs"]
mod extremes;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::mailbox::check_frame;

    /// Heron cannot move sideways and keeps station within 4 m; BlueROV2 reaches its goals.
    #[test]
    fn goals_of_vehicles_without_sway_have_one_note_each() {
        let text = "robots:\n  boat: {model: heron}\n  fast: {model: {extends: robots/heron.yaml, firmware: heron_velocity}, \
                    position_m: [9, 0, 0]}\n  rov: {model: bluerov2, position_m: [0, 9, -5]}\n";
        let world = merrow_world::load_text("w.yaml", text, merrow_world::Overrides::default());
        let scene = world.unwrap_or_else(|e| panic!("{e}")).scene;
        let goal = |robot, x| {
            Command::Firmware(
                robot,
                FirmwareCommand::PoseGoal {
                    p_WB: Vec3::new(x, 0.0, 0.0),
                    q_WB: None,
                },
            )
        };
        for (robot, name) in [(0, "boat"), (1, "fast")] {
            let mut notes = GoalNotes::default();
            let expected = format!(
                "{name}: the vehicle cannot move sideways, so that it keeps station within 4 m of the goal"
            );
            let s = 1_000_000_000;
            assert_eq!(
                notes.note(&scene, 0, &goal(robot, 1.0)),
                Some(expected.clone())
            );
            // repeated, and a stream of goals
            assert_eq!(notes.note(&scene, 5 * s, &goal(robot, 1.0)), None);
            assert_eq!(notes.note(&scene, 5 * s, &goal(robot, 2.0)), Some(expected));
            assert_eq!(notes.note(&scene, 5 * s + 1, &goal(robot, 2.1)), None);
        }
        assert_eq!(GoalNotes::default().note(&scene, 0, &goal(2, 1.0)), None);
    }

    /// Goals are accepted in the frame in which the profile publishes the true pose.
    #[test]
    fn goals_are_in_the_world_frame_of_the_profile() {
        let overrides = merrow_world::Overrides {
            profile: Some(merrow_model::scene::robot::profile::Profile::Vrx),
            ..Default::default()
        };
        let world = merrow_world::load_text("w.yaml", "robots: {boat: {model: wamv}}", overrides);
        let boat = &world.unwrap_or_else(|e| panic!("{e}")).scene.robots[0];
        for frame in ["", "world", "map"] {
            assert_eq!(check_frame(Some(boat), frame), Ok(()), "{frame}");
        }
        let refused = check_frame(None, "map");
        assert_eq!(
            refused,
            Err("pose in frame \"map\"; expected world".to_string())
        );
    }
}
