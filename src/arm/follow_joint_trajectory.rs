//! Server of the action `control_msgs/action/FollowJointTrajectory` for one group of joints.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::arm::goal_status::{
    Binding, ClientGoalState, GoalObserver, GoalReport, GroupStatus, Slot,
};
use crate::arm::request::{Rejection, goal_trajectory};
use crate::arm::state;
use crate::input::mailbox::Mailbox;
use crate::topics::GroupIndex;
use merrow_messages::frames::ObjectStates;
use merrow_model::scene::Scene;
use merrow_model::state::joint::{GoalState, Trajectory};
use merrow_model::state::{Command, JointCommand};
use merrow_ros2::cdr::CdrError;
use merrow_ros2::goals::GoalId;
use merrow_ros2::msg::control_msgs::follow_joint_trajectory::{
    Action, Feedback, Goal, Result as Outcome,
};
use merrow_ros2::node::{ActionServer, Executor, GoalHandle, Node, NodeError};

/// Starts the action server named `label` for the group `group_index`. Returns the server and the
/// observer that reports on its goals.
///
/// # Errors
/// An endpoint could not be created.
pub(super) fn start(
    node: &Node,
    label: &str,
    group_index: GroupIndex,
    mailbox: &Mailbox,
) -> Result<(ActionServer<Action>, Arc<dyn GoalObserver>), NodeError> {
    let slot = Slot::new(group_index, mailbox);
    let follower = Follower {
        label: label.to_string(),
        slot: Arc::clone(&slot),
    };
    let server = ActionServer::start(node, label, Arc::clone(&mailbox.progress.now_ns), follower)?;
    Ok((server, slot))
}

struct Follower {
    label: String,
    slot: Arc<Slot<Action>>,
}

impl Executor<Action> for Follower {
    type Task = Trajectory;

    fn check(&mut self, goal: Goal) -> Result<Trajectory, Outcome> {
        let Binding {
            group_index,
            mailbox,
        } = self.slot.binding();
        let (robot, group) = group_index.lookup(&mailbox.scene);
        let now_ns = mailbox.progress.now_ns.load(Ordering::Relaxed);
        goal_trajectory(robot, group, goal, now_ns).map_err(|Rejection { code, reason }| {
            mailbox.reject(
                Some(group_index.robot),
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
        let trajectory = Arc::new(task);
        self.slot.start(goal, |GroupIndex { robot, group }, id| {
            Command::Joint(
                robot,
                JointCommand::Trajectory {
                    group,
                    id,
                    trajectory,
                },
            )
        });
    }

    fn cancel(&mut self, id: GoalId) {
        self.slot.cancel(id);
    }

    fn replaced_result(&mut self) -> Outcome {
        Action::aborted_result("replaced by another goal")
    }

    fn report_malformed(&mut self, what: &str, why: &CdrError) {
        self.slot.binding().mailbox.reject(
            None,
            &self.label,
            &format!("malformed {what} request: {why}"),
        );
    }
}

impl GoalReport for Action {
    fn build_result(scene: &Scene, status: &GroupStatus, goal: ClientGoalState) -> Outcome {
        let (robot, _) = status.group.lookup(scene);
        let (error_code, error_string) = match goal.state {
            GoalState::Succeeded => (Outcome::SUCCESSFUL, "goal reached".to_string()),
            GoalState::Cancelled => (
                Outcome::SUCCESSFUL,
                "canceled; the joints hold their position".to_string(),
            ),
            GoalState::Aborted(why) => (why.code(), why.text(robot)),
            GoalState::Preempted => return Self::aborted_result("replaced by another command"),
            GoalState::Active => {
                return Self::aborted_result(
                    "the robot was halted because its state is not finite",
                );
            }
        };
        Outcome {
            error_code,
            error_string,
        }
    }

    fn build_feedback(scene: &Scene, snapshot: &ObjectStates, group_index: GroupIndex) -> Feedback {
        state::feedback(scene, snapshot, group_index)
    }

    fn aborted_result(reason: &str) -> Outcome {
        Outcome {
            error_code: Outcome::INVALID_GOAL,
            error_string: reason.to_string(),
        }
    }
}
