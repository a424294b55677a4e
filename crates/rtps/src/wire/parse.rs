//! Decoding of datagrams (RTPS 2.5, 8.3.4, 8.3.8, 9.4.5).

use bytes::Bytes;

use super::element::Element;
use super::error::ParseError;
use super::inline_qos::InlineQos;
use super::input::Input;
use super::message::*;
use super::types::{EntityId, ProtocolVersion, SequenceNumber, Time};

/// Upper bound of the submessages of one message.
const MAX_SUBMESSAGES: usize = 4096;

/// Decodes a datagram. Payloads are slices of it.
///
/// An invalid submessage ends the message: [`Message::error`] then states the reason, and the
/// submessages before it remain valid (RTPS 2.5, 8.3.4.1).
///
/// # Errors
///
/// Returns an error if the header of the message is invalid.
pub fn parse(datagram: Bytes) -> Result<Message, ParseError> {
    let mut input = Input::new(datagram, true);
    if input.array()? != *b"RTPS" {
        return Err(ParseError::NotRtps);
    }
    let header = header(&mut input)?;
    let mut message = Message {
        header,
        submessages: Vec::new(),
        error: None,
    };
    while input.left() > 0 {
        if message.submessages.len() >= MAX_SUBMESSAGES {
            message.error = Some(ParseError::TooLong);
            break;
        }
        match submessage(&mut input) {
            Ok(submessage) => message.submessages.push(submessage),
            Err(error) => {
                message.error = Some(error);
                break;
            }
        }
    }
    Ok(message)
}

fn header(input: &mut Input) -> Result<Header, ParseError> {
    let version = ProtocolVersion::get(input)?;
    if version.major != ProtocolVersion::CURRENT.major {
        return Err(ParseError::Version);
    }
    Ok(Header {
        version,
        vendor: Element::get(input)?,
        prefix: Element::get(input)?,
    })
}

fn submessage(input: &mut Input) -> Result<Submessage, ParseError> {
    let [kind, flags] = input.array()?;
    input.set_little(flags & 1 != 0);
    let length = usize::from(u16::get(input)?);
    // A length of zero extends to the end of the message, except for kinds that can be empty.
    let to_end = length == 0 && kind != kind::PAD && kind != kind::INFO_TS;
    let body = if to_end {
        input.rest()
    } else {
        input.take_bytes(length)?
    };
    let mut body = Input::new(body, input.is_little());
    let body = &mut body;
    Ok(match kind {
        kind::DATA => Submessage::Data(data(body, flags)?),
        kind::DATA_FRAG => data_frag(body, flags)?,
        kind::HEARTBEAT => Submessage::Heartbeat(Heartbeat::get(body, flags)?),
        kind::HEARTBEAT_FRAG => Submessage::HeartbeatFrag(HeartbeatFrag::get(body, flags)?),
        kind::ACKNACK => Submessage::AckNack(AckNack::get(body, flags)?),
        kind::NACK_FRAG => Submessage::NackFrag(NackFrag::get(body, flags)?),
        kind::GAP => Submessage::Gap(Gap::get(body, flags)?),
        kind::INFO_TS => Submessage::InfoTimestamp(timestamp(body, flags)?),
        kind::INFO_DST => Submessage::InfoDestination(Element::get(body)?),
        kind::INFO_SRC => {
            body.skip(4)?;
            Submessage::InfoSource(header(body)?)
        }
        kind::PAD => Submessage::Pad,
        _ => Submessage::Unknown(kind),
    })
}

fn sample_number(input: &mut Input) -> Result<SequenceNumber, ParseError> {
    let number = SequenceNumber::get(input)?;
    number
        .is_valid()
        .then_some(number)
        .ok_or(ParseError::Invalid)
}

/// Returns the inline QoS and whether it has an unknown parameter because of which the sample must
/// be ignored. Its payload is then not read (RTPS 2.5, 9.4.2.11).
fn inline_qos(
    input: &mut Input,
    to_inline_qos: usize,
    fixed: usize,
    present: bool,
) -> Result<(InlineQos, bool), ParseError> {
    let extra = to_inline_qos.checked_sub(fixed);
    input.skip(extra.ok_or(ParseError::Invalid)?)?;
    if !present {
        return Ok((InlineQos::default(), false));
    }
    match InlineQos::decode(input) {
        Err(ParseError::MustUnderstand) => Ok((InlineQos::default(), true)),
        decoded => Ok((decoded?, false)),
    }
}

fn data(input: &mut Input, flags: u8) -> Result<Data, ParseError> {
    input.skip(2)?;
    let to_inline_qos = usize::from(u16::get(input)?);
    let [reader, writer]: [EntityId; 2] = [Element::get(input)?, Element::get(input)?];
    let sequence_number = sample_number(input)?;
    let (inline_qos, is_ignored) = inline_qos(input, to_inline_qos, 16, flags & 0x02 != 0)?;
    let content = input.rest();
    // A key without the four bytes of an encapsulation header is absent: the key hash in the inline
    // QoS replaces it. The reader refuses a value without them.
    let payload = match (flags & 0x04 != 0, flags & 0x08 != 0) {
        _ if is_ignored => Payload::None,
        (false, false) => Payload::None,
        (true, false) => Payload::Data(content),
        (false, true) if content.len() < 4 => Payload::None,
        (false, true) => Payload::Key(content),
        (true, true) => return Err(ParseError::Invalid),
    };
    Ok(Data {
        reader,
        writer,
        sequence_number,
        inline_qos,
        payload,
    })
}

/// Decodes DATA_FRAG. Returns a fragment that must be ignored as a sample without a payload.
fn data_frag(input: &mut Input, flags: u8) -> Result<Submessage, ParseError> {
    input.skip(2)?;
    let to_inline_qos = usize::from(u16::get(input)?);
    let mut frag = DataFrag {
        reader: Element::get(input)?,
        writer: Element::get(input)?,
        sequence_number: sample_number(input)?,
        first_fragment: Element::get(input)?,
        fragment_count: Element::get(input)?,
        fragment_size: Element::get(input)?,
        sample_size: Element::get(input)?,
        inline_qos: InlineQos::default(),
        key: flags & 0x04 != 0,
        payload: Bytes::new(),
    };
    let (inline_qos, is_ignored) = inline_qos(input, to_inline_qos, 28, flags & 0x02 != 0)?;
    if is_ignored {
        return Ok(Submessage::Data(Data {
            reader: frag.reader,
            writer: frag.writer,
            sequence_number: frag.sequence_number,
            inline_qos,
            payload: Payload::None,
        }));
    }
    frag.inline_qos = inline_qos;
    let size = u64::from(frag.fragment_size);
    let first = u64::from(frag.first_fragment.0);
    let end = first + u64::from(frag.fragment_count);
    let valid = size > 0
        && first > 0
        && frag.fragment_count > 0
        && frag.sample_size > 0
        && end <= u64::from(frag.total_fragments()) + 1;
    if !valid {
        return Err(ParseError::Invalid);
    }
    let sample_end = u64::from(frag.sample_size).min((end - 1) * size);
    let length = sample_end - (first - 1) * size;
    frag.payload = input.take_bytes(usize::try_from(length).map_err(|_| ParseError::TooLong)?)?;
    Ok(Submessage::DataFrag(frag))
}

fn timestamp(input: &mut Input, flags: u8) -> Result<Option<Time>, ParseError> {
    if flags & 0x02 != 0 {
        return Ok(None);
    }
    let time = Time::get(input)?;
    Ok((time != Time::INVALID).then_some(time))
}
