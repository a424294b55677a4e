//! What a detector of obstacles brings back of one sample.

use crate::state::Effect;
use merrow_math::{Mat3, Quat, Vec3};

/// An echo in W, with half of the height that it stands for [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Echo {
    /// Its place.
    pub p: Vec3,
    /// Half of its height.
    pub half_height: f64,
}

/// Echoes of one sample of a detector that boxes those of several.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// The echoes.
    pub echoes: Vec<Echo>,
    /// Axes of the detector.
    pub R_WS: Mat3,
    /// Place of the detector [m].
    pub p_WS: Vec3,
    /// Number of the sample.
    pub sample: u64,
    /// False: a perfect detector.
    pub noise: bool,
    /// What faults do to it.
    pub fault: Effect,
}

/// A box about an obstacle, whose z is that of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// Its middle in the frame in which it is told [m].
    pub p: Vec3,
    /// Its axes there.
    pub q: Quat,
    /// Its lengths along its axes [m].
    pub size: Vec3,
    /// Its middle in W [m].
    pub p_W: Vec3,
    /// Number of the echoes in it; 0 of one that the world lists.
    pub echoes: usize,
    /// Which of the obstacles that the world lists it is.
    pub listed: Option<usize>,
}
