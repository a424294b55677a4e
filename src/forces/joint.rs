//! Effort at the joints: what drives and holds them.
//!
//! # Law
//! ```text
//!   tau = command - k (q - q_rest) - b q̇ - k_stop δ - b_stop q̇        (1)
//! ```
//! δ is how far the joint is past its limit. The stop is a spring that would swing the link's own hinge inertia at
//! 40 Hz, critically damped: stiff to a hand, gentle on a 1 ms step. `contact` will make it rigid.
//!
//! # Symbols
//! q position [rad or m] · k, b spring and viscous friction of the joint.
//!
//! # Frames
//! About or along the joint's z axis.
//!
//! # Limits
//! No Coulomb friction, no backlash.
//!
//! # Checked by
//! test/identity/conservation.rs, test/analytic/pendulum.rs

use crate::math::Real;
use crate::scene::{Drive, Link};

/// Angular frequency of the end stop [rad/s].
const STOP_FREQUENCY: f64 = 2.0 * std::f64::consts::PI * 40.0;

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
    let outside = (0..T::LANES).any(|i| {
        let q = q.lane(i);
        q < joint.limits[0] || q > joint.limits[1]
    });
    if outside {
        let inertia = hinge_inertia(link);
        tau += T::from_lanes(|i| stop(inertia, joint.limits, q.lane(i), qd.lane(i)));
    }
    tau
}

fn stop(inertia: f64, [lo, hi]: [f64; 2], q: f64, qd: f64) -> f64 {
    let past = if q < lo {
        q - lo
    } else if q > hi {
        q - hi
    } else {
        return 0.0;
    };
    -inertia * STOP_FREQUENCY * (STOP_FREQUENCY * past + 2.0 * qd)
}

/// Inertia of the link alone about its joint, with added mass [kg m² or kg].
fn hinge_inertia(link: &Link) -> f64 {
    match link.joint.kind {
        crate::scene::JointKind::Prismatic => link.total.D.zz + link.joint.armature,
        _ => link.total.A.zz + link.joint.armature,
    }
}

/// Acceleration of a joint with a position drive; zero for the others.
///
/// A critically damped second-order follower, `a = 2w (w/2 (command - q) - q̇)`, within its limits.
#[inline(always)]
pub fn prescribed_acceleration<T: Real>(link: &Link, command: T, q: T, qd: T) -> T {
    let Drive::Position { bandwidth, max_speed, max_acceleration } = link.joint.drive else {
        return T::zero();
    };
    T::from_lanes(|i| {
        let wanted = (0.5 * bandwidth * (command.lane(i) - q.lane(i))).clamp(-max_speed, max_speed);
        (2.0 * bandwidth * (wanted - qd.lane(i))).clamp(-max_acceleration, max_acceleration)
    })
}
