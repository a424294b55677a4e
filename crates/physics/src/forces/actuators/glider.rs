//! Lift, drag and moments of an underwater glider, by the published coefficients of the whole vehicle.
//!
//! # Law
//! ```text
//!   D = (K_D0 + K_D α²) V²,  S = K_β β V²,  L = (K_L0 + K_α α) V²                (1)  [Zhang 2013; Graver 2005]
//!   T₁ = (K_MR β + K_p p) V²,  T₂ = (K_M0 + K_M α + K_q q) V²,  T₃ = (K_MY β + K_r r) V²
//!   α = atan2(w, u),  β = asin(v/V);  all along the flow's axes                  (2)
//!   beside p, q, r: V min(V, 1 m/s) for V²                                       (3)
//! ```
//! # Symbols
//! V speed through the water · u, v, w ahead, to the right, down · p, q, r to the right, nose up, to the right.
//!
//! # Frames
//! The coefficients keep their published signs (forward, right, down); the flow's axes are written forward, left, up. At the origin of U.
//!
//! # Limits
//! Fitted near small angles and at some 0.5 m/s: lift grows without stall. What turning is resisted by goes with the speed V in theory; the fit has V², which
//! (3) follows up to 1 m/s (chosen: faster than gliders are), since further on it damps ever more unlike a body in water. The body's own damping stands beside it.
//!
//! # Checked by
//! test/analytic/glider.rs, test/hours.rs

use merrow_math::real::sin_cos;
use merrow_math::{Real, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::scene::robot::body::Glider;

/// Speed up to which the moments against turning go with the speed's square [m/s]; chosen.
const FITTED: f64 = 1.0;

/// (1) at the origin of U, in U, scaled by the wet part.
#[inline(never)]
pub fn force<T: Real>(glider: &Glider, V_r: &SpatialVelocity<T>, wet: T) -> SpatialForce<T> {
    SpatialForce::from_lanes(|i| one(glider, V_r.v.lane(i), V_r.w.lane(i), wet.lane(i)))
}

fn one(k: &Glider, v: Vec3, w: Vec3, wet: f64) -> SpatialForce {
    let speed = v.norm();
    if speed == 0.0 {
        return SpatialForce::zero();
    }
    let alpha = libm::atan2(-v.z, v.x);
    let beta = libm::asin((-v.y / speed).clamp(-1.0, 1.0));
    let ((sa, ca), (sb, cb)) = (sin_cos(alpha), sin_cos(beta));
    let ahead = v.scale(1.0 / speed);
    let right = Vec3::new(-ca * sb, -cb, sa * sb);
    let down = Vec3::new(-sa, 0.0, -ca);
    let q = wet * speed * speed;
    let turning = speed.min(FITTED) / speed; // (3)
    let along = |x: [f64; 3]| ahead.scale(q * x[0]) + right.scale(q * x[1]) + down.scale(q * x[2]);
    let [drag, drag_alpha] = k.drag;
    let f = along([
        -(drag + drag_alpha * alpha * alpha),
        k.side * beta,
        -(k.lift[0] + k.lift[1] * alpha),
    ]);
    let m = along([
        k.roll[0] * beta + k.roll[1] * w.x * turning,
        k.pitch[0] + k.pitch[1] * alpha - k.pitch[2] * w.y * turning,
        k.yaw[0] * beta - k.yaw[1] * w.z * turning,
    ]);
    SpatialForce { m, f }
}
