//! Conversion between powers and levels in decibels.

use std::f64::consts::LN_10;

/// Computes the power of a level [dB], in the unit of the reference.
#[inline]
pub fn power(level: f64) -> f64 {
    libm::exp(0.1 * LN_10 * level)
}

/// Computes the level [dB] of a power, in the unit of the reference.
#[inline]
pub fn level(power: f64) -> f64 {
    10.0 * libm::log10(power)
}
