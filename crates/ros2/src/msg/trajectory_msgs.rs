//! `trajectory_msgs`: motions of joints over time.

use crate::message::ros_message;
use crate::msg::builtin_interfaces::Duration;
use crate::msg::geometry_msgs::{Transform, Twist};
use crate::msg::std_msgs::Header;

ros_message! {
    /// State of joints at one time. Each list has one entry per joint, or none.
    pub struct JointTrajectoryPoint("trajectory_msgs/msg/JointTrajectoryPoint") {
        /// Positions \[rad or m\].
        positions: Vec<f64>,
        /// Velocities \[rad/s or m/s\].
        velocities: Vec<f64>,
        /// Accelerations \[rad/s^2 or m/s^2\].
        accelerations: Vec<f64>,
        /// Efforts \[N m or N\].
        effort: Vec<f64>,
        /// Time after the start of the trajectory.
        time_from_start: Duration,
    }

    /// Motion of joints over time.
    pub struct JointTrajectory("trajectory_msgs/msg/JointTrajectory") {
        /// Start time; a stamp of 0 means immediately.
        header: Header,
        /// Names of the joints.
        joint_names: Vec<String>,
        /// Points of the trajectory, in order of time.
        points: Vec<JointTrajectoryPoint>,
    }

    /// State of joints with several degrees of freedom at one time.
    pub struct MultiDOFJointTrajectoryPoint("trajectory_msgs/msg/MultiDOFJointTrajectoryPoint") {
        /// Poses of the joints \[m\].
        transforms: Vec<Transform>,
        /// Velocities of the joints \[m/s, rad/s\].
        velocities: Vec<Twist>,
        /// Accelerations of the joints \[m/s^2, rad/s^2\].
        accelerations: Vec<Twist>,
        /// Time after the start of the trajectory.
        time_from_start: Duration,
    }

    /// Motion of joints with several degrees of freedom over time.
    pub struct MultiDOFJointTrajectory("trajectory_msgs/msg/MultiDOFJointTrajectory") {
        /// Start time; a stamp of 0 means immediately.
        header: Header,
        /// Names of the joints.
        joint_names: Vec<String>,
        /// Points of the trajectory, in order of time.
        points: Vec<MultiDOFJointTrajectoryPoint>,
    }
}
