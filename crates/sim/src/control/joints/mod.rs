//! Joint electronics, run once per step: encoders, trajectories, servos and motors.
//!
//! Runs after the evaluation at the start of a step, which provides the bias of the dynamics and
//! the mobility of the joints, and before the integration. The efforts are constant over the step.
//! A robot with ideal drives and without a goal is skipped.

pub mod actuator;
pub mod command;
pub mod encoder;
pub mod keep_out;
pub mod servo;
pub mod trajectory;

use merrow_model::scene::Robot;
use merrow_model::state::{RobotState, Workspace};
use merrow_physics::dynamics::rnea;

/// Instant and the step that follows it.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// Start of the step [ns].
    pub ns: u64,
    /// Length of the step [s].
    pub dt: f64,
    /// Temperature of the water [°C].
    pub ambient: f64,
    /// True if the motors have power.
    pub powered: bool,
}

/// Runs all joint electronics once for the instant `now`, whose motion has been evaluated in
/// `work`. Returns true if it wrote `joint_commands` and used `work` as scratch, so that the
/// accelerations must be computed again.
pub fn advance(robot: &Robot, state: &mut RobotState, work: &mut Workspace, now: Now) -> bool {
    let has_task = state.groups.iter().any(|g| g.task.is_some());
    if !(robot.servos || has_task) || state.joints_ns == Some(now.ns) {
        return false;
    }
    state.joints_ns = Some(now.ns);
    let mut needs_bias = false;
    for j in 0..robot.n_joints() {
        work.joints[j].ticks = false;
        if let Some(servo) = robot.links[j + 1].joint.servo()
            && encoder::due_ns(servo.rate_hz, state.joints[j].ticks) <= now.ns
        {
            work.joints[j].ticks = true;
            needs_bias |= servo.law.needs_bias();
            encoder::tick(
                servo,
                &mut state.joints[j],
                [state.motion.q[j], state.motion.qd[j]],
                now,
            );
        }
    }
    for group in 0..robot.joint_groups.len() {
        trajectory::advance(robot, state, &work.joints, group, now.ns);
    }
    if needs_bias {
        let mut scratch = std::mem::take(&mut work.joints);
        rnea::bias_efforts(robot, work, |j, tau| scratch[j].bias = tau);
        work.joints = scratch;
    }
    servo::request_speeds(robot, state, &mut work.joints);
    keep_out::freeze_if_blocked(robot, state, work, now.ns);
    for (j, link) in robot.links[1..].iter().enumerate() {
        if let Some(servo) = link.joint.servo().filter(|_| work.joints[j].ticks) {
            servo::tick(servo, &mut state.joints[j], &work.joints[j], now);
        }
    }
    actuator::advance(robot, state, work, now);
    true
}
