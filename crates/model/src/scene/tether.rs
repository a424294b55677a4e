//! Tethers and mooring lines: material, ends, computation model and winch.

use merrow_math::Vec3;
use merrow_yaml::spec::spec;

/// Gravity below which the stiffness of the seabed no longer decreases with it [m/s²].
const MIN_GRAVITY: f64 = 1.0;

/// Line between two ends.
#[derive(Clone, Debug)]
pub struct Tether {
    /// Name; prefix of its topics.
    pub name: String,
    /// Material and hydrodynamic coefficients.
    pub line: Line,
    /// Seabed stiffness: force per length and penetration depth [N/m²].
    pub seabed_stiffness: f64,
    /// Numerical model of the line.
    pub method: LineModel,
    /// First and last end.
    pub ends: [TetherEnd; 2],
    /// Unstretched length at the start [m].
    pub length_m: f64,
    /// Winch that changes the length, if any.
    pub winch: Option<Winch>,
    /// Index of the winch among the winches of the robot that carries it; 0 at a fixed end.
    pub winch_slot: usize,
    /// Clamping direction at each end: direction of the line from the first end to the second;
    /// `None`: not clamped.
    pub clamps: [Option<Vec3>; 2],
    /// Initial nodes from the first end to the second, in W [m].
    pub start: Vec<Vec3>,
    /// Initial velocities of the nodes in W [m/s].
    pub start_v: Vec<Vec3>,
    /// Segment that is broken at the start; `None`: the line is intact.
    pub broken_segment: Option<usize>,
}

impl Tether {
    /// Returns the index of the robot that carries the winch; `None` without a winch or for a winch
    /// at a fixed end.
    pub fn winch_robot(&self) -> Option<usize> {
        match self.ends[self.winch.as_ref()?.end()] {
            TetherEnd::Link { robot, .. } => Some(robot),
            TetherEnd::World(_) | TetherEnd::Free(_) => None,
        }
    }

    /// Returns the minimum and the maximum unstretched length [m] that `winch` of the tether allows.
    pub fn winch_range(&self, winch: &Winch) -> [f64; 2] {
        let longest = winch.max_length_m.unwrap_or(self.length_m);
        [winch.min_length_m, longest]
    }

    /// Returns the number of segments between the nodes.
    #[inline]
    pub fn n_segments(&self) -> usize {
        self.start.len() - 1
    }
}

spec! {
    /// Numerical model of a line.
    pub enum LineModel words {
        /// Lumped masses at nodes, with inertia, drag, slack and seabed contact.
        Lumped = "lumped",
        /// Quasi-static elastic catenary, without inertia and drag.
        Catenary = "catenary",
    }

    /// Type of a line. Masses are per metre of unstretched length.
    pub struct Line {
        /// Description of the line.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Outer diameter of the line.
        diameter_m: f64 [positive],
        /// Mass in air per length.
        mass_kg_per_m: f64 [positive],
        /// Axial stiffness EA: tension per strain.
        axial_stiffness_n: f64 [positive],
        /// Axial damping: tension per strain rate.
        axial_damping_n_s: f64 [non_negative] = 0.0,
        /// Bending stiffness EI: moment per curvature. With a bending stiffness, the line also
        /// transmits compression and can buckle.
        bending_stiffness_nm2: f64 [non_negative] = 0.0,
        /// Tension at which the line breaks. Default: never.
        breaking_load_n: Option<f64> [positive],
        /// Drag coefficient across the line, referred to the diameter.
        normal_drag: f64 [non_negative] = 1.2,
        /// Drag coefficient along the line, referred to the circumference.
        tangential_drag: f64 [non_negative] = 0.01,
        /// Added-mass coefficient across the line.
        added_mass: f64 [non_negative] = 1.0,
        /// Contact stiffness of the seabed per length of line. Default: the line penetrates by a
        /// tenth of its diameter under its own weight in water.
        seabed_stiffness_n_per_m2: Option<f64> [positive],
        /// Coulomb friction coefficient on the seabed.
        seabed_friction: f64 [non_negative] = 0.5,
    }
}

impl Line {
    /// Returns the breaking tension [N]; infinite: unbreakable.
    #[inline]
    pub fn breaking_load(&self) -> f64 {
        self.breaking_load_n.unwrap_or(f64::INFINITY)
    }

    /// Returns the displaced volume per length [m²].
    pub fn area(&self) -> f64 {
        0.25 * std::f64::consts::PI * self.diameter_m * self.diameter_m
    }
    /// Returns the submerged weight per length [N/m] in water of `density` [kg/m³] under `gravity`
    /// [m/s²].
    #[inline]
    pub fn weight_in_water(&self, density: f64, gravity: f64) -> f64 {
        (self.mass_kg_per_m - density * self.area()) * gravity
    }

    /// Returns the contact stiffness of the seabed per length [N/m²]: the given one, or the one
    /// into which the line sinks by a tenth of its diameter in water of `density` [kg/m³] under
    /// `gravity` [m/s²].
    pub fn seabed_stiffness(&self, density: f64, gravity: f64) -> f64 {
        // a nearly weightless line, or any line without gravity, still needs a seabed that stops it
        let load = self
            .weight_in_water(density, gravity)
            .max(0.1 * self.mass_kg_per_m * gravity.max(MIN_GRAVITY));
        self.seabed_stiffness_n_per_m2
            .unwrap_or(10.0 * load / self.diameter_m)
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

spec! {
    /// A winch at one end of a tether.
    pub struct Winch {
        /// End of the line at which the winch is mounted.
        mounted_at: LineEnd = LineEnd::From,
        /// Maximum speed of paying out and heaving in.
        max_speed_m_s: f64 [positive],
        /// Speed at the start, positive for paying out.
        start_speed_m_s: f64 = 0.0,
        /// Maximum acceleration of the line.
        max_acceleration_m_s2: f64 [positive] = 1.0,
        /// Tension above which the turning drum slips. Default: never.
        max_pull_n: Option<f64> [positive],
        /// Tension above which the braked drum slips. Default: never.
        brake_n: Option<f64> [positive],
        /// Minimum unstretched length outside the drum.
        min_length_m: f64 [positive] = 1.0,
        /// Total length of line, on the drum and outside. Default: `length_m` of the tether.
        max_length_m: Option<f64> [positive],
        /// Mechanical power of heaving in per electrical power, if the robot that carries the winch
        /// has a battery. A common worm gear has 0.5.
        efficiency: f64 [in 0.01..=1.0] = 0.5,
        /// Power consumption while the drum does not turn, from the same battery.
        standby_w: f64 [non_negative] = 0.0,
    }

    /// An end of a line, by its key.
    pub enum LineEnd words {
        /// First end of the line.
        From = "from",
        /// Second end of the line.
        To = "to",
    }
}

impl Winch {
    /// Returns the index of the end of the line with the winch, 0 or 1.
    pub fn end(&self) -> usize {
        usize::from(self.mounted_at == LineEnd::To)
    }

    /// Returns the tension above which the rotating drum slips [N].
    pub fn max_pull(&self) -> f64 {
        self.max_pull_n.unwrap_or(f64::INFINITY)
    }

    /// Returns the tension above which the braked drum slips [N].
    pub fn brake(&self) -> f64 {
        self.brake_n.unwrap_or(f64::INFINITY)
    }
}
