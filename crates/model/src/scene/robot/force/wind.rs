//! Wind load: keys and settings of the law in `crates/physics/src/forces/link/wind.rs`.

use crate::scene::robot::force::interface::{ForceBody, LinkForce};
use merrow_math::Vec3;
use merrow_yaml::error::Problems;
use merrow_yaml::spec::spec;

spec! {
    /// Wind load on a body.
    pub struct WindLoadKeys {
        /// Projected areas seen along x, y and z of the part of the body that is above the water
        /// when the robot floats at rest, or of the whole body if it does not float. The wind load
        /// decreases in proportion as the body sinks deeper; it does not increase above its value
        /// at rest.
        area_m2: [f64; 3] [non_negative],
        /// Drag coefficients for the three areas.
        drag: [f64; 3] [non_negative] = [1.0, 1.0, 1.0],
        /// Point at which the wind acts, relative to the body origin; for a ship the centroid of
        /// its lateral area.
        center_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Blendermann coefficients of a ship as a function of the wind angle, instead of `drag`.
        blendermann: Option<Blendermann>,
        /// Wind law of a body without `blendermann`.
        law: WindLaw = WindLaw::Drag,
    }
}

/// Wind load of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct WindLoad {
    /// Areas and coefficients of the file.
    pub keys: WindLoadKeys,
    /// Area times drag coefficient along the axes of the user's link frame U [m²].
    pub drag_area: Vec3,
    /// Point at which the wind acts, in L [m].
    pub p_LoC: Vec3,
    /// Fraction of the hull volume above the water for which the areas hold, 0..1.
    pub dry_at_rest: f64,
}

spec! {
    /// Wind law of a body.
    pub enum WindLaw words {
        /// Drag computed from the velocity of the air relative to the body.
        Drag = "drag",
        /// Law of the Kelpie simulator: a horizontal force forward and to the left, computed from
        /// only the wind velocity. It does not depend on the motion of the body.
        Kelpie = "kelpie",
    }

    /// Blendermann coefficients of a type of ship.
    pub struct Blendermann {
        /// Drag coefficient for wind from the side, on the lateral area.
        side_drag: f64 [positive],
        /// Drag coefficient for head wind, on the frontal area.
        head_drag: f64 [positive],
        /// Drag coefficient for stern wind, on the frontal area.
        stern_drag: f64 [positive],
        /// Cross-force parameter of Blendermann.
        delta: f64 [fraction],
        /// Ratio of the height at which the side force acts to the height of the centroid.
        roll_factor: f64 [positive] = 1.1,
        /// Length overall of the ship.
        length_m: f64 [positive],
    }
}

impl LinkForce for WindLoad {
    type Keys = WindLoadKeys;

    fn new(keys: &WindLoadKeys, body: &ForceBody<'_>, problems: &mut Problems) -> Self {
        if keys.blendermann.is_some() && keys.at.has_key("law") {
            let text = format!(
                "the wind on {} has both `law` and `blendermann`; expected one of them",
                body.name
            );
            problems.push(keys.at.key_place("law"), text);
        }
        Self {
            drag_area: Vec3::from(std::array::from_fn(|i| keys.area_m2[i] * keys.drag[i])),
            p_LoC: (body.to_link)(keys.center_m),
            dry_at_rest: 1.0, // set with the waterline of the robot
            keys: keys.clone(),
        }
    }
}
