//! Conversion between powers and levels in decibels.

use std::f64::consts::LN_10;

/// Power of a level [dB].
#[inline]
pub fn power(level: f64) -> f64 {
    libm::exp(0.1 * LN_10 * level)
}

/// Level of a power [dB].
#[inline]
pub fn level(power: f64) -> f64 {
    10.0 * libm::log10(power)
}
