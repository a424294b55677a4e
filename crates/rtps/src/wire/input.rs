//! Bounds-checked reader of received bytes in either byte order.

use bytes::Bytes;

use super::error::ParseError;
use super::sets::Bitmap;
use super::types::{Duration, EntityId, Guid, GuidPrefix, Locator, SequenceNumber, Time};

/// Upper bound of the length of a string, with its terminator [B].
const MAX_STRING: usize = 4096;

/// Position in received bytes.
#[derive(Clone, Debug)]
pub(super) struct Input {
    bytes: Bytes,
    at: usize,
    little: bool,
}

impl Input {
    pub(super) fn new(bytes: Bytes, little: bool) -> Input {
        Input {
            bytes,
            at: 0,
            little,
        }
    }

    pub(super) fn is_little(&self) -> bool {
        self.little
    }

    pub(super) fn set_little(&mut self, little: bool) {
        self.little = little;
    }

    /// Returns the number of bytes that follow the position [B].
    pub(super) fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.at)
    }

    /// Returns the next `count` bytes as a slice of the received bytes.
    pub(super) fn take_bytes(&mut self, count: usize) -> Result<Bytes, ParseError> {
        if count > self.left() {
            return Err(ParseError::Truncated);
        }
        let slice = self.bytes.slice(self.at..self.at + count);
        self.at += count;
        Ok(slice)
    }

    /// Returns all bytes that follow the position.
    pub(super) fn rest(&mut self) -> Bytes {
        let slice = self.bytes.slice(self.at.min(self.bytes.len())..);
        self.at = self.bytes.len();
        slice
    }

    pub(super) fn skip(&mut self, count: usize) -> Result<(), ParseError> {
        if count > self.left() {
            return Err(ParseError::Truncated);
        }
        self.at += count;
        Ok(())
    }

    /// Moves to the next multiple of `size` from the start.
    fn align(&mut self, size: usize) -> Result<(), ParseError> {
        self.skip(self.at.next_multiple_of(size) - self.at)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], ParseError> {
        let slice = self
            .bytes
            .get(self.at..)
            .and_then(|rest| rest.first_chunk());
        let array = *slice.ok_or(ParseError::Truncated)?;
        self.at += N;
        Ok(array)
    }

    pub(super) fn u8(&mut self) -> Result<u8, ParseError> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn u16(&mut self) -> Result<u16, ParseError> {
        let bytes = self.array()?;
        let value = if self.little {
            u16::from_le_bytes(bytes)
        } else {
            u16::from_be_bytes(bytes)
        };
        Ok(value)
    }

    pub(super) fn u32(&mut self) -> Result<u32, ParseError> {
        let bytes = self.array()?;
        let value = if self.little {
            u32::from_le_bytes(bytes)
        } else {
            u32::from_be_bytes(bytes)
        };
        Ok(value)
    }

    pub(super) fn i32(&mut self) -> Result<i32, ParseError> {
        Ok(self.u32()?.cast_signed())
    }

    pub(super) fn prefix(&mut self) -> Result<GuidPrefix, ParseError> {
        self.array().map(GuidPrefix)
    }

    pub(super) fn entity(&mut self) -> Result<EntityId, ParseError> {
        self.array().map(EntityId)
    }

    pub(super) fn guid(&mut self) -> Result<Guid, ParseError> {
        self.array().map(Guid::from_bytes)
    }

    pub(super) fn sequence_number(&mut self) -> Result<SequenceNumber, ParseError> {
        let high = i64::from(self.i32()?);
        let low = i64::from(self.u32()?);
        Ok(SequenceNumber((high << 32) | low))
    }

    pub(super) fn time(&mut self) -> Result<Time, ParseError> {
        Ok(Time {
            seconds: self.u32()?,
            fraction: self.u32()?,
        })
    }

    pub(super) fn duration(&mut self) -> Result<Duration, ParseError> {
        Ok(Duration {
            seconds: self.i32()?,
            fraction: self.u32()?,
        })
    }

    pub(super) fn locator(&mut self) -> Result<Locator, ParseError> {
        Ok(Locator {
            kind: self.i32()?,
            port: self.u32()?,
            address: self.array()?,
        })
    }

    /// Reads the number of bits and the words of a set (RTPS 2.5, 9.4.2.6).
    pub(super) fn bitmap(&mut self) -> Result<Bitmap, ParseError> {
        let bits = self.u32()?;
        if bits > Bitmap::MAX_BITS {
            return Err(ParseError::Invalid);
        }
        let mut bitmap = Bitmap {
            bits,
            words: [0; 8],
        };
        for word in bitmap.words.iter_mut().take(bits.div_ceil(32) as usize) {
            *word = self.u32()?;
        }
        bitmap.trim();
        Ok(bitmap)
    }

    /// Reads a CDR string. Bytes that are not UTF-8 are replaced.
    pub(super) fn string(&mut self) -> Result<String, ParseError> {
        self.align(4)?;
        let length = self.u32()? as usize;
        if length > MAX_STRING {
            return Err(ParseError::TooLong);
        }
        let bytes = self.take_bytes(length)?;
        let text = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    /// Reads a CDR sequence of bytes of at most `max` [B].
    pub(super) fn octets(&mut self, max: usize) -> Result<Bytes, ParseError> {
        self.align(4)?;
        let length = self.u32()? as usize;
        if length > max {
            return Err(ParseError::TooLong);
        }
        // a slice would keep the whole datagram
        Ok(Bytes::copy_from_slice(&self.take_bytes(length)?))
    }
}
