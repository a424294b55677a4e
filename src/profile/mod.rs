//! Profiles: topic names, types, units and frames of other simulators, so that their control stacks
//! connect without a change.
//!
//! [`apply`] renames the topics of a robot and adds the inputs of its profile; the frames are in
//! `merrow_messages::frames`, the units and axes of readings in
//! `merrow_messages::convert::profile`. A topic that the other simulator lacks keeps the name of
//! Merrow. The names come from these files:
//!
//! * Virtual RobotX: osrf/vrx, branch jazzy, 93ae8d0, `vrx_gz/src/vrx_gz/bridges.py`,
//!   `payload_bridges.py`.
//! * Gazebo with the systems of DAVE and POSIM: IOES-Lab/POSIM,
//!   `models/*/config/<robot>/robot_config.py`; thruster system of gz-sim.
//! * Stonefish with stonefish_ros2 (`ROS2ScenarioParser.cpp`): the user chooses the topics in the
//!   scenario file. This profile has the units and the image topics of Stonefish, and the names of
//!   its documentation where it has some.
//! * UUV Simulator and Plankton: uuvsimulator/uuv_simulator @bfb40cb, `uuv_descriptions`,
//!   `uuv_gazebo_ros_plugins`; Liquid-ai/Plankton. ROS 2 forbids names that begin with a digit, so
//!   thruster 0 is `id_0` as in Plankton. The camera plugin of ROS 1 prefixes the name of the camera
//!   with the name of the model; the plugin of ROS 2, which Plankton uses, has the topics of Merrow.

mod inputs;

use crate::topics::{Input, Output};
use merrow_model::scene::robot::profile::Profile;
use merrow_model::scene::{Robot, Sensor};

/// Topics of sensors: profiles, kinds of sensors, ends of the topic after the name of the sensor
/// (`-`: none), whether all sensors of a kind or only the first has it, and its name.
const SENSOR_TOPICS: &str = "\
vrx imu,ahrs /data first {robot}/sensors/imu/imu/data
vrx gnss /fix first {robot}/sensors/gps/gps/fix
vrx odometry - first {robot}/sensors/position/ground_truth_odometry
vrx camera /image_raw,/camera_info,/points all {robot}/sensors/cameras/{name}_sensor{end}
vrx camera /depth/image_raw all {robot}/sensors/cameras/{name}_sensor/depth
vrx laser,lidar,tilting_laser /scan,/points all {robot}/sensors/lidars/{name}_sensor{end}
gz odometry - first /model/{robot}/odometry
gz imu,ahrs /data first /model/{robot}/imu
gz magnetometer /data first /model/{robot}/magnetometer
gz pressure /data first /model/{robot}/sea_pressure
gz gnss /fix first /model/{robot}/navsat
gz dvl /data first /model/{robot}/dvl/velocity
gz camera /image_raw first /model/{robot}/camera/image
gz camera /camera_info first /model/{robot}/camera/camera_info
stonefish imu,ahrs,pressure,magnetometer /data all {robot}/{name}
stonefish gnss /fix all {robot}/{name}
stonefish dvl /twist all {robot}/{name}
stonefish altimeter /range all {robot}/{name}
stonefish camera /image_raw all {robot}/{name}/image_color
stonefish camera /depth/image_raw all {robot}/{name}/image_depth
stonefish imaging_sonar,side_scan,scanning_sonar,multibeam /image_display all {robot}/{name}/display
uuv camera /image_raw all {robot}/{robot}/{name}/camera_image
uuv camera /camera_info all {robot}/{robot}/{name}/camera_info
uuv,plankton odometry - first {robot}/pose_gt
uuv,plankton imu,ahrs /data first {robot}/imu
uuv,plankton magnetometer /data first {robot}/magnetometer
uuv,plankton pressure /data first {robot}/pressure
uuv,plankton gnss /fix first {robot}/gps
uuv,plankton dvl /twist first {robot}/dvl_twist";

/// Renames the topics of robot `i` and adds the inputs of its profile.
pub(crate) fn apply(i: usize, robot: &Robot, outputs: &mut [Output], inputs: &mut Vec<Input>) {
    let Some(profile) = robot.profile else {
        return;
    };
    for output in outputs {
        if let Some(name) = topic_name(profile, robot, output) {
            output.topic = name;
        }
    }
    inputs::add(profile, i, robot, inputs);
}

/// Returns the name of an output in the profile, if the other simulator has it.
fn topic_name(profile: Profile, robot: &Robot, output: &Output) -> Option<String> {
    let (_, sensor) = output.sensor()?;
    let own = &robot.sensors[sensor];
    let end = output.topic.strip_prefix(&robot.name)?;
    let end = end.strip_prefix('/')?.strip_prefix(&own.name)?;
    let is_same = |other: &Sensor| other.kind.name() == own.kind.name();
    let is_first = robot.sensors.iter().position(is_same) == Some(sensor);
    let given = [
        profile.keyword(),
        own.kind.name(),
        if end.is_empty() { "-" } else { end },
    ];
    let mut rows = SENSOR_TOPICS
        .lines()
        .map(|row| row.split(' ').collect::<Vec<_>>());
    let row = rows.find(|row| {
        let mut columns = row.iter().zip(given);
        columns.all(|(list, value)| list.split(',').any(|own| own == value))
            && (is_first || row[3] == "all")
    })?;
    let name = row[4].replace("{robot}", &robot.name);
    Some(name.replace("{name}", &own.name).replace("{end}", end))
}
