//! Forces as products of two velocities, as the coefficient sets of torpedo-shaped vehicles state them.
//!
//! # Law
//! ```text
//!   F_i = Σ c_ijk ν_j ν_k,  such as Y = Y_uv u v + Y_ur u r + Y_wp w p + ...      (1)  [Prestero 2001, §4; Gertler 1967]
//! ```
//! These sets hold the velocity products of the added mass, and the lift of body and fins with them, so that
//! `added_mass.rs` leaves its own out where derivatives are given. Squares with a sign such as `X_uu u|u|` are quadratic
//! damping (`damping.rs`).
//!
//! # Symbols
//! ν = (u, v, w, p, q, r) velocity relative to the water.
//!
//! # Frames
//! At Lo along the axes of the user's link frame U, angular first; `world/sname.rs` turns the published ones.
//!
//! # Limits
//! Constant coefficients, small incidence; nothing keeps a published set from feeding energy in.
//!
//! # Checked by
//! test/witness/prestero.rs (V50)

use merrow_math::{Mat3, Real, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::scene::Link;

/// (1) at Lo in L, scaled by the wet part.
#[inline(always)]
pub fn force<T: Real>(link: &Link, V_r: &SpatialVelocity<T>, wet: T) -> SpatialForce<T> {
    let R_LU = Mat3::splat(&link.R_LU);
    let (w, v) = (R_LU.tr_mul_vec(V_r.w), R_LU.tr_mul_vec(V_r.v));
    let nu = [w.x, w.y, w.z, v.x, v.y, v.z];
    let mut F = [T::zero(); 6];
    for d in &link.derivatives {
        F[d.row] += nu[d.factors[0]] * nu[d.factors[1]] * d.value;
    }
    let F = F.map(|x| x * wet);
    SpatialForce {
        m: R_LU.mul_vec(Vec3::new(F[0], F[1], F[2])),
        f: R_LU.mul_vec(Vec3::new(F[3], F[4], F[5])),
    }
}
