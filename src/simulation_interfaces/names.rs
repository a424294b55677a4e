//! Names of the services of `simulation_interfaces`.

use merrow_ros2::message::Service;
use merrow_ros2::msg::simulation_interfaces::*;

macro_rules! services {
    ($($name:literal $service:ident,)*) => {
        /// Names, without a prefix, and types of the services, for `describe`.
        pub const SERVICES: &[(&str, &str)] = &[$((concat!("/", $name), $service::TYPE)),*];
    };
}

services! {
    "delete_entity" DeleteEntity,
    "get_available_worlds" GetAvailableWorlds,
    "get_current_world" GetCurrentWorld,
    "get_entities" GetEntities,
    "get_entities_states" GetEntitiesStates,
    "get_entity_bounds" GetEntityBounds,
    "get_entity_info" GetEntityInfo,
    "get_entity_state" GetEntityState,
    "get_named_pose_bounds" GetNamedPoseBounds,
    "get_named_poses" GetNamedPoses,
    "get_simulation_state" GetSimulationState,
    "get_simulator_features" GetSimulatorFeatures,
    "get_spawnables" GetSpawnables,
    "load_world" LoadWorld,
    "reset_simulation" ResetSimulation,
    "set_entity_info" SetEntityInfo,
    "set_entity_state" SetEntityState,
    "set_simulation_state" SetSimulationState,
    "spawn_entities" SpawnEntities,
    "spawn_entity" SpawnEntityService,
    "step_simulation" StepSimulation,
    "unload_world" UnloadWorld,
}
