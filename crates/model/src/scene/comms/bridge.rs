//! Topics that modems transmit between robots.

/// Topic of one robot whose messages a modem transmits to other robots.
#[derive(Clone, Debug, PartialEq)]
pub struct Bridge {
    /// Name of the bridge.
    pub name: String,
    /// Index of the transmitting modem.
    pub from: usize,
    /// Receivers: index of the modem and topic of the received messages, without the leading slash.
    pub to: Vec<(usize, String)>,
    /// Whether one transmission reaches all receivers; otherwise there is one receiver.
    pub is_broadcast: bool,
    /// Topic of the transmitted messages, without the leading slash.
    pub topic: String,
    /// ROS name of the message type.
    pub message_type: String,
    /// Minimum time between two transmitted messages [ns].
    pub min_interval_ns: u64,
    /// Priority of the messages; larger first.
    pub priority: u8,
    /// Whether a new message replaces a waiting one.
    pub keeps_newest: bool,
    /// Whether every frame is repeated until it is acknowledged.
    pub wants_ack: bool,
}
