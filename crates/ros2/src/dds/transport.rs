//! Raw bytes over DDS: reader, writer and quality of service of one topic, with no message type in sight.
//!
//! Messages are encoded once, elsewhere, and the same bytes go here and to the bag; so the adapters below only strip
//! and restore the 4-byte encapsulation header. This file must not interpret a payload.

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

/// Length of the encapsulation header that opens every serialized message.
pub const HEADER_LEN: usize = 4;

/// Writer of payloads without their encapsulation header; all of them little-endian classic CDR.
pub type RawWriter = DataWriter<Bytes, RawAdapter>;

/// Reader of whole payloads, encapsulation header included.
pub type RawReader = SimpleDataReader<Vec<u8>, RawAdapter>;

/// A reader, and since when what it receives counts.
///
/// The DDS library keeps what a topic received before for the next reader of the same topic: a robot that is put back
/// into the world would obey the commands of its former life.
pub struct Inbox {
    /// Where samples come from.
    pub reader: RawReader,
    /// Samples received before are skipped; none are where the subscription asks for history.
    pub since: Option<Timestamp>,
}

impl Inbox {
    /// Whether a sample came before the subscription.
    pub fn is_stale(&self, sample: &DeserializedCacheChange<Vec<u8>>) -> bool {
        self.since
            .is_some_and(|since| sample.receive_instant < since)
    }
}

/// Passes bytes through where DDS expects a serialization format.
pub struct RawAdapter;

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

/// Puts the encapsulation header back before the payload.
#[derive(Clone)]
pub struct RawDecoder;

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

/// DDS form of a quality of service.
///
/// A reliable write never waits: with a full send window the caller decides what to drop.
pub fn qos_policies(qos: &Qos) -> QosPolicies {
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
