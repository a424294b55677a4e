//! Keys of robots that are loaded from URDF.

use crate::keys::{CoefficientReference, Coefficients, FixedForceConfig, HullConfig};
use merrow_model::scene::robot::force::SlenderBody;
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;
use std::collections::BTreeMap;

spec! {
    /// Hydrodynamics of the links of a URDF robot. Values that are not given are estimated from the
    /// shapes of the links.
    pub struct HydrodynamicsConfig {
        /// Description of the coefficients.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String = String::new(),
        /// Shapes from which missing values are estimated.
        estimate: EstimateConfig = EstimateConfig::Collision,
        /// Known values by the name of the link in the URDF.
        links: BTreeMap<String, LinkHydrodynamics> = BTreeMap::new(),
    }

    /// Shapes of a URDF from which hydrodynamics are estimated.
    pub enum EstimateConfig words {
        /// Collision shapes; visual shapes for a link that has none.
        Collision = "collision",
        /// Visual shapes; collision shapes for a link that has none.
        Visual = "visual",
        /// No estimation: values that are not given are zero.
        None = "none",
    }

    /// Known hydrodynamics of a link, in the link axes (forward, left, up) relative to the link
    /// origin. The keys are the keys of a body.
    pub struct LinkHydrodynamics {
        /// Displaced volume when fully submerged.
        volume_m3: Option<f64> [non_negative],
        /// Buoyancy minus weight when fully submerged in the water of the world, positive upwards.
        /// Replaces `volume_m3`.
        net_buoyancy_n: Option<f64>,
        /// Centre of buoyancy when fully submerged, relative to the link origin.
        center_of_buoyancy_m: Option<[f64; 3]>,
        /// Shape whose submerged part determines buoyancy at the water surface.
        hull: Option<HullConfig>,
        /// Constant vertical forces by name, for small weights and floats fixed to the link.
        loads: NamedMap<FixedForceConfig> = NamedMap::default(),
        /// Added mass about the link origin.
        added_mass: Option<Coefficients>,
        /// Linear damping about `damping_point_m`.
        linear_damping: Option<Coefficients>,
        /// Quadratic damping about `damping_point_m`.
        quadratic_damping: Option<Coefficients>,
        /// Rate k at which the linear damping decreases with speed U: it is multiplied by exp(-k
        /// U), for surge, sway, heave, roll, pitch and yaw.
        linear_damping_decay_s_per_m: Option<[f64; 6]> [non_negative],
        /// Lift, drag and cross-flow drag of a torpedo-shaped body about the link origin.
        slender: Option<SlenderBody>,
        /// Whether the added mass exerts the Munk moments in pitch and yaw.
        munk_moment: Option<bool>,
        /// Whether the added mass exerts the Munk moment in yaw.
        munk_moment_yaw: Option<bool>,
        /// State in which the coefficients have the given values.
        coefficients_at: Option<CoefficientReference>,
        /// Point at which the damping acts, relative to the link origin.
        damping_point_m: Option<[f64; 3]>,
    }

    /// A joint that follows another joint: its position is `multiplier` times the position of the
    /// other, plus `offset`.
    pub struct MimicConfig {
        /// Name of the joint that is followed.
        joint: String [frame],
        /// Ratio of its motion to the motion of the other joint.
        multiplier: f64 = 1.0,
        /// Position when the other joint is at 0 [rad or m].
        offset: f64 = 0.0,
    }
}
