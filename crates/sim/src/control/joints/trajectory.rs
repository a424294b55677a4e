//! Goals of joint groups, step by step: sampling of trajectories, tolerances and grippers.
//!
//! # Law Between two points of a trajectory, with s = t - t_0 and T = t_1 - t_0: ```text q = q_0 +
//! (q_1 - q_0) s/T          (1)  positions only q = a_0 + a_1 s + a_2 s² + a_3 s³  (2)  with
//! velocities: matches both ends q = a_0 + ... + a_5 s⁵             (3)  with accelerations:
//! matches both ends ``` The first segment starts at the set-points of the joints when the
//! trajectory was accepted.
//!
//! # Symbols q position of a joint, t simulated time.
//!
//! # Frames About or along the z axis of the joint.
//!
//! # Limits Set-points are limited to the position and speed limits of the joint. An ideal position
//! drive receives the command for which its second-order law follows the set-point without lag.
//! Tolerances are checked as by `joint_trajectory_controller`, against measured values, at the
//! ticks of a servo.
//!
//! # Checked by test/analytic/joints/trajectory.rs

use crate::control::joints::command::{end_goal, hold_position};
use merrow_control::joint_reference::set_ideal_command;
use merrow_model::scene::{Drive, Joint, Robot, TrajectoryRules};
use merrow_model::state::RobotState;
use merrow_model::state::joint::{
    AbortReason, ActiveGripper, ActiveTrajectory, GoalState, Reference, Task, Tolerance,
    TrajectoryPoint, Violation,
};
use merrow_model::state::workspace::JointWork;

/// Advances the goal of a group to `now_ns` [ns]: updates the set-points of its joints and ends the
/// goal if it is complete or has failed.
pub fn advance(
    robot: &Robot,
    state: &mut RobotState,
    work: &[JointWork],
    group: usize,
    now_ns: u64,
) {
    let Some(mut task) = state.groups[group].task.take() else {
        return;
    };
    let end = match &mut task {
        Task::Trajectory(active) => follow_trajectory(robot, state, work, active, now_ns),
        Task::Gripper(active) => monitor_gripper(robot, state, group, active, now_ns),
    };
    state.groups[group].task = Some(task);
    if let Some(end) = end {
        end_goal(state, group, end, now_ns);
        if matches!(
            end,
            GoalState::Aborted(AbortReason::Path(_) | AbortReason::Goal(_))
        ) {
            hold_position(robot, state, group);
        }
    }
}

/// Samples a trajectory; returns how it ended, or `None` if it is active.
fn follow_trajectory(
    robot: &Robot,
    state: &mut RobotState,
    work: &[JointWork],
    active: &mut ActiveTrajectory,
    now_ns: u64,
) -> Option<GoalState> {
    let points = &active.trajectory.points;
    let time = |k: usize| active.start_ns + points[k].time_from_start_ns;
    while active.segment < points.len() && time(active.segment) <= now_ns {
        active.segment += 1;
    }
    for (i, joint) in active.trajectory.joints.iter().enumerate() {
        let model = &robot.links[joint + 1].joint;
        let reference = clamp_reference(model, sample_segment(active, i, now_ns));
        state.joints[*joint].reference = reference;
        if let Drive::Position {
            bandwidth_rad_s: bandwidth,
            ..
        } = model.drive
        {
            // the command for which the law of the drive gives the acceleration of the set-point
            let lead = 2.0 * reference.velocity / bandwidth
                + reference.acceleration / (bandwidth * bandwidth);
            set_ideal_command(robot, state, *joint, reference.position + lead);
        }
    }
    let is_over = active.segment == points.len();
    let seen = |joint: usize| robot.links[joint + 1].joint.servo().is_none() || work[joint].ticks;
    if !active.trajectory.joints.iter().all(|j| seen(*j)) {
        return None;
    }
    let rules = &robot.trajectories;
    let failure = first_violation(robot, state, active, is_over);
    if !is_over {
        return failure.map(|violation| GoalState::Aborted(AbortReason::Path(violation)));
    }
    let Some(violation) = failure else {
        return Some(GoalState::Succeeded);
    };
    let requested = active.trajectory.goal_time_tolerance;
    let time_tolerance = if requested == 0.0 {
        rules.goal_time_s
    } else {
        requested
    };
    let late = (now_ns - time(points.len() - 1)) as f64 * 1e-9;
    (time_tolerance > 0.0 && late > time_tolerance)
        .then_some(GoalState::Aborted(AbortReason::Goal(violation)))
}

/// Returns the first joint out of its tolerance.
fn first_violation(
    robot: &Robot,
    state: &RobotState,
    active: &ActiveTrajectory,
    is_over: bool,
) -> Option<Violation> {
    let t = &active.trajectory;
    let rules = &robot.trajectories;
    t.joints.iter().enumerate().find_map(|(i, joint)| {
        let [position, velocity] = tolerances(t.as_ref(), rules, i, is_over);
        let tracking = state.tracking(robot, *joint);
        let (e_q, e_v) = (tracking.position_error, tracking.velocity_error);
        let found = [(false, e_q, position), (true, e_v, velocity)];
        let mut found = found.into_iter();
        let (velocity, error, tolerance) =
            found.find(|(_, error, tolerance)| error.abs() > *tolerance)?;
        Some(Violation {
            joint: *joint,
            velocity,
            error,
            tolerance,
        })
    })
}

/// Returns the tolerances of position and velocity of joint `i` of the trajectory; infinite if they
/// are not checked.
fn tolerances(
    t: &merrow_model::state::joint::Trajectory,
    rules: &TrajectoryRules,
    i: usize,
    is_over: bool,
) -> [f64; 2] {
    let (requested, own) = if is_over {
        (
            &t.goal_tolerance,
            [rules.goal_tolerance, rules.stopped_speed],
        )
    } else {
        (&t.path_tolerance, [rules.path_tolerance, 0.0])
    };
    let requested = requested.get(i).copied().unwrap_or(Tolerance::default());
    let pick = |requested: f64, own: f64| match () {
        () if requested > 0.0 => requested,
        () if requested == 0.0 && own > 0.0 => own,
        () => f64::INFINITY,
    };
    [
        pick(requested.position, own[0]),
        pick(requested.velocity, own[1]),
    ]
}

/// Monitors a gripper; returns how its goal ended, or `None` if it is active.
fn monitor_gripper(
    robot: &Robot,
    state: &mut RobotState,
    group: usize,
    active: &mut ActiveGripper,
    now_ns: u64,
) -> Option<GoalState> {
    let rules = &robot.trajectories;
    let joints = &robot.joint_groups[group].joints;
    let tracking = |j: &usize| state.tracking(robot, *j);
    if joints
        .iter()
        .all(|j| tracking(j).position_error.abs() <= rules.gripper_tolerance)
    {
        return Some(GoalState::Succeeded);
    }
    if joints
        .iter()
        .any(|j| tracking(j).actual.velocity.abs() > rules.stall_speed)
    {
        active.moved_ns = now_ns;
    }
    if (now_ns - active.moved_ns) as f64 * 1e-9 <= rules.stall_time_s {
        return None;
    }
    let joint = joints[0];
    let actual = tracking(&joint).actual;
    let stalled = AbortReason::Stalled {
        joint,
        position: actual.position,
        effort: actual.effort,
    };
    if let Some(goal) = &mut state.groups[group].goal {
        goal.stalled = true;
    }
    Some(if rules.allow_stalling {
        GoalState::Succeeded
    } else {
        GoalState::Aborted(stalled)
    })
}

/// Returns the set-point of joint `i` of the trajectory at `now_ns` [ns], in the segment of
/// `active`.
fn sample_segment(active: &ActiveTrajectory, i: usize, now_ns: u64) -> Reference {
    let points = &active.trajectory.points;
    let time = |k: usize| active.start_ns + points[k].time_from_start_ns;
    let k = active.segment;
    let Some(to) = points.get(k) else {
        let last = &points[points.len() - 1];
        let effort = last.effort.get(i).copied().unwrap_or(0.0);
        return Reference {
            position: last.positions[i],
            effort,
            ..Reference::default()
        };
    };
    let (t_0, from) = match k {
        0 => (
            active.accepted_ns,
            SegmentEnd::from_reference(&active.from[i]),
        ),
        _ => (time(k - 1), SegmentEnd::from_point(&points[k - 1], i)),
    };
    let seconds = |ns: u64| ns as f64 * 1e-9;
    interpolate(
        &from,
        &SegmentEnd::from_point(to, i),
        seconds(now_ns - t_0),
        seconds(time(k) - t_0),
    )
}

/// End point of a trajectory segment for one joint.
#[derive(Clone, Copy, Debug)]
pub struct SegmentEnd {
    /// Joint position [rad or m].
    pub position: f64,
    /// Joint velocity [rad/s or m/s].
    pub velocity: Option<f64>,
    /// Joint acceleration [rad/s² or m/s²].
    pub acceleration: Option<f64>,
    /// Joint effort [N m or N].
    pub effort: f64,
}

impl SegmentEnd {
    fn from_reference(r: &Reference) -> Self {
        Self {
            position: r.position,
            velocity: Some(r.velocity),
            acceleration: Some(r.acceleration),
            effort: r.effort,
        }
    }

    fn from_point(point: &TrajectoryPoint, i: usize) -> Self {
        let get = |values: &[f64]| values.get(i).copied();
        Self {
            position: point.positions[i],
            velocity: get(&point.velocities),
            acceleration: get(&point.accelerations),
            effort: get(&point.effort).unwrap_or(0.0),
        }
    }
}

/// Interpolates by (1), (2) or (3), `s` [s] into a segment of length `T` [s]. Efforts are
/// interpolated linearly.
pub fn interpolate(from: &SegmentEnd, to: &SegmentEnd, s: f64, T: f64) -> Reference {
    let d = to.position - from.position;
    let effort = from.effort + (to.effort - from.effort) * (s / T);
    let a = match (
        from.velocity.zip(to.velocity),
        from.acceleration.zip(to.acceleration),
    ) {
        (Some((v_0, v_1)), Some((a_0, a_1))) => {
            let (T2, d3, d4, d5) = (T * T, T * T * T, T * T * T * T, T * T * T * T * T);
            [
                from.position,
                v_0,
                0.5 * a_0,
                (20.0 * d - (8.0 * v_1 + 12.0 * v_0) * T - (3.0 * a_0 - a_1) * T2) / (2.0 * d3),
                (-30.0 * d + (14.0 * v_1 + 16.0 * v_0) * T + (3.0 * a_0 - 2.0 * a_1) * T2)
                    / (2.0 * d4),
                (12.0 * d - 6.0 * (v_1 + v_0) * T - (a_0 - a_1) * T2) / (2.0 * d5),
            ]
        }
        (Some((v_0, v_1)), None) => {
            let [a_2, a_3] = [
                (3.0 * d / T - 2.0 * v_0 - v_1) / T,
                (v_0 + v_1 - 2.0 * d / T) / (T * T),
            ];
            [from.position, v_0, a_2, a_3, 0.0, 0.0]
        }
        _ => [from.position, d / T, 0.0, 0.0, 0.0, 0.0],
    };
    Reference {
        position: a[0] + s * (a[1] + s * (a[2] + s * (a[3] + s * (a[4] + s * a[5])))),
        velocity: a[1] + s * (2.0 * a[2] + s * (3.0 * a[3] + s * (4.0 * a[4] + s * 5.0 * a[5]))),
        acceleration: 2.0 * a[2] + s * (6.0 * a[3] + s * (12.0 * a[4] + s * 20.0 * a[5])),
        effort,
    }
}

/// Limits a set-point to the limits of its joint.
fn clamp_reference(joint: &Joint, mut r: Reference) -> Reference {
    let ([lo, hi], max_speed) = (joint.limits, joint.max_speed());
    let held = r.position.clamp(lo, hi);
    if held != r.position {
        (r.position, r.velocity, r.acceleration) = (held, 0.0, 0.0);
    }
    r.velocity = r.velocity.clamp(-max_speed, max_speed);
    r
}
