//! Names of Stonefish with stonefish_ros2 (`ROS2ScenarioParser.cpp`): the user chooses the topics
//! in the scenario file. This profile has the units and the image topics of Stonefish, and the
//! names of its documentation where it has some.

use crate::profile::{AddInput, SensorTopic, commands_of_speeds};
use crate::topics::Input;
use merrow_model::scene::Robot;
use merrow_model::state::{ActuatorCommand, Command};
use merrow_ros2::msg::std_msgs::Float64MultiArray;

/// Returns the name of a topic of a sensor.
pub(super) fn sensor_topic(topic: &SensorTopic<'_>) -> Option<String> {
    let (robot, name) = (&topic.robot.name, topic.name);
    let tail = match (topic.kind, topic.suffix) {
        ("imu" | "ahrs" | "pressure" | "magnetometer", "/data")
        | ("gnss", "/fix")
        | ("dvl", "/twist")
        | ("altimeter", "/range") => "",
        ("camera", "/image_raw") => "/image_color",
        ("camera", "/depth/image_raw") => "/image_depth",
        ("imaging_sonar" | "side_scan" | "scanning_sonar" | "multibeam", "/image_display") => {
            "/display"
        }
        _ => return None,
    };
    Some(format!("{robot}/{name}{tail}"))
}

/// Adds the array of normalised thruster setpoints.
pub(super) fn add_inputs(i: usize, robot: &Robot, add: &mut AddInput<'_>) {
    if !robot.thrusters.is_empty() {
        let topic = format!("{}/thruster_setpoints", robot.name);
        let unit = format!("{} values: rotor speed, -1..1", robot.thrusters.len());
        add(Input::new(
            topic,
            unit,
            move |arrival, speeds: Float64MultiArray| {
                let (robot, density) = (&arrival.scene.robots[i], arrival.scene.sea.density);
                let values = commands_of_speeds(robot, &speeds.data, density)?;
                Ok(Command::Actuator(i, ActuatorCommand::Thrusters { values }))
            },
        ));
    }
}
