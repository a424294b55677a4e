//! Names of Virtual RobotX (osrf/vrx, branch jazzy, 93ae8d0: `vrx_gz/src/vrx_gz/bridges.py`,
//! `payload_bridges.py`).

use crate::profile::{AddInput, SensorTopic, add_thrust_inputs};
use crate::topics::ProfileCommand;
use merrow_model::scene::Robot;
use merrow_ros2::message::Message;
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
pub(super) fn add_inputs(robot: &Robot, add: &mut AddInput<'_>) {
    let prefix = &robot.name;
    add_thrust_inputs(robot, add, |_, name| {
        format!("{prefix}/thrusters/{name}/thrust")
    });
    for thruster in robot.thrusters.iter() {
        if let Some(fin) = thruster.azimuth {
            let topic = format!("{prefix}/thrusters/{}/pos", thruster.name);
            add(topic, Float64::info(), ProfileCommand::Angle { fin }, "rad");
        }
    }
}
