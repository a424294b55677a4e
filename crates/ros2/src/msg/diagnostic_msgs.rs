//! `diagnostic_msgs`: the health of parts, as published on `/diagnostics`.

use crate::message::{Byte, ros_message};
use crate::msg::std_msgs::Header;

ros_message! {
    /// A named value.
    pub struct KeyValue("diagnostic_msgs/msg/KeyValue") {
        /// Name.
        key: String,
        /// Value as text.
        value: String,
    }

    /// Health of one part.
    pub struct DiagnosticStatus("diagnostic_msgs/msg/DiagnosticStatus") {
        /// How bad, a constant.
        level: u8 as Byte,
        /// Name of the part.
        name: String,
        /// What is the matter, for a person to read.
        message: String,
        /// The device.
        hardware_id: String,
        /// Measurements.
        values: Vec<KeyValue>,
    } consts {
        OK: u8 as Byte = 0,
        WARN: u8 as Byte = 1,
        ERROR: u8 as Byte = 2,
        STALE: u8 as Byte = 3,
    }

    /// Health of several parts.
    pub struct DiagnosticArray("diagnostic_msgs/msg/DiagnosticArray") {
        /// When.
        header: Header,
        /// One per part.
        status: Vec<DiagnosticStatus>,
    }
}
