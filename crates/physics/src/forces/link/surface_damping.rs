//! Additional damping of a hull at the surface: ship roll damping and wave resistance.
//!
//! # Law
//! ```text
//!   M_x = -(b₁ p + b₂ |p|p + b₃ p³ + b_L |u| p) f                 (1)  [Ikeda 1978]
//!   F_x = -R(|u|) sign(u) f                                        (2)  R a table over speed
//!   f = min(1, 20 s, 20 (1 - s))
//! ```
//! # Symbols
//! p roll rate · u forward speed through the water · b roll damping at rest (linear, quadratic,
//! cubic) and with speed (lift) · R wave resistance [N] · s wet fraction of the link: the full
//! force acts while at least a twentieth of the hull is wet and a twentieth dry.
//!
//! # Frames
//! Along x of the user's axes U, at the damping point; moved to Lo in L.
//!
//! # Limits
//! R refers to calm, deep water and steady speed. It is linear between its entries and constant
//! beyond the last entry. Slamming, spray and the added resistance in waves are not modelled.
//!
//! # Checked by
//! test/analytic/bodies/surface_damping.rs

use crate::forces::link::interface::{LinkForceLaw, LinkState};
use merrow_math::{Real, SpatialForce, Vec3};
use merrow_model::scene::robot::force::SurfaceDamping;

impl LinkForceLaw for SurfaceDamping {
    /// Returns the sum of (1) and (2) at Lo in L.
    #[inline(never)]
    fn force<T: Real>(&self, state: &LinkState<'_, T>) -> SpatialForce<T> {
        let (link, wet) = (state.link, state.work.submerged_fraction);
        let x_L = link.R_LU.col(0);
        let nu = state.V_r().shifted(link.p_LoD);
        let lane_loads = |i: usize| {
            let (p, u, s) = (nu.w.lane(i).dot(x_L), nu.v.lane(i).dot(x_L), wet.lane(i));
            let wet_factor = (20.0 * s).min(20.0 * (1.0 - s)).clamp(0.0, 1.0);
            let per_roll_rate = self.roll_nm_s_per_rad
                + self.roll_quadratic_nm_s2_per_rad2 * p.abs()
                + self.roll_cubic_nm_s3_per_rad3 * p * p
                + self.roll_lift_n_s2_per_rad * u.abs();
            let moment = -per_roll_rate * p * wet_factor;
            let resistance = self.resistance(u.abs());
            (
                moment,
                if u < 0.0 {
                    resistance * wet_factor
                } else {
                    -resistance * wet_factor
                },
            )
        };
        let m = Vec3::splat(x_L).scale(T::from_lanes(|i| lane_loads(i).0));
        let f = Vec3::splat(x_L).scale(T::from_lanes(|i| lane_loads(i).1));
        SpatialForce::new(m - f.cross_const(link.p_LoD), f)
    }
}
