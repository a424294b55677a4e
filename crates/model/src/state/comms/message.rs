//! Messages and their copies.

use crate::persist::Persist;
use crate::state::comms::loss::LossCause;
use crate::state::comms::slab::Reset;

/// Message that is queued or in flight.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct Message {
    /// Number of the message since the start of the run.
    pub id: u64,
    /// Whether the payload is a message of a bridge, after the number of the bridge in two bytes.
    pub is_bridged: bool,
    /// Index of the transmitting modem.
    pub from: u32,
    /// Address of the destination.
    pub destination: u16,
    /// Larger priorities are transmitted first.
    pub priority: u8,
    /// Whether every frame is acknowledged.
    pub is_acknowledged: bool,
    /// Key that the messages with a common limit in the queue share, such as messages of a bridge.
    pub key: Option<u32>,
    /// Time after which the waiting message is discarded [ns]; `None`: limit of the queue only.
    pub max_age_ns: Option<u64>,
    /// Transmit power [W]; `None`: transmit power of the modem.
    pub power: Option<f64>,
    /// Sequence number in the header.
    pub sequence: u16,
    /// Number of frames of the message.
    pub fragments: u8,
    /// Time of the command [ns].
    pub created_ns: u64,
    /// Whether the transmitter has taken the message from its queue.
    pub is_in_service: bool,
    /// Whether the transmitter has ended its attempts.
    pub is_done: bool,
    /// Number of transmissions of the message that have not ended at all receivers.
    pub transmissions: u32,
    /// Number of copies that are not closed.
    pub open: u32,
    /// One copy per addressed modem.
    pub copies: Vec<Copy>,
    /// Content of the message, without the headers of its frames.
    pub payload: Vec<u8>,
}

/// State of a message for one addressed modem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct Copy {
    /// Bit set of the frames that were received.
    pub received: u64,
    /// Index of the addressed modem.
    pub to: u32,
    /// Number of frames in flight to the addressed modem.
    pub in_flight: u16,
    /// Cause of the last loss of a frame.
    pub cause: Option<LossCause>,
    /// Whether the copy is delivered or lost.
    pub is_closed: bool,
}

impl Reset for Message {
    fn reset(&mut self) {
        let mut copies = std::mem::take(&mut self.copies);
        let mut payload = std::mem::take(&mut self.payload);
        copies.clear();
        payload.clear();
        *self = Self {
            copies,
            payload,
            ..Self::default()
        };
    }
}
