//! Effort at the joints: what drives and holds them.
//!
//! # Law
//! ```text
//!   tau = command - k (q - q_rest) - b q̇        (1)
//! ```
//! Limits and dry friction are `contact`'s.
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
//! test/identity/conservation.rs, test/analytic/pendulum.rs

use merrow_math::Real;
use merrow_model::scene::{Drive, Link};

/// (1); the command is held within the joint's largest effort. A position drive has no effort of its own.
#[inline(always)]
pub fn effort<T: Real>(link: &Link, command: T, q: T, qd: T) -> T {
    let joint = &link.joint;
    let mut tau = -(qd * joint.damping);
    let within = || T::from_lanes(|i| command.lane(i).clamp(-joint.max_effort, joint.max_effort));
    match joint.drive {
        Drive::Effort { stiffness, rest } => tau += within() - (q - T::splat(rest)) * stiffness,
        // what its gear passes on may exceed what its motor gives
        Drive::Servo(_) => tau += command,
        Drive::Position { .. } => {}
    }
    tau
}

/// Acceleration of a joint with a position drive; zero for the others.
///
/// A critically damped second-order follower, `a = 2w (w/2 (command - q) - q̇)`, within its limits.
#[inline(always)]
pub fn prescribed_acceleration<T: Real>(link: &Link, command: T, q: T, qd: T) -> T {
    let Drive::Position {
        bandwidth,
        max_speed,
        max_acceleration,
    } = link.joint.drive
    else {
        return T::zero();
    };
    T::from_lanes(|i| {
        let wanted = (0.5 * bandwidth * (command.lane(i) - q.lane(i))).clamp(-max_speed, max_speed);
        (2.0 * bandwidth * (wanted - qd.lane(i))).clamp(-max_acceleration, max_acceleration)
    })
}
