//! Limits of the transmit queue of a modem, and of the messages of a bridge in it.

use crate::scene::nanoseconds::nanoseconds;
use merrow_yaml::spec::spec;

spec! {
    /// Limits of a transmit queue.
    pub struct QueueLimits {
        /// Maximum number of waiting messages.
        max_messages: usize [in 1.0..=65536.0] = 64,
        /// Maximum sum of the payloads of the waiting messages.
        max_size_bytes: usize [in 1.0..=1e9] = 65536,
        /// Time after which a waiting message is discarded. Default: never.
        max_age_s: Option<f64> [in 1e-6..=1e6],
        /// Message that is discarded if the queue is full.
        policy: DropPolicy = DropPolicy::Newest,
    }

    /// Message that is discarded if a queue is full.
    pub enum DropPolicy words {
        /// The new message is discarded.
        Newest = "newest",
        /// The message that has waited longest is discarded, regardless of its priority.
        Oldest = "oldest",
        /// The newest message of the lowest priority is discarded, or the new message if no waiting
        /// message has a lower priority.
        LowestPriority = "lowest_priority",
    }
}

impl QueueLimits {
    /// Returns the time after which a waiting message is discarded [ns]; `None`: never.
    pub fn max_age_ns(&self) -> Option<u64> {
        self.max_age_s.map(nanoseconds)
    }
}

/// Limits of the waiting messages of one bridge, in addition to the limits of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BridgeQueue {
    /// Maximum number of waiting messages to one destination; `None`: limits of the queue only.
    pub max_messages: Option<usize>,
    /// Message that is discarded if the maximum is reached. All messages of a bridge have the same
    /// priority, so [`DropPolicy::LowestPriority`] discards the new message.
    pub policy: DropPolicy,
    /// Time after which a waiting message is discarded [ns]; `None`: limit of the queue only.
    pub max_age_ns: Option<u64>,
}

impl BridgeQueue {
    /// A new message replaces the waiting one.
    pub const NEWEST_ONLY: Self = Self {
        max_messages: Some(1),
        policy: DropPolicy::Oldest,
        max_age_ns: None,
    };
}
