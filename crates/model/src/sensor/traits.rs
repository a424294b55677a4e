//! What the parameters of each kind of sensor state about it.

use crate::scene::comms::medium::ThrusterNoise;
use crate::sensor::tilt::Tilt;

/// Parameters of a sensor that is evaluated in the step.
pub trait StepSensor: 'static {
    /// Reading that the sensor outputs.
    type Reading: Copy + 'static;
}

/// Properties of a kind of sensor that is evaluated in the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepProperties {
    /// Type name as in world files and in `describe`.
    pub name: &'static str,
    /// Channels that can have separate faults.
    pub fault_channels: &'static [&'static str],
    /// Computing effort of a sample in addition to its rays.
    pub workload: Workload,
    /// True if the sensor measures the magnetic field.
    pub is_magnetic: bool,
    /// True if the sensor receives satellite signals, which can be jammed.
    pub is_gnss_receiver: bool,
    /// True if a lost sample does not change the state of the sensor.
    pub skips_lost_samples: bool,
}

impl StepProperties {
    /// Creates the properties of a plain sensor with a type name.
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            fault_channels: &[],
            workload: Workload::Reading,
            is_magnetic: false,
            is_gnss_receiver: false,
            skips_lost_samples: false,
        }
    }
}

/// Computing effort of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// Errors of a few numbers.
    Reading,
    /// Filter that estimates the attitude.
    AttitudeFilter,
    /// Navigation filter, or derived quantities of similar effort.
    Filter,
}

/// Parameters of an exteroceptive sensor.
pub trait ExteroceptiveSensor: 'static {
    /// Returns the properties that follow from the parameters.
    fn properties(&self) -> ExteroceptiveProperties<'_>;
}

/// Properties of an exteroceptive sensor.
#[derive(Clone, Copy, Debug)]
pub struct ExteroceptiveProperties<'a> {
    /// Type name as in world files and in `describe`.
    pub name: &'static str,
    /// Time that a sample takes, such as a sweep, an exposure or the wait for echoes [ns].
    pub sample_duration_ns: u64,
    /// True if the sensor outputs ranges or positions, to which a fault can add an offset.
    pub supports_offset_faults: bool,
    /// Noise of the thrusters of the same robot at the sensor, if it receives sound.
    pub thruster_noise: Option<&'a ThrusterNoise>,
    /// Tilt unit that carries the sensor, if any.
    pub tilt: Option<&'a Tilt>,
    /// True if the tilt unit has one angle during a sample, which is part of the pose of the
    /// sensor; false if the law applies the angle of each beam.
    pub has_one_tilt_per_sample: bool,
    /// Index of another sensor on the same robot from whose frames this sensor computes its own, if
    /// any.
    pub source: Option<usize>,
    /// True if the frames contain echoes from which obstacles can be detected.
    pub has_echoes: bool,
    /// Maximum range of a sensor that measures the ranges of its beams [m].
    pub max_range_m: Option<f64>,
    /// Number of samples in which a rotating or moving head covers all its bearings; `None` if
    /// every sample covers them.
    pub samples_per_sweep: Option<u64>,
    /// True if several threads can compute a sample together.
    pub is_parallel: bool,
    /// Shapes that must not contain the sensor.
    pub obstruction: Obstruction,
}

impl ExteroceptiveProperties<'_> {
    /// Returns the properties of a plain sensor with a type name whose samples take
    /// `sample_duration_ns` [ns].
    pub fn new(name: &'static str, sample_duration_ns: u64) -> Self {
        Self {
            name,
            sample_duration_ns,
            supports_offset_faults: false,
            thruster_noise: None,
            tilt: None,
            has_one_tilt_per_sample: false,
            source: None,
            has_echoes: false,
            max_range_m: None,
            samples_per_sweep: None,
            is_parallel: false,
            obstruction: Obstruction::None,
        }
    }
}

/// Shapes that must not contain a sensor, because it would measure their inner side only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstruction {
    /// No shape affects the sensor.
    None,
    /// Structures of the world.
    Structures,
    /// Structures, and the robot that carries the sensor.
    StructuresAndRobot,
}
