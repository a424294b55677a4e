//! What a detector of obstacles brings back of one sample.

use crate::math::{Quat, Vec3};

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
