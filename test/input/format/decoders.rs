//! Calls the decoders of every message type.
//!
//! It is a separate file so that the randomized test and the fuzz target use the same decoders. It
//! must not make assumptions about the origin of the bytes.

use merrow_ros2::message::{RoundTrip, TypeInfo};
use std::sync::LazyLock;

static TYPES: LazyLock<Vec<(&TypeInfo, RoundTrip)>> = LazyLock::new(|| {
    let mut all = merrow_ros2::msg::catalogue();
    all.extend(merrow_messages::msg::catalogue());
    all
});

/// Decodes `bytes` as every type in turn and returns the number of types that accept them. An
/// accepted message is encoded; these bytes must be unchanged after another round trip.
///
/// # Panics
/// Panics if the bytes change or a decoder panics; the tests look for this.
pub(super) fn decode_all(bytes: &[u8]) -> usize {
    let decodes = |(info, decode): &&(&TypeInfo, RoundTrip)| {
        let Ok(written) = decode(bytes) else {
            return false;
        };
        let name = info.name;
        let read = decode(&written).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(read, written, "{name}");
        true
    };
    TYPES.iter().filter(decodes).count()
}
