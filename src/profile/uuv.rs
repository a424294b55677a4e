//! Names of UUV Simulator and Plankton (uuvsimulator/uuv_simulator @bfb40cb, `uuv_descriptions`,
//! `uuv_gazebo_ros_plugins`; Liquid-ai/Plankton). ROS 2 forbids names that begin with a digit, so
//! thruster 0 is `id_0` as in Plankton.

use crate::profile::{AddInput, SensorTopic};
use crate::topics::Input;
use merrow_messages::msg::uuv_gazebo_ros_plugins_msgs::FloatStamped;
use merrow_model::scene::Robot;
use merrow_model::scene::robot::profile::Profile;
use merrow_model::state::{ActuatorCommand, Command};

/// Returns the name of a topic of a sensor.
pub(super) fn sensor_topic(topic: &SensorTopic<'_>) -> Option<String> {
    let (robot, name) = (&topic.robot.name, topic.name);
    // the camera plugin of ROS 1 prefixes the name of the camera with the name of the model; the
    // plugin of ROS 2, which Plankton uses, has the topics of Merrow
    if topic.robot.profile == Some(Profile::Uuv) && topic.kind == "camera" {
        return match topic.suffix {
            "/image_raw" => Some(format!("{robot}/{robot}/{name}/camera_image")),
            "/camera_info" => Some(format!("{robot}/{robot}/{name}/camera_info")),
            _ => None,
        };
    }
    let tail = match (topic.kind, topic.suffix) {
        ("odometry", "") => "pose_gt",
        ("imu" | "ahrs", "/data") => "imu",
        ("magnetometer", "/data") => "magnetometer",
        ("pressure", "/data") => "pressure",
        ("gnss", "/fix") => "gps",
        ("dvl", "/twist") => "dvl_twist",
        _ => return None,
    };
    topic.is_first.then(|| format!("{robot}/{tail}"))
}

/// Adds the inputs of thrusters and fins.
pub(super) fn add_inputs(i: usize, robot: &Robot, add: &mut AddInput<'_>) {
    for (thruster, t) in robot.thrusters.iter().enumerate() {
        let topic = format!("{}/thrusters/id_{thruster}/input", robot.name);
        let unit = t.motor.command.symbol();
        add(Input::new(topic, unit, move |_, message: FloatStamped| {
            let value = message.data;
            Command::Actuator(i, ActuatorCommand::Thruster { thruster, value })
        }));
    }
    let fins = robot.fins.iter().enumerate();
    for (id, (fin, _)) in fins.filter(|(_, fin)| fin.is_movable()).enumerate() {
        let topic = format!("{}/fins/id_{id}/input", robot.name);
        add(Input::new(topic, "rad", move |_, message: FloatStamped| {
            let value = message.data;
            Command::Actuator(i, ActuatorCommand::Fin { fin, value })
        }));
    }
}
