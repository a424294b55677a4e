/// Sensor of the angle between its z axis and the vertical.
#[derive(Clone, Debug, PartialEq)]
pub struct InclinometerSpec {
    /// Errors of the angle [rad].
    pub errors: Errors,
}

/// Angle between the z axis of the sensor and the vertical.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Inclination {
    /// Angle to the vertical [rad].
    pub angle: f64,
}
