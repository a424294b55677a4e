//! Keys of the mounting of thrusters, and of buoyancy engines.

use crate::keys::robot::body::Axes;
use crate::keys::robot::fin::AzimuthConfig;
use merrow_model::scene::robot::thruster::{Motor, PropellerRotation};
use merrow_yaml::spec::spec;

spec! {
    /// A buoyancy engine: a pump changes its displaced volume at constant mass.
    pub struct BuoyancyEngineConfig {
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Link that contains it.
        link: String [frame] = "base_link".to_string(),
        /// Axes in which `position_m` is given.
        axes: Axes = Axes::Flu,
        /// Position of the volume, relative to the link origin.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Minimum and maximum volume, in addition to the volume of the body.
        range_m3: [f64; 2],
        /// Maximum rate of change while the volume grows and while it shrinks.
        rate_m3_s: [f64; 2] [positive],
        /// Volume at the start, in addition to the volume of the body.
        start_m3: f64 = 0.0,
        /// Pressure work per electrical energy while the volume grows.
        efficiency: f64 [in 0.01..=1.0] = 0.5,
    }

    /// A thruster: its type and its mounting.
    pub struct ThrusterConfig {
        /// Type of the thruster: a name in `params/thrusters`, a file, or a map.
        motor: Motor,
        /// Link on which the thruster is mounted.
        link: String [frame] = "base_link".to_string(),
        /// Axes of `position_m`, `direction` and the azimuth `shaft`.
        axes: Axes = Axes::Flu,
        /// Position of the propeller, relative to the link origin.
        position_m: [f64; 3],
        /// Direction of positive thrust in the link frame. It is normalised.
        direction: [f64; 3],
        /// Depth of the propeller below `position_m`, for models whose thrust acts at the
        /// waterline.
        submergence_m: f64 [non_negative] = 0.0,
        /// Direction of rotation of the propeller at positive thrust, seen from behind.
        rotation: PropellerRotation = PropellerRotation::Right,
        /// Servo that turns the thruster about a shaft. Default: fixed direction. The thruster
        /// manager always assumes angle 0.
        azimuth: Option<AzimuthConfig>,
    }
}
