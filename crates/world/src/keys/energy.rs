//! Keys of electrical loads, solar panels and chargers.

use crate::keys::Axes;
use crate::keys::coupling::CouplingEndConfig;
use merrow_yaml::spec::spec;

spec! {
    /// An electrical load without other effect, such as a computer or a light.
    pub struct ElectricalLoadConfig {
        /// Power consumption at level 1.
        power_w: f64 [non_negative],
        /// Level at the start: 0 is off, 1 is on.
        level: f64 [fraction] = 1.0,
    }

    /// A solar panel. It generates no power under water.
    pub struct SolarConfig {
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Link on which the panel is mounted.
        link: String [frame] = "base_link".to_string(),
        /// Axes of `position_m` and `normal`.
        axes: Axes = Axes::Flu,
        /// Centre of the panel, relative to the link origin.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Outward normal of the cells in the link frame.
        normal: [f64; 3] = [0.0, 0.0, 1.0],
        /// Area of the cells.
        area_m2: f64 [positive],
        /// Electrical power at the battery per power of the light on the cells.
        efficiency: f64 [in 0.001..=1.0],
        /// Fraction of the cells that is shaded by the vehicle itself.
        shading: f64 [fraction] = 0.0,
        /// Elevation of the sun above the plane of the cells below which the vehicle shades the
        /// panel.
        min_elevation_deg: f64 [in 0.0..=89.0] = 0.0,
    }

    /// A battery charger: constant current up to a voltage, then constant voltage.
    pub struct ChargerConfig {
        /// Maximum current of the charger.
        current_a: f64 [positive],
        /// Maximum voltage. Default: only the limit of the battery applies.
        voltage_v: Option<f64> [positive],
        /// Efficiency: output power divided by input power.
        efficiency: f64 [in 0.01..=1.0] = 0.9,
        /// Robot whose battery supplies the charger. Default: shore power.
        source_robot: Option<String> [name],
        ..contact: ChargingConditionConfig,
    }

    /// Condition under which a charger charges.
    pub enum ChargingConditionConfig {
        /// While a coupling is engaged; the coupled robot is charged.
        Coupling = "coupling" {
            /// Name of the coupling.
            coupling: String [name],
        },
        /// While a base is within range; the robot whose base is nearest is charged.
        Proximity = "proximity" {
            /// Position of the charger, on a robot or in the world.
            position: CouplingEndConfig,
            /// Range of the charger.
            range_m: f64 [positive],
        },
    }
}
