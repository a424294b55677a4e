//! Coherent sum of a continuous tone over several rays.
//!
//! # Law
//! ```text
//!   P = Σ  V  e^(2πi f t) / √S,    V = (-1)^surface  R^bottom  (-i)^caustics  (1)
//!   (1) [Jensen 2011, ch. 3]
//! ```
//! In homogeneous water near the surface this is the Lloyd mirror pattern: at a range ρ the two
//! paths √(ρ² + (z_s ∓ z_r)²) cancel if they differ by a whole number of wavelengths.
//!
//! # Symbols
//! P complex pressure, relative to the pressure 1 m from the source · f frequency [Hz] · t travel
//! time of a ray [s] · S spreading of its tube [m²] · R reflection coefficient of the seabed.
//!
//! # Limits
//! Surface and seabed are smooth. R is one real number for all angles. The result is infinite at a
//! caustic. Absorption is in `../absorption.rs`.
//!
//! # Checked by
//! V69

use crate::sound::ray::Ray;
use merrow_math::real::sin_cos;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Returns the real and imaginary part of the pressure of `rays`, relative to 1 m from the source,
/// by (1).
///
/// `frequency` is the frequency [Hz]; `bottom` is the pressure reflection coefficient of the seabed
/// [-].
pub fn pressure(rays: &[Ray], frequency: f64, bottom: f64) -> [f64; 2] {
    rays.iter().fold([0.0, 0.0], |[re, im], ray| {
        let sign = if ray.surface.is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        let size = sign * libm::pow(bottom, f64::from(ray.bottom)) / ray.spreading().sqrt();
        // remove whole cycles first, because their number is large
        let cycles = frequency * ray.time;
        let phase = TAU * (cycles - libm::floor(cycles)) - FRAC_PI_2 * f64::from(ray.caustics % 4);
        let (sine, cosine) = sin_cos(phase);
        [re + size * cosine, im + size * sine]
    })
}
