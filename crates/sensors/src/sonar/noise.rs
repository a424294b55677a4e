//! Ambient noise and self-noise of a sonar.
//!
//! # Law
//! ```text
//!   10 log N_s = 40 + 26 log f - 60 log(f + 0.03)                  shipping, moderate  (1)
//!   10 log N_w = 50 + 7.5 √U + 20 log f - 40 log(f + 0.4)          wind and waves      (2)
//!   10 log N_t = -15 + 20 log f                                    thermal             (3)
//!   N = ((N_s + N_w + N_t) Ω/4π + N_0) B                                               (4)
//!   (1) [Coates 1990]
//!   (2) [Coates 1990]
//!   (3) [Coates 1990; Mellen 1952]
//! ```
//! # Symbols
//! N noise in a beam [µPa²] · N_s, N_w, N_t, N_0 spectral levels, N_0 self-noise of the receiver
//! [dB re 1 µPa²/Hz] · f frequency [kHz] · U wind speed [m/s] · B bandwidth [Hz] · Ω equivalent
//! solid angle of the beam [sr].
//!
//! # Frames
//! None.
//!
//! # Limits
//! 10 Hz to 1 MHz. The noise is isotropic and independent of depth: the absorption of surface noise
//! on its way down is not modelled.
//!
//! # Checked by
//! The tests in this file; test/sensors/sonar.rs

use crate::sonar::decibels::power;
use merrow_model::scene::sensor::sonar::SonarSpec;

/// Ambient noise at the frequency `f` [kHz] and the wind speed `wind` [m/s], as a spectral power
/// [µPa²/Hz]. (1) to (3)
pub fn ambient(f: f64, wind: f64) -> f64 {
    let log = libm::log10;
    let ships = 40.0 + 26.0 * log(f) - 60.0 * log(f + 0.03);
    let waves = 50.0 + 7.5 * wind.max(0.0).sqrt() + 20.0 * log(f) - 40.0 * log(f + 0.4);
    let thermal = -15.0 + 20.0 * log(f);
    power(ships) + power(waves) + power(thermal)
}

/// Noise power in a beam at the wind speed `wind` [m/s] [µPa²]. (4)
pub(crate) fn beam_noise(spec: &SonarSpec, wind: f64) -> f64 {
    let all = ambient(1e-3 * spec.frequency, wind);
    let received_fraction = (spec.solid_angle / (4.0 * std::f64::consts::PI)).min(1.0);
    // The self-noise of the receiver does not depend on direction.
    (all * received_fraction + power(spec.self_noise)) * spec.bandwidth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wind_dominates_at_10_khz_and_thermal_noise_at_1_mhz() {
        let level = |f: f64, wind: f64| 10.0 * ambient(f, wind).log10();
        // 20 log f - 40 log(f + 0.4) decreases by 20 dB per decade.
        assert!(
            (level(10.0, 5.0) - (50.0 + 7.5 * 5.0_f64.sqrt() + 20.0 - 40.0 * 10.4_f64.log10()))
                .abs()
                < 0.3
        );
        assert!((level(1000.0, 0.0) - 45.0).abs() < 0.1);
        assert!(level(20.0, 15.0) > level(20.0, 2.0) + 15.0);
    }
}
