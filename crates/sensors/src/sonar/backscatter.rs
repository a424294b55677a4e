//! Acoustic backscattering and coherent reflection of surfaces.
//!
//! # Law
//! ```text
//!   S_b = 10 log μ + 10 log sin² φ                                      seabed and hulls   (1)
//!   s = e^{-cot² φ/m}/(4π m sin⁴ φ),   m = 0.003 + 0.00512 U            surface, facets    (2)
//!   S_s = 3.3 β log(φ/30°) - 42.4 log β + 2.6,   β = 158 (v f^{1/3})^{-0.58}      bubbles  (3)
//!   R² = e^{-4 k² h² sin² φ}                                 coherent reflection, surface  (4)
//!   (1) [Mackenzie 1961]
//!   (2) [Cox and Munk 1954; Urick 1983, ch. 8]
//!   (3) [Chapman 1962]
//!   (4) [Eckart 1953]
//! ```
//! A material may have a table over the grazing angle in place of (1).
//!
//! # Symbols
//! S_b, S_s scattering strength of a square metre [dB], s as a power · φ grazing angle · μ
//! Lambert's parameter · m mean square slope · U wind speed [m/s], v in knots · f frequency [Hz] ·
//! k wave number [1/m] · h standard deviation of the surface height [m].
//!
//! # Limits
//! - (3) is fitted from 0.4 to 6.4 kHz and up to 40°. Above these limits its values at 6.4 kHz and
//!   40° are used (estimated: little change with frequency above).
//! - Below 0.5 m/s (3) diverges. Its power at 0.5 m/s then decreases with the square of the wind
//!   speed (estimated).
//! - (2) holds where waves are long compared with the wavelength of the sound.
//! - Without wind the water surface does not scatter.
//!
//! # Checked by
//! The tests in this file; test/sensors/sonar.rs

use crate::sonar::decibels::power;
use merrow_environment::surface::mean_square_slope;
use merrow_model::scene::robot::collision::Backscatter;
use std::f64::consts::PI;

/// Wind speed below which (3) is not used [m/s].
const MIN_BUBBLE_WIND: f64 = 0.5;

/// Returns the backscattering strength of a square metre of `material`, as a power, at the sine of
/// the grazing angle. (1)
pub(crate) fn material_strength(material: &Backscatter, sine: f64) -> f64 {
    let Some(table) = &material.backscatter_by_grazing_db else {
        return power(material.backscatter_db) * sine * sine;
    };
    let tens = libm::asin(sine.clamp(0.0, 1.0)) * (18.0 / PI);
    let k = (tens as usize).min(8);
    power(table[k] + (table[k + 1] - table[k]) * (tens - k as f64))
}

/// Returns the backscattering strength of a square metre of the water surface from below, as a
/// power. (2), (3)
///
/// `sine` is the sine of the grazing angle; `frequency` is in [Hz], `wind` in [m/s].
pub(crate) fn surface_strength(sine: f64, frequency: f64, wind: f64) -> f64 {
    if wind <= 0.0 {
        return 0.0;
    }
    let s2 = (sine * sine).clamp(1e-6, 1.0);
    let m = mean_square_slope(wind);
    let facets = libm::exp(-(1.0 - s2) / (s2 * m)) / (4.0 * PI * m * s2 * s2);
    let degrees = (libm::asin(s2.sqrt()) * (180.0 / PI)).min(40.0);
    let knots = wind.max(MIN_BUBBLE_WIND) / 0.514_444;
    let wind_ratio = (wind / MIN_BUBBLE_WIND).min(1.0);
    let beta = 158.0 * libm::pow(knots * libm::cbrt(frequency.min(6400.0)), -0.58);
    let bubbles = 3.3 * beta * libm::log10(degrees / 30.0) - 42.4 * libm::log10(beta) + 2.6;
    facets + power(bubbles) * wind_ratio * wind_ratio
}

/// Returns the fraction [-] of the power that the water surface reflects coherently, at the sine
/// `sine` of the grazing angle, the wave number [1/m] and the standard deviation `height` of the
/// surface [m]. (4)
pub fn coherent_reflection(sine: f64, wave_number: f64, height: f64) -> f64 {
    let x = 2.0 * wave_number * height * sine;
    libm::exp(-x * x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_model::scene::Material;

    #[test]
    fn materials_follow_lambert_or_table() {
        let rock = Material::default().backscatter;
        assert!((material_strength(&rock, 0.5) - power(-27.0) * 0.25).abs() < 1e-12);
        let table = [
            -50.0, -40.0, -35.0, -32.0, -30.0, -28.0, -26.0, -24.0, -20.0, -10.0,
        ];
        let mud = Backscatter {
            backscatter_db: 0.0,
            backscatter_by_grazing_db: Some(table),
            ..rock
        };
        for (degrees, level) in [
            (0.0_f64, -50.0),
            (15.0, -37.5),
            (80.0, -20.0),
            (90.0, -10.0),
        ] {
            let found = 10.0 * material_strength(&mud, degrees.to_radians().sin()).log10();
            assert!((found - level).abs() < 1e-6, "{degrees}: {found}");
        }
    }

    #[test]
    fn surface_scattering_increases_with_wind_and_grazing_angle() {
        assert_eq!(surface_strength(0.5, 9e5, 0.0), 0.0);
        // [Chapman 1962] at 3 kHz, 20 knots, 20 degrees, computed by hand.
        let beta = 158.0 * (20.0 * 3000.0_f64.cbrt()).powf(-0.58);
        let by_hand = 3.3 * beta * (20.0_f64 / 30.0).log10() - 42.4 * beta.log10() + 2.6;
        let found =
            10.0 * surface_strength(20.0_f64.to_radians().sin(), 3000.0, 20.0 * 0.514_444).log10();
        assert!((found - by_hand).abs() < 0.05, "{found} {by_hand}");
        assert!(surface_strength(1.0, 9e5, 5.0) > 10.0 * surface_strength(0.5, 9e5, 5.0));
        // At oblique angles scattering increases with wind at all wind speeds.
        for sine in [0.3, 0.5, 0.65] {
            let over = |k: i32| surface_strength(sine, 9e5, 1e-4 * 1.1_f64.powi(k));
            assert!((0..128).all(|k| over(k + 1) > over(k)), "{sine}");
            assert!(over(0) < 1e-9, "{}", over(0));
        }
        assert!((coherent_reflection(1.0, 10.0, 0.05) - (-1.0_f64).exp()).abs() < 1e-12);
    }
}
