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
use merrow_model::scene::comms::mac::Polling;
use merrow_model::state::comms::mac::PollingState;
use merrow_model::state::comms::signal::ControlKind;

pub(super) fn decide(law: &Polling, state: &mut PollingState, cx: &MacContext<'_>) -> Decision {
    match law {
        Polling::Controller {
            addresses,
            pause_ns,
            ..
        } => poll(state, cx, addresses, *pause_ns),
        Polling::Polled if !state.is_granted => Decision::Hold,
        Polling::Polled => {
            state.is_granted = false;
            if cx.has_frame {
                Decision::Transmit
            } else {
                Decision::Control(ControlKind::NoData, state.controller)
            }
        }
    }
}

pub(super) fn transmitted(law: &Polling, state: &mut PollingState, cx: &MacContext<'_>) {
    if let (Polling::Controller { timeout_ns, .. }, Some(u64::MAX)) = (law, state.waits_until_ns) {
        state.waits_until_ns = Some(cx.now_ns + timeout_ns);
    }
}

pub(super) fn observe(
    law: &Polling,
    state: &mut PollingState,
    cx: &MacContext<'_>,
    seen: &Observation,
) -> bool {
    match law {
        Polling::Controller {
            addresses,
            pause_ns,
            ..
        } => {
            let polled = addresses.get(state.position as usize).copied();
            let is_reply = seen.is_intact && polled == Some(seen.source);
            let is_awaited = state.waits_until_ns.is_some_and(|until| until != u64::MAX);
            if is_reply && is_awaited {
                advance(state, cx.now_ns, addresses.len(), *pause_ns);
            }
            is_reply && is_awaited
        }
        Polling::Polled => {
            let is_poll = seen.is_for_me && seen.control == Some(ControlKind::Poll);
            if is_poll {
                state.is_granted = true;
                state.controller = seen.source;
            }
            is_poll
        }
    }
}

/// Returns the decision of the controller.
fn poll(
    state: &mut PollingState,
    cx: &MacContext<'_>,
    addresses: &[u16],
    pause_ns: u64,
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
            advance(state, cx.now_ns, addresses.len(), pause_ns);
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
    match addresses.get(state.position as usize) {
        Some(address) => {
            state.waits_until_ns = Some(u64::MAX);
            Decision::Control(ControlKind::Poll, *address)
        }
        None => Decision::Hold,
    }
}

/// Selects the next address.
fn advance(state: &mut PollingState, now_ns: u64, n: usize, pause_ns: u64) {
    state.waits_until_ns = None;
    state.position += 1;
    if state.position as usize >= n {
        state.position = 0;
        state.pause_until_ns = now_ns + pause_ns;
    }
}
