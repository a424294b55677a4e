//! Linear and quadratic damping of a link in water.
//!
//! # Law
//! ```text
//!   F = -(D_l ν + D_q |ν|ν)                                    (1)  [Fossen 2021, eq. 6.61-6.63]
//!   D_l,i -> D_l,i exp(-k_i U)   where a decay is given         (2)  [Fossen 2021, eq. 6.79]
//! ```
//! `|ν|ν` is computed component by component; D_l and D_q may be full matrices.
//!
//! # Symbols
//! ν velocity relative to the water at the damping point.
//!
//! # Frames
//! Coefficients along the axes of the user's link frame U; angular part first. The force is moved
//! from the damping point to Lo and expressed in L.
//!
//! # Limits
//! The coefficients are constant: no dependence on Reynolds number, incidence or nearby bodies. A
//! full D_q that does not come from a measurement can add energy; diagonal matrices never do.
//!
//! # Checked by
//! test/analytic/bodies/terminal_speed.rs (V40, V41), test/identity/conservation.rs

use merrow_math::{Mat3, Real, SpatialForce, SpatialVelocity, Vec3};
use merrow_model::scene::{Damping, Link};

/// Returns the damping force (1) at Lo in L, scaled by the wet fraction `wet` [-], 0..1. `V_r` is
/// the velocity relative to the water at Lo in L.
#[inline(always)]
pub fn force<T: Real>(link: &Link, V_r: &SpatialVelocity<T>, wet: T) -> SpatialForce<T> {
    if matches!(
        (&link.linear_damping, &link.quadratic_damping),
        (Damping::Zero, Damping::Zero)
    ) {
        return SpatialForce::zero();
    }
    let p = link.p_LoD;
    let nu = V_r.shifted(p);
    // |ν|ν per component is defined along the axes of the coefficients
    let R_LU = Mat3::splat(link.R_LU);
    let is_child_link = link.parent.is_some();
    let nu = if is_child_link {
        SpatialVelocity::new(R_LU.tr_mul_vec(nu.w), R_LU.tr_mul_vec(nu.v))
    } else {
        nu
    };
    let x = [nu.w.x, nu.w.y, nu.w.z, nu.v.x, nu.v.y, nu.v.z];
    let mut F = [T::zero(); 6];
    if let Some(decay) = &link.linear_damping_decay_s_per_m {
        let speed = nu.v.norm();
        let mut linear = [T::zero(); 6];
        accumulate(&link.linear_damping, &x, &mut linear);
        for i in 0..6 {
            F[i] = linear[i] * T::from_lanes(|k| libm::exp(-decay[i] * speed.lane(k))); // (2)
        }
        accumulate(&link.quadratic_damping, &squares(&x), &mut F);
        return at_origin(link, F, wet);
    }
    match (&link.linear_damping, &link.quadratic_damping) {
        (Damping::Diagonal(l), Damping::Diagonal(q)) => {
            for i in 0..6 {
                F[i] = x[i] * (x[i].abs() * q[i] + T::splat(l[i]));
            }
        }
        (linear, quadratic) => {
            accumulate(linear, &x, &mut F);
            accumulate(quadratic, &squares(&x), &mut F);
        }
    }
    at_origin(link, F, wet)
}

/// Converts the resistance `F` along U at the damping point to a force at Lo in L.
#[inline(always)]
fn at_origin<T: Real>(link: &Link, F: [T; 6], wet: T) -> SpatialForce<T> {
    let (m, f) = (
        Vec3::new(F[0], F[1], F[2]).scale(wet),
        Vec3::new(F[3], F[4], F[5]).scale(wet),
    );
    let (m, f) = (-m, -f);
    let (m, f) = if link.has_rotated_frame {
        let R_LU = Mat3::splat(link.R_LU);
        (R_LU.mul_vec(m), R_LU.mul_vec(f))
    } else {
        (m, f)
    };
    SpatialForce::new(m - f.cross_const(link.p_LoD), f)
}

/// Computes `|ν|ν` component by component.
#[inline(always)]
fn squares<T: Real>(x: &[T; 6]) -> [T; 6] {
    let [a, b, c, d, e, f] = *x;
    [
        a * a.abs(),
        b * b.abs(),
        c * c.abs(),
        d * d.abs(),
        e * e.abs(),
        f * f.abs(),
    ]
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
