//! `unique_identifier_msgs`: names of goals.

use crate::message::ros_message;

ros_message! {
    /// A universally unique identifier (RFC 4122).
    pub struct UUID("unique_identifier_msgs/msg/UUID") {
        /// Its 16 bytes.
        uuid: [u8; 16],
    }
}
