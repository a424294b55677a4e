//! Bounds-checked reader of received bytes in either byte order (RTPS 2.5, 9.4.5.1).

use bytes::Bytes;

use super::error::ParseError;

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
    pub(super) fn align(&mut self, size: usize) -> Result<(), ParseError> {
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
}
