//! Linear and quadratic damping of a link.
//!
//! # Law
//! ```text
//!   F = -(D_l ν + D_q |ν|ν)                                    (1)  [Fossen 2021, eq. 6.61-6.63]
//! ```
//! `|ν|ν` is taken component by component; D_l and D_q may be full matrices.
//!
//! # Symbols
//! ν velocity relative to the water at the damping point.
//!
//! # Frames
//! Coefficients along the axes of the user's link frame U; angular part first; the force is moved from the damping
//! point to Lo and expressed in L.
//!
//! # Limits
//! Constant coefficients: no dependence on Reynolds number, incidence or neighbours. A full D_q can feed energy in
//! if it is not what a measurement gave; diagonal ones never do.
//!
//! # Checked by
//! test/analytic/terminal_speed.rs (V40, V41), test/identity/energy.rs

use crate::math::{Mat3, Real, SpatialForce, SpatialVelocity, Vec3};
use crate::scene::{Damping, Link};

/// (1) at Lo, scaled by the wet part.
#[inline(always)]
pub fn force<T: Real>(link: &Link, V_r: &SpatialVelocity<T>, wet: T) -> SpatialForce<T> {
    if matches!((&link.linear_damping, &link.quadratic_damping), (Damping::Zero, Damping::Zero)) {
        return SpatialForce::zero();
    }
    let p = link.p_LoD;
    let nu = V_r.shifted(p);
    // |ν|ν per component is meant along the axes the coefficients were given in
    let R_LU = Mat3::splat(&link.R_LU);
    let turned = link.parent.is_some();
    let nu = if turned { SpatialVelocity { w: R_LU.tr_mul_vec(nu.w), v: R_LU.tr_mul_vec(nu.v) } } else { nu };
    let x = [nu.w.x, nu.w.y, nu.w.z, nu.v.x, nu.v.y, nu.v.z];
    let mut F = [T::zero(); 6];
    match (&link.linear_damping, &link.quadratic_damping) {
        (Damping::Diagonal(l), Damping::Diagonal(q)) => {
            for i in 0..6 {
                F[i] = x[i] * (x[i].abs() * q[i] + T::splat(l[i]));
            }
        }
        (linear, quadratic) => {
            accumulate(linear, &x, &mut F);
            accumulate(quadratic, &x.map(|x| x * x.abs()), &mut F);
        }
    }
    let F = F.map(|x| -(x * wet));
    let (m, f) = (Vec3::new(F[0], F[1], F[2]), Vec3::new(F[3], F[4], F[5]));
    let (m, f) = if turned { (R_LU.mul_vec(m), R_LU.mul_vec(f)) } else { (m, f) };
    SpatialForce { m: m - f.cross_const(p), f }
}

#[inline(always)]
fn accumulate<T: Real>(d: &Damping, x: &[T; 6], out: &mut [T; 6]) {
    match d {
        Damping::Zero => {}
        Damping::Diagonal(d) => {
            for i in 0..6 {
                out[i] += x[i] * d[i];
            }
        }
        Damping::Full(d) => {
            for i in 0..6 {
                for j in 0..6 {
                    out[i] += x[j] * d[i][j];
                }
            }
        }
    }
}
