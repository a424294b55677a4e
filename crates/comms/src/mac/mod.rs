//! Medium access protocols: decisions when a modem transmits a waiting frame.
//!
//! Each protocol with a state or a schedule has its own file. Pure ALOHA and frequency-division
//! multiple access (FDMA) transmit a frame as soon as it waits, FDMA in the modem's own part of the
//! band. The engine requests a decision when a frame waits and the modem does not transmit, and
//! again at the time that the decision contains.
//!
//! # Law
//! ```text
//!   S = G exp(-2 G)              (1)  ALOHA [Abramson 1970]
//!   R' = R / n,  N' = N / n      (2)  FDMA
//! ```
//!
//! # Symbols
//! S received frames per frame duration · G transmitted frames per frame duration, a Poisson
//! process · n number of parts · R, N data rate [bit/s] and noise power in the whole band · R', N'
//! in one part.
//!
//! # Limits
//! - ALOHA repeats no frame; frames are repeated only if they are not acknowledged. A modem also
//!   transmits during a reception; a half-duplex modem then loses the received frame.
//! - FDMA has parts of equal width with white noise and no leakage between them. A receiver receives
//!   in all parts of the band simultaneously. Two modems in the same part interfere.
//!
//! # Checked by
//! crates/comms/tests/network/throughput.rs, crates/comms/tests/network/access.rs

pub(crate) mod context;
mod csma_ca;
mod csma_cd;
mod polling;
mod slotted_aloha;
mod tdma;
mod waiting_room;

use crate::mac::context::{MacContext, Observation};
use merrow_model::scene::comms::MacProtocol;
use merrow_model::state::comms::mac::CsmaCdState;
use merrow_model::state::comms::signal::{BandPart, ControlKind};
use merrow_model::state::comms::{LossCause, MacState};

/// Action of a modem that its medium access protocol selects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Decision {
    /// Transmits the frame that waits.
    Transmit,
    /// Decides again at this time [ns].
    WaitUntil(u64),
    /// Decides again after an observation.
    Hold,
    /// Discards the message of the frame.
    Drop(LossCause),
    /// Transmits a control frame to this address.
    Control(ControlKind, u16),
    /// Ends the wait for the result of the frame; true if the frame was received.
    Result(bool),
}

/// Decides about the frame that waits, if `cx.has_frame`.
pub(crate) fn decide(
    protocol: &MacProtocol,
    state: &mut MacState,
    cx: &mut MacContext<'_>,
) -> Decision {
    match (protocol, state) {
        (MacProtocol::Aloha | MacProtocol::Fdma(_), _) => Decision::Transmit, // (1), (2)
        (MacProtocol::Tdma(p), _) => tdma::decide(p, cx),
        (MacProtocol::SlottedAloha(p), MacState::SlottedAloha(s)) => {
            slotted_aloha::decide(p, s, cx)
        }
        (MacProtocol::WaitingRoom(p), MacState::WaitingRoom(s)) => waiting_room::decide(p, s, cx),
        (MacProtocol::CsmaCa(p), MacState::CsmaCa(s)) => csma_ca::decide(p, s, cx),
        (MacProtocol::CsmaCd(p), MacState::CsmaCd(s)) => csma_cd::decide(p, s, cx),
        (MacProtocol::PollingController(p), MacState::Polling(s)) => polling::poll(p, s, cx),
        (MacProtocol::Polled, MacState::Polling(s)) => polling::reply(s, cx),
        // never, because `MacState::new` creates the state of the protocol
        (
            MacProtocol::SlottedAloha(_)
            | MacProtocol::WaitingRoom(_)
            | MacProtocol::CsmaCa(_)
            | MacProtocol::CsmaCd(_)
            | MacProtocol::PollingController(_)
            | MacProtocol::Polled,
            _,
        ) => Decision::Hold,
    }
}

/// Reports the end of a transmission of the modem.
pub(crate) fn transmitted(
    protocol: &MacProtocol,
    state: &mut MacState,
    cx: &mut MacContext<'_>,
    is_control: bool,
) {
    match state {
        MacState::CsmaCa(s) => {
            if let (MacProtocol::CsmaCa(p), false) = (protocol, is_control) {
                csma_ca::transmitted(p, s, cx);
            }
        }
        MacState::CsmaCd(s) => {
            if !is_control {
                *s = CsmaCdState::default();
            }
        }
        MacState::Polling(s) => {
            if let MacProtocol::PollingController(p) = protocol {
                polling::transmitted(p, s, cx);
            }
        }
        MacState::Stateless | MacState::SlottedAloha(_) | MacState::WaitingRoom(_) => {}
    }
}

/// Reports that the modem ended a transmission because of a collision.
pub(crate) fn collided(protocol: &MacProtocol, state: &mut MacState, cx: &mut MacContext<'_>) {
    if let (MacProtocol::CsmaCd(p), MacState::CsmaCd(s)) = (protocol, state) {
        csma_cd::collided(p, s, cx);
    }
}

/// Reports the end of a frame at the modem. Returns true if a decision is necessary.
pub(crate) fn observe(
    protocol: &MacProtocol,
    state: &mut MacState,
    cx: &mut MacContext<'_>,
    seen: &Observation,
) -> bool {
    match (state, protocol) {
        (MacState::WaitingRoom(s), MacProtocol::WaitingRoom(p)) => {
            waiting_room::observe(p, s, cx, seen)
        }
        (MacState::Polling(s), MacProtocol::PollingController(p)) => {
            polling::observe_reply(p, s, cx, seen)
        }
        (MacState::Polling(s), _) => polling::observe_poll(s, seen),
        (MacState::Stateless | MacState::SlottedAloha(_) | MacState::WaitingRoom(_), _)
        | (MacState::CsmaCa(_) | MacState::CsmaCd(_), _) => false,
    }
}

/// Properties of a protocol at a modem.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Properties {
    /// Whether the protocol uses the ends of frames at the modem.
    pub observes: bool,
    /// Whether it also decides without a frame that waits.
    pub drives_itself: bool,
    /// Whether a transmitted frame remains in service until [`Decision::Result`].
    pub awaits_result: bool,
    /// Whether a signal that arrives during a transmission ends it.
    pub detects_collisions: bool,
    /// Whether acknowledgements and range replies wait for a decision.
    pub defers_replies: bool,
    /// Part of the band in which the modem transmits.
    pub part: BandPart,
}

/// Returns the properties of `protocol` at the modem with the address `address`.
pub(crate) fn properties(protocol: &MacProtocol, address: u16) -> Properties {
    let mut own = Properties::default();
    match protocol {
        MacProtocol::Aloha | MacProtocol::CsmaCa(_) => {}
        MacProtocol::SlottedAloha(_) | MacProtocol::Tdma(_) => own.defers_replies = true,
        MacProtocol::WaitingRoom(p) => {
            (own.observes, own.defers_replies) = (true, true);
            own.drives_itself = address == p.station;
            own.awaits_result = !own.drives_itself;
        }
        MacProtocol::CsmaCd(_) => own.detects_collisions = true,
        MacProtocol::Fdma(p) => {
            own.part = BandPart {
                index: p.channel,
                count: p.channels,
            };
        }
        MacProtocol::PollingController(_) | MacProtocol::Polled => {
            (own.observes, own.drives_itself) = (true, true);
        }
    }
    own
}
