//! Guidance of vehicles that accept velocity commands: the velocity command that leads to a goal or
//! along a path.
//!
//! # Law
//! ```text
//!   v = min(k |e|, U) e/|e|,   e = p_g - p                        (1)
//!   v_x = min(k |e|, U) max(cos α, 0),   α = atan2(e_y, e_x) - ψ  (2)
//!   w = k_ψ α                                                     (3)
//!   v_x = U max(cos α, 0),   α = ψ(χ) - ψ                         (4)
//!   (1) goal, vehicle that moves to all sides
//!   (2) goal, other vehicles [Siegwart 2011, §3.6]
//!   (4) path with the course χ of `line_of_sight`
//! ```
//! U decreases to k times the remaining distance on the last leg. At the end of a path the vehicle
//! holds the last waypoint.
//!
//! # Symbols
//! p_g goal, p position · k position gain, k_ψ heading gain · U maximum speed · ψ heading, ψ(χ)
//! heading for the course χ · v, w commanded velocity and yaw rate.
//!
//! # Frames
//! World (ENU); angles from east, counter-clockwise. The command is along heading, left and up.
//!
//! # Limits
//! The guidance uses the true motion. It does not avoid obstacles.
//!
//! # Checked by
//! test/analytic/vehicles/waypoints.rs

use crate::estimate::KnownMotion;
use crate::line_of_sight;
use merrow_math::real::{sin_cos, wrap_angle};
use merrow_math::{Quat, Vec3};
use merrow_model::ensure;
use merrow_model::scene::robot::guidance::VelocityGuidance;
use merrow_model::state::FirmwareCommand;
use merrow_model::state::firmware::GuidanceTask;
use merrow_model::state::firmware::tasks::{PathProgress, PoseGoal};

/// Distance at which a vehicle that has arrived moves to its goal again, as a multiple of the
/// acceptance radius.
pub(crate) const RETURN_RATIO: f64 = 2.0;

/// Returns the velocity command of `task`: linear [m/s] and angular [rad/s] along the heading, to
/// its left and up (horizontal axes in W); `None` without a task. Advances the task by `dt` [s].
/// A holonomic vehicle moves to all sides.
pub fn velocity(
    settings: &VelocityGuidance,
    is_holonomic: bool,
    task: &mut GuidanceTask,
    motion: &KnownMotion,
    dt: f64,
) -> Option<[Vec3; 2]> {
    if let GuidanceTask::Path(path) = task {
        if let Some(command) = follow_path(settings, is_holonomic, path, motion, dt) {
            return Some(command);
        }
        let yaw = motion.q_WB.matrix().to_rpy()[2];
        let end = path.waypoints.last().copied().unwrap_or(motion.p_WB);
        *task = goal_task(end, yaw);
    }
    let GuidanceTask::Goal { goal, has_arrived } = task else {
        return None;
    };
    Some(approach(settings, is_holonomic, goal, has_arrived, motion))
}

/// Returns the task that approaches the position `p_WB` [m], W, and the yaw [rad].
fn goal_task(p_WB: Vec3, yaw: f64) -> GuidanceTask {
    GuidanceTask::Goal {
        goal: PoseGoal {
            p_WB,
            rpy: [0.0, 0.0, yaw],
        },
        has_arrived: false,
    }
}

/// Returns the command that approaches and holds a goal, by (1) to (3).
fn approach(
    settings: &VelocityGuidance,
    is_holonomic: bool,
    goal: &PoseGoal,
    has_arrived: &mut bool,
    motion: &KnownMotion,
) -> [Vec3; 2] {
    let yaw = motion.q_WB.matrix().to_rpy()[2];
    let e = goal.p_WB - motion.p_WB;
    let max = settings.speed_m_s;
    let turn = |to: f64| Vec3::new(0.0, 0.0, settings.heading_gain_per_s * wrap_angle(to - yaw));
    if is_holonomic {
        let speed = (settings.position_gain_per_s * e.norm()).min(max);
        let v = e.unit().map_or(Vec3::zero(), |e| e.scale(speed));
        return [along_heading(v, yaw), turn(goal.rpy[2])];
    }
    let distance = (e.x * e.x + e.y * e.y).sqrt();
    let radius = settings.acceptance_radius_m;
    let limit = if *has_arrived { RETURN_RATIO } else { 1.0 };
    *has_arrived = distance <= limit * radius;
    if *has_arrived {
        return [Vec3::zero(), turn(goal.rpy[2])];
    }
    let bearing = libm::atan2(e.y, e.x);
    let part = sin_cos(bearing - yaw).1.max(0.0);
    let speed = part * (settings.position_gain_per_s * distance).min(max);
    [Vec3::new(speed, 0.0, 0.0), turn(bearing)]
}

/// Returns the command along the path, by (4); `None` at its end.
fn follow_path(
    settings: &VelocityGuidance,
    is_holonomic: bool,
    path: &mut PathProgress,
    motion: &KnownMotion,
    dt: f64,
) -> Option<[Vec3; 2]> {
    let R = motion.q_WB.matrix();
    let (yaw, v) = (R.to_rpy()[2], R.mul_vec(motion.V_WB_B.v));
    let leg = line_of_sight::advance(&settings.line_of_sight(), path, motion.p_WB, dt)?;
    let max = settings.speed_m_s;
    let speed = if leg.is_last {
        // the end of the path is at the acceptance radius
        max.min(settings.position_gain_per_s * leg.remaining.max(settings.acceptance_radius_m))
    } else {
        max
    };
    let heading = if is_holonomic {
        leg.course
    } else {
        line_of_sight::heading_for_course(leg.course, yaw, v)
    };
    let error = wrap_angle(heading - yaw);
    let angular = Vec3::new(0.0, 0.0, settings.heading_gain_per_s * error);
    if is_holonomic {
        let (s, c) = sin_cos(leg.course);
        let climb = settings.position_gain_per_s * (leg.height - motion.p_WB.z);
        let v = Vec3::new(speed * c, speed * s, climb.clamp(-max, max));
        return Some([along_heading(v, yaw), angular]);
    }
    let forward = speed * sin_cos(error).1.max(0.0);
    Some([Vec3::new(forward, 0.0, 0.0), angular])
}

/// Returns the components of `v` [m/s, W] along the heading `yaw` [rad], to its left and up.
fn along_heading(v: Vec3, yaw: f64) -> Vec3 {
    let (s, c) = sin_cos(yaw);
    Vec3::new(c * v.x + s * v.y, c * v.y - s * v.x, v.z)
}

/// Returns the task for a goal, a path or a mode, for a vehicle with this motion.
///
/// # Errors
/// The command is not finite, or the firmware has no such mode.
pub fn requested_task(
    motion: &KnownMotion,
    command: &FirmwareCommand,
) -> Result<GuidanceTask, String> {
    let yaw = motion.q_WB.matrix().to_rpy()[2];
    match command {
        FirmwareCommand::PoseGoal { p_WB, q_WB, .. } => {
            let yaw = q_WB.map_or(yaw, |q: Quat| q.normalized().matrix().to_rpy()[2]);
            let is_finite = p_WB.is_finite() && yaw.is_finite();
            ensure!(is_finite, "goal: found a value that is not finite");
            Ok(goal_task(*p_WB, yaw))
        }
        FirmwareCommand::FollowPath { waypoints, .. } => {
            PathProgress::new(motion.p_WB, waypoints).map(GuidanceTask::Path)
        }
        _ => Ok(goal_task(motion.p_WB, yaw)),
    }
}
