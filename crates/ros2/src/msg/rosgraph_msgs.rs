//! `rosgraph_msgs`: the simulation clock.

use crate::message::ros_message;
use crate::msg::builtin_interfaces::Time;

ros_message! {
    /// Simulation time, as published on `/clock`.
    pub struct Clock("rosgraph_msgs/msg/Clock") {
        /// Simulation time of the message.
        clock: Time,
    }
}
