//! Radio waves beyond the horizon: diffraction around the smooth Earth.
//!
//! # Law
//! ```text
//!   L = 17.6 X - 11 - 10 log X - G(Y_1) - G(Y_2),  X ≥ 1.6                        (1)  [ITU-R P.526-15, eqs 13, 17]
//!   X = 2.188 f^(1/3) R^(-2/3) d,   Y = 9.575e-3 f^(2/3) R^(-1/3) h               (2)  [ITU-R P.526-15, eqs 14, 15]
//!   G(Y) = 17.6 √(Y - 1.1) - 5 log(Y - 1.1) - 8,  Y > 2;  20 log(Y + 0.1 Y³)      (3)  [ITU-R P.526-15, eq. 18]
//!   d > √(2 R h_1) + √(2 R h_2)                                                    (4)
//! ```
//! # Symbols
//! L loss relative to free space [dB] · d distance [km] · f frequency [MHz] · h heights of the
//! antennas [m] · R effective radius of the Earth, 4/3 of the mean radius [km].
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - The law is valid for horizontal polarisation, and for vertical polarisation above 300 MHz. It
//!   is also used for vertical polarisation at lower frequencies (estimated: AIS at 162 MHz).
//! - Heights are measured from the mean level and are at least 0.1 m. X is at least 1.6.
//! - The effective radius represents refraction in the standard atmosphere; ducts are not modelled.
//!
//! # Checked by
//! crates/comms/tests/radio.rs

use merrow_environment::geodesy::RADIO_HORIZON_RADIUS;
use merrow_math::Vec3;

/// Minimum height of an antenna [m].
const MIN_HEIGHT: f64 = 0.1;

/// Computes the loss [dB] relative to free space between antennas at `a` and `b` [m], W, at the
/// frequency `frequency` [Hz]; `None` within the horizon. (1) to (4)
pub fn loss_beyond_horizon(a: Vec3, b: Vec3, frequency: f64) -> Option<f64> {
    let d = b - a;
    let length = (d.x * d.x + d.y * d.y).sqrt();
    let heights = [a.z, b.z].map(|h| h.max(MIN_HEIGHT));
    let reach = |h: f64| (2.0 * RADIO_HORIZON_RADIUS * h).sqrt();
    if length <= reach(heights[0]) + reach(heights[1]) {
        return None;
    }
    let f = libm::cbrt(1e-6 * frequency);
    let radius = libm::cbrt(1e-3 * RADIO_HORIZON_RADIUS);
    let x = (2.188 * f / (radius * radius) * 1e-3 * length).max(1.6);
    let [g1, g2] = heights.map(|h| height_gain(9.575e-3 * f * f / radius * h));
    Some(17.6 * x - 11.0 - 10.0 * libm::log10(x) - g1 - g2)
}

/// Returns the gain [dB] by the normalised height of an antenna. (3)
fn height_gain(y: f64) -> f64 {
    if y > 2.0 {
        17.6 * (y - 1.1).sqrt() - 5.0 * libm::log10(y - 1.1) - 8.0
    } else {
        20.0 * libm::log10(y + 0.1 * y * y * y)
    }
}
