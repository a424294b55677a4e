//! Value of a ROS parameter, and the ROS names of its types.
//!
//! The command line, the parameter files, the parameter server and its services all use it. The
//! module depends neither on YAML nor on DDS.

use std::fmt;

use crate::msg::rcl_interfaces::ParameterValue as Message;

/// Declares the types of parameters: number in `rcl_interfaces/msg/ParameterType`, variant and its
/// content, name as the ROS tools print it, and field of `rcl_interfaces/msg/ParameterValue`.
macro_rules! values {
    ($($(#[$doc:meta])* $number:literal $kind:ident($content:ty) $name:literal $field:ident;)*) => {
        /// Value of a parameter. The types have the numbers of `rcl_interfaces/msg/ParameterType`.
        #[derive(Debug, Clone, PartialEq)]
        pub enum ParameterValue {
            $($(#[$doc])* $kind($content),)*
        }

        impl ParameterValue {
            /// Returns the number of the type in `rcl_interfaces/msg/ParameterType`, where 0 means
            /// "not set".
            pub const fn type_number(&self) -> u8 {
                match self {
                    $(Self::$kind(_) => $number,)*
                }
            }

            /// Returns the name of the type as the ROS tools print it.
            pub const fn type_name(&self) -> &'static str {
                match self {
                    $(Self::$kind(_) => $name,)*
                }
            }

            /// Returns the message of a value; `None` becomes "not set".
            pub(crate) fn message(value: Option<Self>) -> Message {
                let mut message = Message::default();
                match value {
                    None => {}
                    $(Some(Self::$kind(content)) => {
                        (message.r#type, message.$field) = ($number, content);
                    })*
                }
                message
            }

            /// Returns the value of a message; `None` for "not set" and for unknown types.
            pub(crate) fn from_message(message: Message) -> Option<Self> {
                match message.r#type {
                    $($number => Some(Self::$kind(message.$field)),)*
                    _ => None,
                }
            }
        }
    };
}

values! {
    /// A boolean.
    1 Bool(bool) "bool" bool_value;
    /// A 64-bit integer.
    2 Integer(i64) "integer" integer_value;
    /// A floating-point number.
    3 Double(f64) "double" double_value;
    /// A text.
    4 String(String) "string" string_value;
    /// A list of bytes.
    5 ByteArray(Vec<u8>) "byte_array" byte_array_value;
    /// A list of booleans.
    6 BoolArray(Vec<bool>) "bool_array" bool_array_value;
    /// A list of integers.
    7 IntegerArray(Vec<i64>) "integer_array" integer_array_value;
    /// A list of floating-point numbers.
    8 DoubleArray(Vec<f64>) "double_array" double_array_value;
    /// A list of texts.
    9 StringArray(Vec<String>) "string_array" string_array_value;
}

impl ParameterValue {
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
