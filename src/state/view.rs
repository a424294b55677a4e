//! The world at one instant, as sensors that look around are given it: what they find is found beside the step.

use crate::math::{Mat3, SpatialVelocity, Vec3};
use crate::scene::Sea;

/// Where everything is, and the sea.
#[derive(Clone, Debug)]
pub struct View {
    /// The instant [ns].
    pub time_ns: u64,
    /// The sea, as it is then.
    pub sea: Sea,
    /// Axes and origin of every robot's links in the world [m].
    pub links: Vec<Vec<(Mat3, Vec3)>>,
    /// Level of every robot's lamps, 0..1.
    pub lamps: Vec<Vec<f64>>,
    /// Whether every robot has power.
    pub powered: Vec<bool>,
    /// Velocity of every robot's links in the world, in L, at Lo.
    pub velocities: Vec<Vec<SpatialVelocity>>,
}
