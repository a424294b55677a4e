//! Encoding of frames as bytes.
//!
//! # Law
//! ```text
//!   0      1       2 3      4 5          6 7       8         9          10 11    12 13
//!   kind | flags | source | destination| sequence| fragment| fragments| length | CRC      (1)
//!   frame = header, payload, CRC of the payload                                           (2)
//!   CRC: x^16 + x^12 + x^5 + 1, initial value 0xffff, most significant bit first          (3)
//! ```
//! Numbers are big-endian.
//!
//! # Symbols
//! CRC cyclic redundancy check of bytes 0 to 11, or of the payload.
//!
//! # Limits
//! The format is specific to this simulator. Real devices use other formats, whose sizes are
//! `Framing::overhead_bits` and `Framing::control_bits`.
//!
//! # Checked by
//! Tests of this file.

use merrow_model::state::comms::signal::ControlKind;
pub use merrow_model::state::comms::signal::HEADER_BYTES;

/// Bit of the flags of a frame whose reception must be acknowledged.
const ACKNOWLEDGE: u8 = 1;
/// Bit of the flags of a frame of a bridge.
const BRIDGE: u8 = 2;

/// Purpose of a frame, the first byte of its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum FrameKind {
    /// Part of a message.
    Data,
    /// Confirmation that a data frame arrived without error.
    Acknowledgement,
    /// Start of a two-way range measurement.
    RangeRequest,
    /// End of a two-way range measurement, with the times of arrival and reply at the other modem.
    RangeReply,
    /// Signal of a one-way range measurement, with the time of its transmission.
    RangeSignal,
    /// Permission to transmit a frame.
    Poll,
    /// Reply to a poll without data.
    NoData,
    /// Result of a slot, which the station of the waiting-room protocol transmits.
    SlotReport,
    /// Request of the power [W] with which the destination transmits to this modem.
    PowerRequest,
}

impl FrameKind {
    const ALL: [Self; 9] = [
        Self::Data,
        Self::Acknowledgement,
        Self::RangeRequest,
        Self::RangeReply,
        Self::RangeSignal,
        Self::Poll,
        Self::NoData,
        Self::SlotReport,
        Self::PowerRequest,
    ];

    /// Returns the purpose for the header of a control frame of this kind.
    pub(crate) fn of_control(kind: &ControlKind) -> Self {
        match kind {
            ControlKind::Acknowledgement => Self::Acknowledgement,
            ControlKind::RangeRequest => Self::RangeRequest,
            ControlKind::RangeReply { .. } => Self::RangeReply,
            ControlKind::RangeSignal { .. } => Self::RangeSignal,
            ControlKind::Poll => Self::Poll,
            ControlKind::NoData => Self::NoData,
            ControlKind::SlotReport { .. } => Self::SlotReport,
            ControlKind::PowerRequest { .. } => Self::PowerRequest,
        }
    }
}

/// Header of a frame, [`HEADER_BYTES`] bytes when encoded by (1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Purpose of the frame.
    pub kind: FrameKind,
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
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0] = self.kind as u8;
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

    /// Decodes a header.
    ///
    /// # Errors
    /// The checksum, the kind, the flags or the fragment number is invalid.
    pub fn decode(bytes: &[u8; HEADER_BYTES]) -> Result<Self, String> {
        let number = |k: usize| u16::from_be_bytes([bytes[k], bytes[k + 1]]);
        let (sum, expected) = (number(12), checksum(&bytes[..12]));
        if sum != expected {
            return Err(format!(
                "checksum of the header: expected {expected:#06x}, found {sum:#06x}"
            ));
        }
        Self::read(bytes)
    }

    /// Decodes a header without its checksum.
    ///
    /// # Errors
    /// The kind, the flags or the fragment number is invalid.
    fn read(bytes: &[u8; HEADER_BYTES]) -> Result<Self, String> {
        Self::fields(bytes).ok_or_else(|| {
            let [kind, flags, .., fragment, fragments, _, _, _, _] = *bytes;
            if usize::from(kind) >= FrameKind::ALL.len() {
                format!("found the frame kind {kind}")
            } else if flags & !(ACKNOWLEDGE | BRIDGE) != 0 {
                format!("found the flags {flags:#04x}")
            } else {
                format!("found the fragment {fragment} of {fragments}")
            }
        })
    }

    /// Returns the fields of a header without its checksum; `None`: a field is invalid.
    #[inline(always)]
    pub(crate) fn fields(bytes: &[u8; HEADER_BYTES]) -> Option<Self> {
        let number = |k: usize| u16::from_be_bytes([bytes[k], bytes[k + 1]]);
        let kind = *FrameKind::ALL.get(usize::from(bytes[0]))?;
        let (flags, fragment, fragments) = (bytes[1], bytes[8], bytes[9]);
        let is_valid = flags & !(ACKNOWLEDGE | BRIDGE) == 0 && fragment < fragments;
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

/// Appends a frame with `payload` to `out`. Sets the length in the header to the length of the
/// payload.
///
/// # Errors
/// The payload is longer than 65535 bytes.
pub fn encode_frame(header: &Header, payload: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    let length = payload
        .len()
        .try_into()
        .map_err(|_| format!("payload of {} bytes: expected at most 65535", payload.len()))?;
    out.extend_from_slice(&Header { length, ..*header }.encode());
    out.extend_from_slice(payload);
    out.extend_from_slice(&checksum(payload).to_be_bytes());
    Ok(())
}

/// Decodes the frame at the start of `bytes` and returns its header and payload.
///
/// # Errors
/// `bytes` ends before the frame does, or a checksum or a field is invalid.
pub fn decode_frame(bytes: &[u8]) -> Result<(Header, &[u8]), String> {
    let (head, rest) = bytes
        .split_first_chunk::<HEADER_BYTES>()
        .ok_or_else(|| format!("frame of {} bytes: expected at least 16", bytes.len()))?;
    let header = Header::decode(head)?;
    let n = usize::from(header.length);
    let (payload, rest) = rest
        .split_at_checked(n)
        .ok_or_else(|| format!("payload: expected {n} bytes, found {}", rest.len()))?;
    let sum = rest
        .first_chunk::<2>()
        .ok_or_else(|| "checksum of the payload: expected 2 bytes".to_string())?;
    if u16::from_be_bytes(*sum) != checksum(payload) {
        return Err("checksum of the payload is invalid".to_string());
    }
    Ok((header, payload))
}

const TABLE: [u16; 256] = table();

const fn table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut k = 0;
    while k < 256 {
        let mut value = (k as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 0x8000 != 0 {
                (value << 1) ^ 0x1021
            } else {
                value << 1
            };
            bit += 1;
        }
        table[k] = value;
        k += 1;
    }
    table
}

fn checksum(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0xffff, |sum, byte| {
        (sum << 8) ^ TABLE[usize::from((sum >> 8) as u8 ^ byte)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::rng::Stream;

    fn header() -> Header {
        Header {
            kind: FrameKind::Data,
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

    // Equation (3). Method: check value of CRC-16/IBM-3740 for the digits 1 to 9, published in the
    // catalogue of CRC algorithms.
    #[test]
    fn checksum_has_its_check_value() {
        assert_eq!(checksum(b"123456789"), 0x29b1);
    }

    // Decoding inverts encoding, and every changed bit is detected. Method: all single-bit errors
    // of one frame.
    #[test]
    fn frames_survive_encoding_and_errors_are_detected() {
        let mut bytes = Vec::new();
        encode_frame(&header(), b"hello", &mut bytes).unwrap();
        assert_eq!(decode_frame(&bytes), Ok((header(), b"hello".as_slice())));
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(decode_frame(&bytes).is_err(), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }

    // Arbitrary bytes never cause a panic. Method: 20,000 random byte strings, half of them with
    // valid checksums of the header.
    #[test]
    fn arbitrary_bytes_are_refused_without_a_panic() {
        let stream = Stream::new(1, "frames");
        for k in 0..20_000 {
            let mut draw = stream.draw(k);
            let n = (draw.uniform() * 40.0) as usize;
            let mut bytes: Vec<u8> = (0..n).map(|_| (draw.uniform() * 256.0) as u8).collect();
            if n >= HEADER_BYTES && k % 2 == 0 {
                let sum = checksum(&bytes[..12]);
                bytes[12..14].copy_from_slice(&sum.to_be_bytes());
            }
            if let Ok((header, payload)) = decode_frame(&bytes) {
                assert_eq!(usize::from(header.length), payload.len());
            }
        }
    }
}
