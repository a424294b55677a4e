//! Extension of laws with coefficients of small incidence to flow from all directions.
//!
//! # Law
//! ```text
//!   σ(c) = clip(c/cos 30°, ±1)                                  (1)
//!   ᾱ = min(|α|, π - |α|) sign(α)                               (2)
//!   e(c) = clip((cos 30° - c)/(cos 30° - cos 45°), 0, 1)        (3)
//!   F' = F - e max(0, F·V) D V/(V·D V)                          (4)
//! ```
//! Up to 30 degrees σ = 1, ᾱ = α and e = 0, so that a law keeps its published form. In flow from
//! astern, the incidence is that against the other end (2), and forces and moments normal to the
//! body change sign with the axial component of the flow (1). (4) removes the part of a force along
//! the motion that would accelerate it.
//!
//! # Symbols
//! c cosine of the incidence · α angle of attack · V velocity relative to the water · D positive
//! definite: identity for the force on a point, inertia for the wrench on a link.
//!
//! # Frames
//! Any; F and V in the same frame at the same point.
//!
//! # Limits
//! The laws were fitted to flow from ahead. (1) and (2) assume equal ends. The angles 30 and 45
//! degrees are chosen: the programs and trials that the laws are compared with stay below 30.
//!
//! # Checked by
//! test/identity/incidence.rs

use merrow_math::{SpatialForce, SpatialInertia, SpatialVelocity, Vec3};

/// cos 30°.
const PUBLISHED_COSINE: f64 = 0.866_025_403_784_438_6;
/// cos 45°.
const EXTENDED_COSINE: f64 = 0.707_106_781_186_547_5;

/// Returns σ for the cosine of the incidence. (1)
#[inline]
pub(crate) fn direction_factor(cosine: f64) -> f64 {
    (cosine / PUBLISHED_COSINE).clamp(-1.0, 1.0)
}

/// Returns the angle of attack against the nearer end of the body for `alpha` [rad], -π to π. (2)
#[inline]
pub(crate) fn nearer_end_angle(alpha: f64) -> f64 {
    alpha
        .abs()
        .min(std::f64::consts::PI - alpha.abs())
        .copysign(alpha)
}

/// Returns the share of the extended form for the cosine of the incidence. (3)
#[inline]
pub(crate) fn extended_share(cosine: f64) -> f64 {
    ((PUBLISHED_COSINE - cosine) / (PUBLISHED_COSINE - EXTENDED_COSINE)).clamp(0.0, 1.0)
}

/// Returns the force `F` on a point with the velocity `v`, or the moment `F` on a body with the
/// angular velocity `v`, by (4) with the share `share`.
#[inline]
pub(crate) fn dissipative_force(F: Vec3, v: Vec3, share: f64) -> Vec3 {
    let power = F.dot(v);
    if power <= 0.0 || share == 0.0 {
        return F;
    }
    F - v.scale(share * power / v.dot(v))
}

/// Returns the wrench `F` on a body with the velocity `V` and the inertia `inertia`, by (4) with
/// the share `share`.
#[inline]
pub(crate) fn dissipative_wrench(
    F: SpatialForce,
    V: &SpatialVelocity,
    inertia: &SpatialInertia,
    share: f64,
) -> SpatialForce {
    let power = V.dot(&F);
    if power <= 0.0 || share == 0.0 {
        return F;
    }
    let momentum = inertia.mul(V);
    let k = share * power / V.dot(&momentum);
    F - momentum.scale(k)
}
