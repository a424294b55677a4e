//! Names of Virtual RobotX (osrf/vrx, branch jazzy, 93ae8d0: `vrx_gz/src/vrx_gz/bridges.py`,
//! `payload_bridges.py`).

use crate::profile::{AddInput, SensorTopic, thrust_input};
use crate::topics::Input;
use merrow_model::scene::Robot;
use merrow_model::state::{ActuatorCommand, Command};
use merrow_ros2::msg::std_msgs::Float64;

/// Returns the name of a topic of a sensor.
pub(super) fn sensor_topic(topic: &SensorTopic<'_>) -> Option<String> {
    let name = topic.name;
    let tail = match (topic.kind, topic.suffix) {
        ("imu" | "ahrs", "/data") if topic.is_first => "imu/imu/data".to_string(),
        ("gnss", "/fix") if topic.is_first => "gps/gps/fix".to_string(),
        ("odometry", "") if topic.is_first => "position/ground_truth_odometry".to_string(),
        ("camera", "/image_raw" | "/camera_info" | "/points") => {
            format!("cameras/{name}_sensor{}", topic.suffix)
        }
        ("camera", "/depth/image_raw") => format!("cameras/{name}_sensor/depth"),
        ("laser" | "lidar" | "tilting_laser", "/scan" | "/points") => {
            format!("lidars/{name}_sensor{}", topic.suffix)
        }
        _ => return None,
    };
    Some(format!("{}/sensors/{tail}", topic.robot.name))
}

/// Adds thrusts and azimuth angles.
pub(super) fn add_inputs(i: usize, robot: &Robot, add: &mut AddInput<'_>) {
    for (k, thruster) in robot.thrusters.iter().enumerate() {
        let topic = |what: &str| format!("{}/thrusters/{}/{what}", robot.name, thruster.name);
        add(thrust_input(i, topic("thrust"), k));
        if let Some(fin) = thruster.azimuth {
            add(Input::new(topic("pos"), "rad", move |_, angle: Float64| {
                let value = angle.data;
                Command::Actuator(i, ActuatorCommand::Fin { fin, value })
            }));
        }
    }
}
