//! Weight and buoyancy of a floating hull from its linear hydrostatic stiffness.
//!
//! # Law
//! ```text
//!   f = m_0 g ẑ at m_0  +  G33 z_F ẑ at F,  0 <= m_0 g + G33 z_F <= m_max g               (1)
//!   m = ẑ × ((G55 - G) ẑ_x, (G44 - G) ẑ_y, -G),  z_F = z - ẑ·F                            (2)
//!   Z = -(m_0 g + G33 z_F),  K = -G44 φ,  M = -G55 θ  about F, less the moments of m_0 g  (3)
//!   z_F = z - x_F θ + y_F φ                                                               (4)
//!   (3) [Fossen 2021, eq. 4.27-4.31]
//! ```
//! The forces are vertical and the moment (2) is horizontal, as pressure of calm water acts: the
//! hull has the potential energy G (1 - ẑ_z) + ½(G44 - G) ẑ_y² + ½(G55 - G) ẑ_x² with the smaller
//! stiffness G. At small angles (2) is -G44 φ and -G55 θ, and in roll it is -G44 sin φ, as for the
//! weight of a keel. (1) limits the buoyancy to the volume of the hull.
//!
//! `linear_body_axes` selects (3) in forward-right-down body axes up to a heel of 60 degrees, as in
//! Fossen's programs: along x and y it cancels the full weight of the link, because linear theory
//! has neither surge nor sway of a heeled hull, and its moments have a vertical component of
//! (G55 - G44) φ θ, which turns a heeled and trimmed hull.
//!
//! # Symbols
//! z sinkage of the origin under the surface · φ, θ heel and trim against the surface · m_0 mass at
//! the design waterline · F centre of the waterplane · m_max reserve · ẑ upward normal of the
//! surface.
//!
//! # Frames
//! Axes of the user's link frame, which is L for a base; force at Lo.
//!
//! # Limits
//! Fitted at small angles; a hull in the air falls and a capsized hull returns. Added mass, damping
//! and moments decrease to zero as the last tenth of the buoyancy leaves the water. The stiffness
//! is that for the water and gravity of the source.
//!
//! # Checked by
//! test/identity/restoring.rs, test/witness/vehicles/otter.rs (V47, V48, V51)

use merrow_math::{Real, SpatialForce, Vec3};
use merrow_model::scene::robot::body::Hydrostatics;

/// Fraction of the design buoyancy below which the hull counts as leaving the water.
const MIN_DESIGN_FRACTION: f64 = 0.1;
/// Cosines of the heel between which (3) is blended into (1) and (2): 60 and 70 degrees.
const UPRIGHT_COSINE: f64 = 0.5;
const HEELED_COSINE: f64 = 0.342;

/// Hydrostatic force on a hull, and its wet fraction.
pub(crate) struct HydrostaticForce<T> {
    /// Force at Lo in L.
    pub force: SpatialForce<T>,
    /// Wet fraction for added mass and damping, 0..1.
    pub wet: T,
}

/// Computes (1) and (2), or (3) and (4).
///
/// `up` is the normal of the surface in L, and Lo is `height` [m] above the surface. `weight` is
/// the wrench of the link, at Lo in L.
#[inline(never)]
pub(crate) fn hydrostatic_force<T: Real>(
    hull: &Hydrostatics,
    (up, height): (Vec3<T>, T),
    weight: &SpatialForce<T>,
    gravity: f64,
) -> HydrostaticForce<T> {
    let mut lanes = [(SpatialForce::zero(), 0.0); merrow_math::MAX_LANES];
    for (i, lane) in lanes.iter_mut().enumerate().take(T::LANES) {
        *lane = hydrostatic_force_lane(hull, up.lane(i), height.lane(i), &weight.lane(i), gravity);
    }
    HydrostaticForce {
        force: SpatialForce::from_lanes(|i| lanes[i].0),
        wet: T::from_lanes(|i| lanes[i].1),
    }
}

fn hydrostatic_force_lane(
    hull: &Hydrostatics,
    up: Vec3,
    height: f64,
    weight: &SpatialForce,
    gravity: f64,
) -> (SpatialForce, f64) {
    let law = &hull.restoring;
    let design = law.floating_mass_kg * gravity;
    let buoyancy = |sinkage: f64| {
        (design + law.heave_n_per_m * sinkage).clamp(0.0, law.max_supported_kg * gravity)
    };
    let wetness = |lift: f64| (lift / (MIN_DESIGN_FRACTION * design)).clamp(0.0, 1.0);
    let mut linear = (SpatialForce::zero(), 0.0);
    if law.linear_body_axes {
        let (force, lift) = linear_force(hull, up, height, weight, design, buoyancy);
        let upright = ((up.z - HEELED_COSINE) / (UPRIGHT_COSINE - HEELED_COSINE)).clamp(0.0, 1.0);
        linear = (force, upright * wetness(lift));
        if linear.1 == 1.0 {
            return linear;
        }
    }
    let lift = buoyancy(-height - up.dot(hull.p_LoF));
    let wet = wetness(lift);
    let at_design = wet * design;
    let least = law.roll_nm_per_rad.min(law.pitch_nm_per_rad);
    let (pitch, roll) = (law.pitch_nm_per_rad - least, law.roll_nm_per_rad - least);
    let gradient = Vec3::new(pitch * up.x, roll * up.y, -least).scale(wet);
    let mut force = SpatialForce::at_point(up.scale(at_design), hull.p_LoM)
        + SpatialForce::at_point(up.scale(lift - at_design), hull.p_LoF); // (1)
    force.m += up.cross(gradient); // (2)
    let (linear, blend) = linear;
    (linear.scale(blend) + force.scale(1.0 - blend), wet)
}

/// Returns (3) at Lo in L, and the buoyancy [N] by (4) for the buoyancy `design` [N] at the design
/// waterline.
fn linear_force(
    hull: &Hydrostatics,
    up: Vec3,
    height: f64,
    weight: &SpatialForce,
    design: f64,
    buoyancy: impl Fn(f64) -> f64,
) -> (SpatialForce, f64) {
    // heel to the right and trim by the stern, as in forward-right-down axes
    let (roll, pitch) = (libm::atan2(up.y, up.z), libm::asin(up.x.clamp(-1.0, 1.0)));
    let F = hull.p_LoF;
    let lift = buoyancy(-height - F.x * pitch - F.y * roll);
    let spring = lift - design;
    let design_force = up.scale(design);
    let moment = hull.p_LoM.cross(design_force);
    let force = SpatialForce {
        m: Vec3::new(
            moment.x - hull.restoring.roll_nm_per_rad * roll + F.y * spring,
            moment.y + hull.restoring.pitch_nm_per_rad * pitch - F.x * spring,
            -weight.m.z,
        ),
        f: Vec3::new(-weight.f.x, -weight.f.y, design_force.z + spring),
    };
    (force, lift)
}
