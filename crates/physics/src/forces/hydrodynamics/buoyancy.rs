//! Buoyancy of a fully or partly submerged link.
//!
//! # Law
//! ```text
//!   f = ρ g ∇ s ẑ_W  at Cb             (1)  Archimedes [Fossen 2021, eq. 4.6]
//!   ∇ s = Σ ∇_i s_i  for merged links  (2)  each cut by the same plane
//! ```
//! In waves the surface is the tangent plane at the hull centre. The pressure at the surface itself
//! is zero. Therefore (1) and the Froude-Krylov force of `added_mass.rs` on the same wet part are
//! the full effect of the undisturbed pressure.
//!
//! # Symbols
//! ρ density [kg/m³] · ∇ volume when fully submerged [m³] · s wet fraction, 0..1 · Cb centroid of
//! the wet part.
//!
//! # Frames
//! Link frame L at Lo.
//!
//! # Limits
//! The hull is short compared with the waves, so the surface is flat over it. The hull is a box or
//! an ellipsoid, cut exactly (`crates/math/src/hull_cut.rs`). The specified volume scales the cut,
//! so a box can represent a hull that does not fill it.
//!
//! # Checked by
//! test/analytic/bodies/buoyancy.rs, test/analytic/bodies/floating.rs,
//! test/identity/conservation.rs; V42-V44

use merrow_math::{MAX_LANES, Real, SpatialForce, Vec3};
use merrow_model::scene::{Hull, Link};

/// Wet fraction of a link and the shift of its centroid of buoyancy.
pub struct Wetness<T> {
    /// Submerged fraction of the volume, 0..1.
    pub wet: T,
    /// Centroid of the wet part relative to the centroid of the whole, in L [m].
    pub shift: Vec3<T>,
}

/// Returns the wetness of a link in flat water. `up` is ẑ_W in L, `z` the height of Lo, W [m].
#[inline(always)]
pub fn wetness<T: Real>(link: &Link, up: Vec3<T>, z: T) -> Wetness<T> {
    wetness_under(link, up, z + up.dot(Vec3::splat(link.hull.p_LoH)))
}

/// Returns the wetness of a link under a plane with the unit normal `up` in L; the hull centre is
/// `height` [m] above the plane.
#[inline(always)]
pub(crate) fn wetness_under<T: Real>(link: &Link, up: Vec3<T>, height: T) -> Wetness<T> {
    let hull = &link.hull;
    let is_fully_submerged = (0..T::LANES).all(|i| height.lane(i) <= -hull.bound);
    if is_fully_submerged {
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
    let cut_lane = |i: usize| {
        // each lane is bit-identical to a separate evaluation
        if height.lane(i) <= -hull.bound {
            return (1.0, Vec3::zero());
        }
        if link.hull_parts.is_empty() {
            cut(hull, up.lane(i), height.lane(i))
        } else {
            cut_parts(link, up.lane(i), height.lane(i))
        }
    };
    let mut cuts = [(0.0, Vec3::zero()); MAX_LANES];
    for (i, cut) in cuts.iter_mut().enumerate().take(T::LANES) {
        *cut = cut_lane(i);
    }
    Wetness {
        wet: T::from_lanes(|i| cuts[i].0),
        shift: Vec3::from_lanes(|i| cuts[i].1),
    }
}

/// Returns the wet fraction of a hull and the shift of its centroid [m], in L.
fn cut(hull: &Hull, up: Vec3, height: f64) -> (f64, Vec3) {
    let c = hull.shape.cut_below(hull.R_LH.tr_mul_vec(up), height);
    (c.fraction, hull.R_LH.mul_vec(c.centroid))
}

/// Returns the same for a link with merged links, each cut at its own place. (2)
fn cut_parts(link: &Link, up: Vec3, height: f64) -> (f64, Vec3) {
    let (mut volume, mut moment, mut is_cut) = (0.0, Vec3::zero(), false);
    for part in &link.hull_parts {
        let own = height + up.dot(part.hull.p_LoH - link.hull.p_LoH);
        let (wet, shift) = if own <= -part.hull.bound {
            (1.0, Vec3::zero())
        } else {
            is_cut = true;
            cut(&part.hull, up, own)
        };
        volume += wet * part.volume_m3;
        moment += (part.p_LoCb + shift).scale(wet * part.volume_m3);
    }
    if !is_cut {
        return (1.0, Vec3::zero());
    }
    if volume <= 0.0 {
        return (0.0, Vec3::zero());
    }
    (
        volume / link.volume_m3,
        moment.scale(1.0 / volume) - link.p_LoCb,
    )
}

/// Returns the buoyancy at Lo in L by (1). `up` is ẑ_W in L, `rho_g` the weight of the water per
/// volume [N/m³].
#[inline(always)]
pub fn force<T: Real>(link: &Link, w: &Wetness<T>, up: Vec3<T>, rho_g: T) -> SpatialForce<T> {
    let f = up.scale(w.wet * (rho_g * link.volume_m3));
    let p_LoCb_wet = Vec3::splat(link.p_LoCb) + w.shift;
    SpatialForce::new(p_LoCb_wet.cross(f), f)
}
