//! Waiting-room protocol: conflicts are resolved by splitting, and new frames wait until the
//! resolution ends.
//!
//! # Law
//! ```text
//!   station:  n <- max(n, 1) + 1 after a collision, max(n, 1) - 1 otherwise      (1)
//!   modem in the conflict:  after a collision with its own frame: level 0 or 1, each with 1/2
//!                           after a collision of others: level + 1
//!                           after any other slot: level - 1                     (2)
//!   L(0) = L(1) = 1,
//!   L(k) = (1 + 2^(1-k) sum_{j<k} C(k, j) L(j)) / (1 - 2^(1-k))                  (3)
//! ```
//! A modem with level 0 transmits in the next slot. A new frame enters with level 0 when n is 0.
//!
//! The thesis of the docking co-simulation names this protocol as future work without a definition
//! or a reference. This file implements random access with splitting and blocked access
//! [Capetanakis 1979], the protocol in which new packets stay in a waiting room while a conflict is
//! resolved.
//!
//! # Symbols
//! n number of groups that have not transmitted · L(k) mean number of slots of a conflict of k
//! modems.
//!
//! # Limits
//! The station receives all modems and reports every slot that was not idle. A modem that receives
//! no report after its transmission returns to the waiting room. If no report arrives in a slot,
//! the modem assumes that the conflict has ended. The station transmits its own frames after its
//! reports.
//!
//! # Checked by
//! crates/comms/tests/network/access.rs

use crate::mac::Decision;
use crate::mac::context::{MacContext, Observation};
use merrow_model::scene::comms::BROADCAST;
use merrow_model::scene::comms::mac::WaitingRoom;
use merrow_model::state::comms::LossCause;
use merrow_model::state::comms::mac::WaitingRoomState;
use merrow_model::state::comms::signal::ControlKind;

pub(super) fn decide(
    law: &WaitingRoom,
    state: &mut WaitingRoomState,
    cx: &MacContext<'_>,
) -> Decision {
    if cx.address == law.station {
        report(law, state, cx)
    } else {
        contend(law, state, cx)
    }
}

pub(super) fn observe(
    law: &WaitingRoom,
    state: &mut WaitingRoomState,
    cx: &mut MacContext<'_>,
    seen: &Observation,
) -> bool {
    if cx.address == law.station {
        if seen.is_intact {
            state.received += 1;
        } else {
            state.damaged += 1;
        }
        return false;
    }
    let Some(ControlKind::SlotReport {
        open,
        is_collision,
        is_received,
    }) = seen.control
    else {
        return false;
    };
    state.open = open;
    state.reported = Some(cx.slot(law.slot_s.0));
    if state.is_sent {
        state.is_sent = false;
        state.at_ns = None;
        if is_collision {
            state.level = Some(u32::from(cx.uniform() >= 0.5));
        } else {
            state.level = None;
            state.result = Some(is_received);
        }
    } else if let Some(level) = &mut state.level {
        *level = if is_collision {
            *level + 1
        } else {
            level.saturating_sub(1)
        };
    }
    true
}

/// Returns the decision of the station.
fn report(law: &WaitingRoom, state: &mut WaitingRoomState, cx: &MacContext<'_>) -> Decision {
    let slot = cx.slot(law.slot_s.0);
    let start = slot * law.slot_s.0.cast_signed();
    let report = cx.global_ns(start + law.report_s.0.cast_signed());
    let end = cx.global_ns(start + law.slot_s.0.cast_signed());
    let next = end + law.report_s.0;
    if cx.now_ns < report {
        return Decision::WaitUntil(report);
    }
    if state.reported != Some(slot) {
        state.reported = Some(slot);
        let count = state.received + state.damaged;
        let is_collision = state.damaged > 0 || count > 1;
        let open = state.open.max(1);
        let is_open = state.open > 0 || is_collision;
        state.open = if is_collision { open + 1 } else { open - 1 };
        let is_received = state.received > 0;
        (state.received, state.damaged) = (0, 0);
        if count > 0 || is_open {
            let kind = ControlKind::SlotReport {
                open: state.open,
                is_collision,
                is_received,
            };
            return Decision::Control(kind, BROADCAST);
        }
    }
    if cx.has_frame && cx.now_ns + cx.frame_ns <= end {
        return Decision::Transmit;
    }
    if cx.has_frame && cx.frame_ns > law.slot_s.0 - law.report_s.0 {
        return Decision::Drop(LossCause::TooLarge);
    }
    Decision::WaitUntil(next.max(cx.now_ns + 1))
}

/// Returns the decision of a modem other than the station.
fn contend(law: &WaitingRoom, state: &mut WaitingRoomState, cx: &MacContext<'_>) -> Decision {
    let slot = cx.slot(law.slot_s.0);
    if let Some(is_received) = state.result.take() {
        return Decision::Result(is_received);
    }
    if cx.frame_ns > law.report_s.0 {
        return Decision::Drop(LossCause::TooLarge);
    }
    if state.is_sent {
        // `at_ns` is the end of the slot of the transmission
        if let Some(until) = state.at_ns.filter(|until| cx.now_ns < *until) {
            return Decision::WaitUntil(until);
        }
        state.is_sent = false;
        state.at_ns = None;
        state.level = None;
        return Decision::Result(false);
    }
    if state.reported.is_none_or(|last| slot > last + 1) {
        state.open = 0;
    }
    let start = cx.next_slot_ns(law.slot_s.0);
    if start > cx.now_ns {
        return Decision::WaitUntil(start);
    }
    if state.level.is_none() && state.open == 0 {
        state.level = Some(0);
    }
    if state.level == Some(0) {
        state.is_sent = true;
        let end = (slot + 1) * law.slot_s.0.cast_signed();
        state.at_ns = Some(cx.global_ns(end));
        return Decision::Transmit;
    }
    Decision::WaitUntil(cx.global_ns((slot + 1) * law.slot_s.0.cast_signed()))
}
