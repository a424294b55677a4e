//! Tethers and mooring lines: what they are made of, what they hold, and the winch that pays them out.

use merrow_math::Vec3;

/// A line between two ends.
#[derive(Clone, Debug)]
pub struct Tether {
    /// Name; prefix of its topics.
    pub name: String,
    /// What it is made of.
    pub line: Line,
    /// How it is computed.
    pub model: LineModel,
    /// Where it begins and where it ends.
    pub ends: [End; 2],
    /// Unstretched length at the start [m].
    pub length: f64,
    /// What changes the length, if anything does.
    pub winch: Option<Winch>,
    /// Direction of the line, from the first end to the second, in which an end is clamped.
    pub clamps: [Option<Vec3>; 2],
    /// Nodes at the start, from the first end to the second, in the world [m].
    pub start: Vec<Vec3>,
}

impl Tether {
    /// Index of the robot that carries the winch; none without one, and for one ashore.
    pub fn winch_robot(&self) -> Option<usize> {
        match self.ends[self.winch.as_ref()?.end] {
            End::Link { robot, .. } => Some(robot),
            End::World(_) | End::Free(_) => None,
        }
    }

    /// Number of segments between the nodes.
    pub fn n_segments(&self) -> usize {
        self.start.len() - 1
    }
}

/// How a line is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineModel {
    /// Masses at nodes: inertia, drag, slack and bottom contact.
    Lumped,
    /// The elastic catenary of the moment, without inertia and drag.
    Catenary,
}

/// A line's material and how the water takes hold of it, per metre of unstretched line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Outer diameter [m].
    pub diameter: f64,
    /// Mass [kg/m].
    pub mass: f64,
    /// Axial stiffness EA: tension per strain [N].
    pub stiffness: f64,
    /// Axial damping: tension per strain rate [N s].
    pub damping: f64,
    /// Bending stiffness EI [N m²]; 0: a rope, which bears no compression either.
    pub bending: f64,
    /// Tension at which it parts [N]; infinite: any.
    pub breaking: f64,
    /// Drag coefficient across, on the diameter.
    pub normal_drag: f64,
    /// Drag coefficient along, on the circumference.
    pub tangential_drag: f64,
    /// Added-mass coefficient across.
    pub added_mass: f64,
    /// Stiffness of the bottom under it: force per length and depth of penetration [N/m²].
    pub seabed_stiffness: f64,
    /// Coulomb friction on the bottom.
    pub seabed_friction: f64,
}

impl Line {
    /// Displaced volume per length [m²].
    pub fn area(&self) -> f64 {
        0.25 * std::f64::consts::PI * self.diameter * self.diameter
    }
    /// Weight less buoyancy per length [N/m] in water of `density` [kg/m³] under `gravity` [m/s²].
    pub fn weight_in_water(&self, density: f64, gravity: f64) -> f64 {
        (self.mass - density * self.area()) * gravity
    }
}

/// One end of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// Held at a place in the world [m].
    World(Vec3),
    /// Made fast to a link.
    Link {
        /// Index of the robot.
        robot: usize,
        /// Index of its link.
        link: usize,
        /// Where on the link, in L [m].
        p_LoQ: Vec3,
    },
    /// Loose; where it starts [m].
    Free(Vec3),
}

/// A winch: changes the unstretched length of its line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Winch {
    /// End of the line at which it stands, 0 or 1.
    pub end: usize,
    /// Largest speed of paying out and heaving in [m/s].
    pub max_speed: f64,
    /// Largest change of speed [m/s²].
    pub max_acceleration: f64,
    /// Tension above which the turning drum slips [N].
    pub max_pull: f64,
    /// Tension above which the braked drum slips [N].
    pub brake: f64,
    /// Shortest and longest unstretched length [m].
    pub range: [f64; 2],
    /// Power of the line heaved in over electrical power, above 0 to 1.
    pub efficiency: f64,
    /// Electrical power while it turns nothing [W].
    pub standby: f64,
    /// Its place among the winches of the robot that carries it; 0 ashore.
    pub slot: usize,
}
