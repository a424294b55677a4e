//! Buoyancy of a link wholly or partly under the surface.
//!
//! # Law
//! ```text
//!   f = ρ g ∇ s ẑ_W  at Cb                                     (1)  Archimedes [Fossen 2021, eq. 4.6]
//! ```
//! In waves the surface is the plane that touches them over the hull's centre. Nothing presses on the surface itself, so (1)
//! and the Froude-Krylov force of `forces/added_mass.rs` on the same wet part are all that the undisturbed pressure does.
//! # Symbols
//! ρ density [kg/m³] · ∇ volume when wholly under water [m³] · s wet part, 0..1 · Cb centroid of the wet part.
//!
//! # Frames
//! Link frame L at Lo.
//!
//! # Limits
//! The hull is short against the waves, so that their surface is flat over it; it is a box or an ellipsoid, cut exactly (`math/hull_cut.rs`). The stated
//! volume scales the cut, so a box may stand for a hull that does not fill it.
//!
//! # Checked by
//! test/analytic/buoyancy.rs (V42-V44), test/analytic/floating.rs, test/identity/conservation.rs

use merrow_math::{MAX_LANES, Real, SpatialForce, Vec3};
use merrow_model::scene::Link;

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
    wetness_under(link, up, z + up.dot(Vec3::splat(link.hull.p_LoH)))
}

/// How much of the link is under a plane with the unit normal `up` in L; the hull's centre is `height` [m] over it.
#[inline(always)]
pub fn wetness_under<T: Real>(link: &Link, up: Vec3<T>, height: T) -> Wetness<T> {
    let hull = &link.hull;
    let deep = (0..T::LANES).all(|i| height.lane(i) <= -hull.bound);
    if deep {
        return Wetness {
            wet: T::one(),
            shift: Vec3::zero(),
        };
    }
    cut_hull(link, up, height)
}

#[inline(never)]
fn cut_hull<T: Real>(link: &Link, up: Vec3<T>, height: T) -> Wetness<T> {
    let hull = &link.hull;
    let cut = |i: usize| {
        // a lane has the bits that it would have alone
        if height.lane(i) <= -hull.bound {
            return (1.0, Vec3::zero());
        }
        let up_H = hull.R_LH.tr_mul_vec(up.lane(i));
        let c = hull.shape.below(up_H, height.lane(i));
        (c.fraction, hull.R_LH.mul_vec(c.centroid))
    };
    let mut cuts = [(0.0, Vec3::zero()); MAX_LANES];
    for (i, found) in cuts.iter_mut().enumerate().take(T::LANES) {
        *found = cut(i);
    }
    Wetness {
        wet: T::from_lanes(|i| cuts[i].0),
        shift: Vec3::from_lanes(|i| cuts[i].1),
    }
}

/// (1)
#[inline(always)]
pub fn force<T: Real>(link: &Link, w: &Wetness<T>, up: Vec3<T>, rho_g: T) -> SpatialForce<T> {
    let f = up.scale(w.wet * (rho_g * link.volume));
    let at = Vec3::splat(link.p_LoCb) + w.shift;
    SpatialForce { m: at.cross(f), f }
}
