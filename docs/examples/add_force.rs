//! Station-keeping spring: a force that pulls a link to a fixed point.
//!
//! # Law
//! ```text
//!   f = -k (p - p_0) - d v                                         (1)
//! ```
//! # Symbols
//! p position of the link origin, p_0 the station [m] · v velocity of the link origin [m/s] · k
//! stiffness [N/m], d damping [N s/m].
//!
//! # Frames
//! p and p_0 in W. The force acts at Lo and is expressed in L.
//!
//! # Limits
//! The spring has no slack and no maximum force, and exerts no moment.
//!
//! # Checked by
//! test/docs.rs

use merrow_math::{Mat3, Real, SpatialForce, SpatialVelocity, Vec3};

/// Parameters of the spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Position of the station in W [m].
    pub p_W0: Vec3,
    /// Stiffness of the spring [N/m].
    pub stiffness: f64,
    /// Damping of the spring [N s/m].
    pub damping: f64,
}

/// Returns the force (1) at Lo in L. `R_WL` and `p_WL` are the pose of the link in W, `V` its
/// velocity at Lo in L.
pub fn force<T: Real>(
    spring: &Spring,
    (R_WL, p_WL): (&Mat3<T>, Vec3<T>),
    V: &SpatialVelocity<T>,
) -> SpatialForce<T> {
    let stretch_W = Vec3::splat(spring.p_W0) - p_WL;
    let pull = R_WL.tr_mul_vec(stretch_W).scale(T::splat(spring.stiffness));
    let drag = V.v.scale(T::splat(spring.damping));
    SpatialForce {
        m: Vec3::zero(),
        f: pull - drag,
    }
}
