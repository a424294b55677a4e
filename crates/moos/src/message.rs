//! Messages of MOOS: one value of a variable, or a request to the server.

use std::borrow::Cow;

/// Purpose of a message; the byte is that of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A new value of a variable.
    Notify,
    /// Registers for the variable `key`; the number is the least period [s].
    Register,
    /// Ends the registration for the variable `key`.
    Unregister,
    /// Registers for the patterns of the text: `AppPattern=...,VarPattern=...,Interval=...`.
    RegisterPattern,
    /// Ends the registration for the patterns of the text.
    UnregisterPattern,
    /// A request to the server, `key`, which it answers.
    Request,
    /// The name of a client, in its first message.
    Name,
    /// The answer of the server to the name.
    Welcome,
    /// The server refuses the client; the text has the reason.
    Refusal,
    /// Times of the client and of the server, for the offset of their clocks.
    Timing,
    /// Keeps a connection alive.
    Null,
    /// What neither a client nor a server acts on.
    Other(u8),
}

impl Kind {
    const BYTES: [(Self, u8); 11] = [
        (Self::Notify, b'N'),
        (Self::Register, b'R'),
        (Self::Unregister, b'U'),
        (Self::RegisterPattern, b'*'),
        (Self::UnregisterPattern, b'/'),
        (Self::Request, b'Q'),
        (Self::Name, b'i'),
        (Self::Welcome, b'W'),
        (Self::Refusal, b'K'),
        (Self::Timing, b'T'),
        (Self::Null, b'.'),
    ];

    /// Returns the byte of the wire.
    pub fn byte(self) -> u8 {
        match self {
            Self::Other(byte) => byte,
            kind => Self::BYTES
                .iter()
                .find(|(own, _)| *own == kind)
                .map_or(b'.', |(_, byte)| *byte),
        }
    }

    /// Returns the kind of a byte of the wire.
    pub fn from_byte(byte: u8) -> Self {
        let mut all = Self::BYTES.iter();
        all.find(|(_, own)| *own == byte)
            .map_or(Self::Other(byte), |(kind, _)| *kind)
    }
}

/// Type of the value of a message; the byte is that of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataType {
    /// A number.
    Number,
    /// A text.
    Text,
    /// Bytes.
    Binary,
    /// A variable that was not written, or a type of another version.
    Other(u8),
}

impl DataType {
    /// Returns the byte of the wire.
    pub fn byte(self) -> u8 {
        match self {
            Self::Number => b'D',
            Self::Text => b'S',
            Self::Binary => b'B',
            Self::Other(byte) => byte,
        }
    }

    /// Returns the type of a byte of the wire.
    pub fn from_byte(byte: u8) -> Self {
        match byte {
            b'D' => Self::Number,
            b'S' => Self::Text,
            b'B' => Self::Binary,
            byte => Self::Other(byte),
        }
    }
}

/// A value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// Bytes.
    Binary(Vec<u8>),
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_string())
    }
}

/// A message. All fields are on the wire; which of them a reader considers follows from the kind and
/// the type.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Purpose.
    pub kind: Kind,
    /// Type of the value.
    pub data_type: DataType,
    /// Number that the sender gives to its messages; -1 without one, -2 for requests and their
    /// answers.
    pub id: i32,
    /// Program that sends.
    pub source: String,
    /// Part of the program that sends, such as a behaviour; may be empty.
    pub source_aux: String,
    /// Community of the program; empty until the server has set it.
    pub community: String,
    /// Variable.
    pub key: String,
    /// Time of the value on the clock of the community [s].
    pub time: f64,
    /// Value of a number; the others have -1.
    pub number: f64,
    /// Second number of messages between a client and its server.
    pub second: f64,
    /// Value of a text or of bytes.
    pub bytes: Vec<u8>,
}

impl Message {
    /// Creates a message of a kind with a value at a time [s].
    pub fn new(kind: Kind, key: impl Into<String>, value: impl Into<Value>, time: f64) -> Self {
        let (data_type, number, bytes) = match value.into() {
            Value::Number(number) => (DataType::Number, number, Vec::new()),
            Value::Text(text) => (DataType::Text, -1.0, text.into_bytes()),
            Value::Binary(bytes) => (DataType::Binary, -1.0, bytes),
        };
        Self {
            kind,
            data_type,
            id: -1,
            source: String::new(),
            source_aux: String::new(),
            community: String::new(),
            key: key.into(),
            time,
            number,
            second: -1.0,
            bytes,
        }
    }

    /// Creates a new value of a variable at a time [s].
    pub fn notify(key: impl Into<String>, value: impl Into<Value>, time: f64) -> Self {
        Self::new(Kind::Notify, key, value, time)
    }

    /// Returns the message with a source.
    #[must_use]
    pub fn from(self, source: impl Into<String>) -> Self {
        Self {
            source: source.into(),
            ..self
        }
    }

    /// Returns the number in the unit of the variable, if the value is one.
    pub fn number(&self) -> Option<f64> {
        (self.data_type == DataType::Number).then_some(self.number)
    }

    /// Returns the text; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Returns the value; `None` for a variable that was not written.
    pub fn value(&self) -> Option<Value> {
        match self.data_type {
            DataType::Number => Some(Value::Number(self.number)),
            DataType::Text => Some(Value::Text(self.text().into_owned())),
            DataType::Binary => Some(Value::Binary(self.bytes.clone())),
            DataType::Other(_) => None,
        }
    }
}

/// Returns the value of a name in a text such as `x=1,y=2`, without blanks at its ends.
pub fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut entries = text.split(',').filter_map(|entry| entry.split_once('='));
    let own = entries.find(|(key, _)| key.trim().eq_ignore_ascii_case(name));
    own.map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_kinds_and_types_return() {
        for byte in 0..=u8::MAX {
            assert_eq!(Kind::from_byte(byte).byte(), byte);
            assert_eq!(DataType::from_byte(byte).byte(), byte);
        }
        assert_eq!(Kind::from_byte(b'N'), Kind::Notify);
        assert_eq!(Kind::from_byte(b'?'), Kind::Other(b'?'));
    }

    #[test]
    fn values_return() {
        for value in [
            Value::Number(-2.5),
            Value::Text("x=1".into()),
            Value::Binary(vec![0, 255]),
        ] {
            assert_eq!(
                Message::notify("A", value.clone(), 0.0).value(),
                Some(value)
            );
        }
    }
}
