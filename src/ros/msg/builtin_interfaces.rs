//! `builtin_interfaces`: instants and spans of time.
//!
//! Here because every stamped message holds one.

use crate::ros::message::ros_message;

ros_message! {
    /// An instant, on the clock that the topic uses: simulation time unless said otherwise.
    pub struct Time("builtin_interfaces/msg/Time") {
        /// Whole seconds \[s\], rounded towards negative infinity.
        sec: i32,
        /// The rest \[ns\], below 1e9.
        nanosec: u32,
    }

    /// A span of time.
    pub struct Duration("builtin_interfaces/msg/Duration") {
        /// Whole seconds \[s\], rounded towards negative infinity.
        sec: i32,
        /// The rest \[ns\], below 1e9.
        nanosec: u32,
    }
}
