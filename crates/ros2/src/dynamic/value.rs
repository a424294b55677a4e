//! Values of messages that are decoded with a [`Definition`].

use std::borrow::Cow;

use crate::cdr::{Cdr, CdrError, Decoder};
use crate::dynamic::definition::{Count, Definition, Element, MessageType, Primitive};

/// Value of a message, of a field or of an element. It borrows strings and numeric arrays from the
/// bytes of the message.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub enum Value<'a> {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float32(f32),
    Float64(f64),
    /// Text; bytes that are not UTF-8 are replaced.
    Text(Cow<'a, str>),
    /// Array of numbers or booleans.
    Numbers(Numbers<'a>),
    /// Array of strings or messages.
    Array(Vec<Value<'a>>),
    /// Message: its type and the values of its fields, in order.
    Message(&'a MessageType, Vec<Value<'a>>),
}

/// Array of numbers or booleans in the bytes of a message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Numbers<'a> {
    primitive: Primitive,
    /// Size of an element [bytes].
    size: usize,
    bytes: &'a [u8],
    is_big_endian: bool,
}

impl<'a> Numbers<'a> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.size
    }

    /// Returns true without elements.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns true if the elements are bytes, as in images and point clouds.
    pub(crate) fn is_bytes(&self) -> bool {
        matches!(
            self.primitive,
            Primitive::Uint8 | Primitive::Byte | Primitive::Char
        )
    }

    /// Returns the elements in order.
    pub fn iter(&self) -> impl Iterator<Item = Value<'a>> + use<'a> {
        let (primitive, is_big_endian) = (self.primitive, self.is_big_endian);
        self.bytes
            .chunks_exact(self.size)
            .map(move |bytes| number(primitive, bytes, is_big_endian))
    }
}

/// Decodes a number from its bytes; their number is the size of its type.
fn number<'a>(primitive: Primitive, bytes: &[u8], is_big_endian: bool) -> Value<'a> {
    let mut word = [0; 8];
    let n = bytes.len().min(8);
    word[..n].copy_from_slice(&bytes[..n]);
    if is_big_endian {
        word[..n].reverse();
    }
    let raw = u64::from_le_bytes(word);
    match primitive {
        Primitive::Bool => Value::Bool(raw != 0),
        Primitive::Int8 => Value::Int(i64::from(raw as u8 as i8)),
        Primitive::Int16 => Value::Int(i64::from(raw as u16 as i16)),
        Primitive::Int32 => Value::Int(i64::from(raw as u32 as i32)),
        Primitive::Int64 => Value::Int(raw as i64),
        Primitive::Float32 => Value::Float32(f32::from_bits(raw as u32)),
        Primitive::Float64 => Value::Float64(f64::from_bits(raw)),
        _ => Value::Uint(raw),
    }
}

impl Definition {
    /// Decodes a message from encapsulated CDR bytes of either endianness. Bytes after the message
    /// are ignored.
    ///
    /// # Errors
    /// The bytes are too few or do not form a message.
    pub fn decode<'a>(&'a self, bytes: &'a [u8]) -> Result<Value<'a>, CdrError> {
        self.message_value(self.root(), &mut Decoder::new(bytes)?)
    }

    fn message_value<'a>(
        &'a self,
        message: &'a MessageType,
        input: &mut Decoder<'a>,
    ) -> Result<Value<'a>, CdrError> {
        let mut values = Vec::with_capacity(message.fields.len());
        for field in &message.fields {
            values.push(self.field_value(field.element, field.count, input)?);
        }
        Ok(Value::Message(message, values))
    }

    fn field_value<'a>(
        &'a self,
        element: Element,
        count: Count,
        input: &mut Decoder<'a>,
    ) -> Result<Value<'a>, CdrError> {
        let n = match count {
            Count::One => return self.element_value(element, input),
            Count::Array(n) => n,
            Count::AtMost(_) | Count::Any => u32::decode(input)? as usize,
        };
        if let Element::Primitive(primitive) = element
            && let Some(size) = primitive.size()
        {
            let bytes = match n {
                // an empty sequence has no padding
                0 => &[],
                _ => input.take_aligned(n.saturating_mul(size), size)?,
            };
            return Ok(Value::Numbers(Numbers {
                primitive,
                size,
                bytes,
                is_big_endian: input.is_big_endian(),
            }));
        }
        input.require(n.saturating_mul(self.min_size(element)))?;
        let mut values = Vec::with_capacity(n);
        for _ in 0..n {
            values.push(self.element_value(element, input)?);
        }
        Ok(Value::Array(values))
    }

    fn element_value<'a>(
        &'a self,
        element: Element,
        input: &mut Decoder<'a>,
    ) -> Result<Value<'a>, CdrError> {
        match element {
            Element::Message(index) => self.message_value(self.message(index), input),
            Element::Primitive(primitive) => match primitive.size() {
                Some(size) => {
                    let bytes = input.take_aligned(size, size)?;
                    Ok(number(primitive, bytes, input.is_big_endian()))
                }
                None => text(input).map(Value::Text),
            },
        }
    }
}

/// Reads a string, without a copy if it is UTF-8.
fn text<'a>(input: &mut Decoder<'a>) -> Result<Cow<'a, str>, CdrError> {
    let len = u32::decode(input)? as usize;
    if len == 0 {
        // not legal CDR, but some writers encode an empty string in this form
        return Ok(Cow::Borrowed(""));
    }
    match input.take_aligned(len, 1)?.split_last() {
        Some((0, text)) => Ok(String::from_utf8_lossy(text)),
        _ => Err(CdrError::MissingNul),
    }
}

/// A value without fields or elements, or an array that is too long to be listed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub enum Leaf<'v> {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float32(f32),
    Float64(f64),
    Text(&'v str),
    /// Time or duration of `builtin_interfaces`.
    Time {
        /// Whole seconds, rounded down \[s\].
        sec: i64,
        /// Nanoseconds within the second \[ns\].
        nanosec: u64,
    },
    /// Array that is not listed.
    Long {
        /// Number of its elements.
        len: usize,
    },
}

impl Leaf<'_> {
    /// Returns the number that a plot shows, booleans as 0 and 1, times in seconds [s]; `None` for
    /// texts and arrays. The unit of other numbers is the unit of the field.
    pub fn number(&self) -> Option<f64> {
        Some(match *self {
            Self::Bool(value) => f64::from(u8::from(value)),
            Self::Int(value) => value as f64,
            Self::Uint(value) => value as f64,
            Self::Float32(value) => f64::from(value),
            Self::Float64(value) => value,
            Self::Time { sec, nanosec } => sec as f64 + nanosec as f64 * 1e-9,
            Self::Text(_) | Self::Long { .. } => return None,
        })
    }
}

/// Longest array that is listed, by the type of its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArrayLimits {
    /// Maximum number of bytes (`uint8`, `byte`, `char`).
    pub bytes: usize,
    /// Maximum number of other elements.
    pub elements: usize,
}

impl ArrayLimits {
    /// Arrays whose elements are listed as fields. Longer arrays are images, scans and clouds.
    pub const FIELDS: Self = Self {
        bytes: 32,
        elements: 64,
    };
}

impl Value<'_> {
    /// Returns the value of the field `name`; `None` for an unknown field or a value that is no
    /// message.
    pub fn field(&self, name: &str) -> Option<&Self> {
        let Self::Message(message, values) = self else {
            return None;
        };
        let k = message.fields.iter().position(|field| field.name == name)?;
        values.get(k)
    }

    /// Returns the value at a path of field names, separated by dots.
    pub fn value_at(&self, path: &str) -> Option<&Self> {
        path.split('.')
            .try_fold(self, |value, name| value.field(name))
    }

    /// Returns the elements of an array of strings or messages; none for other values.
    pub fn elements(&self) -> &[Self] {
        match self {
            Self::Array(values) => values,
            _ => &[],
        }
    }

    /// Returns the elements of the field `name`; none if it is not an array of strings or messages.
    pub fn list(&self, name: &str) -> &[Self] {
        self.field(name).map_or(&[], Self::elements)
    }

    /// Returns the text of a string; `None` for other values.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the value without its fields; `None` for messages other than times, and for arrays.
    pub fn leaf(&self) -> Option<Leaf<'_>> {
        Some(match self {
            Self::Bool(value) => Leaf::Bool(*value),
            Self::Int(value) => Leaf::Int(*value),
            Self::Uint(value) => Leaf::Uint(*value),
            Self::Float32(value) => Leaf::Float32(*value),
            Self::Float64(value) => Leaf::Float64(*value),
            Self::Text(text) => Leaf::Text(text),
            Self::Message(message, values) => time(message, values)?,
            Self::Numbers(_) | Self::Array(_) => return None,
        })
    }

    /// Returns the number at a path, as [`Leaf::number`], in the unit of the field.
    pub fn number_at(&self, path: &str) -> Option<f64> {
        self.value_at(path)?.leaf()?.number()
    }

    /// Calls `visit` with the path and the value of every leaf, in the order of the definition. An
    /// array with more elements than `limits` is one leaf.
    pub fn visit_leaves(&self, limits: ArrayLimits, visit: &mut dyn FnMut(&str, Leaf<'_>)) {
        self.visit_below(&mut String::new(), limits, visit);
    }

    fn visit_below(
        &self,
        path: &mut String,
        limits: ArrayLimits,
        visit: &mut dyn FnMut(&str, Leaf<'_>),
    ) {
        if let Some(leaf) = self.leaf() {
            return visit(path, leaf);
        }
        let start = path.len();
        match self {
            Self::Message(message, values) => {
                for (field, value) in message.fields.iter().zip(values) {
                    if start > 0 {
                        path.push('.');
                    }
                    path.push_str(&field.name);
                    value.visit_below(path, limits, visit);
                    path.truncate(start);
                }
            }
            Self::Numbers(numbers) => {
                let limit = match numbers.is_bytes() {
                    true => limits.bytes,
                    false => limits.elements,
                };
                let len = numbers.len();
                if len > limit {
                    return visit(path, Leaf::Long { len });
                }
                for (k, value) in numbers.iter().enumerate() {
                    path.push_str(&format!("[{k}]"));
                    value.visit_below(path, limits, visit);
                    path.truncate(start);
                }
            }
            Self::Array(values) => {
                let len = values.len();
                if len > limits.elements {
                    return visit(path, Leaf::Long { len });
                }
                for (k, value) in values.iter().enumerate() {
                    path.push_str(&format!("[{k}]"));
                    value.visit_below(path, limits, visit);
                    path.truncate(start);
                }
            }
            _ => {}
        }
    }
}

/// Returns the time of a `builtin_interfaces` message.
fn time<'v>(message: &MessageType, values: &[Value<'_>]) -> Option<Leaf<'v>> {
    let is_time = [
        "builtin_interfaces/msg/Time",
        "builtin_interfaces/msg/Duration",
    ];
    if !is_time.contains(&message.name.as_str()) {
        return None;
    }
    match values {
        [Value::Int(sec), Value::Uint(nanosec)] => Some(Leaf::Time {
            sec: *sec,
            nanosec: *nanosec,
        }),
        _ => None,
    }
}
