//! The velocity-product force of the added mass, and what accelerating water does.
//!
//! The added mass itself is inertia (`scene/body.rs`), never a force.
//!
//! # Law
//! In a frame that moves with the water the fluid's momentum is `I_A V_r`, and Kirchhoff's equations give
//!
//! ```text
//!   F = -V_r ×* (I_A V_r)                                      (1)  [Fossen 2021, eq. 6.43; Lamb 1932, §124]
//!       + I_A (0, a_w - w × v_w)                               (2)  V̇_r = V̇ - d/dt|_L (0, v_w)
//!       + ρ ∇ s a_w  at Cb                                     (3)  Froude-Krylov
//! ```
//! (1) holds the Munk moment. Some published sets (Fossen's REMUS 100) leave it out in pitch and yaw, with its reciprocal
//! force, because their damping was fitted with it: `munk_moment: false`. That neither makes nor takes energy. Where derivatives are given (`derivatives.rs`), they hold (1). With (2) the equation of motion is one in `V̇`, so that the added mass can be solved
//! for together with the rigid mass.
//!
//! # Symbols
//! V_r velocity relative to the water at Lo · I_A added mass at Lo · v_w, a_w water velocity and acceleration
//! · w angular velocity of the link · ρ density · ∇ displaced volume · s wet part, Cb its centroid.
//!
//! # Frames
//! All in the link frame L at Lo; a_w is the acceleration of the water particle in W, expressed in L.
//!
//! # Limits
//! Ideal unbounded fluid, water uniform over the link, links do not disturb each other's flow.
//!
//! # Checked by
//! test/analytic/kirchhoff.rs (V35, V36), test/analytic/current.rs (V45), test/analytic/swimmer.rs (V37)

use crate::forces::rigid_body::{inertia_times, inertia_times_linear};
use merrow_math::{Real, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::scene::Link;

/// (1) + (2) + (3). `wet` is the wet part, 0..1, `displaced` is ρ∇ of it [kg], `p_LoCb` its centroid.
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
    let momentum = inertia_times(&link.added, V_r);
    let mut munk = V_r.cross_force(&momentum); // (1)
    if !link.munk {
        // keep the rotational part and what roll couples; the rest is in the damping of such a set
        let incidence = V_r.v.cross(momentum.f);
        munk.m = V_r.w.cross(momentum.m) + Vec3::new(incidence.x, T::zero(), T::zero());
        munk.f = Vec3::new(V_r.w.x, T::zero(), T::zero()).cross(momentum.f);
        if !link.derivatives.is_empty() {
            munk = SpatialForce::zero(); // they hold all of it
        }
    }
    let carried = inertia_times_linear(&link.added, a_w - V.w.cross(v_w)); // (2)
    let added = carried.minus(&munk);
    let carry = a_w.scale(displaced); // (3)
    let froude_krylov = SpatialForce {
        m: -carry.cross(p_LoCb),
        f: carry,
    };
    SpatialForce {
        m: added.m.scale(wet),
        f: added.f.scale(wet),
    }
    .plus(&froude_krylov)
}
