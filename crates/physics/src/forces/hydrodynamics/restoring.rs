//! Weight and buoyancy of a floating hull by its linear stiffness.
//!
//! # Law
//! ```text
//!   Z = -(m_0 g + G33 z_F),  K = -G44 φ,  M = -G55 θ  about F, less the moments of m_0 g           (1)  [Fossen 2021, eq. 4.27-4.31]
//!   z_F = z - x_F θ + y_F φ,   0 <= m_0 g + G33 z_F <= m_max g                                      (2)
//!   f = (m_0 g + G33 z_F) ẑ at m_0,  (K, M) = -(G44 ẑ_y, -G55 ẑ_x)                                    (3)
//! ```
//! forward, right, down, in body axes: (1) bears what floats at the design waterline, and along x and y all of the link's weight, as
//! linear theory has neither surge nor sway of a heeled hull. (2) ends the hull's volume. Heeled by more than 60
//! degrees, and out of the water, (3) takes its place: buoyancy straight up, moments by the sine of the heel.
//!
//! # Symbols
//! z sinkage of the origin under the surface · φ, θ heel and trim against the surface · m_0 mass at the design waterline · F centre of the
//! waterplane · m_max reserve · ẑ upward normal of the surface.
//!
//! # Frames
//! Axes of the user's link frame, which is L for a base; force at Lo.
//!
//! # Limits
//! Small angles in (1); (3) is there so that a thrown hull falls and a capsized one comes back. Added mass, damping and moments fade as
//! the last tenth of the buoyancy leaves the water. The stiffness is for the source's water and gravity.
//!
//! # Checked by
//! test/witness/otter.rs (V47, V48, V51)

use merrow_math::{Real, SpatialForce, Vec3};
use merrow_model::scene::robot::body::Restoring;

/// Part of the design buoyancy below which the hull counts as leaving the water.
const LEAVING: f64 = 0.1;
/// Cosines of the heel up to which small angles are reckoned with, and from which they are not: 60 and 70 degrees.
const UPRIGHT: f64 = 0.5;
const KEELED: f64 = 0.342;

/// What the water does to a hull at rest.
pub struct Float<T> {
    /// Force at Lo in L.
    pub force: SpatialForce<T>,
    /// Wet part for added mass and damping, 0..1.
    pub wet: T,
}

/// (1), (2); `up` is the surface's normal in L and Lo is `height` [m] over it; `weight` is the link's, at Lo in L.
#[inline(never)]
pub fn float<T: Real>(
    hull: &Restoring,
    (up, height): (Vec3<T>, T),
    weight: &SpatialForce<T>,
    gravity: f64,
) -> Float<T> {
    let mut lanes = [(SpatialForce::zero(), 0.0); merrow_math::MAX_LANES];
    for (i, lane) in lanes.iter_mut().enumerate().take(T::LANES) {
        *lane = one(hull, up.lane(i), height.lane(i), &weight.lane(i), gravity);
    }
    Float {
        force: SpatialForce::from_lanes(|i| lanes[i].0),
        wet: T::from_lanes(|i| lanes[i].1),
    }
}

fn one(
    hull: &Restoring,
    up: Vec3,
    height: f64,
    weight: &SpatialForce,
    gravity: f64,
) -> (SpatialForce, f64) {
    // heel to the right and trim by the stern, as forward-right-down has them
    let (roll, pitch) = (libm::atan2(up.y, up.z), libm::asin(up.x.clamp(-1.0, 1.0)));
    let F = hull.p_LoF;
    let design = hull.mass * gravity;
    let borne = |sinkage: f64| (design + hull.heave * sinkage).clamp(0.0, hull.reserve * gravity);
    let wetness = |lift: f64| (lift / (LEAVING * design)).clamp(0.0, 1.0);
    let upright = ((up.z - KEELED) / (UPRIGHT - KEELED)).clamp(0.0, 1.0);

    let lift = borne(-height - F.x * pitch - F.y * roll);
    let spring = lift - design;
    let held = up.scale(design);
    let moment = hull.p_LoM.cross(held);
    let small = SpatialForce {
        m: Vec3::new(
            moment.x - hull.roll * roll + F.y * spring,
            moment.y + hull.pitch * pitch - F.x * spring,
            -weight.m.z,
        ),
        f: Vec3::new(-weight.f.x, -weight.f.y, held.z + spring),
    }; // (1)
    let part = upright * wetness(lift);
    if part == 1.0 {
        return (small, 1.0);
    }
    let lift = borne(-height - up.dot(F));
    let wet = wetness(lift);
    let righting = Vec3::new(-hull.roll * up.y, hull.pitch * up.x, 0.0).scale(wet);
    let mut large = SpatialForce::at_point(up.scale(lift), hull.p_LoM);
    large.m += righting; // (3)
    let force = SpatialForce {
        m: small.m.scale(part) + large.m.scale(1.0 - part),
        f: small.f.scale(part) + large.f.scale(1.0 - part),
    };
    (force, wet)
}
