//! State of batteries and chargers.

use crate::persist::Persist;
use crate::scene::robot::battery::Battery;

/// State of a battery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct BatteryState {
    /// State of charge, 0..1.
    pub charge: f64,
    /// Terminal voltage of the battery [V].
    pub voltage: f64,
    /// Discharge current [A]; negative while charging.
    pub current: f64,
    /// Time at which the protection opened [ns]; `None` while it is closed.
    pub open_ns: Option<u64>,
    /// Power of all consumers on board [W].
    pub load: f64,
    /// Power from the solar panels [W].
    pub solar: f64,
    /// Power from the charger [W].
    pub charger: f64,
    /// Total energy delivered to the consumers on board [J].
    pub delivered: f64,
    /// Total energy lost as heat in the battery [J].
    pub lost: f64,
    /// Total energy received from panels and chargers [J].
    pub gained: f64,
    /// Current and voltage offered by a connected charger [A, V]; 0: none.
    pub offer: [f64; 2],
    /// Energy taken from the charger since the last update of the charger [J].
    pub taken: f64,
    /// Maximum power under a fault [W]; infinite without a fault.
    pub limit: f64,
    /// True while a fault keeps the protection open.
    pub failed: bool,
    /// Energy that a charger on this robot has yet to draw for energy already delivered to others
    /// [J], and the power at which it draws it [W].
    pub charger_debt: [f64; 2],
}

impl BatteryState {
    /// Creates the initial state from the world file. For a robot without a battery it is full and
    /// unused.
    pub fn new(battery: Option<&Battery>) -> Self {
        let charge = battery.map_or(1.0, |b| b.initial_charge);
        Self {
            charge,
            voltage: battery.map_or(0.0, |b| b.open_circuit_voltage(charge)),
            limit: f64::INFINITY,
            ..Self::default()
        }
    }

    /// Returns true if consumers on board have power.
    #[inline]
    pub fn is_on(&self) -> bool {
        self.open_ns.is_none()
    }
}

/// State of one charger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct ChargerState {
    /// Index of the robot that is being charged; `None`: no robot.
    pub robot: Option<usize>,
    /// Total energy delivered [J].
    pub given: f64,
}
