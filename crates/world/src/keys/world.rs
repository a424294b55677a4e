//! Keys of a world: time step, origin and seabed, and the components of the world.

use crate::context::GRAVITY;
use crate::keys::actor::ActorEntry;
use crate::keys::air::{AirConfig, WeatherConfig};
use crate::keys::comms::{BridgeEntry, ModemEntry};
use crate::keys::contact::{PropEntry, StructureConfig};
use crate::keys::coupling::CouplingConfig;
use crate::keys::energy::ChargerConfig;
use crate::keys::fault::FaultConfig;
use crate::keys::grid::GridConfig;
use crate::keys::robot::RobotEntry;
use crate::keys::schedule::ScheduledConfig;
use crate::keys::tether::TetherConfig;
use crate::keys::water::WaterConfig;
use crate::sensor::acoustic::BeaconEntry;
use crate::sensor::obstacle::ObstacleConfig;
use merrow_model::scene::map::OccupancyMap;
use merrow_model::scene::{Integrator, Material};
use merrow_model::sensor::ais::Ais;
use merrow_tasks::keys::TaskKeys;
use merrow_yaml::parameters::Parameters;
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;

/// Seed of a world that states none.
pub(crate) const DEFAULT_SEED: u64 = 1;

spec! {
    /// A world: the environment, its position on the Earth, and the robots in it.
    pub struct WorldConfig {
        /// Description of the world in one line.
        description: String = String::new(),
        /// Values with names. `$name` in place of a value of this file, or of a component that it
        /// names, is the value of the parameter `name`; `--set parameters.name=VALUE` changes it. A
        /// parameter with a description has the form `{value: 0.4, description: Speed of the tide}`.
        /// A value `{uniform: [low, high]}`, `{integer: [low, high]}`, `{normal: [mean, std]}`,
        /// `{choice: [...]}` or `{shuffle: [...]}` is drawn from the seed of the world.
        parameters: Parameters = Parameters::default(),
        /// Seed of all random numbers.
        seed: u64 = DEFAULT_SEED,
        /// Simulated time at which the run starts, rounded to a whole number of steps. Waves,
        /// tides, gusts, the time of day, routes, faults and sensors continue from this time, and
        /// earlier entries of `schedule` are not applied. A saved world has this key.
        start_time_s: f64 [in 0.0..=1e9] = 0.0,
        /// Time step and integrator.
        step: StepConfig => "{}",
        /// Acceleration of gravity, downwards.
        gravity_m_s2: f64 [non_negative] = GRAVITY,
        /// Position of the origin of the world frame on the Earth.
        origin: OriginConfig => "{}",
        /// Water: density, sound, light, currents, tide and waves.
        water: WaterConfig => "{}",
        /// Seabed: a plane or terrain, and its surface.
        seabed: SeabedConfig => "{}",
        /// Air: wind profile and gusts, constant during a run.
        air: AirConfig => "{}",
        /// Weather at the start of the run.
        weather: WeatherConfig => "{}",
        /// The robots, by name.
        robots: NamedMap<RobotEntry>,
        /// Free-floating objects without actuators and sensors, by name.
        props: NamedMap<PropEntry> = NamedMap::default(),
        /// Objects that move along a route by themselves, by name.
        actors: NamedMap<ActorEntry> = NamedMap::default(),
        /// Static structures with collision shapes, by name.
        structures: NamedMap<StructureConfig> = NamedMap::default(),
        /// Couplings that join two bodies permanently or on demand, by name.
        couplings: NamedMap<CouplingConfig> = NamedMap::default(),
        /// Battery chargers, by name.
        chargers: NamedMap<ChargerConfig> = NamedMap::default(),
        /// Tethers and mooring lines, by name.
        tethers: NamedMap<TetherConfig> = NamedMap::default(),
        /// Scheduled faults, by name.
        faults: NamedMap<FaultConfig> = NamedMap::default(),
        /// Commands and changes of the environment at given times, by name.
        schedule: NamedMap<ScheduledConfig> = NamedMap::default(),
        /// Acoustic beacons for positioning, by name.
        beacons: NamedMap<BeaconEntry> = NamedMap::default(),
        /// Modems at fixed places, such as a shore station, by name.
        modems: NamedMap<ModemEntry> = NamedMap::default(),
        /// Addresses of modems without the key `address`, by the names of the modems, such as
        /// `rov/acoustic`. A saved world has them, so that its modems keep their addresses.
        modem_addresses: NamedMap<u32> [frame, in 0.0..=65534.0] = NamedMap::default(),
        /// Topics and services that cross between robots over modems, by name.
        bridges: NamedMap<BridgeEntry> = NamedMap::default(),
        /// Boxes reported by obstacle detectors that process no echoes, by name.
        obstacles: NamedMap<ObstacleConfig> = NamedMap::default(),
        /// Transponders of the Automatic Identification System (AIS), by name.
        ais: NamedMap<Ais> = NamedMap::default(),
        /// What the robots have to do, and how they are scored. Default: no task.
        task: Option<TaskKeys>,
        /// Occupancy grid that the node publishes as `map` for planners. Default: none.
        map: Option<OccupancyMap>,
        /// Poses for spawning and as goals, by name, for the services of `simulation_interfaces`.
        named_poses: NamedMap<NamedPoseConfig> = NamedMap::default(),
        /// Tags reported by the services of `simulation_interfaces`.
        tags: Vec<String> = Vec::new(),
    }

    /// Pose with a name, and the free space around it.
    pub struct NamedPoseConfig {
        /// Description of the pose.
        description: String = String::new(),
        /// Tags of the pose, such as `spawn` or `goal`.
        tags: Vec<String> = Vec::new(),
        /// Position in the world (east, north, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw relative to the world. Yaw is measured from east, counter-clockwise.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Edge lengths of the free box around the pose, along its axes. Default: not limited.
        free_size_m: Option<[f64; 3]> [positive],
    }

    /// Time step and integrator.
    pub struct StepConfig {
        /// Length of a time step.
        dt_s: f64 [in 1e-6..=0.1] = 0.002,
        /// Integrator of the equations of motion.
        integrator: Integrator = Integrator::Rk4,
    }

    /// Position of the origin of the world frame (east, north, up; z = 0 at mean sea level) on the
    /// Earth.
    pub struct OriginConfig {
        /// Geodetic latitude of the origin (WGS84), positive to the north.
        latitude_deg: f64 [in -90.0..=90.0] = 36.6284333,
        /// Longitude of the origin (WGS84), positive to the east.
        longitude_deg: f64 [in -180.0..=180.0] = -121.9119833,
        /// Height of mean sea level above the WGS84 ellipsoid.
        altitude_m: f64 [in -500.0..=9000.0] = 0.0,
        /// Magnetic flux density (east, north, up). Default: the World Magnetic Model 2025 at the
        /// origin at `start_utc` of the weather (by default 2026-03-20), constant during the run.
        /// Dates before 2025 or after 2029 use the nearer end of that period.
        magnetic_field_nt: Option<[f64; 3]>,
    }

    /// Seabed: a plane or terrain.
    pub struct SeabedConfig {
        /// Depth of the plane below z = 0 at the origin. Waves and the tide also use this depth.
        /// With `terrain` they use its depth at the origin or, if the origin is on land, its mean
        /// depth.
        depth_m: f64 [positive] = 100.0,
        /// Rise of the plane per metre towards east and towards north.
        slope_east_north: [f64; 2] = [0.0, 0.0],
        /// Heights of the seabed [m] (z, up) on an evenly spaced grid, instead of the plane.
        terrain: Option<GridConfig>,
        /// Surface properties of the seabed for contacts, lasers, cameras and sonars.
        material: Material => "{}",
    }
}
