//! Goals of the two gripper actions, `control_msgs/action/GripperCommand` and
//! `ParallelGripperCommand`, for one group of joints.

use crate::arm::goal_status::{ClientGoalState, GroupAction, GroupStatus};
use crate::arm::state;
use crate::topics::GroupIndex;
use merrow_messages::convert::header;
use merrow_messages::frames::ObjectStates;
use merrow_model::scene::{JointGroup, Robot, Scene};
use merrow_model::state::JointCommand;
use merrow_model::state::joint::GoalState;
use merrow_ros2::msg::control_msgs::{
    gripper_command as plain, parallel_gripper_command as parallel,
};
use merrow_ros2::msg::sensor_msgs::JointState;

/// Checked goal of a gripper: the target position of its joints [m or rad], and the maximum effort
/// [N or N m]; 0 means the maximum of the drives.
type Target = [f64; 2];

fn check_target(position: f64, max_effort: f64) -> Result<Target, String> {
    if !position.is_finite() {
        return Err(format!("position is {position}; expected a finite number"));
    }
    if !(max_effort.is_finite() && max_effort >= 0.0) {
        return Err(format!(
            "max_effort is {max_effort}; expected 0 (no limit) or more"
        ));
    }
    Ok([position, max_effort])
}

/// Returns the target of a goal in the form of joint states, or the reason why it is invalid.
fn joint_target(robot: &Robot, group: &JointGroup, goal: &JointState) -> Result<Target, String> {
    let is_unknown = |name: &&String| group.names(robot).all(|known| known != **name);
    if let Some(unknown) = goal.name.iter().find(is_unknown) {
        return Err(format!("no joint {unknown:?} in group {}", group.name));
    }
    let [position] = goal.position[..] else {
        return Err(format!(
            "expected 1 position, found {}",
            goal.position.len()
        ));
    };
    if let Some(velocity) = goal.velocity.first() {
        return Err(format!(
            "expected no velocity, because the drive determines the speed, found {velocity}"
        ));
    }
    match goal.effort[..] {
        [] => check_target(position, 0.0),
        [max_effort] => check_target(position, max_effort),
        [..] => Err(format!(
            "expected 1 effort or none, found {}",
            goal.effort.len()
        )),
    }
}

fn command(group: usize, id: u64, [position, max_effort]: Target) -> JointCommand {
    JointCommand::Gripper {
        group,
        id,
        position,
        max_effort,
    }
}

/// Returns true if a gripper has reached its position at the end of its goal.
fn has_reached(goal: ClientGoalState) -> bool {
    goal.state == GoalState::Succeeded && !goal.stalled
}

impl GroupAction for plain::Action {
    type Task = Target;

    fn check(
        _: &Robot,
        _: &JointGroup,
        goal: plain::Goal,
        _: u64,
    ) -> Result<Target, (String, plain::Result)> {
        let target = check_target(goal.command.position, goal.command.max_effort);
        target.map_err(|reason| (reason, plain::Result::default()))
    }

    fn command(group: usize, id: u64, task: Target) -> JointCommand {
        command(group, id, task)
    }

    fn build_result(_: &Scene, status: &GroupStatus, goal: ClientGoalState) -> plain::Result {
        plain::Result {
            position: status.first.position,
            effort: status.first.effort,
            stalled: goal.stalled,
            reached_goal: has_reached(goal),
        }
    }

    fn build_feedback(
        scene: &Scene,
        snapshot: &ObjectStates,
        group_index: GroupIndex,
    ) -> plain::Feedback {
        let (robot, group) = group_index.lookup(scene);
        let Some(joint) = group.joints.first() else {
            return plain::Feedback::default();
        };
        let first = &snapshot.tracking[group_index.robot][*joint];
        plain::Feedback {
            position: first.actual.position,
            effort: first.actual.effort,
            stalled: false,
            reached_goal: first.position_error.abs() <= robot.trajectories.gripper_tolerance,
        }
    }
}

impl GroupAction for parallel::Action {
    type Task = Target;

    fn check(
        robot: &Robot,
        group: &JointGroup,
        goal: parallel::Goal,
        _: u64,
    ) -> Result<Target, (String, parallel::Result)> {
        let target = joint_target(robot, group, &goal.command);
        target.map_err(|reason| (reason, parallel::Result::default()))
    }

    fn command(group: usize, id: u64, task: Target) -> JointCommand {
        command(group, id, task)
    }

    fn build_result(
        scene: &Scene,
        status: &GroupStatus,
        goal: ClientGoalState,
    ) -> parallel::Result {
        let (robot, group) = status.group.lookup(scene);
        let name = group.names(robot).next().unwrap_or_default();
        let state = JointState {
            name: vec![name.to_string()],
            position: vec![status.first.position],
            velocity: vec![status.first.velocity],
            effort: vec![status.first.effort],
            ..JointState::default()
        };
        parallel::Result {
            state,
            stalled: goal.stalled,
            reached_goal: has_reached(goal),
        }
    }

    fn build_feedback(
        scene: &Scene,
        snapshot: &ObjectStates,
        group_index: GroupIndex,
    ) -> parallel::Feedback {
        let (robot, group) = group_index.lookup(scene);
        let joints = group.joints.iter().copied();
        let state = state::joint_states(robot, joints, snapshot, group_index.robot);
        parallel::Feedback {
            state: JointState {
                header: header(snapshot.time_ns, ""),
                ..state
            },
        }
    }
}
