//! `action_msgs`: what all action servers publish and answer alike, whatever their goals are.

use crate::message::{ros_message, ros_service};
use crate::msg::builtin_interfaces::Time;
use crate::msg::unique_identifier_msgs::UUID;

ros_message! {
    /// A goal: its name and when it was accepted.
    pub struct GoalInfo("action_msgs/msg/GoalInfo") {
        /// The client's name for it.
        goal_id: UUID,
        /// When it was accepted; in a cancel request, 0 or the last instant of acceptance to cancel.
        stamp: Time,
    }

    /// A goal and how far it is.
    pub struct GoalStatus("action_msgs/msg/GoalStatus") {
        /// Which goal.
        goal_info: GoalInfo,
        /// A `STATUS_` constant.
        status: i8,
    } consts {
        STATUS_UNKNOWN: i8 = 0,
        STATUS_ACCEPTED: i8 = 1,
        STATUS_EXECUTING: i8 = 2,
        STATUS_CANCELING: i8 = 3,
        STATUS_SUCCEEDED: i8 = 4,
        STATUS_CANCELED: i8 = 5,
        STATUS_ABORTED: i8 = 6,
    }

    /// All goals that a server remembers, as it publishes them whenever one changes.
    pub struct GoalStatusArray("action_msgs/msg/GoalStatusArray") {
        /// The goals, oldest first.
        status_list: Vec<GoalStatus>,
    }
}

ros_service! {
    /// Asks that goals end before they are done.
    pub struct CancelGoal("action_msgs/srv/CancelGoal") {
        request CancelGoalRequest {
            /// Which: one by its name, all up to an instant, both, or with zeros in both all there are.
            goal_info: GoalInfo,
        }
        response CancelGoalResponse {
            /// An `ERROR_` constant.
            return_code: i8,
            /// Goals that are being canceled now.
            goals_canceling: Vec<GoalInfo>,
        } consts {
            ERROR_NONE: i8 = 0,
            ERROR_REJECTED: i8 = 1,
            ERROR_UNKNOWN_GOAL_ID: i8 = 2,
            ERROR_GOAL_TERMINATED: i8 = 3,
        }
    }
}
