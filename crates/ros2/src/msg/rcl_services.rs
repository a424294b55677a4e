//! Services of `rcl_interfaces`: reading and setting the parameters and log levels of a node.
//!
//! Apart from the messages they carry, which are in `rcl_interfaces.rs`, for the length of the file only; users name
//! them through that module.

use crate::message::ros_service;
use crate::msg::rcl_interfaces::{
    ListParametersResult, LoggerLevel, Parameter, ParameterDescriptor, ParameterValue,
    SetLoggerLevelsResult, SetParametersResult,
};

ros_service! {
    /// Reads parameters.
    pub struct GetParameters("rcl_interfaces/srv/GetParameters") {
        request GetParametersRequest {
            /// Names of the parameters.
            names: Vec<String>,
        }
        response GetParametersResponse {
            /// Their values in the same order; not set where there is no such parameter.
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
            /// Their types in the same order, constants of `ParameterType`.
            types: Vec<u8>,
        }
    }

    /// Sets parameters one by one.
    pub struct SetParameters("rcl_interfaces/srv/SetParameters") {
        request SetParametersRequest {
            /// Names and new values.
            parameters: Vec<Parameter>,
        }
        response SetParametersResponse {
            /// How each went, in the same order.
            results: Vec<SetParametersResult>,
        }
    }

    /// Sets all parameters of a list, or none.
    pub struct SetParametersAtomically("rcl_interfaces/srv/SetParametersAtomically") {
        request SetParametersAtomicallyRequest {
            /// Names and new values.
            parameters: Vec<Parameter>,
        }
        response SetParametersAtomicallyResponse {
            /// How it went.
            result: SetParametersResult,
        }
    }

    /// Lists the parameters of a node.
    pub struct ListParameters("rcl_interfaces/srv/ListParameters") {
        request ListParametersRequest {
            /// Prefixes of interest; none: all parameters.
            prefixes: Vec<String>,
            /// How many levels below the prefix; 0: all.
            depth: u64,
        } consts {
            DEPTH_RECURSIVE: u64 = 0,
        }
        response ListParametersResponse {
            /// What there is.
            result: ListParametersResult,
        }
    }

    /// Reads what parameters mean and may be.
    pub struct DescribeParameters("rcl_interfaces/srv/DescribeParameters") {
        request DescribeParametersRequest {
            /// Names of the parameters.
            names: Vec<String>,
        }
        response DescribeParametersResponse {
            /// Their descriptions in the same order.
            descriptors: Vec<ParameterDescriptor>,
        }
    }

    /// Reads how much loggers write.
    pub struct GetLoggerLevels("rcl_interfaces/srv/GetLoggerLevels") {
        request GetLoggerLevelsRequest {
            /// Names of the loggers.
            names: Vec<String>,
        }
        response GetLoggerLevelsResponse {
            /// Their levels in the same order.
            levels: Vec<LoggerLevel>,
        }
    }

    /// Sets how much loggers write.
    pub struct SetLoggerLevels("rcl_interfaces/srv/SetLoggerLevels") {
        request SetLoggerLevelsRequest {
            /// Names and new levels.
            levels: Vec<LoggerLevel>,
        }
        response SetLoggerLevelsResponse {
            /// How each went, in the same order.
            results: Vec<SetLoggerLevelsResult>,
        }
    }
}
