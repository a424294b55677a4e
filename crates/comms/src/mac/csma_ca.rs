//! Carrier sense with random backoff (CSMA/CA).
//!
//! # Law
//! ```text
//!   S = G exp(-a G) / (G (1 + 2 a) + exp(-a G))   (1)  nonpersistent [Kleinrock 1975]
//!   w = slot floor(u n 2^min(k, m))               (2)  window
//! ```
//! Nonpersistent: if the medium is busy, the modem senses it again after a uniform random delay.
//! Window: the modem transmits at once if the medium has been idle for the space. Otherwise, and
//! after each transmitted frame, it draws w and counts it down while the medium is idle.
//!
//! # Symbols
//! S received, G offered frames per frame duration · a travel time over frame duration · w backoff
//! · u uniform on [0, 1) · n slots of the first window · k number of times the medium was busy · m
//! number of doublings.
//!
//! # Limits
//! Law (1) assumes infinitely many modems with equal travel times. The count stops while a signal
//! arrives. The space is required once per count, not after each busy period within it. The slots
//! of different modems are not aligned. Requests and clearances to send (RTS, CTS) are not
//! modelled.
//!
//! # Checked by
//! crates/comms/tests/network/throughput.rs, crates/comms/tests/network/access.rs

use crate::mac::Decision;
use crate::mac::context::MacContext;
use merrow_model::scene::comms::mac::{Backoff, CsmaCa};
use merrow_model::state::comms::LossCause;
use merrow_model::state::comms::mac::CsmaCaState;

pub(super) fn decide(law: &CsmaCa, state: &mut CsmaCaState, cx: &mut MacContext<'_>) -> Decision {
    let decision = match law.backoff {
        Backoff::Nonpersistent { max_s } => sense(law, state, cx, max_s.0),
        Backoff::Window { .. } => count(law, state, cx),
    };
    if matches!(decision, Decision::Drop(_)) {
        *state = CsmaCaState::default();
    }
    decision
}

pub(super) fn transmitted(law: &CsmaCa, state: &mut CsmaCaState, cx: &mut MacContext<'_>) {
    *state = CsmaCaState::default();
    if matches!(law.backoff, Backoff::Window { .. }) {
        draw_window(law, state, cx);
    }
}

fn sense(law: &CsmaCa, state: &mut CsmaCaState, cx: &mut MacContext<'_>, max_ns: u64) -> Decision {
    if cx.now_ns < state.sense_ns {
        return Decision::WaitUntil(state.sense_ns);
    }
    if !cx.is_busy {
        let ready = cx.since_ns + law.space_s.0;
        if cx.now_ns >= ready {
            return Decision::Transmit;
        }
        return Decision::WaitUntil(ready);
    }
    state.attempts += 1;
    if state.attempts > law.max_attempts {
        return Decision::Drop(LossCause::ChannelBusy);
    }
    state.sense_ns = cx.now_ns + (cx.uniform() * max_ns as f64) as u64;
    Decision::WaitUntil(state.sense_ns)
}

fn count(law: &CsmaCa, state: &mut CsmaCaState, cx: &mut MacContext<'_>) -> Decision {
    if cx.is_busy {
        if state.remaining_ns.is_none() {
            state.attempts += 1;
            if state.attempts > law.max_attempts {
                return Decision::Drop(LossCause::ChannelBusy);
            }
            draw_window(law, state, cx);
        } else {
            deduct(state, cx);
            state.from_ns = 0;
        }
        return Decision::WaitUntil(cx.idle_ns + law.space_s.0);
    }
    let ready = cx.since_ns + law.space_s.0;
    if cx.now_ns < ready {
        return Decision::WaitUntil(ready);
    }
    deduct(state, cx);
    match state.remaining_ns {
        None | Some(0) => Decision::Transmit,
        Some(remaining) => Decision::WaitUntil(cx.now_ns.saturating_add(remaining)),
    }
}

/// Deducts the idle time since the last call from the backoff.
fn deduct(state: &mut CsmaCaState, cx: &MacContext<'_>) {
    let busy = cx.busy_ns - state.busy_ns.min(cx.busy_ns);
    let idle = (cx.now_ns - state.from_ns.min(cx.now_ns)).saturating_sub(busy);
    let is_counting = state.from_ns > 0;
    if let Some(remaining) = state.remaining_ns.as_mut().filter(|_| is_counting) {
        *remaining = remaining.saturating_sub(idle);
    }
    state.from_ns = cx.now_ns;
    state.busy_ns = cx.busy_ns;
}

fn draw_window(law: &CsmaCa, state: &mut CsmaCaState, cx: &mut MacContext<'_>) {
    if let Backoff::Window {
        slot_s,
        min_slots,
        max_doublings,
    } = law.backoff
    {
        let doublings = state.attempts.min(u32::from(max_doublings)).min(31);
        let slots = f64::from(min_slots) * f64::from(1_u32 << doublings);
        state.remaining_ns = Some(((cx.uniform() * slots) as u64).saturating_mul(slot_s.0));
        state.from_ns = 0;
    }
}
