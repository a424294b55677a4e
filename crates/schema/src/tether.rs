//! Keys of tethers, mooring lines and winches.

use merrow_yaml::spec::{choice, fieldless_choice, spec};

spec! {
    /// A tether or mooring line between two ends.
    pub struct TetherConfig {
        /// Type of the line: a name in `params/lines`, a file, or a map.
        line: LineConfig,
        /// First end of the line.
        from: TetherEndConfig,
        /// Second end of the line.
        to: TetherEndConfig,
        /// Unstretched length of the line.
        length_m: f64 [positive],
        /// Number of segments of the line.
        segments: u32 [in 2.0..=2000.0] = 20,
        /// Positions of the nodes at the start in the world (east, north, up), from the first end
        /// to the second: one more than `segments`. Default: the shape of an unstretched line.
        nodes_m: Vec<[f64; 3]> = Vec::new(),
        /// Velocities of these nodes. Default: at rest.
        node_velocities_m_s: Vec<[f64; 3]> = Vec::new(),
        /// Segment that is broken at the start, counted from 0 at the first end. Default: none.
        broken_segment: Option<u32>,
        /// Numerical model of the line.
        method: LineModelConfig = LineModelConfig::Lumped,
        /// Winch at one of the ends. Default: none.
        winch: Option<WinchConfig>,
    }
}

fieldless_choice! {
    /// Numerical model of a line.
    pub enum LineModelConfig {
        /// Lumped masses at nodes, with inertia, drag, slack and seabed contact.
        Lumped = "lumped",
        /// Quasi-static elastic catenary, without inertia and drag.
        Catenary = "catenary",
    }
}

choice! {
    /// An end of a line.
    pub enum TetherEndConfig {
        /// A point fixed in the world.
        World = "world" {
            /// Position in the world (east, north, up).
            position_m: [f64; 3],
            /// Direction in which the line leaves a clamp (east, north, up); requires a line with
            /// bending stiffness. Default: not clamped.
            direction: Option<[f64; 3]>,
        },
        /// A point on the seabed.
        Seabed = "seabed" {
            /// Position in the world (east, north).
            position_m: [f64; 2],
        },
        /// A point of a robot.
        Robot = "robot" {
            /// Name of the robot; for a copy from `repeat` its own name, such as `rov_3`.
            robot: String [name],
            /// Name of the link.
            link: String [frame] = "base_link".to_string(),
            /// Position on the link (forward, left, up).
            position_m: [f64; 3] = [0.0, 0.0, 0.0],
        },
        /// A free end of the line.
        Free = "free" {
            /// Position at the start in the world (east, north, up).
            position_m: [f64; 3],
        },
    }
}

spec! {
    /// Type of a line. Masses are per metre of unstretched length.
    pub struct LineConfig {
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

spec! {
    /// A winch at one end of a tether.
    pub struct WinchConfig {
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
}

fieldless_choice! {
    /// An end of a line, by its key.
    pub enum LineEnd {
        /// First end of the line.
        From = "from",
        /// Second end of the line.
        To = "to",
    }
}
