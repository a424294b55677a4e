//! What every input needs: the scene, the way to the run, and the report of rejections.

use crate::arm::progress::Progress;
use crate::node::checkpoint::FileWriter;
use crate::node::diagnostics::Rejections;
use crate::node::file_access::FileAccess;
use crate::publisher::state::Task;
use crossbeam_channel::Sender;
use merrow_messages::convert::WORLD_FRAME;
use merrow_messages::frames::world_frame;
use merrow_model::scene::{Robot, Scene};
use merrow_ros2::cdr::{Cdr, from_bytes};
use merrow_ros2::node::Logger;
use merrow_sim::{Request, SceneVersion};
use merrow_yaml::error::known_names;
use std::sync::Arc;

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
