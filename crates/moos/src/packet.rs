//! Packets of the connection of a client and a server: a length, a number of messages, and the
//! messages.
//!
//! All numbers are little-endian.
//! A packet is `i32 length, i32 messages, u8 0` and then the messages; the length contains itself.
//! A message is `i32 length, i32 id, u8 kind, u8 type, source, source_aux, community, key, f64 time,
//! f64 number, f64 second, bytes`, where texts and bytes are an `i32` length and their content.
//! The first bytes of a connection, from the client, are the name of the protocol.

use crate::message::{DataType, Kind, Message};
use std::io::{self, Read};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Name of the protocol, which the client sends first, padded with zeros.
pub const PROTOCOL: [u8; 32] = *b"ELKS CAN'T DANCE 2/8/10\0\0\0\0\0\0\0\0\0";

/// Largest packet that is read [bytes].
pub const MAX_PACKET: usize = 64 << 20;

/// Bytes of a packet without messages.
const HEADER: usize = 9;

/// Bytes of a message without texts.
const MIN_MESSAGE: usize = 4 + 4 + 2 + 5 * 4 + 3 * 8;

/// Bytes that are read at once, so that a length alone reserves no memory.
const CHUNK: usize = 64 << 10;

/// Returns the packet of messages.
pub fn encode(messages: &[Message]) -> Vec<u8> {
    let mut packet = vec![0; HEADER];
    for message in messages {
        append(&mut packet, message);
    }
    let length = (packet.len() as i32).to_le_bytes();
    packet[..4].copy_from_slice(&length);
    packet[4..8].copy_from_slice(&(messages.len() as i32).to_le_bytes());
    packet
}

/// Appends a message to a packet.
fn append(packet: &mut Vec<u8>, message: &Message) {
    let start = packet.len();
    packet.extend([0; 4]);
    packet.extend(message.id.to_le_bytes());
    packet.extend([message.kind.byte(), message.data_type.byte()]);
    let texts = [
        &message.source,
        &message.source_aux,
        &message.community,
        &message.key,
    ];
    for text in texts {
        append_bytes(packet, text.as_bytes());
    }
    for number in [message.time, message.number, message.second] {
        packet.extend(number.to_le_bytes());
    }
    append_bytes(packet, &message.bytes);
    let length = ((packet.len() - start) as i32).to_le_bytes();
    packet[start..start + 4].copy_from_slice(&length);
}

fn append_bytes(packet: &mut Vec<u8>, bytes: &[u8]) {
    packet.extend((bytes.len() as i32).to_le_bytes());
    packet.extend(bytes);
}

/// Returns the messages of a packet.
///
/// # Errors
/// One line: what does not belong to a packet.
pub fn decode(packet: &[u8]) -> Result<Vec<Message>, String> {
    let mut reader = Reader(packet);
    let length = reader.length("length")?;
    if length != packet.len() {
        return Err(format!(
            "packet of {} bytes says that it has {length}",
            packet.len()
        ));
    }
    let count = reader.length("number of messages")?;
    if reader.take(1, "mark of compression")? != [0] {
        return Err("compressed packet; expected an uncompressed one".to_string());
    }
    if count > reader.0.len() / MIN_MESSAGE {
        return Err(format!(
            "packet of {length} bytes says that it has {count} messages"
        ));
    }
    let messages = (0..count).map(|_| reader.message());
    let messages = messages.collect::<Result<Vec<_>, _>>()?;
    match reader.0.len() {
        0 => Ok(messages),
        rest => Err(format!("{rest} bytes after the last message of a packet")),
    }
}

/// Reads a packet from a connection. `Ok(None)` at its end.
///
/// # Errors
/// The connection fails, ends within a packet, or the length is not that of a packet.
pub fn read(stream: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let invalid = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut packet = vec![0; 4];
    // the end between two packets is regular
    if stream.read(&mut packet[..1])? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut packet[1..])?;
    let length = i32::from_le_bytes([packet[0], packet[1], packet[2], packet[3]]);
    let length = usize::try_from(length).ok();
    let length = length.filter(|n| (HEADER..=MAX_PACKET).contains(n));
    let length = length.ok_or_else(|| {
        invalid(format!(
            "expected a packet of {HEADER} to {MAX_PACKET} bytes, found the length {:?}",
            &packet[..4]
        ))
    })?;
    while packet.len() < length {
        let start = packet.len();
        packet.resize(length.min(start + CHUNK), 0);
        stream.read_exact(&mut packet[start..])?;
    }
    Ok(Some(packet))
}

/// Reads from a connection until a deadline, also from a peer that sends a byte now and then.
pub(crate) struct Until<'a> {
    stream: &'a mut TcpStream,
    end: Instant,
}

impl<'a> Until<'a> {
    /// Reads from `stream` for at most `timeout`.
    pub(crate) fn new(stream: &'a mut TcpStream, timeout: Duration) -> Self {
        let end = Instant::now() + timeout;
        Self { stream, end }
    }
}

impl Read for Until<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        self.stream.read(buffer)
    }
}

/// Bytes that were not read yet.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize, what: &str) -> Result<&'a [u8], String> {
        let bytes = self.0.split_at_checked(n);
        let (bytes, rest) = bytes.ok_or_else(|| format!("packet ends before the {what}"))?;
        self.0 = rest;
        Ok(bytes)
    }

    fn integer(&mut self, what: &str) -> Result<i32, String> {
        let bytes = self.take(4, what)?;
        Ok(i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn length(&mut self, what: &str) -> Result<usize, String> {
        let length = self.integer(what)?;
        usize::try_from(length).map_err(|_| format!("{what} {length}; expected 0 or more"))
    }

    fn number(&mut self, what: &str) -> Result<f64, String> {
        let bytes = self.take(8, what)?;
        let mut own = [0; 8];
        own.copy_from_slice(bytes);
        Ok(f64::from_le_bytes(own))
    }

    fn bytes(&mut self, what: &str) -> Result<&'a [u8], String> {
        let length = self.length(what)?;
        self.take(length, what)
    }

    fn text(&mut self, what: &str) -> Result<String, String> {
        Ok(String::from_utf8_lossy(self.bytes(what)?).into_owned())
    }

    fn message(&mut self) -> Result<Message, String> {
        let before = self.0.len();
        let length = self.length("length of a message")?;
        let id = self.integer("id of a message")?;
        let kinds = self.take(2, "kind and type of a message")?;
        let message = Message {
            id,
            kind: Kind::from_byte(kinds[0]),
            data_type: DataType::from_byte(kinds[1]),
            source: self.text("source of a message")?,
            source_aux: self.text("second source of a message")?,
            community: self.text("community of a message")?,
            key: self.text("name of a variable")?,
            time: self.number("time of a message")?,
            number: self.number("number of a message")?,
            second: self.number("second number of a message")?,
            bytes: self.bytes("text of a message")?.to_vec(),
        };
        let read = before - self.0.len();
        if length == read {
            Ok(message)
        } else {
            Err(format!("message of {read} bytes says that it has {length}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two values as a MOOSDB sends them.
    fn messages() -> Vec<Message> {
        let mut x = Message::notify("NAV_X", 12.5, 1e9).from("uSimMarineV22");
        x.community = "alpha".to_string();
        x.id = 7;
        let report = "NAME=alpha,X=12.5,Y=-3";
        vec![x, Message::notify("NODE_REPORT_LOCAL", report, 1e9 + 0.25)]
    }

    #[test]
    fn packets_return() {
        assert_eq!(decode(&encode(&messages())), Ok(messages()));
        assert_eq!(decode(&encode(&[])), Ok(vec![]));
        let packet = encode(&messages());
        let two: Vec<u8> = [packet.clone(), packet.clone()].concat();
        let mut stream = two.as_slice();
        assert_eq!(read(&mut stream).unwrap(), Some(packet.clone()));
        assert_eq!(read(&mut stream).unwrap(), Some(packet));
        assert_eq!(read(&mut stream).unwrap(), None);
    }

    /// Bytes of a message, written by hand from the format.
    #[test]
    fn bytes_are_those_of_the_format() {
        let mut message = Message::notify("A", 1.0, 2.0).from("p");
        message.id = 3;
        let expected: Vec<u8> = [
            &[65, 0, 0, 0, 1, 0, 0, 0, 0][..],
            &[56, 0, 0, 0, 3, 0, 0, 0, b'N', b'D'],
            &[1, 0, 0, 0, b'p', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, b'A'],
            &2.0_f64.to_le_bytes(),
            &1.0_f64.to_le_bytes(),
            &(-1.0_f64).to_le_bytes(),
            &[0, 0, 0, 0],
        ]
        .concat();
        assert_eq!(encode(&[message]), expected);
    }

    #[test]
    fn damaged_packets_have_one_line() {
        let packet = encode(&messages());
        for end in 0..packet.len() {
            let why = decode(&packet[..end]).unwrap_err();
            assert!(!why.contains('\n'), "{why}");
        }
        // every byte replaced by extremes: never a panic, and no allocation by a length alone
        for k in 0..packet.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = packet.clone();
                damaged[k] = byte;
                let _ = decode(&damaged);
            }
        }
        let huge = [0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0, 0];
        let why = read(&mut huge.as_slice()).unwrap_err().to_string();
        assert!(why.contains("expected a packet of 9 to"), "{why}");
        let cut = &packet[..packet.len() - 1];
        assert!(read(&mut &cut[..]).is_err());
    }
}
