//! Battery parameters: open-circuit voltage over state of charge, internal resistance, capacity,
//! protection, charging.

use crate::scene::robot::thruster::interpolate;
use merrow_yaml::spec::spec;

/// Default charging current per capacity [A/Ah].
const DEFAULT_CHARGE_RATE: f64 = 0.5;

spec! {
    /// The battery of a robot.
    pub struct Battery {
        /// Description of the battery.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Capacity of the battery.
        capacity_ah: f64 [positive],
        /// Pairs of state of charge (0 to 1) and open-circuit voltage, by increasing state of
        /// charge.
        open_circuit_v: Vec<[f64; 2]> [not_empty],
        /// Internal resistance of the battery.
        resistance_ohm: f64 [non_negative] = 0.0,
        /// Constant power consumption of consumers that are not modelled individually.
        hotel_load_w: f64 [non_negative] = 0.0,
        /// State of charge at the start.
        initial_charge: f64 [fraction] = 1.0,
        /// Terminal voltage below which the protection switch opens, so that the robot has no
        /// power. Default: the switch opens when the battery is empty.
        cut_off_v: Option<f64> [positive],
        /// State of charge at which the protection switch closes again.
        restart_charge: f64 [fraction] = 0.02,
        /// Minimum time for which the protection switch stays open.
        restart_s: f64 [in 0.0..=1e6] = 2.0,
        /// Maximum terminal voltage during charging. Default: the highest open-circuit voltage.
        charge_voltage_v: Option<f64> [positive],
        /// Maximum charging current. Default: half the capacity per hour.
        charge_current_a: Option<f64> [positive],
        /// Coulombic efficiency: delivered charge per supplied charge.
        charge_efficiency: f64 [in 0.01..=1.0] = 1.0,
        /// Chemistry of the battery.
        technology: Technology = Technology::LithiumIon,
    }

    /// Battery chemistry, as in `sensor_msgs/BatteryState`.
    pub enum Technology words {
        /// A chemistry that is not listed.
        Unknown = "unknown",
        /// Nickel-metal hydride (NiMH) cells.
        Nimh = "nimh",
        /// Lithium-ion (Li-ion) battery cells.
        LithiumIon = "lithium_ion",
        /// Lithium polymer (LiPo) cells.
        LithiumPolymer = "lithium_polymer",
        /// Lithium iron phosphate (LiFePO4) cells.
        LithiumIronPhosphate = "lithium_iron_phosphate",
        /// Nickel-cadmium (NiCd) battery cells.
        Nicd = "nicd",
    }
}

impl Battery {
    /// Returns the open-circuit voltage [V] at a state of charge 0..1.
    pub fn open_circuit_voltage(&self, charge: f64) -> f64 {
        interpolate(&self.open_circuit_v, charge)
    }

    /// Returns the terminal voltage below which the protection opens [V]; 0: it opens only when the
    /// battery is empty.
    pub fn cut_off(&self) -> f64 {
        self.cut_off_v.unwrap_or(0.0)
    }

    /// Returns the highest open-circuit voltage [V].
    pub fn highest_voltage(&self) -> f64 {
        let voltages = self.open_circuit_v.iter().map(|[_, volt]| *volt);
        voltages.fold(0.0, f64::max)
    }

    /// Returns the maximum terminal voltage while charging [V].
    pub fn charge_voltage(&self) -> f64 {
        self.charge_voltage_v
            .unwrap_or_else(|| self.highest_voltage())
    }

    /// Returns the maximum charging current [A].
    pub fn charge_current(&self) -> f64 {
        let default = DEFAULT_CHARGE_RATE * self.capacity_ah;
        self.charge_current_a.unwrap_or(default)
    }
}
