//! Medium access protocols: decisions when a modem transmits a waiting frame.
//!
//! One file per protocol implements [`MediumAccess`] for the parameters of the protocol. The engine
//! requests a decision when a frame waits and the modem does not transmit, and again at the time
//! that the decision contains.

mod aloha;
pub(crate) mod context;
mod csma_ca;
mod csma_cd;
mod fdma;
mod polling;
mod slotted_aloha;
pub mod tdma;
mod waiting_room;

use crate::mac::context::{MacContext, Observation};
use merrow_model::scene::comms::MacProtocol;
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

/// Medium access protocol of one modem.
pub(crate) trait MediumAccess {
    /// State of the protocol at one modem.
    type State;

    /// Decides about the frame that waits, if `cx.has_frame`.
    fn decide(&self, state: &mut Self::State, cx: &mut MacContext<'_>) -> Decision;

    /// Reports the end of a transmission of the modem.
    fn transmitted(&self, _state: &mut Self::State, _cx: &mut MacContext<'_>, _is_control: bool) {}

    /// Reports that the modem ended a transmission because of a collision.
    fn collided(&self, _state: &mut Self::State, _cx: &mut MacContext<'_>) {}

    /// Reports the end of a frame at the modem. Returns true if a decision is necessary.
    fn observe(
        &self,
        _state: &mut Self::State,
        _cx: &mut MacContext<'_>,
        _seen: &Observation,
    ) -> bool {
        false
    }

    /// Returns true if the protocol uses the ends of frames at the modem.
    fn observes(&self) -> bool {
        false
    }

    /// Returns true if the protocol also decides without a frame that waits.
    fn drives_itself(&self, _address: u16) -> bool {
        false
    }

    /// Returns true if a transmitted frame remains in service until [`Decision::Result`].
    fn awaits_result(&self, _address: u16) -> bool {
        false
    }

    /// Returns true if a signal that arrives during a transmission ends it.
    fn detects_collisions(&self) -> bool {
        false
    }

    /// Returns true if acknowledgements and range replies are transmitted without a decision.
    fn replies_at_once(&self) -> bool {
        true
    }
}

struct Aloha;

/// Evaluates `$call` with the parameters and the state of the protocol.
macro_rules! dispatch {
    ($protocol:expr, $state:expr, |$p:ident, $s:ident| $call:expr, $mismatch:expr) => {
        match ($protocol, $state) {
            (MacProtocol::Aloha, _) => {
                let ($p, $s) = (&Aloha, &mut ());
                $call
            }
            (MacProtocol::SlottedAloha($p), MacState::SlottedAloha($s)) => $call,
            (MacProtocol::WaitingRoom($p), MacState::WaitingRoom($s)) => $call,
            (MacProtocol::CsmaCa($p), MacState::CsmaCa($s)) => $call,
            (MacProtocol::CsmaCd($p), MacState::CsmaCd($s)) => $call,
            (MacProtocol::Tdma($p), _) => {
                let $s = &mut ();
                $call
            }
            (MacProtocol::Fdma($p), _) => {
                let $s = &mut ();
                $call
            }
            (MacProtocol::Polling($p), MacState::Polling($s)) => $call,
            // `MacState::new` creates the state of the protocol
            _ => $mismatch,
        }
    };
}

/// Evaluates `$call`, which does not depend on the state, with the parameters of the protocol.
macro_rules! dispatch_property {
    ($protocol:expr, |$p:ident| $call:expr) => {
        match $protocol {
            MacProtocol::Aloha => {
                let $p = &Aloha;
                $call
            }
            MacProtocol::SlottedAloha($p) => $call,
            MacProtocol::WaitingRoom($p) => $call,
            MacProtocol::CsmaCa($p) => $call,
            MacProtocol::CsmaCd($p) => $call,
            MacProtocol::Tdma($p) => $call,
            MacProtocol::Fdma($p) => $call,
            MacProtocol::Polling($p) => $call,
        }
    };
}

pub(crate) fn decide(
    protocol: &MacProtocol,
    state: &mut MacState,
    cx: &mut MacContext<'_>,
) -> Decision {
    dispatch!(protocol, state, |p, s| p.decide(s, cx), Decision::Hold)
}

pub(crate) fn transmitted(
    protocol: &MacProtocol,
    state: &mut MacState,
    cx: &mut MacContext<'_>,
    is_control: bool,
) {
    dispatch!(protocol, state, |p, s| p.transmitted(s, cx, is_control), ());
}

pub(crate) fn collided(protocol: &MacProtocol, state: &mut MacState, cx: &mut MacContext<'_>) {
    dispatch!(protocol, state, |p, s| p.collided(s, cx), ());
}

pub(crate) fn observe(
    protocol: &MacProtocol,
    state: &mut MacState,
    cx: &mut MacContext<'_>,
    seen: &Observation,
) -> bool {
    dispatch!(protocol, state, |p, s| p.observe(s, cx, seen), false)
}

pub(crate) fn observes(protocol: &MacProtocol) -> bool {
    dispatch_property!(protocol, |p| p.observes())
}

pub(crate) fn drives_itself(protocol: &MacProtocol, address: u16) -> bool {
    dispatch_property!(protocol, |p| p.drives_itself(address))
}

pub(crate) fn awaits_result(protocol: &MacProtocol, address: u16) -> bool {
    dispatch_property!(protocol, |p| p.awaits_result(address))
}

pub(crate) fn detects_collisions(protocol: &MacProtocol) -> bool {
    dispatch_property!(protocol, |p| p.detects_collisions())
}

pub(crate) fn replies_at_once(protocol: &MacProtocol) -> bool {
    dispatch_property!(protocol, |p| p.replies_at_once())
}
