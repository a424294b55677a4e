//! Parameters of instruments that monitor the robot itself, and of instruments that measure the
//! surrounding air.

use crate::scene::sensor::Errors;

/// Anemometer: cups or propeller with a vane, or ultrasonic.
#[derive(Clone, Debug, PartialEq)]
pub struct AnemometerSpec {
    /// Errors of the speed [m/s].
    pub speed: Errors,
    /// Errors of the direction [deg].
    pub direction: Errors,
    /// Wind speed below which the anemometer does not turn [m/s].
    pub threshold: f64,
    /// Distance constant of cups or propeller [m]: wind run until 63 % of a new speed is reached.
    pub cups: f64,
    /// Distance constant of the vane [m]: wind run until 63 % of a new direction is reached.
    pub vane: f64,
}

/// Telemetry of a motor controller.
#[derive(Clone, Debug, PartialEq)]
pub struct MotorSpec {
    /// Index of the thruster.
    pub thruster: usize,
    /// Errors of shaft speed [rad/s], current [A], voltage [V] and temperature [°C].
    pub errors: [Errors; 4],
    /// Shaft speed per square root of thrust, for thrusters whose curve gives thrust only [rad/(s
    /// √N)]; 0: unknown.
    pub speed_per_root: f64,
}

/// Battery monitor: measures voltage and current and integrates the charge.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerSpec {
    /// Errors of voltage [V] and current [A].
    pub errors: [Errors; 2],
}
