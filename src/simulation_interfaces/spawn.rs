//! Services that add and remove entities, and list the available entities.

use crate::node::world_editor::WorldEditor;
use crate::simulation_interfaces::entities::place_in;
use crate::simulation_interfaces::{
    Connections, Version, failure, no_entity, ok, outcome, version1,
};
use merrow_model::scene::Robot;
use merrow_model::state::RobotState;
use merrow_ros2::msg::geometry_msgs::PoseStamped;
use merrow_ros2::msg::simulation_interfaces::{
    Bounds, DeleteEntity, DeleteEntityResponse, GetSpawnables, GetSpawnablesResponse, Resource,
    ServiceResult, SpawnEntities, SpawnEntitiesResponse, SpawnEntity, SpawnEntityResponse,
    SpawnEntityService, SpawnResult, Spawnable,
};
use merrow_ros2::names::check_full_name;
use merrow_ros2::node::{NodeError, Service};
use merrow_sim::Simulation;
use merrow_world::document::{Resource as Description, ResourceError};
use merrow_world::{data_dir, is_name};
use std::collections::HashMap;

/// Starts the services of this file.
pub(super) fn serve(connections: &Connections) -> Result<Vec<Service>, NodeError> {
    Ok(vec![
        match connections.version {
            Version::One => version1::serve_spawn_entity(connections)?,
            Version::Two => serve_spawn_entity(connections)?,
        },
        serve_spawn_entities(connections)?,
        serve_delete_entity(connections)?,
        match connections.version {
            Version::One => version1::serve_get_spawnables(connections)?,
            Version::Two => serve_get_spawnables(connections)?,
        },
    ])
}

fn serve_spawn_entity(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<SpawnEntityService>("spawn_entity", |connections, request, answer| {
        let refusals = connections.refusals.clone();
        connections.editor.send(move |editor| {
            let SpawnResult {
                result,
                entity_name,
            } = spawn(
                editor,
                &SpawnEntity {
                    name: request.name,
                    allow_renaming: request.allow_renaming,
                    entity_resource: request.entity_resource,
                    entity_namespace: request.entity_namespace,
                    initial_pose: request.initial_pose,
                },
            );
            refusals.report_failure("spawn_entity", &result);
            answer.send(&SpawnEntityResponse {
                result,
                entity_name,
            });
        });
    })
}

fn serve_spawn_entities(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<SpawnEntities>("spawn_entities", |connections, request, answer| {
        let refusals = connections.refusals.clone();
        connections.editor.send(move |editor| {
            let requests = request.spawn_requests.iter();
            let results: Vec<SpawnResult> = requests.map(|one| spawn(editor, one)).collect();
            let is_ok = |one: &&SpawnResult| one.result.result == ServiceResult::RESULT_OK;
            let failed = results.len() - results.iter().filter(is_ok).count();
            let result = if failed == 0 {
                ok()
            } else {
                let why = format!("{failed} of {} entities were not added", results.len());
                failure(SpawnEntitiesResponse::ENTITIES_SPAWN_FAILED, why)
            };
            for one in &results {
                refusals.report_failure("spawn_entities", &one.result);
            }
            answer.send(&SpawnEntitiesResponse { result, results });
        });
    })
}

fn serve_delete_entity(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<DeleteEntity>("delete_entity", |connections, request, answer| {
        let refusals = connections.refusals.clone();
        connections.editor.send(move |editor| {
            let result = delete(editor, &request.entity);
            refusals.report_failure("delete_entity", &result);
            answer.send(&DeleteEntityResponse { result });
        });
    })
}

fn serve_get_spawnables(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<GetSpawnables>("get_spawnables", |_, request, answer| {
        let (result, spawnables) = spawnables(&request.sources);
        answer.send(&GetSpawnablesResponse { result, spawnables });
    })
}

/// Lists the bundled robots and props. Further sources are not supported.
pub(super) fn spawnables(sources: &[String]) -> (ServiceResult, Vec<Spawnable>) {
    let models = data_dir::bundled_models().into_iter();
    let spawnables = models.map(|model| Spawnable {
        entity_resource: Resource {
            uri: model.name,
            resource_string: String::new(),
        },
        description: model.description,
        spawn_bounds: Bounds::default(),
    });
    let mut result = ok();
    if !sources.is_empty() {
        let unknown: Vec<String> = sources.iter().map(|s| format!("{s:?}")).collect();
        let unknown = unknown.join(", ");
        result.error_message = format!("no source {unknown}; set MERROW_SHARE to add a folder");
    }
    (result, spawnables.collect())
}

/// Removes an entity from the world.
pub(super) fn delete(editor: &mut WorldEditor, name: &str) -> ServiceResult {
    match editor.document().without(name) {
        Err(_) => no_entity(name),
        Ok(document) => outcome(editor.change(document)),
    }
}

/// Adds one entity to the world.
pub(super) fn spawn(editor: &mut WorldEditor, request: &SpawnEntity) -> SpawnResult {
    let (result, entity_name) = match try_spawn(editor, request) {
        Ok(name) => (ok(), name),
        Err(result) => (result, String::new()),
    };
    SpawnResult {
        result,
        entity_name,
    }
}

fn try_spawn(editor: &mut WorldEditor, request: &SpawnEntity) -> Result<String, ServiceResult> {
    let Resource {
        uri,
        resource_string,
    } = &request.entity_resource;
    let description = editor.files().robot(uri, resource_string);
    let description = description.map_err(|why| failure(ServiceResult::RESULT_NOT_FOUND, why))?;
    let namespace = request.entity_namespace.trim_matches('/');
    if !namespace.is_empty() {
        check_full_name(&format!("/{namespace}"))
            .map_err(|why| failure(SpawnResult::NAMESPACE_INVALID, format!("namespace: {why}")))?;
    }
    let name = entity_name(editor, request, &description)?;
    let placement = {
        let PoseStamped { header, pose } = request.initial_pose.clone();
        let place = move |simulation: &mut merrow_sim::Simulation| {
            place_in(simulation, &header.frame_id, &pose)
        };
        let placed = editor.access(place).and_then(|placed| placed);
        placed.map_err(|why| failure(SpawnResult::INVALID_POSE, why))?
    };
    let document = editor.document();
    let document = document.with_robot(&name, namespace, &description, placement);
    let document = document.map_err(|why| resource_failure(&why))?;
    let mut simulation = editor.build(&document).map_err(|why| {
        let code = if why.contains(": no file ") {
            SpawnResult::MISSING_ASSETS
        } else {
            SpawnResult::RESOURCE_PARSE_ERROR
        };
        failure(code, why)
    })?;
    check_overlap(editor, &mut simulation, &name)?;
    let done = editor.continue_with(simulation, document, false);
    done.map_err(|why| failure(ServiceResult::RESULT_OPERATION_FAILED, why))?;
    Ok(name)
}

/// Maximum depth by which a new entity may overlap other bodies [m].
const OVERLAP_MAX_M: f64 = 0.01;

/// Checks that the new robot `name` overlaps no other body where the bodies are now.
fn check_overlap(
    editor: &WorldEditor,
    new: &mut Simulation,
    name: &str,
) -> Result<(), ServiceResult> {
    let invalid = |why: String| failure(SpawnResult::INVALID_POSE, why);
    let motions = editor.access(|simulation| {
        let robots = simulation.scene.robots.iter().zip(&simulation.state.robots);
        let motion =
            |(robot, state): (&Robot, &RobotState)| (robot.name.clone(), state.motion.clone());
        robots.map(motion).collect::<HashMap<_, _>>()
    });
    let motions = motions.map_err(invalid)?;
    for (robot, state) in new.scene.robots.iter().zip(&mut new.state.robots) {
        if let Some(motion) = motions.get(&robot.name) {
            state.motion.clone_from(motion);
        }
    }
    let robot = new.scene.robots.iter().position(|robot| robot.name == name);
    let overlap = robot.and_then(|robot| new.overlap(robot));
    match overlap.filter(|(_, depth)| *depth > OVERLAP_MAX_M) {
        None => Ok(()),
        Some((other, depth)) => Err(invalid(format!(
            "{name} is {depth:.2} m inside {other}; expected a free pose"
        ))),
    }
}

/// Returns the result for a description that cannot be used.
fn resource_failure(why: &ResourceError) -> ServiceResult {
    let code = match why {
        ResourceError::Missing => SpawnResult::NO_RESOURCE,
        ResourceError::NotFound(_) => ServiceResult::RESULT_NOT_FOUND,
        ResourceError::UnsupportedFormat(_) => SpawnResult::UNSUPPORTED_FORMAT,
        ResourceError::Malformed(_) => SpawnResult::RESOURCE_PARSE_ERROR,
    };
    failure(code, why.to_string())
}

/// Returns a name that no object has: the requested name, or with `allow_renaming` a similar name.
fn entity_name(
    editor: &WorldEditor,
    request: &SpawnEntity,
    description: &Description,
) -> Result<String, ServiceResult> {
    let own = description.own_name().unwrap_or_default();
    let requested = if request.name.is_empty() {
        own.as_str()
    } else {
        request.name.as_str()
    };
    let taken = |name: &str| {
        let scene = editor.scene();
        editor
            .document()
            .objects()
            .iter()
            .any(|object| object.name == name)
            || scene.tethers.iter().any(|tether| tether.name == name)
    };
    let is_valid = is_name(requested);
    if is_valid && !taken(requested) {
        return Ok(requested.to_string());
    }
    if request.allow_renaming {
        let base = if is_valid {
            requested.to_string()
        } else {
            valid_name(requested)
        };
        let numbered = (1..).map(|k| format!("{base}_{k}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        return names
            .find(|name| !taken(name))
            .ok_or_else(|| failure(SpawnResult::NAME_NOT_UNIQUE, "no free name"));
    }
    if is_valid {
        let why = format!("the name {requested:?} is taken; choose another, or set allow_renaming");
        return Err(failure(SpawnResult::NAME_NOT_UNIQUE, why));
    }
    let why = format!(
        "name: expected lowercase letters, digits and `_`, first a letter, found {requested:?}"
    );
    Err(failure(SpawnResult::NAME_INVALID, why))
}

/// Returns a lowercase name that resembles `name`; `entity` if `name` has no letter.
fn valid_name(name: &str) -> String {
    let replaced = name
        .to_ascii_lowercase()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let start = replaced.trim_start_matches(|c: char| !c.is_ascii_lowercase());
    if start.is_empty() {
        "entity".to_string()
    } else {
        start.to_string()
    }
}
