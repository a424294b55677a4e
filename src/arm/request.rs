//! Conversion of messages to trajectories: names to joint indices, durations to nanoseconds,
//! tolerances to joint order. The control checks all other conditions by the same rules as on
//! arrival of the trajectory.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::arm::progress::Progress;
use crate::topics::GroupIndex;
use merrow_model::scene::{JointGroup, Robot, Scene};
use merrow_model::state::joint::{Tolerance, Trajectory, TrajectoryPoint};
use merrow_model::state::{Command, JointCommand};
use merrow_ros2::msg::builtin_interfaces::{Duration, Time};
use merrow_ros2::msg::control_msgs::JointTolerance;
use merrow_ros2::msg::control_msgs::follow_joint_trajectory::{Goal, Result as Outcome};
use merrow_ros2::msg::trajectory_msgs::JointTrajectory;
use merrow_sim::control::joints::command::{check_joints, check_trajectory};

/// Maximum number of points of a trajectory, because the check runs between two steps.
const MAX_POINTS: usize = 10_000;

/// Reason why a goal is rejected: an error code of `FollowJointTrajectory`, and the reason in one
/// line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rejection {
    /// Error code, a constant of `FollowJointTrajectory`.
    pub code: i32,
    /// Reason in one line.
    pub reason: String,
}

fn invalid_goal(reason: impl Into<String>) -> Rejection {
    Rejection {
        code: Outcome::INVALID_GOAL,
        reason: reason.into(),
    }
}

fn invalid_joints(reason: impl Into<String>) -> Rejection {
    Rejection {
        code: Outcome::INVALID_JOINTS,
        reason: reason.into(),
    }
}

/// Returns the next goal number.
pub fn goal_number(progress: &Progress) -> u64 {
    progress.newest.fetch_add(1, Ordering::Relaxed) + 1
}

/// Converts a message on a trajectory topic to a command.
///
/// # Errors
/// The reason why the message is invalid.
pub fn topic_trajectory(
    scene: &Scene,
    group_index: GroupIndex,
    message: JointTrajectory,
    progress: &Progress,
) -> Result<Command, String> {
    let (robot, group) = group_index.lookup(scene);
    let now_ns = progress.now_ns.load(Ordering::Relaxed);
    let found = trajectory(robot, group, message).and_then(|t| check_goal(robot, group, t, now_ns));
    let found = found.map_err(|rejection| rejection.reason)?;
    let GroupIndex { robot, group } = group_index;
    Ok(JointCommand::Trajectory {
        group,
        id: goal_number(progress),
        trajectory: Arc::new(found),
    }
    .of(robot))
}

/// Converts an action goal to a trajectory and checks it. `now_ns` is the simulation time [ns].
pub(super) fn goal_trajectory(
    robot: &Robot,
    group: &JointGroup,
    goal: Goal,
    now_ns: u64,
) -> Result<Trajectory, Rejection> {
    let multi = &goal.multi_dof_trajectory;
    if !(multi.joint_names.is_empty() && multi.points.is_empty()) {
        return Err(invalid_goal(
            "expected no multi_dof_trajectory, because every joint has one degree of freedom, found one",
        ));
    }
    if !(goal.component_path_tolerance.is_empty() && goal.component_goal_tolerance.is_empty()) {
        return Err(invalid_goal(
            "expected no component tolerances, because every joint has one degree of freedom, found some",
        ));
    }
    let mut found = trajectory(robot, group, goal.trajectory)?;
    found.path_tolerance = tolerances(robot, &found.joints, &goal.path_tolerance, "path")?;
    found.goal_tolerance = tolerances(robot, &found.joints, &goal.goal_tolerance, "goal")?;
    let Duration { sec, nanosec } = goal.goal_time_tolerance;
    found.goal_time_tolerance = f64::from(sec) + f64::from(nanosec) * 1e-9;
    check_goal(robot, group, found, now_ns)
}

/// Returns the trajectory if the control accepts it.
fn check_goal(
    robot: &Robot,
    group: &JointGroup,
    trajectory: Trajectory,
    now_ns: u64,
) -> Result<Trajectory, Rejection> {
    check_joints(robot, group, &trajectory).map_err(invalid_joints)?;
    let end = |start_ns: u64| {
        let last = trajectory
            .points
            .last()
            .map_or(0, |point| point.time_from_start_ns);
        start_ns.saturating_add(last)
    };
    let checked = check_trajectory(robot, group, &trajectory, now_ns);
    let is_old = trajectory
        .start_ns
        .is_some_and(|start_ns| end(start_ns) <= now_ns);
    let code = if is_old {
        Outcome::OLD_HEADER_TIMESTAMP
    } else {
        Outcome::INVALID_GOAL
    };
    checked
        .map(|()| trajectory)
        .map_err(|reason| Rejection { code, reason })
}

/// Converts names to joints and times to numbers, without further checks.
fn trajectory(
    robot: &Robot,
    group: &JointGroup,
    message: JointTrajectory,
) -> Result<Trajectory, Rejection> {
    if message.points.len() > MAX_POINTS {
        let found = message.points.len();
        return Err(invalid_goal(format!(
            "expected at most {MAX_POINTS} points, found {found}"
        )));
    }
    let joints = message
        .joint_names
        .iter()
        .map(|name| find_joint(robot, group, name))
        .collect::<Result<_, _>>()?;
    let mut points = Vec::with_capacity(message.points.len());
    for (k, point) in message.points.into_iter().enumerate() {
        points.push(TrajectoryPoint {
            positions: point.positions,
            velocities: point.velocities,
            accelerations: point.accelerations,
            effort: point.effort,
            time_from_start_ns: nanoseconds(&point.time_from_start)
                .ok_or_else(|| invalid_goal(format!("point {k}: time_from_start is negative")))?,
        });
    }
    let Time { sec, nanosec } = message.header.stamp;
    let start = u64::try_from(sec)
        .ok()
        .map(|sec| sec * 1_000_000_000 + u64::from(nanosec));
    let start =
        start.ok_or_else(|| invalid_goal("the stamp is negative; expected 0 (now) or later"))?;
    Ok(Trajectory {
        joints,
        points,
        start_ns: (start > 0).then_some(start),
        ..Trajectory::default()
    })
}

/// Finds the joint of the group with this name.
fn find_joint(robot: &Robot, group: &JointGroup, name: &str) -> Result<usize, Rejection> {
    let found = group.names(robot).position(|own| own == name);
    found.map(|k| group.joints[k]).ok_or_else(|| {
        let names: Vec<&str> = group.names(robot).collect();
        invalid_joints(format!(
            "no joint {name:?} in group {}; expected one of {}",
            group.name,
            names.join(", ")
        ))
    })
}

/// Returns one tolerance per joint, in the order of the trajectory; empty if none is given.
fn tolerances(
    robot: &Robot,
    joints: &[usize],
    given: &[JointTolerance],
    what: &str,
) -> Result<Vec<Tolerance>, Rejection> {
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let mut by_name: HashMap<&str, Tolerance> = HashMap::new();
    for tolerance in given {
        let JointTolerance {
            position,
            velocity,
            acceleration,
            ..
        } = *tolerance;
        by_name.insert(
            &tolerance.name,
            Tolerance {
                position,
                velocity,
                acceleration,
            },
        );
    }
    let name_of = |joint: &usize| robot.links[joint + 1].joint.name.as_str();
    let found = joints
        .iter()
        .map(|joint| by_name.remove(name_of(joint)).unwrap_or_default())
        .collect();
    match given
        .iter()
        .find(|tolerance| by_name.contains_key(tolerance.name.as_str()))
    {
        Some(unknown) => {
            let name = &unknown.name;
            Err(invalid_joints(format!(
                "{what} tolerance for joint {name:?}, which is not in the trajectory"
            )))
        }
        None => Ok(found),
    }
}

fn nanoseconds(duration: &Duration) -> Option<u64> {
    Some(u64::try_from(duration.sec).ok()? * 1_000_000_000 + u64::from(duration.nanosec))
}
