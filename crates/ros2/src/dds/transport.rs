//! Transfer of raw bytes over DDS: reader, writer and quality of service of one topic, without
//! message types.
//!
//! Messages are encoded once, elsewhere, and the same bytes go to DDS and to the bag. The adapters
//! in this module only remove and restore the 4-byte encapsulation header. They do not interpret
//! the payload.

use std::convert::Infallible;

use rustdds::bytes::Bytes;
use rustdds::no_key::{
    DataWriter, Decode, DefaultDecoder, DeserializedCacheChange, DeserializerAdapter,
    SerializerAdapter, SimpleDataReader,
};
use rustdds::policy;
use rustdds::{
    Duration as DdsDuration, QosPolicies, QosPolicyBuilder, RepresentationIdentifier, Timestamp,
};

use crate::qos::{Durability, History, Qos, Reliability};

/// Length of the encapsulation header of every serialized message [bytes].
pub(super) const HEADER_LEN: usize = 4;

/// Writer of payloads without their encapsulation header; all are little-endian classic CDR.
pub(super) type RawWriter = DataWriter<Bytes, RawAdapter>;

/// Reader of whole payloads, including the encapsulation header.
pub(super) type RawReader = SimpleDataReader<Vec<u8>, RawAdapter>;

/// A reader, and the time from which its samples are valid.
///
/// The DDS library passes samples that a topic received earlier to the next reader of the same
/// topic. Without this filter, a robot that is inserted again would execute commands for its
/// previous instance.
pub(crate) struct Inbox {
    /// Reader of the samples.
    pub reader: RawReader,
    /// Samples received before this time are skipped; `None` if the subscription requests history.
    pub since: Option<Timestamp>,
}

impl Inbox {
    /// Whether a sample was received before the subscription started.
    pub(crate) fn is_stale(&self, sample: &DeserializedCacheChange<Vec<u8>>) -> bool {
        self.since
            .is_some_and(|since| sample.receive_instant < since)
    }
}

/// Adapter that passes bytes unchanged where DDS expects a serialization format.
pub(crate) struct RawAdapter;

impl SerializerAdapter<Bytes> for RawAdapter {
    type Error = Infallible;

    fn output_encoding() -> RepresentationIdentifier {
        RepresentationIdentifier::CDR_LE
    }

    fn to_bytes(value: &Bytes) -> Result<Bytes, Infallible> {
        Ok(value.clone())
    }
}

impl DeserializerAdapter<Vec<u8>> for RawAdapter {
    type Error = Infallible;
    type Decoded = Vec<u8>;

    fn supported_encodings() -> &'static [RepresentationIdentifier] {
        &[
            RepresentationIdentifier::CDR_LE,
            RepresentationIdentifier::CDR_BE,
        ]
    }

    fn transform_decoded(decoded: Vec<u8>) -> Vec<u8> {
        decoded
    }
}

impl DefaultDecoder<Vec<u8>> for RawAdapter {
    type Decoder = RawDecoder;
    const DECODER: RawDecoder = RawDecoder;
}

/// Decoder that restores the encapsulation header before the payload.
#[derive(Clone)]
pub(crate) struct RawDecoder;

impl Decode<'_, Vec<u8>> for RawDecoder {
    type Error = Infallible;

    fn decode_bytes(
        self,
        body: &[u8],
        encoding: RepresentationIdentifier,
    ) -> Result<Vec<u8>, Infallible> {
        let mut message = Vec::with_capacity(HEADER_LEN + body.len());
        let endianness = u8::from(encoding != RepresentationIdentifier::CDR_BE);
        message.extend_from_slice(&[0, endianness, 0, 0]);
        message.extend_from_slice(body);
        Ok(message)
    }
}

/// Converts a quality of service to DDS policies.
///
/// A reliable write never blocks: if the send window is full, the caller decides which message to
/// drop.
pub(super) fn qos_policies(qos: &Qos) -> QosPolicies {
    let mut builder = QosPolicyBuilder::new()
        .reliability(match qos.reliability {
            Reliability::Reliable => policy::Reliability::Reliable {
                max_blocking_time: DdsDuration::ZERO,
            },
            Reliability::BestEffort => policy::Reliability::BestEffort,
        })
        .durability(match qos.durability {
            Durability::Volatile => policy::Durability::Volatile,
            Durability::TransientLocal => policy::Durability::TransientLocal,
        })
        .history(match qos.history {
            History::KeepLast(depth) => policy::History::KeepLast {
                depth: i32::try_from(depth.max(1)).unwrap_or(i32::MAX),
            },
            History::KeepAll => policy::History::KeepAll,
        });
    if let Some(lifespan) = qos.lifespan {
        builder = builder.lifespan(policy::Lifespan {
            duration: DdsDuration::from(lifespan),
        });
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn received_payloads_keep_their_endianness() {
        let little = RawDecoder.decode_bytes(&[7], RepresentationIdentifier::CDR_LE);
        assert_eq!(little, Ok(vec![0, 1, 0, 0, 7]));
        let big = RawDecoder.decode_bytes(&[7], RepresentationIdentifier::CDR_BE);
        assert_eq!(big, Ok(vec![0, 0, 0, 0, 7]));
    }

    #[test]
    fn policies_follow_the_profile() {
        let policies = qos_policies(&Qos::LATCHED);
        assert!(policies.is_reliable() && !policies.is_volatile());
        assert_eq!(
            policies.history(),
            Some(policy::History::KeepLast { depth: 1 })
        );
        let rosout = qos_policies(&Qos::ROSOUT);
        assert_eq!(
            rosout
                .lifespan()
                .map(|lifespan| lifespan.duration.to_std().as_secs()),
            Some(10)
        );
        assert!(!qos_policies(&Qos::SENSOR_SUBSCRIPTION).is_reliable());
    }
}
