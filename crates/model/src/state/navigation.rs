//! Memory of instruments that run a filter.

use crate::scene::{Sensor, SensorKind};
use crate::state::reading::Stamped;
use merrow_math::{Mat3, Quat, Vec3};

/// Memory of a filter.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // made once, in a box
pub enum Filter {
    /// Of an AHRS.
    Ahrs(AhrsMemory),
    /// Of an INS.
    Ins(InsMemory),
}

/// What an AHRS has found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AhrsMemory {
    /// Attitude of S in W.
    pub q: Quat,
    /// Bias of its gyro, in S [rad/s].
    pub bias: Vec3,
    /// Angular velocity and proper acceleration of the last sample, as measured.
    pub raw: [Vec3; 2],
    /// Slow errors of its magnetometer.
    pub field_drift: [[f64; 2]; 3],
    /// Instant of the last sample [ns].
    pub time_ns: u64,
    /// False before the first sample.
    pub started: bool,
}

/// Blocks of the error of an INS: position, velocity, attitude, biases of gyro and accelerometer, fixed errors of the aids, error of a fix.
pub const BLOCKS: usize = 7;

/// What an INS has found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InsMemory {
    /// Position of S in W [m].
    pub p: Vec3,
    /// Velocity in W [m/s].
    pub v: Vec3,
    /// Attitude of S in W.
    pub q: Quat,
    /// Bias of its gyro, in S [rad/s].
    pub gyro_bias: Vec3,
    /// Bias of its accelerometer, in S [m/s²].
    pub accelerometer_bias: Vec3,
    /// Scale of the DVL [1], height error of the pressure sensor [m], nothing.
    pub fixed: Vec3,
    /// Slow error of the fixes, in W [m].
    pub fix_error: Vec3,
    /// Covariance of the errors of all these, the truth over the estimate.
    pub covariance: [[Mat3; BLOCKS]; BLOCKS],
    /// Angular velocity and proper acceleration of the last sample, without their biases.
    pub last: [Vec3; 2],
    /// The same as measured.
    pub raw: [Vec3; 2],
    /// Acceleration in W [m/s²].
    pub a: Vec3,
    /// Readings of DVL, GNSS and pressure sensor that have not been used.
    pub inbox: [Option<Stamped>; 3],
    /// Readings that were too far off.
    pub rejected: u64,
    /// Instant of the last sample [ns].
    pub time_ns: u64,
    /// False before the first sample.
    pub started: bool,
}

impl Filter {
    /// Of a sensor that has one, before its first sample.
    pub fn of(sensor: &Sensor) -> Option<Box<Self>> {
        match sensor.kind {
            SensorKind::Ahrs(_) => Some(Box::new(Filter::Ahrs(AhrsMemory {
                q: Quat::identity(),
                bias: Vec3::zero(),
                raw: [Vec3::zero(); 2],
                field_drift: [[0.0; 2]; 3],
                time_ns: 0,
                started: false,
            }))),
            SensorKind::Ins(_) => Some(Box::new(Filter::Ins(InsMemory {
                p: Vec3::zero(),
                v: Vec3::zero(),
                q: Quat::identity(),
                gyro_bias: Vec3::zero(),
                accelerometer_bias: Vec3::zero(),
                fixed: Vec3::zero(),
                fix_error: Vec3::zero(),
                covariance: [[Mat3::zero(); BLOCKS]; BLOCKS],
                last: [Vec3::zero(); 2],
                raw: [Vec3::zero(); 2],
                a: Vec3::zero(),
                inbox: [None; 3],
                rejected: 0,
                time_ns: 0,
                started: false,
            }))),
            _ => None,
        }
    }
}

impl Filter {
    /// Back to before the first sample, as after a time without power.
    pub fn stop(&mut self) {
        match self {
            Filter::Ahrs(filter) => (filter.started, filter.bias) = (false, Vec3::zero()),
            Filter::Ins(filter) => filter.started = false,
        }
    }
}
