//! A battery: open-circuit voltage by state of charge, internal resistance, capacity.

/// A battery pack.
#[derive(Clone, Debug)]
pub struct Battery {
    /// Capacity [A h].
    pub capacity: f64,
    /// Open-circuit voltage over state of charge, sorted: (charge 0..1, volt).
    pub voltage: Vec<(f64, f64)>,
    /// Internal resistance [ohm].
    pub resistance: f64,
    /// Power drawn by everything but the actuators [W].
    pub hotel_load: f64,
    /// State of charge at the start, 0..1.
    pub initial_charge: f64,
    /// `sensor_msgs/BatteryState` technology code.
    pub technology: u8,
}

impl Battery {
    /// Open-circuit voltage [V] at a state of charge 0..1.
    pub fn open_circuit_voltage(&self, charge: f64) -> f64 {
        crate::scene::thruster::interpolate(&self.voltage, charge)
    }
}
