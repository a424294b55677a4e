//! Elements of messages and parameter lists: one declaration for both directions (RTPS 2.5, 9.3,
//! 9.4.2).

use bytes::{BufMut, Bytes, BytesMut};

use super::error::ParseError;
use super::input::Input;
use super::sets::{Bitmap, FragmentNumberSet, SequenceNumberSet};
use super::types::*;

/// A part of a message with a fixed form.
pub(super) trait Element: Sized {
    /// Appends the element in little-endian order.
    fn put(&self, out: &mut BytesMut);

    /// Reads the element in the byte order of the input.
    ///
    /// # Errors
    /// The input is too short, or has an invalid value.
    fn get(input: &mut Input) -> Result<Self, ParseError>;
}

/// Declares numbers of several bytes.
macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Element for $number {
            fn put(&self, out: &mut BytesMut) {
                out.put_slice(&self.to_le_bytes());
            }

            fn get(input: &mut Input) -> Result<Self, ParseError> {
                let bytes = input.array()?;
                Ok(match input.is_little() {
                    true => Self::from_le_bytes(bytes),
                    false => Self::from_be_bytes(bytes),
                })
            }
        }
    )*};
}

numbers! { u8, u16, i16, u32, i32 }

impl Element for bool {
    fn put(&self, out: &mut BytesMut) {
        u8::from(*self).put(out);
    }

    fn get(input: &mut Input) -> Result<Self, ParseError> {
        Ok(u8::get(input)? != 0)
    }
}

impl<const N: usize> Element for [u8; N] {
    fn put(&self, out: &mut BytesMut) {
        out.put_slice(self);
    }

    fn get(input: &mut Input) -> Result<Self, ParseError> {
        input.array()
    }
}

/// Declares elements that consist of other elements, in order.
macro_rules! elements {
    ($($name:ident { $($field:tt)* })*) => {$(
        impl Element for $name {
            fn put(&self, out: &mut BytesMut) {
                $(self.$field.put(out);)*
            }

            fn get(input: &mut Input) -> Result<Self, ParseError> {
                Ok($name { $($field: Element::get(input)?),* })
            }
        }
    )*};
}

pub(super) use elements;

elements! {
    GuidPrefix { 0 }
    EntityId { 0 }
    VendorId { 0 }
    FragmentNumber { 0 }
    Guid { prefix entity }
    ProtocolVersion { major minor }
    Locator { kind port address }
    Time { seconds fraction }
    Duration { seconds fraction }
    SequenceNumberSet { base bitmap }
    FragmentNumberSet { base bitmap }
}

impl Element for SequenceNumber {
    fn put(&self, out: &mut BytesMut) {
        // the high word comes first in both byte orders
        ((self.0 >> 32) as i32).put(out);
        (self.0 as u32).put(out);
    }

    fn get(input: &mut Input) -> Result<Self, ParseError> {
        let high = i64::from(i32::get(input)?);
        Ok(SequenceNumber((high << 32) | i64::from(u32::get(input)?)))
    }
}

/// The number of bits and the words of a set (RTPS 2.5, 9.4.2.6).
impl Element for Bitmap {
    fn put(&self, out: &mut BytesMut) {
        self.bits.put(out);
        let words = self.words.iter().take(self.bits.div_ceil(32) as usize);
        words.for_each(|word| word.put(out));
    }

    fn get(input: &mut Input) -> Result<Self, ParseError> {
        let bits = u32::get(input)?;
        if bits > Bitmap::MAX_BITS {
            return Err(ParseError::Invalid);
        }
        let mut words = [0; 8];
        for word in words.iter_mut().take(bits.div_ceil(32) as usize) {
            *word = u32::get(input)?;
        }
        let mut bitmap = Bitmap { bits, words };
        bitmap.trim();
        Ok(bitmap)
    }
}

/// Upper bound of the length of a string, with its terminator [B].
const MAX_STRING: usize = 4096;

/// Upper bound of user data [B].
const MAX_USER_DATA: usize = 16_384;

/// A CDR string with its terminator. The writer aligns. Bytes that are not UTF-8 are replaced.
impl Element for String {
    fn put(&self, out: &mut BytesMut) {
        (self.len() as u32 + 1).put(out);
        out.put_slice(self.as_bytes());
        out.put_u8(0);
    }

    fn get(input: &mut Input) -> Result<Self, ParseError> {
        let bytes = octets(input, MAX_STRING)?;
        let text = bytes.strip_suffix(&[0]).unwrap_or(&bytes);
        Ok(String::from_utf8_lossy(text).into_owned())
    }
}

/// A CDR sequence of bytes. The writer aligns.
impl Element for Bytes {
    fn put(&self, out: &mut BytesMut) {
        (self.len() as u32).put(out);
        out.put_slice(self);
    }

    fn get(input: &mut Input) -> Result<Self, ParseError> {
        // a slice would keep the whole datagram
        Ok(Bytes::copy_from_slice(&octets(input, MAX_USER_DATA)?))
    }
}

/// Reads an aligned CDR sequence of bytes of at most `max` [B].
fn octets(input: &mut Input, max: usize) -> Result<Bytes, ParseError> {
    input.align(4)?;
    let length = u32::get(input)? as usize;
    if length > max {
        return Err(ParseError::TooLong);
    }
    input.take_bytes(length)
}

/// Returns the number of bytes that align `length` to 4 [B].
pub(super) fn padding(length: usize) -> usize {
    length.next_multiple_of(4) - length
}
