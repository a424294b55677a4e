//! State of the navigation filters in AHRS and INS.

use crate::persist::Persist;
use crate::sensor::kinds::{Sensor, SensorKind};
use crate::state::reading::Stamped;
use merrow_math::{Mat3, Quat, Vec3};

/// State of a navigation filter.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
#[allow(clippy::large_enum_variant)] // allocated once, in a box
pub enum NavigationFilter {
    /// Filter of an AHRS.
    Ahrs(AhrsMemory),
    /// Filter of an INS.
    Ins(InsMemory),
}

/// State of an AHRS filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct AhrsMemory {
    /// Estimated attitude of S in W.
    pub q: Quat,
    /// Estimated gyro bias, in S [rad/s].
    pub bias: Vec3,
    /// Angular velocity [rad/s] and proper acceleration [m/s²] of the last sample, as measured.
    pub raw: [Vec3; 2],
    /// Slow errors of the magnetometer: bias instability and random walk per axis [T].
    pub field_drift: [[f64; 2]; 3],
    /// Covariance of the random errors of tilt and heading: angle [rad²], angle and gyro bias
    /// [rad²/s], gyro bias [rad²/s²].
    pub covariance: [[f64; 3]; 2],
    /// Time of the last sample [ns].
    pub time_ns: u64,
    /// False before the first sample.
    pub started: bool,
}

/// Number of blocks of the INS error state: position, velocity, attitude, gyro bias, accelerometer
/// bias, fixed errors of the aids, slow GNSS error.
pub const BLOCKS: usize = 7;

/// State of an INS filter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct InsMemory {
    /// Estimated position of S in W [m].
    pub p: Vec3,
    /// Estimated velocity in W [m/s].
    pub v: Vec3,
    /// Estimated attitude of S in W.
    pub q: Quat,
    /// Estimated gyro bias, in S [rad/s].
    pub gyro_bias: Vec3,
    /// Estimated accelerometer bias, in S [m/s²].
    pub accelerometer_bias: Vec3,
    /// Estimated fixed errors of the aids: DVL scale [-], height error of the pressure sensor [m],
    /// unused.
    pub fixed: Vec3,
    /// Estimated slow error of the GNSS position, in W [m].
    pub fix_error: Vec3,
    /// Covariance of the error state (truth minus estimate) in 3x3 blocks.
    pub covariance: [[Mat3; BLOCKS]; BLOCKS],
    /// Angular velocity [rad/s] and proper acceleration [m/s²] of the last sample, corrected for
    /// bias.
    pub last: [Vec3; 2],
    /// Angular velocity [rad/s] and proper acceleration [m/s²] of the last sample, as measured.
    pub raw: [Vec3; 2],
    /// Acceleration in W [m/s²].
    pub a: Vec3,
    /// Unprocessed readings of DVL, GNSS and pressure sensor.
    pub inbox: [Option<Stamped>; 3],
    /// Number of readings rejected by the innovation gate.
    pub rejected: u64,
    /// Time of the last sample [ns].
    pub time_ns: u64,
    /// False before the first sample.
    pub started: bool,
}

impl NavigationFilter {
    /// Creates the filter state of a sensor with a filter, before its first sample.
    pub(crate) fn for_sensor(sensor: &Sensor) -> Option<Box<Self>> {
        match sensor.kind {
            SensorKind::Ahrs(_) => Some(Box::new(Self::Ahrs(AhrsMemory::default()))),
            SensorKind::Ins(_) => Some(Box::new(Self::Ins(InsMemory::default()))),
            _ => None,
        }
    }
}

impl NavigationFilter {
    /// Resets the filter to the state before the first sample, as after a loss of power.
    pub fn stop(&mut self) {
        match self {
            NavigationFilter::Ahrs(filter) => (filter.started, filter.bias) = (false, Vec3::zero()),
            NavigationFilter::Ins(filter) => filter.started = false,
        }
    }
}
