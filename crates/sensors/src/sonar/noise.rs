//! Noise power in a beam of a sonar.
//!
//! # Law
//! ```text
//!   P = (N Ω/4π + N_0) B                                                (1)  [Urick 1983, ch. 2]
//! ```
//! # Symbols
//! P noise in a beam [µPa²] · N ambient noise (`crates/environment/src/sound/noise.rs`), N_0
//! self-noise of the receiver [µPa²/Hz] · B bandwidth [Hz] · Ω equivalent solid angle of the beam
//! [sr].
//!
//! # Limits
//! The limits of the ambient noise apply. The shipping activity is moderate.
//!
//! # Checked by
//! test/sensors/sonar.rs

use crate::sonar::decibels::power;
use merrow_environment::sound::noise::{self, MODERATE_SHIPPING};
use merrow_model::sensor::sonar::SonarSpec;

/// Computes the ambient noise at the frequency `f` [kHz] and the wind speed `wind` [m/s] with
/// moderate shipping, as a spectral power [µPa²/Hz].
pub fn ambient(f: f64, wind: f64) -> f64 {
    noise::ambient(f, wind, MODERATE_SHIPPING)
}

/// Computes the noise power [µPa²] in a beam at the wind speed `wind` [m/s]. (1)
pub(crate) fn beam_noise(spec: &SonarSpec, wind: f64) -> f64 {
    let all = ambient(1e-3 * spec.frequency(), wind);
    let received_fraction = (spec.solid_angle / (4.0 * std::f64::consts::PI)).min(1.0);
    // The self-noise of the receiver does not depend on direction.
    (all * received_fraction + power(spec.sonar.self_noise_db)) * spec.bandwidth()
}
