//! Parts of the current beside its mean: tides, jets, channels, eddies, grids.

use crate::scene::sea::grid::Grid;
use merrow_math::Vec3;
use std::sync::Arc;

/// A named part of the current, added to the mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Name, part of its parameter.
    pub name: String,
    /// Factor on its velocity.
    pub gain: f64,
    /// Index of the region outside which it is still; none: it flows everywhere.
    pub region: Option<usize>,
    /// What moves.
    pub law: FlowLaw,
}

/// How a part of the current moves; laws and symbols in `environment/flow.rs`.
#[derive(Clone, Debug, PartialEq)]
pub enum FlowLaw {
    /// The same everywhere, periodic in time.
    Tide(Vec<Constituent>),
    /// A stream that falls off to both sides.
    Jet(Jet),
    /// A stream between two banks.
    Channel(Channel),
    /// Water that turns about a vertical axis.
    Eddy(Eddy),
    /// Velocities on grids: east, north, up [m/s]; none: still along that axis.
    Grid([Option<Arc<Grid>>; 3]),
}

/// A constituent of a tidal current: an ellipse run through once in a period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constituent {
    /// Angular frequency [rad/s].
    pub omega: f64,
    /// Semi-major axis in W, towards the flood [m/s].
    pub major: Vec3,
    /// Semi-minor axis in W [m/s]: `major` turned by 90 degrees counter-clockwise, times the ratio of the axes; a negative
    /// ratio runs the ellipse clockwise.
    pub minor: Vec3,
    /// Phase by which the flood lags behind the start of the world [rad].
    pub lag: f64,
}

/// A straight horizontal stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet {
    /// Velocity on its axis, horizontal, in W [m/s].
    pub velocity: Vec3,
    /// Horizontal unit vector across it, to its left.
    pub across: Vec3,
    /// A point on its axis in W [m].
    pub p_W: Vec3,
    /// Half width b [m].
    pub half_width: f64,
    /// Depth over which it falls to 1/e [m]; infinite: the same at all depths.
    pub decay_depth: f64,
}

/// A straight stream between two banks, over a level bed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Channel {
    /// Velocity in the middle at the surface, horizontal, in W [m/s].
    pub velocity: Vec3,
    /// Horizontal unit vector across it, to its left.
    pub across: Vec3,
    /// A point in its middle in W [m].
    pub p_W: Vec3,
    /// Distance from the middle to a bank [m].
    pub half_width: f64,
    /// Exponent of the profile across.
    pub exponent: f64,
    /// Depth of the bed [m] and exponent of the profile over it; none: the same at all depths.
    pub bed: Option<[f64; 2]>,
}

/// Water that turns about a vertical axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Eddy {
    /// Angular velocity of its core, counter-clockwise [rad/s].
    pub spin: f64,
    /// A point on its axis in W [m].
    pub p_W: Vec3,
    /// Radius a of its core [m].
    pub core: f64,
}
