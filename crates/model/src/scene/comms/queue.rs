//! Limits of the transmit queue of a modem, and of the messages of a bridge in it.

/// Limits of a transmit queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueLimits {
    /// Maximum number of waiting messages.
    pub max_messages: usize,
    /// Maximum sum of the payloads of the waiting messages [byte].
    pub max_bytes: usize,
    /// Time after which a waiting message is discarded [ns]; `None`: never.
    pub max_age_ns: Option<u64>,
    /// Messages that are discarded if the queue is full.
    pub policy: DropPolicy,
}

/// Choice of the messages that are discarded if a queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropPolicy {
    /// The new message is discarded.
    Newest,
    /// The message that has waited longest, of any priority.
    Oldest,
    /// The newest message of the lowest priority, or the new message if no waiting message has a
    /// lower priority.
    LowestPriority,
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
