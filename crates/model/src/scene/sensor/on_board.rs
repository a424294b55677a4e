//! Instruments that watch the robot itself, and those that measure the air about it.

use crate::scene::sensor::Errors;

/// An anemometer with a vane, or one that measures both by sound.
#[derive(Clone, Debug, PartialEq)]
pub struct AnemometerSpec {
    /// Errors of the speed [m/s].
    pub speed: Errors,
    /// Errors of the direction [deg].
    pub direction: Errors,
    /// Wind under which it stands still [m/s].
    pub threshold: f64,
    /// Way of the air in which cups or propeller come up to 63 % of a new wind [m].
    pub cups: f64,
    /// Way of the air in which the vane comes round to 63 % of a new direction [m].
    pub vane: f64,
}

/// What a motor controller tells of its motor.
#[derive(Clone, Debug, PartialEq)]
pub struct MotorSpec {
    /// Index of the thruster.
    pub thruster: usize,
    /// Errors of shaft speed [rad/s], current [A], voltage [V] and temperature [°C].
    pub errors: [Errors; 4],
    /// Shaft speed over the root of the thrust, for thrusters whose curve knows thrust alone [rad/(s √N)]; 0: not known.
    pub speed_per_root: f64,
}

/// A meter of the battery's voltage and current that counts the charge.
#[derive(Clone, Debug, PartialEq)]
pub struct PowerSpec {
    /// Errors of voltage [V] and current [A].
    pub errors: [Errors; 2],
}
