//! Little-endian writer of the elements of messages and parameter lists (RTPS 2.5, 9.3, 9.4.2).

use bytes::{BufMut, BytesMut};

use super::sets::Bitmap;
use super::types::{Duration, Guid, Locator, SequenceNumber, Time};

pub(super) fn put_guid(out: &mut BytesMut, guid: Guid) {
    out.put_slice(&guid.to_bytes());
}

pub(super) fn put_sequence_number(out: &mut BytesMut, number: SequenceNumber) {
    // The high word comes first in both byte orders.
    out.put_i32_le((number.0 >> 32) as i32);
    out.put_u32_le(number.0 as u32);
}

pub(super) fn put_time(out: &mut BytesMut, time: Time) {
    out.put_u32_le(time.seconds);
    out.put_u32_le(time.fraction);
}

pub(super) fn put_duration(out: &mut BytesMut, duration: Duration) {
    out.put_i32_le(duration.seconds);
    out.put_u32_le(duration.fraction);
}

pub(super) fn put_locator(out: &mut BytesMut, locator: &Locator) {
    out.put_i32_le(locator.kind);
    out.put_u32_le(locator.port);
    out.put_slice(&locator.address);
}

pub(super) fn put_bitmap(out: &mut BytesMut, bitmap: &Bitmap) {
    out.put_u32_le(bitmap.bits);
    for word in bitmap.words.iter().take(bitmap.bits.div_ceil(32) as usize) {
        out.put_u32_le(*word);
    }
}

/// Writes a CDR string with its terminator. The caller aligns.
pub(super) fn put_string(out: &mut BytesMut, text: &str) {
    out.put_u32_le(text.len() as u32 + 1);
    out.put_slice(text.as_bytes());
    out.put_u8(0);
}

/// Writes a CDR sequence of bytes. The caller aligns.
pub(super) fn put_octets(out: &mut BytesMut, bytes: &[u8]) {
    out.put_u32_le(bytes.len() as u32);
    out.put_slice(bytes);
}

/// Returns the number of bytes that align `length` to 4 [B].
pub(super) fn padding(length: usize) -> usize {
    length.next_multiple_of(4) - length
}
