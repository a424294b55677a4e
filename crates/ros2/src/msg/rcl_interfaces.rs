//! `rcl_interfaces`: log messages, and the messages of a node's parameters.
//!
//! The services that use them are in `rcl_services.rs`.

use crate::message::{Bounded, Byte, ros_message};
use crate::msg::builtin_interfaces::Time;

pub use crate::msg::rcl_services::*;

ros_message! {
    /// One log message, as published on `/rosout`.
    pub struct Log("rcl_interfaces/msg/Log") {
        /// Wall time of the message.
        stamp: Time,
        /// Severity, one of the constants.
        level: u8,
        /// Name of the logger.
        name: String,
        /// Text of the message.
        msg: String,
        /// Source file; may be empty.
        file: String,
        /// Function name; may be empty.
        function: String,
        /// Line in the source file.
        line: u32,
    } consts {
        DEBUG: u8 = 10,
        INFO: u8 = 20,
        WARN: u8 = 30,
        ERROR: u8 = 40,
        FATAL: u8 = 50,
    }

    /// Numbers of the types that a parameter can have.
    pub struct ParameterType("rcl_interfaces/msg/ParameterType") {} consts {
        PARAMETER_NOT_SET: u8 = 0,
        PARAMETER_BOOL: u8 = 1,
        PARAMETER_INTEGER: u8 = 2,
        PARAMETER_DOUBLE: u8 = 3,
        PARAMETER_STRING: u8 = 4,
        PARAMETER_BYTE_ARRAY: u8 = 5,
        PARAMETER_BOOL_ARRAY: u8 = 6,
        PARAMETER_INTEGER_ARRAY: u8 = 7,
        PARAMETER_DOUBLE_ARRAY: u8 = 8,
        PARAMETER_STRING_ARRAY: u8 = 9,
    }

    /// Value of a parameter, in the field selected by `type`; the other fields are ignored.
    pub struct ParameterValue("rcl_interfaces/msg/ParameterValue") {
        /// Type of the value, a constant of [`ParameterType`]; it selects the field with the value.
        r#type: u8,
        /// Value of a boolean.
        bool_value: bool,
        /// Value of an integer.
        integer_value: i64,
        /// Value of a real number.
        double_value: f64,
        /// Value of a text.
        string_value: String,
        /// Value of raw bytes.
        byte_array_value: Vec<u8> as Vec<Byte>,
        /// Value of a list of booleans.
        bool_array_value: Vec<bool>,
        /// Value of a list of integers.
        integer_array_value: Vec<i64>,
        /// Value of a list of real numbers.
        double_array_value: Vec<f64>,
        /// Value of a list of texts.
        string_array_value: Vec<String>,
    }

    /// Name and value of a parameter.
    pub struct Parameter("rcl_interfaces/msg/Parameter") {
        /// Name of the parameter.
        name: String,
        /// Value of the parameter.
        value: ParameterValue,
    }

    /// Allowed values of a floating-point parameter.
    pub struct FloatingPointRange("rcl_interfaces/msg/FloatingPointRange") {
        /// Minimum of the allowed values (inclusive).
        from_value: f64,
        /// Maximum of the allowed values (inclusive).
        to_value: f64,
        /// Step between allowed values, counted from the minimum; 0 allows any value.
        step: f64,
    }

    /// Allowed values of an integer parameter.
    pub struct IntegerRange("rcl_interfaces/msg/IntegerRange") {
        /// Minimum of the allowed values (inclusive).
        from_value: i64,
        /// Maximum of the allowed values (inclusive).
        to_value: i64,
        /// Step between allowed values, counted from the minimum; 0 allows any value.
        step: u64,
    }

    /// Description of a parameter: type, meaning and constraints.
    pub struct ParameterDescriptor("rcl_interfaces/msg/ParameterDescriptor") {
        /// Name of the parameter.
        name: String,
        /// Type of the parameter, a constant of [`ParameterType`].
        r#type: u8,
        /// Description of the parameter for users.
        description: String,
        /// Constraints, in words, that the ranges cannot express.
        additional_constraints: String,
        /// Whether the parameter can be set only at start.
        read_only: bool,
        /// Whether the type of the parameter may change.
        dynamic_typing: bool,
        /// Allowed values of a floating-point parameter, at most one range.
        floating_point_range: Vec<FloatingPointRange> as Bounded<FloatingPointRange, 1>,
        /// Allowed values of an integer parameter, at most one range.
        integer_range: Vec<IntegerRange> as Bounded<IntegerRange, 1>,
    }

    /// Parameters of a node that changed, as published on `/parameter_events`.
    pub struct ParameterEvent("rcl_interfaces/msg/ParameterEvent") {
        /// Time of the data.
        stamp: Time,
        /// Fully qualified name of the node.
        node: String,
        /// Parameters that were declared.
        new_parameters: Vec<Parameter>,
        /// Parameters whose value changed.
        changed_parameters: Vec<Parameter>,
        /// Parameters that were undeclared.
        deleted_parameters: Vec<Parameter>,
    }

    /// Result of setting a parameter, or of an atomic set of parameters.
    pub struct SetParametersResult("rcl_interfaces/msg/SetParametersResult") {
        /// Whether the value was set.
        successful: bool,
        /// Reason for a refusal.
        reason: String,
    }

    /// Parameter names that begin with a prefix.
    pub struct ListParametersResult("rcl_interfaces/msg/ListParametersResult") {
        /// Names of the parameters.
        names: Vec<String>,
        /// Prefixes of these names.
        prefixes: Vec<String>,
    }

    /// Level of a logger.
    pub struct LoggerLevel("rcl_interfaces/msg/LoggerLevel") {
        /// Name of the logger.
        name: String,
        /// Lowest severity that the logger writes, one of the constants.
        level: u32,
    } consts {
        LOG_LEVEL_UNKNOWN: u8 = 0,
        LOG_LEVEL_DEBUG: u8 = 10,
        LOG_LEVEL_INFO: u8 = 20,
        LOG_LEVEL_WARN: u8 = 30,
        LOG_LEVEL_ERROR: u8 = 40,
        LOG_LEVEL_FATAL: u8 = 50,
    }

    /// Result of setting the level of a logger.
    pub struct SetLoggerLevelsResult("rcl_interfaces/msg/SetLoggerLevelsResult") {
        /// Whether the value was set.
        successful: bool,
        /// Reason for a refusal.
        reason: String,
    }
}
