//! Profiles: topic names, units and frames of another simulator.

use merrow_yaml::spec::spec;

spec! {
    /// Simulator whose topic names, units and frames a robot has.
    pub enum Profile words {
        /// Virtual RobotX, on Gazebo.
        Vrx = "vrx",
        /// Gazebo with the systems of DAVE and POSIM.
        Gz = "gz",
        /// Stonefish with its ROS 2 package.
        Stonefish = "stonefish",
        /// UUV Simulator, with names that ROS 2 accepts.
        Uuv = "uuv",
        /// Plankton, the ROS 2 version of UUV Simulator.
        Plankton = "plankton",
    }
}
