//! Output of an obstacle detector for one sample.

use crate::state::FaultEffect;
use merrow_math::{Mat3, Quat, Vec3};

/// Echo in W with its vertical extent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Echo {
    /// Position of the echo in W [m].
    pub p: Vec3,
    /// Half of the vertical extent [m].
    pub half_height: f64,
}

/// Echoes of one sample of a detector that accumulates several samples.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Copy, Debug, PartialEq)]
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
