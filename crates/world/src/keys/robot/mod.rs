//! Keys of a robot model and of its position in the world.

pub mod autopilot;
pub mod body;
pub mod computer;
pub mod fin;
pub mod firmware;
pub mod hull;
pub mod joint;
pub mod servo;
pub mod thruster;

use crate::keys::comms::ModemEntry;
use crate::keys::energy::{ElectricalLoadConfig, SolarConfig};
use crate::keys::robot::autopilot::{AutopilotConfig, MavlinkConfig};
use crate::keys::robot::body::BodyConfig;
use crate::keys::robot::computer::ComputerConfig;
use crate::keys::robot::fin::FinConfig;
use crate::keys::robot::firmware::FirmwareConfig;
use crate::keys::robot::joint::JointConfig;
use crate::keys::robot::servo::KeepOutConfig;
use crate::keys::robot::thruster::{BuoyancyEngineConfig, ThrusterConfig};
use crate::keys::urdf::HydrodynamicsConfig;
use crate::sensor::SensorConfig;
use crate::sensor::camera::LampConfig;
use merrow_model::scene::Battery;
use merrow_model::scene::moos::Moos;
use merrow_model::scene::robot::actuator::TrajectoryRules;
use merrow_model::scene::robot::profile::Profile;
use merrow_model::scene::serial::SerialFeed;
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;

spec! {
    /// A robot, or a grid of copies of it.
    pub struct RobotEntry {
        /// Robot model: a name in `params/robots`, a file, or a map with `extends` and overrides.
        model: RobotModelConfig,
        /// Position of the origin of the base link in the world (east, north, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Roll, pitch and yaw of the base link (x forward, y left, z up) relative to the world.
        /// Yaw is measured from east, counter-clockwise.
        attitude_deg: [f64; 3] = [0.0, 0.0, 0.0],
        /// Linear velocity of the base link at the start, in the base frame (forward, left, up).
        velocity_m_s: [f64; 3] = [0.0, 0.0, 0.0],
        /// Angular velocity of the base link at the start, in the base frame (forward, left, up).
        angular_velocity_rad_s: [f64; 3] = [0.0, 0.0, 0.0],
        /// Joint positions at the start [rad, or m for a prismatic joint], by joint name. Joints
        /// that are not listed start at 0.
        joint_positions: NamedMap<f64> [frame] = NamedMap::default(),
        /// Joint velocities at the start [rad/s, or m/s for a prismatic joint], by joint name.
        /// Joints that are not listed start at rest.
        joint_velocities: NamedMap<f64> [frame] = NamedMap::default(),
        /// State of charge of the battery at the start. Default: the value in the battery file.
        initial_charge: Option<f64> [fraction],
        /// Makes a grid of copies named `<name>_0`, `<name>_1` and so on.
        repeat: Option<RepeatConfig>,
        /// Description of this robot. Empty: description of the model.
        description: String = String::new(),
        /// Namespace of its topics and services, before the name of the robot. Empty: namespace of
        /// the node.
        namespace: String = String::new(),
        /// Simulator whose topic names, units and frames the robot has. Default: Merrow's own.
        profile: Option<Profile>,
        /// MAVLink telemetry to a ground station. Default: none.
        mavlink: Option<MavlinkConfig>,
        /// Community of MOOS whose programs control this robot. Default: none.
        moos: Option<Moos>,
        /// Serial line of its own computer, over which another one reads its navigation and commands its
        /// firmware. Default: none.
        serial: Option<SerialFeed>,
        /// Category reported by the services of `simulation_interfaces`.
        category: Category = Category::Robot,
        /// Tags reported by the services of `simulation_interfaces`.
        tags: Vec<String> = Vec::new(),
    }

    /// Category of an object for the services of `simulation_interfaces`.
    pub enum Category words {
        /// Object of another type.
        Object = "object",
        /// Robot of any type.
        Robot = "robot",
        /// Human, such as a swimmer.
        Human = "human",
        /// Object that moves, such as a ship or debris.
        DynamicObject = "dynamic_object",
        /// Object that does not move.
        StaticObject = "static_object",
    }

    /// A grid of copies. The index increases along east first, then north, then up.
    pub struct RepeatConfig {
        /// Number of copies along east, north and up.
        count: [u32; 3] [in 1.0..=10000.0],
        /// Distance between copies along east, north and up.
        spacing_m: [f64; 3],
        /// Names of the copies that are left out.
        except: Vec<String> = Vec::new(),
        /// Copies with another start, by name.
        starts: NamedMap<StartConfig> = NamedMap::default(),
    }

    /// Start and labels of one copy. Keys that are left out have the values of the grid.
    pub struct StartConfig {
        /// Position of the origin of the base link in the world (east, north, up).
        position_m: Option<[f64; 3]>,
        /// Roll, pitch and yaw of the base link relative to the world.
        attitude_deg: Option<[f64; 3]>,
        /// Linear velocity of the base link, in the base frame (forward, left, up).
        velocity_m_s: Option<[f64; 3]>,
        /// Angular velocity of the base link, in the base frame (forward, left, up).
        angular_velocity_rad_s: Option<[f64; 3]>,
        /// Joint positions [rad, or m for a prismatic joint], by joint name.
        joint_positions: NamedMap<f64> [frame] = NamedMap::default(),
        /// Joint velocities [rad/s, or m/s for a prismatic joint], by joint name.
        joint_velocities: NamedMap<f64> [frame] = NamedMap::default(),
        /// State of charge of the battery at the start. Default: the value in the battery file.
        initial_charge: Option<f64> [fraction],
        /// Description reported by the services of `simulation_interfaces`.
        description: Option<String>,
        /// Category reported by the services of `simulation_interfaces`.
        category: Option<Category>,
        /// Tags reported by the services of `simulation_interfaces`.
        tags: Option<Vec<String>>,
    }

    /// Links, actuators, sensors and other components of a robot.
    pub struct RobotModelConfig {
        /// Description of the robot.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Reason why the robot does not keep its course under equal thrust without control. Empty:
        /// it keeps its course.
        unstable_course: String = String::new(),
        /// URDF with links, joints and shapes: a file, or the XML text itself. Keys of this model
        /// override its contents.
        urdf: Option<String> [not_empty],
        /// Hydrodynamics of the links of the URDF: a name in `params/hydrodynamics`, a file, or a
        /// map.
        hydrodynamics: HydrodynamicsConfig => "{}",
        /// Whether the base moves freely or is fixed in the world.
        base: Base = Base::Floating,
        /// Height of the origin above the seabed where the live view adds the model. Default: it is
        /// added at the water level, or where the pointer is.
        height_above_seabed_m: Option<f64>,
        /// Name of the base link of a robot unless its file or URDF names it differently.
        root: String [frame] = crate::keys::BASE_LINK.to_string(),
        /// Body of the base link: a name in `params/bodies`, a file, or a map.
        body: BodyConfig,
        /// Further links by name, each after its parent.
        links: NamedMap<LinkConfig> [frame] = NamedMap::default(),
        /// Links for which the total contact wrench is published.
        contact_wrenches: Vec<String> = Vec::new(),
        /// Whether links of this robot that are not neighbours can touch each other.
        self_collision: bool = false,
        /// Groups of joints that are commanded together, by group name. Default: one group `arm`
        /// with all moving joints.
        joint_groups: NamedMap<Vec<String>> = NamedMap::default(),
        /// Tolerances and rules for joint trajectories and grippers.
        trajectories: TrajectoryRules => "{}",
        /// Boxes that the arm controller prevents the arms from entering. Default: none.
        keep_out: Option<KeepOutConfig>,
        /// Thrusters of the robot, by name.
        thrusters: NamedMap<ThrusterConfig> = NamedMap::default(),
        /// Fins, rudders, hydroplanes and sails, by name.
        fins: NamedMap<FinConfig> [frame] = NamedMap::default(),
        /// Buoyancy engines, by name.
        buoyancy_engines: NamedMap<BuoyancyEngineConfig> [frame] = NamedMap::default(),
        /// Time without a command after which the thrusters stop. Default: the last command is
        /// held.
        command_timeout_s: Option<f64> [positive],
        /// Sensors of the robot, by name.
        sensors: NamedMap<SensorConfig> = NamedMap::default(),
        /// Modems of the robot, by name.
        modems: NamedMap<ModemEntry> = NamedMap::default(),
        /// Battery: a name in `params/batteries`, a file, or a map. Default: none.
        battery: Option<Battery>,
        /// Electrical loads such as computers and lights, by name.
        loads: NamedMap<ElectricalLoadConfig> = NamedMap::default(),
        /// Lamps that light the scene for cameras, by name.
        lamps: NamedMap<LampConfig> = NamedMap::default(),
        /// Solar panels, by name.
        solar_panels: NamedMap<SolarConfig> = NamedMap::default(),
        /// Firmware of the on-board computer: a name in `params/firmware`, a file, or a map.
        /// Default: none.
        firmware: Option<FirmwareConfig>,
        /// Computers whose processor time delays sensors, commands and firmware, by name. Default:
        /// software takes no time.
        computers: NamedMap<ComputerConfig> = NamedMap::default(),
        /// External autopilot program that controls the robot.
        autopilot: Option<AutopilotConfig>,
    }

    /// Mounting of the base link.
    pub enum Base words {
        /// The base moves freely.
        Floating = "floating",
        /// The base is fixed in the world.
        Fixed = "fixed",
    }

    /// A link and the joint that connects it to its parent.
    pub struct LinkConfig {
        /// Name of the parent link; `base_link` is the base.
        parent: String [frame],
        /// Joint between this link and its parent.
        joint: JointConfig,
        /// Body of the link: a name in `params/bodies`, a file, or a map. Without a body the link
        /// is a frame fixed to its parent.
        body: Option<BodyConfig>,
    }
}
