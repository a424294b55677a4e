//! Allowed values of a number parameter, as `rcl_interfaces` describes them.
//!
//! The module is separate from the server because parameter descriptors contain the range too.

use std::fmt;

use crate::parameters::value::ParameterValue;

/// Allowed values of a number: both ends and every value between them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// Minimum and maximum of an integer parameter.
    Integer(i64, i64),
    /// Minimum and maximum of a floating-point parameter, in its unit.
    Double(f64, f64),
}

impl Range {
    /// Returns true if the value, or every element of a list, is allowed. Values of types other
    /// than the range's are always allowed.
    pub fn allows(&self, value: &ParameterValue) -> bool {
        match (*self, value) {
            (Self::Integer(from, to), ParameterValue::Integer(value)) => {
                (from..=to).contains(value)
            }
            (Self::Integer(from, to), ParameterValue::IntegerArray(values)) => {
                values.iter().all(|value| (from..=to).contains(value))
            }
            (Self::Double(from, to), ParameterValue::Double(value)) => (from..=to).contains(value),
            (Self::Double(from, to), ParameterValue::DoubleArray(values)) => {
                values.iter().all(|value| (from..=to).contains(value))
            }
            _ => true,
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(from, to) => write!(f, "{from} to {to}"),
            Self::Double(from, to) => write!(f, "{from:?} to {to:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_within_ends() {
        let range = Range::Integer(-5, 6);
        let allowed = (-7..9).filter(|value| range.allows(&ParameterValue::Integer(*value)));
        assert!(allowed.eq(-5..=6));
        let all = Range::Integer(i64::MIN, i64::MAX);
        assert!(
            all.allows(&ParameterValue::Integer(i64::MIN))
                && all.allows(&ParameterValue::Integer(i64::MAX))
        );
        assert_eq!(range.to_string(), "-5 to 6");
    }

    #[test]
    fn doubles_within_ends() {
        let range = Range::Double(0.0, 1.0);
        let allows = |value| range.allows(&ParameterValue::Double(value));
        assert!(allows(0.0) && allows(0.3) && allows(1.0));
        assert!(!allows(-0.3) && !allows(1.2) && !allows(f64::NAN));
        assert!(!range.allows(&ParameterValue::DoubleArray(vec![0.5, 2.0])));
        assert_eq!(range.to_string(), "0.0 to 1.0");
    }
}
