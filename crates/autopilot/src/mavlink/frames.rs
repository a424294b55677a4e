//! Frames of MAVLink in a stream or datagrams of bytes.
//!
//! A frame of version 2 is: 0xFD, length n of the payload, flags, flags, sequence, system,
//! component, message (3 bytes), payload (n bytes), checksum (2 bytes), and a signature (13 bytes)
//! if the first flag is set. Version 1 is: 0xFE, n, sequence, system, component, message (1 byte),
//! payload, checksum. Source: MAVLink developer guide, packet serialization (mavlink.io).

use mavlink::dialects::common::MavMessage;
use mavlink::error::{MessageReadError, ParserError};
use mavlink::{MavHeader, MavlinkReader, write_v2_msg};

/// First byte of a frame of version 1 and of version 2.
const START: [u8; 2] = [0xFE, 0xFD];
/// Flag of a signed frame.
const SIGNED: u8 = 1;
/// Maximum number of bytes that wait for the rest of a frame.
const MAX_WAITING: usize = 4096;

/// Received bytes and the frames in them.
#[derive(Clone, Debug, Default)]
pub struct FrameBuffer {
    bytes: Vec<u8>,
    /// Number of bytes that belong to no valid frame.
    pub invalid_bytes: u64,
}

impl FrameBuffer {
    /// Adds bytes as they were received.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next complete message of the dialect `common`; skips other messages.
    pub fn next_message(&mut self) -> Option<(MavHeader, MavMessage)> {
        loop {
            let start = self.bytes.iter().position(|b| START.contains(b));
            self.discard(start.unwrap_or(self.bytes.len()));
            let length = frame_length(&self.bytes)?;
            let Some(frame) = self.bytes.get(..length) else {
                // a length in random bytes must not delay the frames after them for ever
                if self.bytes.len() > MAX_WAITING {
                    self.discard(1);
                    continue;
                }
                return None;
            };
            match MavlinkReader::new(frame).read_any_message::<MavMessage>() {
                Ok(message) => {
                    self.bytes.drain(..length);
                    return Some(message);
                }
                // a valid frame of another dialect
                Err(MessageReadError::Parse(ParserError::UnknownMessage { .. })) => {
                    self.bytes.drain(..length);
                }
                Err(_) => self.discard(1),
            }
        }
    }

    /// Removes all bytes, at the end of a connection or a datagram.
    pub fn clear(&mut self) {
        self.discard(self.bytes.len());
    }

    fn discard(&mut self, count: usize) {
        self.invalid_bytes += count as u64;
        self.bytes.drain(..count);
    }
}

/// Returns the length of the frame at the start of `bytes`; `None` if too few bytes are there.
fn frame_length(bytes: &[u8]) -> Option<usize> {
    let payload = usize::from(*bytes.get(1)?);
    if bytes[0] == START[0] {
        return Some(payload + 8);
    }
    let signature = if bytes.get(2)? & SIGNED != 0 { 13 } else { 0 };
    Some(payload + 12 + signature)
}

/// Encodes a message as a frame of version 2.
pub fn encode(system_id: u8, sequence: u8, message: &MavMessage) -> Vec<u8> {
    let header = MavHeader {
        system_id: system_id.into(),
        component_id: 1,
        sequence,
    };
    let mut bytes = Vec::new();
    // writing to a vector cannot fail
    let _ = write_v2_msg(&mut bytes, header, message);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use mavlink::dialects::common::ATTITUDE_DATA;

    fn attitude(yaw: f32) -> MavMessage {
        MavMessage::ATTITUDE(ATTITUDE_DATA {
            yaw,
            ..ATTITUDE_DATA::default()
        })
    }

    #[test]
    fn messages_are_found_between_other_bytes() {
        let mut buffer = FrameBuffer::default();
        let frame = encode(3, 7, &attitude(1.0));
        buffer.push(b"noise");
        buffer.push(&frame[..9]);
        assert!(buffer.next_message().is_none());
        buffer.push(&frame[9..]);
        let (header, message) = buffer.next_message().unwrap();
        assert_eq!((header.system_id, header.sequence), (3, 7));
        assert_eq!(message, attitude(1.0));
        assert_eq!(buffer.invalid_bytes, 5);
    }

    #[test]
    fn frames_with_wrong_checksums_are_skipped() {
        let mut buffer = FrameBuffer::default();
        let mut wrong = encode(3, 7, &attitude(1.0));
        wrong[12] ^= 1;
        buffer.push(&wrong);
        buffer.push(&encode(3, 8, &attitude(2.0)));
        let (header, message) = buffer.next_message().unwrap();
        assert_eq!((header.sequence, message), (8, attitude(2.0)));
        assert!(buffer.next_message().is_none());
    }
}
