//! ROS action types: the trait, and the macro that declares them.
//!
//! An action is three messages of its author (goal, result, feedback) and what rosidl makes of them: two services that
//! carry goal and result together with the goal's name, and the feedback message with it. The declarations are in
//! `msg/`. Nothing here knows a server.

use crate::message::{Message, Service};
use crate::msg::builtin_interfaces::Time;
use crate::msg::unique_identifier_msgs::UUID;

/// A ROS action type. Declared by `ros_action!`, never by hand.
pub trait Action: Send + 'static {
    /// What a client wants done.
    type Goal: Message;
    /// How it ended.
    type Result: Message + Clone;
    /// How it goes.
    type Feedback: Message;
    /// The service that takes a goal.
    type SendGoal: Service;
    /// The service that answers when a goal has ended.
    type GetResult: Service;
    /// The topic of the feedback.
    type FeedbackMessage: Message;
    /// ROS name, as `control_msgs/action/FollowJointTrajectory`.
    const TYPE: &'static str;

    /// Name and goal of a request.
    fn goal(request: <Self::SendGoal as Service>::Request) -> (UUID, Self::Goal);

    /// Whether a goal is accepted, and when.
    fn answer(accepted: bool, stamp: Time) -> <Self::SendGoal as Service>::Response;

    /// Name of the goal whose result is asked for.
    fn asked(request: <Self::GetResult as Service>::Request) -> UUID;

    /// A goal's end: a `STATUS_` constant of `action_msgs/msg/GoalStatus`, and the result.
    fn result(status: i8, result: Self::Result) -> <Self::GetResult as Service>::Response;

    /// Feedback on a goal.
    fn feedback(goal_id: UUID, feedback: Self::Feedback) -> Self::FeedbackMessage;
}

/// Declares action types, each a module with `Goal`, `Result`, `Feedback`, what rosidl makes of them and the type
/// `Action` itself; the fields are written as in `ros_message!`:
/// `pub mod gripper_command("control_msgs/action/GripperCommand") { goal { .. } result { .. } feedback { .. } }`.
#[macro_export]
macro_rules! ros_action {
    ($(
        $(#[$meta:meta])*
        pub mod $module:ident($type:literal) {
            goal { $($goal:tt)* }
            result { $($result:tt)* } $(consts { $($result_consts:tt)* })?
            feedback { $($feedback:tt)* }
        }
    )+) => {$(
        $(#[$meta])*
        pub mod $module {
            use super::*;
            use $crate::msg::{builtin_interfaces, unique_identifier_msgs};

            #[doc = concat!("The action `", $type, "`.")]
            #[derive(Debug, Clone, Copy)]
            pub struct Action;

            $crate::message::ros_message! {
                #[doc = concat!("What a client of `", $type, "` wants done.")]
                pub struct Goal(concat!($type, "_Goal")) { $($goal)* }

                #[doc = concat!("How a goal of `", $type, "` ended.")]
                pub struct Result(concat!($type, "_Result")) { $($result)* } $(consts { $($result_consts)* })?

                #[doc = concat!("How a goal of `", $type, "` goes.")]
                pub struct Feedback(concat!($type, "_Feedback")) { $($feedback)* }

                #[doc = concat!("How a goal of `", $type, "` goes, with its name.")]
                pub struct FeedbackMessage(concat!($type, "_FeedbackMessage")) {
                    /// Which goal.
                    goal_id: unique_identifier_msgs::UUID,
                    /// How it goes.
                    feedback: Feedback,
                }
            }

            $crate::message::ros_service! {
                #[doc = concat!("Takes a goal of `", $type, "`.")]
                pub struct SendGoal(concat!($type, "_SendGoal")) {
                    request SendGoalRequest {
                        /// The client's name for the goal.
                        goal_id: unique_identifier_msgs::UUID,
                        /// What is to be done.
                        goal: Goal,
                    }
                    response SendGoalResponse {
                        /// Whether it will be done.
                        accepted: bool,
                        /// When it was accepted.
                        stamp: builtin_interfaces::Time,
                    }
                }

                #[doc = concat!("Answers when a goal of `", $type, "` has ended.")]
                pub struct GetResult(concat!($type, "_GetResult")) {
                    request GetResultRequest {
                        /// Which goal.
                        goal_id: unique_identifier_msgs::UUID,
                    }
                    response GetResultResponse {
                        /// How it ended: a `STATUS_` constant of `action_msgs/msg/GoalStatus`.
                        status: i8,
                        /// What came of it.
                        result: Result,
                    }
                }
            }

            impl $crate::action_type::Action for Action {
                type Goal = Goal;
                type Result = Result;
                type Feedback = Feedback;
                type SendGoal = SendGoal;
                type GetResult = GetResult;
                type FeedbackMessage = FeedbackMessage;
                const TYPE: &'static str = $type;

                fn goal(request: SendGoalRequest) -> (unique_identifier_msgs::UUID, Goal) {
                    (request.goal_id, request.goal)
                }

                fn answer(accepted: bool, stamp: builtin_interfaces::Time) -> SendGoalResponse {
                    SendGoalResponse { accepted, stamp }
                }

                fn asked(request: GetResultRequest) -> unique_identifier_msgs::UUID {
                    request.goal_id
                }

                fn result(status: i8, result: Result) -> GetResultResponse {
                    GetResultResponse { status, result }
                }

                fn feedback(goal_id: unique_identifier_msgs::UUID, feedback: Feedback) -> FeedbackMessage {
                    FeedbackMessage { goal_id, feedback }
                }
            }
        }
    )+};
}

pub use ros_action;
