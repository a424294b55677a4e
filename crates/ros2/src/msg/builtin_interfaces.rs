//! `builtin_interfaces`: instants and spans of time.
//!
//! Here because every stamped message holds one.

use crate::message::ros_message;

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

impl Time {
    /// Time of an instant `ns` nanoseconds after the clock's origin; 68 years fit.
    pub fn from_nanos(ns: u64) -> Self {
        Self {
            sec: (ns / 1_000_000_000) as i32,
            nanosec: (ns % 1_000_000_000) as u32,
        }
    }
}
