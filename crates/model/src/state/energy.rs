//! Memory of batteries and chargers.

use crate::scene::Battery;

/// Memory of the battery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BatteryState {
    /// State of charge, 0..1.
    pub charge: f64,
    /// Terminal voltage [V].
    pub voltage: f64,
    /// Current drawn [A]; negative while it is charged.
    pub current: f64,
    /// When its protection opened [ns]; none while everything has power.
    pub open_ns: Option<u64>,
    /// Power of everything on board [W].
    pub load: f64,
    /// Power from the solar panels [W].
    pub solar: f64,
    /// Power from the charger [W].
    pub charger: f64,
    /// Energy that everything on board has had [J].
    pub delivered: f64,
    /// Energy that has become heat in the battery [J].
    pub lost: f64,
    /// Energy that has come from panels and chargers [J].
    pub gained: f64,
    /// Current and voltage that a charger in contact offers [A, V]; 0: none.
    pub offer: [f64; 2],
    /// Energy taken from it since it was last reckoned [J].
    pub taken: f64,
    /// Most power that a fault lets it give [W]; infinite without.
    pub limit: f64,
    /// True while a fault keeps its protection open.
    pub failed: bool,
    /// Energy that a charger still takes for what it has given to others [J], and the power at which it does [W].
    pub owed: [f64; 2],
}

impl BatteryState {
    /// As the world file starts it; full, and of no use, for a robot without one.
    pub fn new(battery: Option<&Battery>) -> Self {
        let charge = battery.map_or(1.0, |b| b.initial_charge);
        Self {
            charge,
            voltage: battery.map_or(0.0, |b| b.open_circuit_voltage(charge)),
            current: 0.0,
            open_ns: None,
            load: 0.0,
            solar: 0.0,
            charger: 0.0,
            delivered: 0.0,
            lost: 0.0,
            gained: 0.0,
            offer: [0.0; 2],
            taken: 0.0,
            limit: f64::INFINITY,
            failed: false,
            owed: [0.0; 2],
        }
    }

    /// True if what is on board has power.
    pub fn is_on(&self) -> bool {
        self.open_ns.is_none()
    }
}

/// Memory of one charger.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChargerState {
    /// Robot in contact.
    pub robot: Option<usize>,
    /// Energy given so far [J].
    pub given: f64,
}
