//! Events, received samples and counters of the engine. Events of matching correspond to the
//! communication statuses of DDS 1.4, 2.2.4.1.

use std::net::SocketAddr;

use bytes::Bytes;

use crate::qos::Policy;
use crate::wire::{Guid, SampleIdentity, SequenceNumber, Time};

/// Datagram to send. The concatenation of the parts is its content.
#[derive(Clone, Debug)]
pub struct Transmit {
    /// Address to which the datagram goes.
    pub to: SocketAddr,
    /// Consecutive parts of the datagram.
    pub parts: Vec<Bytes>,
    /// False if it goes to a participant that has not addressed a message to the local participant.
    /// Possibly no machine has its address.
    pub is_verified: bool,
}

/// A sample that a local reader received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Local reader that received the sample.
    pub reader: Guid,
    /// Remote writer that sent the sample.
    pub writer: Guid,
    /// Sequence number that the writer has assigned to the sample.
    pub sequence_number: SequenceNumber,
    /// Time of the write by the clock of the writer, if it sent one.
    pub source_timestamp: Option<Time>,
    /// Request that the sample answers.
    pub related: Option<SampleIdentity>,
    /// Content with the encapsulation header.
    pub payload: Bytes,
}

/// An event that the caller may act on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A reader received a sample.
    Sample(Sample),
    /// A local and a remote endpoint matched.
    Matched {
        /// GUID of the local endpoint.
        local: Guid,
        /// GUID of the remote endpoint.
        remote: Guid,
        /// Data of the application of the remote endpoint.
        user_data: Bytes,
        /// Number of the remote endpoints that match the local one.
        total: usize,
    },
    /// Two endpoints no longer match.
    Unmatched {
        /// GUID of the local endpoint.
        local: Guid,
        /// GUID of the remote endpoint.
        remote: Guid,
        /// Number of the remote endpoints that match the local one.
        total: usize,
    },
    /// Two endpoints of one topic do not match because of their QoS.
    IncompatibleQos {
        /// GUID of the local endpoint.
        local: Guid,
        /// GUID of the remote endpoint.
        remote: Guid,
        /// First policy that prevents the match.
        policy: Policy,
    },
}

/// Reason why a sample was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// There is no such writer.
    #[error("there is no such writer")]
    UnknownWriter,
    /// The sample is larger than 4 GiB.
    #[error("the sample is too large")]
    TooLarge,
    /// The payload is shorter than the encapsulation header of 4 B.
    #[error("the sample is shorter than its encapsulation header")]
    TooShort,
}

/// Counters of the participant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Datagrams with invalid bytes.
    pub malformed: u64,
    /// Announcements refused: invalid, over a limit or without a reachable locator.
    pub refused: u64,
    /// Samples that the readers skipped because of their size.
    pub skipped_samples: u64,
}
