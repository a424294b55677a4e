//! Obstacle detectors, and the obstacles that a world file lists for them.

use crate::persist::Persist;
use crate::sensor::{ExteroceptiveProperties, ExteroceptiveSensor};
use crate::state::fault_effect::FaultEffect;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_yaml::spec::spec;

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

spec! {
    /// A detector that reports bounding boxes of obstacles.
    pub struct ObstacleDetector {
        /// Sonar or laser of the same robot whose echoes are processed. Default: the detector
        /// reports the `obstacles` of the world.
        sensor: Option<String> [not_empty],
        /// Whether boxes are reported in the world frame; otherwise in the detector frame.
        in_world: bool = true,
        /// Full horizontal angle about the x axis in which obstacles are reported.
        sector_deg: f64 [in 1.0..=360.0] = 360.0,
        /// Full vertical angle in which obstacles are reported.
        elevation_deg: f64 [in 1.0..=180.0] = 180.0,
        /// Minimum range of reported obstacles.
        min_range_m: f64 [non_negative] = 0.0,
        /// Maximum range of reported obstacles.
        max_range_m: f64 [positive],
        /// Minimum and maximum height in the world of the echoes used; requires `sensor`. Default:
        /// all.
        height_m: Option<[f64; 2]>,
        /// Standard deviation of each coordinate of the centre.
        position_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of each length.
        size_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of the rotation.
        yaw_std_deg: f64 [non_negative] = 0.0,
        /// Probability that an obstacle is missing in a sample.
        miss_probability: f64 [fraction] = 0.0,
        /// Level of a sonar echo above its neighbourhood; requires `sensor`.
        threshold_db: f64 [in 0.0..=100.0] = 8.0,
        /// Half widths in range of the window of an echo and of the neighbourhood beyond it with
        /// which the echo is compared; requires `sensor`.
        window_m: [f64; 2] [positive] = [1.0, 3.0],
        /// Maximum distance between neighbouring echoes of one obstacle; requires `sensor`.
        cluster_gap_m: f64 [in 0.001..=1000.0] = 1.0,
        /// Minimum number of echoes of an obstacle.
        min_echoes: u32 [in 1.0..=1000000.0] = 5,
        /// Minimum length of a box.
        min_size_m: f64 [non_negative] = 0.0,
        /// Time for which echoes are kept and processed together with later echoes; requires
        /// `sensor`. Default: one turn of a rotating head, otherwise 0, so that each sample is
        /// processed separately.
        accumulation_s: Option<f64> [non_negative],
        /// Maximum displacement of the centre of a box between samples for the same obstacle.
        association_distance_m: f64 [non_negative] = 3.0,
        /// Time for which an undetected obstacle keeps its number.
        track_timeout_s: f64 [non_negative] = 10.0,
    }
}

/// Obstacle detector with its source.
#[derive(Clone, Debug, PartialEq)]
pub struct DetectorSpec {
    /// Keys of the detector.
    pub detector: ObstacleDetector,
    /// Index of the sensor of the key `sensor` on the same robot.
    pub source: Option<usize>,
    /// Time for which echoes are accumulated with later echoes [s]; 0: each sample separately.
    pub accumulation: f64,
    /// Duration of a sample of the source [ns].
    pub sample_duration_ns: u64,
}

impl ExteroceptiveSensor for DetectorSpec {
    fn properties(&self) -> ExteroceptiveProperties<'_> {
        ExteroceptiveProperties {
            supports_offset_faults: true,
            source: self.source,
            ..ExteroceptiveProperties::new("obstacle_detector", self.sample_duration_ns)
        }
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
