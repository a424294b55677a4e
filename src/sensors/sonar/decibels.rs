//! Powers and their levels.

use std::f64::consts::LN_10;

/// The power of a level [dB].
pub fn power(level: f64) -> f64 {
    libm::exp(0.1 * LN_10 * level)
}

/// The level of a power [dB].
pub fn level(power: f64) -> f64 {
    10.0 * libm::log10(power)
}
