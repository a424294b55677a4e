//! Rate adaptation: choice of the modulation and coding scheme from the measured signal-to-noise
//! ratio.
//!
//! # Law
//! ```text
//!   s = max { k : SNR ≥ T_k + m + (h if k > current) }                     (1)
//! ```
//! The first scheme is selected if no scheme satisfies the condition.
//!
//! # Symbols
//! s index of the selected scheme · T_k minimum signal-to-noise ratio of scheme k · m margin · h
//! hysteresis.
//!
//! # Limits
//! The ratio was measured with the last received frame; fading between two frames is not predicted.
//!
//! # Checked by
//! crates/comms/tests/link.rs

use merrow_model::scene::comms::scheme::{RateAdaptation, Scheme};

/// Returns the index of the scheme for the signal-to-noise ratio `snr` [dB]. `current` is the index
/// of the scheme in use, if any. (1)
pub fn select_scheme(
    schemes: &[Scheme],
    rule: &RateAdaptation,
    snr: f64,
    current: Option<usize>,
) -> usize {
    let is_sufficient = |(k, scheme): &(usize, &Scheme)| {
        let is_faster = current.is_some_and(|c| *k > c);
        let hysteresis = if is_faster { rule.hysteresis_db } else { 0.0 };
        snr >= scheme.min_snr_db + rule.margin_db + hysteresis
    };
    schemes
        .iter()
        .enumerate()
        .filter(is_sufficient)
        .map(|(k, _)| k)
        .next_back()
        .unwrap_or(0)
}
