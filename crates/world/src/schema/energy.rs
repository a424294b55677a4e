//! What a world file may say of batteries, what draws from them and what charges them.

use crate::schema::Axes;
use crate::schema::coupling::CouplingEndFile;
use merrow_yaml::spec::{choice, fieldless_choice, spec};

spec! {
    /// A battery.
    pub struct BatteryFile {
        /// What it is.
        description: String = String::new(),
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are guessed, and why.
        estimated: String = String::new(),
        /// Capacity.
        capacity_ah: f64 [positive],
        /// Pairs of state of charge (0 to 1) and open-circuit voltage, rising charge.
        open_circuit_v: Vec<[f64; 2]> [not_empty],
        /// Internal resistance.
        resistance_ohm: f64 [non_negative] = 0.0,
        /// Power drawn by everything that is no device of its own.
        hotel_load_w: f64 [non_negative] = 0.0,
        /// State of charge at the start.
        initial_charge: f64 [fraction] = 1.0,
        /// Terminal voltage under which its protection opens, so that nothing on board has power; without it when it is empty.
        cut_off_v: Option<f64> [positive],
        /// State of charge from which the protection closes again.
        restart_charge: f64 [fraction] = 0.02,
        /// How long it stays open at least.
        restart_s: f64 [in 0.0..=1e6] = 2.0,
        /// Terminal voltage that charging does not exceed; without it the highest open-circuit voltage.
        charge_voltage_v: Option<f64> [positive],
        /// Current that charging does not exceed; without it half the capacity in an hour.
        charge_current_a: Option<f64> [positive],
        /// Part of the charge put in that comes out again.
        charge_efficiency: f64 [in 0.01..=1.0] = 1.0,
        /// Chemistry.
        technology: Technology = Technology::LithiumIon,
    }
}

fieldless_choice! {
    /// A battery's chemistry, as sensor_msgs/BatteryState knows them.
    pub enum Technology {
        /// Unknown.
        Unknown = "unknown",
        /// Nickel-metal hydride.
        Nimh = "nimh",
        /// Lithium-ion.
        LithiumIon = "lithium_ion",
        /// Lithium polymer.
        LithiumPolymer = "lithium_polymer",
        /// Lithium iron phosphate.
        LithiumIronPhosphate = "lithium_iron_phosphate",
        /// Nickel-cadmium.
        Nicd = "nicd",
    }
}

spec! {
    /// A device that draws power and does nothing else, such as a computer or a light.
    pub struct LoadFile {
        /// Power at level 1.
        power_w: f64 [non_negative],
        /// Level at the start: 0 off, 1 on.
        level: f64 [fraction] = 1.0,
    }
}

spec! {
    /// What the servo of a fin or an azimuth thruster draws.
    pub struct ServoPowerFile {
        /// At rest without load.
        standby_w: f64 [non_negative] = 0.0,
        /// Mechanical power over electrical.
        efficiency: f64 [in 0.01..=1.0] = 0.5,
        /// Power to hold a moment: this times its square.
        holding_w_n2m2: f64 [non_negative] = 0.0,
        /// Dry friction of gear and seal at the shaft.
        friction_nm: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// A solar panel. Under water it gives nothing.
    pub struct SolarFile {
        /// Where the figures come from.
        source: String [not_empty],
        /// Figures that are guessed, and why.
        estimated: String = String::new(),
        /// Link that carries it.
        link: String [frame] = "base_link".to_string(),
        /// Axes of position and normal.
        axes: Axes = Axes::Flu,
        /// Its middle on the link.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Its normal, out of the cells.
        normal: [f64; 3] = [0.0, 0.0, 1.0],
        /// Area of the cells.
        area_m2: f64 [positive],
        /// Electrical power at the battery over the power of the light on the cells.
        efficiency: f64 [in 0.001..=1.0],
        /// Part of the cells in the vehicle's own shade.
        shading: f64 [fraction] = 0.0,
        /// Least angle of the sun over the cells: under it the vehicle stands in the way.
        least_elevation_deg: f64 [in 0.0..=89.0] = 0.0,
    }
}

spec! {
    /// A charger: constant current up to a voltage, then constant voltage.
    pub struct ChargerFile {
        /// Largest current.
        current_a: f64 [positive],
        /// Voltage that it does not exceed; without it the battery's own limit holds.
        voltage_v: Option<f64> [positive],
        /// Power given over power taken from what feeds it.
        efficiency: f64 [in 0.01..=1.0] = 0.9,
        /// Robot whose battery feeds it; without it the shore does.
        from: Option<String> [name],
        ..contact: ContactFile,
    }
}

choice! {
    /// When a charger charges.
    pub enum ContactFile {
        /// While a coupling holds, what that holds.
        Coupling = "coupling" {
            /// The coupling.
            coupling: String [name],
        },
        /// The robot whose base is nearest to a place and within reach.
        Within = "within" {
            /// The place.
            place: CouplingEndFile,
            /// How far it reaches.
            reach_m: f64 [positive],
        },
    }
}
