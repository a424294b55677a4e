//! Publisher of one topic: passes encoded messages to DDS and counts the subscribers.
//!
//! The publisher never blocks the simulation, and a volatile topic without subscribers costs one
//! atomic load. It does not encode messages: the caller checks [`Publisher::matched`] first and
//! skips the encoding if there are no subscribers.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use rustdds::bytes::Bytes;
use rustdds::dds::result::WriteError;
use rustdds::{DataWriterStatus, StatusEvented, Timestamp};

use crate::dds::node::EndpointGuard;
use crate::dds::transport::{HEADER_LEN, RawWriter};
use crate::qos::{Durability, Qos};

/// Limit of unacknowledged bytes above which large messages are dropped.
///
/// The send window of the library counts samples (8192), which is gigabytes of images.
const UNACKNOWLEDGED_LIMIT: usize = 64 << 20;

/// Minimum size [bytes] of a message that counts towards [`UNACKNOWLEDGED_LIMIT`]. The send window
/// limits smaller messages.
const LARGE_MESSAGE: usize = 32 << 10;

/// Number of status events that the DDS library queues for one writer before it drops events.
const STATUS_QUEUE: usize = 4;

/// Outcome of publishing a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// The message was passed to DDS.
    Sent,
    /// The topic has no subscriber and keeps no history, so the message was not sent.
    NoSubscriber,
}

/// Reason why a message was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishError {
    /// The bytes are not a little-endian classic CDR message with its encapsulation header.
    NotCdr,
    /// Subscribers are too slow; the message was dropped and counted.
    Congested,
    /// The node no longer exists.
    Stopped,
}

impl fmt::Display for PublishError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotCdr => "the bytes are not a little-endian CDR message with its header",
            Self::Congested => "subscribers are too slow; the message was dropped",
            Self::Stopped => "the node has stopped",
        })
    }
}

impl std::error::Error for PublishError {}

/// Publisher of one topic. Dropping it ends it.
pub struct Publisher {
    topic: String,
    writer: Arc<RawWriter>,
    keeps_history: bool,
    matched: Arc<AtomicUsize>,
    unacknowledged: AtomicUsize,
    dropped: AtomicU64,
    endpoint: Option<EndpointGuard>,
}

impl Publisher {
    /// Creates the publisher, and the counter of its subscribers for the node's thread.
    pub(crate) fn new(topic: String, writer: RawWriter, qos: &Qos) -> (Self, MatchWatch) {
        let writer = Arc::new(writer);
        let matched = Arc::new(AtomicUsize::new(0));
        let watch = MatchWatch {
            writer: Arc::clone(&writer),
            matched: Arc::clone(&matched),
        };
        let publisher = Self {
            topic,
            writer,
            keeps_history: qos.durability == Durability::TransientLocal,
            matched,
            unacknowledged: AtomicUsize::new(0),
            dropped: AtomicU64::new(0),
            endpoint: None,
        };
        (publisher, watch)
    }

    pub(crate) fn with_guard(mut self, endpoint: EndpointGuard) -> Self {
        self.endpoint = Some(endpoint);
        self
    }

    /// Returns the fully qualified name after remapping.
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// Returns the number of subscribers.
    pub fn subscriber_count(&self) -> usize {
        self.matched.load(Ordering::Relaxed)
    }

    /// Whether [`Publisher::publish`] has an effect: the topic has a subscriber or keeps a history.
    pub fn has_receivers(&self) -> bool {
        self.keeps_history || self.subscriber_count() > 0
    }

    /// Returns the number of messages dropped because subscribers were too slow.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Sends a message given as CDR bytes, including the encapsulation header. Never waits for a
    /// subscriber.
    ///
    /// # Errors
    /// The bytes are not a CDR message, subscribers are too slow, or the node no longer exists.
    pub fn publish(&self, message: &[u8]) -> Result<Delivery, PublishError> {
        self.send(message, Bytes::copy_from_slice)
    }

    /// Sends bytes like [`Publisher::publish`], but shares a large message with the caller instead
    /// of copying it.
    ///
    /// # Errors
    /// As [`Publisher::publish`].
    pub fn publish_shared(&self, message: &Bytes) -> Result<Delivery, PublishError> {
        if message.len() < LARGE_MESSAGE {
            return self.publish(message);
        }
        self.send(message, |body| message.slice_ref(body))
    }

    fn send(
        &self,
        message: &[u8],
        own: impl FnOnce(&[u8]) -> Bytes,
    ) -> Result<Delivery, PublishError> {
        let Some(([0, 1, _, _], body)) = message.split_first_chunk::<HEADER_LEN>() else {
            return Err(PublishError::NotCdr);
        };
        if !self.has_receivers() {
            return Ok(Delivery::NoSubscriber);
        }
        if !self.has_room_for(body.len()) {
            return Err(self.drop_message());
        }
        match self.writer.write(own(body), Some(Timestamp::now())) {
            Ok(()) => Ok(Delivery::Sent),
            Err(WriteError::WouldBlock { .. }) => Err(self.drop_message()),
            Err(_) => Err(PublishError::Stopped),
        }
    }

    fn drop_message(&self) -> PublishError {
        self.dropped.fetch_add(1, Ordering::Relaxed);
        PublishError::Congested
    }

    /// Whether a message of `len` bytes fits into the limit of unacknowledged bytes.
    fn has_room_for(&self, len: usize) -> bool {
        if len < LARGE_MESSAGE {
            return true;
        }
        let pending = self.unacknowledged.fetch_add(len, Ordering::Relaxed) + len;
        if pending <= UNACKNOWLEDGED_LIMIT {
            return true;
        }
        let all_acknowledged = self
            .writer
            .wait_for_acknowledgments(Duration::ZERO)
            .unwrap_or(false);
        let pending = if all_acknowledged { len } else { pending - len };
        self.unacknowledged.store(pending, Ordering::Relaxed);
        all_acknowledged
    }
}

/// Updates a publisher's number of subscribers.
pub(crate) struct MatchWatch {
    writer: Arc<RawWriter>,
    matched: Arc<AtomicUsize>,
}

impl MatchWatch {
    /// Processes the queued status events.
    pub(crate) fn update(&mut self) {
        let mut events = 0;
        while let Some(status) = self.writer.try_recv_status() {
            events += 1;
            if let DataWriterStatus::PublicationMatched { current, .. } = status {
                self.matched.store(
                    usize::try_from(current.count()).unwrap_or(0),
                    Ordering::Relaxed,
                );
            }
        }
        // the queue was full, so the last event may be missing; publishing without subscribers is
        // better than missing one
        if events >= STATUS_QUEUE {
            self.matched.fetch_max(1, Ordering::Relaxed);
        }
    }
}
