//! Carrier sense with detection of collisions (CSMA/CD), as in the network block of TrueTime.
//!
//! # Law
//! ```text
//!   w = b / R r,  r uniform in { 0, ..., 2^K - 1 },  K = min(collisions, K_max)     (1)
//! ```
//! If the medium is busy, the modem transmits when the medium becomes idle. A signal is sensed when
//! the collision window after its arrival has ended. A modem that senses another signal during its
//! transmission ends the transmission and waits for w.
//!
//! # Symbols
//! w backoff [s] · b bits of the shortest frame · R data rate [bit/s] · K_max 10 in TrueTime, whose
//! window is 1 µs. Source: Cervin, Henriksson and Ohlin, TrueTime reference manual, CSMA/CD.
//!
//! # Limits
//! The modem must be able to detect a signal while it transmits. The truncated signals still occupy
//! the medium; there is no jam signal. Unlike TrueTime, the modem discards a frame after a maximum
//! number of collisions.
//!
//! # Checked by
//! Tests of this file, crates/comms/tests/network/access.rs

use crate::mac::Decision;
use crate::mac::context::MacContext;
use merrow_model::scene::comms::mac::CsmaCd;
use merrow_model::state::comms::LossCause;
use merrow_model::state::comms::mac::CsmaCdState;

pub(super) fn decide(law: &CsmaCd, state: &mut CsmaCdState, cx: &mut MacContext<'_>) -> Decision {
    if state.collisions > law.max_attempts {
        *state = CsmaCdState::default();
        return Decision::Drop(LossCause::Aborted);
    }
    if cx.now_ns < state.until_ns {
        return Decision::WaitUntil(state.until_ns);
    }
    if cx.is_busy && cx.now_ns >= cx.since_ns + law.window_s.0 {
        return Decision::WaitUntil(cx.idle_ns);
    }
    Decision::Transmit
}

pub(super) fn collided(law: &CsmaCd, state: &mut CsmaCdState, cx: &mut MacContext<'_>) {
    state.collisions += 1;
    let exponent = state.collisions.min(u32::from(law.max_exponent)).min(31);
    let slots = (cx.uniform() * f64::from(1_u32 << exponent)) as u64;
    let slot = f64::from(law.min_frame_bits) / cx.bit_rate;
    let backoff = (slots as f64 * slot * 1e9).round() as u64;
    state.until_ns = cx.now_ns.saturating_add(backoff);
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::rng::Stream;
    use merrow_model::scene::nanoseconds::Nanoseconds;
    use merrow_model::state::comms::modem::ClockState;

    // Law (1). Method: 20,000 backoffs after the first, the third and the twelfth collision:
    // multiples of the duration of the shortest frame, all below 2^K of them, with the mean (2^K -
    // 1) / 2. Tolerance: 4 standard errors.
    #[test]
    fn backoffs_follow_the_law() {
        let law = CsmaCd {
            window_s: Nanoseconds(1000),
            min_frame_bits: 512,
            max_exponent: 10,
            max_attempts: 16,
        };
        let stream = Stream::new(1, "backoff");
        let mut draws = 0;
        let n = 20_000;
        for (collisions, exponent) in [(0, 1), (2, 3), (11, 10)] {
            let mut sum = 0.0;
            let limit = f64::from(1_u32 << exponent);
            for _ in 0..n {
                let mut cx = MacContext {
                    now_ns: 0,
                    clock: ClockState::default(),
                    address: 1,
                    has_frame: true,
                    frame_ns: 0,
                    is_busy: false,
                    since_ns: 0,
                    busy_ns: 0,
                    idle_ns: 0,
                    bit_rate: 1e6,
                    stream: &stream,
                    draws: &mut draws,
                };
                let mut state = CsmaCdState {
                    collisions,
                    until_ns: 0,
                };
                collided(&law, &mut state, &mut cx);
                assert_eq!(state.until_ns % 512_000, 0);
                let slots = (state.until_ns / 512_000) as f64;
                assert!(slots < limit);
                sum += slots;
            }
            let std = ((limit * limit - 1.0) / 12.0 / f64::from(n)).sqrt();
            assert!((sum / f64::from(n) - (limit - 1.0) / 2.0).abs() < 4.0 * std);
        }
    }
}
