//! Components of the current other than its mean: tides, jets, channels, eddies, grids.

use crate::persist::Persist;
use crate::scene::sea::grid::Grid;
use merrow_math::Vec3;
use std::sync::Arc;

/// Named component of the current, added to the mean.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Flow {
    /// Name; used in the name of its parameter.
    pub name: String,
    /// Factor on its velocity [-].
    pub gain: f64,
    /// Index of the region to which it is limited; `None`: it acts everywhere.
    pub region: Option<usize>,
    /// Velocity law of the component.
    pub law: FlowLaw,
}

/// Velocity law of a current component; equations and symbols are in
/// `crates/environment/src/flow.rs`.
#[derive(Clone, Debug, PartialEq, Persist)]
pub enum FlowLaw {
    /// Uniform in space, periodic in time.
    Tide(Vec<Constituent>),
    /// Jet whose velocity decays to both sides.
    Jet(Jet),
    /// Channel flow between two banks.
    Channel(Channel),
    /// Rotation about a vertical axis.
    Eddy(Eddy),
    /// Velocities on grids: east, north, up [m/s]; `None`: zero along that axis.
    Grid([Option<Arc<Grid>>; 3]),
}

/// Constituent of a tidal current: an ellipse traversed once per period.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Constituent {
    /// Angular frequency of the constituent [rad/s].
    pub omega: f64,
    /// Semi-major axis in W, in flood direction [m/s].
    pub major: Vec3,
    /// Semi-minor axis in W [m/s]: `major` rotated by 90 degrees counter-clockwise, times the axis
    /// ratio. With a negative ratio the rotation is clockwise.
    pub minor: Vec3,
    /// Phase lag of the flood relative to the start of the run [rad].
    pub lag: f64,
}

/// Straight horizontal jet with lateral decay.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Jet {
    /// Horizontal velocity on its axis, in W [m/s].
    pub velocity: Vec3,
    /// Horizontal unit vector normal to it, to its left.
    pub across: Vec3,
    /// A point on its axis in W [m].
    pub p_W: Vec3,
    /// Half width b [m].
    pub half_width_m: f64,
    /// Depth at which it has decayed to 1/e [m]; infinite: uniform over depth.
    pub decay_depth_m: f64,
}

/// Straight channel flow between two banks over a level bed.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Channel {
    /// Horizontal velocity at the centre of the surface, in W [m/s].
    pub velocity: Vec3,
    /// Horizontal unit vector normal to it, to its left.
    pub across: Vec3,
    /// A point on its centre line in W [m].
    pub p_W: Vec3,
    /// Distance from the centre line to a bank [m].
    pub half_width: f64,
    /// Exponent of the transverse profile [-].
    pub exponent: f64,
    /// Depth of the bed [m] and exponent of the vertical profile [-]; `None`: uniform over depth.
    pub bed: Option<[f64; 2]>,
}

/// Vortex about a vertical axis.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Eddy {
    /// Angular velocity of the core, positive counter-clockwise [rad/s].
    pub angular_velocity_rad_s: f64,
    /// A point on its axis in W [m].
    pub p_W: Vec3,
    /// Radius a of the core [m].
    pub core_radius_m: f64,
}
