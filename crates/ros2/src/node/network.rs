//! Handle to the network of a node: batches of messages, topics of other nodes, and counters for
//! diagnostics.

use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::sync::Arc;

use crate::backend::{Backend, RemoteTopic, TopicDescription};
use crate::node::{Callback, Subscription};

/// Handle to the network of a node, for any thread.
#[derive(Clone)]
pub struct Network(Arc<dyn Backend>);

/// Counters of the network of a node since it started.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NetworkCounters {
    /// Datagrams that were sent.
    pub sent: u64,
    /// Datagrams that were received from accepted senders.
    pub received: u64,
    /// Datagrams that the operating system refused to send.
    pub send_errors: u64,
    /// Datagrams of senders outside the discovery range, which were ignored.
    pub foreign: u64,
    /// Address of the last sender outside the discovery range.
    pub last_foreign: Option<Ipv4Addr>,
    /// Datagrams with invalid content.
    pub malformed: u64,
    /// Announcements of participants and endpoints that were refused: invalid, over a limit, or
    /// without an address that can be reached.
    pub refused: u64,
    /// Received messages that were skipped because of their size: too large, or without an
    /// encapsulation header.
    pub skipped: u64,
    /// Messages that were dropped because the callback of their subscription was too slow.
    pub overtaken: u64,
}

impl Network {
    pub(super) fn new(backend: Arc<dyn Backend>) -> Self {
        Self(backend)
    }

    /// Holds datagrams back while `action` runs, so that the messages published meanwhile can share
    /// datagrams. A message after more than 0.1 ms sends the datagrams that wait.
    pub fn batch<R>(&self, action: impl FnOnce() -> R) -> R {
        let _batch = self.0.batch();
        action()
    }

    /// Returns the topics of the publishers of other nodes, sorted by name.
    pub fn remote_topics(&self) -> Vec<RemoteTopic> {
        self.0.remote_topics()
    }

    /// Returns the names of the services of other nodes.
    pub fn remote_services(&self) -> BTreeSet<String> {
        self.0.remote_services()
    }

    /// Creates a subscription, as [`crate::node::Node::subscription`] does. `topic` is fully
    /// qualified.
    ///
    /// # Errors
    /// One line: the backend refuses the endpoint.
    pub fn subscription(
        &self,
        topic: &TopicDescription<'_>,
        callback: Callback,
    ) -> Result<Subscription, String> {
        Ok(Subscription {
            topic: topic.name.to_owned(),
            _endpoint: self.0.create_subscription(topic, callback)?,
        })
    }

    /// Returns whether every matched reliable subscription has received all messages that the node
    /// published before. It requests the acknowledgements, so that a caller that repeats the
    /// question has the answer about a millisecond after the messages have arrived. `None` if the
    /// backend does not tell.
    pub fn all_received(&self) -> Option<bool> {
        self.0.all_received()
    }

    /// Returns the counters since the node started; `None` if the backend has none.
    pub fn counters(&self) -> Option<NetworkCounters> {
        self.0.counters()
    }
}
