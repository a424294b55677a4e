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
pub mod tdma;
mod waiting_room;

use crate::mac::context::{MacContext, Observation};
use merrow_model::scene::comms::MacProtocol;
use merrow_model::state::comms::mac::CsmaCdState;
use merrow_model::state::comms::signal::ControlKind;
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
        // `MacState::new` creates the state of the protocol
        // the state of another protocol
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
    match (protocol, state) {
        (MacProtocol::CsmaCa(p), MacState::CsmaCa(s)) if !is_control => {
            csma_ca::transmitted(p, s, cx);
        }
        (MacProtocol::CsmaCd(_), MacState::CsmaCd(s)) if !is_control => *s = CsmaCdState::default(),
        (MacProtocol::PollingController(p), MacState::Polling(s)) => {
            polling::transmitted(p, s, cx);
        }
        _ => {}
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
    match (protocol, state) {
        (MacProtocol::WaitingRoom(p), MacState::WaitingRoom(s)) => {
            waiting_room::observe(p, s, cx, seen)
        }
        (MacProtocol::PollingController(p), MacState::Polling(s)) => {
            polling::observe_reply(p, s, cx, seen)
        }
        (MacProtocol::Polled, MacState::Polling(s)) => polling::observe_poll(s, seen),
        _ => false,
    }
}

/// Returns true if the protocol uses the ends of frames at the modem.
pub(crate) fn observes(protocol: &MacProtocol) -> bool {
    matches!(
        protocol,
        MacProtocol::PollingController(_) | MacProtocol::Polled | MacProtocol::WaitingRoom(_)
    )
}

/// Returns true if the protocol also decides without a frame that waits.
pub(crate) fn drives_itself(protocol: &MacProtocol, address: u16) -> bool {
    match protocol {
        MacProtocol::PollingController(_) | MacProtocol::Polled => true,
        MacProtocol::WaitingRoom(p) => address == p.station,
        _ => false,
    }
}

/// Returns true if a transmitted frame remains in service until [`Decision::Result`].
pub(crate) fn awaits_result(protocol: &MacProtocol, address: u16) -> bool {
    matches!(protocol, MacProtocol::WaitingRoom(p) if address != p.station)
}

/// Returns true if a signal that arrives during a transmission ends it.
pub(crate) fn detects_collisions(protocol: &MacProtocol) -> bool {
    matches!(protocol, MacProtocol::CsmaCd(_))
}

/// Returns true if acknowledgements and range replies are transmitted without a decision.
pub(crate) fn replies_at_once(protocol: &MacProtocol) -> bool {
    !matches!(
        protocol,
        MacProtocol::SlottedAloha(_) | MacProtocol::WaitingRoom(_) | MacProtocol::Tdma(_)
    )
}
