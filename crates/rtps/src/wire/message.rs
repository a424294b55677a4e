//! Header and submessages (RTPS 2.5, 8.3.7, 9.4).

use bytes::{Bytes, BytesMut};

use super::element::{Element, elements};
use super::error::ParseError;
use super::inline_qos::InlineQos;
use super::input::Input;
use super::sets::{FragmentNumberSet, SequenceNumberSet};
use super::types::{
    EntityId, FragmentNumber, GuidPrefix, ProtocolVersion, SequenceNumber, Time, VendorId,
};

/// Kinds of submessages (RTPS 2.5, 9.4.5.1.1).
pub(super) mod kind {
    pub(crate) const PAD: u8 = 0x01;
    pub(crate) const ACKNACK: u8 = 0x06;
    pub(crate) const HEARTBEAT: u8 = 0x07;
    pub(crate) const GAP: u8 = 0x08;
    pub(crate) const INFO_TS: u8 = 0x09;
    pub(crate) const INFO_SRC: u8 = 0x0c;
    pub(crate) const INFO_DST: u8 = 0x0e;
    pub(crate) const NACK_FRAG: u8 = 0x12;
    pub(crate) const HEARTBEAT_FRAG: u8 = 0x13;
    pub(crate) const DATA: u8 = 0x15;
    pub(crate) const DATA_FRAG: u8 = 0x16;
}

/// Size of the header of a message [B].
pub const HEADER_SIZE: usize = 20;

/// Upper bound of the bytes of a DATA submessage in addition to payload and inline QoS [B].
pub const DATA_OVERHEAD: usize = 4 + 20;

/// Upper bound of the bytes of a DATA_FRAG submessage in addition to payload and inline QoS [B].
pub const DATA_FRAG_OVERHEAD: usize = 4 + 32;

/// Header of a message (RTPS 2.5, 8.3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Version of the protocol.
    pub version: ProtocolVersion,
    /// Implementation of the sender.
    pub vendor: VendorId,
    /// Participant that sent the message.
    pub prefix: GuidPrefix,
}

elements! {
    Header { version vendor prefix }
}

/// Header and submessages of a decoded datagram.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Header of the RTPS message.
    pub header: Header,
    /// Submessages up to the end of the datagram or the first invalid submessage, in order.
    pub submessages: Vec<Submessage>,
    /// Reason why the rest of the datagram is ignored (RTPS 2.5, 8.3.4.1), if it is.
    pub error: Option<ParseError>,
}

/// Submessage (RTPS 2.5, 8.3.8).
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)]
pub enum Submessage {
    /// DATA: a sample in one piece.
    Data(Data),
    /// Fragments of a sample.
    DataFrag(DataFrag),
    /// Range of samples that a writer has.
    Heartbeat(Heartbeat),
    /// Range of fragments that a writer has.
    HeartbeatFrag(HeartbeatFrag),
    /// Samples that a reader has and lacks.
    AckNack(AckNack),
    /// Fragments that a reader lacks.
    NackFrag(NackFrag),
    /// Samples that are irrelevant for a reader.
    Gap(Gap),
    /// Source time of the following submessages; `None` withdraws an earlier time.
    InfoTimestamp(Option<Time>),
    /// Participant that the following submessages address.
    InfoDestination(GuidPrefix),
    /// Source of the following submessages.
    InfoSource(Header),
    /// PAD: bytes without a meaning.
    Pad,
    /// Submessage of this kind that is skipped: unknown, vendor-specific, or the locators of
    /// INFO_REPLY, as answers go to the source address.
    Unknown(u8),
}

/// Serialized content of a sample. Data includes the four bytes of the encapsulation header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// The submessage has no payload.
    None,
    /// Serialised value with its encapsulation header.
    Data(Bytes),
    /// Key of the instance, for dispose and unregister.
    Key(Bytes),
}

/// Whole sample (RTPS 2.5, 8.3.8.2).
#[derive(Clone, Debug, PartialEq)]
pub struct Data {
    /// Reader addressed, or unknown for all.
    pub reader: EntityId,
    /// Writer of the sample.
    pub writer: EntityId,
    /// Number of the sample.
    pub sequence_number: SequenceNumber,
    /// Parameters that were sent with the sample.
    pub inline_qos: InlineQos,
    /// Content. The bytes can end with up to three bytes of alignment.
    pub payload: Payload,
}

/// Fragments of a sample (RTPS 2.5, 8.3.8.3).
#[derive(Clone, Debug, PartialEq)]
pub struct DataFrag {
    /// Reader addressed, or unknown for all.
    pub reader: EntityId,
    /// Writer of the sample.
    pub writer: EntityId,
    /// Number of the sample.
    pub sequence_number: SequenceNumber,
    /// First fragment; 1 is the first of the sample.
    pub first_fragment: FragmentNumber,
    /// Number of fragments in this submessage, at least 1.
    pub fragment_count: u16,
    /// Size of every fragment except the last of the sample [B], at least 1.
    pub fragment_size: u16,
    /// Size of the sample with its encapsulation header [B], at least 1.
    pub sample_size: u32,
    /// Parameters that were sent with the sample.
    pub inline_qos: InlineQos,
    /// Whether the sample is a key.
    pub key: bool,
    /// Bytes of the fragments, without alignment. Exactly as many as the numbers above give.
    pub payload: Bytes,
}

impl DataFrag {
    /// Returns the number of fragments of the sample.
    pub fn total_fragments(&self) -> u32 {
        self.sample_size
            .div_ceil(u32::from(self.fragment_size.max(1)))
    }
}

/// Range of samples that a writer has (RTPS 2.5, 8.3.8.6). `first = last + 1` is no sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heartbeat {
    /// Reader addressed, or unknown for all.
    pub reader: EntityId,
    /// Writer of the samples.
    pub writer: EntityId,
    /// Sequence number of the first available sample.
    pub first: SequenceNumber,
    /// Sequence number of the last available sample.
    pub last: SequenceNumber,
    /// Counter of the heartbeats of the writer.
    pub count: i32,
    /// Whether the reader need not respond.
    pub is_final: bool,
    /// Whether the writer asserts its liveliness.
    pub liveliness: bool,
}

/// Range of fragments that a writer has (RTPS 2.5, 8.3.8.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeartbeatFrag {
    /// Reader addressed, or unknown for all.
    pub reader: EntityId,
    /// Writer of the sample.
    pub writer: EntityId,
    /// Number of the sample.
    pub sequence_number: SequenceNumber,
    /// Number of the last available fragment.
    pub last_fragment: FragmentNumber,
    /// Counter of the fragment heartbeats of the writer.
    pub count: i32,
}

/// Samples that a reader has and lacks (RTPS 2.5, 8.3.8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckNack {
    /// Reader that sends the acknowledgement.
    pub reader: EntityId,
    /// Writer to which the submessage is addressed.
    pub writer: EntityId,
    /// Missing samples; every sample below the base is acknowledged.
    pub missing: SequenceNumberSet,
    /// Counter of the acknowledgements of the reader.
    pub count: i32,
    /// Whether the writer need not respond.
    pub is_final: bool,
}

/// Fragments that a reader lacks (RTPS 2.5, 8.3.8.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NackFrag {
    /// Reader that sends the acknowledgement.
    pub reader: EntityId,
    /// Writer to which the submessage is addressed.
    pub writer: EntityId,
    /// Number of the sample.
    pub sequence_number: SequenceNumber,
    /// Numbers of the missing fragments.
    pub missing: FragmentNumberSet,
    /// Counter of the fragment requests of the reader.
    pub count: i32,
}

/// Samples that are irrelevant for a reader (RTPS 2.5, 8.3.8.4): the samples from `start` up to and
/// excluding the base of `list`, and the members of `list`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Reader addressed, or unknown for all.
    pub reader: EntityId,
    /// Writer of the samples.
    pub writer: EntityId,
    /// Sequence number of the first irrelevant sample.
    pub start: SequenceNumber,
    /// Sequence numbers of further irrelevant samples.
    pub list: SequenceNumberSet,
}

/// A submessage whose body consists of elements in a fixed order.
pub trait FixedSubmessage {
    /// Kind of the submessage.
    const KIND: u8;

    /// Returns the flags of the submessage, without the byte order.
    fn flags(&self) -> u8;

    /// Appends the body.
    fn put(&self, out: &mut BytesMut);
}

/// Declares the bodies and the flags of submessages, and which values are valid.
macro_rules! fixed_submessages {
    ($($kind:ident $name:ident { $($field:ident)* } { $($flag:ident = $bit:literal)* } $valid:expr;)*) => {$(
        impl FixedSubmessage for $name {
            const KIND: u8 = kind::$kind;

            fn flags(&self) -> u8 {
                0 $(| u8::from(self.$flag) * $bit)*
            }

            fn put(&self, out: &mut BytesMut) {
                $(self.$field.put(out);)*
            }
        }

        impl $name {
            /// Reads the body.
            ///
            /// # Errors
            /// The input is too short, or RTPS 2.5, 8.3.8 declares a value invalid.
            #[allow(unused_variables)]
            pub(super) fn get(input: &mut Input, flags: u8) -> Result<$name, ParseError> {
                let found = $name {
                    $($field: Element::get(input)?,)*
                    $($flag: flags & $bit != 0,)*
                };
                let is_valid: fn(&$name) -> bool = $valid;
                is_valid(&found).then_some(found).ok_or(ParseError::Invalid)
            }
        }
    )*};
}

fixed_submessages! {
    HEARTBEAT Heartbeat { reader writer first last count } { is_final = 0x02 liveliness = 0x04 }
        |m| m.first.is_valid() && m.last >= m.first.plus(-1) && m.last <= SequenceNumber::MAX;
    HEARTBEAT_FRAG HeartbeatFrag { reader writer sequence_number last_fragment count } {}
        |m| m.sequence_number.is_valid() && m.last_fragment.0 > 0;
    // Fast DDS sends base 0 in its first ACKNACK, before the first heartbeat
    ACKNACK AckNack { reader writer missing count } { is_final = 0x02 }
        |m| m.missing.base.0 >= 0 && m.missing.base <= SequenceNumber::MAX;
    NACK_FRAG NackFrag { reader writer sequence_number missing count } {}
        |m| m.sequence_number.is_valid() && m.missing.is_valid();
    GAP Gap { reader writer start list } {}
        |m| m.start.is_valid() && m.list.base >= m.start && m.list.base <= SequenceNumber::MAX;
}
