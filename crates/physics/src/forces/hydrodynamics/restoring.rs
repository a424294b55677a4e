//! Weight and buoyancy of a floating hull from its linear hydrostatic stiffness.
//!
//! # Law
//! ```text
//!   Z = -(m_0 g + G33 z_F),  K = -G44 φ,  M = -G55 θ  about F, less the moments of m_0 g  (1)
//!   z_F = z - x_F θ + y_F φ,   0 <= m_0 g + G33 z_F <= m_max g                            (2)
//!   f = (m_0 g + G33 z_F) ẑ at m_0,  (K, M) = -(G44 ẑ_y, -G55 ẑ_x)                        (3)
//!   (1) [Fossen 2021, eq. 4.27-4.31]
//! ```
//! in forward-right-down body axes. (1) supports the mass at the design waterline. Along x and y it
//! cancels the full weight of the link, because linear theory has neither surge nor sway of a
//! heeled hull. (2) limits the buoyancy to the volume of the hull. At a heel of more than 60
//! degrees, and out of the water, (3) replaces (1): vertical buoyancy, with moments proportional to
//! the sine of the heel.
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
//! Small angles in (1). (3) makes a hull in the air fall and a capsized hull return. Added mass,
//! damping and moments decrease to zero as the last tenth of the buoyancy leaves the water. The
//! stiffness is that for the water and gravity of the source.
//!
//! # Checked by
//! test/witness/vehicles/otter.rs (V47, V48, V51)

use merrow_math::{Real, SpatialForce, Vec3};
use merrow_model::scene::robot::body::Restoring;

/// Fraction of the design buoyancy below which the hull counts as leaving the water.
const MIN_DESIGN_FRACTION: f64 = 0.1;
/// Cosines of the heel between which (1) is blended into (3): 60 and 70 degrees.
const UPRIGHT_COSINE: f64 = 0.5;
const HEELED_COSINE: f64 = 0.342;

/// Hydrostatic force on a hull, and its wet fraction.
pub(crate) struct HydrostaticForce<T> {
    /// Force at Lo in L.
    pub force: SpatialForce<T>,
    /// Wet fraction for added mass and damping, 0..1.
    pub wet: T,
}

/// Computes (1) and (2), or (3).
///
/// `up` is the normal of the surface in L, and Lo is `height` [m] above the surface. `weight` is
/// the wrench of the link, at Lo in L.
#[inline(never)]
pub(crate) fn hydrostatic_force<T: Real>(
    hull: &Restoring,
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
    hull: &Restoring,
    up: Vec3,
    height: f64,
    weight: &SpatialForce,
    gravity: f64,
) -> (SpatialForce, f64) {
    // heel to the right and trim by the stern, as in forward-right-down axes
    let (roll, pitch) = (libm::atan2(up.y, up.z), libm::asin(up.x.clamp(-1.0, 1.0)));
    let F = hull.p_LoF;
    let design = hull.mass * gravity;
    let buoyancy =
        |sinkage: f64| (design + hull.heave * sinkage).clamp(0.0, hull.reserve * gravity);
    let wetness = |lift: f64| (lift / (MIN_DESIGN_FRACTION * design)).clamp(0.0, 1.0);
    let upright = ((up.z - HEELED_COSINE) / (UPRIGHT_COSINE - HEELED_COSINE)).clamp(0.0, 1.0);

    let lift = buoyancy(-height - F.x * pitch - F.y * roll);
    let spring = lift - design;
    let design_force = up.scale(design);
    let moment = hull.p_LoM.cross(design_force);
    let small_angle = SpatialForce {
        m: Vec3::new(
            moment.x - hull.roll * roll + F.y * spring,
            moment.y + hull.pitch * pitch - F.x * spring,
            -weight.m.z,
        ),
        f: Vec3::new(-weight.f.x, -weight.f.y, design_force.z + spring),
    }; // (1)
    let blend = upright * wetness(lift);
    if blend == 1.0 {
        return (small_angle, 1.0);
    }
    let lift = buoyancy(-height - up.dot(F));
    let wet = wetness(lift);
    let righting = Vec3::new(-hull.roll * up.y, hull.pitch * up.x, 0.0).scale(wet);
    let mut large_angle = SpatialForce::at_point(up.scale(lift), hull.p_LoM);
    large_angle.m += righting; // (3)
    let force = SpatialForce {
        m: small_angle.m.scale(blend) + large_angle.m.scale(1.0 - blend),
        f: small_angle.f.scale(blend) + large_angle.f.scale(1.0 - blend),
    };
    (force, wet)
}
