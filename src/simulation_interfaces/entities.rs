//! Services that list entities, and read and set their states.
//!
//! Entities are the robots, props and structures of the world. The pose of an entity is the pose of
//! the origin of its base link, or of the structure. Poses, twists and accelerations are expressed
//! in the frame of the header: the world (`world`, or empty), or the base link of another entity.

use crate::node::world_editor::{EditSender, WorldEditor};
use crate::simulation_interfaces::filters::{Filter, robot_bounds, structure_bounds};
use crate::simulation_interfaces::{Connections, done, failed, failure, no_entity};
use merrow_math::bounds::{box_around, box_corners};
use merrow_math::{Quat, Vec3};
use merrow_messages::convert::{
    WORLD_FRAME, from_point, from_quaternion, from_vector3, header, pose, vector3,
};
use merrow_messages::frames::link_frame;
use merrow_model::state::BodyCommand;
use merrow_physics::contact::free_pose::{EXPECTED, check_position};
use merrow_ros2::msg::geometry_msgs::{Accel, Pose, Twist};
use merrow_ros2::msg::simulation_interfaces::{
    Bounds, EntityCategory, EntityFilters, EntityInfo, EntityState, GetEntities,
    GetEntitiesResponse, GetEntitiesStates, GetEntitiesStatesResponse, GetEntityBounds,
    GetEntityBoundsResponse, GetEntityInfo, GetEntityInfoResponse, GetEntityState,
    GetEntityStateResponse, ServiceResult, SetEntityInfo, SetEntityState, SetEntityStateRequest,
    SetEntityStateResponse,
};
use merrow_ros2::msg::simulation_interfaces_v1 as v1;
use merrow_ros2::node::{NodeError, Service};
use merrow_sim::Simulation;
use merrow_world::document::{Labels, ObjectInfo, Placement};

/// Starts the services of this file.
pub(super) fn serve(connections: &Connections) -> Result<Vec<Service>, NodeError> {
    Ok(vec![
        connections.serve_run::<GetEntities>(|simulation, editor, request| {
            let entities = names(&select(simulation, editor, &request.filters)?);
            Ok(GetEntitiesResponse { entities, ..done() })
        })?,
        connections.serve_run::<GetEntitiesStates>(|simulation, editor, request| {
            let objects = select(simulation, editor, &request.filters)?;
            let states = objects.iter().map(|object| state(simulation, object));
            Ok(GetEntitiesStatesResponse {
                states: states.collect(),
                entities: names(&objects),
                ..done()
            })
        })?,
        connections.serve_run::<GetEntityState>(|simulation, editor, request| {
            let state = state(simulation, &find(editor, &request.entity)?);
            Ok(GetEntityStateResponse { state, ..done() })
        })?,
        connections.serve::<GetEntityInfo>(|connections, request, caller| {
            let found = find(&connections.editor, &request.entity);
            let info = found.map(|object| info(&object));
            caller.finish(info.map(|info| GetEntityInfoResponse { info, ..done() }));
        })?,
        connections.serve_edit::<SetEntityInfo>(false, |editor, request| {
            set_info(editor, &request.entity, &request.info).map(|()| done())
        })?,
        connections.serve_run::<GetEntityBounds>(|simulation, editor, request| {
            let bounds = bounds(simulation, &find(editor, &request.entity)?);
            Ok(GetEntityBoundsResponse { bounds, ..done() })
        })?,
        serve_set_entity_state(connections)?,
    ])
}

/// Starts `SetEntityState`, which in version 1 sets pose and twist.
fn serve_set_entity_state(connections: &Connections) -> Result<Service, NodeError> {
    if !connections.has_version1 {
        return connections.serve::<SetEntityState>(|connections, request, caller| {
            set_entity_state(connections, request, move |set| {
                caller.finish(set.map(|()| done()));
            });
        });
    }
    connections.serve::<v1::SetEntityState>(|connections, request, caller| {
        let request = SetEntityStateRequest {
            entity: request.entity,
            state: request.state,
            set_pose: true,
            set_twist: true,
            set_acceleration: false,
        };
        set_entity_state(connections, request, move |set| {
            caller.finish(set.map(|()| done()));
        });
    })
}

/// Sets the labels of an entity.
fn set_info(editor: &mut WorldEditor, name: &str, info: &EntityInfo) -> Result<(), ServiceResult> {
    let category = match info.category.category {
        EntityCategory::CATEGORY_OBJECT => "object",
        EntityCategory::CATEGORY_ROBOT => "robot",
        EntityCategory::CATEGORY_HUMAN => "human",
        EntityCategory::CATEGORY_DYNAMIC_OBJECT => "dynamic_object",
        EntityCategory::CATEGORY_STATIC_OBJECT => "static_object",
        other => {
            let why = format!("category: expected 0, 1, 2, 4 or 5, found {other}");
            return Err(failed(why));
        }
    };
    let labels = Labels {
        category: category.to_string(),
        description: info.description.clone(),
        tags: info.tags.clone(),
    };
    let changed = editor.document().with_labels(name, &labels);
    let document = changed.map_err(|_| no_entity(name))?;
    editor.change_labels(document).map_err(failed)
}

/// Sets the state of an entity and passes the result to `answer`.
fn set_entity_state(
    connections: &Connections,
    request: SetEntityStateRequest,
    answer: impl FnOnce(Result<(), ServiceResult>) + Send + 'static,
) {
    match find(&connections.editor, &request.entity) {
        Err(missing) => answer(Err(missing)),
        Ok(object) if object.placement.is_none() => {
            connections.access(move |simulation| answer(set_state(simulation, &request)));
        }
        Ok(object) => connections.editor.send(move |editor| {
            answer(set_structure_state(editor, &object.name, &request));
        }),
    }
}

/// Sets the state of an entity on the thread of the editor.
pub(super) fn set_state_now(
    editor: &mut WorldEditor,
    request: SetEntityStateRequest,
) -> Result<(), ServiceResult> {
    let mut objects = editor.document().objects().into_iter();
    let found = objects.find(|object| object.name == request.entity);
    let object = found.ok_or_else(|| no_entity(&request.entity))?;
    if object.placement.is_some() {
        return set_structure_state(editor, &object.name, &request);
    }
    let set = editor.access(move |simulation| set_state(simulation, &request));
    set.map_err(failed)?
}

/// Places a structure at the pose of a request.
fn set_structure_state(
    editor: &mut WorldEditor,
    name: &str,
    request: &SetEntityStateRequest,
) -> Result<(), ServiceResult> {
    let invalid = |why| failure(SetEntityStateResponse::INVALID_POSE, why);
    let EntityState { header, pose, .. } = request.state.clone();
    let placed = editor.access(move |simulation| place_in(simulation, &header.frame_id, &pose));
    let placement = placed.and_then(|placed| placed).map_err(invalid)?;
    if is_moving(request) {
        let why = format!("{name} is static; expected zero twist and acceleration");
        return Err(failed(why));
    }
    let changed = editor.document().with_structure_at(name, placement);
    let document = changed.map_err(failed)?;
    let mut simulation = editor.build(&document).map_err(failed)?;
    editor.copy_motions(&mut simulation).map_err(failed)?;
    simulation.check_structure(name).map_err(invalid)?;
    editor
        .continue_with(simulation, document, false)
        .map_err(failed)
}

/// Returns the object of the current world with this name.
fn find(editor: &EditSender, name: &str) -> Result<ObjectInfo, ServiceResult> {
    let objects = editor.objects();
    let found = objects.iter().find(|object| object.name == name);
    found.cloned().ok_or_else(|| no_entity(name))
}

/// Returns the objects that a filter selects.
fn select(
    simulation: &Simulation,
    editor: &EditSender,
    filters: &EntityFilters,
) -> Result<Vec<ObjectInfo>, ServiceResult> {
    let filter = Filter::new(filters)?;
    let objects = editor.objects().clone();
    let is_selected = |object: &ObjectInfo| {
        filter.accepts(&object.name, category(object), &object.labels.tags)
            && filter.overlaps(|| world_box(simulation, object))
    };
    Ok(objects.into_iter().filter(is_selected).collect())
}

fn names(objects: &[ObjectInfo]) -> Vec<String> {
    objects.iter().map(|object| object.name.clone()).collect()
}

/// Returns the category of an object: the category of its entry, or of its section.
fn category(object: &ObjectInfo) -> u8 {
    match (object.labels.category.as_str(), object.section) {
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
        description: object.labels.description.clone(),
        tags: object.labels.tags.clone(),
    }
}

/// Returns the state of an object in the world. A robot that was removed since is at the origin.
fn state(simulation: &Simulation, object: &ObjectInfo) -> EntityState {
    let stamp = header(simulation.time_ns(), WORLD_FRAME);
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
    let robots = simulation.scene.robots.iter().zip(&simulation.state.robots);
    let mut moving = robots.filter(|(robot, _)| robot.name == object.name);
    let (q_WB, p_WB) = match (object.placement, moving.next()) {
        (Some(placement), _) => (placement.q_WB, placement.p_WB),
        (None, Some((_, state))) => state.motion.pose(),
        (None, None) => (Quat::identity(), Vec3::zero()),
    };
    let R = q_WB.matrix();
    let corners = box_corners(own_box(simulation, object));
    box_around(corners.map(|corner| p_WB + R.mul_vec(corner))).unwrap_or_default()
}

/// Returns the pose in W of the frame with this name: the world, an entity or its base link.
fn find_frame(simulation: &Simulation, name: &str) -> Result<Placement, String> {
    if name.is_empty() || name == WORLD_FRAME {
        let (p_WB, q_WB) = (Vec3::zero(), Quat::identity());
        return Ok(Placement { p_WB, q_WB });
    }
    let mut robots = simulation.scene.robots.iter().zip(&simulation.state.robots);
    let found = robots.find(|(robot, _)| robot.name == name || link_frame(robot, 0) == name);
    let (_, state) = found.ok_or_else(|| {
        format!(
            "no frame {name:?}; expected {WORLD_FRAME:?}, or the name of an entity or of its base link"
        )
    })?;
    let (q_WB, p_WB) = state.motion.pose();
    Ok(Placement { p_WB, q_WB })
}

/// Returns true if a request states a velocity or an acceleration.
fn is_moving(request: &SetEntityStateRequest) -> bool {
    let is_zero = |v: &merrow_ros2::msg::geometry_msgs::Vector3| [v.x, v.y, v.z] == [0.0; 3];
    let (twist, acceleration) = (&request.state.twist, &request.state.acceleration);
    request.set_twist && !(is_zero(&twist.linear) && is_zero(&twist.angular))
        || request.set_acceleration
            && !(is_zero(&acceleration.linear) && is_zero(&acceleration.angular))
}

/// Converts a pose in a frame to W.
pub(super) fn pose_to_world(pose: &Pose, frame: &Placement) -> Result<Placement, String> {
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
    let p_WB = frame.p_WB + frame.q_WB.matrix().mul_vec(from_point(p));
    check_position("position", p_WB)?;
    Ok(Placement {
        p_WB,
        q_WB: frame.q_WB.mul(&q.normalized()),
    })
}

/// Converts a pose in the frame `name` to W.
pub(super) fn place_in(
    simulation: &Simulation,
    name: &str,
    pose: &Pose,
) -> Result<Placement, String> {
    pose_to_world(pose, &find_frame(simulation, name)?)
}

/// Sets pose and velocity of a robot.
fn set_state(
    simulation: &mut Simulation,
    request: &SetEntityStateRequest,
) -> Result<(), ServiceResult> {
    let invalid = |why| failure(SetEntityStateResponse::INVALID_POSE, why);
    let robots = &simulation.scene.robots;
    let found = robots.iter().position(|robot| robot.name == request.entity);
    let robot = found.ok_or_else(|| no_entity(&request.entity))?;
    let frame = find_frame(simulation, &request.state.header.frame_id).map_err(invalid)?;
    let motion = &simulation.state.robots[robot].motion;
    let (R_WB, V) = (motion.q_WB.matrix(), motion.V_WB_B);
    let (mut p_WB, mut q_WB) = (motion.p_WB, motion.q_WB);
    // the velocity in W stays if only the pose is set
    let (mut v_W, mut w_W) = (R_WB.mul_vec(V.v), R_WB.mul_vec(V.w));
    if request.set_pose {
        Placement { p_WB, q_WB } = pose_to_world(&request.state.pose, &frame).map_err(invalid)?;
    }
    if request.set_twist {
        let R = frame.q_WB.matrix();
        v_W = R.mul_vec(from_vector3(&request.state.twist.linear));
        w_W = R.mul_vec(from_vector3(&request.state.twist.angular));
    }
    let R_BW = q_WB.matrix().transpose();
    let command = BodyCommand::SetPose {
        p_WB,
        q_WB,
        v_WB_B: R_BW.mul_vec(v_W),
        w_WB_B: R_BW.mul_vec(w_W),
    }
    .of(robot);
    simulation
        .apply(&command)
        .map_err(|rejection| match rejection.reason.contains(EXPECTED) {
            true => invalid(rejection.reason),
            false => failed(rejection.reason),
        })
}
