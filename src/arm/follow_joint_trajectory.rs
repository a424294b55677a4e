//! Goals of the action `control_msgs/action/FollowJointTrajectory` for one group of joints.

use std::sync::Arc;

use crate::arm::goal_status::{ClientGoalState, GroupAction, GroupStatus};
use crate::arm::request::{Rejection, goal_trajectory};
use crate::arm::state;
use crate::topics::GroupIndex;
use merrow_messages::frames::ObjectStates;
use merrow_model::scene::{JointGroup, Robot, Scene};
use merrow_model::state::JointCommand;
use merrow_model::state::joint::{GoalState, Trajectory};
use merrow_ros2::msg::control_msgs::follow_joint_trajectory::{
    Action, Feedback, Goal, Result as Outcome,
};

impl GroupAction for Action {
    type Task = Trajectory;

    fn check(
        robot: &Robot,
        group: &JointGroup,
        goal: Goal,
        now_ns: u64,
    ) -> Result<Trajectory, (String, Outcome)> {
        goal_trajectory(robot, group, goal, now_ns).map_err(|Rejection { code, reason }| {
            let result = Outcome {
                error_code: code,
                error_string: reason.clone(),
            };
            (reason, result)
        })
    }

    fn command(group: usize, id: u64, task: Trajectory) -> JointCommand {
        let trajectory = Arc::new(task);
        JointCommand::Trajectory {
            group,
            id,
            trajectory,
        }
    }

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
