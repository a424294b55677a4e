//! Conversion between powers and levels in decibels.

use std::f64::consts::LN_10;

/// Returns the power of a level [dB], in the reference unit of the level.
#[inline]
pub fn power(level: f64) -> f64 {
    libm::exp(0.1 * LN_10 * level)
}

/// Returns the ratio of two powers for their difference in level [dB]. It can differ from [`power`] in
/// the last bit; both stay, so that the results of modems and of sound keep theirs.
pub fn ratio(level: f64) -> f64 {
    libm::pow(10.0, 0.1 * level)
}

/// Returns the level [dB] of a power, relative to the unit of the power.
#[inline]
pub fn level(power: f64) -> f64 {
    10.0 * libm::log10(power)
}
