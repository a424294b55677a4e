//! Inherent and apparent optical properties of water types: absorption, scattering and attenuation.
//!
//! # Law
//! ```text
//!   K_d(λ) by type, linear between wavelengths  (1)  [Jerlov 1976, table XXVII]
//!   b(λ) = b_550 (550 nm/λ)^0.3                 (2)
//!   K_d² = a² + 0.256 a b                       (3)  [Kirk 1984], the sun overhead; solved for a
//!   c = a + b                                   (4)
//! ```
//! # Symbols
//! K_d attenuation of daylight with depth · a, b, c absorption, scattering, beam attenuation [1/m]
//! · λ wavelength.
//!
//! # Limits
//! Three wavelengths represent the red, green and blue channels of a camera. Jerlov gives no
//! scattering: b_550 of each type is placed between the values of clear ocean, coast and harbour
//! [Petzold 1972] (0.037, 0.219, 1.824 1/m) (estimated).
//!
//! # Checked by
//! test/sensors/camera.rs

use merrow_model::scene::sea::optics::Optics;

/// Wavelengths that represent red, green and blue [nm].
pub(crate) const WAVELENGTHS: [f64; 3] = [610.0, 540.0, 465.0];
/// K_d of each Jerlov water type (I, IA, IB, II, III, 1C, 3C, 5C, 7C, 9C) every 25 nm from 450 to
/// 625 nm [1/m]. (1)
const KD: [[f64; 8]; 10] = [
    [0.019, 0.018, 0.027, 0.043, 0.063, 0.089, 0.235, 0.305],
    [0.026, 0.025, 0.032, 0.048, 0.067, 0.094, 0.24, 0.31],
    [0.036, 0.033, 0.042, 0.054, 0.072, 0.099, 0.245, 0.315],
    [0.068, 0.062, 0.07, 0.076, 0.089, 0.115, 0.26, 0.335],
    [0.135, 0.116, 0.115, 0.116, 0.12, 0.148, 0.295, 0.375],
    [0.25, 0.17, 0.14, 0.13, 0.12, 0.15, 0.3, 0.37],
    [0.39, 0.29, 0.22, 0.2, 0.19, 0.21, 0.33, 0.4],
    [0.56, 0.43, 0.36, 0.31, 0.3, 0.33, 0.4, 0.48],
    [0.89, 0.71, 0.58, 0.49, 0.46, 0.46, 0.48, 0.54],
    [1.6, 1.23, 0.99, 0.78, 0.63, 0.58, 0.6, 0.65],
];
/// b_550 of each type [1/m].
const SCATTERING: [f64; 10] = [0.025, 0.037, 0.06, 0.12, 0.219, 0.35, 0.6, 1.0, 1.5, 2.2];

/// Returns the coefficient [1/m] at the wavelength `wavelength` [nm] from the coefficients for red,
/// green and blue [1/m]; linear between their wavelengths, constant beyond them.
pub fn coefficient_at(coefficients: [f64; 3], wavelength: f64) -> f64 {
    let [red, green, blue] = WAVELENGTHS;
    let linear = |(x0, x1): (f64, f64), (y0, y1): (f64, f64)| {
        y0 + (y1 - y0) * ((wavelength - x0) / (x1 - x0)).clamp(0.0, 1.0)
    };
    if wavelength < green {
        linear((blue, green), (coefficients[2], coefficients[1]))
    } else {
        linear((green, red), (coefficients[1], coefficients[0]))
    }
}

/// Returns the optical properties of the water type with index `kind`, from the clearest type, 0.
pub fn jerlov(kind: usize) -> Optics {
    let k = kind.min(KD.len() - 1);
    let daylight = WAVELENGTHS.map(|wavelength| {
        let at = ((wavelength - 450.0) / 25.0).clamp(0.0, 7.0);
        let i = (at as usize).min(6);
        KD[k][i] + (at - i as f64) * (KD[k][i + 1] - KD[k][i])
    });
    let scattering =
        WAVELENGTHS.map(|wavelength| SCATTERING[k] * libm::pow(550.0 / wavelength, 0.3));
    optics_from_coefficients(daylight, scattering)
}

/// Returns the optical properties of water with the given K_d (`daylight`) and b (`scattering`) for
/// red, green and blue [1/m], by (3) and (4).
pub fn optics_from_coefficients(daylight: [f64; 3], scattering: [f64; 3]) -> Optics {
    let mut beam = [0.0; 3];
    for i in 0..3 {
        let g = 0.256 * scattering[i];
        let absorption = 0.5 * ((g * g + 4.0 * daylight[i] * daylight[i]).sqrt() - g);
        beam[i] = absorption + scattering[i];
    }
    Optics {
        beam,
        scattering,
        daylight,
    }
}
