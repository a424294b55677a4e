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
    /// Returns the type name as in world files and in `describe`.
    fn name(&self) -> &'static str;

    /// Returns the time that a sample takes, such as a sweep, an exposure or the wait for echoes
    /// [ns].
    fn sample_duration_ns(&self) -> u64;

    /// Returns true if the sensor outputs ranges or positions, to which a fault can add an offset.
    fn supports_offset_faults(&self) -> bool {
        false
    }

    /// Returns the noise of the thrusters of the same robot at the sensor, if it receives sound.
    fn thruster_noise(&self) -> Option<&ThrusterNoise> {
        None
    }

    /// Returns the tilt unit that carries the sensor, if any.
    fn tilt(&self) -> Option<&Tilt> {
        None
    }

    /// Returns true if the tilt unit has one angle during a sample, which is part of the pose of
    /// the sensor; false if the law applies the angle of each beam.
    fn has_one_tilt_per_sample(&self) -> bool {
        false
    }

    /// Returns the index of another sensor on the same robot from whose frames this sensor
    /// computes its own, if any.
    fn source(&self) -> Option<usize> {
        None
    }

    /// Returns true if the frames contain echoes from which obstacles can be detected.
    fn has_echoes(&self) -> bool {
        false
    }

    /// Returns the number of samples in which a rotating or moving head covers all its bearings;
    /// `None` if every sample covers them.
    fn samples_per_sweep(&self) -> Option<u64> {
        None
    }

    /// Returns true if several threads can compute a sample together.
    fn is_parallel(&self) -> bool {
        false
    }

    /// Returns the shapes that must not contain the sensor.
    fn obstruction(&self) -> Obstruction {
        Obstruction::None
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
