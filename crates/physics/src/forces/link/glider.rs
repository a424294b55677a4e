//! Lift, drag and moments of an underwater glider from published coefficients of the whole vehicle.
//!
//! # Law
//! ```text
//!   D = (K_D0 + K_D ᾱ²) V²,  S = K_β β σ_β V²,  L = (K_L0 + K_α ᾱ) σ_α σ_β V²         (1)
//!   T₁ = (K_MR β σ_β + K_p p) V²,  T₃ = (K_MY β σ_β + K_r r) V²
//!   T₂ = ((K_M0 + K_M ᾱ) σ_α σ_β + K_q q) V²
//!   α = atan2(w, u),  β = asin(v/V);  all along the flow axes                         (2)
//!   for the terms in p, q, r: V min(V, 1 m/s) instead of V²                           (3)
//!   (1) [Zhang 2013; Graver 2005], ᾱ = α and σ = 1 up to 30 degrees
//! ```
//! # Symbols
//! V speed through the water · u, v, w velocity forward, right, down · p, q, r angular velocity
//! roll to the right, pitch nose up, yaw to the right · ᾱ angle of attack against the nearer end,
//! σ_α and σ_β factors for both angles (`../incidence.rs`).
//!
//! # Frames
//! The coefficients keep their published signs (forward, right, down); the flow axes are written
//! forward, left, up. At the origin of U.
//!
//! # Limits
//! The coefficients are fitted near small angles and at about 0.5 m/s. Beyond 30 degrees lift and
//! static moments decrease to zero broadside, the drag follows the same polar up to 90 degrees, and
//! both ends are equal. p, q, r about the body axes would then drive the rotation: they change to
//! the flow axes between 30 and 45 degrees, and the part of their moments that drives the rotation
//! is removed. In theory the rotational damping is proportional to V; the fit uses V². (3) follows
//! the fit up to 1 m/s (chosen: faster than gliders), because at higher speeds V² deviates more and
//! more from the damping of a body in water. The damping of the body itself is added.
//!
//! # Checked by
//! test/analytic/vehicles/glider.rs, test/identity/incidence.rs, test/hours.rs

use crate::forces::incidence::{
    direction_factor, dissipative_force, extended_share, nearer_end_angle,
};
use crate::forces::link::interface::{LinkForceLaw, LinkState};
use merrow_math::real::sin_cos;
use merrow_math::{Real, SpatialForce, Vec3};
use merrow_model::scene::robot::force::Glider;

/// Speed up to which the rotational damping grows with the square of the speed [m/s]; chosen.
const SQUARE_DAMPING_SPEED: f64 = 1.0;

impl LinkForceLaw for Glider {
    #[inline(never)]
    fn force<T: Real>(&self, state: &LinkState<'_, T>) -> SpatialForce<T> {
        let wet = state.work.submerged_fraction;
        state.in_user_frame(|V_U| {
            SpatialForce::from_lanes(|i| {
                glider_wrench(self, V_U.v.lane(i), V_U.w.lane(i), wet.lane(i))
            })
        })
    }
}

/// Returns the wrench by (1) at the origin of U, in U, scaled by the wet fraction `wet`, for the
/// velocities `v` and `w` relative to the water at the same point.
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
    let (alpha, sigma_beta) = (nearer_end_angle(alpha), direction_factor(cb));
    let (beta, sigma) = (beta * sigma_beta, direction_factor(ca) * sigma_beta);
    let share = extended_share(ca * cb);
    let [p, q_rate, r] = [(w.x, ahead), (-w.y, right), (-w.z, down)]
        .map(|(rate, axis)| (rate + share * (w.dot(axis) - rate)) * damping_factor);
    let [drag, drag_alpha] = k.drag;
    let f = in_flow_axes([
        -(drag + drag_alpha * alpha * alpha),
        k.side * beta,
        -(k.lift[0] + k.lift[1] * alpha) * sigma,
    ]);
    let static_moment = in_flow_axes([
        k.roll[0] * beta,
        (k.pitch[0] + k.pitch[1] * alpha) * sigma,
        k.yaw[0] * beta,
    ]);
    let damping = in_flow_axes([k.roll[1] * p, k.pitch[2] * q_rate, k.yaw[1] * r]);
    SpatialForce::new(static_moment + dissipative_force(damping, w, 1.0), f)
}
