//! Conformance with bytes derived from the specification, and hostile input.

mod data;
mod discovery;
mod hostile;
mod lists;
mod messages;

use std::slice;

use bytes::{BufMut, Bytes};

use super::*;

/// Prefix of the GUIDs in the examples.
pub(super) const PREFIX: GuidPrefix = GuidPrefix([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
/// Reader in the examples.
pub(super) const READER: EntityId = EntityId([0, 0, 1, 4]);
/// Writer in the examples.
pub(super) const WRITER: EntityId = EntityId([0, 0, 2, 3]);

/// Returns the concatenated parts of a message.
pub(super) fn datagram(builder: MessageBuilder) -> Bytes {
    builder.finish().concat().into()
}

/// Returns the bytes of hexadecimal digits; spaces and line ends are ignored.
pub(super) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter_map(|digit| digit.to_digit(16))
        .map(|d| d as u8)
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair[0] << 4 | pair[1])
        .collect()
}

/// Header of the messages in the examples.
const HEADER: &str = "52545053 0203 014d 0102030405060708090a0b0c";

/// Returns a message of the examples' participant with the submessages `body`.
pub(super) fn message(body: &str) -> Bytes {
    hex(&format!("{HEADER}{body}")).into()
}

/// Checks that `body` decodes to `expected`.
pub(super) fn decodes(body: &str, expected: &Submessage) {
    let message = parse(message(body)).expect("header");
    assert_eq!(message.error, None, "{body}");
    assert_eq!(message.submessages, slice::from_ref(expected), "{body}");
}

/// Checks that the little-endian `body` decodes to `expected` and that `build` writes it.
pub(super) fn check_round_trip(
    body: &str,
    expected: &Submessage,
    build: impl FnOnce(&mut MessageBuilder),
) {
    decodes(body, expected);
    let mut builder = MessageBuilder::new(PREFIX);
    build(&mut builder);
    let bytes = message(body);
    assert_eq!(builder.len(), bytes.len());
    assert_eq!(datagram(builder), bytes);
}

/// Appends a submessage HEARTBEAT_FRAG.
pub(super) fn put_heartbeat_frag(builder: &mut MessageBuilder, heartbeat: &HeartbeatFrag) {
    builder.submessage(0x13, 0, |out| {
        out.put_slice(&heartbeat.reader.0);
        out.put_slice(&heartbeat.writer.0);
        out.put_i32_le((heartbeat.sequence_number.0 >> 32) as i32);
        out.put_u32_le(heartbeat.sequence_number.0 as u32);
        out.put_u32_le(heartbeat.last_fragment.0);
        out.put_i32_le(heartbeat.count);
    });
}

/// Checks that the submessage `body` is refused with `error`.
pub(super) fn refused(body: &str, error: ParseError) {
    let message = parse(message(body)).expect("header");
    assert_eq!(message.error, Some(error), "{body}");
    assert!(message.submessages.is_empty(), "{body}");
}
