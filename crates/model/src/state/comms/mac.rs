//! State of medium access.

use crate::persist::Persist;
use crate::scene::comms::MacProtocol;

/// State of the medium access of one modem, by protocol.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub enum MacState {
    /// Protocol without a state: ALOHA, TDMA and FDMA.
    Stateless,
    /// State of slotted ALOHA.
    SlottedAloha(SlottedAlohaState),
    /// State of the waiting-room protocol.
    WaitingRoom(WaitingRoomState),
    /// State of carrier sense with random backoff.
    CsmaCa(CsmaCaState),
    /// State of carrier sense with detection of collisions.
    CsmaCd(CsmaCdState),
    /// State of controller or polled modem.
    Polling(PollingState),
}

impl MacState {
    /// Returns the initial state of `protocol`.
    pub fn new(protocol: &MacProtocol) -> Self {
        match protocol {
            MacProtocol::Aloha | MacProtocol::Tdma(_) | MacProtocol::Fdma(_) => Self::Stateless,
            MacProtocol::SlottedAloha(_) => Self::SlottedAloha(SlottedAlohaState::default()),
            MacProtocol::WaitingRoom(_) => Self::WaitingRoom(WaitingRoomState::default()),
            MacProtocol::CsmaCa(_) => Self::CsmaCa(CsmaCaState::default()),
            MacProtocol::CsmaCd(_) => Self::CsmaCd(CsmaCdState::default()),
            MacProtocol::PollingController(_) | MacProtocol::Polled => {
                Self::Polling(PollingState::default())
            }
        }
    }
}

/// State of slotted ALOHA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct SlottedAlohaState {
    /// Start of the slot in which the frame is transmitted [ns]; `None`: no slot is selected.
    pub at_ns: Option<u64>,
}

/// State of the waiting-room protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct WaitingRoomState {
    /// Number of groups that transmit before this modem; `None`: in the waiting room.
    pub level: Option<u32>,
    /// Number of groups of the conflict that have not transmitted, by the last report; 0: no
    /// conflict.
    pub open: u32,
    /// Start of the slot in which the modem transmits, or time of the next report of the station
    /// [ns].
    pub at_ns: Option<u64>,
    /// Slot of the last report, by the clock of the modem.
    pub reported: Option<i64>,
    /// Whether the station received the last frame; `None`: not reported.
    pub result: Option<bool>,
    /// Whether the frame was transmitted and its result is not reported.
    pub is_sent: bool,
    /// Frames that the station received in the current slot.
    pub received: u32,
    /// Frames that arrived at the station in the current slot and were damaged.
    pub damaged: u32,
}

/// State of carrier sense with random backoff.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct CsmaCaState {
    /// Number of times the medium was busy.
    pub attempts: u32,
    /// Remaining idle time of the backoff [ns]; `None`: no backoff.
    pub remaining_ns: Option<u64>,
    /// Start of the current count [ns].
    pub from_ns: u64,
    /// Total busy time of the medium at the start of the current count [ns].
    pub busy_ns: u64,
    /// Next time at which the medium is sensed [ns].
    pub sense_ns: u64,
}

/// State of carrier sense with detection of collisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct CsmaCdState {
    /// Number of collisions of the frame.
    pub collisions: u32,
    /// End of the backoff [ns].
    pub until_ns: u64,
}

/// State of controller or polled modem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct PollingState {
    /// Position of the next poll in the list of addresses.
    pub position: u32,
    /// End of the wait for a reply [ns]; `None`: no poll is open.
    pub waits_until_ns: Option<u64>,
    /// End of the pause between two cycles [ns].
    pub pause_until_ns: u64,
    /// Whether the controller polls before it transmits its next frame.
    pub is_poll_turn: bool,
    /// Whether the modem was polled and has not replied.
    pub is_granted: bool,
    /// Address of the modem that sent the last poll.
    pub controller: u16,
}
