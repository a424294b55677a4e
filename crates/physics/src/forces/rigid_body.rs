//! Weight, and velocity-product (Coriolis and centripetal) force of a rigid body.
//!
//! # Law
//! ```text
//!   F = -V ×* (I V)                                            (1)  [Featherstone 2008, eq. 2.71]
//!   f = -m g ẑ_W  at Lcm                                       (2)
//! ```
//! # Symbols
//! V link velocity at Lo · I rigid-body inertia at Lo · m mass [kg] · g gravity [m/s²].
//!
//! # Frames
//! All in the link frame L at Lo.
//!
//! # Limits
//! Uniform gravity; the world frame is taken as inertial (the rotation of the Earth is neglected).
//!
//! # Checked by
//! test/analytic/bodies/rigid_body.rs, test/identity/conservation.rs

use merrow_math::{Real, SpatialForce, SpatialInertia, SpatialVelocity, Vec3};
use merrow_model::scene::Link;

/// Returns the force (1) at Lo in L, for the rigid inertia, or for rigid plus added inertia in
/// still water, where both have the same velocity.
#[inline(always)]
pub(crate) fn velocity_product<T: Real>(
    inertia: &SpatialInertia<f64>,
    V: &SpatialVelocity<T>,
) -> SpatialForce<T> {
    let momentum = SpatialInertia::splat(*inertia).mul(V);
    -V.cross_force(&momentum)
}

/// Returns the weight (2) at Lo in L; `up` is ẑ_W in L; `gravity` is the acceleration [m/s²].
#[inline(always)]
pub fn weight<T: Real>(link: &Link, up: Vec3<T>, gravity: f64) -> SpatialForce<T> {
    SpatialForce::at_point(up * -(link.mass_kg * gravity), link.p_LoLcm)
}
