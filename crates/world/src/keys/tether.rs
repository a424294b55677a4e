//! Keys of tethers and mooring lines.

use merrow_model::scene::{Line, LineModel, Winch};
use merrow_yaml::spec::spec;

spec! {
    /// A tether or mooring line between two ends.
    pub struct TetherConfig {
        /// Type of the line: a name in `params/lines`, a file, or a map.
        line: Line,
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
        method: LineModel = LineModel::Lumped,
        /// Winch at one of the ends. Default: none.
        winch: Option<Winch>,
    }

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
