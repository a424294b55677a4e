//! Parameters of the medium access protocols. The clock of the modem measures all times.

use crate::persist::Persist;

/// Medium access protocol with its parameters.
#[derive(Clone, Debug, PartialEq, Persist)]
pub enum MacProtocol {
    /// Transmits every frame at once.
    Aloha,
    /// Transmits at the start of a slot.
    SlottedAloha(SlottedAloha),
    /// Resolves conflicts by splitting, with reports of a station; new frames wait for the end of
    /// the resolution.
    WaitingRoom(WaitingRoom),
    /// Carrier sense with random backoff.
    CsmaCa(CsmaCa),
    /// Carrier sense with detection of collisions.
    CsmaCd(CsmaCd),
    /// Slots of a periodic schedule.
    Tdma(Tdma),
    /// A part of the band.
    Fdma(Fdma),
    /// Requests of a controller.
    Polling(Polling),
}

/// Parameters of slotted ALOHA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct SlottedAloha {
    /// Duration of a slot [ns].
    pub slot_ns: u64,
}

/// Parameters of the waiting-room protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct WaitingRoom {
    /// Address of the station, which reports the result of every slot.
    pub station: u16,
    /// Duration of a slot: frame, report and twice the longest travel time [ns].
    pub slot_ns: u64,
    /// Time of the report after the start of the slot [ns].
    pub report_ns: u64,
}

/// Parameters of carrier sense with random backoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct CsmaCa {
    /// Backoff that follows a busy medium.
    pub backoff: Backoff,
    /// Time for which the medium must be idle before a transmission [ns].
    pub space_ns: u64,
    /// Number of times the medium may be busy before the frame is discarded.
    pub max_attempts: u32,
}

/// Backoff of carrier sense with random backoff.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Backoff {
    /// Senses again after a uniform random delay.
    Nonpersistent {
        /// Upper limit of the delay [ns].
        max_ns: u64,
    },
    /// Counts a random number of slots during which the medium is idle, then transmits.
    Window {
        /// Duration of a slot [ns].
        slot_ns: u64,
        /// Number of slots of the first window.
        min_slots: u32,
        /// Number of times the window may double.
        max_doublings: u8,
    },
}

/// Parameters of carrier sense with detection of collisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct CsmaCd {
    /// Time after its arrival from which a signal is sensed [ns].
    pub window_ns: u64,
    /// Bits of the shortest frame, which set the unit of the backoff.
    pub min_frame_bits: u32,
    /// Maximum exponent of the backoff.
    pub max_exponent: u8,
    /// Number of collisions after which the frame is discarded.
    pub max_attempts: u32,
}

/// Parameters of time-division multiple access.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub struct Tdma {
    /// Period of the schedule [ns].
    pub frame_ns: u64,
    /// Slots of this modem, sorted by start.
    pub slots: Vec<TdmaSlot>,
    /// Unused time at the end of every slot [ns].
    pub guard_ns: u64,
}

/// Slot in the schedule of time-division multiple access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct TdmaSlot {
    /// Start of the slot after the start of the period [ns].
    pub start_ns: u64,
    /// Duration of the slot, including the guard time [ns].
    pub duration_ns: u64,
}

/// Parameters of frequency-division multiple access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Fdma {
    /// Index of the part of the band.
    pub channel: u16,
    /// Number of equal parts of the band.
    pub channels: u16,
}

/// Role of a modem in polling.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub enum Polling {
    /// Polls other modems in turn.
    Controller {
        /// Addresses in the order of the polls.
        addresses: Vec<u16>,
        /// Time from the end of a poll to the end of the wait for a reply [ns].
        timeout_ns: u64,
        /// Time between the end of one cycle and the start of the next [ns].
        pause_ns: u64,
    },
    /// Transmits when it is polled.
    Polled,
}
