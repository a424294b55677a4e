//! `rcl_interfaces`: the log, and the messages of the parameters of a node.
//!
//! The services over them are in `rcl_services.rs`.

use crate::message::{Bounded, Byte, ros_message};
use crate::msg::builtin_interfaces::Time;

pub use crate::msg::rcl_services::*;

ros_message! {
    /// One line of a log, as published on `/rosout`.
    pub struct Log("rcl_interfaces/msg/Log") {
        /// When it was written, wall time.
        stamp: Time,
        /// Severity, one of the constants.
        level: u8,
        /// Name of the logger.
        name: String,
        /// The text.
        msg: String,
        /// Source file, may be empty.
        file: String,
        /// Function, may be empty.
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

    /// Names for the types that a parameter can have.
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

    /// Value of a parameter: the field that `type` names; the others are ignored.
    pub struct ParameterValue("rcl_interfaces/msg/ParameterValue") {
        /// Which field holds the value, a constant of [`ParameterType`].
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

    /// A parameter: name and value.
    pub struct Parameter("rcl_interfaces/msg/Parameter") {
        /// Name.
        name: String,
        /// Value.
        value: ParameterValue,
    }

    /// Allowed values of a real parameter.
    pub struct FloatingPointRange("rcl_interfaces/msg/FloatingPointRange") {
        /// Least value, allowed.
        from_value: f64,
        /// Greatest value, allowed.
        to_value: f64,
        /// Distance of allowed values from the least one; 0: any.
        step: f64,
    }

    /// Allowed values of an integer parameter.
    pub struct IntegerRange("rcl_interfaces/msg/IntegerRange") {
        /// Least value, allowed.
        from_value: i64,
        /// Greatest value, allowed.
        to_value: i64,
        /// Distance of allowed values from the least one; 0: any.
        step: u64,
    }

    /// What a parameter means and may be.
    pub struct ParameterDescriptor("rcl_interfaces/msg/ParameterDescriptor") {
        /// Name of the parameter.
        name: String,
        /// Its type, a constant of [`ParameterType`].
        r#type: u8,
        /// What it means, for a person to read.
        description: String,
        /// Limits that the ranges cannot say, for a person to read.
        additional_constraints: String,
        /// Whether it can only be set at start.
        read_only: bool,
        /// Whether its type may change.
        dynamic_typing: bool,
        /// Allowed values of a real parameter, at most one range.
        floating_point_range: Vec<FloatingPointRange> as Bounded<FloatingPointRange, 1>,
        /// Allowed values of an integer parameter, at most one range.
        integer_range: Vec<IntegerRange> as Bounded<IntegerRange, 1>,
    }

    /// Parameters of a node that changed, as published on `/parameter_events`.
    pub struct ParameterEvent("rcl_interfaces/msg/ParameterEvent") {
        /// When.
        stamp: Time,
        /// Fully qualified name of the node.
        node: String,
        /// Parameters that were declared.
        new_parameters: Vec<Parameter>,
        /// Parameters that got another value.
        changed_parameters: Vec<Parameter>,
        /// Parameters that were undeclared.
        deleted_parameters: Vec<Parameter>,
    }

    /// Whether a parameter, or all of a set, could be set.
    pub struct SetParametersResult("rcl_interfaces/msg/SetParametersResult") {
        /// Whether it is set.
        successful: bool,
        /// Why not.
        reason: String,
    }

    /// Names that begin with a prefix.
    pub struct ListParametersResult("rcl_interfaces/msg/ListParametersResult") {
        /// The parameters.
        names: Vec<String>,
        /// The prefixes that they have.
        prefixes: Vec<String>,
    }

    /// How much a logger writes.
    pub struct LoggerLevel("rcl_interfaces/msg/LoggerLevel") {
        /// Name of the logger.
        name: String,
        /// Least severity that it writes, one of the constants.
        level: u32,
    } consts {
        LOG_LEVEL_UNKNOWN: u8 = 0,
        LOG_LEVEL_DEBUG: u8 = 10,
        LOG_LEVEL_INFO: u8 = 20,
        LOG_LEVEL_WARN: u8 = 30,
        LOG_LEVEL_ERROR: u8 = 40,
        LOG_LEVEL_FATAL: u8 = 50,
    }

    /// Whether the level of a logger could be set.
    pub struct SetLoggerLevelsResult("rcl_interfaces/msg/SetLoggerLevelsResult") {
        /// Whether it is set.
        successful: bool,
        /// Why not.
        reason: String,
    }
}
