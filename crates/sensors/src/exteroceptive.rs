//! Exteroceptive sensors: the interface between the law of a sensor and the simulation.
//!
//! The parameters of each kind implement [`Observe`] in the folder of its law. [`law`] selects the
//! implementation with the registry of `merrow_model::sensor`, so that a kind without a law does
//! not compile.

use crate::camera::BandMeter;
use crate::cost::CostSite;
use crate::ray_scene::RayScenes;
use crate::sample::{Pose, SampleErrors};
use merrow_environment::EnvironmentState;
use merrow_math::Vec3;
use merrow_model::each_exteroceptive_sensor;
use merrow_model::scene::Scene;
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::state::frames::FrameData;
use merrow_model::state::frames::view::WorldView;

/// Inputs of one sample of an exteroceptive sensor.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// Static description of the world.
    pub scene: &'a Scene,
    /// Snapshot of the world at the instant of the sample.
    pub view: &'a WorldView,
    /// Geometry that rays hit, posed to match `view`.
    pub ray_scenes: &'a RayScenes,
    /// Sea, air and waves at the instant of the sample.
    pub environment: &'a EnvironmentState<'a>,
    /// Index of the sensor on its robot.
    pub index: usize,
    /// Sample rate of the sensor [Hz].
    pub rate: f64,
    /// Pose and velocity of the sensor at the instant of `view`.
    pub pose: &'a Pose,
    /// Random numbers, noise switch and faults of the sample.
    pub errors: &'a SampleErrors,
    /// Requested outputs, as bits defined by the sensor.
    pub outputs: u8,
    /// Measures what several threads compute.
    pub meter: Option<&'a dyn BandMeter>,
    /// Frame of the source sensor, for a sensor that has one.
    pub source: Option<SourceFrame<'a>>,
}

/// Frame of another sensor of the same robot at the same instant.
#[derive(Clone, Copy, Debug)]
pub struct SourceFrame<'a> {
    /// Parameters of the other sensor.
    pub spec: &'a ExteroceptiveSpec,
    /// Frame of the other sensor.
    pub data: &'a FrameData,
    /// Pose of the other sensor.
    pub pose: &'a Pose,
}

/// Detection threshold for the echoes of a sonar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EchoThreshold {
    /// Level above the mean of the neighbouring ranges [dB].
    pub level: f64,
    /// Lengths of the guard window and of the training window [m].
    pub window: [f64; 2],
}

/// Position of an echo in the frame S of its sensor, or in the frame of its tilt unit [m], and half
/// of the height that it represents [m].
pub(crate) type SensorEcho = (Vec3, f64);

/// Law and computing time of a kind of exteroceptive sensor.
pub trait Observe {
    /// Computes the frame of one sample, with the errors and faults in `sample.errors`.
    fn observe(&self, sample: &Observation<'_>) -> FrameData;

    /// Returns the estimated CPU time of a sample in addition to [`crate::cost::SAMPLE`] [ns].
    fn cost(&self, site: &CostSite<'_>) -> f64;

    /// Returns the echoes of a frame that began at `stamp_ns` [ns], from which obstacles are
    /// detected.
    fn echoes(&self, _: &FrameData, _stamp_ns: u64, _: &EchoThreshold) -> Vec<SensorEcho> {
        Vec::new()
    }
}

macro_rules! select_law {
    ($($(#[doc = $doc:literal])* $kind:ident($spec:ty),)*) => {
        /// Returns the law of a sensor.
        pub fn law(spec: &ExteroceptiveSpec) -> &dyn Observe {
            match spec {
                $(ExteroceptiveSpec::$kind(spec) => spec,)*
            }
        }
    };
}

each_exteroceptive_sensor!(select_law);
