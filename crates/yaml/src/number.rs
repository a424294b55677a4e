//! Texts of numbers and booleans as YAML 1.2 defines them.

/// Parses a number without a unit as defined by YAML 1.2, including `.nan` and `.inf`. Returns
/// `None` for any other text.
pub fn number(text: &str) -> Option<f64> {
    if let Some(whole) = whole_number(text) {
        return Some(whole as f64);
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" if text.starts_with('-') => return Some(f64::NEG_INFINITY),
        ".inf" | ".Inf" | ".INF" => return Some(f64::INFINITY),
        ".nan" | ".NaN" | ".NAN" if unsigned == text => return Some(f64::NAN),
        _ => {}
    }
    // Rust also parses "inf", "nan" and "infinity", which YAML treats as strings.
    let starts = |c: char| c.is_ascii_digit() || c == '.';
    if !unsigned.starts_with(starts) || !unsigned.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Parses an integer as defined by YAML 1.2: decimal, `0x` or `0o`.
pub(crate) fn whole_number(text: &str) -> Option<i128> {
    let digits = |text: &str, radix| match text.starts_with(['+', '-']) {
        true => None,
        false => i128::from_str_radix(text, radix).ok(),
    };
    if let Some(hex) = text.strip_prefix("0x") {
        return digits(hex, 16);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return digits(octal, 8);
    }
    text.parse().ok()
}

/// Parses a boolean as defined by YAML 1.2. Returns `None` for any other text.
pub fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}
