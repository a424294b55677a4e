//! Services that add and remove entities, and list the available entities.

use crate::node::world_editor::WorldEditor;
use crate::simulation_interfaces::entities::{place_in, pose_to_world};
use crate::simulation_interfaces::{Connections, done, failed, failure, no_entity};
use merrow_ros2::msg::geometry_msgs::PoseStamped;
use merrow_ros2::msg::simulation_interfaces::{
    Bounds, DeleteEntity, GetSpawnables, GetSpawnablesResponse, Resource, ServiceResult,
    SpawnEntities, SpawnEntitiesResponse, SpawnEntity, SpawnEntityResponse, SpawnEntityService,
    SpawnResult, Spawnable,
};
use merrow_ros2::msg::{Outcome, simulation_interfaces_v1 as v1};
use merrow_ros2::names::check_full_name;
use merrow_ros2::node::{NodeError, Service};
use merrow_sim::Simulation;
use merrow_world::build::robot::names::LENGTH_MAX;
use merrow_world::document::{Document, Placement, Resource as Description, ResourceError};
use merrow_world::{catalogue, is_name};
use merrow_yaml::error::quote;
use std::collections::HashSet;

/// Starts the services of this file.
pub(super) fn serve(connections: &Connections) -> Result<Vec<Service>, NodeError> {
    Ok(vec![
        connections.serve_edit::<SpawnEntityService>(true, |editor, request| {
            let request = SpawnEntity {
                name: request.name,
                allow_renaming: request.allow_renaming,
                entity_resource: request.entity_resource,
                entity_namespace: request.entity_namespace,
                initial_pose: request.initial_pose,
            };
            let entity_name = spawn(editor, &request)?;
            Ok(SpawnEntityResponse {
                entity_name,
                ..done()
            })
        })?,
        connections.serve::<SpawnEntities>(|connections, request, caller| {
            let own = connections.clone();
            connections.editor.send(move |editor| {
                caller.send(&spawn_entities(&own, editor, &request.spawn_requests));
            });
        })?,
        connections.serve_edit::<DeleteEntity>(true, |editor, request| {
            delete(editor, &request.entity).map(|()| done())
        })?,
        serve_get_spawnables(connections)?,
    ])
}

/// Starts `GetSpawnables`, which lists the bundled robots and props. Further sources are not
/// supported.
fn serve_get_spawnables(connections: &Connections) -> Result<Service, NodeError> {
    if !connections.has_version1 {
        return connections.serve::<GetSpawnables>(|_, request, caller| {
            let spawnable = |(uri, description): (String, _)| Spawnable {
                entity_resource: Resource {
                    uri,
                    resource_string: String::new(),
                },
                description,
                spawn_bounds: Bounds::default(),
            };
            caller.send(&GetSpawnablesResponse {
                spawnables: spawnables().map(spawnable).collect(),
                ..Outcome::of(listed(&request.sources))
            });
        });
    }
    connections.serve::<v1::GetSpawnables>(|_, request, caller| {
        let spawnable = |(uri, description)| v1::Spawnable {
            uri,
            description,
            spawn_bounds: Bounds::default(),
        };
        caller.send(&v1::GetSpawnablesResponse {
            spawnables: spawnables().map(spawnable).collect(),
            ..Outcome::of(listed(&request.sources))
        });
    })
}

/// Returns the names and the descriptions of the bundled robots and props.
fn spawnables() -> impl Iterator<Item = (String, String)> {
    let models = catalogue::bundled_models().into_iter();
    models.map(|model| (model.name, model.description))
}

/// Returns the result of a list of spawnables, with the sources that are unknown.
fn listed(sources: &[String]) -> ServiceResult {
    let unknown: Vec<String> = sources.iter().map(|s| format!("{s:?}")).collect();
    let text = match unknown.is_empty() {
        true => String::new(),
        false => format!(
            "no source {}; set MERROW_SHARE to add a folder",
            unknown.join(", ")
        ),
    };
    Ok(text).into()
}

/// Removes an entity from the world.
pub(super) fn delete(editor: &mut WorldEditor, name: &str) -> Result<(), ServiceResult> {
    let changed = editor.document().without(name);
    let document = changed.map_err(|_| no_entity(name))?;
    editor.change(document).map_err(failed)
}

/// Adds one entity to the world and returns its name.
pub(super) fn spawn(
    editor: &mut WorldEditor,
    request: &SpawnEntity,
) -> Result<String, ServiceResult> {
    spawn_all(editor, std::slice::from_ref(request)).remove(0)
}

/// Adds entities to the world, and reports those that cannot be added.
fn spawn_entities(
    connections: &Connections,
    editor: &mut WorldEditor,
    requests: &[SpawnEntity],
) -> SpawnEntitiesResponse {
    let mut failures = 0;
    let mut result = |added| match added {
        Ok(entity_name) => SpawnResult {
            result: Ok(String::new()).into(),
            entity_name,
        },
        Err(result) => {
            let result: ServiceResult = result;
            connections.report("spawn_entities", &result.error_message);
            failures += 1;
            SpawnResult {
                result,
                ..SpawnResult::default()
            }
        }
    };
    let all = spawn_all(editor, requests).into_iter();
    let results: Vec<SpawnResult> = all.map(&mut result).collect();
    let result = match failures {
        0 => Ok(String::new()).into(),
        _ => {
            let why = format!("{failures} of {} entities were not added", results.len());
            failure(SpawnEntitiesResponse::ENTITIES_SPAWN_FAILED, why)
        }
    };
    SpawnEntitiesResponse { result, results }
}

/// Robot of a request that is added to the world.
struct Addition {
    /// Index of the request.
    request: usize,
    name: String,
    namespace: String,
    description: Description,
    placement: Placement,
}

/// Adds entities to the world, which is built once for all of them. An entity that cannot be added
/// does not prevent the others. Returns their names.
fn spawn_all(
    editor: &mut WorldEditor,
    requests: &[SpawnEntity],
) -> Vec<Result<String, ServiceResult>> {
    let poses: Vec<_> = requests
        .iter()
        .map(|request| request.initial_pose.clone())
        .collect();
    let place = move |simulation: &mut Simulation| -> Vec<_> {
        let placed = |PoseStamped { header, pose }: &PoseStamped| {
            place_in(simulation, &header.frame_id, pose)
        };
        poses.iter().map(placed).collect()
    };
    let placements = editor.access(place);
    let mut additions: Vec<Addition> = Vec::new();
    let mut results = Vec::new();
    for (k, request) in requests.iter().enumerate() {
        let PoseStamped { header, pose } = &request.initial_pose;
        let frame = additions.iter().find(|a| a.name == header.frame_id);
        let placement = match (frame, &placements) {
            (Some(frame), _) => pose_to_world(pose, &frame.placement),
            (None, Ok(placements)) => placements[k].clone(),
            (None, Err(why)) => Err(why.clone()),
        };
        let prepared = prepare(editor, &additions, request, placement);
        results.push(prepared.map(|addition| {
            let name = addition.name.clone();
            additions.push(Addition {
                request: k,
                ..addition
            });
            name
        }));
    }
    let mut refuse = |k: usize, result: ServiceResult| results[k] = Err(result);
    let base = editor.document().clone();
    if let Some(mut built) = build(editor, &base, additions, &mut refuse) {
        let all = built.additions.len();
        check_overlaps(editor, &mut built, &mut refuse);
        let rest = match built.additions.len() {
            0 => None,
            left if left == all => Some(built),
            _ => build(editor, &base, built.additions, &mut refuse),
        };
        if let Some(built) = rest {
            let done = editor.continue_with(built.simulation, built.document, false);
            for addition in built.additions {
                if let Err(why) = &done {
                    refuse(addition.request, failed(why.clone()));
                }
            }
        }
    }
    results
}

/// Checks a request, except for what only the built world shows.
fn prepare(
    editor: &WorldEditor,
    earlier: &[Addition],
    request: &SpawnEntity,
    placement: Result<Placement, String>,
) -> Result<Addition, ServiceResult> {
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
    let name = entity_name(editor, earlier, request, &description)?;
    let placement = placement.map_err(|why| failure(SpawnResult::INVALID_POSE, why))?;
    let addition = Addition {
        request: 0,
        name,
        namespace: namespace.to_string(),
        description,
        placement,
    };
    // a description that cannot be used must not cost a world
    let added = addition.add_to(editor.document());
    added.map_err(|result| without_contents(editor, result))?;
    Ok(addition)
}

impl Addition {
    /// Returns a world with the robot.
    fn add_to(&self, world: &Document) -> Result<Document, ServiceResult> {
        let robot = &self.description;
        let added = world.with_robot(&self.name, &self.namespace, robot, self.placement);
        added.map_err(|why| resource_failure(&why))
    }
}

/// World with additions.
struct Built {
    document: Document,
    simulation: Simulation,
    additions: Vec<Addition>,
}

/// Builds `base` with additions. If that fails, each half is built, so that only the additions that
/// are wrong are refused. `None` if none is left.
fn build(
    editor: &WorldEditor,
    base: &Document,
    mut additions: Vec<Addition>,
    refuse: &mut impl FnMut(usize, ServiceResult),
) -> Option<Built> {
    let first = additions.first()?.request;
    let added = additions
        .iter()
        .try_fold(base.clone(), |world, addition| addition.add_to(&world));
    let built = added.and_then(|document| match editor.build(&document) {
        Ok(simulation) => Ok((document, simulation)),
        Err(why) => {
            let code = if why.contains(": no file ") {
                SpawnResult::MISSING_ASSETS
            } else {
                SpawnResult::RESOURCE_PARSE_ERROR
            };
            Err(failure(code, why))
        }
    });
    match built {
        Ok((document, simulation)) => Some(Built {
            document,
            simulation,
            additions,
        }),
        Err(result) if additions.len() == 1 => {
            refuse(first, without_contents(editor, result));
            None
        }
        Err(_) => {
            let second = additions.split_off(additions.len() / 2);
            let Some(left) = build(editor, base, additions, refuse) else {
                return build(editor, base, second, refuse);
            };
            let Some(right) = build(editor, &left.document, second, refuse) else {
                return Some(left);
            };
            let mut all = left.additions;
            all.extend(right.additions);
            Some(Built {
                additions: all,
                ..right
            })
        }
    }
}

/// Removes the additions that overlap another body where the bodies are now, or an earlier
/// addition.
fn check_overlaps(
    editor: &WorldEditor,
    built: &mut Built,
    refuse: &mut impl FnMut(usize, ServiceResult),
) {
    let motions = editor.copy_motions(&mut built.simulation);
    let new = &mut built.simulation;
    let index = |name: &str| new.scene.robots.iter().position(|robot| robot.name == name);
    let robots: Vec<_> = built.additions.iter().map(|a| index(&a.name)).collect();
    // robots that are not compared: the later additions, and those that are refused
    let mut absent: HashSet<_> = robots.iter().flatten().copied().collect();
    let mut robots = robots.into_iter();
    built.additions.retain(|Addition { request, .. }| {
        let robot = robots.next().flatten();
        let is_present = |other: usize| !absent.contains(&other);
        let placed = robot.map_or(Ok(()), |robot| new.check_pose(robot, is_present));
        let Err(why) = motions.clone().and(placed) else {
            robot.map(|robot| absent.remove(&robot));
            return true;
        };
        refuse(*request, failure(SpawnResult::INVALID_POSE, why));
        false
    });
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

/// Returns the result without quotations of files.
fn without_contents(editor: &WorldEditor, result: ServiceResult) -> ServiceResult {
    let error_message = editor.files().without_contents(&result.error_message);
    ServiceResult {
        error_message,
        ..result
    }
}

/// Returns a name that no object has: the requested name, or with `allow_renaming` a similar name.
fn entity_name(
    editor: &WorldEditor,
    earlier: &[Addition],
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
        earlier.iter().any(|addition| addition.name == name)
            || editor
                .document()
                .objects()
                .iter()
                .any(|object| object.name == name)
            || scene.tethers.iter().any(|tether| tether.name == name)
    };
    let is_valid = is_name(requested) && requested.len() <= LENGTH_MAX;
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
        "name: expected at most {LENGTH_MAX} lowercase letters, digits and `_`, first a letter, found {}",
        quote(requested)
    );
    Err(failure(SpawnResult::NAME_INVALID, why))
}

/// Returns a lowercase name that resembles `name`, with room for a number; `entity` if `name` has no
/// letter.
fn valid_name(name: &str) -> String {
    let replaced = name
        .to_ascii_lowercase()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let start = replaced.trim_start_matches(|c: char| !c.is_ascii_lowercase());
    if start.is_empty() {
        "entity".to_string()
    } else {
        start[..start.len().min(LENGTH_MAX / 2)].to_string()
    }
}
