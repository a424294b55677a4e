//! Frames of other simulators.
//!
//! Gazebo names a frame by model, link and sensor; VRX prefixes it with the namespace of the robot.
//! UUV Simulator and Plankton name the frame of a sensor by robot and link, such as
//! `rexrov/imu_link`; their robots keep the names of Merrow, because the URDF of a robot often has
//! such a link, which would then be the frame of two objects.

use merrow_model::scene::Robot;
use merrow_model::scene::robot::profile::Profile;

/// Returns the frame of a link in the profile of the robot; `None`: Merrow's name.
pub(crate) fn link_frame(robot: &Robot, link: usize) -> Option<String> {
    let (name, link) = (&robot.name, &robot.links[link].name);
    match robot.profile? {
        Profile::Vrx => Some(format!("{name}/{name}/{link}")),
        Profile::Gz | Profile::Stonefish | Profile::Uuv | Profile::Plankton => None,
    }
}

/// Returns the frame of a sensor in the profile of the robot; `None`: Merrow's name.
pub(crate) fn sensor_frame(robot: &Robot, sensor: usize) -> Option<String> {
    let own = &robot.sensors[sensor];
    let (name, link) = (&robot.name, &robot.links[own.link].name);
    match robot.profile? {
        Profile::Vrx => Some(format!("{name}/{name}/{link}/{}_sensor", own.name)),
        Profile::Gz => Some(format!("{name}/{link}/{}", own.name)),
        Profile::Stonefish | Profile::Uuv | Profile::Plankton => None,
    }
}
