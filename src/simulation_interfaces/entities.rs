//! Services that list entities, and read and set their states.
//!
//! Entities are the robots, props and structures of the world. The pose of an entity is the pose of
//! the origin of its base link, or of the structure. Poses, twists and accelerations are expressed
//! in the frame of the header: the world (`world`, or empty), or the base link of another entity.

use crate::node::world_editor::{EditSender, WorldEditor};
use crate::simulation_interfaces::filters::{Filter, robot_bounds, structure_bounds};
use crate::simulation_interfaces::{
    Connections, Version, failure, no_entity, ok, outcome, version1,
};
use merrow_math::{Quat, Vec3};
use merrow_messages::convert::{
    WORLD_FRAME, from_quaternion, from_vector3, header, point, quaternion, vector3,
};
use merrow_model::state::{BodyCommand, Command};
use merrow_physics::contact::free_pose::{EXPECTED, check_position};
use merrow_ros2::msg::geometry_msgs::{Accel, Pose, Twist};
use merrow_ros2::msg::simulation_interfaces::{
    Bounds, EntityCategory, EntityInfo, EntityState, GetEntities, GetEntitiesResponse,
    GetEntitiesStates, GetEntitiesStatesResponse, GetEntityBounds, GetEntityBoundsResponse,
    GetEntityInfo, GetEntityInfoResponse, GetEntityState, GetEntityStateResponse, ServiceResult,
    SetEntityInfo, SetEntityInfoResponse, SetEntityState, SetEntityStateRequest,
    SetEntityStateResponse,
};
use merrow_ros2::node::{NodeError, Service};
use merrow_sim::Simulation;
use merrow_world::document::{Labels, ObjectInfo, Placement};

/// Starts the services of this file.
pub(super) fn serve(connections: &Connections) -> Result<Vec<Service>, NodeError> {
    Ok(vec![
        serve_get_entities(connections)?,
        serve_get_entities_states(connections)?,
        serve_get_entity_state(connections)?,
        serve_get_entity_info(connections)?,
        serve_set_entity_info(connections)?,
        serve_get_entity_bounds(connections)?,
        match connections.version {
            Version::One => version1::serve_set_entity_state(connections)?,
            Version::Two => serve_set_entity_state(connections)?,
        },
    ])
}

fn serve_get_entities(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<GetEntities>("get_entities", |connections, request, answer| {
        let editor = connections.editor.clone();
        connections.access(move |simulation| {
            let found = select(simulation, &editor, &request.filters);
            let (entities, result) = match found {
                Ok(objects) => (names(&objects), ok()),
                Err(result) => (Vec::new(), result),
            };
            answer.send(&GetEntitiesResponse { result, entities });
        });
    })
}

fn serve_get_entities_states(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<GetEntitiesStates>("get_entities_states", |connections, request, answer| {
        let editor = connections.editor.clone();
        connections.access(move |simulation| {
            let found = select(simulation, &editor, &request.filters);
            let (objects, result) = match found {
                Ok(objects) => (objects, ok()),
                Err(result) => (Vec::new(), result),
            };
            let states = objects.iter().map(|object| state(simulation, object));
            answer.send(&GetEntitiesStatesResponse {
                result,
                states: states.collect(),
                entities: names(&objects),
            });
        });
    })
}

fn serve_get_entity_state(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<GetEntityState>("get_entity_state", |connections, request, answer| {
        let editor = connections.editor.clone();
        connections.access(move |simulation| {
            let found = find(&editor, &request.entity);
            answer.send(&match found {
                Some(object) => GetEntityStateResponse {
                    result: ok(),
                    state: state(simulation, &object),
                },
                None => GetEntityStateResponse {
                    result: no_entity(&request.entity),
                    state: EntityState::default(),
                },
            });
        });
    })
}

fn serve_get_entity_info(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<GetEntityInfo>("get_entity_info", |connections, request, answer| {
        let found = find(&connections.editor, &request.entity);
        answer.send(&match found {
            Some(object) => GetEntityInfoResponse {
                result: ok(),
                info: info(&object),
            },
            None => GetEntityInfoResponse {
                result: no_entity(&request.entity),
                info: EntityInfo::default(),
            },
        });
    })
}

fn serve_set_entity_info(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<SetEntityInfo>("set_entity_info", |connections, request, answer| {
        connections.editor.send(move |editor| {
            let result = set_info(editor, &request.entity, &request.info);
            answer.send(&SetEntityInfoResponse { result });
        });
    })
}

/// Sets the labels of an entity.
fn set_info(editor: &mut WorldEditor, name: &str, info: &EntityInfo) -> ServiceResult {
    let category = match info.category.category {
        EntityCategory::CATEGORY_OBJECT => "object",
        EntityCategory::CATEGORY_ROBOT => "robot",
        EntityCategory::CATEGORY_HUMAN => "human",
        EntityCategory::CATEGORY_DYNAMIC_OBJECT => "dynamic_object",
        EntityCategory::CATEGORY_STATIC_OBJECT => "static_object",
        other => {
            let why = format!("category: expected 0, 1, 2, 4 or 5, found {other}");
            return failure(ServiceResult::RESULT_OPERATION_FAILED, why);
        }
    };
    let labels = Labels {
        category: category.to_string(),
        description: info.description.clone(),
        tags: info.tags.clone(),
    };
    match editor.document().with_labels(name, &labels) {
        Err(_) => no_entity(name),
        Ok(document) => outcome(editor.change_labels(document)),
    }
}

fn serve_get_entity_bounds(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<GetEntityBounds>("get_entity_bounds", |connections, request, answer| {
        let editor = connections.editor.clone();
        connections.access(move |simulation| {
            let found = find(&editor, &request.entity);
            answer.send(&match found {
                Some(object) => GetEntityBoundsResponse {
                    result: ok(),
                    bounds: bounds(simulation, &object),
                },
                None => GetEntityBoundsResponse {
                    result: no_entity(&request.entity),
                    bounds: Bounds::default(),
                },
            });
        });
    })
}

fn serve_set_entity_state(connections: &Connections) -> Result<Service, NodeError> {
    connections.serve::<SetEntityState>("set_entity_state", |connections, request, answer| {
        set_entity_state(connections, request, move |result| {
            answer.send(&SetEntityStateResponse { result });
        });
    })
}

/// Sets the state of an entity and passes the result to `answer`.
pub(super) fn set_entity_state(
    connections: &Connections,
    request: SetEntityStateRequest,
    answer: impl FnOnce(ServiceResult) + Send + 'static,
) {
    let Some(object) = find(&connections.editor, &request.entity) else {
        return answer(no_entity(&request.entity));
    };
    if object.placement.is_none() {
        return connections.access(move |simulation| answer(set_state(simulation, &request)));
    }
    connections.editor.send(move |editor| {
        answer(set_structure_state(editor, &object.name, &request).unwrap_or_else(|result| result));
    });
}

/// Sets the state of an entity on the thread of the editor.
pub(super) fn set_state_now(
    editor: &mut WorldEditor,
    request: SetEntityStateRequest,
) -> ServiceResult {
    let objects = editor.document().objects();
    let found = objects.into_iter().find(|o| o.name == request.entity);
    let Some(object) = found else {
        return no_entity(&request.entity);
    };
    if object.placement.is_some() {
        let done = set_structure_state(editor, &object.name, &request);
        return done.unwrap_or_else(|result| result);
    }
    let done = editor.access(move |simulation| set_state(simulation, &request));
    done.unwrap_or_else(|why| failure(ServiceResult::RESULT_OPERATION_FAILED, why))
}

/// Places a structure at the pose of a request.
fn set_structure_state(
    editor: &mut WorldEditor,
    name: &str,
    request: &SetEntityStateRequest,
) -> Result<ServiceResult, ServiceResult> {
    let (frame, pose) = (
        request.state.header.frame_id.clone(),
        request.state.pose.clone(),
    );
    let placed = editor.access(move |simulation| place_in(simulation, &frame, &pose));
    let placement = placed
        .and_then(|placed| placed)
        .map_err(|why| failure(SetEntityStateResponse::INVALID_POSE, why))?;
    if is_moving(request) {
        let why = format!("{name} is static; expected zero twist and acceleration");
        return Err(failure(ServiceResult::RESULT_OPERATION_FAILED, why));
    }
    let failed = |why| failure(ServiceResult::RESULT_OPERATION_FAILED, why);
    let changed = editor.document().with_structure_at(name, placement);
    let document = changed.map_err(failed)?;
    let mut simulation = editor.build(&document).map_err(failed)?;
    editor.copy_motions(&mut simulation).map_err(failed)?;
    simulation
        .check_structure(name)
        .map_err(|why| failure(SetEntityStateResponse::INVALID_POSE, why))?;
    Ok(outcome(editor.continue_with(simulation, document, false)))
}

/// Returns the object of the current world with this name; `None` without one.
pub(super) fn find(editor: &EditSender, name: &str) -> Option<ObjectInfo> {
    editor
        .objects()
        .iter()
        .find(|object| object.name == name)
        .cloned()
}

/// Returns the objects that a filter selects.
fn select(
    simulation: &Simulation,
    editor: &EditSender,
    filters: &merrow_ros2::msg::simulation_interfaces::EntityFilters,
) -> Result<Vec<ObjectInfo>, ServiceResult> {
    let filter = Filter::new(filters)?;
    let objects = editor.objects().clone();
    let is_selected = |object: &ObjectInfo| {
        filter.accepts(&object.name, category(object), &object.tags)
            && filter.overlaps(|| world_box(simulation, object))
    };
    Ok(objects.into_iter().filter(is_selected).collect())
}

fn names(objects: &[ObjectInfo]) -> Vec<String> {
    objects.iter().map(|object| object.name.clone()).collect()
}

/// Returns the category of an object: the category of its entry, or of its section.
fn category(object: &ObjectInfo) -> u8 {
    match (object.category.as_str(), object.section) {
        ("object", _) => EntityCategory::CATEGORY_OBJECT,
        ("human", _) => EntityCategory::CATEGORY_HUMAN,
        ("dynamic_object", _) => EntityCategory::CATEGORY_DYNAMIC_OBJECT,
        ("robot", _) | ("", "robots") => EntityCategory::CATEGORY_ROBOT,
        ("static_object", _) | ("", "structures") => EntityCategory::CATEGORY_STATIC_OBJECT,
        _ => EntityCategory::CATEGORY_OBJECT,
    }
}

fn info(object: &ObjectInfo) -> EntityInfo {
    EntityInfo {
        category: EntityCategory {
            category: category(object),
        },
        description: object.description.clone(),
        tags: object.tags.clone(),
    }
}

/// Returns the state of an object in the world. A robot that was removed since is at the origin.
fn state(simulation: &Simulation, object: &ObjectInfo) -> EntityState {
    let stamp = header(simulation.time_ns(), WORLD_FRAME);
    let pose = |p: Vec3, q: Quat| Pose {
        position: point(p),
        orientation: quaternion(q),
    };
    if let Some(Placement { p_WB, q_WB }) = object.placement {
        return EntityState {
            header: stamp,
            pose: pose(p_WB, q_WB),
            ..EntityState::default()
        };
    }
    let robots = &simulation.scene.robots;
    let Some(robot) = robots.iter().position(|robot| robot.name == object.name) else {
        return EntityState::default();
    };
    let motion = &simulation.state.robots[robot].motion;
    let A = &simulation.runners[robot].work.A_start;
    let (R_WB, V) = (motion.q_WB.matrix(), motion.V_WB_B);
    EntityState {
        header: stamp,
        pose: pose(motion.p_WB, motion.q_WB),
        twist: Twist {
            linear: vector3(R_WB.mul_vec(V.v)),
            angular: vector3(R_WB.mul_vec(V.w)),
        },
        acceleration: Accel {
            linear: vector3(R_WB.mul_vec(A.v + V.w.cross(V.v))),
            angular: vector3(R_WB.mul_vec(A.w)),
        },
    }
}

/// Returns the box around an object in its own frame.
fn bounds(simulation: &Simulation, object: &ObjectInfo) -> Bounds {
    let [lower, upper] = own_box(simulation, object);
    Bounds {
        r#type: Bounds::TYPE_BOX,
        points: vec![vector3(upper), vector3(lower)],
    }
}

fn own_box(simulation: &Simulation, object: &ObjectInfo) -> [Vec3; 2] {
    let scene = &simulation.scene;
    if let Some(placement) = object.placement {
        let structure = scene.structures.iter().find(|s| s.name == object.name);
        return structure.map_or([Vec3::zero(); 2], |s| structure_bounds(s, &placement));
    }
    let robot = scene
        .robots
        .iter()
        .position(|robot| robot.name == object.name);
    robot.map_or([Vec3::zero(); 2], |k| {
        robot_bounds(&scene.robots[k], &simulation.state.robots[k].motion)
    })
}

/// Returns the box around an object, with axes of the world.
fn world_box(simulation: &Simulation, object: &ObjectInfo) -> [Vec3; 2] {
    let [lower, upper] = own_box(simulation, object);
    let robots = simulation.scene.robots.iter().zip(&simulation.state.robots);
    let mut moving = robots.filter(|(robot, _)| robot.name == object.name);
    let (q_WB, p_WB) = match (object.placement, moving.next()) {
        (Some(placement), _) => (placement.q_WB, placement.p_WB),
        (None, Some((_, state))) => state.motion.pose(),
        (None, None) => (Quat::identity(), Vec3::zero()),
    };
    let R = q_WB.matrix();
    let corners = (0..8).map(|k| {
        let pick = |bit: usize, a: f64, b: f64| if k >> bit & 1 == 0 { a } else { b };
        let corner = Vec3::new(
            pick(0, lower.x, upper.x),
            pick(1, lower.y, upper.y),
            pick(2, lower.z, upper.z),
        );
        p_WB + R.mul_vec(corner)
    });
    crate::simulation_interfaces::filters::box_around(corners)
}

/// Frame in which a state is expressed, in W.
struct Frame {
    p: Vec3,
    q: Quat,
}

impl Frame {
    /// Frame of the world.
    const WORLD: Self = Self {
        p: Vec3::new(0.0, 0.0, 0.0),
        q: Quat {
            w: 1.0,
            x: 0.0,
            y: 0.0,
            z: 0.0,
        },
    };

    /// Returns the frame with this name: the world, an entity or its base link.
    fn find(simulation: &Simulation, name: &str) -> Option<Self> {
        if name.is_empty() || name == WORLD_FRAME {
            return Some(Self::WORLD);
        }
        let robots = simulation.scene.robots.iter().zip(&simulation.state.robots);
        let is_named = |robot: &merrow_model::scene::Robot| {
            robot.name == name || merrow_messages::frames::link_frame(robot, 0) == name
        };
        let (_, state) = robots.into_iter().find(|(robot, _)| is_named(robot))?;
        let (q, p) = state.motion.pose();
        Some(Self { p, q })
    }
}

/// Returns true if a request states a velocity or an acceleration.
fn is_moving(request: &SetEntityStateRequest) -> bool {
    let is_zero = |v: &merrow_ros2::msg::geometry_msgs::Vector3| [v.x, v.y, v.z] == [0.0; 3];
    let (twist, acceleration) = (&request.state.twist, &request.state.acceleration);
    request.set_twist && !(is_zero(&twist.linear) && is_zero(&twist.angular))
        || request.set_acceleration
            && !(is_zero(&acceleration.linear) && is_zero(&acceleration.angular))
}

/// Returns the pose of a request in W.
fn placement(request: &SetEntityStateRequest, frame: &Frame) -> Result<Placement, ServiceResult> {
    pose_to_world(&request.state.pose, frame)
        .map_err(|why| failure(SetEntityStateResponse::INVALID_POSE, why))
}

/// Converts a pose in a frame to W.
fn pose_to_world(pose: &Pose, frame: &Frame) -> Result<Placement, String> {
    let (p, q) = (&pose.position, from_quaternion(&pose.orientation));
    let norm = (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z).sqrt();
    if ![p.x, p.y, p.z].iter().all(|x| x.is_finite()) {
        return Err(format!(
            "position: expected finite numbers, found ({}, {}, {})",
            p.x, p.y, p.z
        ));
    }
    if !(0.9..=1.1).contains(&norm) {
        return Err(format!("expected a unit quaternion, found the norm {norm}"));
    }
    let p_WB = frame.p + frame.q.matrix().mul_vec(Vec3::new(p.x, p.y, p.z));
    check_position("position", p_WB)?;
    Ok(Placement {
        p_WB,
        q_WB: frame.q.mul(&q.normalized()),
    })
}

/// Converts a pose in the frame `name` to W.
pub(super) fn place_in(
    simulation: &Simulation,
    name: &str,
    pose: &Pose,
) -> Result<Placement, String> {
    let frame = Frame::find(simulation, name).ok_or_else(|| no_frame(name))?;
    pose_to_world(pose, &frame)
}

/// Returns the pose in W of a pose relative to a placement.
pub(super) fn place_at(frame: Placement, pose: &Pose) -> Result<Placement, String> {
    let (p, q) = (frame.p_WB, frame.q_WB);
    pose_to_world(pose, &Frame { p, q })
}

fn no_frame(name: &str) -> String {
    format!(
        "no frame {name:?}; expected {WORLD_FRAME:?}, or the name of an entity or of its base link"
    )
}

/// Sets pose and velocity of a robot.
fn set_state(simulation: &mut Simulation, request: &SetEntityStateRequest) -> ServiceResult {
    let robots = &simulation.scene.robots;
    let Some(robot) = robots.iter().position(|robot| robot.name == request.entity) else {
        return no_entity(&request.entity);
    };
    let Some(frame) = Frame::find(simulation, &request.state.header.frame_id) else {
        let why = no_frame(&request.state.header.frame_id);
        return failure(SetEntityStateResponse::INVALID_POSE, why);
    };
    let motion = &simulation.state.robots[robot].motion;
    let (R_WB, V) = (motion.q_WB.matrix(), motion.V_WB_B);
    let (mut p_WB, mut q_WB) = (motion.p_WB, motion.q_WB);
    // the velocity in W stays if only the pose is set
    let (mut v_W, mut w_W) = (R_WB.mul_vec(V.v), R_WB.mul_vec(V.w));
    if request.set_pose {
        match placement(request, &frame) {
            Ok(placement) => (p_WB, q_WB) = (placement.p_WB, placement.q_WB),
            Err(result) => return result,
        }
    }
    if request.set_twist {
        let R = frame.q.matrix();
        v_W = R.mul_vec(from_vector3(&request.state.twist.linear));
        w_W = R.mul_vec(from_vector3(&request.state.twist.angular));
    }
    let R_BW = q_WB.matrix().transpose();
    let command = Command::Body(
        robot,
        BodyCommand::SetPose {
            p_WB,
            q_WB,
            v_WB_B: R_BW.mul_vec(v_W),
            w_WB_B: R_BW.mul_vec(w_W),
        },
    );
    match simulation.apply(&command) {
        Err(rejection) if rejection.reason.contains(EXPECTED) => {
            failure(SetEntityStateResponse::INVALID_POSE, rejection.reason)
        }
        done => outcome(done.map_err(|rejection| rejection.reason)),
    }
}
