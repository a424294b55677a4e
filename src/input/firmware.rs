//! Topics and services of the built-in firmwares.

use crate::input::motion_control;
use crate::input::node_service::NodeService;
use crate::topics::{Input, Output, PageControl};
use merrow_math::{Quat, Vec3};
use merrow_messages::convert::{from_vector3, header, pose, vector3};
use merrow_messages::frames::ObjectStates;
use merrow_model::scene::robot::firmware::FirmwareLaw;
use merrow_model::scene::{Robot, Scene};
use merrow_model::state::commands::FirmwareOrder;
use merrow_model::state::firmware::FirmwareLawState;
use merrow_model::state::{Command, FirmwareCommand};
use merrow_ros2::msg::geometry_msgs::{Twist, TwistStamped};
use merrow_ros2::msg::nav_msgs::Odometry;
use merrow_ros2::msg::std_msgs::{Bool, Float64, String as StringMsg};
use merrow_ros2::msg::std_srvs::Trigger;

/// Appends the topics that the firmware of robot `i` publishes.
pub fn outputs(i: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    let Some(firmware) = &robot.firmware else {
        return;
    };
    let topic = |name: &str| format!("{}/{name}", robot.name);
    if firmware.multirotor().is_some() {
        outputs.push(Output::states(topic("flight_mode"), move |_, states| {
            flight_mode(i, states)
        }));
    }
    if matches!(firmware.law, FirmwareLaw::DifferentialDrive(_)) {
        outputs.push(Output::states(
            topic("wheel_odometry"),
            move |moment, states| wheel_odometry(moment.scene, i, states),
        ));
    }
    motion_control::outputs(i, robot, outputs);
}

/// Appends the topics to which the firmware of robot `i` subscribes.
pub fn inputs(i: usize, robot: &Robot, inputs: &mut Vec<Input>) {
    let Some(firmware) = &robot.firmware else {
        return;
    };
    let topic = |name: &str| format!("{}/{name}", robot.name);
    let unit = firmware.velocity_unit();
    let accepts = firmware.abilities();
    if accepts.velocity {
        let input = Input::new(topic("cmd_vel"), unit.clone(), move |_, twist: Twist| {
            velocity_command(i, &twist)
        });
        inputs.push(input.on_page(PageControl::Velocity));
        inputs.push(Input::new(
            topic("cmd_vel_stamped"),
            unit,
            move |_, message: TwistStamped| velocity_command(i, &message.twist),
        ));
    }
    let course = move |heading, depth| {
        Command::Firmware(i, FirmwareCommand::HeadingDepth { heading, depth })
    };
    if accepts.heading {
        inputs.push(Input::new(
            topic("autopilot/heading_deg"),
            "deg, clockwise from north",
            move |_, heading: Float64| course(Some(heading.data.to_radians()), None),
        ));
    }
    if accepts.depth {
        inputs.push(Input::new(
            topic("autopilot/depth_m"),
            "m, positive down",
            move |_, depth: Float64| course(None, Some(depth.data)),
        ));
    }
    let unit = "true: enable; false: disable immediately";
    inputs.push(Input::new(topic("enable"), unit, move |_, on: Bool| {
        let order = FirmwareOrder::Enable(on.data);
        Command::Firmware(i, FirmwareCommand::FirmwareOrder { order })
    }));
    motion_control::inputs(i, robot, inputs);
}

/// Appends the services of the firmware of robot `i`.
pub(crate) fn services(i: usize, robot: &Robot, all: &mut Vec<NodeService>) {
    let firmware = robot.firmware.as_ref();
    if firmware.is_none_or(|firmware| firmware.multirotor().is_none()) {
        return;
    }
    for (name, order) in [
        ("takeoff", FirmwareOrder::TakeOff),
        ("land", FirmwareOrder::Land),
    ] {
        let name = robot.in_namespace(&format!("{}/{name}", robot.name));
        let convert = move |_: &_, _: &_, _: &_| Ok(FirmwareCommand::FirmwareOrder { order }.of(i));
        all.push(NodeService::command::<Trigger>(name, Some(i), convert));
    }
}

/// Converts a velocity in the base of a robot.
pub(super) fn velocity_command(robot: usize, twist: &Twist) -> Command {
    FirmwareCommand::Velocity {
        linear: from_vector3(&twist.linear),
        angular: from_vector3(&twist.angular),
    }
    .of(robot)
}

/// Returns the flight mode of a robot.
pub fn flight_mode(robot: usize, snapshot: &ObjectStates) -> StringMsg {
    let word = snapshot.firmware[robot]
        .as_ref()
        .map_or("", |f| match &f.memory {
            FirmwareLawState::Multirotor(flight) => flight.mode.keyword(),
            _ => "",
        });
    StringMsg {
        data: word.to_string(),
    }
}

/// Returns the odometry that a robot computes from its wheel rotation.
pub fn wheel_odometry(scene: &Scene, robot: usize, snapshot: &ObjectStates) -> Odometry {
    let model = &scene.robots[robot];
    let memory = snapshot.firmware[robot].as_ref().map(|f| &f.memory);
    let Some(FirmwareLawState::DifferentialDrive(drive)) = memory else {
        return Odometry::default();
    };
    let [x, y, yaw] = drive.odometry;
    let [v, w] = drive.measured;
    let mut message = Odometry {
        header: header(snapshot.time_ns, &format!("{}/odom", model.name)),
        child_frame_id: merrow_messages::frames::link_frame(model, 0),
        ..Odometry::default()
    };
    let attitude = Quat::from_rpy(0.0, 0.0, yaw);
    message.pose.pose = pose(Vec3::new(x, y, 0.0), attitude);
    message.twist.twist = Twist {
        linear: vector3(Vec3::new(v, 0.0, 0.0)),
        angular: vector3(Vec3::new(0.0, 0.0, w)),
    };
    message
}
