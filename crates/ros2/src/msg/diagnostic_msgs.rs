//! `diagnostic_msgs`: health of components, as published on `/diagnostics`.

use crate::message::{Byte, ros_message};
use crate::msg::std_msgs::Header;

ros_message! {
    /// A named value as text.
    pub struct KeyValue("diagnostic_msgs/msg/KeyValue") {
        /// Name of the value.
        key: String,
        /// Value, formatted as text.
        value: String,
    }

    /// Health of one component.
    pub struct DiagnosticStatus("diagnostic_msgs/msg/DiagnosticStatus") {
        /// Severity, one of the constants.
        level: u8 as Byte,
        /// Name of the component.
        name: String,
        /// Description of the state for users.
        message: String,
        /// Identifier of the device.
        hardware_id: String,
        /// Measured values of the component.
        values: Vec<KeyValue>,
    } consts {
        OK: u8 as Byte = 0,
        WARN: u8 as Byte = 1,
        ERROR: u8 as Byte = 2,
        STALE: u8 as Byte = 3,
    }

    /// Health of several components.
    pub struct DiagnosticArray("diagnostic_msgs/msg/DiagnosticArray") {
        /// Time of the data.
        header: Header,
        /// Status of each component.
        status: Vec<DiagnosticStatus>,
    }
}
