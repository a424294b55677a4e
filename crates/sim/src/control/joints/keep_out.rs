//! Keep-out stop of an arm against its own vehicle, as in the controller of the Reach Alpha arm.
//!
//! # Law
//! ```text
//!   d(q) = distance of sphere and box, negative inside                       (1)
//!   frozen if d(y + v* t) < 0 and d(y + v* t) < d(y) for a sphere and a box  (2)
//! ```
//! Frozen servos request zero speed; active goals are aborted and their joints hold. A motion out
//! of a box is allowed.
//!
//! # Symbols
//! y measured joint positions · v* velocities requested by the servos (`servo`) · t look-ahead
//! time.
//!
//! # Frames
//! Boxes along the axes of the base B.
//!
//! # Limits
//! Joints in effort mode are monitored but not stopped, because their servos do not control the
//! speed. Ideal drives are neither monitored nor stopped.
//!
//! # Checked by
//! test/analytic/joints/servo_stop.rs

use crate::control::joints::command;
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_model::kinematics;
use merrow_model::scene::robot::actuator::Sphere;
use merrow_model::scene::{JointMode, Robot};
use merrow_model::state::joint::{AbortReason, GoalState};
use merrow_model::state::{RobotState, Workspace};

/// Applies (2) at the ticks of the servos.
pub(crate) fn freeze_if_blocked(
    robot: &Robot,
    state: &mut RobotState,
    work: &mut Workspace,
    now_ns: u64,
) {
    let Some(keep_out) = &robot.keep_out else {
        return;
    };
    if !work.joints.iter().any(|j| j.ticks) {
        return;
    }
    let now = |j: usize| state.measured(robot, j).position;
    let ahead = |j: usize| now(j) + keep_out.look_ahead_s * work.joints[j].target_velocity;
    let blocked = keep_out.spheres.iter().find(|sphere| {
        let (here, there) = (
            sphere_center(robot, sphere, now),
            sphere_center(robot, sphere, ahead),
        );
        keep_out.boxes.iter().any(|b| {
            let (d, d_ahead) = (
                distance(b, here) - sphere.radius_m,
                distance(b, there) - sphere.radius_m,
            );
            d_ahead < 0.0 && d_ahead < d
        })
    });
    let Some(link) = blocked.map(|s| s.link) else {
        return;
    };
    for (j, memory) in state.joints.iter().enumerate() {
        if memory.mode != JointMode::Effort {
            work.joints[j].target_velocity = 0.0;
        }
    }
    for group in 0..robot.joint_groups.len() {
        if state.groups[group].task.is_some() {
            let why = GoalState::Aborted(AbortReason::KeepOut { link });
            command::end_goal(state, group, why, now_ns);
            command::hold_position(robot, state, group);
        }
    }
}

/// Returns the centre of a sphere in the base frame [m], with the joints at `q`.
fn sphere_center(robot: &Robot, sphere: &Sphere, q: impl Fn(usize) -> f64) -> Vec3 {
    let (mut i, mut p) = (sphere.link, sphere.p_LoC);
    while i != 0 {
        let q = q(i - 1);
        let (R_PC, p_PC) = kinematics::joint_pose(&robot.links[i].joint, q, sin_cos(q));
        p = p_PC + R_PC.mul_vec(p);
        i = robot.links[i].parent.unwrap_or(0);
    }
    p
}

/// Computes (1) for a point [m]: distance to the surface outside, negative distance to the nearest
/// face inside.
fn distance([lo, hi]: &[Vec3; 2], p: Vec3) -> f64 {
    let past: [f64; 3] = std::array::from_fn(|i| (lo[i] - p[i]).max(p[i] - hi[i]));
    let outside = Vec3::from(past.map(|x| x.max(0.0))).norm();
    if outside > 0.0 {
        outside
    } else {
        past[0].max(past[1]).max(past[2])
    }
}
