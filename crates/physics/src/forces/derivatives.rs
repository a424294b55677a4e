//! Hydrodynamic derivatives: forces as products of two velocities, as in coefficient sets of
//! torpedo-shaped vehicles.
//!
//! # Law
//! ```text
//!   F_i = Σ c_ijk ν_j ν_k,  such as Y = Y_uv u v + Y_ur u r + Y_wp w p + ...  (1)
//!   (1) [Prestero 2001, §4; Gertler 1967]
//! ```
//! These sets include the velocity products of the added mass and the lift of body and fins.
//! Therefore `hydrodynamics/added_mass.rs` omits its velocity products if derivatives are given.
//! Signed squares such as `X_uu u|u|` are quadratic damping (`hydrodynamics/damping.rs`).
//!
//! # Symbols
//! ν = (u, v, w, p, q, r) velocity relative to the water.
//!
//! # Frames
//! At Lo along the axes of the user's link frame U, angular part first;
//! `crates/world/src/import/sname.rs` converts published derivatives.
//!
//! # Limits
//! Constant coefficients, small incidence. Up to 30 degrees a published set may add energy. Beyond
//! 45 degrees, where the sign of terms such as `Y_uv u v` is wrong in flow from astern, the part of
//! the wrench that would accelerate the link is removed (`incidence.rs`).
//!
//! # Checked by
//! test/witness/vehicles/prestero.rs (V50), test/identity/incidence.rs

use crate::forces::incidence;
use merrow_math::{Mat3, Real, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::scene::Link;

/// Returns the force (1) at Lo in L, scaled by the wet fraction. `V_r` is the velocity relative to
/// the water at Lo in L.
#[inline(always)]
pub fn force<T: Real>(link: &Link, V_r: &SpatialVelocity<T>, wet: T) -> SpatialForce<T> {
    let R_LU = Mat3::splat(link.R_LU);
    let (w, v) = (R_LU.tr_mul_vec(V_r.w), R_LU.tr_mul_vec(V_r.v));
    let nu = [w.x, w.y, w.z, v.x, v.y, v.z];
    let mut F = [T::zero(); 6];
    for d in &link.derivatives {
        F[d.row] += nu[d.factors[0]] * nu[d.factors[1]] * d.value;
    }
    let F = F.map(|x| x * wet);
    let F = SpatialForce {
        m: R_LU.mul_vec(Vec3::new(F[0], F[1], F[2])),
        f: R_LU.mul_vec(Vec3::new(F[3], F[4], F[5])),
    };
    let speed = v.norm();
    SpatialForce::from_lanes(|i| {
        let V = V_r.lane(i);
        let cosine = if speed.lane(i) == 0.0 {
            0.0
        } else {
            v.x.lane(i) / speed.lane(i)
        };
        let share = incidence::extended_share(cosine);
        incidence::dissipative_wrench(F.lane(i), &V, &link.total, share)
    })
}
