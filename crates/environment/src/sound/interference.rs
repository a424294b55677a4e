//! What arrives on several rays at once, of a steady tone.
//!
//! # Law
//! ```text
//!   P = Σ  V  e^(2πi f t) / √S,    V = (-1)^surface  R^bottom  (-i)^caustics      (1)  [Jensen 2011, ch. 3]
//! ```
//! In even water, near the surface, this is the image of Lloyd's mirror: at a range ρ the two paths √(ρ² + (z_s ∓ z_r)²) cancel where they
//! differ by whole wavelengths.
//!
//! # Symbols
//! P complex pressure, that 1 m from the source being 1 · f frequency [Hz] · t time of a ray [s] · S spreading of its tube [m²] · R reflection
//! coefficient of the bottom.
//!
//! # Frames
//! None.
//!
//! # Limits
//! Sea and bottom are smooth; R is one real number for every angle. Infinite at a caustic. Absorption: `absorption.rs`.
//!
//! # Checked by
//! test/analytic/sound.rs; V69

use crate::sound::ray::Ray;
use merrow_math::real::sin_cos;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Real and imaginary part of the pressure that `rays` make at `frequency` [Hz] over a bottom that reflects `bottom` of it. (1)
pub fn pressure(rays: &[Ray], frequency: f64, bottom: f64) -> [f64; 2] {
    rays.iter().fold([0.0, 0.0], |[re, im], ray| {
        let sign = if ray.surface.is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        let size = sign * libm::pow(bottom, f64::from(ray.bottom)) / ray.spreading().sqrt();
        // whole cycles first: they are many
        let cycles = frequency * ray.time;
        let phase = TAU * (cycles - libm::floor(cycles)) - FRAC_PI_2 * f64::from(ray.caustics % 4);
        let (sine, cosine) = sin_cos(phase);
        [re + size * cosine, im + size * sine]
    })
}
