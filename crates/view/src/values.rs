//! Checked values of the messages of clients: texts, names, numbers and lists of limited size.

use serde_json::{Map, Value};

/// Maximum length of a name [bytes].
pub(crate) const MAX_NAME_BYTES: usize = 256;
/// Maximum magnitude of a coordinate [m].
pub(crate) const MAX_COORDINATE: f64 = 1e7;
/// Largest difference of the norm of a quaternion from 1.
const NORM_TOLERANCE: f64 = 1e-2;

/// Returns a text value of at most [`MAX_NAME_BYTES`].
pub(crate) fn text<'a>(map: &'a Map<String, Value>, key: &str) -> Result<&'a str, String> {
    let value = map.get(key).unwrap_or(&Value::Null);
    let text = value.as_str().filter(|text| text.len() <= MAX_NAME_BYTES);
    text.ok_or_else(|| {
        let expected = format!("a text of at most {MAX_NAME_BYTES} bytes");
        unexpected(key, value, &expected)
    })
}

/// Returns a text without control characters and with at least one character, as the name of an
/// object.
pub(crate) fn name(map: &Map<String, Value>, key: &str) -> Result<String, String> {
    let name = text(map, key)?;
    if name.is_empty() || name.chars().any(char::is_control) {
        let expected = "a name without control characters";
        return Err(unexpected(key, &Value::from(name), expected));
    }
    Ok(name.to_string())
}

/// Returns the name of a bundled file: lowercase letters, digits and `_`, so that it is no path.
pub(crate) fn file_name(map: &Map<String, Value>, key: &str) -> Result<String, String> {
    let name = text(map, key)?;
    let is_valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || !name.chars().all(is_valid) {
        let expected = "lowercase letters, digits and \"_\"";
        return Err(unexpected(key, &Value::from(name), expected));
    }
    Ok(name.to_string())
}

/// Returns a whole number from 1 to `max`.
pub(crate) fn count(map: &Map<String, Value>, key: &str, max: u64) -> Result<u64, String> {
    let value = map.get(key).unwrap_or(&Value::Null);
    let n = value.as_u64().filter(|n| (1..=max).contains(n));
    n.ok_or_else(|| unexpected(key, value, &format!("1 to {max}")))
}

/// Returns an object of names and numbers with `min` to `max` entries.
pub(crate) fn named_numbers(
    map: &Map<String, Value>,
    key: &str,
    [min, max]: [usize; 2],
) -> Result<Vec<(String, f64)>, String> {
    let empty = Map::new();
    let given = match map.get(key) {
        None if min == 0 => &empty,
        Some(Value::Object(given)) => given,
        _ => return Err(format!("{key}: expected an object of names and numbers")),
    };
    if given.len() < min || given.len() > max {
        let found = given.len();
        return Err(format!("{key}: expected {min} to {max}, found {found}"));
    }
    let one = |(name, value): (&String, &Value)| {
        if name.len() > MAX_NAME_BYTES {
            return Err(format!("{key}: name too long"));
        }
        Ok((name.clone(), number(value, name, f64::MAX)?))
    };
    given.iter().map(one).collect()
}

/// Returns a list of `min` to `max` elements, each converted by `one`.
pub(crate) fn list<T>(
    map: &Map<String, Value>,
    key: &str,
    ([min, max], elements): ([usize; 2], &str),
    one: impl Fn(&Value) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let list = map.get(key).and_then(Value::as_array);
    let list = list.ok_or_else(|| format!("{key}: expected a list of {elements}"))?;
    if list.len() < min || list.len() > max {
        let found = list.len();
        return Err(format!("{key}: expected {min} to {max}, found {found}"));
    }
    list.iter().map(one).collect()
}

/// Returns a list of exactly `N` numbers with magnitudes up to `max`.
pub(crate) fn numbers<const N: usize>(
    value: Option<&Value>,
    key: &str,
    max: f64,
) -> Result<[f64; N], String> {
    let list = value
        .and_then(Value::as_array)
        .map_or(&[][..], Vec::as_slice);
    if list.len() != N {
        let found = list.len();
        return Err(format!("{key}: expected {N} numbers, found {found}"));
    }
    let mut out = [0.0; N];
    for (out, value) in out.iter_mut().zip(list) {
        *out = number(value, key, max)?;
    }
    Ok(out)
}

/// Returns a unit quaternion (w, x, y, z); the identity if the key is missing.
pub(crate) fn quaternion(map: &Map<String, Value>, key: &str) -> Result<[f64; 4], String> {
    let Some(value) = map.get(key) else {
        return Ok([1.0, 0.0, 0.0, 0.0]);
    };
    let q: [f64; 4] = numbers(Some(value), key, 1.0 + NORM_TOLERANCE)?;
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if (norm - 1.0).abs() > NORM_TOLERANCE {
        return Err(unexpected(key, value, "a unit quaternion w, x, y, z"));
    }
    Ok(q.map(|x| x / norm))
}

/// Returns a finite number with a magnitude up to `max`.
pub(crate) fn number(value: &Value, key: &str, max: f64) -> Result<f64, String> {
    let x = value.as_f64().filter(|x| x.is_finite() && x.abs() <= max);
    x.ok_or_else(|| match max {
        f64::MAX => unexpected(key, value, "a number"),
        _ => unexpected(key, value, &format!("a number from -{max} to {max}")),
    })
}

/// Returns the message for a value that is not valid. The value is shortened.
pub(crate) fn unexpected(key: &str, value: &Value, expected: &str) -> String {
    let mut found = value.to_string();
    if let Some((end, _)) = found.char_indices().nth(40) {
        found.truncate(end);
        found.push_str("...");
    }
    let mut key = key;
    if let Some((end, _)) = key.char_indices().nth(80) {
        key = &key[..end];
    }
    format!("{key}: expected {expected}, found {found}")
}
