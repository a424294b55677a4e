//! Communication modems: parameters that are constant during a run.

pub mod bridge;
pub mod clock;
pub mod directivity;
pub mod framing;
pub mod mac;
pub mod medium;
pub mod modem;
pub mod queue;
pub mod scheme;
pub mod transceiver;

pub use crate::scene::comms::clock::ClockError;
pub use crate::scene::comms::framing::{Acknowledgement, Framing};
pub use crate::scene::comms::mac::MacProtocol;
pub use crate::scene::comms::modem::{Modem, PowerControl, RateChoice};
pub use crate::scene::comms::queue::{BridgeQueue, DropPolicy, QueueLimits};
pub use crate::scene::comms::transceiver::Transceiver;

/// Address that every modem receives.
pub const BROADCAST: u16 = 0xffff;
