//! Detectors of obstacles as built, and the obstacles that a world lists for them.

use merrow_math::Vec3;

/// A box that a world lists: nothing touches it, nothing but a detector sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct Obstacle {
    /// Name.
    pub name: String,
    /// Its middle in W [m].
    pub p: Vec3,
    /// Its lengths along its axes [m].
    pub size: Vec3,
    /// Turn of its axes about z of W [rad].
    pub yaw: f64,
}

/// What tells boxes about obstacles.
#[derive(Clone, Debug, PartialEq)]
pub struct DetectorSpec {
    /// The sensor of the same robot whose echoes it boxes; none: it tells the obstacles that the world lists. By name and index.
    pub sensor: Option<(String, usize)>,
    /// Whether boxes are told in W; else in S.
    pub in_world: bool,
    /// Half of the sector about x in the plane of x and y [rad].
    pub half_sector: f64,
    /// Half of its width in elevation [rad].
    pub half_elevation: f64,
    /// Least and greatest range [m].
    pub limits: [f64; 2],
    /// Heights in W between which echoes count [m].
    pub heights: [f64; 2],
    /// Standard deviations of the middle and of the size [m], and of the turn [rad].
    pub std: [f64; 3],
    /// Part of the obstacles that a sample misses.
    pub miss: f64,
    /// Level of a sonar's echo over its neighbours [dB].
    pub threshold: f64,
    /// Ranges on either side of an echo that belong to it, and those beyond that are its neighbours [m].
    pub window: [f64; 2],
    /// Echoes nearer to one another than this are of one obstacle [m].
    pub gap: f64,
    /// Fewest echoes of an obstacle.
    pub least_echoes: usize,
    /// Least length of a box [m].
    pub least_size: f64,
    /// How long echoes are kept and boxed with those that come after [s]; 0: each sample alone.
    pub keep: f64,
    /// How far the middle of a box may be from where it was before [m].
    pub association: f64,
    /// How long the sensor takes for a sample [ns].
    pub takes_ns: u64,
    /// How long an obstacle that is not seen keeps its number [s].
    pub forget: f64,
}
