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
    let momentum = inertia_times(inertia, V);
    let f = V.cross_force(&momentum);
    SpatialForce { m: -f.m, f: -f.f }
}

/// Returns the weight (2) at Lo in L; `up` is ẑ_W in L; `gravity` is the acceleration [m/s²].
#[inline(always)]
pub fn weight<T: Real>(link: &Link, up: Vec3<T>, gravity: f64) -> SpatialForce<T> {
    SpatialForce::at_point(up * -(link.mass_kg * gravity), link.p_LoLcm)
}

/// Returns the product `I V` of a constant inertia and a velocity: the momentum [N m s, N s] for
/// [rad/s, m/s], or the force [N m, N] for an acceleration.
#[inline(always)]
pub fn inertia_times<T: Real>(
    inertia: &SpatialInertia<f64>,
    V: &SpatialVelocity<T>,
) -> SpatialForce<T> {
    let (A, B, D) = (&inertia.A, &inertia.B, &inertia.D);
    let (w, v) = (V.w, V.v);
    let row = |x: Vec3<T>, a: f64, b: f64, c: f64| x.x * a + x.y * b + x.z * c;
    SpatialForce {
        m: Vec3::new(
            row(w, A.xx, A.xy, A.xz) + row(v, B.r[0].x, B.r[0].y, B.r[0].z),
            row(w, A.xy, A.yy, A.yz) + row(v, B.r[1].x, B.r[1].y, B.r[1].z),
            row(w, A.xz, A.yz, A.zz) + row(v, B.r[2].x, B.r[2].y, B.r[2].z),
        ),
        f: Vec3::new(
            row(w, B.r[0].x, B.r[1].x, B.r[2].x) + row(v, D.xx, D.xy, D.xz),
            row(w, B.r[0].y, B.r[1].y, B.r[2].y) + row(v, D.xy, D.yy, D.yz),
            row(w, B.r[0].z, B.r[1].z, B.r[2].z) + row(v, D.xz, D.yz, D.zz),
        ),
    }
}

/// Returns the product `I (0, v)` of a constant inertia and a linear velocity.
#[inline(always)]
pub(crate) fn inertia_times_linear<T: Real>(
    inertia: &SpatialInertia<f64>,
    v: Vec3<T>,
) -> SpatialForce<T> {
    let (B, D) = (&inertia.B, &inertia.D);
    let row = |a: f64, b: f64, c: f64| v.x * a + v.y * b + v.z * c;
    SpatialForce {
        m: Vec3::new(
            row(B.r[0].x, B.r[0].y, B.r[0].z),
            row(B.r[1].x, B.r[1].y, B.r[1].z),
            row(B.r[2].x, B.r[2].y, B.r[2].z),
        ),
        f: Vec3::new(
            row(D.xx, D.xy, D.xz),
            row(D.xy, D.yy, D.yz),
            row(D.xz, D.yz, D.zz),
        ),
    }
}
