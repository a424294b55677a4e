//! Keys of `task` in a world file that all kinds share, and of places.

use crate::registry::TaskKind;
use merrow_yaml::spec::spec;

spec! {
    /// The task of a world: what its robots have to do, and how they are scored. It has no effect on
    /// their motion.
    pub struct TaskKeys {
        /// Name of the task. Default: its kind.
        name: String = String::new(),
        /// Description of the task in one line.
        description: String = String::new(),
        /// Names of the robots that are scored, each on its own. Default: the only robot.
        robots: Vec<String> [name] = Vec::new(),
        /// Score of the task from the scores of its robots.
        total: Total = Total::Mean,
        /// Evaluations per second.
        rate_hz: f64 [in 0.1..=1000.0] = 50.0,
        /// Duration of the phase `initial`, at the start of the run.
        initial_duration_s: f64 [in 0.0..=1e6] = 0.0,
        /// Duration of the phase `ready`, in which the goals are published.
        ready_duration_s: f64 [in 0.0..=1e6] = 0.0,
        /// Maximum duration of the phase `running`, in which the robots are scored.
        running_duration_s: f64 [in 0.001..=1e6] = 300.0,
        /// Zone in which the robots must be when the phase `running` begins. Default: anywhere.
        start: Option<StartKeys>,
        /// Which contacts count as collisions.
        collisions: CollisionKeys => "{}",
        /// Area that the robots must not leave. Default: none.
        boundary: Option<BoundaryKeys>,
        /// Penalty per second from the start of the phase `running` to the end of the robot's task.
        time_penalty_per_s: f64 [in 0.0..=1e9] = 0.0,
        ..kind: TaskKind,
    }

    /// How the scores of several robots are combined.
    pub enum Total words {
        /// Mean of the scores.
        Mean = "mean",
        /// Sum of the scores.
        Sum = "sum",
        /// Best of the scores.
        Best = "best",
    }

    /// Zone in which the robots must be when the phase `running` begins.
    pub struct StartKeys {
        /// Largest distance from the place.
        radius_m: f64 [positive] = 5.0,
        /// Largest difference from the heading `yaw_deg`, if it is given.
        yaw_tolerance_deg: f64 [in 0.0..=180.0] = 30.0,
        /// Penalty for a robot that is elsewhere.
        penalty: f64 [in 0.0..=1e9] = 0.0,
        ..pose: GoalKeys,
    }

    /// Collisions and their penalty.
    pub struct CollisionKeys {
        /// Penalty per collision.
        penalty: f64 [in 0.0..=1e9] = 0.0,
        /// Time after a collision in which further contacts belong to it.
        buffer_s: f64 [in 0.0..=1e9] = 3.0,
        /// Names of robots, props, actors and structures whose contact is no collision.
        except: Vec<String> [name] = Vec::new(),
        /// Whether contact with the seabed is a collision.
        seabed: bool = true,
        /// Number of collisions with which the task of the robot ends. Default: no limit.
        limit: Option<u32> [positive],
    }

    /// Area that the robots must not leave.
    pub struct BoundaryKeys {
        /// Corners in the world (east, north).
        polygon_m: Vec<[f64; 2]> [not_empty],
        /// Lowest and highest z. Default: not limited.
        z_m: Option<[f64; 2]>,
        /// Penalty each time that a robot leaves the area.
        penalty: f64 [in 0.0..=1e9] = 0.0,
        /// Penalty per second outside of the area.
        penalty_per_s: f64 [in 0.0..=1e9] = 0.0,
        /// Whether the task of a robot that leaves the area ends.
        ends: bool = false,
    }

    /// A place on the water or below, with a heading or without.
    pub struct GoalKeys {
        /// Position in the world (east, north, up). Default: `latitude_deg` and `longitude_deg`.
        position_m: Option<[f64; 3]> [in -1e6..=1e6],
        /// Geodetic latitude (WGS84), instead of a position.
        latitude_deg: Option<f64> [in -90.0..=90.0],
        /// Longitude (WGS84), instead of a position.
        longitude_deg: Option<f64> [in -180.0..=180.0],
        /// Heading from east, counter-clockwise. Default: any heading.
        yaw_deg: Option<f64>,
    }

    /// An object, or a place that is fixed in the world.
    pub struct AnchorKeys {
        /// Name of a robot, prop, actor or structure.
        object: Option<String> [name],
        /// Position in the world (east, north, up); with an object, along its axes from its origin.
        position_m: Option<[f64; 3]> [in -1e6..=1e6],
    }

    /// A box with vertical sides.
    pub struct ZoneKeys {
        /// Centre in the world (east, north, up).
        position_m: [f64; 3] [in -1e6..=1e6],
        /// Edge lengths along its axes (forward, left, up).
        size_m: [f64; 3] [positive],
        /// Angle of its forward axis from east, counter-clockwise.
        yaw_deg: f64 = 0.0,
    }
}
