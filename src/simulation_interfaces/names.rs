//! Names of the services of `simulation_interfaces`.

/// Names, without a prefix, and types of the services, for `describe`.
pub const SERVICES: [(&str, &str); 22] = [
    ("/delete_entity", "simulation_interfaces/srv/DeleteEntity"),
    (
        "/get_available_worlds",
        "simulation_interfaces/srv/GetAvailableWorlds",
    ),
    (
        "/get_current_world",
        "simulation_interfaces/srv/GetCurrentWorld",
    ),
    ("/get_entities", "simulation_interfaces/srv/GetEntities"),
    (
        "/get_entities_states",
        "simulation_interfaces/srv/GetEntitiesStates",
    ),
    (
        "/get_entity_bounds",
        "simulation_interfaces/srv/GetEntityBounds",
    ),
    (
        "/get_entity_info",
        "simulation_interfaces/srv/GetEntityInfo",
    ),
    (
        "/get_entity_state",
        "simulation_interfaces/srv/GetEntityState",
    ),
    (
        "/get_named_pose_bounds",
        "simulation_interfaces/srv/GetNamedPoseBounds",
    ),
    (
        "/get_named_poses",
        "simulation_interfaces/srv/GetNamedPoses",
    ),
    (
        "/get_simulation_state",
        "simulation_interfaces/srv/GetSimulationState",
    ),
    (
        "/get_simulator_features",
        "simulation_interfaces/srv/GetSimulatorFeatures",
    ),
    ("/get_spawnables", "simulation_interfaces/srv/GetSpawnables"),
    ("/load_world", "simulation_interfaces/srv/LoadWorld"),
    (
        "/reset_simulation",
        "simulation_interfaces/srv/ResetSimulation",
    ),
    (
        "/set_entity_info",
        "simulation_interfaces/srv/SetEntityInfo",
    ),
    (
        "/set_entity_state",
        "simulation_interfaces/srv/SetEntityState",
    ),
    (
        "/set_simulation_state",
        "simulation_interfaces/srv/SetSimulationState",
    ),
    ("/spawn_entities", "simulation_interfaces/srv/SpawnEntities"),
    ("/spawn_entity", "simulation_interfaces/srv/SpawnEntity"),
    (
        "/step_simulation",
        "simulation_interfaces/srv/StepSimulation",
    ),
    ("/unload_world", "simulation_interfaces/srv/UnloadWorld"),
];
