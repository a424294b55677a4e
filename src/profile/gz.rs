//! Names of Gazebo with the systems of DAVE and POSIM (IOES-Lab/POSIM,
//! `models/*/config/<robot>/robot_config.py`; thruster system of gz-sim).

use crate::profile::{AddInput, SensorTopic, thrust_input};
use merrow_model::scene::Robot;

/// Returns the name of a topic of a sensor.
pub(super) fn sensor_topic(topic: &SensorTopic<'_>) -> Option<String> {
    let tail = match (topic.kind, topic.suffix) {
        ("odometry", "") => "odometry",
        ("imu" | "ahrs", "/data") => "imu",
        ("magnetometer", "/data") => "magnetometer",
        ("pressure", "/data") => "sea_pressure",
        ("gnss", "/fix") => "navsat",
        ("dvl", "/data") => "dvl/velocity",
        ("camera", "/image_raw") => "camera/image",
        ("camera", "/camera_info") => "camera/camera_info",
        _ => return None,
    };
    let robot = &topic.robot.name;
    topic.is_first.then(|| format!("/model/{robot}/{tail}"))
}

/// Adds thrusts; thrusters count from 1.
pub(super) fn add_inputs(i: usize, robot: &Robot, add: &mut AddInput<'_>) {
    for thruster in 0..robot.thrusters.len() {
        let (name, k) = (&robot.name, thruster + 1);
        let topic = format!("/model/{name}/joint/thruster{k}_joint/cmd_thrust");
        add(thrust_input(i, topic, thruster));
    }
}
