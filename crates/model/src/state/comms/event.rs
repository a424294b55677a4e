//! Events of the network.

use crate::persist::Persist;

/// Event at an instant. Events are processed by time, then by `order`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Event {
    /// Simulated time at which the event is processed [ns].
    pub time_ns: u64,
    /// Class of the event in the upper four bits, below it the number of the event.
    pub order: u64,
    /// Kind of event with the index of its modem or transmission.
    pub kind: EventKind,
}

/// Kind of event. `serial` identifies the state for which the event was scheduled; an event with an
/// outdated number has no effect.
#[allow(missing_docs)] // the description of each variant covers its fields
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum EventKind {
    /// End of a transmission at the transmitter.
    TransmitEnd { transmission: u32, serial: u32 },
    /// Decision time of the medium access of a modem.
    Access { modem: u32, serial: u32 },
    /// End of the wait for an acknowledgement, or of the backoff that follows it.
    Repetition { modem: u32, serial: u32 },
    /// A control frame, a command or a change of power requires a decision of the modem.
    Wake { modem: u32 },
    /// End of a period of power control.
    PowerCheck { modem: u32 },
}
