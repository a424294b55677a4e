//! Battery parameters: open-circuit voltage over state of charge, internal resistance, capacity,
//! protection, charging.

/// Battery pack of a robot.
#[derive(Clone, Debug)]
pub struct Battery {
    /// Capacity of the battery [A h].
    pub capacity: f64,
    /// Open-circuit voltage over state of charge, sorted: (state of charge 0..1, voltage [V]).
    pub voltage: Vec<(f64, f64)>,
    /// Internal resistance of the battery [ohm].
    pub resistance: f64,
    /// Power drawn by equipment that is not modelled separately [W].
    pub hotel_load: f64,
    /// Initial state of charge, 0..1.
    pub initial_charge: f64,
    /// Terminal voltage below which the protection opens [V]; 0: it opens only when the battery is
    /// empty.
    pub cut_off: f64,
    /// State of charge at which the protection closes again, 0..1.
    pub restart_charge: f64,
    /// Minimum time for which the protection stays open [ns].
    pub restart_ns: u64,
    /// Maximum terminal voltage while charging [V].
    pub charge_voltage: f64,
    /// Maximum charging current [A].
    pub charge_current: f64,
    /// Coulombic efficiency: delivered charge per supplied charge, 0..1.
    pub charge_efficiency: f64,
    /// Technology code of `sensor_msgs/BatteryState`.
    pub technology: u8,
}

impl Battery {
    /// Returns the open-circuit voltage [V] at a state of charge 0..1.
    pub fn open_circuit_voltage(&self, charge: f64) -> f64 {
        crate::scene::robot::thruster::interpolate(&self.voltage, charge)
    }
}
