//! Commands to joints and joint groups: modes, set-points, trajectories and grippers. Commands are
//! rejected under the same conditions as by `joint_trajectory_controller`.

use crate::control::command::{check, find_robot, reject};
use crate::control::firmware::check_driven_joints;
use merrow_control::joint_reference::set_reference;
use merrow_model::scene::{Drive, Joint, JointGroup, JointMode, Robot, Scene};
use merrow_model::state::commands::CommandRejection;
use merrow_model::state::joint::{
    ActiveGripper, ActiveTrajectory, Goal, GoalState, Reference, Task, Tolerance, Trajectory,
};
use merrow_model::state::{JointCommand, RobotState, State};
use std::sync::Arc;

/// Applies a command to joints of a robot, or returns why it is rejected. A rejected command has no
/// effect.
pub fn apply(
    scene: &Scene,
    state: &mut State,
    robot: usize,
    command: &JointCommand,
) -> Result<(), CommandRejection> {
    let now = state.time_ns;
    let (model, target) = find_robot(scene, state, robot)?;
    match command {
        JointCommand::Joint { joint, value } => {
            let own = find_joint(model, robot, *joint)?;
            check(robot, &own.name, *value)?;
            check_driven_joints(robot, model, target, &[*joint])?;
            let mode = target.joints[*joint].mode;
            preempt_group_of(model, target, *joint, now);
            set_reference(model, target, *joint, mode, *value);
        }
        JointCommand::JointWithMode { joint, mode, value } => {
            let own = find_joint(model, robot, *joint)?;
            check_mode(robot, own, *mode)?;
            check_value(robot, own, *mode, *value)?;
            check_driven_joints(robot, model, target, &[*joint])?;
            preempt_group_of(model, target, *joint, now);
            set_reference(model, target, *joint, *mode, *value);
        }
        JointCommand::JointMode { joint, mode } => {
            let own = find_joint(model, robot, *joint)?;
            check_mode(robot, own, *mode)?;
            check_driven_joints(robot, model, target, &[*joint])?;
            if target.joints[*joint].mode != *mode {
                preempt_group_of(model, target, *joint, now);
                let position = target.measured(model, *joint).position;
                let value = if *mode == JointMode::Position {
                    position
                } else {
                    0.0
                };
                set_reference(model, target, *joint, *mode, value);
            }
        }
        JointCommand::JointGroup {
            group,
            mode,
            values,
        } => {
            set_group(robot, model, target, *group, (*mode, values), now)?;
        }
        JointCommand::Trajectory {
            group,
            id,
            trajectory,
        } => {
            let members = find_group(model, robot, *group)?;
            check_driven_joints(robot, model, target, &members.joints)?;
            check_trajectory(model, members, trajectory, now)
                .map_err(|reason| reject(robot, reason))?;
            start_trajectory(model, target, *group, *id, trajectory, now);
        }
        JointCommand::Gripper {
            group,
            id,
            position,
            max_effort,
        } => {
            let members = find_group(model, robot, *group)?;
            check_gripper(robot, model, members, *position, *max_effort)?;
            start_gripper(model, target, *group, *id, (*position, *max_effort), now);
        }
        JointCommand::CancelGoal { group, id } => {
            let members = find_group(model, robot, *group)?;
            let active = target.groups[*group].goal.filter(|g| !g.state.is_over());
            if active.is_none_or(|g| g.id != *id) {
                return Err(reject(
                    robot,
                    format!("{}: goal {id} is not active", members.name),
                ));
            }
            end_goal(target, *group, GoalState::Cancelled, now);
            hold_position(model, target, *group);
        }
    }
    Ok(())
}

/// Commands all joints of a group and switches them to a mode.
fn set_group(
    robot: usize,
    model: &Robot,
    target: &mut RobotState,
    group: usize,
    (mode, values): (JointMode, &[f64]),
    now_ns: u64,
) -> Result<(), CommandRejection> {
    let members = &find_group(model, robot, group)?.joints;
    check_count(robot, values.len(), members.len())?;
    check_driven_joints(robot, model, target, members)?;
    for (joint, value) in members.iter().zip(values) {
        let joint = &model.links[joint + 1].joint;
        check_mode(robot, joint, mode)?;
        check_value(robot, joint, mode, *value)?;
    }
    replace_goal(target, group, None, now_ns);
    for (joint, value) in members.iter().zip(values) {
        set_reference(model, target, *joint, mode, *value);
    }
    Ok(())
}

/// Checks a command to the gripper `members`.
fn check_gripper(
    robot: usize,
    model: &Robot,
    members: &JointGroup,
    position: f64,
    max_effort: f64,
) -> Result<(), CommandRejection> {
    check(robot, &members.name, position)?;
    check(robot, &members.name, max_effort)?;
    if max_effort < 0.0 {
        let reason = format!(
            "{}: expected a max_effort of 0 or more, found {max_effort}",
            members.name
        );
        return Err(reject(robot, reason));
    }
    members
        .joints
        .iter()
        .try_for_each(|joint| check_mode(robot, &model.links[joint + 1].joint, JointMode::Position))
}

/// Holds the joints of a group at their measured positions.
pub(crate) fn hold_position(robot: &Robot, state: &mut RobotState, group: usize) {
    for joint in &robot.joint_groups[group].joints {
        if state.joints[*joint].mode == JointMode::Position {
            let position = state.measured(robot, *joint).position;
            set_reference(robot, state, *joint, JointMode::Position, position);
        }
    }
}

/// Preempts the goal of the group of `joint` because of another command to this joint; the other
/// joints of the group hold their positions.
pub(crate) fn preempt_group_of(robot: &Robot, state: &mut RobotState, joint: usize, now_ns: u64) {
    let Some(group) = RobotState::group_of(robot, joint) else {
        return;
    };
    if state.groups[group].task.is_some() {
        end_goal(state, group, GoalState::Preempted, now_ns);
        hold_position(robot, state, group);
    }
}

/// Records how the active goal of a group ended, if there is one, and removes its task.
pub(crate) fn end_goal(state: &mut RobotState, group: usize, how: GoalState, now_ns: u64) {
    let group = &mut state.groups[group];
    group.task = None;
    if let Some(goal) = group.goal.as_mut().filter(|g| !g.state.is_over()) {
        (goal.state, goal.since_ns) = (how, now_ns);
    }
}

/// Preempts the active goal and records the new goal.
fn replace_goal(state: &mut RobotState, group: usize, id: Option<u64>, now_ns: u64) {
    end_goal(state, group, GoalState::Preempted, now_ns);
    if let Some(id) = id {
        let group = &mut state.groups[group];
        group.previous_goal = group.goal;
        group.goal = Some(Goal {
            id,
            state: GoalState::Active,
            accepted_ns: now_ns,
            since_ns: now_ns,
            stalled: false,
        });
    }
}

fn start_trajectory(
    robot: &Robot,
    state: &mut RobotState,
    group: usize,
    id: u64,
    trajectory: &Arc<Trajectory>,
    now: u64,
) {
    // a joint in position mode starts from its current set-point, so that replacing a trajectory
    // causes no jump
    for joint in &robot.joint_groups[group].joints {
        if state.joints[*joint].mode != JointMode::Position || !trajectory.joints.contains(joint) {
            let position = state.measured(robot, *joint).position;
            set_reference(robot, state, *joint, JointMode::Position, position);
        }
        state.joints[*joint].effort_limit = robot.links[joint + 1].joint.max_effort;
    }
    let from: Arc<[Reference]> = trajectory
        .joints
        .iter()
        .map(|j| state.joints[*j].reference)
        .collect();
    replace_goal(state, group, Some(id), now);
    state.groups[group].task = Some(Task::Trajectory(ActiveTrajectory {
        trajectory: Arc::clone(trajectory),
        from,
        accepted_ns: now,
        start_ns: trajectory.start_ns.unwrap_or(now),
        segment: 0,
    }));
}

fn start_gripper(
    robot: &Robot,
    state: &mut RobotState,
    group: usize,
    id: u64,
    (position, max_effort): (f64, f64),
    now: u64,
) {
    replace_goal(state, group, Some(id), now);
    for joint in &robot.joint_groups[group].joints {
        set_reference(robot, state, *joint, JointMode::Position, position);
        let own = robot.links[joint + 1].joint.max_effort;
        state.joints[*joint].effort_limit = if max_effort > 0.0 {
            own.min(max_effort)
        } else {
            own
        };
    }
    let task = ActiveGripper { moved_ns: now };
    state.groups[group].task = Some(Task::Gripper(task));
}

fn find_joint(robot: &Robot, number: usize, joint: usize) -> Result<&Joint, CommandRejection> {
    robot
        .links
        .get(joint + 1)
        .map(|link| &link.joint)
        .ok_or_else(|| reject(number, "no such joint".into()))
}

fn find_group(robot: &Robot, number: usize, group: usize) -> Result<&JointGroup, CommandRejection> {
    robot
        .joint_groups
        .get(group)
        .ok_or_else(|| reject(number, format!("no joint group number {group}")))
}

/// Checks that the drive of a joint supports the mode.
fn check_mode(robot: usize, joint: &Joint, mode: JointMode) -> Result<(), CommandRejection> {
    let only = match &joint.drive {
        Drive::Effort { .. } => Some("an ideal effort drive"),
        Drive::Position { .. } => Some("an ideal position drive"),
        Drive::Servo(servo) if mode == JointMode::Position && servo.position_gain_per_s == 0.0 => {
            Some("a servo without position loop (`position_gain_per_s` is 0)")
        }
        Drive::Servo(_) => None,
    };
    match only {
        Some(drive) if joint.start_mode() != mode || joint.servo().is_some() => {
            let reason = format!(
                "{} has {drive}, which does not support {} mode",
                joint.name,
                mode.keyword()
            );
            Err(reject(robot, reason))
        }
        _ => Ok(()),
    }
}

fn check_value(
    robot: usize,
    joint: &Joint,
    mode: JointMode,
    value: f64,
) -> Result<(), CommandRejection> {
    if value.is_finite() {
        return Ok(());
    }
    Err(reject(
        robot,
        format!(
            "{}: expected a finite {}, found {value}",
            joint.name,
            mode.keyword()
        ),
    ))
}

fn check_count(robot: usize, found: usize, expected: usize) -> Result<(), CommandRejection> {
    if found == expected {
        return Ok(());
    }
    Err(reject(
        robot,
        format!("expected {expected} values, one per joint of the group, found {found}"),
    ))
}

/// Checks a trajectory for `group` at `now_ns` [ns].
///
/// # Errors
/// Returns one line with the first error found.
pub fn check_trajectory(
    robot: &Robot,
    group: &JointGroup,
    t: &Trajectory,
    now_ns: u64,
) -> Result<(), String> {
    check_joints(robot, group, t)?;
    let n = t.joints.len();
    let Some(last) = t.points.last() else {
        return Err("the trajectory has no points; expected at least one".into());
    };
    for (k, p) in t.points.iter().enumerate() {
        let lists = [
            ("positions", &p.positions, false),
            ("velocities", &p.velocities, true),
            ("accelerations", &p.accelerations, true),
            ("effort", &p.effort, true),
        ];
        for (what, values, may_miss) in lists {
            if values.len() != n && !(may_miss && values.is_empty()) {
                let found = values.len();
                return Err(format!(
                    "point {k}: expected {n} {what}, one per joint, found {found}"
                ));
            }
            if let Some(i) = values.iter().position(|v| !v.is_finite()) {
                let name = &robot.links[t.joints[i] + 1].joint.name;
                return Err(format!(
                    "point {k}: {what} of {name}: expected a finite number, found {}",
                    values[i]
                ));
            }
        }
        if k > 0 && p.time_from_start_ns <= t.points[k - 1].time_from_start_ns {
            return Err(format!(
                "point {k}: its time is not after the time of point {}",
                k - 1
            ));
        }
        check_limits(robot, t, k)?;
    }
    if !robot.trajectories.allow_moving_end
        && let Some(i) = last.velocities.iter().position(|v| v.abs() > f64::EPSILON)
    {
        let name = &robot.links[t.joints[i] + 1].joint.name;
        return Err(format!(
            "the last point has velocity {} for {name}; expected 0",
            last.velocities[i]
        ));
    }
    let start = t.start_ns.unwrap_or(now_ns);
    if start.checked_add(last.time_from_start_ns).is_none() {
        return Err("the trajectory ends beyond the maximum simulated time".into());
    }
    if t.start_ns.is_some() && start + last.time_from_start_ns <= now_ns {
        let end = (start + last.time_from_start_ns) as f64 * 1e-9;
        return Err(format!(
            "the trajectory ends at {end} s, before the current time {} s",
            now_ns as f64 * 1e-9
        ));
    }
    check_tolerances(t)
}

/// Checks the joints of a trajectory for `group`.
///
/// # Errors
/// Returns one line with the first error found.
pub fn check_joints(robot: &Robot, group: &JointGroup, t: &Trajectory) -> Result<(), String> {
    let name = |joint: usize| {
        robot
            .links
            .get(joint + 1)
            .map_or("?", |l| l.joint.name.as_str())
    };
    for (i, joint) in t.joints.iter().enumerate() {
        if !group.joints.contains(joint) {
            return Err(format!(
                "joint {} is not in the group {}",
                name(*joint),
                group.name
            ));
        }
        if t.joints[..i].contains(joint) {
            return Err(format!("joint {} is named twice", name(*joint)));
        }
        if let Drive::Effort { .. } = robot.links[joint + 1].joint.drive {
            return Err(format!(
                "{} has an ideal effort drive, which cannot follow a trajectory",
                name(*joint)
            ));
        }
    }
    if t.joints.len() < group.joints.len() && !robot.trajectories.allow_partial_joints {
        let missing = group
            .joints
            .iter()
            .find(|j| !t.joints.contains(j))
            .map_or("?", |j| name(*j));
        return Err(format!(
            "the trajectory does not contain joint {missing}; expected all joints of {}",
            group.name
        ));
    }
    if t.joints.is_empty() {
        return Err("the trajectory contains no joints; expected at least one".into());
    }
    Ok(())
}

/// Checks that point `k` is within the limits of position, velocity and effort, and that the mean
/// speed from the preceding point is within the speed limit.
fn check_limits(robot: &Robot, t: &Trajectory, k: usize) -> Result<(), String> {
    // tolerance for positions that were printed with six digits
    const ROUNDING: f64 = 1e-6;
    let p = &t.points[k];
    for (i, joint) in t.joints.iter().enumerate() {
        let joint = &robot.links[joint + 1].joint;
        let ([lo, hi], max_speed, name) = (joint.limits, joint.max_speed(), &joint.name);
        let q = p.positions[i];
        if q < lo - ROUNDING || q > hi + ROUNDING {
            return Err(format!(
                "point {k}: position of {name} is {q}; expected {lo} to {hi}"
            ));
        }
        let v = p.velocities.get(i).copied().unwrap_or(0.0);
        if v.abs() > max_speed * (1.0 + ROUNDING) {
            return Err(format!(
                "point {k}: velocity of {name} is {v}; expected at most {max_speed}"
            ));
        }
        let effort = p.effort.get(i).copied().unwrap_or(0.0);
        if effort.abs() > joint.max_effort {
            let limit = joint.max_effort;
            return Err(format!(
                "point {k}: effort of {name} is {effort}; expected at most {limit}"
            ));
        }
        if k > 0 {
            let before = &t.points[k - 1];
            let seconds = (p.time_from_start_ns - before.time_from_start_ns) as f64 * 1e-9;
            let mean = ((q - before.positions[i]) / seconds).abs();
            if mean > max_speed * (1.0 + ROUNDING) {
                return Err(format!(
                    "{name} would need the speed {mean:.4} from point {} to {k}, its drive allows {max_speed}",
                    k - 1
                ));
            }
        }
    }
    Ok(())
}

fn check_tolerances(t: &Trajectory) -> Result<(), String> {
    for (what, list) in [("path", &t.path_tolerance), ("goal", &t.goal_tolerance)] {
        if !list.is_empty() && list.len() != t.joints.len() {
            return Err(format!(
                "expected {} {what} tolerances, one per joint, found {}",
                t.joints.len(),
                list.len()
            ));
        }
        let finite = |x: &Tolerance| (x.position + x.velocity + x.acceleration).is_finite();
        if !list.iter().all(finite) {
            return Err(format!("a {what} tolerance is not finite"));
        }
    }
    if !t.goal_time_tolerance.is_finite() {
        return Err("the goal time tolerance is not finite".into());
    }
    Ok(())
}
