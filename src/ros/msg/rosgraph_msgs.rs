//! `rosgraph_msgs`: the simulation clock.

use super::builtin_interfaces::Time;
use crate::ros::message::ros_message;

ros_message! {
    /// Simulation time, as published on `/clock`.
    pub struct Clock("rosgraph_msgs/msg/Clock") {
        /// Now.
        clock: Time,
    }
}
