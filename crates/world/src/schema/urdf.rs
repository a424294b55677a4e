//! What a world file may say of robots that come from URDF.

use crate::schema::{Coefficients, HullFile, Load, SlenderFile};
use merrow_yaml::read::{Named, Places};
use merrow_yaml::spec::{fieldless_choice, spec};
use std::collections::BTreeMap;

spec! {
    /// What the water does to the links of a robot from URDF. What is not given is estimated from the links' shapes.
    pub struct HydrodynamicsFile {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String = String::new(),
        /// Shapes from which the rest is estimated.
        estimate: EstimateFile = EstimateFile::Collision,
        /// What is known of each link, by its name in the URDF.
        links: BTreeMap<String, LinkHydrodynamics> = BTreeMap::new(),
    }
}

impl HydrodynamicsFile {
    /// Nothing, said at `at`.
    pub fn none(at: &Places) -> Self {
        Self {
            description: String::new(),
            source: String::new(),
            estimate: EstimateFile::Nothing,
            links: BTreeMap::new(),
            at: at.clone(),
        }
    }
}

fieldless_choice! {
    /// Shapes of a URDF from which hydrodynamics are estimated.
    pub enum EstimateFile {
        /// Those that can be touched; where a link has none, those that can be seen.
        Collision = "collision",
        /// Those that can be seen; where a link has none, those that can be touched.
        Visual = "visual",
        /// None: what is not given is zero.
        Nothing = "nothing",
    }
}

spec! {
    /// What is known of a link, in its own axes (forward, left, up) from its origin; the keys are those of a body.
    pub struct LinkHydrodynamics {
        /// Displaced volume when wholly under water.
        volume_m3: Option<f64> [non_negative],
        /// Buoyancy less weight when wholly under water, as trimmed for the world's water; instead of `volume_m3`.
        net_buoyancy_n: Option<f64>,
        /// Centre of buoyancy when wholly under water.
        center_of_buoyancy_m: Option<[f64; 3]>,
        /// Shape that is cut by the water's surface.
        hull: Option<HullFile>,
        /// Small weights and floats fixed to the link.
        loads: Named<Load> = Named::default(),
        /// Added mass at the origin.
        added_mass: Option<Coefficients>,
        /// Linear damping.
        linear_damping: Option<Coefficients>,
        /// Quadratic damping.
        quadratic_damping: Option<Coefficients>,
        /// How fast the linear damping falls with speed.
        linear_damping_decay_s_m: Option<[f64; 6]> [non_negative],
        /// Lift, drag and cross-flow drag, for a torpedo-shaped body about its origin.
        slender: Option<SlenderFile>,
        /// Whether the added mass exerts its moments at incidence.
        munk_moment: Option<bool>,
        /// Point at which the damping acts.
        damping_point_m: Option<[f64; 3]>,
    }
}

spec! {
    /// A joint that follows another: its position is `multiplier` times the other's, plus `offset`.
    pub struct MimicFile {
        /// Name of the joint it follows.
        joint: String [frame],
        /// Its motion over the other's.
        multiplier: f64 = 1.0,
        /// Its position when the other is at 0 [rad or m].
        offset: f64 = 0.0,
    }
}
