//! `trajectory_msgs`: where joints are to be, and when.

use crate::message::ros_message;
use crate::msg::builtin_interfaces::Duration;
use crate::msg::geometry_msgs::{Transform, Twist};
use crate::msg::std_msgs::Header;

ros_message! {
    /// State of some joints at one instant; each list has one entry per joint, or none.
    pub struct JointTrajectoryPoint("trajectory_msgs/msg/JointTrajectoryPoint") {
        /// Positions \[rad or m\].
        positions: Vec<f64>,
        /// Velocities \[rad/s or m/s\].
        velocities: Vec<f64>,
        /// Accelerations \[rad/s^2 or m/s^2\].
        accelerations: Vec<f64>,
        /// Efforts \[N m or N\].
        effort: Vec<f64>,
        /// When, after the start of the trajectory.
        time_from_start: Duration,
    }

    /// Motion of some joints over time.
    pub struct JointTrajectory("trajectory_msgs/msg/JointTrajectory") {
        /// When it starts; a stamp of 0 is now.
        header: Header,
        /// Names of the joints.
        joint_names: Vec<String>,
        /// Where they are when, in order of time.
        points: Vec<JointTrajectoryPoint>,
    }

    /// State of joints with several degrees of freedom at one instant.
    pub struct MultiDOFJointTrajectoryPoint("trajectory_msgs/msg/MultiDOFJointTrajectoryPoint") {
        /// Poses \[m\].
        transforms: Vec<Transform>,
        /// Velocities \[m/s, rad/s\].
        velocities: Vec<Twist>,
        /// Accelerations \[m/s^2, rad/s^2\].
        accelerations: Vec<Twist>,
        /// When, after the start of the trajectory.
        time_from_start: Duration,
    }

    /// Motion of joints with several degrees of freedom over time.
    pub struct MultiDOFJointTrajectory("trajectory_msgs/msg/MultiDOFJointTrajectory") {
        /// When it starts; a stamp of 0 is now.
        header: Header,
        /// Names of the joints.
        joint_names: Vec<String>,
        /// Where they are when, in order of time.
        points: Vec<MultiDOFJointTrajectoryPoint>,
    }
}
