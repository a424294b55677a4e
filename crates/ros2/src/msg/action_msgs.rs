//! `action_msgs`: messages that all action servers share, independent of the goal type.

use crate::message::{ros_message, ros_service};
use crate::msg::builtin_interfaces::Time;
use crate::msg::unique_identifier_msgs::UUID;

ros_message! {
    /// Identifier of a goal and the time of its acceptance.
    pub struct GoalInfo("action_msgs/msg/GoalInfo") {
        /// Identifier chosen by the client.
        goal_id: UUID,
        /// Acceptance time. In a cancel request: 0, or the latest acceptance time of the goals to
        /// cancel.
        stamp: Time,
    }

    /// A goal and its status.
    pub struct GoalStatus("action_msgs/msg/GoalStatus") {
        /// Identifier and acceptance time of the goal.
        goal_info: GoalInfo,
        /// Status, a `STATUS_` constant.
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

    /// All goals that a server stores, published whenever the status of one changes.
    pub struct GoalStatusArray("action_msgs/msg/GoalStatusArray") {
        /// Goals in order of acceptance, oldest first.
        status_list: Vec<GoalStatus>,
    }
}

ros_service! {
    /// Requests the cancellation of goals.
    pub struct CancelGoal("action_msgs/srv/CancelGoal") {
        request CancelGoalRequest {
            /// Goals to cancel: one by its identifier, all up to an acceptance time, both of these,
            /// or all goals if both fields are zero.
            goal_info: GoalInfo,
        }
        response CancelGoalResponse {
            /// Result of the request, an `ERROR_` constant.
            return_code: i8,
            /// Goals that are being canceled.
            goals_canceling: Vec<GoalInfo>,
        } consts {
            ERROR_NONE: i8 = 0,
            ERROR_REJECTED: i8 = 1,
            ERROR_UNKNOWN_GOAL_ID: i8 = 2,
            ERROR_GOAL_TERMINATED: i8 = 3,
        }
    }
}
