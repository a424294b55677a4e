//! Value of a ROS parameter, and the ROS names of its types.
//!
//! The command line, the parameter files and the parameter server all use it. The module depends
//! neither on YAML nor on DDS.

use std::fmt;

/// Value of a parameter. The types have the numbers of `rcl_interfaces/msg/ParameterType`.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterValue {
    /// A boolean, type `bool`.
    Bool(bool),
    /// A 64-bit integer, type `integer`.
    Integer(i64),
    /// A floating-point number, type `double`.
    Double(f64),
    /// A text, type `string`.
    String(String),
    /// A list of bytes, type `byte_array`.
    ByteArray(Vec<u8>),
    /// A list of booleans, type `bool_array`.
    BoolArray(Vec<bool>),
    /// A list of integers, type `integer_array`.
    IntegerArray(Vec<i64>),
    /// A list of floating-point numbers, type `double_array`.
    DoubleArray(Vec<f64>),
    /// A list of texts, type `string_array`.
    StringArray(Vec<String>),
}

impl ParameterValue {
    /// Returns the number of the type in `rcl_interfaces/msg/ParameterType`, where 0 means "not
    /// set".
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

    /// Returns the name of the type as the ROS tools print it.
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

    /// Returns true if the value is, or contains, a number that is not finite.
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
