//! Value of a ROS parameter, and the names ROS gives to its types.
//!
//! Shared by the command line, parameter files and the parameter server. No YAML and no DDS here.

use std::fmt;

/// Value of a parameter; the numbers of the types are those of `rcl_interfaces/msg/ParameterType`.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterValue {
    /// `bool`.
    Bool(bool),
    /// `integer`.
    Integer(i64),
    /// `double`.
    Double(f64),
    /// `string`.
    String(String),
    /// `byte_array`.
    ByteArray(Vec<u8>),
    /// `bool_array`.
    BoolArray(Vec<bool>),
    /// `integer_array`.
    IntegerArray(Vec<i64>),
    /// `double_array`.
    DoubleArray(Vec<f64>),
    /// `string_array`.
    StringArray(Vec<String>),
}

impl ParameterValue {
    /// Number of the type in `rcl_interfaces/msg/ParameterType`; 0 there is "not set".
    pub const fn type_number(&self) -> u8 {
        match self {
            Self::Bool(_) => 1,
            Self::Integer(_) => 2,
            Self::Double(_) => 3,
            Self::String(_) => 4,
            Self::ByteArray(_) => 5,
            Self::BoolArray(_) => 6,
            Self::IntegerArray(_) => 7,
            Self::DoubleArray(_) => 8,
            Self::StringArray(_) => 9,
        }
    }

    /// Name of the type, as the ROS tools write it.
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::Bool(_) => "bool",
            Self::Integer(_) => "integer",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::ByteArray(_) => "byte_array",
            Self::BoolArray(_) => "bool_array",
            Self::IntegerArray(_) => "integer_array",
            Self::DoubleArray(_) => "double_array",
            Self::StringArray(_) => "string_array",
        }
    }

    /// Whether the value is or holds a number that is not finite.
    pub fn has_non_finite(&self) -> bool {
        match self {
            Self::Double(value) => !value.is_finite(),
            Self::DoubleArray(values) => values.iter().any(|value| !value.is_finite()),
            _ => false,
        }
    }
}

impl fmt::Display for ParameterValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Double(value) => write!(f, "{value:?}"),
            Self::String(value) => write!(f, "'{value}'"),
            Self::ByteArray(values) => write!(f, "{values:?}"),
            Self::BoolArray(values) => write!(f, "{values:?}"),
            Self::IntegerArray(values) => write!(f, "{values:?}"),
            Self::DoubleArray(values) => write!(f, "{values:?}"),
            Self::StringArray(values) => write!(f, "{values:?}"),
        }
    }
}
