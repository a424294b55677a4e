//! Reading of numbers, strings and booleans from YAML scalars.
//!
//! Numbers follow YAML 1.2, must be finite, and are rejected with their unit in the message. Lists
//! and maps are in `collections.rs`.

use serde_json::{Value as Json, json};

use crate::error::{Problems, in_brackets};
use crate::name::NAME_RULE;
pub use crate::name::{is_frame_name, is_name};
use crate::node::{Node, Value};
use crate::number::whole_number;
pub use crate::number::{boolean, number};
use crate::schema::Defs;
use crate::traits::{Check, Field, Read, TypeName};

fn plain_text(node: &Node) -> Option<&str> {
    match &node.value {
        Value::Scalar {
            text,
            quoted: false,
        } => Some(text),
        _ => None,
    }
}

/// Returns the bounds of a number as (minimum, whether the minimum itself is excluded, maximum).
fn bounds(checks: &[Check]) -> (f64, bool, f64) {
    let (mut low, mut open, mut high) = (f64::NEG_INFINITY, false, f64::INFINITY);
    for check in checks {
        match *check {
            Check::Positive if low <= 0.0 => (low, open) = (0.0, true),
            Check::NonNegative if low < 0.0 => (low, open) = (0.0, false),
            Check::Fraction => (low, open, high) = (0.0, false, 1.0),
            Check::Range(from, to) => (low, open, high) = (from, false, to),
            _ => {}
        }
    }
    (low, open, high)
}

fn within(value: f64, checks: &[Check]) -> bool {
    let (low, open, high) = bounds(checks);
    value >= low && value <= high && !(open && value == low)
}

fn number_noun(checks: &[Check], kind: &str) -> TypeName {
    let (low, open, high) = bounds(checks);
    let both = |before: &str, after: &str| {
        TypeName::new(
            format!("a {before}{kind}{after}"),
            format!("{before}{kind}s{after}"),
        )
    };
    match (low.is_finite(), high.is_finite()) {
        (true, true) => both("", &format!(" from {low} to {high}")),
        (true, false) if open => both("positive ", ""),
        (true, false) => both("non-negative ", ""),
        _ => both("", ""),
    }
}

fn number_schema(kind: &str, checks: &[Check]) -> Json {
    let (low, open, high) = bounds(checks);
    // JSON integers also need integer bounds in the schema.
    let bound = |value: f64| match kind {
        "integer" => json!(value as i128 as i64),
        _ => json!(value),
    };
    let mut schema = json!({ "type": kind });
    if low.is_finite() {
        schema[if open { "exclusiveMinimum" } else { "minimum" }] = bound(low);
    }
    if high.is_finite() {
        schema["maximum"] = bound(high);
    }
    schema
}

impl Read for f64 {
    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<f64> {
        match plain_text(node).and_then(number) {
            Some(value) if !value.is_finite() => {
                let expected = format!("a finite number{}", in_brackets(field.unit()));
                field.report_mismatch(node, &expected, problems);
                None
            }
            Some(value) if within(value, field.checks) => Some(value),
            _ => Self::refuse(node, field, problems),
        }
    }

    fn type_name(field: &Field<'_>) -> TypeName {
        number_noun(field.checks, "number")
    }

    fn schema(field: &Field<'_>, _: &mut Defs) -> Json {
        number_schema("number", field.checks)
    }

    fn json(&self) -> Json {
        json!(self)
    }
}

macro_rules! read_whole_numbers {
    ($($int:ty: $low:expr),*) => {$(
        impl Read for $int {
            fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<$int> {
                let value = plain_text(node).and_then(whole_number).filter(|&value| within(value as f64, field.checks));
                let fitting = value.and_then(|value| <$int>::try_from(value).ok());
                if fitting.is_none() {
                    let noun = match value {
                        Some(value) if value > 0 => format!("a whole number from {} to {}", <$int>::MIN, <$int>::MAX),
                        _ => Self::type_name(field).singular,
                    };
                    field.report_mismatch(node, &format!("{noun}{}", in_brackets(field.unit())), problems);
                }
                fitting
            }

            fn type_name(field: &Field<'_>) -> TypeName {
                number_noun(&[$low, field.checks].concat(), "whole number")
            }

            fn schema(field: &Field<'_>, _: &mut Defs) -> Json {
                number_schema("integer", &[$low, field.checks].concat())
            }

            fn json(&self) -> Json {
                json!(self)
            }
        }
    )*};
}

read_whole_numbers!(
    u8: &[Check::NonNegative], u16: &[Check::NonNegative], u32: &[Check::NonNegative], u64: &[Check::NonNegative],
    usize: &[Check::NonNegative], i32: &[], i64: &[]
);

impl Read for bool {
    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<bool> {
        let value = plain_text(node).and_then(boolean);
        if value.is_none() {
            field.report_mismatch(node, &bool::type_name(field).singular, problems);
        }
        value
    }

    fn type_name(_: &Field<'_>) -> TypeName {
        TypeName::new("true or false", "values true or false")
    }

    fn schema(_: &Field<'_>, _: &mut Defs) -> Json {
        json!({ "type": "boolean" })
    }

    fn json(&self) -> Json {
        json!(self)
    }
}

impl Read for String {
    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<String> {
        match &node.value {
            Value::Scalar { text, .. }
                if (!field.has_check(Check::Name) || is_name(text))
                    && (!field.has_check(Check::Frame) || is_frame_name(text))
                    && (!field.has_check(Check::NotEmpty) || !text.is_empty()) =>
            {
                Some(text.clone())
            }
            _ => {
                field.report_mismatch(node, &String::type_name(field).singular, problems);
                None
            }
        }
    }

    fn type_name(field: &Field<'_>) -> TypeName {
        match field.has_check(Check::Name) {
            true => {
                let rule = NAME_RULE.trim_start_matches("a name");
                TypeName::new(NAME_RULE, format!("names{rule}"))
            }
            false if field.has_check(Check::Frame) => {
                let rule = "without whitespace that does not start with `/`";
                TypeName::new(format!("a name {rule}"), format!("names {rule}"))
            }
            false if field.has_check(Check::NotEmpty) => {
                TypeName::new("a non-empty string", "non-empty strings")
            }
            false => TypeName::new("a string", "strings"),
        }
    }

    fn schema(field: &Field<'_>, _: &mut Defs) -> Json {
        let mut schema = json!({ "type": "string" });
        if field.has_check(Check::Name) {
            schema["pattern"] = "^[a-z][a-z0-9_]*$".into();
        } else if field.has_check(Check::Frame) {
            schema["pattern"] = "^[^/\\s]\\S*$".into();
        } else if field.has_check(Check::NotEmpty) {
            schema["minLength"] = 1.into();
        }
        schema
    }

    fn json(&self) -> Json {
        json!(self)
    }
}
