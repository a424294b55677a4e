spec! {
    /// Keys of an inclinometer.
    pub struct InclinometerKeys {
        /// Errors of the angle [rad].
        errors: Noise => "{}",
    }
}

instrument! {
    /// Sensor of the angle between its z axis and the vertical.
    InclinometerSpec(InclinometerKeys) { errors = "angle" }
}

/// Angle between the z axis of the sensor and the vertical.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Inclination {
    /// Angle to the vertical [rad].
    pub angle: f64,
}
