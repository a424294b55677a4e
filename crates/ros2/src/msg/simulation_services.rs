//! Services of `simulation_interfaces`.

use crate::message::{ros_message, ros_service};
use crate::msg::geometry_msgs::PoseStamped;
use crate::msg::simulation_interfaces::{
    Bounds, EntityFilters, EntityInfo, EntityState, NamedPose, Resource, ServiceResult,
    SimulationState, SimulatorFeatures, Spawnable, TagsFilter, WorldResource,
};

ros_service! {
    /// Removes an entity from the world.
    pub struct DeleteEntity("simulation_interfaces/srv/DeleteEntity") {
        request DeleteEntityRequest {
            /// Name of the entity.
            entity: String,
        }
        response DeleteEntityResponse {
            /// Result of the request.
            result: ServiceResult,
        }
    }

    /// Lists the worlds that can be loaded.
    pub struct GetAvailableWorlds("simulation_interfaces/srv/GetAvailableWorlds") {
        request GetAvailableWorldsRequest {
            /// Folders to search in addition.
            additional_sources: Vec<String>,
            /// Tags of the worlds.
            filter: TagsFilter,
            /// Whether only local worlds are listed.
            offline_only: bool,
            /// Whether a source that cannot be read is left out.
            continue_on_error: bool,
        }
        response GetAvailableWorldsResponse {
            /// Result of the request.
            result: ServiceResult,
            /// Worlds that can be loaded.
            worlds: Vec<WorldResource>,
        } consts {
            DEFAULT_SOURCES_FAILED: u8 = 101,
        }
    }

    /// Returns the loaded world.
    pub struct GetCurrentWorld("simulation_interfaces/srv/GetCurrentWorld") {
        request GetCurrentWorldRequest {}
        response GetCurrentWorldResponse {
            /// Result of the request.
            result: ServiceResult,
            /// World that is loaded.
            world: WorldResource,
        } consts {
            NO_WORLD_LOADED: u8 = 101,
        }
    }

    /// Lists the names of entities.
    pub struct GetEntities("simulation_interfaces/srv/GetEntities") {
        request GetEntitiesRequest {
            /// Selection of the entities.
            filters: EntityFilters,
        }
        response GetEntitiesResponse {
            /// Result of the request.
            result: ServiceResult,
            /// Names of the entities.
            entities: Vec<String>,
        }
    }

    /// Returns the states of entities.
    pub struct GetEntitiesStates("simulation_interfaces/srv/GetEntitiesStates") {
        request GetEntitiesStatesRequest {
            /// Selection of the entities.
            filters: EntityFilters,
        }
        response GetEntitiesStatesResponse {
            /// Result of the request.
            result: ServiceResult,
            /// Names of the entities.
            entities: Vec<String>,
            /// State of each entity.
            states: Vec<EntityState>,
        }
    }

    /// Returns the volume of an entity in its own frame.
    pub struct GetEntityBounds("simulation_interfaces/srv/GetEntityBounds") {
        request GetEntityBoundsRequest {
            /// Name of the entity.
            entity: String,
        }
        response GetEntityBoundsResponse {
            /// Result of the request.
            result: ServiceResult,
            /// Volume of the entity.
            bounds: Bounds,
        }
    }

    /// Returns category, description and tags of an entity.
    pub struct GetEntityInfo("simulation_interfaces/srv/GetEntityInfo") {
        request GetEntityInfoRequest {
            /// Name of the entity.
            entity: String,
        }
        response GetEntityInfoResponse {
            /// Result of the request.
            result: ServiceResult,
            /// Information about the entity.
            info: EntityInfo,
        }
    }

    /// Returns the state of an entity.
    pub struct GetEntityState("simulation_interfaces/srv/GetEntityState") {
        request GetEntityStateRequest {
            /// Name of the entity.
            entity: String,
        }
        response GetEntityStateResponse {
            /// Result of the request.
            result: ServiceResult,
            /// State of the entity.
            state: EntityState,
        }
    }

    /// Returns the free volume at a named pose.
    pub struct GetNamedPoseBounds("simulation_interfaces/srv/GetNamedPoseBounds") {
        request GetNamedPoseBoundsRequest {
            /// Name of the pose.
            name: String,
        }
        response GetNamedPoseBoundsResponse {
            /// Result of the request.
            result: ServiceResult,
            /// Volume at the pose.
            bounds: Bounds,
        }
    }

    /// Lists the named poses.
    pub struct GetNamedPoses("simulation_interfaces/srv/GetNamedPoses") {
        request GetNamedPosesRequest {
            /// Tags of the poses.
            tags: TagsFilter,
        }
        response GetNamedPosesResponse {
            /// Result of the request.
            result: ServiceResult,
            /// Poses of the world.
            poses: Vec<NamedPose>,
        }
    }

    /// Returns the state of the simulator.
    pub struct GetSimulationState("simulation_interfaces/srv/GetSimulationState") {
        request GetSimulationStateRequest {}
        response GetSimulationStateResponse {
            /// State of the simulator.
            state: SimulationState,
            /// Result of the request.
            result: ServiceResult,
        }
    }

    /// Returns the supported features.
    pub struct GetSimulatorFeatures("simulation_interfaces/srv/GetSimulatorFeatures") {
        request GetSimulatorFeaturesRequest {}
        response GetSimulatorFeaturesResponse {
            /// Features of the simulator.
            features: SimulatorFeatures,
        }
    }

    /// Lists the objects that can be added.
    pub struct GetSpawnables("simulation_interfaces/srv/GetSpawnables") {
        request GetSpawnablesRequest {
            /// Folders to search in addition.
            sources: Vec<String>,
        }
        response GetSpawnablesResponse {
            /// Result of the request.
            result: ServiceResult,
            /// Objects that can be added.
            spawnables: Vec<Spawnable>,
        }
    }

    /// Loads a world instead of the current one.
    pub struct LoadWorld("simulation_interfaces/srv/LoadWorld") {
        request LoadWorldRequest {
            /// Description of the world.
            world_resource: Resource,
            /// Whether an unsupported element is an error.
            fail_on_unsupported_element: bool,
            /// Whether missing meshes and images are ignored.
            ignore_missing_or_unsupported_assets: bool,
        }
        response LoadWorldResponse {
            /// Result of the request.
            result: ServiceResult,
            /// World that is loaded.
            world: WorldResource,
        } consts {
            UNSUPPORTED_FORMAT: u8 = 101,
            NO_RESOURCE: u8 = 102,
            RESOURCE_PARSE_ERROR: u8 = 103,
            MISSING_ASSETS: u8 = 104,
            UNSUPPORTED_ASSETS: u8 = 105,
            UNSUPPORTED_ELEMENTS: u8 = 106,
        }
    }

    /// Resets the simulation or parts of it.
    pub struct ResetSimulation("simulation_interfaces/srv/ResetSimulation") {
        request ResetSimulationRequest {
            /// Parts that are reset, as bits.
            scope: u8,
        } consts {
            SCOPE_DEFAULT: u8 = 0,
            SCOPE_TIME: u8 = 1,
            SCOPE_STATE: u8 = 2,
            SCOPE_SPAWNED: u8 = 4,
            SCOPE_ALL: u8 = 255,
        }
        response ResetSimulationResponse {
            /// Result of the request.
            result: ServiceResult,
        }
    }

    /// Sets category, description and tags of an entity.
    pub struct SetEntityInfo("simulation_interfaces/srv/SetEntityInfo") {
        request SetEntityInfoRequest {
            /// Name of the entity.
            entity: String,
            /// Information about the entity.
            info: EntityInfo,
        }
        response SetEntityInfoResponse {
            /// Result of the request.
            result: ServiceResult,
        }
    }

    /// Sets the state of an entity.
    pub struct SetEntityState("simulation_interfaces/srv/SetEntityState") {
        request SetEntityStateRequest {
            /// Name of the entity.
            entity: String,
            /// State to be set.
            state: EntityState,
            /// Whether the pose is set.
            set_pose: bool,
            /// Whether the twist is set.
            set_twist: bool,
            /// Whether the acceleration is set.
            set_acceleration: bool,
        }
        response SetEntityStateResponse {
            /// Result of the request.
            result: ServiceResult,
        } consts {
            INVALID_POSE: u8 = 101,
        }
    }

    /// Starts, pauses, stops or ends the simulation.
    pub struct SetSimulationState("simulation_interfaces/srv/SetSimulationState") {
        request SetSimulationStateRequest {
            /// State to be reached.
            state: SimulationState,
        }
        response SetSimulationStateResponse {
            /// Result of the request.
            result: ServiceResult,
        } consts {
            ALREADY_IN_TARGET_STATE: u8 = 101,
            STATE_TRANSITION_ERROR: u8 = 102,
            INCORRECT_TRANSITION: u8 = 103,
        }
    }

    /// Adds several entities at once.
    pub struct SpawnEntities("simulation_interfaces/srv/SpawnEntities") {
        request SpawnEntitiesRequest {
            /// Entities to be added.
            spawn_requests: Vec<SpawnEntity>,
        }
        response SpawnEntitiesResponse {
            /// Result of the request.
            result: ServiceResult,
            /// Outcome for each entity.
            results: Vec<SpawnResult>,
        } consts {
            ENTITIES_SPAWN_FAILED: u8 = 150,
        }
    }

    /// Makes steps of a paused simulation.
    pub struct StepSimulation("simulation_interfaces/srv/StepSimulation") {
        request StepSimulationRequest {
            /// Number of steps to make.
            steps: u64 = 1,
        }
        response StepSimulationResponse {
            /// Result of the request.
            result: ServiceResult,
        }
    }

    /// Unloads the current world.
    pub struct UnloadWorld("simulation_interfaces/srv/UnloadWorld") {
        request UnloadWorldRequest {}
        response UnloadWorldResponse {
            /// Result of the request.
            result: ServiceResult,
        } consts {
            NO_WORLD_LOADED: u8 = 101,
        }
    }
}

/// Declares the request and the outcome of adding one entity, which are messages and a service with
/// the same fields.
macro_rules! spawn_entity {
    ({ $($fields:tt)* } { $($result_fields:tt)* } { $($codes:tt)* }) => {
        ros_message! {
            /// Request to add one entity.
            pub struct SpawnEntity("simulation_interfaces/msg/SpawnEntity") { $($fields)* }

            /// Outcome of a request to add one entity.
            pub struct SpawnResult("simulation_interfaces/msg/SpawnResult") {
                $($result_fields)*
            } consts { $($codes)* }
        }

        ros_service! {
            /// Adds one entity. Deprecated: use `SpawnEntities`.
            pub struct SpawnEntityService("simulation_interfaces/srv/SpawnEntity") {
                request SpawnEntityRequest { $($fields)* }
                response SpawnEntityResponse { $($result_fields)* } consts { $($codes)* }
            }
        }
    };
}

spawn_entity! {
    {
        /// Name of the entity; empty: the name in its description.
        name: String,
        /// Whether another name is used if the name exists or is empty.
        allow_renaming: bool,
        /// Description of the entity.
        entity_resource: Resource,
        /// Namespace of its topics and services.
        entity_namespace: String,
        /// Pose of the entity in the frame of the header; no frame: the world.
        initial_pose: PoseStamped,
    }
    {
        /// Result of the request.
        result: ServiceResult,
        /// Name of the entity.
        entity_name: String,
    }
    {
        NAME_NOT_UNIQUE: u8 = 101,
        NAME_INVALID: u8 = 102,
        UNSUPPORTED_FORMAT: u8 = 103,
        NO_RESOURCE: u8 = 104,
        NAMESPACE_INVALID: u8 = 105,
        RESOURCE_PARSE_ERROR: u8 = 106,
        MISSING_ASSETS: u8 = 107,
        UNSUPPORTED_ASSETS: u8 = 108,
        INVALID_POSE: u8 = 109,
    }
}
