//! Publisher of one topic: passes encoded messages to the backend and counts the subscribers.
//!
//! The publisher never blocks the simulation, and a volatile topic without subscribers costs one
//! atomic load. It does not encode messages: the caller checks [`Publisher::has_receivers`] first
//! and skips the encoding if there are none.

use bytes::Bytes;
use std::sync::Arc;

use crate::backend::PublisherEndpoint;
use crate::qos::{Durability, Qos};

/// Reason why a message was not sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PublishError {
    /// The bytes are not a little-endian classic CDR message with its encapsulation header.
    #[error("the bytes are not a little-endian CDR message with its header")]
    NotCdr,
    /// The message is larger than 4 GiB.
    #[error("the message is larger than 4 GiB")]
    TooLarge,
    /// The RMW refused the message. The node logs the reason.
    #[error("the RMW refused the message")]
    Refused,
    /// The node no longer exists.
    #[error("the node has stopped")]
    Stopped,
}

/// Publisher of one topic. Dropping it ends it.
pub struct Publisher {
    topic: String,
    keeps_history: bool,
    endpoint: Arc<dyn PublisherEndpoint>,
}

impl Publisher {
    pub(crate) fn new(topic: String, qos: &Qos, endpoint: Arc<dyn PublisherEndpoint>) -> Self {
        Self {
            topic,
            keeps_history: qos.durability == Durability::TransientLocal,
            endpoint,
        }
    }

    /// Returns the fully qualified name after remapping.
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// Returns the number of subscriptions with the same topic, the same type and a compatible QoS.
    pub fn subscriber_count(&self) -> usize {
        self.endpoint.subscriber_count()
    }

    /// Returns true if [`Publisher::publish`] has an effect: the topic has a subscriber or keeps a
    /// history.
    pub fn has_receivers(&self) -> bool {
        self.keeps_history || self.subscriber_count() > 0
    }

    /// Returns the number of messages that left the history before every reliable subscriber had
    /// acknowledged them.
    pub fn dropped(&self) -> u64 {
        self.endpoint.dropped()
    }

    /// Sends a message given as CDR bytes, including the encapsulation header. A topic without
    /// subscribers and history sends none. The embedded backend never waits for a subscriber; an RMW
    /// can.
    ///
    /// # Errors
    /// The bytes are not a CDR message, the message is too large, or the node no longer exists.
    pub fn publish(&self, message: &[u8]) -> Result<(), PublishError> {
        self.send(message, || Bytes::copy_from_slice(message))
    }

    /// Sends bytes like [`Publisher::publish`], but shares the message with the caller instead of
    /// copying it.
    ///
    /// # Errors
    /// As [`Publisher::publish`].
    pub fn publish_shared(&self, message: &Bytes) -> Result<(), PublishError> {
        self.send(message, || message.clone())
    }

    fn send(&self, message: &[u8], payload: impl FnOnce() -> Bytes) -> Result<(), PublishError> {
        let [0, 1, _, _, ..] = message else {
            return Err(PublishError::NotCdr);
        };
        match self.has_receivers() {
            true => self.endpoint.publish(payload()),
            false => Ok(()),
        }
    }
}
