//! Names of ROS interfaces and frames.

/// Rule of [`is_name`] for messages.
pub(crate) const NAME_RULE: &str =
    "a name of lowercase letters, digits and `_` that starts with a letter";

/// Returns true if `text` is a valid component of a ROS name: `[a-z][a-z0-9_]*`.
pub fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// Returns true if `text` is a valid name of a ROS frame or joint: not empty, without a leading `/`
/// and without whitespace or control characters.
pub fn is_frame_name(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('/')
        && !text.contains(|c: char| c.is_whitespace() || c.is_control())
}
