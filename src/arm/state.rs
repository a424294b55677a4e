//! Messages with the state of joints: `joint_states`, the state of a controller, and the feedback
//! of a trajectory.

use crate::topics::GroupIndex;
use merrow_messages::convert::header;
use merrow_messages::frames::ObjectStates;
use merrow_model::scene::{JointGroup, JointKind, JointMode, Robot, Scene};
use merrow_model::state::joint::Tracking;
use merrow_ros2::msg::builtin_interfaces::Duration;
use merrow_ros2::msg::control_msgs::JointTrajectoryControllerState;
use merrow_ros2::msg::control_msgs::follow_joint_trajectory::Feedback;
use merrow_ros2::msg::sensor_msgs::JointState;
use merrow_ros2::msg::trajectory_msgs::JointTrajectoryPoint;

/// Builds the `JointState` message of a robot. It contains all movable joints as measured by their
/// encoders and current sensors, or the true state for ideal drives. The angles of fins and of
/// tilting lasers follow.
pub fn joint_state(scene: &Scene, robot: usize, snapshot: &ObjectStates) -> JointState {
    let model = &scene.robots[robot];
    let moving =
        (0..model.n_joints()).filter(|j| model.links[j + 1].joint.kind != JointKind::Fixed);
    let mut out = joint_states(model, moving, snapshot, robot);
    let has_efforts = !out.name.is_empty();
    for (fin, memory) in model
        .fins
        .iter()
        .zip(&snapshot.fins[robot])
        .filter(|(fin, _)| fin.is_movable())
    {
        out.name.push(fin.name.clone());
        out.position.push(memory.angle);
        out.velocity.push(memory.rate);
        // no sensor measures the effort of a fin; without joints the list stays empty
        if has_efforts {
            out.effort.push(f64::NAN);
        }
    }
    for sensor in &model.sensors {
        if let Some(tilt) = sensor.kind.tilt() {
            out.name.push(format!("{}_tilt", sensor.name));
            out.position.push(tilt.angle(snapshot.time_ns));
            out.velocity.push(tilt.speed(snapshot.time_ns));
            if has_efforts {
                out.effort.push(f64::NAN);
            }
        }
    }
    JointState {
        header: header(snapshot.time_ns, ""),
        ..out
    }
}

/// Returns the names of the entries of [`joint_state`], in the same order.
pub fn joint_state_names(robot: &Robot) -> Vec<String> {
    let joints = robot.links[1..]
        .iter()
        .filter(|link| link.joint.kind != JointKind::Fixed);
    let fins = robot
        .fins
        .iter()
        .filter(|fin| fin.is_movable())
        .map(|fin| fin.name.clone());
    let nodded = robot
        .sensors
        .iter()
        .filter(|sensor| sensor.kind.tilt().is_some());
    let units = nodded.map(|sensor| format!("{}_tilt", sensor.name));
    joints
        .map(|link| link.joint.name.clone())
        .chain(fins)
        .chain(units)
        .collect()
}

/// Builds the state of the given joints, without a header.
pub(super) fn joint_states(
    model: &Robot,
    joints: impl Iterator<Item = usize>,
    snapshot: &ObjectStates,
    robot: usize,
) -> JointState {
    let mut out = JointState::default();
    for j in joints {
        let measured = snapshot.tracking[robot][j].actual;
        out.name.push(model.links[j + 1].joint.name.clone());
        out.position.push(measured.position);
        out.velocity.push(measured.velocity);
        // an ideal drive has no effort sensor, so the effort of the inverse dynamics is reported
        let effort = measured.effort;
        out.effort.push(if effort.is_nan() {
            snapshot.efforts[robot][j]
        } else {
            effort
        });
    }
    out
}

/// Builds the controller state of a group: reference, measured state, error and command.
pub fn controller_state(
    scene: &Scene,
    group_index: GroupIndex,
    snapshot: &ObjectStates,
) -> JointTrajectoryControllerState {
    let (_, group) = group_index.lookup(scene);
    let Feedback {
        header,
        joint_names,
        desired,
        actual,
        error,
        ..
    } = feedback(scene, snapshot, group_index);
    let modes = &snapshot.modes[group_index.robot];
    let all_in = |mode| group.joints.iter().all(|j| modes[*j] == mode);
    let mut output = JointTrajectoryPoint::default();
    if all_in(JointMode::Position) {
        output.positions.clone_from(&desired.positions);
    } else if all_in(JointMode::Velocity) {
        output.velocities.clone_from(&desired.velocities);
    } else if all_in(JointMode::Effort) {
        output.effort = tracking(group, snapshot, group_index)
            .map(|t| t.desired.effort)
            .collect();
    }
    JointTrajectoryControllerState {
        header,
        joint_names,
        reference: desired,
        feedback: actual,
        error,
        output,
        speed_scaling_factor: 1.0,
        ..JointTrajectoryControllerState::default()
    }
}

/// Builds the feedback message of a trajectory.
pub(super) fn feedback(
    scene: &Scene,
    snapshot: &ObjectStates,
    group_index: GroupIndex,
) -> Feedback {
    let (robot, group) = group_index.lookup(scene);
    let joints = || tracking(group, snapshot, group_index);
    let list = |value: fn(&Tracking) -> f64| joints().map(value).collect();
    let start_ns = snapshot.starts[group_index.robot][group_index.group];
    let time_from_start = time_since(start_ns, snapshot.time_ns);
    let is_measured = joints().all(|t| t.actual.effort.is_finite());
    Feedback {
        header: header(snapshot.time_ns, ""),
        joint_names: group.names(robot).map(str::to_string).collect(),
        desired: JointTrajectoryPoint {
            positions: list(|t| t.desired.position),
            velocities: list(|t| t.desired.velocity),
            accelerations: list(|t| t.desired.acceleration),
            effort: Vec::new(),
            time_from_start: time_from_start.clone(),
        },
        actual: JointTrajectoryPoint {
            positions: list(|t| t.actual.position),
            velocities: list(|t| t.actual.velocity),
            accelerations: Vec::new(),
            effort: if is_measured {
                list(|t| t.actual.effort)
            } else {
                Vec::new()
            },
            time_from_start: time_from_start.clone(),
        },
        error: JointTrajectoryPoint {
            positions: list(|t| t.position_error),
            velocities: list(|t| t.velocity_error),
            accelerations: Vec::new(),
            effort: Vec::new(),
            time_from_start,
        },
        ..Feedback::default()
    }
}

fn tracking<'s>(
    group: &'s JointGroup,
    snapshot: &'s ObjectStates,
    group_index: GroupIndex,
) -> impl Iterator<Item = &'s Tracking> {
    group
        .joints
        .iter()
        .map(move |joint| &snapshot.tracking[group_index.robot][*joint])
}

/// Returns the time since the start of a trajectory; 0 without a trajectory, negative before its
/// start.
fn time_since(start_ns: Option<u64>, now_ns: u64) -> Duration {
    // i64 holds 292 years of simulation time
    let ns = start_ns.map_or(0, |start_ns| now_ns as i64 - start_ns as i64);
    Duration {
        sec: i32::try_from(ns.div_euclid(1_000_000_000)).unwrap_or(i32::MIN),
        nanosec: ns.rem_euclid(1_000_000_000) as u32,
    }
}
