//! Ambient noise of the sea as a function of frequency, wind and shipping.
//!
//! # Law
//! ```text
//!   10 log N_b = 17 - 30 log f                                     turbulence   (1)  [Coates 1990; Wenz 1962]
//!   10 log N_s = 40 + 20 (s - 0.5) + 26 log f - 60 log(f + 0.03)   shipping     (2)  [Coates 1990]
//!   10 log N_w = 50 + 7.5 √U + 20 log f - 40 log(f + 0.4)          wind, waves  (3)  [Coates 1990]
//!   10 log N_t = -15 + 20 log f                                    thermal      (4)  [Coates 1990; Mellen 1952]
//!   N = N_b + N_s + N_w + N_t                                                   (5)
//! ```
//! # Symbols
//! N spectral power [µPa²/Hz] of turbulence (b), ships (s), wind (w) and the molecules of the water
//! (t) · f frequency [kHz] · s shipping activity, 0 to 1 · U wind speed [m/s].
//!
//! # Limits
//! The law is valid from 10 Hz to 1 MHz. The noise is isotropic and independent of depth: the
//! absorption of surface noise between the surface and the receiver is not modelled. Rain and
//! animals are not included.
//!
//! # Checked by
//! The tests in this file; crates/comms/tests/acoustic.rs; test/sensors/sonar.rs

use merrow_math::decibels::power;

/// Default shipping activity: moderate.
pub const MODERATE_SHIPPING: f64 = 0.5;

/// Computes the ambient noise at the frequency `f` [kHz], the wind speed `wind` [m/s] and the
/// shipping activity `shipping` (0 to 1), as a spectral power [µPa²/Hz]. (1) to (5)
pub fn ambient(f: f64, wind: f64, shipping: f64) -> f64 {
    let log = libm::log10;
    let turbulence = 17.0 - 30.0 * log(f);
    let ships = 40.0 + 20.0 * (shipping - 0.5) + 26.0 * log(f) - 60.0 * log(f + 0.03);
    let waves = 50.0 + 7.5 * wind.max(0.0).sqrt() + 20.0 * log(f) - 40.0 * log(f + 0.4);
    let thermal = -15.0 + 20.0 * log(f);
    power(turbulence) + power(ships) + power(waves) + power(thermal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(f: f64, wind: f64) -> f64 {
        10.0 * ambient(f, wind, MODERATE_SHIPPING).log10()
    }

    // 20 log f - 40 log(f + 0.4) decreases by 20 dB per decade.
    #[test]
    fn wind_dominates_at_10_khz_and_thermal_noise_at_1_mhz() {
        let waves = 50.0 + 7.5 * 5.0_f64.sqrt() + 20.0 - 40.0 * 10.4_f64.log10();
        assert!((level(10.0, 5.0) - waves).abs() < 0.3);
        assert!((level(1000.0, 0.0) - 45.0).abs() < 0.1);
        assert!(level(20.0, 15.0) > level(20.0, 2.0) + 15.0);
    }

    // Turbulence at 1 Hz; ships at 100 Hz, where 20 dB separate no traffic from the maximum.
    #[test]
    fn turbulence_dominates_at_1_hz_and_ships_at_100_hz() {
        assert!((level(0.001, 0.0) - 107.0).abs() < 0.1);
        let ships = |s: f64| 10.0 * ambient(0.1, 0.0, s).log10();
        assert!(
            (ships(1.0) - ships(0.0) - 20.0).abs() < 1.0,
            "{}",
            ships(0.0)
        );
    }
}
