//! Allowed values of a number parameter, as `rcl_interfaces` describes them.
//!
//! The module is separate from the server because parameter descriptors contain the range too.

use std::fmt;

use crate::parameters::value::ParameterValue;

/// Allowed values of a number: both ends, and between them every value or every multiple of `step`
/// counted from `from`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Range {
    /// Range of an integer parameter.
    Integer {
        /// Minimum of the allowed values.
        from: i64,
        /// Maximum of the allowed values.
        to: i64,
        /// Step between allowed values; 0 allows any value.
        step: u64,
    },
    /// Range of a floating-point parameter.
    Double {
        /// Minimum of the allowed values.
        from: f64,
        /// Maximum of the allowed values.
        to: f64,
        /// Step between allowed values; 0 allows any value.
        step: f64,
    },
}

/// Relative tolerance for a double to lie on a step, as in rclcpp.
const STEP_TOLERANCE: f64 = 1e-9;

impl Range {
    /// Allows every integer from `from` to `to`.
    pub const fn integers(from: i64, to: i64) -> Self {
        Self::Integer { from, to, step: 0 }
    }

    /// Allows every double from `from` to `to`, in the unit of the parameter.
    pub const fn doubles(from: f64, to: f64) -> Self {
        Self::Double {
            from,
            to,
            step: 0.0,
        }
    }

    /// Returns true if the value, or every element of a list, is allowed. Values of types other
    /// than the range's are always allowed.
    pub fn allows(&self, value: &ParameterValue) -> bool {
        match (self, value) {
            (Self::Integer { .. }, ParameterValue::Integer(value)) => self.allows_integer(*value),
            (Self::Integer { .. }, ParameterValue::IntegerArray(values)) => {
                values.iter().all(|value| self.allows_integer(*value))
            }
            (Self::Double { .. }, ParameterValue::Double(value)) => self.allows_double(*value),
            (Self::Double { .. }, ParameterValue::DoubleArray(values)) => {
                values.iter().all(|value| self.allows_double(*value))
            }
            _ => true,
        }
    }

    fn allows_integer(&self, value: i64) -> bool {
        let Self::Integer { from, to, step } = *self else {
            return true;
        };
        if !(from..=to).contains(&value) {
            return false;
        }
        step == 0 || value == to || value.abs_diff(from) % step == 0
    }

    fn allows_double(&self, value: f64) -> bool {
        let Self::Double { from, to, step } = *self else {
            return true;
        };
        if !(from..=to).contains(&value) {
            return false;
        }
        if step == 0.0 || value == to {
            return true;
        }
        let nearest = from + ((value - from) / step).round() * step;
        (nearest - value).abs() <= STEP_TOLERANCE * value.abs().max(step)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { from, to, step: 0 } => write!(f, "{from} to {to}"),
            Self::Integer { from, to, step } => write!(f, "{from} to {to} in steps of {step}"),
            Self::Double { from, to, step } if *step == 0.0 => write!(f, "{from:?} to {to:?}"),
            Self::Double { from, to, step } => write!(f, "{from:?} to {to:?} in steps of {step:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_within_ends_and_on_steps() {
        let range = Range::Integer {
            from: -5,
            to: 6,
            step: 5,
        };
        let allowed: Vec<i64> = (-7..9)
            .filter(|value| range.allows(&ParameterValue::Integer(*value)))
            .collect();
        assert_eq!(allowed, [-5, 0, 5, 6]);
        let all = Range::integers(i64::MIN, i64::MAX);
        assert!(
            all.allows(&ParameterValue::Integer(i64::MIN))
                && all.allows(&ParameterValue::Integer(i64::MAX))
        );
        assert_eq!(range.to_string(), "-5 to 6 in steps of 5");
    }

    #[test]
    fn doubles_within_ends_and_on_steps() {
        let range = Range::Double {
            from: 0.0,
            to: 1.0,
            step: 0.3,
        };
        let allows = |value| range.allows(&ParameterValue::Double(value));
        assert!(allows(0.0) && allows(0.3) && allows(0.1 * 9.0) && allows(1.0));
        assert!(!allows(0.31) && !allows(-0.3) && !allows(1.2) && !allows(f64::NAN));
        assert!(!Range::doubles(0.0, 1.0).allows(&ParameterValue::DoubleArray(vec![0.5, 2.0])));
        assert_eq!(Range::doubles(0.0, 1.0).to_string(), "0.0 to 1.0");
    }
}
