//! Encoder and decoder of classic CDR (XCDR1), the byte format of all ROS 2 messages.
//!
//! A message is encoded once. The same bytes go to DDS, to the bag and to a native client library.
//! Received bytes come from the network. The decoder may reject them, but must not panic, nor
//! allocate more than a small multiple of the received size. This module depends neither on message
//! types (those are in `message.rs`) nor on DDS.
//!
//! Layout: a 4-byte encapsulation header, then the fields in order. A primitive is aligned to its
//! own size, counted from the end of the header. A string is its length including the closing NUL
//! (u32), the bytes and the NUL. A sequence is its length (u32) and the elements. An array is the
//! elements only.

use bytes::Bytes;

/// Encapsulation header of little-endian classic CDR with zero options.
const HEADER_LITTLE_ENDIAN: [u8; HEADER_LEN] = [0, 1, 0, 0];
const HEADER_LEN: usize = 4;

/// Initial capacity [bytes]. Most sensor messages fit, including Imu and NavSatFix, so that
/// encoding them takes one allocation.
const INITIAL_CAPACITY: usize = 512;

/// Reason why received bytes were rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CdrError {
    /// The bytes are shorter than the encapsulation header, or the encapsulation (its first two
    /// bytes) is not classic CDR.
    #[error("{}", encapsulation_error(*.0))]
    Encapsulation(Option<[u8; 2]>),
    /// The bytes end before the value does: it needs `needed` bytes at `offset`, and `remaining`
    /// are left.
    #[error("expected at least {needed} bytes at offset {offset}, found {remaining}")]
    Truncated {
        /// Offset in bytes after the encapsulation header.
        offset: usize,
        /// Minimum number of bytes that the value needs.
        needed: usize,
        /// Number of bytes that are left.
        remaining: usize,
    },
    /// A boolean that is neither 0 nor 1.
    #[error("boolean is {0}; expected 0 or 1")]
    Bool(u8),
    /// A string that is not UTF-8.
    #[error("string is not UTF-8")]
    Utf8,
    /// A string without its closing NUL.
    #[error("string does not end with NUL")]
    MissingNul,
}

fn encapsulation_error(found: Option<[u8; 2]>) -> String {
    match found {
        None => format!("no CDR encapsulation header: fewer than {HEADER_LEN} bytes"),
        Some([a, b]) => {
            format!("encapsulation {a:#04x} {b:#04x} is not classic CDR (0x00 0x00 or 0x00 0x01)")
        }
    }
}

/// A value that can be encoded as CDR.
pub trait Cdr: Sized {
    /// Minimum encoded size of a value [bytes], without padding. It bounds the length that a
    /// received sequence may claim. Never 0.
    const MIN_SIZE: usize;

    /// Appends the value to `out`.
    fn encode(&self, out: &mut Encoder);

    /// Reads one value from `input`.
    ///
    /// # Errors
    /// The bytes are too few or do not form a value.
    fn decode(input: &mut Decoder<'_>) -> Result<Self, CdrError>;

    /// Appends the elements of a sequence or array, without a length. Number types override this
    /// with one copy.
    fn encode_all(items: &[Self], out: &mut Encoder) {
        for item in items {
            item.encode(out);
        }
    }

    /// Reads `count` elements. Number types override this with one copy.
    ///
    /// # Errors
    /// As [`Cdr::decode`]. A count that the remaining bytes cannot hold is rejected before memory
    /// is allocated.
    fn decode_all(input: &mut Decoder<'_>, count: usize) -> Result<Vec<Self>, CdrError> {
        input.require(count.saturating_mul(Self::MIN_SIZE))?;
        let mut items = Vec::with_capacity(count);
        for _ in 0..count {
            items.push(Self::decode(input)?);
        }
        Ok(items)
    }
}

/// Encodes a value as encapsulated little-endian bytes.
pub fn to_bytes<M: Cdr>(message: &M) -> Vec<u8> {
    let mut out = Encoder::new();
    message.encode(&mut out);
    out.finish()
}

/// Decodes a value from encapsulated bytes of either endianness.
///
/// Bytes after the value are ignored: RTPS pads payloads to a multiple of four, and not all DDS
/// vendors declare the number of padding bytes.
///
/// # Errors
/// The bytes are too few or do not form a value.
pub fn from_bytes<M: Cdr>(bytes: &[u8]) -> Result<M, CdrError> {
    M::decode(&mut Decoder::new(bytes)?)
}

/// Encoder that appends values as little-endian CDR.
#[derive(Debug)]
pub struct Encoder {
    buffer: Vec<u8>,
}

impl Encoder {
    /// Creates an encoder that contains the encapsulation header.
    pub fn new() -> Self {
        let mut buffer = Vec::with_capacity(INITIAL_CAPACITY);
        buffer.extend_from_slice(&HEADER_LITTLE_ENDIAN);
        Self { buffer }
    }

    /// Returns the bytes, encapsulation header first.
    pub fn finish(self) -> Vec<u8> {
        self.buffer
    }

    /// Pads with zeros to a multiple of `size`, counted after the header.
    fn align(&mut self, size: usize) {
        let body_len = self.buffer.len() - HEADER_LEN;
        self.buffer
            .resize(HEADER_LEN + body_len.next_multiple_of(size), 0);
    }

    /// Appends the length of a sequence or string. A length beyond `u32::MAX` cannot be encoded:
    /// readers reject such bytes as truncated.
    fn encode_length(&mut self, len: usize) {
        u32::try_from(len).unwrap_or(u32::MAX).encode(self);
    }
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

/// Decoder that reads values from received CDR bytes.
#[derive(Debug, Clone)]
pub struct Decoder<'a> {
    body: &'a [u8],
    offset: usize,
    big_endian: bool,
}

impl<'a> Decoder<'a> {
    /// Creates a decoder of encapsulated bytes.
    ///
    /// # Errors
    /// [`CdrError::Encapsulation`] if the header is missing or does not declare classic CDR.
    pub fn new(bytes: &'a [u8]) -> Result<Self, CdrError> {
        let Some((&[a, b, _, _], body)) = bytes.split_first_chunk::<HEADER_LEN>() else {
            return Err(CdrError::Encapsulation(None));
        };
        match [a, b] {
            [0, 0] => Ok(Self {
                body,
                offset: 0,
                big_endian: true,
            }),
            [0, 1] => Ok(Self {
                body,
                offset: 0,
                big_endian: false,
            }),
            other => Err(CdrError::Encapsulation(Some(other))),
        }
    }

    /// Returns the number of bytes not yet read.
    pub fn remaining(&self) -> usize {
        self.body.len() - self.offset
    }

    /// Returns true if numbers are big-endian.
    pub(crate) fn is_big_endian(&self) -> bool {
        self.big_endian
    }

    /// Reads `count` bytes after padding to a multiple of `size`.
    ///
    /// # Errors
    /// [`CdrError::Truncated`] if fewer bytes are left.
    pub(crate) fn take_aligned(&mut self, count: usize, size: usize) -> Result<&'a [u8], CdrError> {
        self.align(size)?;
        self.read_bytes(count)
    }

    pub(crate) fn require(&self, needed: usize) -> Result<(), CdrError> {
        let remaining = self.remaining();
        if needed > remaining {
            return Err(CdrError::Truncated {
                offset: self.offset,
                needed,
                remaining,
            });
        }
        Ok(())
    }

    fn align(&mut self, size: usize) -> Result<(), CdrError> {
        let aligned = self.offset.next_multiple_of(size);
        self.require(aligned - self.offset)?;
        self.offset = aligned;
        Ok(())
    }

    fn read_bytes(&mut self, count: usize) -> Result<&'a [u8], CdrError> {
        self.require(count)?;
        let bytes = &self.body[self.offset..self.offset + count];
        self.offset += count;
        Ok(bytes)
    }
}

macro_rules! number {
    ($($number:ty),*) => {$(
        impl Cdr for $number {
            const MIN_SIZE: usize = size_of::<$number>();

            fn encode(&self, out: &mut Encoder) {
                out.align(size_of::<$number>());
                out.buffer.extend_from_slice(&self.to_le_bytes());
            }

            fn decode(input: &mut Decoder<'_>) -> Result<Self, CdrError> {
                input.align(size_of::<$number>())?;
                let mut bytes = [0; size_of::<$number>()];
                bytes.copy_from_slice(input.read_bytes(size_of::<$number>())?);
                Ok(if input.big_endian { Self::from_be_bytes(bytes) } else { Self::from_le_bytes(bytes) })
            }

            fn encode_all(items: &[Self], out: &mut Encoder) {
                // an empty sequence is only its length, without padding for elements
                if items.is_empty() {
                    return;
                }
                out.align(size_of::<$number>());
                let start = out.buffer.len();
                out.buffer.resize(start + size_of_val(items), 0);
                let (slots, _) = out.buffer[start..].as_chunks_mut();
                for (slot, item) in slots.iter_mut().zip(items) {
                    *slot = item.to_le_bytes();
                }
            }

            fn decode_all(input: &mut Decoder<'_>, count: usize) -> Result<Vec<Self>, CdrError> {
                if count == 0 {
                    return Ok(Vec::new());
                }
                input.align(size_of::<$number>())?;
                let bytes = input.read_bytes(count.saturating_mul(size_of::<$number>()))?;
                let (slots, _) = bytes.as_chunks();
                Ok(if input.big_endian {
                    slots.iter().map(|slot| Self::from_be_bytes(*slot)).collect()
                } else {
                    slots.iter().map(|slot| Self::from_le_bytes(*slot)).collect()
                })
            }
        }
    )*};
}

number!(u16, u32, u64, i8, i16, i32, i64, f32, f64);

/// Bytes are copied as they are; images and point clouds consist of them.
impl Cdr for u8 {
    const MIN_SIZE: usize = 1;

    fn encode(&self, out: &mut Encoder) {
        out.buffer.push(*self);
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, CdrError> {
        Ok(input.read_bytes(1)?[0])
    }

    fn encode_all(items: &[Self], out: &mut Encoder) {
        out.buffer.extend_from_slice(items);
    }

    fn decode_all(input: &mut Decoder<'_>, count: usize) -> Result<Vec<Self>, CdrError> {
        Ok(input.read_bytes(count)?.to_vec())
    }
}

impl Cdr for bool {
    const MIN_SIZE: usize = 1;

    fn encode(&self, out: &mut Encoder) {
        out.buffer.push(u8::from(*self));
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, CdrError> {
        match u8::decode(input)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(CdrError::Bool(other)),
        }
    }
}

impl Cdr for String {
    const MIN_SIZE: usize = size_of::<u32>();

    fn encode(&self, out: &mut Encoder) {
        out.encode_length(self.len() + 1);
        out.buffer.extend_from_slice(self.as_bytes());
        out.buffer.push(0);
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, CdrError> {
        let len = u32::decode(input)? as usize;
        if len == 0 {
            // not legal CDR, but some writers send an empty string in this form, and Fast DDS and
            // Cyclone DDS accept it
            return Ok(Self::new());
        }
        let Some((0, text)) = input.read_bytes(len)?.split_last() else {
            return Err(CdrError::MissingNul);
        };
        std::str::from_utf8(text)
            .map(Self::from)
            .map_err(|_| CdrError::Utf8)
    }
}

impl<T: Cdr> Cdr for Vec<T> {
    const MIN_SIZE: usize = size_of::<u32>();

    fn encode(&self, out: &mut Encoder) {
        out.encode_length(self.len());
        T::encode_all(self, out);
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, CdrError> {
        let count = u32::decode(input)? as usize;
        T::decode_all(input, count)
    }
}

/// A `uint8[]`, such as pixels, points or files, that is shared and not copied until it is encoded.
impl Cdr for Bytes {
    const MIN_SIZE: usize = size_of::<u32>();

    fn encode(&self, out: &mut Encoder) {
        out.encode_length(self.len());
        // reserves space for the following fields, so that a buffer of a megabyte is not moved
        out.buffer.reserve(self.len() + INITIAL_CAPACITY);
        out.buffer.extend_from_slice(self);
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, CdrError> {
        let count = u32::decode(input)? as usize;
        input.read_bytes(count).map(Self::copy_from_slice)
    }
}

impl<T: Cdr, const N: usize> Cdr for [T; N] {
    const MIN_SIZE: usize = T::MIN_SIZE * N;

    fn encode(&self, out: &mut Encoder) {
        T::encode_all(self, out);
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, CdrError> {
        let start = input.offset;
        let items = T::decode_all(input, N)?;
        items
            .try_into()
            .map_err(|short: Vec<T>| CdrError::Truncated {
                offset: start,
                needed: Self::MIN_SIZE,
                remaining: short.len() * T::MIN_SIZE,
            })
    }
}

#[cfg(test)]
#[path = "cdr_tests.rs"]
mod tests;
