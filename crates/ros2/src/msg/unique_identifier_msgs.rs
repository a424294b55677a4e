//! `unique_identifier_msgs`: identifiers of action goals.

use crate::message::ros_message;

ros_message! {
    /// A universally unique identifier (RFC 4122).
    pub struct UUID("unique_identifier_msgs/msg/UUID") {
        /// The 16 bytes of the identifier.
        uuid: [u8; 16],
    }
}
