//! Topics to which the node subscribes: their messages become commands in a request to the run, or a
//! rejection. Inputs do not access the state of the simulation.

use crate::arm::progress::Progress;
use crate::node::checkpoint::FileWriter;
use crate::node::diagnostics::Rejections;
use crate::node::file_access::FileAccess;
use crate::publisher::state::Task;
use crossbeam_channel::Sender;
use merrow_control::modes;
use merrow_math::Vec3;
use merrow_messages::convert::WORLD_FRAME;
use merrow_messages::frames::world_frame;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::{Command, FirmwareCommand};
use merrow_ros2::cdr::{Cdr, from_bytes};
use merrow_ros2::message::{Message, TypeInfo};
use merrow_ros2::msg::std_msgs::Float64;
use merrow_ros2::node::{Callback, Logger, Node, NodeError, Subscription};
use merrow_ros2::qos::Qos;
use merrow_sim::{InputMessage, Request, SceneVersion};
use merrow_view::teleoperation::actuators::ActuatorControl;
use merrow_yaml::error::known_names;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Context of all inputs.
#[derive(Clone)]
pub struct Mailbox {
    /// Scene of the world, to which all indices refer.
    pub scene: Arc<Scene>,
    /// Version of the scene.
    pub version: SceneVersion,
    /// Connection to the run.
    pub run: RunLink,
}

/// Connection of a node to its run, which does not change with the scene.
#[derive(Clone)]
pub struct RunLink {
    /// Channel of requests to the running world.
    pub requests: Sender<Request>,
    /// Tasks of the publisher thread.
    pub tasks: Sender<Task>,
    /// Counters of rejected requests.
    pub rejections: Arc<Rejections>,
    /// Logger that reports rejections.
    pub logger: Logger,
    /// Progress of the run.
    pub progress: Arc<Progress>,
    /// Files that requests may write.
    pub files: FileAccess,
    /// Thread that writes them.
    pub writer: FileWriter,
}

impl Mailbox {
    /// Counts and reports a rejection. Without a robot it counts for the node.
    pub fn reject(&self, robot: Option<usize>, topic: &str, why: &str) {
        let robot = robot.and_then(|robot| self.scene.robots.get(robot));
        self.run.reject(robot.map(|robot| &robot.name), topic, why);
    }

    /// Sends a request to the run. If the run has ended, the request is dropped together with its
    /// caller.
    pub(crate) fn send_request(&self, request: Request) {
        let _ = self.run.requests.send(request);
    }
}

impl RunLink {
    /// Counts and reports a rejection for the robot with this name, or for the node.
    pub(crate) fn reject(&self, robot: Option<&String>, topic: &str, why: &str) {
        if let Some(line) = self.rejections.count(robot, &format!("{topic}: {why}")) {
            self.logger.warn(line);
        }
    }
}

/// Returns the index of an object of a `kind` by its name, among the names of all of them.
///
/// # Errors
/// One line: there is no such object; with the name that was probably meant.
pub fn find_named<'a>(
    kind: &str,
    name: &str,
    names: impl Iterator<Item = &'a String> + Clone,
) -> Result<usize, String> {
    let found = names.clone().position(|own| own == name);
    found.ok_or_else(|| {
        let known = known_names(name, names.map(String::as_str));
        format!("no {kind} {name:?}{known}")
    })
}

/// Returns the index of the robot with this name.
///
/// # Errors
/// One line: there is no such robot.
pub fn find_robot(scene: &Scene, name: &str) -> Result<usize, String> {
    find_named("robot", name, scene.robots.iter().map(|robot| &robot.name))
}

/// Returns the values of a request by name; of a repeated name the last one.
///
/// # Errors
/// One line: the numbers of names and of values differ.
pub(crate) fn named_values(
    names: &[String],
    values: &[f64],
) -> Result<impl Fn(&str) -> Option<f64>, String> {
    if names.len() != values.len() {
        let (names, values) = (names.len(), values.len());
        return Err(format!(
            "expected one value for each name, found {values} values for {names} names"
        ));
    }
    Ok(|name: &str| names.iter().rposition(|own| own == name).map(|k| values[k]))
}

/// Checks that a pose is in the frame of the world, which the profile of `robot` can rename; an
/// empty frame is taken to be this frame.
pub(crate) fn check_frame(robot: Option<&Robot>, frame: &str) -> Result<(), String> {
    let own = robot.map_or(WORLD_FRAME, world_frame);
    if frame.is_empty() || frame == WORLD_FRAME || frame == own {
        return Ok(());
    }
    Err(format!("pose in frame {frame:?}; expected {own}"))
}

/// Decodes a message from its CDR bytes.
pub(crate) fn read<M: Cdr>(bytes: &[u8]) -> Result<M, String> {
    from_bytes(bytes).map_err(|e| format!("malformed message: {e}"))
}

/// What a decoder knows beside its message.
#[derive(Clone, Copy)]
pub struct Arrival<'a> {
    /// Scene of the world.
    pub scene: &'a Scene,
    /// Progress of the run.
    pub progress: &'a Progress,
}

/// Commands of a message, or the reason in one line why it is invalid.
pub type Decoded = Result<Vec<Command>, String>;

/// Converts a message in CDR to commands.
pub type Decoder = Arc<dyn Fn(Arrival<'_>, &[u8]) -> Decoded + Send + Sync>;

/// What a decoder returns: a command, or the reason why there is none.
pub trait IntoDecoded {
    /// Returns the commands.
    fn into_decoded(self) -> Decoded;
}

impl IntoDecoded for Command {
    fn into_decoded(self) -> Decoded {
        Ok(vec![self])
    }
}

impl IntoDecoded for Result<Command, String> {
    fn into_decoded(self) -> Decoded {
        self.map(|command| vec![command])
    }
}

impl IntoDecoded for Decoded {
    fn into_decoded(self) -> Decoded {
        self
    }
}

/// Control of the live view that commands by an input.
#[derive(Clone, PartialEq)]
pub enum PageControl {
    /// Sticks, as velocities.
    Velocity,
    /// Sticks, as forces and moments; only for a robot without velocities.
    Wrench,
    /// A goal on the map.
    Goal,
    /// A path on the map.
    Path,
    /// A gamepad.
    Gamepad,
    /// A push on a link. The inputs of a robot are in the order of its links.
    Push,
    /// A slider.
    Slider(ActuatorControl),
    /// A slider for each joint.
    Joints(Vec<ActuatorControl>),
}

/// A topic to which the node subscribes.
#[derive(Clone)]
pub struct Input {
    /// Topic name, without remapping.
    pub topic: String,
    /// Message type of the topic.
    pub info: &'static TypeInfo,
    /// Quality of service of the subscription.
    pub qos: Qos,
    /// Unit and range of the command, as text for users.
    pub unit: String,
    /// Robot that counts the rejections, by its index.
    pub robot: Option<usize>,
    /// Conversion of a message to commands.
    pub decode: Decoder,
    /// Control of the live view with the same effect.
    pub control: Option<PageControl>,
}

impl Input {
    /// Returns an input that converts messages in CDR.
    pub fn raw(
        topic: impl Into<String>,
        info: &'static TypeInfo,
        unit: impl Into<String>,
        decode: impl Fn(Arrival<'_>, &[u8]) -> Decoded + Send + Sync + 'static,
    ) -> Self {
        Self {
            topic: topic.into(),
            info,
            qos: Qos::COMMAND,
            unit: unit.into(),
            robot: None,
            decode: Arc::new(decode),
            control: None,
        }
    }

    /// Returns an input that converts messages of type `M`.
    pub fn new<M: Message, R: IntoDecoded>(
        topic: impl Into<String>,
        unit: impl Into<String>,
        decode: impl Fn(Arrival<'_>, M) -> R + Send + Sync + 'static,
    ) -> Self {
        Self::raw(topic, M::info(), unit, move |arrival, bytes| {
            decode(arrival, read(bytes)?).into_decoded()
        })
    }

    /// Returns an input of one number, which a slider of the live view also commands.
    pub fn slider(
        topic: impl Into<String>,
        unit: impl Into<String>,
        control: ActuatorControl,
        command: impl Fn(f64) -> Command + Send + Sync + 'static,
    ) -> Self {
        Self::new(topic, unit, move |_, message: Float64| {
            command(message.data)
        })
        .on_page(PageControl::Slider(control))
    }

    /// Sets the control of the live view with the same effect.
    #[must_use]
    pub fn on_page(self, control: PageControl) -> Self {
        Self {
            control: Some(control),
            ..self
        }
    }
}

/// Subscribes to the inputs of a plan for the scene of the mailbox. A topic that is already
/// subscribed to keeps its subscription, so that no message is lost.
///
/// # Errors
/// The topic whose subscription could not be created.
pub(crate) fn subscribe(
    node: &Node,
    inputs: &[Input],
    mailbox: &Mailbox,
) -> Result<Vec<Subscription>, NodeError> {
    let subscribe = |input: &Input| {
        let callback = callback(mailbox, input);
        node.subscription(&input.topic, input.info, &input.qos, callback)
    };
    inputs.iter().map(subscribe).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

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
