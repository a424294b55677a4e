//! Services of `rcl_interfaces`: reading and setting the parameters and log levels of a node.
//!
//! They are separate from the messages in `rcl_interfaces.rs` only to limit the file length; users
//! access them through that module.

use crate::message::ros_service;
use crate::msg::rcl_interfaces::{
    ListParametersResult, LoggerLevel, Parameter, ParameterDescriptor, ParameterValue,
    SetLoggerLevelsResult, SetParametersResult,
};

ros_service! {
    /// Reads the values of parameters.
    pub struct GetParameters("rcl_interfaces/srv/GetParameters") {
        request GetParametersRequest {
            /// Names of the parameters.
            names: Vec<String>,
        }
        response GetParametersResponse {
            /// Values in the same order; "not set" for unknown parameters.
            values: Vec<ParameterValue>,
        }
    }

    /// Reads the types of parameters.
    pub struct GetParameterTypes("rcl_interfaces/srv/GetParameterTypes") {
        request GetParameterTypesRequest {
            /// Names of the parameters.
            names: Vec<String>,
        }
        response GetParameterTypesResponse {
            /// Types in the same order, constants of `ParameterType`.
            types: Vec<u8>,
        }
    }

    /// Sets parameters one by one.
    pub struct SetParameters("rcl_interfaces/srv/SetParameters") {
        request SetParametersRequest {
            /// Names and new values of the parameters.
            parameters: Vec<Parameter>,
        }
        response SetParametersResponse {
            /// Result of each change, in the same order.
            results: Vec<SetParametersResult>,
        }
    }

    /// Sets all parameters of a list, or none.
    pub struct SetParametersAtomically("rcl_interfaces/srv/SetParametersAtomically") {
        request SetParametersAtomicallyRequest {
            /// Names and new values of the parameters.
            parameters: Vec<Parameter>,
        }
        response SetParametersAtomicallyResponse {
            /// Result of the change.
            result: SetParametersResult,
        }
    }

    /// Lists the parameters of a node.
    pub struct ListParameters("rcl_interfaces/srv/ListParameters") {
        request ListParametersRequest {
            /// Prefixes to list; empty lists all parameters.
            prefixes: Vec<String>,
            /// Maximum number of levels below a prefix; 0 lists all levels.
            depth: u64,
        } consts {
            DEPTH_RECURSIVE: u64 = 0,
        }
        response ListParametersResponse {
            /// Names and prefixes that were found.
            result: ListParametersResult,
        }
    }

    /// Reads the descriptions of parameters.
    pub struct DescribeParameters("rcl_interfaces/srv/DescribeParameters") {
        request DescribeParametersRequest {
            /// Names of the parameters.
            names: Vec<String>,
        }
        response DescribeParametersResponse {
            /// Descriptions in the same order.
            descriptors: Vec<ParameterDescriptor>,
        }
    }

    /// Reads the levels of loggers.
    pub struct GetLoggerLevels("rcl_interfaces/srv/GetLoggerLevels") {
        request GetLoggerLevelsRequest {
            /// Names of the loggers.
            names: Vec<String>,
        }
        response GetLoggerLevelsResponse {
            /// Levels in the same order.
            levels: Vec<LoggerLevel>,
        }
    }

    /// Sets the levels of loggers.
    pub struct SetLoggerLevels("rcl_interfaces/srv/SetLoggerLevels") {
        request SetLoggerLevelsRequest {
            /// Names and new levels of the loggers.
            levels: Vec<LoggerLevel>,
        }
        response SetLoggerLevelsResponse {
            /// Result of each change, in the same order.
            results: Vec<SetLoggerLevelsResult>,
        }
    }
}
