//! Service `GetSimulatorFeatures`.

use crate::simulation_interfaces::Connections;
use merrow_ros2::msg::simulation_interfaces::{
    GetSimulatorFeatures, GetSimulatorFeaturesResponse, SimulatorFeatures as F,
};
use merrow_ros2::node::{NodeError, Service};

/// Features that the node declares.
pub const FEATURES: [u8; 31] = [
    F::SPAWNING,
    F::DELETING,
    F::NAMED_POSES,
    F::POSE_BOUNDS,
    F::ENTITY_TAGS,
    F::ENTITY_BOUNDS,
    F::ENTITY_BOUNDS_BOX,
    F::ENTITY_BOUNDS_CONVEX,
    F::ENTITY_CATEGORIES,
    F::SPAWNING_RESOURCE_STRING,
    F::ENTITY_STATE_GETTING,
    F::ENTITY_STATE_SETTING,
    F::ENTITY_INFO_GETTING,
    F::ENTITY_INFO_SETTING,
    F::SPAWNABLES,
    F::SIMULATION_RESET,
    F::SIMULATION_RESET_STATE,
    F::SIMULATION_RESET_SPAWNED,
    F::SIMULATION_STATE_GETTING,
    F::SIMULATION_STATE_SETTING,
    F::SIMULATION_STATE_PAUSE,
    F::STEP_SIMULATION_SINGLE,
    F::STEP_SIMULATION_MULTIPLE,
    F::STEP_SIMULATION_ACTION,
    F::WORLD_LOADING,
    F::WORLD_RESOURCE_STRING,
    F::WORLD_TAGS,
    F::WORLD_UNLOADING,
    F::WORLD_INFO_GETTING,
    F::AVAILABLE_WORLDS,
    F::SPAWNING_ENTITIES,
];

/// Starts the service of this file.
pub(super) fn serve(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<GetSimulatorFeatures>(|_, _, caller| {
        let features = F {
            features: FEATURES.map(u16::from).to_vec(),
            spawn_formats: vec!["urdf".to_string(), "merrow_yaml".to_string()],
            custom_info: format!("Merrow {}", env!("CARGO_PKG_VERSION")),
        };
        caller.send(&GetSimulatorFeaturesResponse { features });
    })
}
