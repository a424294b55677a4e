//! What the engine reports.

use std::net::SocketAddr;

use bytes::Bytes;

use crate::qos::Policy;
use crate::wire::{Guid, GuidPrefix, SampleIdentity, SequenceNumber, Time};

/// Datagram to send. The concatenation of the parts is its content.
#[derive(Clone, Debug)]
pub struct Transmit {
    /// Destination.
    pub to: SocketAddr,
    /// Parts.
    pub parts: Vec<Bytes>,
}

/// Received sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Local reader.
    pub reader: Guid,
    /// Remote writer.
    pub writer: Guid,
    /// Number of the sample.
    pub sequence_number: SequenceNumber,
    /// Time of the write by the clock of the writer, if it sent one.
    pub source_timestamp: Option<Time>,
    /// Request that the sample answers.
    pub related: Option<SampleIdentity>,
    /// Content with the encapsulation header.
    pub payload: Bytes,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A reader received a sample.
    Sample(Sample),
    /// Two endpoints matched.
    Matched {
        /// Local endpoint.
        local: Guid,
        /// Remote endpoint.
        remote: Guid,
        /// Count of the remote endpoints that match the local one.
        total: usize,
    },
    /// A match ended.
    Unmatched {
        /// Local endpoint.
        local: Guid,
        /// Remote endpoint.
        remote: Guid,
        /// Count of the remote endpoints that match the local one.
        total: usize,
    },
    /// Two endpoints of one topic do not match because of their QoS.
    IncompatibleQos {
        /// Local endpoint.
        local: Guid,
        /// Remote endpoint.
        remote: Guid,
        /// First policy that prevents the match.
        policy: Policy,
    },
    /// A participant appeared.
    ParticipantFound {
        /// Prefix of its GUIDs.
        prefix: GuidPrefix,
        /// Name.
        name: String,
        /// Data of the application.
        user_data: Bytes,
    },
    /// A participant left or its lease ended.
    ParticipantLost {
        /// Prefix of its GUIDs.
        prefix: GuidPrefix,
    },
}

/// Reason why a sample was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// There is no such writer.
    UnknownWriter,
    /// The history that keeps all samples is full.
    Full,
    /// The sample is larger than 4 GiB.
    TooLarge,
}

impl std::fmt::Display for WriteError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            WriteError::UnknownWriter => "there is no such writer",
            WriteError::Full => "the history of the writer is full",
            WriteError::TooLarge => "the sample is too large",
        })
    }
}

impl std::error::Error for WriteError {}

/// Counters of one writer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WriterCounters {
    /// Readers that match.
    pub matched: usize,
    /// Samples evicted before every matched reliable reader acknowledged them.
    pub evicted_unacknowledged: u64,
    /// Submessages with samples or fragments, first time.
    pub sent: u64,
    /// Submessages with samples or fragments that a reader requested again.
    pub repaired: u64,
}

/// Counters of one reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReaderCounters {
    /// Writers that match.
    pub matched: usize,
    /// Samples delivered.
    pub delivered: u64,
    /// Samples that the writer no longer had or that a best-effort reader missed.
    pub lost: u64,
    /// Fragments or samples refused because of a limit.
    pub refused: u64,
}

/// Counters of the participant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Datagrams with invalid bytes.
    pub malformed: u64,
    /// Announcements refused: invalid, over a limit or without a reachable locator.
    pub refused: u64,
}
