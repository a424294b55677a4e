//! Electrical loads other than motors, and energy sources: switched loads, solar panels, chargers.

use crate::scene::coupling::CouplingEnd;
use merrow_math::Vec3;
use merrow_yaml::spec::spec;

/// Electrical load that is not modelled otherwise, such as a computer or a light.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    /// Name; used in the name of its parameter.
    pub name: String,
    /// Power at level 1 [W].
    pub power_w: f64,
    /// Level at the start, 0..1.
    pub level: f64,
}

spec! {
    /// Power consumption of the servo of a fin or an azimuth thruster.
    pub struct ServoPower {
        /// Power at rest without load.
        standby_w: f64 [non_negative] = 0.0,
        /// Efficiency: mechanical power divided by electrical power.
        efficiency: f64 [in 0.01..=1.0] = 0.5,
        /// Power for holding a moment, per square of the moment.
        holding_w_per_n2m2: f64 [non_negative] = 0.0,
        /// Dry friction of gear and seal at the shaft.
        friction_nm: f64 [non_negative] = 0.0,
    }
}

impl ServoPower {
    /// Returns the electrical power [W] for the moment `moment` [N m] of the load about the shaft,
    /// which rotates at `rate` [rad/s]. There is no regeneration: power from the load is
    /// dissipated.
    #[inline]
    pub fn electrical_power(&self, moment: f64, rate: f64) -> f64 {
        let mechanical = (self.friction_nm * rate.abs() - moment * rate).max(0.0);
        let turning = if mechanical > 0.0 {
            mechanical / self.efficiency
        } else {
            0.0
        };
        self.standby_w + self.holding_w_per_n2m2 * moment * moment + turning
    }
}

/// Solar panel on a link.
#[derive(Clone, Debug, PartialEq)]
pub struct Solar {
    /// Name of the panel.
    pub name: String,
    /// Index of the link that carries it.
    pub link: usize,
    /// Centre in the link frame L [m].
    pub p_LoP: Vec3,
    /// Unit normal of the cell side, in L.
    pub normal: Vec3,
    /// Area of the cells [m²].
    pub area_m2: f64,
    /// Electrical power at the battery per solar power on the cells, 0..1.
    pub efficiency: f64,
    /// Fraction of the cells shaded by the vehicle, 0..1.
    pub shading: f64,
    /// Sine of the minimum angle of the sun above the cells; below it the vehicle blocks the beam.
    pub min_elevation_sine: f64,
}

/// Condition under which a charger charges a robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ChargeCondition {
    /// The robot held by the coupling with this index, while the coupling is latched.
    Coupling(usize),
    /// The robot whose base origin is nearest to a point, within a maximum distance [m].
    Proximity(CouplingEnd, f64),
}

/// Charger with constant current up to a voltage, then constant voltage.
#[derive(Clone, Debug, PartialEq)]
pub struct Charger {
    /// Name of the charger.
    pub name: String,
    /// Condition under which it charges a robot.
    pub condition: ChargeCondition,
    /// Maximum charging current [A].
    pub current_a: f64,
    /// Maximum voltage [V]; infinite: the limit of the battery applies.
    pub voltage_v: f64,
    /// Efficiency: output power per input power.
    pub efficiency: f64,
    /// Index of the robot whose battery feeds the charger; `None`: shore power.
    pub source_robot: Option<usize>,
}
