//! Tethers and mooring lines: material, ends, computation model and winch.

use merrow_math::Vec3;

/// Line between two ends.
#[derive(Clone, Debug)]
pub struct Tether {
    /// Name; prefix of its topics.
    pub name: String,
    /// Material and hydrodynamic coefficients.
    pub line: LineProperties,
    /// Computation model of the line.
    pub model: LineModel,
    /// First and last end.
    pub ends: [TetherEnd; 2],
    /// Unstretched length at the start [m].
    pub length: f64,
    /// Winch that changes the length, if any.
    pub winch: Option<Winch>,
    /// Clamping direction at each end: direction of the line from the first end to the second;
    /// `None`: not clamped.
    pub clamps: [Option<Vec3>; 2],
    /// Initial nodes from the first end to the second, in W [m].
    pub start: Vec<Vec3>,
    /// Initial velocities of the nodes in W [m/s].
    pub start_v: Vec<Vec3>,
    /// Segment that is broken at the start; `None`: the line is intact.
    pub broken: Option<usize>,
}

impl Tether {
    /// Returns the index of the robot that carries the winch; `None` without a winch or for a winch
    /// at a fixed end.
    pub fn winch_robot(&self) -> Option<usize> {
        match self.ends[self.winch.as_ref()?.end] {
            TetherEnd::Link { robot, .. } => Some(robot),
            TetherEnd::World(_) | TetherEnd::Free(_) => None,
        }
    }

    /// Returns the number of segments between the nodes.
    #[inline]
    pub fn n_segments(&self) -> usize {
        self.start.len() - 1
    }
}

/// Computation model of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineModel {
    /// Lumped masses at nodes: inertia, drag, slack and seabed contact.
    Lumped,
    /// Quasi-static elastic catenary, without inertia and drag.
    Catenary,
}

/// Material and hydrodynamic coefficients of a line, per metre of unstretched length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineProperties {
    /// Outer diameter of the line [m].
    pub diameter: f64,
    /// Mass per length [kg/m].
    pub mass: f64,
    /// Axial stiffness EA: tension per strain [N].
    pub stiffness: f64,
    /// Axial damping: tension per strain rate [N s].
    pub damping: f64,
    /// Bending stiffness EI [N m²]; 0: a rope, which also cannot carry compression.
    pub bending: f64,
    /// Breaking tension [N]; infinite: unbreakable.
    pub breaking: f64,
    /// Transverse drag coefficient, on the diameter.
    pub normal_drag: f64,
    /// Tangential drag coefficient, on the circumference.
    pub tangential_drag: f64,
    /// Transverse added-mass coefficient of the line [-].
    pub added_mass: f64,
    /// Seabed stiffness: force per length and penetration depth [N/m²].
    pub seabed_stiffness: f64,
    /// Coulomb friction coefficient on the seabed.
    pub seabed_friction: f64,
}

impl LineProperties {
    /// Returns the displaced volume per length [m²].
    pub fn area(&self) -> f64 {
        0.25 * std::f64::consts::PI * self.diameter * self.diameter
    }
    /// Returns the submerged weight per length [N/m] in water of `density` [kg/m³] under `gravity`
    /// [m/s²].
    #[inline]
    pub fn weight_in_water(&self, density: f64, gravity: f64) -> f64 {
        (self.mass - density * self.area()) * gravity
    }
}

/// One end of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TetherEnd {
    /// Fixed at a position in W [m].
    World(Vec3),
    /// Attached to a link.
    Link {
        /// Index of the robot.
        robot: usize,
        /// Index of its link.
        link: usize,
        /// Position on the link, in L [m].
        p_LoQ: Vec3,
    },
    /// Free end with its initial position in W [m].
    Free(Vec3),
}

/// Winch: changes the unstretched length of its line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Winch {
    /// End of the line with the winch, 0 or 1.
    pub end: usize,
    /// Maximum speed of paying out and hauling in [m/s].
    pub max_speed: f64,
    /// Speed at the start, positive for paying out [m/s].
    pub start_speed: f64,
    /// Maximum rate of change of the speed [m/s²].
    pub max_acceleration: f64,
    /// Tension above which the rotating drum slips [N].
    pub max_pull: f64,
    /// Tension above which the braked drum slips [N].
    pub brake: f64,
    /// Minimum and maximum unstretched length [m].
    pub range: [f64; 2],
    /// Power on the hauled line per electrical power, greater than 0, at most 1.
    pub efficiency: f64,
    /// Electrical power with the drum at rest [W].
    pub standby: f64,
    /// Index among the winches of the robot that carries it; 0 at a fixed end.
    pub slot: usize,
}
