//! Interface through which the view changes the running world.

use crate::action::ControlAction;
use crate::images::{DrawnImage, ImageSource, WatchedFrame};
use crate::picture;
use crate::teleoperation::actuators::ActuatorControl;
use bytes::Bytes;
use merrow_model::scene::{Scene, Sensor};
use merrow_sim::SceneVersion;
use merrow_world::build::fault::RequestValues;
use merrow_world::catalogue::BundledModel;
use merrow_world::document::Placement;
use std::sync::Arc;

/// Topics through which the view commands a robot.
#[derive(Clone, Debug, Default)]
pub struct RobotControls {
    /// Topic of drive commands; `None` if the robot has none.
    pub drive: Option<String>,
    /// Topic of paths; `None` if the robot follows no paths.
    pub path: Option<String>,
    /// Topic of pose goals; `None` if the robot moves to no goals.
    pub goal: Option<String>,
    /// Why the robot moves to no goals; `None` if it does.
    pub no_goal: Option<String>,
    /// Topic of gamepads; `None` if the robot has none.
    pub gamepad: Option<String>,
    /// Names of the modes that the firmware of the robot has.
    pub modes: Vec<&'static str>,
    /// Actuators that can be commanded.
    pub actuators: Vec<ActuatorControl>,
}

/// Models and faults that the page offers.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    /// Robots and props that can be added.
    pub models: Vec<BundledModel>,
    /// Names of the bundled worlds that can be opened.
    pub worlds: Vec<String>,
    /// Kinds of faults with the names of their values.
    pub faults: Vec<RequestValues>,
}

/// State of the controls that the page shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ControlState {
    /// True if objects can be added, removed and moved.
    pub can_edit: bool,
    /// Change that can be undone, as text.
    pub undo: Option<String>,
    /// Change that can be repeated, as text.
    pub redo: Option<String>,
    /// Structures that can be moved, by name.
    pub structures: Vec<(String, Placement)>,
    /// True while a bag is recorded; `None` if recording is not possible.
    pub recording: Option<bool>,
}

/// Topic whose messages pages can plot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopicInfo {
    /// Name of the topic.
    pub name: String,
    /// ROS name of the message type.
    pub message_type: String,
}

/// Message of a topic that pages plot.
#[derive(Clone, Debug)]
pub struct TopicMessage {
    /// Name of the topic.
    pub topic: Arc<str>,
    /// Time of publication [ns].
    pub time_ns: u64,
    /// Encapsulated CDR bytes of the message.
    pub bytes: Bytes,
    /// Whether the message replaces all earlier messages of the topic.
    pub is_first: bool,
}

/// Numeric fields of a message, for plots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageNumbers {
    /// Time of the header; without a header, time of publication [s].
    pub time_s: f64,
    /// Paths and values of the fields that are numbers.
    pub fields: Vec<(String, f64)>,
}

/// Answer to an action: `Ok` with a text, which may be empty, or one line with the reason of the
/// refusal.
pub type Answer = Box<dyn FnOnce(Result<String, String>) + Send>;

/// Converts actions of clients to requests of the run, on the path of all other commands.
pub trait Controls: Send + Sync {
    /// Uses this version of the scene for later actions.
    fn set_scene(&self, _: &Arc<Scene>, _: SceneVersion) {}
    /// Returns the topics through which a robot is commanded.
    fn of_robot(&self, _robot: usize) -> RobotControls {
        RobotControls::default()
    }
    /// Requests an action. `answer` is called once, possibly on the thread of the run.
    fn request(&self, _: ControlAction, answer: Answer) {
        answer(Err("this view has no controls".to_string()));
    }
    /// Returns what the page offers. May read files; not called on the thread of the run.
    fn catalogue(&self) -> Catalogue {
        Catalogue::default()
    }
    /// Builds a world that contains only a model of the catalogue; `None` if it has none of this
    /// name. May read files; not called on the thread of the run.
    fn model(&self, _name: &str) -> Option<Scene> {
        None
    }
    /// Returns the images that a sensor can show, given the indices of its robot and of the sensor;
    /// `None` without images.
    fn image_source(&self, _place: (usize, usize), _: &Sensor) -> Option<ImageSource> {
        None
    }
    /// Returns the first and the last time of the recording that the view shows [s]; `None` for a
    /// running world.
    fn recording_bounds(&self) -> Option<[f64; 2]> {
        None
    }
    /// Draws the image `kind` of a sensor from its recent frames. Not called on the thread of the
    /// run.
    fn image(&self, sensor: &Sensor, kind: &str, frames: &[WatchedFrame]) -> Option<DrawnImage> {
        picture::live::image(sensor, kind, frames)
    }
    /// Returns the topics that pages can plot. Not called on the thread of the run.
    fn topics(&self) -> Vec<TopicInfo> {
        Vec::new()
    }
    /// Replaces the topics whose messages [`Self::take_messages`] returns. A recording then returns
    /// all messages of these topics again. Called on the thread of the run.
    fn plot_topics(&self, _topics: &[String]) {}
    /// Returns the messages of the plotted topics since the preceding call. Messages of other nodes
    /// have the simulated time `now_ns` [ns]. Called on the thread of the run.
    fn take_messages(&self, _now_ns: u64) -> Vec<TopicMessage> {
        Vec::new()
    }
    /// Decodes the numbers of a message; `None` if it cannot be decoded. Not called on the thread
    /// of the run.
    fn numbers(&self, _: &TopicMessage) -> Option<MessageNumbers> {
        None
    }
    /// Returns the state of the controls. Called on the thread of the run.
    fn state(&self) -> ControlState {
        ControlState::default()
    }
}

/// Controls of a view without any control: every action is refused.
#[derive(Debug, Default)]
pub struct NoControls;

impl Controls for NoControls {}
