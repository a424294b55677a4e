//! Interface through which the view changes the running world.

use crate::action::ControlAction;
use merrow_model::scene::Scene;
use merrow_sim::SceneVersion;
use std::sync::Arc;

/// Topics through which the view commands a robot.
#[derive(Clone, Debug, Default)]
pub struct RobotControls {
    /// Topic of drive commands; `None` if the robot has none.
    pub drive: Option<String>,
    /// Topic of paths; `None` if the robot follows no paths.
    pub path: Option<String>,
}

/// Answer to an action: `Ok`, or one line with the reason of the refusal.
pub type Answer = Box<dyn FnOnce(Result<(), String>) + Send>;

/// Converts actions of clients to requests of the run, on the path of all other commands.
pub trait Controls: Send + Sync {
    /// Uses this version of the scene for later actions.
    fn set_scene(&self, scene: &Arc<Scene>, version: SceneVersion);
    /// Returns the topics through which a robot is commanded.
    fn of_robot(&self, robot: usize) -> RobotControls;
    /// Requests an action. `answer` is called once, possibly on the thread of the run.
    fn request(&self, action: ControlAction, answer: Answer);
}

/// Controls of a view without any control: every action is refused.
#[derive(Debug, Default)]
pub struct NoControls;

impl Controls for NoControls {
    fn set_scene(&self, _: &Arc<Scene>, _: SceneVersion) {}

    fn of_robot(&self, _: usize) -> RobotControls {
        RobotControls::default()
    }

    fn request(&self, _: ControlAction, answer: Answer) {
        answer(Err("this view has no controls".to_string()));
    }
}
