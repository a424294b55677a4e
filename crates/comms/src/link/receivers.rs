//! Receivers of modems: detection and errors by their transceivers.
//!
//! # Law
//! ```text
//!   detected: P(S/(N + I)) ≤ P_0                            error rate     (1)
//!   detected: the rule of `reception.rs`                    level, signal excess
//! ```
//! # Symbols
//! P bit error rate (`modulation.rs`) · P_0 = 0.1 bit error rate up to which a receiver
//! synchronises (estimated) · S, N, I powers of signal, noise and interference.
//!
//! # Limits
//! Synchronisation adds no errors. A receiver decodes each frame with the scheme of the
//! transmitter, without a delay for the detection of the scheme.
//!
//! # Checked by
//! crates/comms/tests/link.rs

use crate::link::modulation::bit_error_rate;
use merrow_math::decibels::power;
use merrow_model::scene::comms::Transceiver;

/// Bit error rate up to which a receiver synchronises to a frame [-].
const SYNCHRONISING: f64 = 0.1;

/// Computes by (1), for each scheme of a transceiver, the minimum ratio of signal to interference
/// and noise at which its receiver synchronises.
pub(crate) fn synchronising_ratios(transceiver: &Transceiver) -> Vec<f64> {
    let band = transceiver.bandwidth();
    let schemes = transceiver.schemes.iter();
    schemes
        .map(|scheme| synchronising_ratio(|snr| bit_error_rate(scheme, snr, band)))
        .collect()
}

/// Returns the ratio [-] at which the decreasing function `error` has the value
/// [`SYNCHRONISING`], to 0.01 dB.
fn synchronising_ratio(error: impl Fn(f64) -> f64) -> f64 {
    let [mut low, mut high] = [-100.0, 100.0];
    while high - low > 0.01 {
        let midpoint = 0.5 * (low + high);
        if error(power(midpoint)) > SYNCHRONISING {
            low = midpoint;
        } else {
            high = midpoint;
        }
    }
    power(high)
}
