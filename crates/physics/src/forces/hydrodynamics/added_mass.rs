//! Velocity-product force of the added mass, and forces due to accelerating water.
//!
//! The added mass itself is part of the inertia (`crates/model/src/scene/robot/body.rs`), never a
//! force.
//!
//! # Law
//! In a frame that moves with the water the momentum of the fluid is `I_A V_r`, and Kirchhoff's
//! equations give
//!
//! ```text
//!   F = -V_r ×* (I_A V_r)     (1)  [Fossen 2021, eq. 6.43; Lamb 1932, §124]
//!       + I_A (0, a_w - w × v_w)  (2)  V̇_r = V̇ - d/dt|_L (0, v_w)
//!       + ρ ∇ s a_w  at Cb        (3)  Froude-Krylov
//! ```
//! (1) includes the Munk moment. Some published coefficient sets (Fossen's REMUS 100) omit it in
//! pitch and yaw, together with its reciprocal force, because their damping was fitted with it:
//! `munk_moment: false`. Fossen's program of the Otter neglects that in yaw, which would turn the
//! vehicle broadside: `munk_moment_yaw: false`. With the reciprocal forces omitted too, neither
//! adds nor removes energy. If derivatives are given
//! (`../derivatives.rs`), they include (1). With (2) the equation of motion is an equation in `V̇`,
//! so the added mass can be solved together with the rigid mass.
//!
//! # Symbols
//! V_r velocity relative to the water at Lo · I_A added mass at Lo · v_w, a_w water velocity and
//! acceleration · w angular velocity of the link · ρ density · ∇ displaced volume · s wet fraction,
//! Cb its centroid.
//!
//! # Frames
//! All in the link frame L at Lo; a_w is the acceleration of the water particle in W, Du/Dt of the
//! undisturbed water at Cb, expressed in L.
//!
//! # Limits
//! Ideal unbounded fluid, no hydrodynamic interaction between links. The water is uniform over the
//! link except for its acceleration. In sheared water (2) and (3) are exact for a small sphere
//! [Taylor 1928; Auton 1988]; for other shapes they neglect the products of velocity gradient and
//! relative velocity.
//!
//! # Checked by
//! test/analytic/environment/current.rs (V45), test/analytic/bodies/floating.rs (V45),
//! test/analytic/bodies/swimmer.rs (V37); V35, V36

use merrow_math::{Real, SpatialForce, SpatialInertia, SpatialVelocity, Vec3};
use merrow_model::scene::Link;
use merrow_model::scene::robot::body::MunkMoments;

/// Returns the sum of (1), (2) and (3), at Lo in L.
///
/// `V` and `V_r` are the velocities of the link and relative to the water, `v_w` [m/s] and `a_w`
/// [m/s²] velocity and acceleration of the water, all in L. `wet` is the wet fraction [-],
/// `displaced` its ρ∇ [kg], and `p_LoCb` its centroid [m].
#[inline(always)]
pub fn force<T: Real>(
    link: &Link,
    V: &SpatialVelocity<T>,
    V_r: &SpatialVelocity<T>,
    v_w: Vec3<T>,
    a_w: Vec3<T>,
    (wet, displaced): (T, T),
    p_LoCb: Vec3<T>,
) -> SpatialForce<T> {
    let added = SpatialInertia::splat(link.added);
    let momentum = added.mul(V_r);
    let mut munk = V_r.cross_force(&momentum); // (1)
    if link.munk != MunkMoments::All {
        // keep the rotational part and the terms that couple with roll, and with pitch
        let pitch = if link.munk == MunkMoments::WithoutYaw {
            T::one()
        } else {
            T::zero()
        };
        let select_kept = |v: Vec3<T>| Vec3::new(v.x, v.y * pitch, T::zero());
        munk.m = V_r.w.cross(momentum.m) + select_kept(V_r.v.cross(momentum.f));
        munk.f = select_kept(V_r.w).cross(momentum.f);
        if !link.derivatives.is_empty() {
            munk = SpatialForce::zero(); // the derivatives include all of it
        }
    }
    let a_v = a_w - V.w.cross(v_w);
    let water_acceleration_force = SpatialForce::new(added.B.mul_vec(a_v), added.D.mul_vec(a_v)); // (2)
    let added_mass_force = water_acceleration_force - munk;
    let inertial_force = a_w.scale(displaced); // (3)
    let froude_krylov = SpatialForce::new(-inertial_force.cross(p_LoCb), inertial_force);
    added_mass_force.scale(wet) + froude_krylov
}
