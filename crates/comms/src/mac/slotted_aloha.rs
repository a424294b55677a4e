//! Slotted ALOHA: a frame is transmitted at the start of the next slot.
//!
//! # Law
//! ```text
//!   S = G exp(-G)        (1)  [Roberts 1975]
//! ```
//!
//! # Symbols
//! S received frames per slot · G transmitted frames per slot, a Poisson process.
//!
//! # Limits
//! The clock of each modem determines its slots; travel times are not compensated. Law (1) requires
//! slots that exceed the frame by the largest difference of travel times and by the errors of the
//! clocks.
//!
//! # Checked by
//! crates/comms/tests/network/throughput.rs

use crate::mac::Decision;
use crate::mac::context::MacContext;
use merrow_model::scene::comms::mac::SlottedAloha;
use merrow_model::state::comms::mac::SlottedAlohaState;

pub(super) fn decide(
    law: &SlottedAloha,
    state: &mut SlottedAlohaState,
    cx: &MacContext<'_>,
) -> Decision {
    if state.at_ns == Some(cx.now_ns) {
        state.at_ns = None;
        return Decision::Transmit;
    }
    let at = cx.next_slot_ns(law.slot_s.0);
    if at == cx.now_ns {
        return Decision::Transmit;
    }
    state.at_ns = Some(at);
    Decision::WaitUntil(at)
}
