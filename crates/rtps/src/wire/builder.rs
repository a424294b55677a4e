//! Encoding of messages without copying payloads (RTPS 2.5, 8.3.4, 9.4.5).

use bytes::{BufMut, Bytes, BytesMut};

use super::element::{Element, padding};
use super::inline_qos::InlineQos;
use super::message::*;
use super::types::{GuidPrefix, ProtocolVersion, Time, VendorId};

/// Flag of little-endian submessages.
const LITTLE: u8 = 0x01;

/// Payloads up to this size are copied into the header buffer [B]: a copy costs less than a part of
/// its own.
const MAX_COPIED: usize = 512;

/// Upper bound of the submessages of one message. Their parts stay below the 1024 that a system
/// call accepts, and the message below the size that peers decode.
const MAX_SUBMESSAGES: usize = 256;

/// Builder of one message.
///
/// Its parts are slices of one header buffer and the large payloads, in the order of the datagram.
#[derive(Debug)]
pub struct MessageBuilder {
    buffer: BytesMut,
    /// Payloads and the offset in `buffer` that each precedes.
    payloads: Vec<(usize, Bytes)>,
    payload_bytes: usize,
    submessages: usize,
    /// Time of the following submessages; none at the start of a message.
    timestamp: Option<Time>,
}

impl MessageBuilder {
    /// Starts a message from the participant `prefix`.
    pub fn new(prefix: GuidPrefix) -> MessageBuilder {
        let mut buffer = BytesMut::with_capacity(256);
        buffer.put_slice(b"RTPS");
        let header = Header {
            version: ProtocolVersion::CURRENT,
            vendor: VendorId::MERROW,
            prefix,
        };
        header.put(&mut buffer);
        MessageBuilder {
            buffer,
            payloads: Vec::new(),
            payload_bytes: 0,
            submessages: 0,
            timestamp: None,
        }
    }

    /// Returns the size of the datagram so far [B].
    pub fn len(&self) -> usize {
        self.buffer.len() + self.payload_bytes
    }

    /// Returns true if the message has as many submessages as one datagram may carry.
    pub fn is_full(&self) -> bool {
        self.submessages >= MAX_SUBMESSAGES
    }

    /// Returns true if the message has no submessage yet.
    pub fn is_empty(&self) -> bool {
        self.len() == HEADER_SIZE
    }

    /// Returns the parts whose concatenation is the datagram.
    pub fn finish(self) -> Vec<Bytes> {
        let buffer = self.buffer.freeze();
        let mut parts = Vec::with_capacity(2 * self.payloads.len() + 1);
        let mut start = 0;
        for (end, payload) in self.payloads {
            parts.push(buffer.slice(start..end));
            parts.push(payload);
            start = end;
        }
        if start < buffer.len() {
            parts.push(buffer.slice(start..));
        }
        parts
    }

    /// Appends a submessage of any kind whose little-endian body `fill` writes.
    pub fn submessage(&mut self, kind: u8, flags: u8, fill: impl FnOnce(&mut BytesMut)) {
        let start = self.begin(kind, flags);
        fill(&mut self.buffer);
        self.end(start, None);
    }

    fn begin(&mut self, kind: u8, flags: u8) -> usize {
        self.submessages += 1;
        let start = self.buffer.len();
        self.buffer.put_slice(&[kind, flags | LITTLE, 0, 0]);
        start
    }

    fn end(&mut self, start: usize, payload: Option<&Bytes>) {
        let mut length = self.buffer.len() - start - 4;
        if let Some(payload) = payload.filter(|payload| !payload.is_empty()) {
            if payload.len() <= MAX_COPIED {
                self.buffer.put_slice(payload);
            } else {
                self.payloads.push((self.buffer.len(), payload.clone()));
                self.payload_bytes += payload.len();
            }
            let pad = padding(payload.len());
            self.buffer.put_bytes(0, pad);
            length += payload.len() + pad;
        }
        // Zero, "up to the end of the message", is the form of a longer last submessage.
        let length = u16::try_from(length).unwrap_or(0);
        self.buffer[start + 2..start + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// Appends INFO_TS unless the time holds already; `None` withdraws an earlier time.
    pub fn info_timestamp(&mut self, time: Option<Time>) {
        if self.timestamp == time {
            return;
        }
        self.timestamp = time;
        let flags = if time.is_none() { 0x02 } else { 0 };
        self.submessage(kind::INFO_TS, flags, |out| {
            if let Some(time) = time {
                time.put(out);
            }
        });
    }

    /// Appends `len` bytes without a meaning, in a submessage PAD.
    pub fn pad(&mut self, len: usize) {
        self.submessage(kind::PAD, 0, |out| out.put_bytes(0, len & !3));
    }

    /// Appends a submessage INFO_DST.
    pub fn info_destination(&mut self, prefix: GuidPrefix) {
        self.submessage(kind::INFO_DST, 0, |out| prefix.put(out));
    }

    /// Appends DATA. A large payload is not copied. It is padded to a multiple of 4.
    pub fn data(&mut self, data: &Data) {
        let (payload_flag, payload) = match &data.payload {
            Payload::None => (0, None),
            Payload::Data(bytes) => (0x04, Some(bytes)),
            Payload::Key(bytes) => (0x08, Some(bytes)),
        };
        let flags = payload_flag | inline_flag(&data.inline_qos);
        let start = self.begin(kind::DATA, flags);
        let out = &mut self.buffer;
        out.put_slice(&[0, 0, 16, 0]);
        data.reader.put(out);
        data.writer.put(out);
        data.sequence_number.put(out);
        put_inline_qos(out, &data.inline_qos);
        self.end(start, payload);
    }

    /// Appends DATA_FRAG. A large payload is not copied. It is padded to a multiple of 4.
    pub fn data_frag(&mut self, frag: &DataFrag) {
        let flags = u8::from(frag.key) << 2 | inline_flag(&frag.inline_qos);
        let start = self.begin(kind::DATA_FRAG, flags);
        let out = &mut self.buffer;
        out.put_slice(&[0, 0, 28, 0]);
        frag.reader.put(out);
        frag.writer.put(out);
        frag.sequence_number.put(out);
        frag.first_fragment.put(out);
        frag.fragment_count.put(out);
        frag.fragment_size.put(out);
        frag.sample_size.put(out);
        put_inline_qos(out, &frag.inline_qos);
        self.end(start, Some(&frag.payload));
    }

    /// Appends a submessage whose body has a fixed form.
    pub fn fixed<S: FixedSubmessage>(&mut self, submessage: &S) {
        self.submessage(S::KIND, submessage.flags(), |out| submessage.put(out));
    }
}

fn inline_flag(qos: &InlineQos) -> u8 {
    u8::from(!qos.is_empty()) << 1
}

fn put_inline_qos(out: &mut BytesMut, qos: &InlineQos) {
    if !qos.is_empty() {
        qos.encode(out);
    }
}
