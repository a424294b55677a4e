//! Changes of the world by other clients than the services of `simulation_interfaces`, with the
//! functions of these services.

use crate::node::checkpoint;
use crate::node::file_access::FileKind;
use crate::node::world_editor::WorldEditor;
use crate::simulation_interfaces::{Connections, entities, spawn};
use merrow_math::{Quat, Vec3};
use merrow_messages::convert::{header, pose};
use merrow_messages::msg::SaveWorld;
use merrow_ros2::msg::geometry_msgs::PoseStamped;
use merrow_ros2::msg::simulation_interfaces::{
    EntityState, Resource, ServiceResult, SetEntityStateRequest, SpawnEntity,
};
use merrow_ros2::node::{NodeError, Service};
use merrow_world::document::{Document, Placement};

/// Starts the service `~/save_world`, which is not part of `simulation_interfaces`.
pub(super) fn serve(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve_as::<SaveWorld>("~/save_world", |connections, request, caller| {
        connections.editor.send(move |editor| {
            caller.answer(save(editor, &request.uri).map(|()| String::new()));
        });
    })
}

fn save(editor: &WorldEditor, uri: &str) -> Result<(), String> {
    let path = editor.files().path_to_write(uri, FileKind::World)?;
    let text = current_document(editor)?.to_yaml();
    checkpoint::write_world(&path, &text)
}

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
            pose: pose(placement.p_WB, placement.q_WB),
        },
    };
    spawn::spawn(editor, &request).map_err(reason)
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
    editor.change(changed).map_err(|why| one_line(&why))?;
    Ok(copy)
}

/// Removes an entity as the service `delete_entity`.
///
/// # Errors
/// The reason of the refusal.
pub(crate) fn remove(editor: &mut WorldEditor, name: &str) -> Result<(), String> {
    spawn::delete(editor, name).map_err(reason)
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
            pose: pose(placement.p_WB, placement.q_WB),
            ..EntityState::default()
        },
        set_pose: true,
        set_twist: true,
        ..SetEntityStateRequest::default()
    };
    entities::set_state_now(editor, request).map_err(reason)
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
    let document = editor.document().clone();
    editor.access(move |simulation| document.with_state(&simulation.scene, &simulation.state))
}

/// Returns the message of a result as one line.
fn reason(result: ServiceResult) -> String {
    one_line(&result.error_message)
}

/// Returns the lines of a reason as one line.
pub(crate) fn one_line(why: &str) -> String {
    let lines: Vec<&str> = why.lines().map(str::trim).collect();
    lines.join("; ")
}
