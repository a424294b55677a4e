//! Obstacle detectors, and the obstacles that a world file lists for them.

use crate::persist::Persist;
use crate::sensor::ExteroceptiveSensor;
use crate::state::fault_effect::FaultEffect;
use merrow_math::{Mat3, Quat, Vec3};

/// Box-shaped obstacle of the world file. It has no collision shape, and only obstacle detectors
/// measure it.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Name of the obstacle.
    pub name: String,
    /// Centre in W [m].
    pub p: Vec3,
    /// Edge lengths along its axes [m].
    pub size: Vec3,
    /// Rotation of its axes about z of W [rad].
    pub yaw: f64,
}

/// Detector that publishes bounding boxes of obstacles.
#[derive(Clone, Debug, PartialEq)]
pub struct DetectorSpec {
    /// Sensor of the same robot whose echoes the detector clusters, by name and index. `None`: it
    /// reports the obstacles of the world file.
    pub sensor: Option<(String, usize)>,
    /// True if boxes are expressed in W, false for S.
    pub in_world: bool,
    /// Half width of the sector about x in the xy plane [rad].
    pub half_sector: f64,
    /// Half of the vertical field of view [rad].
    pub half_elevation: f64,
    /// Minimum and maximum range [m].
    pub limits: [f64; 2],
    /// Minimum and maximum height in W of the echoes in use [m].
    pub heights: [f64; 2],
    /// Standard deviations of the centre [m], the size [m] and the yaw [rad].
    pub std: [f64; 3],
    /// Fraction of the obstacles that a sample misses, 0..1.
    pub miss_probability: f64,
    /// Level of a sonar echo above its neighbourhood that counts as a detection [dB].
    pub threshold: f64,
    /// Detection window on either side of an echo [m]: guard range, and the training range beyond
    /// it that the echo is compared with.
    pub window: [f64; 2],
    /// Echoes closer together than this belong to one obstacle [m].
    pub cluster_gap: f64,
    /// Minimum number of echoes of an obstacle.
    pub min_echoes: usize,
    /// Minimum edge length of a box [m].
    pub min_size: f64,
    /// Time for which echoes are accumulated with later echoes [s]; 0: each sample separately.
    pub accumulation: f64,
    /// Maximum distance between the box centres of successive samples for association [m].
    pub association: f64,
    /// Duration of a sample of the sensor [ns].
    pub sample_duration_ns: u64,
    /// Time for which an undetected obstacle keeps its identifier [s].
    pub track_timeout: f64,
}

impl ExteroceptiveSensor for DetectorSpec {
    fn name(&self) -> &'static str {
        "obstacle_detector"
    }

    fn sample_duration_ns(&self) -> u64 {
        self.sample_duration_ns
    }

    fn supports_offset_faults(&self) -> bool {
        true
    }

    fn source(&self) -> Option<usize> {
        self.sensor.as_ref().map(|(_, sensor)| *sensor)
    }
}

/// Echo in W with its vertical extent.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Echo {
    /// Position of the echo in W [m].
    pub p: Vec3,
    /// Half of the vertical extent [m].
    pub half_height: f64,
}

/// Echoes of one sample of a detector that accumulates several samples.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct EchoSet {
    /// Echoes of the sample.
    pub echoes: Vec<Echo>,
    /// Rotation of the detector frame S in W.
    pub R_WS: Mat3,
    /// Position of the detector in W [m].
    pub p_WS: Vec3,
    /// Index of the sample.
    pub sample: u64,
    /// True with noise; false for an ideal detector.
    pub noise: bool,
    /// Effect of faults on the detector.
    pub fault: FaultEffect,
}

/// Bounding box of an obstacle; its z axis is vertical.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Detection {
    /// Centre in the output frame of the detector [m].
    pub p: Vec3,
    /// Attitude in the output frame of the detector.
    pub q: Quat,
    /// Edge lengths along its axes [m].
    pub size: Vec3,
    /// Centre in W [m].
    pub p_W: Vec3,
    /// Number of echoes in the box; 0 for an obstacle of the world file.
    pub echoes: usize,
    /// Index of the obstacle in the world file.
    pub listed: Option<usize>,
}
