//! `service_msgs`: part of the description of every service.
//!
//! Here because the type hash of a service covers it; nothing publishes it.

use crate::message::{Char, ros_message};
use crate::msg::builtin_interfaces::Time;

ros_message! {
    /// Who did what with a service call, and when.
    pub struct ServiceEventInfo("service_msgs/msg/ServiceEventInfo") {
        /// One of the constants.
        event_type: u8,
        /// When.
        stamp: Time,
        /// GID of the client.
        client_gid: [u8; 16] as [Char; 16],
        /// Number of the call, unique with the GID.
        sequence_number: i64,
    } consts {
        REQUEST_SENT: u8 = 0,
        REQUEST_RECEIVED: u8 = 1,
        RESPONSE_SENT: u8 = 2,
        RESPONSE_RECEIVED: u8 = 3,
    }
}
