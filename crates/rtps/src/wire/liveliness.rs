//! Participant messages, which assert liveliness (RTPS 2.5, 8.4.13.5, 9.6.3.1).

use bytes::Bytes;

use super::types::GuidPrefix;

/// Kind of the message that asserts all writers with automatic liveliness.
const AUTOMATIC: [u8; 4] = [0, 0, 0, 1];

/// Returns the payload of the message by which the participant `prefix` asserts its writers with
/// automatic liveliness: CDR_LE, without data.
pub fn automatic_liveliness(prefix: GuidPrefix) -> Bytes {
    let parts: [&[u8]; 4] = [&[0, 1, 0, 0], &prefix.0, &AUTOMATIC, &[0; 4]];
    parts.concat().into()
}
