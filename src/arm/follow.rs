//! Server of the action `control_msgs/action/FollowJointTrajectory` for one group of joints.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::arm::request::{Rejection, goal_trajectory};
use crate::arm::watch::{GroupStatus, Slot, Speech, Standing, Watched};
use crate::arm::{Place, state};
use crate::input::Mailbox;
use crate::node::frames::Snapshot;
use merrow_model::scene::Scene;
use merrow_model::state::Command;
use merrow_model::state::joint::{GoalState, Trajectory};
use merrow_ros2::cdr::CdrError;
use merrow_ros2::dds::{ActionServer, Executor, GoalHandle, Node, NodeError};
use merrow_ros2::goals::GoalId;
use merrow_ros2::msg::control_msgs::follow_joint_trajectory::{
    Action, Feedback, Goal, Result as Outcome,
};

/// Starts the action server named `label` for the group `place`. Returns the server and the
/// observer that reports on its goals.
///
/// # Errors
/// An endpoint could not be created.
pub fn start(
    node: &Node,
    label: &str,
    place: Place,
    mailbox: &Mailbox,
) -> Result<(ActionServer<Action>, Box<dyn Watched>), NodeError> {
    let slot = Slot::new(place);
    let follower = Follower {
        mailbox: mailbox.clone(),
        label: label.to_string(),
        place,
        slot: Arc::clone(&slot),
    };
    let server = ActionServer::start(node, label, Arc::clone(&mailbox.progress.now_ns), follower)?;
    Ok((server, Box::new(slot)))
}

struct Follower {
    mailbox: Mailbox,
    label: String,
    place: Place,
    slot: Arc<Slot<Action>>,
}

impl Executor<Action> for Follower {
    type Task = Trajectory;

    fn check(&mut self, goal: Goal) -> Result<Trajectory, Outcome> {
        let (robot, group) = self.place.of(&self.mailbox.scene);
        let now_ns = self.mailbox.progress.now_ns.load(Ordering::Relaxed);
        goal_trajectory(robot, group, goal, now_ns).map_err(|Rejection { code, reason }| {
            self.mailbox.refuse(
                Some(self.place.robot),
                &self.label,
                &format!("goal rejected: {reason}"),
            );
            Outcome {
                error_code: code,
                error_string: reason,
            }
        })
    }

    fn start(&mut self, goal: GoalHandle<Action>, task: Trajectory) {
        let Place { robot, group } = self.place;
        let trajectory = Arc::new(task);
        self.slot
            .start(&self.mailbox, goal, |id| Command::Trajectory {
                robot,
                group,
                id,
                trajectory,
            });
    }

    fn cancel(&mut self, id: GoalId) {
        self.slot.cancel(&self.mailbox, id);
    }

    fn replaced(&mut self) -> Outcome {
        Action::given_up("replaced by another goal")
    }

    fn malformed(&mut self, what: &str, why: &CdrError) {
        self.mailbox.refuse(
            None,
            &self.label,
            &format!("malformed {what} request: {why}"),
        );
    }
}

impl Speech for Action {
    fn result_of(scene: &Scene, status: &GroupStatus, goal: Standing) -> Outcome {
        let (robot, _) = status.place.of(scene);
        let (error_code, error_string) = match goal.state {
            GoalState::Succeeded => (Outcome::SUCCESSFUL, "goal reached".to_string()),
            GoalState::Cancelled => (Outcome::SUCCESSFUL, "canceled; the joints hold their position".to_string()),
            GoalState::Aborted(why) => (why.code(), why.text(robot)),
            GoalState::Preempted => return Self::given_up("replaced by another command"),
            GoalState::Active => {
                return Self::given_up("the robot was halted because its state is not finite");
            }
        };
        Outcome {
            error_code,
            error_string,
        }
    }

    fn feedback_of(scene: &Scene, snapshot: &Snapshot, place: Place) -> Feedback {
        state::feedback(scene, snapshot, place)
    }

    fn given_up(reason: &str) -> Outcome {
        Outcome {
            error_code: Outcome::INVALID_GOAL,
            error_string: reason.to_string(),
        }
    }
}
