//! Subscribed commands: decodes them, checks their form and sends them to the run. This module does
//! not access the simulation state.

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

use crate::topics::{Arrival, Input};
use merrow_control::modes;
use merrow_math::Vec3;
use merrow_messages::convert::{WORLD_FRAME, from_vector3};
use merrow_model::scene::{JointKind, JointMode, LinkFrame, Robot, Scene};
use merrow_model::state::{
    ActuatorCommand, AppliedWrench, BodyCommand, Command, FirmwareCommand, JointCommand,
    WrenchFrame, WrenchSource,
};
use merrow_ros2::msg::geometry_msgs::{Wrench, WrenchStamped};
use merrow_ros2::msg::sensor_msgs::JointState;
use merrow_ros2::msg::std_msgs::Float64MultiArray;
use merrow_ros2::node::{Callback, Node, NodeError, Subscription};
use merrow_sim::{InputMessage, Request};
use merrow_yaml::error::known_names;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Time for which a wrench from a topic acts [s].
pub const WRENCH_TIMEOUT_S: f64 = 0.5;

/// A subscription to an input. It is kept while the input exists, so that no message is lost.
pub(crate) struct InputSubscription {
    input: Input,
    /// Callback for the current version of the scene.
    callback: Arc<Mutex<Callback>>,
    _subscription: Subscription,
}

/// Subscribes to the inputs of a plan for the scene of the mailbox. Subscriptions that exist are
/// kept.
pub(crate) fn subscribe(
    node: &Node,
    former: Vec<InputSubscription>,
    inputs: &[Input],
    mailbox: &Mailbox,
) -> Result<Vec<InputSubscription>, NodeError> {
    let former = former.into_iter().map(|own| (own.input.topic.clone(), own));
    let mut former: HashMap<String, InputSubscription> = former.collect();
    let mut all = Vec::with_capacity(inputs.len());
    for input in inputs {
        let callback = callback(mailbox, input);
        let kept = former.remove(&input.topic);
        let is_same = |old: &Input| old.info.name == input.info.name && old.qos == input.qos;
        if let Some(mut kept) = kept.filter(|kept| is_same(&kept.input)) {
            kept.input = input.clone();
            *kept.callback.lock() = callback;
            all.push(kept);
            continue;
        }
        let callback = Arc::new(Mutex::new(callback));
        let current = Arc::clone(&callback);
        let call = Box::new(move |bytes: &[u8]| (current.lock())(bytes));
        all.push(InputSubscription {
            _subscription: node.subscription(&input.topic, input.info, &input.qos, call)?,
            input: input.clone(),
            callback,
        });
    }
    Ok(all)
}

/// Returns the callback of an input topic.
fn callback(mailbox: &Mailbox, input: &Input) -> Callback {
    let mailbox = mailbox.clone();
    let (topic, robot): (Arc<str>, _) = (input.topic.as_str().into(), input.robot);
    let decode = Arc::clone(&input.decode);
    let mut goals = GoalNotes::default();
    Box::new(move |bytes| {
        let arrival = Arrival {
            scene: &mailbox.scene,
            progress: &mailbox.run.progress,
        };
        match decode(arrival, bytes) {
            Ok(commands) => {
                let now_ns = mailbox.run.progress.now_ns.load(Ordering::Relaxed);
                for command in &commands {
                    if let Some(note) = goals.note(&mailbox.scene, now_ns, command) {
                        mailbox.run.logger.info(note);
                    }
                }
                let message = InputMessage {
                    topic: Arc::clone(&topic),
                    bytes: bytes.to_vec(),
                };
                let request = Request::Input(mailbox.version, commands, message);
                mailbox.send_request(request);
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
    /// Returns the line to log about a goal or a path that the vehicle does not reach, once per goal;
    /// for a stream of goals once per [`NOTE_EVERY_NS`].
    fn note(&mut self, scene: &Scene, now_ns: u64, command: &Command) -> Option<String> {
        let Command::Firmware(robot, command) = command else {
            return None;
        };
        let (end, path) = match command {
            FirmwareCommand::PoseGoal { p_WB, .. } => (*p_WB, None),
            FirmwareCommand::FollowPath { waypoints } => (*waypoints.last()?, Some(waypoints)),
            FirmwareCommand::Velocity { .. }
            | FirmwareCommand::HeadingDepth { .. }
            | FirmwareCommand::ControlMode { .. }
            | FirmwareCommand::Joystick { .. }
            | FirmwareCommand::Gain { .. }
            | FirmwareCommand::FirmwareOrder { .. } => return None,
        };
        let is_known = |(p, noted): (Vec3, u64)| p == end || now_ns.abs_diff(noted) < NOTE_EVERY_NS;
        if self.last.is_some_and(is_known) {
            return None;
        }
        let note = match path {
            None => modes::goal_note(scene, *robot, end),
            Some(waypoints) => modes::path_note(scene, *robot, waypoints),
        }?;
        self.last = Some((end, now_ns));
        Some(note)
    }
}

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
            FirmwareCommand::PoseGoal {
                p_WB: Vec3::new(x, 0.0, 0.0),
                q_WB: None,
            }
            .of(robot)
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
