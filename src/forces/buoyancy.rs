//! Buoyancy of a link wholly or partly under a flat surface.
//!
//! # Law
//! ```text
//!   f = ρ g ∇ s ẑ_W  at Cb                                     (1)  Archimedes [Fossen 2021, eq. 4.6]
//! ```
//! # Symbols
//! ρ density [kg/m³] · ∇ volume when wholly under water [m³] · s wet part, 0..1 · Cb centroid of the wet part.
//!
//! # Frames
//! Link frame L at Lo.
//!
//! # Limits
//! Surface at z = 0, flat; the hull is a box or an ellipsoid that is cut exactly (`math/hull_cut.rs`). The stated
//! volume scales the cut, so a box may stand for a hull that does not fill it.
//!
//! # Checked by
//! test/analytic/buoyancy.rs (V42-V44), test/identity/conservation.rs

use crate::math::{Real, SpatialForce, Vec3};
use crate::scene::Link;

/// Wet part and centroid shift.
pub struct Wetness<T> {
    /// Part of the volume under water, 0..1.
    pub wet: T,
    /// Centroid of the wet part, from the centroid of the whole, in L [m].
    pub shift: Vec3<T>,
}

/// How much of the link is under water. `up` is ẑ_W in L, `z` the height of Lo [m].
#[inline(always)]
pub fn wetness<T: Real>(link: &Link, up: Vec3<T>, z: T) -> Wetness<T> {
    let hull = &link.hull;
    let height = z + up.dot(Vec3::splat(hull.p_LoH));
    let deep = (0..T::LANES).all(|i| height.lane(i) <= -hull.bound);
    if deep {
        return Wetness { wet: T::one(), shift: Vec3::zero() };
    }
    cut_hull(link, up, height)
}

#[inline(never)]
fn cut_hull<T: Real>(link: &Link, up: Vec3<T>, height: T) -> Wetness<T> {
    let hull = &link.hull;
    let cut = |i: usize| {
        let up_H = hull.R_LH.tr_mul_vec(up.lane(i));
        let c = hull.shape.below(up_H, height.lane(i));
        (c.fraction, hull.R_LH.mul_vec(c.centroid))
    };
    Wetness {
        wet: T::from_lanes(|i| cut(i).0),
        shift: Vec3::new(
            T::from_lanes(|i| cut(i).1.x),
            T::from_lanes(|i| cut(i).1.y),
            T::from_lanes(|i| cut(i).1.z),
        ),
    }
}

/// (1)
#[inline(always)]
pub fn force<T: Real>(link: &Link, w: &Wetness<T>, up: Vec3<T>, rho_g: T) -> SpatialForce<T> {
    let f = up.scale(w.wet * (rho_g * link.volume));
    let at = Vec3::splat(link.p_LoCb) + w.shift;
    SpatialForce { m: at.cross(f), f }
}
