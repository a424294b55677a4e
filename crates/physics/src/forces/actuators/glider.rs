//! Lift, drag and moments of an underwater glider from published coefficients of the whole vehicle.
//!
//! # Law
//! ```text
//!   D = (K_D0 + K_D α²) V²,  S = K_β β V²,  L = (K_L0 + K_α α) V²  (1)  [Zhang 2013; Graver 2005]
//!   T₁ = (K_MR β + K_p p) V²,  T₂ = (K_M0 + K_M α + K_q q) V²,  T₃ = (K_MY β + K_r r) V²
//!   α = atan2(w, u),  β = asin(v/V);  all along the flow axes      (2)
//!   for the terms in p, q, r: V min(V, 1 m/s) instead of V²        (3)
//! ```
//! # Symbols
//! V speed through the water · u, v, w velocity forward, right, down · p, q, r angular velocity:
//! roll to the right, pitch nose up, yaw to the right.
//!
//! # Frames
//! The coefficients keep their published signs (forward, right, down); the flow axes are written
//! forward, left, up. At the origin of U.
//!
//! # Limits
//! The coefficients are fitted near small angles and at about 0.5 m/s: lift grows without stall. In
//! theory the rotational damping is proportional to V; the fit uses V². (3) follows the fit up to 1
//! m/s (chosen: faster than gliders), because at higher speeds V² deviates more and more from the
//! damping of a body in water. The damping of the body itself is added.
//!
//! # Checked by
//! test/analytic/vehicles/glider.rs, test/hours.rs

use merrow_math::real::sin_cos;
use merrow_math::{Real, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::scene::robot::body::Glider;

/// Speed up to which the rotational damping grows with the square of the speed [m/s]; chosen.
const SQUARE_DAMPING_SPEED: f64 = 1.0;

/// Returns the wrench by (1) at the origin of U, in U, scaled by the wet fraction `wet`.
///
/// `V_r` is the velocity of the vehicle relative to the water at the same point.
#[inline(never)]
pub fn force<T: Real>(glider: &Glider, V_r: &SpatialVelocity<T>, wet: T) -> SpatialForce<T> {
    SpatialForce::from_lanes(|i| glider_wrench(glider, V_r.v.lane(i), V_r.w.lane(i), wet.lane(i)))
}

fn glider_wrench(k: &Glider, v: Vec3, w: Vec3, wet: f64) -> SpatialForce {
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
    let damping_factor = speed.min(SQUARE_DAMPING_SPEED) / speed; // (3)
    let in_flow_axes =
        |x: [f64; 3]| ahead.scale(q * x[0]) + right.scale(q * x[1]) + down.scale(q * x[2]);
    let [drag, drag_alpha] = k.drag;
    let f = in_flow_axes([
        -(drag + drag_alpha * alpha * alpha),
        k.side * beta,
        -(k.lift[0] + k.lift[1] * alpha),
    ]);
    let m = in_flow_axes([
        k.roll[0] * beta + k.roll[1] * w.x * damping_factor,
        k.pitch[0] + k.pitch[1] * alpha - k.pitch[2] * w.y * damping_factor,
        k.yaw[0] * beta - k.yaw[1] * w.z * damping_factor,
    ]);
    SpatialForce { m, f }
}
