//! `simulation_interfaces` 2.1.0: messages of simulators.

pub use crate::msg::simulation_services::*;

use crate::action_type::ros_action;
use crate::message::ros_message;
use crate::msg::geometry_msgs::{Accel, Pose, Twist, Vector3};
use crate::msg::std_msgs::Header;

ros_message! {
    /// Outcome of a service. Codes above 100 belong to the service.
    pub struct ServiceResult("simulation_interfaces/msg/Result") {
        /// Code of the outcome.
        result: u8,
        /// Reason for a failure, as text for users.
        error_message: String,
    } consts {
        RESULT_FEATURE_UNSUPPORTED: u8 = 0,
        RESULT_OK: u8 = 1,
        RESULT_NOT_FOUND: u8 = 2,
        RESULT_INCORRECT_STATE: u8 = 3,
        RESULT_OPERATION_FAILED: u8 = 4,
    }

    /// Volume around or beside an object.
    pub struct Bounds("simulation_interfaces/msg/Bounds") {
        /// Type of the volume.
        r#type: u8,
        /// Upper and lower corner of a box, centre of a sphere and its radius as x, or the points
        /// of a convex hull \[m\].
        points: Vec<Vector3>,
    } consts {
        TYPE_EMPTY: u8 = 0,
        TYPE_BOX: u8 = 1,
        TYPE_CONVEX_HULL: u8 = 2,
        TYPE_SPHERE: u8 = 3,
    }

    /// Category of an entity.
    pub struct EntityCategory("simulation_interfaces/msg/EntityCategory") {
        /// Number of the category.
        category: u8,
    } consts {
        CATEGORY_OBJECT: u8 = 0,
        CATEGORY_ROBOT: u8 = 1,
        CATEGORY_HUMAN: u8 = 2,
        CATEGORY_DYNAMIC_OBJECT: u8 = 4,
        CATEGORY_STATIC_OBJECT: u8 = 5,
    }

    /// Selection of objects by tags.
    pub struct TagsFilter("simulation_interfaces/msg/TagsFilter") {
        /// Tags; empty: no filter.
        tags: Vec<String>,
        /// Whether any or all of the tags are required.
        filter_mode: u8,
    } consts {
        FILTER_MODE_ANY: u8 = 0,
        FILTER_MODE_ALL: u8 = 1,
    }

    /// Selection of entities. All filters apply together.
    pub struct EntityFilters("simulation_interfaces/msg/EntityFilters") {
        /// POSIX extended regular expression for the name; empty: all names.
        filter: String,
        /// Selected categories; empty: all.
        categories: Vec<EntityCategory>,
        /// Tags of the entities.
        tags: TagsFilter,
        /// Volume that the entities overlap, in the world frame.
        bounds: Bounds,
    }

    /// Category, description and tags of an entity.
    pub struct EntityInfo("simulation_interfaces/msg/EntityInfo") {
        /// Category of the entity.
        category: EntityCategory,
        /// Description as text for users.
        description: String,
        /// Tags of the entity.
        tags: Vec<String>,
    }

    /// True pose, twist and acceleration of an entity.
    pub struct EntityState("simulation_interfaces/msg/EntityState") {
        /// Time of the data, and frame in which they are expressed; empty: the world.
        header: Header,
        /// Pose of the entity in the frame \[m, unit quaternion\].
        pose: Pose,
        /// Velocity of the entity, expressed in the frame \[m/s, rad/s\].
        twist: Twist,
        /// Acceleration of the entity, expressed in the frame \[m/s², rad/s²\].
        acceleration: Accel,
    }

    /// Pose of the world that has a name.
    pub struct NamedPose("simulation_interfaces/msg/NamedPose") {
        /// Name of the pose.
        name: String,
        /// Description as text for users.
        description: String,
        /// Tags of the pose.
        tags: Vec<String>,
        /// Pose in the world \[m, unit quaternion\].
        pose: Pose,
    }

    /// Description of an object or a world.
    pub struct Resource("simulation_interfaces/msg/Resource") {
        /// Name, path or URI; empty: the text applies.
        uri: String,
        /// Content of the description.
        resource_string: String,
    }

    /// State of the simulator.
    pub struct SimulationState("simulation_interfaces/msg/SimulationState") {
        /// Number of the state.
        state: u8,
    } consts {
        STATE_STOPPED: u8 = 0,
        STATE_PLAYING: u8 = 1,
        STATE_PAUSED: u8 = 2,
        STATE_QUITTING: u8 = 3,
        STATE_NO_WORLD: u8 = 4,
        STATE_LOADING_WORLD: u8 = 5,
    }

    /// Supported features of the simulator.
    pub struct SimulatorFeatures("simulation_interfaces/msg/SimulatorFeatures") {
        /// Numbers of the features.
        features: Vec<u16>,
        /// Formats of descriptions of objects.
        spawn_formats: Vec<String>,
        /// Further information for users.
        custom_info: String,
    } consts {
        SPAWNING: u8 = 0,
        DELETING: u8 = 1,
        NAMED_POSES: u8 = 2,
        POSE_BOUNDS: u8 = 3,
        ENTITY_TAGS: u8 = 4,
        ENTITY_BOUNDS: u8 = 5,
        ENTITY_BOUNDS_BOX: u8 = 6,
        ENTITY_BOUNDS_CONVEX: u8 = 7,
        ENTITY_CATEGORIES: u8 = 8,
        SPAWNING_RESOURCE_STRING: u8 = 9,
        ENTITY_STATE_GETTING: u8 = 10,
        ENTITY_STATE_SETTING: u8 = 11,
        ENTITY_INFO_GETTING: u8 = 12,
        ENTITY_INFO_SETTING: u8 = 13,
        SPAWNABLES: u8 = 14,
        SIMULATION_RESET: u8 = 20,
        SIMULATION_RESET_TIME: u8 = 21,
        SIMULATION_RESET_STATE: u8 = 22,
        SIMULATION_RESET_SPAWNED: u8 = 23,
        SIMULATION_STATE_GETTING: u8 = 24,
        SIMULATION_STATE_SETTING: u8 = 25,
        SIMULATION_STATE_PAUSE: u8 = 26,
        STEP_SIMULATION_SINGLE: u8 = 31,
        STEP_SIMULATION_MULTIPLE: u8 = 32,
        STEP_SIMULATION_ACTION: u8 = 33,
        WORLD_LOADING: u8 = 40,
        WORLD_RESOURCE_STRING: u8 = 41,
        WORLD_TAGS: u8 = 42,
        WORLD_UNLOADING: u8 = 43,
        WORLD_INFO_GETTING: u8 = 44,
        AVAILABLE_WORLDS: u8 = 45,
        SPAWNING_ENTITIES: u8 = 50,
    }

    /// Description of an object that can be added.
    pub struct Spawnable("simulation_interfaces/msg/Spawnable") {
        /// Description of the object.
        entity_resource: Resource,
        /// Description as text for users.
        description: String,
        /// Volume that contains the object.
        spawn_bounds: Bounds,
    }

    /// A world that can be loaded.
    pub struct WorldResource("simulation_interfaces/msg/WorldResource") {
        /// Name of the world.
        name: String,
        /// Description of the world.
        world_resource: Resource,
        /// Description as text for users.
        description: String,
        /// Tags of the world.
        tags: Vec<String>,
    }
}

ros_action! {
    /// Makes steps of a paused simulation, with feedback.
    pub mod simulate_steps("simulation_interfaces/action/SimulateSteps") {
        goal {
            /// Number of steps to make.
            steps: u64,
        }
        result {
            /// Result of the request.
            result: ServiceResult,
        }
        feedback {
            /// Number of steps made.
            completed_steps: u64,
            /// Number of steps that are left.
            remaining_steps: u64,
        }
    }
}
