//! Changes of the world by other clients than the services, with the functions of the services.

use crate::node::world_editor::WorldEditor;
use crate::simulation_interfaces::{entities, save, spawn};
use merrow_math::{Quat, Vec3};
use merrow_messages::convert::{header, point, quaternion};
use merrow_ros2::msg::geometry_msgs::{Pose, PoseStamped};
use merrow_ros2::msg::simulation_interfaces::{
    EntityState, Resource, ServiceResult, SetEntityStateRequest, SpawnEntity,
};
use merrow_world::document::{Document, Placement};

/// Adds an entity as the service `spawn_entity` with `allow_renaming`, and returns its name.
///
/// # Errors
/// The reason of the refusal.
pub(crate) fn add(
    editor: &mut WorldEditor,
    name: &str,
    resource: Resource,
    placement: Placement,
) -> Result<String, String> {
    let request = SpawnEntity {
        name: name.to_string(),
        allow_renaming: true,
        entity_resource: resource,
        entity_namespace: String::new(),
        initial_pose: PoseStamped {
            header: header(0, ""),
            pose: pose(placement),
        },
    };
    let spawned = spawn::spawn(editor, &request);
    success(spawned.result).map(|()| spawned.entity_name)
}

/// Adds a copy of an object with its attitude at another position in W [m], and returns its name.
///
/// # Errors
/// There is no such object, or the world is not valid with the copy.
pub(crate) fn duplicate(
    editor: &mut WorldEditor,
    name: &str,
    position: Vec3,
) -> Result<String, String> {
    let placement = Placement {
        p_WB: position,
        ..self::placement(editor, name)?
    };
    let document = editor.document();
    let objects = document.objects();
    let mut names = (2..).map(|k: u32| format!("{name}_{k}"));
    let is_free = |copy: &String| objects.iter().all(|object| object.name != *copy);
    let copy = names.find(is_free).unwrap_or_default();
    let changed = document.with_copy(name, &copy, placement)?;
    let lines = |why: String| {
        let lines: Vec<&str> = why.lines().map(str::trim).collect();
        lines.join("; ")
    };
    editor.change(changed).map_err(lines)?;
    Ok(copy)
}

/// Removes an entity as the service `delete_entity`.
///
/// # Errors
/// The reason of the refusal.
pub(crate) fn remove(editor: &mut WorldEditor, name: &str) -> Result<(), String> {
    success(spawn::delete(editor, name))
}

/// Places an entity as the service `set_entity_state` with zero twist.
///
/// # Errors
/// The reason of the refusal.
pub(crate) fn place_entity(
    editor: &mut WorldEditor,
    name: &str,
    placement: Placement,
) -> Result<(), String> {
    let request = SetEntityStateRequest {
        entity: name.to_string(),
        state: EntityState {
            pose: pose(placement),
            ..EntityState::default()
        },
        set_pose: true,
        set_twist: true,
        ..SetEntityStateRequest::default()
    };
    success(entities::set_state_now(editor, request))
}

/// Returns the current pose of an entity in W.
///
/// # Errors
/// There is no such entity, or the run has ended.
pub(crate) fn placement(editor: &WorldEditor, name: &str) -> Result<Placement, String> {
    let objects = editor.document().objects();
    let object = objects.into_iter().find(|object| object.name == name);
    let object = object.ok_or_else(|| format!("no robot, prop or structure {name:?}"))?;
    if let Some(placement) = object.placement {
        return Ok(placement);
    }
    let pose = editor.access(move |simulation| {
        let robots = &simulation.scene.robots;
        let robot = robots.iter().position(|robot| robot.name == object.name)?;
        Some(simulation.state.robots[robot].motion.pose())
    })?;
    let (q_WB, p_WB): (Quat, Vec3) = pose.ok_or_else(|| format!("{name}: not in the world"))?;
    Ok(Placement { p_WB, q_WB })
}

/// Returns the world file with the current state of all entities.
///
/// # Errors
/// The run has ended.
pub(crate) fn current_document(editor: &WorldEditor) -> Result<Document, String> {
    save::current_document(editor)
}

fn pose(placement: Placement) -> Pose {
    Pose {
        position: point(placement.p_WB),
        orientation: quaternion(placement.q_WB),
    }
}

/// Returns an error with the message of a result that is not a success, as one line.
fn success(result: ServiceResult) -> Result<(), String> {
    if result.result == ServiceResult::RESULT_OK {
        return Ok(());
    }
    let lines: Vec<&str> = result.error_message.lines().map(str::trim).collect();
    Err(lines.join("; "))
}
