//! Services of `simulation_interfaces` 1.x whose types differ from version 2.

use crate::simulation_interfaces::{Connections, entities, spawn, worlds};
use merrow_ros2::msg::simulation_interfaces as v2;
use merrow_ros2::msg::simulation_interfaces::Resource;
use merrow_ros2::msg::simulation_interfaces_v1::{
    GetSpawnables, GetSpawnablesResponse, LoadWorld, LoadWorldResponse, SetEntityState,
    SetEntityStateResponse, SpawnEntity, SpawnEntityResponse, Spawnable,
};
use merrow_ros2::node::{NodeError, Service};

/// Starts the service `SpawnEntity`.
pub(super) fn serve_spawn_entity(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<SpawnEntity>("spawn_entity", |connections, request, answer| {
        let refusals = connections.refusals.clone();
        connections.editor.send(move |editor| {
            let spawned = spawn::spawn(
                editor,
                &v2::SpawnEntity {
                    name: request.name,
                    allow_renaming: request.allow_renaming,
                    entity_resource: Resource {
                        uri: request.uri,
                        resource_string: request.resource_string,
                    },
                    entity_namespace: request.entity_namespace,
                    initial_pose: request.initial_pose,
                },
            );
            refusals.report_failure("spawn_entity", &spawned.result);
            answer.send(&SpawnEntityResponse {
                result: spawned.result,
                entity_name: spawned.entity_name,
            });
        });
    })
}

/// Starts the service `GetSpawnables`.
pub(super) fn serve_get_spawnables(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<GetSpawnables>("get_spawnables", |_, request, answer| {
        let (result, spawnables) = spawn::spawnables(&request.sources);
        let spawnable = |one: v2::Spawnable| Spawnable {
            uri: one.entity_resource.uri,
            description: one.description,
            spawn_bounds: one.spawn_bounds,
        };
        answer.send(&GetSpawnablesResponse {
            result,
            spawnables: spawnables.into_iter().map(spawnable).collect(),
        });
    })
}

/// Starts `SetEntityState`, which sets pose and twist.
pub(super) fn serve_set_entity_state(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<SetEntityState>("set_entity_state", |connections, request, answer| {
        let request = v2::SetEntityStateRequest {
            entity: request.entity,
            state: request.state,
            set_pose: true,
            set_twist: true,
            set_acceleration: false,
        };
        entities::set_entity_state(connections, request, move |result| {
            answer.send(&SetEntityStateResponse { result });
        });
    })
}

/// Starts the service `LoadWorld`.
pub(super) fn serve_load_world(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<LoadWorld>("load_world", |connections, request, answer| {
        let request = v2::LoadWorldRequest {
            world_resource: Resource {
                uri: request.uri,
                resource_string: request.resource_string,
            },
            fail_on_unsupported_element: request.fail_on_unsupported_element,
            ignore_missing_or_unsupported_assets: request.ignore_missing_or_unsupported_assets,
        };
        worlds::load_world(connections, request, move |result, world| {
            answer.send(&LoadWorldResponse { result, world });
        });
    })
}
