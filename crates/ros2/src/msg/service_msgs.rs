//! `service_msgs`: part of the description of every service.
//!
//! The type hash of a service includes this message; it is never published.

use crate::message::{Char, ros_message};
use crate::msg::builtin_interfaces::Time;

ros_message! {
    /// Kind, time and client of a service event.
    pub struct ServiceEventInfo("service_msgs/msg/ServiceEventInfo") {
        /// Kind of event, one of the constants.
        event_type: u8,
        /// Time of the data.
        stamp: Time,
        /// GID of the client.
        client_gid: [u8; 16] as [Char; 16],
        /// Sequence number of the call, unique together with the GID.
        sequence_number: i64,
    } consts {
        REQUEST_SENT: u8 = 0,
        REQUEST_RECEIVED: u8 = 1,
        RESPONSE_SENT: u8 = 2,
        RESPONSE_RECEIVED: u8 = 3,
    }
}
