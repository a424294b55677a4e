//! Effect of faults on a device, and health of an actuator.

use crate::persist::Persist;

/// Health of an actuator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub enum Health {
    /// Normal operation without degradation.
    #[default]
    Healthy,
    /// Delivers this fraction of its thrust, 0..1.
    Reduced(f64),
    /// Keeps the drive of the moment of failure and ignores commands.
    Stuck,
    /// Delivers no thrust at all.
    Dead,
}

/// Combined effect of the faults of a device in a step.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct FaultEffect {
    /// The device has no output.
    pub dead: bool,
    /// The output is held constant.
    pub stuck: bool,
    /// Remaining fraction of the output, 0..1.
    pub fraction: f64,
    /// Offset, in the unit of the device.
    pub offset: f64,
    /// Standard deviation of the noise added to each sample of a sensor, in its unit.
    pub noise: f64,
}

impl FaultEffect {
    /// No effect: a healthy device.
    pub const NONE: Self = Self {
        dead: false,
        stuck: false,
        fraction: 1.0,
        offset: 0.0,
        noise: 0.0,
    };
}

impl Default for FaultEffect {
    fn default() -> Self {
        Self::NONE
    }
}
