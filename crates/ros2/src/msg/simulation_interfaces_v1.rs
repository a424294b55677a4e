//! Types of `simulation_interfaces` 1.x that differ from version 2, as in Humble (1.4) and Jazzy
//! (1.5). The result codes agree with version 2.

use crate::message::{ros_message, ros_service};
use crate::msg::geometry_msgs::PoseStamped;
use crate::msg::simulation_interfaces::{Bounds, EntityState, ServiceResult, WorldResource};

ros_message! {
    /// Description of an object that can be added.
    pub struct Spawnable("simulation_interfaces/msg/Spawnable") {
        /// Name, path or URI of the object.
        uri: String,
        /// Description as text for users.
        description: String,
        /// Volume that contains the object.
        spawn_bounds: Bounds,
    }
}

ros_service! {
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

    /// Adds one entity to the world.
    pub struct SpawnEntityService("simulation_interfaces/srv/SpawnEntity") {
        request SpawnEntityRequest {
            /// Name of the entity; empty: the name in its description.
            name: String,
            /// Whether another name is used if the name exists or is empty.
            allow_renaming: bool,
            /// Name, path or URI of the description; empty: the text applies.
            uri: String,
            /// Content of the description.
            resource_string: String,
            /// Namespace of its topics and services.
            entity_namespace: String,
            /// Pose of the entity in the frame of the header; no frame: the world.
            initial_pose: PoseStamped,
        }
        response SpawnEntityResponse {
            /// Result of the request.
            result: ServiceResult,
            /// Name of the entity.
            entity_name: String,
        }
    }

    /// Loads a world instead of the current one.
    pub struct LoadWorld("simulation_interfaces/srv/LoadWorld") {
        request LoadWorldRequest {
            /// Name, path or URI of the world; empty: the text applies.
            uri: String,
            /// Content of the world.
            resource_string: String,
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
        }
    }

    /// Sets pose and twist of an entity.
    pub struct SetEntityState("simulation_interfaces/srv/SetEntityState") {
        request SetEntityStateRequest {
            /// Name of the entity.
            entity: String,
            /// State to be set.
            state: EntityState,
        }
        response SetEntityStateResponse {
            /// Result of the request.
            result: ServiceResult,
        }
    }
}
