//! Time-division multiple access: a modem transmits in its own slots of a periodic schedule.
//!
//! A frame is transmitted if it ends before the guard time at the end of the slot.
//!
//! # Limits
//! The clock of each modem determines its slots: frames of modems whose clocks differ by more than
//! the guard time collide. The schedule does not adapt to travel times.
//!
//! # Checked by
//! crates/comms/tests/network/throughput.rs, crates/comms/tests/network/access.rs

use crate::mac::Decision;
use crate::mac::context::MacContext;
use merrow_model::scene::comms::mac::Tdma;
use merrow_model::scene::nanoseconds::Nanoseconds;
use merrow_model::state::comms::LossCause;

pub(super) fn decide(law: &Tdma, cx: &MacContext<'_>) -> Decision {
    let local = cx.local_ns();
    let frame = law.frame_s.0.cast_signed();
    let (start, position) = (local.div_euclid(frame) * frame, local.rem_euclid(frame));
    let need = (cx.frame_ns + law.guard_s.0).cast_signed();
    let fits = |[start, duration]: &[Nanoseconds; 2], from: i64| {
        let end = (start.0 + duration.0).cast_signed();
        from >= start.cast_signed() && from + need <= end
    };
    if law.slots_s.iter().any(|slot| fits(slot, position)) {
        return Decision::Transmit;
    }
    let starts = || {
        let slots = law.slots_s.iter();
        let usable = slots.filter(|slot| fits(slot, slot[0].cast_signed()));
        usable.map(|[start, _]| start.cast_signed())
    };
    let later = starts().find(|at| *at > position);
    match later.or_else(|| starts().next().map(|at| at + frame)) {
        Some(at) => Decision::WaitUntil(cx.global_ns(start + at)),
        None => Decision::Drop(LossCause::TooLarge),
    }
}
