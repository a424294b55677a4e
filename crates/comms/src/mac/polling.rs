//! Polling: a controller permits the modems in turn to transmit one frame.
//!
//! # Law
//! The controller transmits a poll, waits for a frame of the polled modem or for a time-out, and
//! polls the next address. The polled modem replies with its next frame, or with a frame without
//! data. Before each poll the controller transmits one of its own frames if one waits.
//!
//! # Limits
//! Each group has one controller; the frames of two controllers collide. The time-out must exceed
//! twice the travel time plus the duration of the longest frame. A signal that is arriving when the
//! time-out ends extends it.
//!
//! # Checked by
//! crates/comms/tests/network/access.rs

use crate::mac::Decision;
use crate::mac::context::{MacContext, Observation};
use merrow_model::scene::comms::mac::PollingController;
use merrow_model::state::comms::mac::PollingState;
use merrow_model::state::comms::signal::ControlKind;

/// Returns the decision of a modem that is polled.
pub(super) fn reply(state: &mut PollingState, cx: &MacContext<'_>) -> Decision {
    if !std::mem::take(&mut state.is_granted) {
        Decision::Hold
    } else if cx.has_frame {
        Decision::Transmit
    } else {
        Decision::Control(ControlKind::NoData, state.controller)
    }
}

/// Reports the end of a transmission of the controller.
pub(super) fn transmitted(law: &PollingController, state: &mut PollingState, cx: &MacContext<'_>) {
    if state.waits_until_ns == Some(u64::MAX) {
        state.waits_until_ns = Some(cx.now_ns + law.timeout_s.0);
    }
}

/// Reports the end of a frame at the controller. Returns true if it is the awaited reply.
pub(super) fn observe_reply(
    law: &PollingController,
    state: &mut PollingState,
    cx: &MacContext<'_>,
    seen: &Observation,
) -> bool {
    let polled = law.addresses.get(state.position as usize).copied();
    let is_reply = seen.is_intact && polled == Some(seen.source);
    let is_awaited = state.waits_until_ns.is_some_and(|until| until != u64::MAX);
    if is_reply && is_awaited {
        advance(law, state, cx.now_ns);
    }
    is_reply && is_awaited
}

/// Reports the end of a frame at a modem that is polled. Returns true if it is a poll.
pub(super) fn observe_poll(state: &mut PollingState, seen: &Observation) -> bool {
    let is_poll = seen.is_for_me && seen.control == Some(ControlKind::Poll);
    if is_poll {
        state.is_granted = true;
        state.controller = seen.source;
    }
    is_poll
}

/// Returns the decision of the controller.
pub(super) fn poll(
    law: &PollingController,
    state: &mut PollingState,
    cx: &MacContext<'_>,
) -> Decision {
    if let Some(until) = state.waits_until_ns {
        if until == u64::MAX {
            // the poll was not transmitted, because the modem was busy or switched off
            state.waits_until_ns = None;
        } else if cx.now_ns < until {
            return Decision::WaitUntil(until);
        } else if cx.is_busy {
            return Decision::WaitUntil(cx.idle_ns);
        } else {
            advance(law, state, cx.now_ns);
        }
    }
    if cx.has_frame && !state.is_poll_turn {
        state.is_poll_turn = true;
        return Decision::Transmit;
    }
    if cx.now_ns < state.pause_until_ns {
        if cx.has_frame {
            return Decision::Transmit;
        }
        return Decision::WaitUntil(state.pause_until_ns);
    }
    state.is_poll_turn = false;
    match law.addresses.get(state.position as usize) {
        Some(address) => {
            state.waits_until_ns = Some(u64::MAX);
            Decision::Control(ControlKind::Poll, *address)
        }
        None => Decision::Hold,
    }
}

/// Selects the next address.
fn advance(law: &PollingController, state: &mut PollingState, now_ns: u64) {
    state.waits_until_ns = None;
    state.position += 1;
    if state.position as usize >= law.addresses.len() {
        state.position = 0;
        state.pause_until_ns = now_ns + law.pause_s.0;
    }
}
