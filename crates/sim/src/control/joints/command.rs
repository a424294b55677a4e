//! Commands to joints and joint groups: modes, set-points, trajectories and grippers. Commands are
//! rejected under the same conditions as by `joint_trajectory_controller`.

use crate::control::command::{Target, check};
use merrow_control::joint_reference::set_reference;
use merrow_model::ensure;
use merrow_model::scene::{Drive, Joint, JointGroup, JointMode, Robot};
use merrow_model::state::commands::Accepted;
use merrow_model::state::joint::{
    ActiveGripper, ActiveTrajectory, Goal, GoalState, Reference, Task, Tolerance, Trajectory,
};
use merrow_model::state::{JointCommand, RobotState};
use std::sync::Arc;

impl<'a> Target<'a> {
    /// Applies a command to joints, or returns why it is rejected. A rejected command has no
    /// effect.
    pub(crate) fn command_joints(&mut self, command: &JointCommand) -> Accepted {
        let (model, now) = (self.model, self.now_ns);
        match command {
            JointCommand::Joint { joint, value } => {
                let own = self.joint(*joint)?;
                check(&own.name, *value)?;
                self.check_driven_joints(&[*joint])?;
                let mode = self.state.joints[*joint].mode;
                preempt_group_of(model, self.state, *joint, now);
                set_reference(model, self.state, *joint, mode, *value);
            }
            JointCommand::JointWithMode { joint, mode, value } => {
                check_value(self.joint(*joint)?, *mode, *value)?;
                self.check_driven_joints(&[*joint])?;
                preempt_group_of(model, self.state, *joint, now);
                set_reference(model, self.state, *joint, *mode, *value);
            }
            JointCommand::JointMode { joint, mode } => {
                check_mode(self.joint(*joint)?, *mode)?;
                self.check_driven_joints(&[*joint])?;
                if self.state.joints[*joint].mode != *mode {
                    preempt_group_of(model, self.state, *joint, now);
                    let value = match mode {
                        JointMode::Position => self.state.measured(model, *joint).position,
                        _ => 0.0,
                    };
                    set_reference(model, self.state, *joint, *mode, value);
                }
            }
            JointCommand::JointGroup {
                group,
                mode,
                values,
            } => self.set_group(*group, *mode, values)?,
            JointCommand::Trajectory {
                group,
                id,
                trajectory,
            } => {
                let members = self.group(*group)?;
                self.check_driven_joints(&members.joints)?;
                check_trajectory(model, members, trajectory, now)?;
                start_trajectory(model, self.state, *group, *id, trajectory, now);
            }
            JointCommand::Gripper {
                group,
                id,
                position,
                max_effort,
            } => {
                check_gripper(model, self.group(*group)?, *position, *max_effort)?;
                start_gripper(
                    model,
                    self.state,
                    *group,
                    *id,
                    (*position, *max_effort),
                    now,
                );
            }
            JointCommand::CancelGoal { group, id } => {
                let name = &self.group(*group)?.name;
                let active = self.state.groups[*group]
                    .goal
                    .filter(|g| !g.state.is_over());
                let is_active = active.is_some_and(|g| g.id == *id);
                ensure!(is_active, "{name}: goal {id} is not active");
                end_goal(self.state, *group, GoalState::Cancelled, now);
                hold_position(model, self.state, *group);
            }
        }
        Ok(())
    }

    /// Commands all joints of a group and switches them to a mode.
    fn set_group(&mut self, group: usize, mode: JointMode, values: &[f64]) -> Accepted {
        let members = &self.group(group)?.joints;
        let (expected, found) = (members.len(), values.len());
        ensure!(
            found == expected,
            "expected {expected} values, one per joint of the group, found {found}"
        );
        self.check_driven_joints(members)?;
        for (joint, value) in members.iter().zip(values) {
            check_value(self.joint(*joint)?, mode, *value)?;
        }
        replace_goal(self.state, group, None, self.now_ns);
        for (joint, value) in members.iter().zip(values) {
            set_reference(self.model, self.state, *joint, mode, *value);
        }
        Ok(())
    }

    fn joint(&self, joint: usize) -> Result<&'a Joint, String> {
        let link = self.model.links.get(joint + 1).ok_or("no such joint")?;
        Ok(&link.joint)
    }

    fn group(&self, group: usize) -> Result<&'a JointGroup, String> {
        let found = self.model.joint_groups.get(group);
        found.ok_or_else(|| format!("no joint group number {group}"))
    }
}

/// Checks a command to the gripper `members`.
fn check_gripper(model: &Robot, members: &JointGroup, position: f64, max_effort: f64) -> Accepted {
    let name = &members.name;
    check(name, position)?;
    check(name, max_effort)?;
    ensure!(
        max_effort >= 0.0,
        "{name}: expected a max_effort of 0 or more, found {max_effort}"
    );
    let mut joints = members.joints.iter();
    joints.try_for_each(|joint| check_mode(&model.links[joint + 1].joint, JointMode::Position))
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

/// Checks that the drive of a joint supports the mode.
fn check_mode(joint: &Joint, mode: JointMode) -> Accepted {
    let drive = match &joint.drive {
        Drive::Effort { .. } => "an ideal effort drive",
        Drive::Position { .. } => "an ideal position drive",
        Drive::Servo(servo) if mode == JointMode::Position && servo.position_gain_per_s == 0.0 => {
            "a servo without position loop (`position_gain_per_s` is 0)"
        }
        Drive::Servo(_) => return Ok(()),
    };
    ensure!(
        joint.start_mode() == mode && joint.servo().is_none(),
        "{} has {drive}, which does not support {} mode",
        joint.name,
        mode.keyword()
    );
    Ok(())
}

/// Checks that the drive of a joint supports the mode and that the value is finite.
fn check_value(joint: &Joint, mode: JointMode, value: f64) -> Accepted {
    check_mode(joint, mode)?;
    ensure!(
        value.is_finite(),
        "{}: expected a finite {}, found {value}",
        joint.name,
        mode.keyword()
    );
    Ok(())
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
    let last = t.points.last();
    let last = last.ok_or("the trajectory has no points; expected at least one")?;
    for (k, p) in t.points.iter().enumerate() {
        let lists = [
            ("positions", &p.positions, false),
            ("velocities", &p.velocities, true),
            ("accelerations", &p.accelerations, true),
            ("effort", &p.effort, true),
        ];
        for (what, values, may_miss) in lists {
            let found = values.len();
            ensure!(
                found == n || may_miss && found == 0,
                "point {k}: expected {n} {what}, one per joint, found {found}"
            );
            if let Some(i) = values.iter().position(|v| !v.is_finite()) {
                let name = &robot.links[t.joints[i] + 1].joint.name;
                return Err(format!(
                    "point {k}: {what} of {name}: expected a finite number, found {}",
                    values[i]
                ));
            }
        }
        ensure!(
            k == 0 || p.time_from_start_ns > t.points[k - 1].time_from_start_ns,
            "point {k}: its time is not after the time of point {}",
            k - 1
        );
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
    let end_ns = start
        .checked_add(last.time_from_start_ns)
        .ok_or("the trajectory ends beyond the maximum simulated time")?;
    ensure!(
        t.start_ns.is_none() || end_ns > now_ns,
        "the trajectory ends at {} s, before the current time {} s",
        end_ns as f64 * 1e-9,
        now_ns as f64 * 1e-9
    );
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
        let (name, is_first) = (name(*joint), !t.joints[..i].contains(joint));
        ensure!(
            group.joints.contains(joint),
            "joint {name} is not in the group {}",
            group.name
        );
        ensure!(is_first, "joint {name} is named twice");
        ensure!(
            !matches!(robot.links[joint + 1].joint.drive, Drive::Effort { .. }),
            "{name} has an ideal effort drive, which cannot follow a trajectory"
        );
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
    ensure!(
        !t.joints.is_empty(),
        "the trajectory contains no joints; expected at least one"
    );
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
        ensure!(
            (lo - ROUNDING..=hi + ROUNDING).contains(&q),
            "point {k}: position of {name} is {q}; expected {lo} to {hi}"
        );
        let v = p.velocities.get(i).copied().unwrap_or(0.0);
        ensure!(
            v.abs() <= max_speed * (1.0 + ROUNDING),
            "point {k}: velocity of {name} is {v}; expected at most {max_speed}"
        );
        let effort = p.effort.get(i).copied().unwrap_or(0.0);
        let limit = joint.max_effort;
        ensure!(
            effort.abs() <= limit,
            "point {k}: effort of {name} is {effort}; expected at most {limit}"
        );
        if k > 0 {
            let before = &t.points[k - 1];
            let seconds = (p.time_from_start_ns - before.time_from_start_ns) as f64 * 1e-9;
            let mean = ((q - before.positions[i]) / seconds).abs();
            ensure!(
                mean <= max_speed * (1.0 + ROUNDING),
                "{name} would need the speed {mean:.4} from point {} to {k}, its drive allows {max_speed}",
                k - 1
            );
        }
    }
    Ok(())
}

fn check_tolerances(t: &Trajectory) -> Result<(), String> {
    for (what, list) in [("path", &t.path_tolerance), ("goal", &t.goal_tolerance)] {
        let (n, found) = (t.joints.len(), list.len());
        ensure!(
            found == 0 || found == n,
            "expected {n} {what} tolerances, one per joint, found {found}"
        );
        let finite = |x: &Tolerance| (x.position + x.velocity + x.acceleration).is_finite();
        ensure!(list.iter().all(finite), "a {what} tolerance is not finite");
    }
    let is_finite = t.goal_time_tolerance.is_finite();
    ensure!(is_finite, "the goal time tolerance is not finite");
    Ok(())
}
