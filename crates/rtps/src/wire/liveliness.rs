//! Participant messages, which assert liveliness (RTPS 2.5, 8.4.13.5, 9.6.3.1).

use bytes::{BufMut, Bytes, BytesMut};

use super::error::ParseError;
use super::input::Input;
use super::output::put_octets;
use super::types::GuidPrefix;

/// Upper bound of the data of a participant message [B].
const MAX_DATA: usize = 1024;

/// Message of a participant about its liveliness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParticipantMessageData {
    /// GUID prefix of the participant.
    pub prefix: GuidPrefix,
    /// Kind of the message.
    pub kind: [u8; 4],
    /// Data; empty for the kinds of the specification.
    pub data: Bytes,
}

impl ParticipantMessageData {
    /// Kind that asserts all writers with automatic liveliness.
    pub const AUTOMATIC: [u8; 4] = [0, 0, 0, 1];

    /// Returns the payload with its encapsulation header (CDR_LE).
    pub fn encode(&self) -> Bytes {
        let mut out = BytesMut::with_capacity(24 + self.data.len());
        out.put_slice(&[0, 1, 0, 0]);
        out.put_slice(&self.prefix.0);
        out.put_slice(&self.kind);
        put_octets(&mut out, &self.data);
        out.freeze()
    }

    /// Decodes a payload in CDR_BE or CDR_LE.
    ///
    /// # Errors
    ///
    /// Returns an error if the encapsulation is unexpected or the payload is too short or long.
    pub fn decode(payload: &Bytes) -> Result<ParticipantMessageData, ParseError> {
        let mut input = Input::new(payload.clone(), true);
        match input.array::<4>()? {
            [0, 0, ..] => input.set_little(false),
            [0, 1, ..] => {}
            _ => return Err(ParseError::Encapsulation),
        }
        Ok(ParticipantMessageData {
            prefix: input.prefix()?,
            kind: input.array()?,
            data: input.octets(MAX_DATA)?,
        })
    }
}
