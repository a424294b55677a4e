//! A battery: open-circuit voltage by state of charge, internal resistance, capacity, protection, charging.

/// A battery pack.
#[derive(Clone, Debug)]
pub struct Battery {
    /// Capacity [A h].
    pub capacity: f64,
    /// Open-circuit voltage over state of charge, sorted: (charge 0..1, volt).
    pub voltage: Vec<(f64, f64)>,
    /// Internal resistance [ohm].
    pub resistance: f64,
    /// Power drawn by everything that is no device of its own [W].
    pub hotel_load: f64,
    /// State of charge at the start, 0..1.
    pub initial_charge: f64,
    /// Terminal voltage under which its protection opens [V]; 0: only when it is empty.
    pub cut_off: f64,
    /// State of charge from which it closes again.
    pub restart_charge: f64,
    /// How long it stays open at least [ns].
    pub restart_ns: u64,
    /// Terminal voltage that charging does not exceed [V].
    pub charge_voltage: f64,
    /// Current that charging does not exceed [A].
    pub charge_current: f64,
    /// Part of the charge put in that comes out again, 0..1.
    pub charge_efficiency: f64,
    /// `sensor_msgs/BatteryState` technology code.
    pub technology: u8,
}

impl Battery {
    /// Open-circuit voltage [V] at a state of charge 0..1.
    pub fn open_circuit_voltage(&self, charge: f64) -> f64 {
        crate::scene::robot::thruster::interpolate(&self.voltage, charge)
    }
}
