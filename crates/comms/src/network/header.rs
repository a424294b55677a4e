//! Encoding of the headers of frames as bytes.
//!
//! # Law
//! ```text
//!   0      1       2 3      4 5          6 7       8         9          10 11    12 13
//!   kind | flags | source | destination| sequence| fragment| fragments| length | CRC      (1)
//!   CRC: x^16 + x^12 + x^5 + 1, initial value 0xffff, most significant bit first          (2)
//! ```
//! Numbers are big-endian.
//!
//! # Symbols
//! CRC cyclic redundancy check of bytes 0 to 11.
//!
//! # Limits
//! The format is specific to this simulator. Real devices use other formats, whose sizes are
//! `Framing::overhead_bits` and `Framing::control_bits`.
//!
//! # Checked by
//! Tests of this file.

use merrow_model::state::comms::signal::{ControlKind, HEADER_BYTES};

/// Bit of the flags of a frame whose reception must be acknowledged.
const ACKNOWLEDGE: u8 = 1;
/// Bit of the flags of a frame of a bridge.
const BRIDGE: u8 = 2;

/// Number of purposes of frames.
const PURPOSES: u8 = 9;

/// Returns the purpose of a data frame (`None`) or of a control frame, the first byte of its
/// header.
pub(super) fn purpose(control: Option<&ControlKind>) -> u8 {
    match control {
        None => 0,
        Some(ControlKind::Acknowledgement) => 1,
        Some(ControlKind::RangeRequest) => 2,
        Some(ControlKind::RangeReply { .. }) => 3,
        Some(ControlKind::RangeSignal { .. }) => 4,
        Some(ControlKind::Poll) => 5,
        Some(ControlKind::NoData) => 6,
        Some(ControlKind::SlotReport { .. }) => 7,
        Some(ControlKind::PowerRequest { .. }) => 8,
    }
}

/// Header of a frame, [`HEADER_BYTES`] bytes when encoded by (1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// Purpose of the frame, as [`purpose`].
    pub kind: u8,
    /// Whether the receiver must acknowledge the frame.
    pub is_acknowledged: bool,
    /// Whether the frame is part of a message of a bridge.
    pub is_bridged: bool,
    /// Address of the transmitter.
    pub source: u16,
    /// Address of the receiving modem, or the broadcast address.
    pub destination: u16,
    /// Number of the message at its source, modulo 65536.
    pub sequence: u16,
    /// Index of the frame in the message.
    pub fragment: u8,
    /// Number of frames of the message.
    pub fragments: u8,
    /// Length of the payload of the frame [byte].
    pub length: u16,
}

impl Header {
    /// Encodes the header by (1) and appends its checksum.
    pub(super) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0] = self.kind;
        let flag = |is_set: bool, bit: u8| if is_set { bit } else { 0 };
        bytes[1] = flag(self.is_acknowledged, ACKNOWLEDGE) | flag(self.is_bridged, BRIDGE);
        bytes[2..4].copy_from_slice(&self.source.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.destination.to_be_bytes());
        bytes[6..8].copy_from_slice(&self.sequence.to_be_bytes());
        bytes[8] = self.fragment;
        bytes[9] = self.fragments;
        bytes[10..12].copy_from_slice(&self.length.to_be_bytes());
        let sum = checksum(&bytes[..12]);
        bytes[12..].copy_from_slice(&sum.to_be_bytes());
        bytes
    }

    /// Returns the fields of a header without its checksum; `None`: a field is invalid.
    #[inline(always)]
    pub(super) fn fields(bytes: &[u8; HEADER_BYTES]) -> Option<Self> {
        let number = |k: usize| u16::from_be_bytes([bytes[k], bytes[k + 1]]);
        let (kind, flags, fragment, fragments) = (bytes[0], bytes[1], bytes[8], bytes[9]);
        let is_valid =
            kind < PURPOSES && flags & !(ACKNOWLEDGE | BRIDGE) == 0 && fragment < fragments;
        is_valid.then(|| Self {
            kind,
            is_acknowledged: flags & ACKNOWLEDGE != 0,
            is_bridged: flags & BRIDGE != 0,
            source: number(2),
            destination: number(4),
            sequence: number(6),
            fragment,
            fragments,
            length: number(10),
        })
    }
}

fn checksum(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xffff, |sum, byte| {
        (0..8).fold(sum ^ (u16::from(*byte) << 8), |sum, _| {
            (sum << 1) ^ if sum & 0x8000 != 0 { 0x1021 } else { 0 }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        Header {
            kind: purpose(None),
            is_acknowledged: true,
            is_bridged: true,
            source: 7,
            destination: 0xffff,
            sequence: 65535,
            fragment: 2,
            fragments: 3,
            length: 5,
        }
    }

    // Equation (2). Method: check value of CRC-16/IBM-3740 for the digits 1 to 9, published in the
    // catalogue of CRC algorithms.
    #[test]
    fn checksum_has_its_check_value() {
        assert_eq!(checksum(b"123456789"), 0x29b1);
    }

    // Decoding inverts encoding, and a header with an invalid field is refused. Method: a header
    // with each invalid field.
    #[test]
    fn headers_survive_encoding_and_invalid_fields_are_refused() {
        let bytes = header().encode();
        assert_eq!(Header::fields(&bytes), Some(header()));
        for (at, value) in [(0, PURPOSES), (1, 4), (8, 3)] {
            let mut invalid = bytes;
            invalid[at] = value;
            assert_eq!(Header::fields(&invalid), None, "{at}");
        }
    }
}
