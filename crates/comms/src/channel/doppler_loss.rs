//! Effect of the Doppler shift on the reception of sound.
//!
//! # Law
//! ```text
//!   Δf = f max(0, |δ| - δ_0)                                               (1)
//!   η = sinc²(Δf T)                                                        (2)  [Pollet 1995]
//!   S' = η S,   N' = N + (1 - η) S                                         (3)  [Pollet 1995]
//! ```
//! A receiver estimates the shift and compensates it up to δ_0. The remaining shift rotates the
//! phase of a symbol during its correlation. The power that the correlation loses appears at other
//! symbols and carriers as noise.
//!
//! # Symbols
//! δ relative frequency shift · δ_0 largest shift that the receiver compensates · f centre of the
//! band · Δf remaining shift · T duration of a symbol · η fraction of the power that the
//! correlation keeps · S, N powers of signal and noise, S', N' after the correlation · sinc(x) =
//! sin(πx)/(πx).
//!
//! # Limits
//! - The relative shift is the same for all paths and constant during a frame.
//! - The duration of a frame at the receiver is its duration at the transmitter.
//! - At the first zero of (2) no signal remains; the side lobes beyond it are neglected.
//!
//! # Checked by
//! crates/comms/tests/acoustic.rs

use merrow_model::scene::comms::medium::DopplerTolerance;
use std::f64::consts::PI;

/// Returns the fraction [-] of the power that a receiver keeps of a signal at the frequency
/// `frequency` [Hz] with the relative shift `shift` [-]. (1), (2)
#[inline]
pub(crate) fn kept_fraction(tolerance: &DopplerTolerance, frequency: f64, shift: f64) -> f64 {
    let excess = shift.abs() - tolerance.max_shift();
    if excess <= 0.0 {
        return 1.0;
    }
    let cycles = frequency * excess * tolerance.symbol_s;
    if cycles >= 1.0 {
        return 0.0;
    }
    let x = PI * cycles;
    // the quotient has no accurate digits for small angles
    let sinc = if x < 1e-4 {
        1.0 - x * x / 6.0
    } else {
        libm::sin(x) / x
    };
    sinc * sinc
}
