//! Topics and services of controllers: modes, goals, paths, joystick, status.

use crate::input::mailbox::check_frame;
use crate::input::node_service::NodeService;
use crate::replay::state::set_mode;
use crate::topics::{Input, Output, PageControl};
use merrow_math::{Quat, Vec3};
use merrow_messages::convert::{WORLD_FRAME, from_point, from_quaternion, header, pose, vector3};
use merrow_messages::frames::ObjectStates;
use merrow_messages::msg::{ControllerStatus, SetControlMode};
use merrow_model::scene::robot::feedback::Feedback;
use merrow_model::scene::robot::firmware::motion_control::Joystick;
use merrow_model::scene::robot::firmware::{Firmware, FirmwareLaw};
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::firmware::{
    Activity, ControlMode, FirmwareLawState, FirmwareState, GuidanceTask,
};
use merrow_model::state::{Command, FirmwareCommand, Motion};
use merrow_ros2::msg::geometry_msgs::{Pose, PoseStamped, Quaternion, Twist, Wrench};
use merrow_ros2::msg::nav_msgs::Path;
use merrow_ros2::msg::sensor_msgs::Joy;
use merrow_ros2::msg::std_msgs::String as StringMsg;
use merrow_ros2::msg::std_srvs::SetBool;
use merrow_yaml::read::from_defaults;
use std::sync::Arc;

/// Names of the axes of a joystick.
const STICKS: [&str; 4] = ["surge", "sway", "heave", "yaw"];

/// Returns true if the robot has a motion controller.
fn has_motion_controller(robot: &Robot) -> bool {
    let firmware = robot.firmware.as_ref();
    firmware.is_some_and(|f| matches!(f.law, FirmwareLaw::MotionControl(_)))
}

/// Returns true if the firmware of the robot follows paths.
fn follows_paths(robot: &Robot) -> bool {
    let firmware = robot.firmware.as_ref();
    firmware.is_some_and(|firmware| firmware.abilities().paths)
}

/// Returns why a robot moves to no goals, for a robot that does not.
pub fn why_no_goals(robot: &Robot) -> String {
    let Some(firmware) = &robot.firmware else {
        return "it has no firmware that moves to goals; command its topics, or give it the key `firmware`"
            .to_string();
    };
    let key = firmware.abilities().path_key;
    format!("its firmware moves to no goals; give the firmware the key `{key}`")
}

/// Appends the topics for goals, paths and joysticks to which the firmware of robot `i` subscribes.
pub fn inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    let topic = |name: &str| format!("{}/{name}", robot.name);
    if robot.firmware.is_some() {
        let unit = "name of a mode, as of the service `set_mode`";
        inputs.push(Input::new(
            topic("set_mode"),
            unit,
            move |_, mode: StringMsg| mode_command(i, &mode.data),
        ));
    }
    if follows_paths(robot) {
        let unit = "m in the frame world; a zero quaternion holds the heading";
        let goal = Input::new(topic("goal_pose"), unit, move |arrival, pose| {
            goal_command(arrival.scene, i, &pose)
        });
        inputs.push(goal.on_page(PageControl::Goal));
        let unit = "m in the frame world";
        let path = Input::new(topic("path"), unit, move |arrival, path| {
            path_command(arrival.scene, i, &path)
        });
        inputs.push(path.on_page(PageControl::Path));
    }
    if has_motion_controller(robot) {
        let unit = "axes and buttons of a gamepad, see `joystick`";
        let joystick = Input::new(topic("joy"), unit, move |arrival, joy| {
            joystick_commands(arrival.scene, i, &joy)
        });
        inputs.push(joystick.on_page(PageControl::Gamepad));
    }
}

/// Appends the status topic of the firmware of robot `i`.
pub fn outputs(i: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    if robot.firmware.is_some() {
        let topic = format!("{}/controller/status", robot.name);
        let output = Output::states(topic, move |moment, states| status(moment.scene, i, states));
        outputs.push(
            output.restored_by(move |simulation, message: &ControllerStatus| {
                if let Some(mode) = ControlMode::from_keyword(&message.mode) {
                    set_mode(
                        &simulation.scene.robots[i],
                        &mut simulation.state.robots[i],
                        mode,
                    );
                }
            }),
        );
    }
}

/// Appends the services of the controller of robot `i`.
pub(crate) fn services(i: usize, robot: &Robot, all: &mut Vec<NodeService>) {
    let name = |service: &str| robot.in_namespace(&format!("{}/{service}", robot.name));
    if robot.firmware.is_some() {
        all.push(NodeService::command::<SetControlMode>(
            name("set_mode"),
            Some(i),
            move |_, _, request| mode_command(i, &request.mode),
        ));
        all.push(NodeService::command::<SetBool>(
            name("arm"),
            Some(i),
            move |_, _, request| {
                let order = FirmwareOrder::Enable(request.data);
                Ok(FirmwareCommand::FirmwareOrder { order }.of(i))
            },
        ));
    }
}

/// Returns the command that requests the mode with this name.
///
/// # Errors
/// There is no such mode.
pub fn mode_command(robot: usize, name: &str) -> Result<Command, String> {
    let Some(mode) = ControlMode::from_keyword(name) else {
        let names = ControlMode::ALL.map(ControlMode::keyword);
        return Err(format!(
            "mode: expected one of {}, found {name:?}",
            names.join(", ")
        ));
    };
    Ok(FirmwareCommand::ControlMode { mode }.of(robot))
}

/// Converts a pose to which a robot moves.
pub(super) fn goal_command(
    scene: &Scene,
    robot: usize,
    message: &PoseStamped,
) -> Result<Command, String> {
    let model = scene.robots.get(robot);
    check_frame(model, &message.header.frame_id)?;
    Ok(FirmwareCommand::PoseGoal {
        p_WB: from_point(&message.pose.position),
        q_WB: attitude(&message.pose.orientation)?,
    }
    .of(robot))
}

/// Converts the waypoints of a path.
pub(super) fn path_command(scene: &Scene, robot: usize, message: &Path) -> Result<Command, String> {
    let model = scene.robots.get(robot);
    check_frame(model, &message.header.frame_id)?;
    let mut waypoints = Vec::with_capacity(message.poses.len());
    for pose in &message.poses {
        check_frame(model, &pose.header.frame_id)?;
        waypoints.push(from_point(&pose.pose.position));
    }
    Ok(FirmwareCommand::FollowPath {
        waypoints: Arc::new(waypoints),
    }
    .of(robot))
}

/// Returns the attitude, or `None` for the zero quaternion of a pose without attitude.
fn attitude(q: &Quaternion) -> Result<Option<Quat>, String> {
    let norm = (q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z).sqrt();
    if norm == 0.0 {
        return Ok(None);
    }
    if norm.is_nan() || (norm - 1.0).abs() > 1e-2 {
        return Err(format!(
            "orientation: expected a unit quaternion, found the norm {norm}"
        ));
    }
    Ok(Some(from_quaternion(q)))
}

/// Converts sticks and pressed buttons.
pub(super) fn joystick_commands(
    scene: &Scene,
    robot: usize,
    message: &Joy,
) -> Result<Vec<Command>, String> {
    let firmware = scene.robots[robot].firmware.as_ref();
    let settings = firmware.and_then(Firmware::motion_control);
    settings.map_or(Ok(Vec::new()), |settings| {
        let joystick = settings.keys.joystick.clone();
        let joystick = joystick.unwrap_or_else(from_defaults);
        mapped_commands(robot, &joystick, message)
    })
}

fn mapped_commands(
    robot: usize,
    joystick: &Joystick,
    message: &Joy,
) -> Result<Vec<Command>, String> {
    let is_pressed = |button: u32| {
        message
            .buttons
            .get(button as usize)
            .is_some_and(|x| *x != 0)
    };
    let mut commands = Vec::new();
    for (button, mode) in [
        (joystick.manual_button, ControlMode::Manual),
        (joystick.stabilize_button, ControlMode::Stabilize),
        (joystick.depth_hold_button, ControlMode::DepthHold),
        (joystick.station_keeping_button, ControlMode::StationKeeping),
    ] {
        if is_pressed(button) {
            commands.push(FirmwareCommand::ControlMode { mode }.of(robot));
        }
    }
    for (button, on) in [(joystick.disarm_button, false), (joystick.arm_button, true)] {
        if is_pressed(button) {
            let order = FirmwareOrder::Enable(on);
            commands.push(FirmwareCommand::FirmwareOrder { order }.of(robot));
        }
    }
    let mut sticks = [0.0; 4];
    for (stick, (axis, name)) in sticks.iter_mut().zip(joystick.axes.into_iter().zip(STICKS)) {
        let Some(value) = message.axes.get(axis as usize) else {
            return Err(format!(
                "expected axis {axis} for {name}, found {} axes",
                message.axes.len()
            ));
        };
        *stick = f64::from(*value);
    }
    commands.push(FirmwareCommand::Joystick { sticks }.of(robot));
    Ok(commands)
}

/// Returns the status of the firmware of a robot.
pub fn status(scene: &Scene, robot: usize, snapshot: &ObjectStates) -> ControllerStatus {
    let Some(firmware) = &snapshot.firmware[robot] else {
        return ControllerStatus::default();
    };
    let motion = &snapshot.motions[robot];
    let Activity { mode, path, .. } = firmware.activity();
    let mut status = ControllerStatus {
        header: header(snapshot.time_ns, WORLD_FRAME),
        mode: mode.keyword().to_string(),
        armed: mode != ControlMode::Off,
        reference_pose: reference_pose(firmware, motion),
        pose: pose(motion.p_WB, motion.q_WB),
        waypoint: path.map_or(0, |path| path.leg as u32),
        waypoints: path.map_or(0, |path| (path.waypoints.len() - 1) as u32),
        cross_track_error: path.map_or(0.0, |path| path.cross_track),
        ..ControllerStatus::default()
    };
    let settings = scene.robots[robot].firmware.as_ref();
    if settings.is_some_and(|f| f.feedback != Feedback::Truth) {
        status.pose = pose(firmware.estimate.p_WB, firmware.estimate.q_WB);
    }
    let FirmwareLawState::MotionControl(control) = &firmware.memory else {
        return status;
    };
    let reference = &control.reference;
    let wrench = |t: &[f64; 6]| Wrench {
        force: vector3(Vec3::new(t[0], t[1], t[2])),
        torque: vector3(Vec3::new(t[3], t[4], t[5])),
    };
    status.armed = control.armed;
    status.reference_twist = Twist {
        linear: vector3(reference.v),
        angular: vector3(Vec3::new(0.0, 0.0, reference.yaw_rate)),
    };
    status.requested_wrench = wrench(&control.requested);
    status.allocated_wrench = wrench(&control.allocated);
    status
}

/// Returns the reference of the pose; a part without reference is taken from `motion`.
fn reference_pose(firmware: &FirmwareState, motion: &Motion) -> Pose {
    let now = (motion.p_WB, motion.q_WB);
    let (p, q) = match (firmware.reference(now), &firmware.task) {
        (Some(reference), _) => reference,
        (None, GuidanceTask::Goal { goal, .. }) => {
            (goal.p_WB, Quat::from_rpy(0.0, 0.0, goal.rpy[2]))
        }
        (None, GuidanceTask::None | GuidanceTask::Path(_)) => now,
    };
    pose(p, q)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gamepad(axes: [f32; 8], pressed: &[usize]) -> Joy {
        Joy {
            axes: axes.to_vec(),
            buttons: (0..11).map(|k| i32::from(pressed.contains(&k))).collect(),
            ..Joy::default()
        }
    }

    #[test]
    fn sticks_and_buttons_become_commands() {
        let message = gamepad([0.1, 0.2, 1.0, 0.3, 0.4, 1.0, 0.0, 0.0], &[2]);
        let commands = mapped_commands(3, &from_defaults(), &message).unwrap();
        let mode = ControlMode::DepthHold;
        assert_eq!(
            commands[0],
            Command::Firmware(3, FirmwareCommand::ControlMode { mode })
        );
        let Command::Firmware(3, FirmwareCommand::Joystick { sticks }) = commands[1] else {
            panic!("{commands:?}");
        };
        for (found, expected) in sticks.iter().zip([0.4, 0.3, 0.2, 0.1]) {
            assert!((found - expected).abs() < 1e-6, "{sticks:?}");
        }
    }

    #[test]
    fn short_joystick_message_is_rejected() {
        let message = Joy {
            axes: vec![0.0; 3],
            ..Joy::default()
        };
        let error = mapped_commands(0, &from_defaults(), &message).unwrap_err();
        assert_eq!(error, "expected axis 4 for surge, found 3 axes");
    }

    #[test]
    fn unknown_mode_is_rejected_with_the_list() {
        let error = mode_command(0, "hover").unwrap_err();
        assert!(
            error.contains("mode: expected one of off, manual"),
            "{error}"
        );
    }
}
