//! Reception of frames: packet error rate, threshold rules and capture.
//!
//! # Law
//! ```text
//!   P_f = (1 - P)^n                                        error rate     (1)  [Proakis 2008, ch. 7]
//!   received: S > L                                        level          (2)  docking study, table 5.3
//!   received: S/N > T                                      signal excess  (3)  Thetis, section IV.D
//!   survives an overlap: S/(N + I) ≥ C                     capture        (4)  [Whitehouse 2005]
//! ```
//! Thetis states (3) as SL - TL - NB > Threshold.
//!
//! # Symbols
//! P_f probability that all bits of a frame are correct · P bit error rate (`modulation.rs`) at
//! S/(N + I) · n number of bits · S power of the signal, N of the noise, I of the interference · L
//! level, T threshold, C capture ratio.
//!
//! # Limits
//! Bit errors are independent. S, N and I are constant during a frame. (1) includes the
//! interference in the noise. (4) therefore applies only to modems with the rules (2) and (3). A
//! modem with `is_overlap_destructive` receives no frame that overlaps another frame.
//!
//! # Checked by
//! crates/comms/tests/link.rs

use crate::link::modulation::bit_error_rate;
use merrow_math::decibels::ratio;
use merrow_model::scene::comms::Transceiver;
use merrow_model::scene::comms::scheme::Scheme;
use merrow_model::scene::comms::transceiver::Reception;

/// Powers at a receiver while a frame arrives, linear in the unit of the medium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReceivedPowers {
    /// Power of the signal, with fading.
    pub signal: f64,
    /// Power of the noise in the part of the band that the frame occupies.
    pub noise: f64,
    /// Sum of the powers of all other signals.
    pub interference: f64,
}

impl ReceivedPowers {
    /// Returns the ratio of signal to noise and interference [-].
    #[inline]
    pub fn sinr(&self) -> f64 {
        self.signal / (self.noise + self.interference)
    }
}

/// Returns the probability [-] that `receiver` receives a frame of `bits` bits, sent with `scheme`,
/// without error. (1) to (4)
pub fn frame_success(
    receiver: &Transceiver,
    scheme: &Scheme,
    powers: &ReceivedPowers,
    bits: f64,
) -> f64 {
    if !powers.signal.is_finite() || powers.signal <= 0.0 {
        return 0.0;
    }
    if powers.interference > 0.0 && receiver.destructive_overlap {
        return 0.0;
    }
    let captures = || {
        powers.interference <= 0.0
            || receiver
                .capture()
                .is_some_and(|ratio| powers.sinr() >= ratio)
    };
    let is_received = match receiver.reception {
        Reception::ErrorRate => {
            let rate = bit_error_rate(scheme, powers.sinr(), receiver.bandwidth());
            return all_correct(rate, bits);
        }
        Reception::Level { threshold_db, .. } => powers.signal > ratio(threshold_db) && captures(),
        Reception::SignalExcess { threshold_db, .. } => {
            powers.signal > ratio(threshold_db) * powers.noise && captures()
        }
    };
    f64::from(u8::from(is_received))
}

/// Returns the probability [-] that `bits` bits with the bit error rate `rate` [-] are correct. (1)
pub fn all_correct(rate: f64, bits: f64) -> f64 {
    // most frames have a ratio of signal to noise at which the bit error rate is zero
    if rate == 0.0 {
        return 1.0;
    }
    libm::exp(bits * libm::log1p(-rate))
}
