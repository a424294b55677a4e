//! Checked values of the messages of clients: texts, names, numbers and lists of limited size.

use serde_json::Value;

/// Maximum length of a name [bytes].
pub(crate) const MAX_NAME_BYTES: usize = 256;
/// Maximum magnitude of a coordinate [m].
pub(crate) const MAX_COORDINATE: f64 = 1e7;
/// Largest difference of the norm of a quaternion from 1.
const NORM_TOLERANCE: f64 = 1e-2;
/// Maximum length of a value in a message about it [characters].
const MAX_FOUND: usize = 40;

/// Returns a text value of at most [`MAX_NAME_BYTES`].
pub(crate) fn text(value: &Value) -> Result<&str, String> {
    let text = value.as_str().filter(|text| text.len() <= MAX_NAME_BYTES);
    text.ok_or_else(|| unexpected(value, &format!("a text of at most {MAX_NAME_BYTES} bytes")))
}

/// Returns a text without control characters and with at least one character, as the name of an
/// object.
pub(crate) fn name(value: &Value) -> Result<String, String> {
    let name = text(value)?;
    if name.is_empty() || name.chars().any(char::is_control) {
        return Err(unexpected(value, "a name without control characters"));
    }
    Ok(name.to_string())
}

/// Returns the name of a bundled file: lowercase letters, digits and `_`, so that it is no path.
pub(crate) fn file_name(value: &Value) -> Result<String, String> {
    let name = text(value)?;
    let is_valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || !name.chars().all(is_valid) {
        return Err(unexpected(value, "lowercase letters, digits and \"_\""));
    }
    Ok(name.to_string())
}

/// Returns a value that is true or false.
pub(crate) fn flag(value: &Value) -> Result<bool, String> {
    let flag = value.as_bool();
    flag.ok_or_else(|| unexpected(value, "true or false"))
}

/// Returns a whole number from 1 to `max`.
pub(crate) fn count(value: &Value, max: u64) -> Result<u64, String> {
    let n = value.as_u64().filter(|n| (1..=max).contains(n));
    n.ok_or_else(|| unexpected(value, &format!("1 to {max}")))
}

/// Returns the entries of an object of `min` to `max` names and numbers.
pub(crate) fn named_numbers(
    value: &Value,
    [min, max]: [usize; 2],
) -> Result<Vec<(String, f64)>, String> {
    let given = value.as_object();
    let given = given.ok_or_else(|| unexpected(value, "an object of names and numbers"))?;
    check_len(given.len(), [min, max])?;
    let one = |(name, value): (&String, &Value)| {
        let number = number(value, f64::MAX);
        let number = number.map_err(|why| format!("{}: {why}", shorten(name, 2 * MAX_FOUND)))?;
        Ok((name.clone(), number))
    };
    given.iter().map(one).collect()
}

/// Returns a list of `min` to `max` elements, each converted by `one`.
pub(crate) fn list<T>(
    value: &Value,
    limits: [usize; 2],
    elements: &str,
    one: impl Fn(&Value) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let list = value.as_array();
    let list = list.ok_or_else(|| unexpected(value, &format!("a list of {elements}")))?;
    check_len(list.len(), limits)?;
    list.iter().map(one).collect()
}

fn check_len(found: usize, [min, max]: [usize; 2]) -> Result<(), String> {
    if (min..=max).contains(&found) {
        return Ok(());
    }
    Err(format!("expected {min} to {max}, found {found}"))
}

/// Returns a list of exactly `N` numbers with magnitudes up to `max`.
pub(crate) fn numbers<const N: usize>(value: &Value, max: f64) -> Result<[f64; N], String> {
    let list = value.as_array();
    let list = list.ok_or_else(|| unexpected(value, &format!("{N} numbers")))?;
    let numbers: Result<Vec<f64>, String> = list.iter().map(|x| number(x, max)).collect();
    let wrong_len = |found: Vec<f64>| format!("expected {N} numbers, found {}", found.len());
    numbers?.try_into().map_err(wrong_len)
}

/// Returns a unit quaternion (w, x, y, z).
pub(crate) fn quaternion(value: &Value) -> Result<[f64; 4], String> {
    let q: [f64; 4] = numbers(value, 1.0 + NORM_TOLERANCE)?;
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if (norm - 1.0).abs() > NORM_TOLERANCE {
        return Err(unexpected(value, "a unit quaternion w, x, y, z"));
    }
    Ok(q.map(|x| x / norm))
}

/// Returns a finite number with a magnitude up to `max`.
pub(crate) fn number(value: &Value, max: f64) -> Result<f64, String> {
    let x = value.as_f64().filter(|x| x.is_finite() && x.abs() <= max);
    x.ok_or_else(|| match max {
        f64::MAX => unexpected(value, "a number"),
        _ => unexpected(value, &format!("a number from -{max} to {max}")),
    })
}

/// Returns the message for a value that is not valid. The value is shortened.
pub(crate) fn unexpected(value: &Value, expected: &str) -> String {
    let found = shorten(&value.to_string(), MAX_FOUND);
    format!("expected {expected}, found {found}")
}

/// Returns the first `max` characters of a text, on one line.
pub(crate) fn shorten(text: &str, max: usize) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut short: String = plain.take(max).collect();
    if text.chars().nth(max).is_some() {
        short.push_str("...");
    }
    short
}
