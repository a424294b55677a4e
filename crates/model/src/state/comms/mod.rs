//! State of the communication network: queues, packets in flight, medium access, counters and the
//! results that the caller has not taken.

use crate::persist::Persist;

pub mod command;
pub mod event;
pub mod link;
pub mod loss;
pub mod mac;
pub mod message;
pub mod modem;
pub mod output;
pub mod signal;
pub mod slab;

pub use crate::state::comms::command::{MessageGroup, ModemCommand, Ranging, Send};
pub use crate::state::comms::event::{Event, EventKind};
pub use crate::state::comms::link::{LinkSignal, LinkState};
pub use crate::state::comms::loss::{LossCause, PacketCounts};
pub use crate::state::comms::mac::MacState;
pub use crate::state::comms::message::{Copy, Message};
pub use crate::state::comms::modem::ModemState;
pub use crate::state::comms::output::{
    Activity, Delivery, Interval, NetworkOutput, PacketRecord, RangeResult, ReplyDirection,
};
pub use crate::state::comms::signal::{Reception, Transmission};
pub use crate::state::comms::slab::Slab;

/// Complete state of a network. A run that continues from a copy of the state is bit-identical.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct NetworkState {
    /// Time up to which all events have been processed [ns].
    pub time_ns: u64,
    /// Number that orders events at the same instant; counts the events.
    pub sequence: u64,
    /// Number of messages accepted since the start.
    pub next_message: u64,
    /// Pending events except starts and ends of receptions, a heap with four children per node and
    /// the earliest event first.
    pub events: Vec<Event>,
    /// Earliest time at which a reception can start or end [ns]; `u64::MAX`: none is pending.
    pub next_reception_ns: u64,
    /// One entry per modem of the scene.
    pub modems: Vec<ModemState>,
    /// Messages that are queued or in flight.
    pub messages: Slab<Message>,
    /// Frames that are in flight.
    pub transmissions: Slab<Transmission>,
    /// One entry per pair of modems: row of the transmitter, column of the receiver.
    pub links: Vec<LinkState>,
    /// Last frames on the links, in the same order.
    pub link_signals: Vec<LinkSignal>,
    /// Copies of messages, by result: one copy per modem that a message is addressed to.
    pub copies: PacketCounts,
    /// Receptions of single frames, by result.
    pub frames: PacketCounts,
    /// Results for the caller.
    pub output: NetworkOutput,
    /// Earliest time of the next message of each bridge of the scene [ns].
    pub bridges_ns: Vec<u64>,
    /// Next time at which bridges transmit outputs that have no time of measurement [ns].
    pub next_output_ns: u64,
}
