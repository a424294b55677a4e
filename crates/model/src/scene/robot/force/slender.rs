//! Slender body of revolution: keys of the law in `crates/physics/src/forces/link/slender.rs`.

use crate::scene::robot::force::interface::{ForceBody, LinkForce};
use merrow_yaml::error::Problems;
use merrow_yaml::spec::spec;

spec! {
    /// A slender body of revolution along x, about the body origin.
    pub struct SlenderBody {
        /// Length of the body.
        length_m: f64 [positive],
        /// Diameter of the body.
        diameter_m: f64 [positive],
        /// Reference area of lift and drag; 0 disables both.
        area_m2: f64 [non_negative],
        /// Drag coefficient at zero incidence.
        axial_drag: f64 [non_negative],
        /// Oswald efficiency factor of the induced drag.
        oswald: f64 [positive] = 0.7,
        /// Cross-flow drag coefficients in the horizontal and the vertical plane.
        cross_flow_drag: [f64; 2] [non_negative],
        /// Pairs of cross-flow speed [m/s] and factor on `cross_flow_drag`, by increasing speed,
        /// for a drag that depends on the Reynolds number. Default: factor 1.
        cross_flow_over_speed_m_s: Vec<[f64; 2]> = Vec::new(),
        /// Number of points along the length at which the cross-flow drag is summed, each for a
        /// length of 1/(points - 1) of the body, as in Fossen's programs with 21. 0 uses the exact
        /// integral.
        cross_flow_strips: u32 [in 0.0..=1000.0] = 0,
    }
}

impl LinkForce for SlenderBody {
    type Keys = Self;

    fn new(keys: &Self, body: &ForceBody<'_>, problems: &mut Problems) -> Self {
        let place = keys.at.key_place("cross_flow_over_speed_m_s");
        let pairs = &keys.cross_flow_over_speed_m_s;
        let what = format!("the cross-flow drag of {}", body.name);
        if pairs.iter().flatten().any(|x| *x < 0.0) {
            let text = format!("{what} over speed: expected non-negative numbers");
            problems.push(place, text);
        }
        problems.check_increasing(place, &what, pairs);
        if keys.cross_flow_strips == 1 {
            let text = format!("{what}: expected 0 strips (exact) or at least 2, found 1");
            problems.push(keys.at.key_place("cross_flow_strips"), text);
        }
        keys.clone()
    }
}
