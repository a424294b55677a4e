//! Effort at the joints: command, spring and viscous friction.
//!
//! # Law
//! ```text
//!   tau = command - k (q - q_rest) - b q̇        (1)
//! ```
//! Limits and dry friction are in `contact`.
//!
//! # Symbols
//! q position [rad or m] · k, b spring and viscous friction of the joint.
//!
//! # Frames
//! About or along the joint's z axis.
//!
//! # Limits
//! No backlash.
//!
//! # Checked by
//! test/identity/conservation.rs, test/analytic/joints/pendulum.rs

use merrow_math::Real;
use merrow_model::scene::{Drive, Link};

/// Returns the effort of a joint by (1) [N m or N]; zero drive effort for a position drive.
///
/// `command` is limited to the maximum effort of the joint, `q` is the position [rad or m], and
/// `qd` the velocity [rad/s or m/s].
#[inline(always)]
pub fn effort<T: Real>(link: &Link, command: T, q: T, qd: T) -> T {
    let joint = &link.joint;
    let mut tau = -(qd * joint.damping);
    let limited_command =
        || T::from_lanes(|i| command.lane(i).clamp(-joint.max_effort, joint.max_effort));
    match joint.drive {
        Drive::Effort {
            stiffness,
            spring_rest,
        } => tau += limited_command() - (q - T::splat(spring_rest)) * stiffness,
        // the gear can transmit more than the effort of the motor
        Drive::Servo(_) => tau += command,
        Drive::Position { .. } => {}
    }
    tau
}

/// Returns the acceleration [rad/s² or m/s²] of a joint with a position drive; zero for other
/// drives.
///
/// A critically damped second-order follower, `a = 2w (w/2 (command - q) - q̇)`, within its limits.
#[inline(always)]
pub(crate) fn prescribed_acceleration<T: Real>(link: &Link, command: T, q: T, qd: T) -> T {
    let Drive::Position {
        bandwidth_rad_s: bandwidth,
        max_speed,
        max_acceleration,
    } = link.joint.drive
    else {
        return T::zero();
    };
    T::from_lanes(|i| {
        let target_speed =
            (0.5 * bandwidth * (command.lane(i) - q.lane(i))).clamp(-max_speed, max_speed);
        (2.0 * bandwidth * (target_speed - qd.lane(i))).clamp(-max_acceleration, max_acceleration)
    })
}
