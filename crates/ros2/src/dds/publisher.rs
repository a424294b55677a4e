//! Publisher of one topic: hands encoded messages to DDS, and knows whether anybody listens.
//!
//! It exists to keep the simulation free: it never waits, and a volatile topic without subscribers costs one atomic
//! load. It must not encode: the caller asks [`Publisher::matched`] first and may skip that work.

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

/// Bytes that subscribers may leave unacknowledged before large messages are dropped.
///
/// The send window counts samples (8192), which is gigabytes of images.
const UNACKNOWLEDGED_LIMIT: usize = 64 << 20;

/// Smallest message, in bytes, that counts against [`UNACKNOWLEDGED_LIMIT`]; the send window bounds smaller ones.
const LARGE_MESSAGE: usize = 32 << 10;

/// Status events that the DDS library queues for one writer before it drops the next.
const STATUS_QUEUE: usize = 4;

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Handed to DDS.
    Sent,
    /// Nobody listens and the topic keeps no history: nothing was done.
    NoSubscriber,
}

/// Why a message was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishError {
    /// Not a little-endian classic CDR message with its encapsulation header.
    NotCdr,
    /// Subscribers are too far behind; the message was dropped and counted.
    Congested,
    /// The node is gone.
    Stopped,
}

impl fmt::Display for PublishError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotCdr => "the bytes are not a little-endian CDR message with its header",
            Self::Congested => "subscribers are too far behind, the message was dropped",
            Self::Stopped => "the node has stopped",
        })
    }
}

impl std::error::Error for PublishError {}

/// Publisher of one topic; dropping it ends it.
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
    /// The publisher, and what the node's thread keeps to count its subscribers.
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

    pub(crate) fn guarded_by(mut self, endpoint: EndpointGuard) -> Self {
        self.endpoint = Some(endpoint);
        self
    }

    /// Fully qualified name after remapping.
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// Number of subscribers.
    pub fn matched(&self) -> usize {
        self.matched.load(Ordering::Relaxed)
    }

    /// Whether [`Publisher::publish`] would do anything: somebody listens, or the topic keeps a history.
    pub fn is_wanted(&self) -> bool {
        self.keeps_history || self.matched() > 0
    }

    /// Number of messages dropped because subscribers were too far behind.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Sends a message: its CDR bytes, encapsulation header included. Never waits for a subscriber.
    ///
    /// # Errors
    /// The bytes are no CDR message, subscribers are too far behind, or the node is gone.
    pub fn publish(&self, message: &[u8]) -> Result<Delivery, PublishError> {
        self.send(message, Bytes::copy_from_slice)
    }

    /// [`Publisher::publish`] of bytes that the caller keeps as well; a large message is not copied.
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
        if !self.is_wanted() {
            return Ok(Delivery::NoSubscriber);
        }
        if !self.has_room_for(body.len()) {
            return Err(self.congested());
        }
        match self.writer.write(own(body), Some(Timestamp::now())) {
            Ok(()) => Ok(Delivery::Sent),
            Err(WriteError::WouldBlock { .. }) => Err(self.congested()),
            Err(_) => Err(PublishError::Stopped),
        }
    }

    fn congested(&self) -> PublishError {
        self.dropped.fetch_add(1, Ordering::Relaxed);
        PublishError::Congested
    }

    /// Whether a message of `len` bytes fits into what subscribers may leave unacknowledged.
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

/// Keeps a publisher's count of subscribers.
pub struct MatchWatch {
    writer: Arc<RawWriter>,
    matched: Arc<AtomicUsize>,
}

impl MatchWatch {
    /// Takes in the events that have come.
    pub fn update(&mut self) {
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
        // the queue was full, so the last event may be missing: rather publish for nobody than not at all
        if events >= STATUS_QUEUE {
            self.matched.fetch_max(1, Ordering::Relaxed);
        }
    }
}
