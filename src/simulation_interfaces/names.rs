//! Types and names of the services of `simulation_interfaces`.

use merrow_ros2::message::Service;
use merrow_ros2::msg::simulation_interfaces::{
    DeleteEntity, GetAvailableWorlds, GetCurrentWorld, GetEntities, GetEntitiesStates,
    GetEntityBounds, GetEntityInfo, GetEntityState, GetNamedPoseBounds, GetNamedPoses,
    GetSimulationState, GetSimulatorFeatures, GetSpawnables, LoadWorld, ResetSimulation,
    SetEntityInfo, SetEntityState, SetSimulationState, SpawnEntities, SpawnEntityService,
    StepSimulation, UnloadWorld,
};

macro_rules! types {
    ($($service:ident)*) => {
        /// Types of the services, sorted by name.
        const TYPES: &[&str] = &[$($service::TYPE),*];
    };
}
types! {
    DeleteEntity GetAvailableWorlds GetCurrentWorld GetEntities GetEntitiesStates GetEntityBounds
    GetEntityInfo GetEntityState GetNamedPoseBounds GetNamedPoses GetSimulationState
    GetSimulatorFeatures GetSpawnables LoadWorld ResetSimulation SetEntityInfo SetEntityState
    SetSimulationState SpawnEntities SpawnEntityService StepSimulation UnloadWorld
}

/// Returns the names, without a prefix, and the types of the services, for `describe`.
pub(crate) fn services() -> impl Iterator<Item = (String, &'static str)> {
    TYPES.iter().map(|kind| (format!("/{}", name(kind)), *kind))
}

/// Returns the name of the service of a type, without a prefix: the type in snake case.
pub(super) fn name(kind: &str) -> String {
    let mut name = String::new();
    for c in kind.rsplit('/').next().unwrap_or_default().chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}
