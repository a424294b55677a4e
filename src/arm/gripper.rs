//! Servers of the two gripper actions, `control_msgs/action/GripperCommand` and
//! `ParallelGripperCommand`, for one group of joints.

use std::sync::Arc;

use crate::arm::goal_status::{
    Binding, ClientGoalState, GoalObserver, GoalReport, GroupStatus, Slot,
};
use crate::arm::state;
use crate::input::mailbox::Mailbox;
use crate::topics::GroupIndex;
use merrow_messages::convert::header;
use merrow_messages::frames::ObjectStates;
use merrow_model::scene::{JointGroup, Robot, Scene};
use merrow_model::state::joint::{GoalState, Measured};
use merrow_model::state::{Command, JointCommand};
use merrow_ros2::cdr::CdrError;
use merrow_ros2::goals::GoalId;
use merrow_ros2::msg::control_msgs::{
    gripper_command as plain, parallel_gripper_command as parallel,
};
use merrow_ros2::msg::sensor_msgs::JointState;
use merrow_ros2::node::{ActionServer, Executor, GoalHandle, Node, NodeError};

/// Starts the action server named `label` for the group `group_index`. Returns the server and the
/// observer that reports on its goals.
///
/// # Errors
/// An endpoint could not be created.
pub(super) fn start<A: GripperAction>(
    node: &Node,
    label: &str,
    group_index: GroupIndex,
    mailbox: &Mailbox,
) -> Result<(ActionServer<A>, Arc<dyn GoalObserver>), NodeError> {
    let slot = Slot::new(group_index, mailbox);
    let gripper = Gripper {
        label: label.to_string(),
        slot: Arc::clone(&slot),
    };
    let server = ActionServer::start(node, label, Arc::clone(&mailbox.progress.now_ns), gripper)?;
    Ok((server, slot))
}

/// Checked goal of a gripper: target position and limit of the effort.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct GripperTarget {
    /// Target position of its joints [m or rad].
    position: f64,
    /// Maximum effort [N or N m]; 0 means the maximum of the drives.
    max_effort: f64,
}

/// State of a gripper at the end of a goal.
#[derive(Debug, Clone, Default)]
pub(super) struct GripperState {
    joint: String,
    measured: Measured,
    stalled: bool,
    reached: bool,
}

/// One of the two gripper actions.
pub(super) trait GripperAction: GoalReport {
    /// Extracts the target of a goal, or returns the reason why the goal is invalid.
    fn build_target(
        robot: &Robot,
        group: &JointGroup,
        goal: Self::Goal,
    ) -> Result<GripperTarget, String>;
    /// Builds the result message from the state of the gripper.
    fn result(state: GripperState) -> Self::Result;
}

struct Gripper<A: GripperAction> {
    label: String,
    slot: Arc<Slot<A>>,
}

impl<A: GripperAction> Executor<A> for Gripper<A> {
    type Task = GripperTarget;

    fn check(&mut self, goal: A::Goal) -> Result<GripperTarget, A::Result> {
        let Binding {
            group_index,
            mailbox,
        } = self.slot.binding();
        let (robot, group) = group_index.lookup(&mailbox.scene);
        A::build_target(robot, group, goal)
            .and_then(check_target)
            .map_err(|reason| {
                mailbox.reject(
                    Some(group_index.robot),
                    &self.label,
                    &format!("goal rejected: {reason}"),
                );
                A::aborted_result(&reason)
            })
    }

    fn start(&mut self, goal: GoalHandle<A>, aim: GripperTarget) {
        let GripperTarget {
            position,
            max_effort,
        } = aim;
        self.slot.start(goal, |GroupIndex { robot, group }, id| {
            Command::Joint(
                robot,
                JointCommand::Gripper {
                    group,
                    id,
                    position,
                    max_effort,
                },
            )
        });
    }

    fn cancel(&mut self, id: GoalId) {
        self.slot.cancel(id);
    }

    fn replaced_result(&mut self) -> A::Result {
        A::aborted_result("replaced by another goal")
    }

    fn report_malformed(&mut self, what: &str, why: &CdrError) {
        self.slot.binding().mailbox.reject(
            None,
            &self.label,
            &format!("malformed {what} request: {why}"),
        );
    }
}

fn check_target(aim: GripperTarget) -> Result<GripperTarget, String> {
    if !aim.position.is_finite() {
        return Err(format!(
            "position is {}; expected a finite number",
            aim.position
        ));
    }
    if !(aim.max_effort.is_finite() && aim.max_effort >= 0.0) {
        return Err(format!(
            "max_effort is {}; expected 0 (no limit) or more",
            aim.max_effort
        ));
    }
    Ok(aim)
}

/// Returns the state of the gripper at the end of its goal.
fn gripper_state(scene: &Scene, status: &GroupStatus, goal: ClientGoalState) -> GripperState {
    let (robot, group) = status.group.lookup(scene);
    GripperState {
        joint: first_name(robot, group),
        measured: status.first,
        stalled: goal.stalled,
        reached: goal.state == GoalState::Succeeded && !goal.stalled,
    }
}

fn first_name(robot: &Robot, group: &JointGroup) -> String {
    group
        .joints
        .first()
        .map(|joint| robot.links[joint + 1].joint.name.clone())
        .unwrap_or_default()
}

impl GripperAction for plain::Action {
    fn build_target(_: &Robot, _: &JointGroup, goal: plain::Goal) -> Result<GripperTarget, String> {
        Ok(GripperTarget {
            position: goal.command.position,
            max_effort: goal.command.max_effort,
        })
    }

    fn result(state: GripperState) -> plain::Result {
        let GripperState {
            measured,
            stalled,
            reached,
            ..
        } = state;
        plain::Result {
            position: measured.position,
            effort: measured.effort,
            stalled,
            reached_goal: reached,
        }
    }
}

impl GoalReport for plain::Action {
    fn build_result(scene: &Scene, status: &GroupStatus, goal: ClientGoalState) -> plain::Result {
        Self::result(gripper_state(scene, status, goal))
    }

    fn build_feedback(
        scene: &Scene,
        snapshot: &ObjectStates,
        group_index: GroupIndex,
    ) -> plain::Feedback {
        let (_, group) = group_index.lookup(scene);
        let first = group
            .joints
            .first()
            .map(|joint| snapshot.tracking[group_index.robot][*joint]);
        let Some(first) = first else {
            return plain::Feedback::default();
        };
        let rules = &scene.robots[group_index.robot].trajectories;
        plain::Feedback {
            position: first.actual.position,
            effort: first.actual.effort,
            stalled: false,
            reached_goal: first.position_error.abs() <= rules.gripper_tolerance,
        }
    }

    fn aborted_result(_: &str) -> plain::Result {
        Self::result(GripperState::default())
    }
}

impl GripperAction for parallel::Action {
    fn build_target(
        robot: &Robot,
        group: &JointGroup,
        goal: parallel::Goal,
    ) -> Result<GripperTarget, String> {
        let JointState {
            name,
            position,
            velocity,
            effort,
            ..
        } = goal.command;
        let known = |name: &String| {
            group
                .joints
                .iter()
                .any(|j| robot.links[j + 1].joint.name == *name)
        };
        if let Some(unknown) = name.iter().find(|name| !known(name)) {
            return Err(format!("no joint {unknown:?} in group {}", group.name));
        }
        let [position] = position[..] else {
            return Err(format!("expected 1 position, found {}", position.len()));
        };
        if let Some(velocity) = velocity.first() {
            return Err(format!(
                "expected no velocity, because the drive determines the speed, found {velocity}"
            ));
        }
        match effort[..] {
            [] => Ok(GripperTarget {
                position,
                max_effort: 0.0,
            }),
            [max_effort] => Ok(GripperTarget {
                position,
                max_effort,
            }),
            _ => Err(format!("expected 1 effort or none, found {}", effort.len())),
        }
    }

    fn result(state: GripperState) -> parallel::Result {
        let GripperState {
            joint,
            measured,
            stalled,
            reached,
        } = state;
        let state = JointState {
            name: vec![joint],
            position: vec![measured.position],
            velocity: vec![measured.velocity],
            effort: vec![measured.effort],
            ..JointState::default()
        };
        parallel::Result {
            state,
            stalled,
            reached_goal: reached,
        }
    }
}

impl GoalReport for parallel::Action {
    fn build_result(
        scene: &Scene,
        status: &GroupStatus,
        goal: ClientGoalState,
    ) -> parallel::Result {
        Self::result(gripper_state(scene, status, goal))
    }

    fn build_feedback(
        scene: &Scene,
        snapshot: &ObjectStates,
        group_index: GroupIndex,
    ) -> parallel::Feedback {
        let (robot, group) = group_index.lookup(scene);
        let state = state::joint_states(
            robot,
            group.joints.iter().copied(),
            snapshot,
            group_index.robot,
        );
        parallel::Feedback {
            state: JointState {
                header: header(snapshot.time_ns, ""),
                ..state
            },
        }
    }

    fn aborted_result(_: &str) -> parallel::Result {
        parallel::Result::default()
    }
}
