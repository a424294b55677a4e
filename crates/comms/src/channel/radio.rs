//! Radio waves over water: free space, log-distance and two-ray propagation.
//!
//! # Law
//! ```text
//!   P_r = P_t p |E|² 10^(-(L_s + L_d)/10)                                             (1)
//!   |E|² = (λ/4πd)² G_t G_r                                       free space          (2)  [Rappaport 2002, ch. 4]
//!   |E|² = (λ/4πd_0)² (d_0/d)^n G_t G_r,   d > d_0                log-distance        (3)  [Rappaport 2002, ch. 4]
//!   E = λ/4π (√g_d/l_d + Γ ρ √g_r e^(-ik(l_r - l_d))/l_r)         two-ray             (4)  [Rappaport 2002, ch. 4]
//!   Γ_v = (ε_c sin ψ - √(ε_c - cos² ψ))/(ε_c sin ψ + √(ε_c - cos² ψ))                 (5)  [Rappaport 2002, ch. 4]
//!   Γ_h = (sin ψ - √(ε_c - cos² ψ))/(sin ψ + √(ε_c - cos² ψ))                         (6)
//!   ε_c = ε_r - jσ/(ω ε_0),   ρ = e^(-2 k² h² sin² ψ)                                 (7)  [Ament 1953]
//! ```
//! The reflecting plane is level, at the elevation of the water at the reflection point. L_s is the
//! shadowing (`shadowing.rs`), L_d the diffraction at wave crests and at the curved Earth
//! (`diffraction.rs`). Beyond the horizon, `horizon.rs` gives an upper limit of the gain.
//!
//! # Symbols
//! P_t, P_r transmitted and received power, p fraction of the maximum power · E field relative to
//! the field at the antenna · λ wavelength, k wave number · d distance, l_d, l_r lengths of the
//! direct and the reflected ray, g_d, g_r products of the antenna gains along them · d_0 reference
//! distance, n exponent · Γ reflection coefficient for vertical and horizontal polarisation, ψ
//! grazing angle · ε_c complex relative permittivity, σ conductivity of the water · h standard
//! deviation of the wave height.
//!
//! # Frames
//! World (ENU); directivity in the frame M of each modem.
//!
//! # Limits
//! - ε_r is 80 at all frequencies (estimated: 69 to 75 in sea water below 3 GHz).
//! - The antennas are at least 0.1 m above the reflecting plane in (4).
//! - Rain, ducts and reflections at hulls are not modelled. Distances below a wavelength count as
//!   a wavelength.
//!
//! # Checked by
//! crates/comms/tests/radio.rs

use crate::channel::acoustic::both_gains;
use crate::channel::complex::{polar, root};
use crate::channel::conductive::VACUUM_PERMITTIVITY;
use crate::channel::horizon::loss_beyond_horizon;
use crate::channel::{Arrival, Ends, diffraction, doppler, shadowing};
use merrow_environment::{SPEED_OF_LIGHT, WaveState};
use merrow_math::Vec3;
use merrow_math::decibels::power;
use merrow_math::rng::Stream;
use merrow_model::scene::comms::medium::{PathLoss, Polarisation, RadioMedium};
use num_complex::Complex64;
use std::f64::consts::{PI, TAU};

/// Relative permittivity of sea water.
const PERMITTIVITY: f64 = 80.0;
/// Minimum height of an antenna above the reflecting plane [m].
const MIN_HEIGHT: f64 = 0.1;

/// Sea surface under a radio link.
#[derive(Clone, Copy, Debug)]
pub struct RadioSurface<'a> {
    /// Waves at the instant; `None`: flat water.
    pub waves: Option<&'a WaveState>,
    /// Standard deviation of the surface height [m].
    pub wave_height: f64,
    /// Conductivity of the water [S/m].
    pub conductivity: f64,
}

/// Computes the reflection coefficient [-] of water of `conductivity` [S/m] at `frequency` [Hz] and
/// the sine of the grazing angle [-]. (5) to (7)
pub fn sea_reflection(
    polarisation: Polarisation,
    frequency: f64,
    sine: f64,
    conductivity: f64,
) -> Complex64 {
    let loss = conductivity / (TAU * frequency * VACUUM_PERMITTIVITY);
    let permittivity = Complex64::new(PERMITTIVITY, -loss);
    let root = root(permittivity - Complex64::new(1.0 - sine * sine, 0.0));
    let direct = match polarisation {
        Polarisation::Vertical => permittivity.scale(sine),
        Polarisation::Horizontal => Complex64::new(sine, 0.0),
    };
    (direct - root) / (direct + root)
}

/// Computes the arrival of a signal of `frequency` [Hz] over the sea `surface`, with the random
/// numbers `stream` of the shadowing. (1) to (4)
pub fn arrival(
    (medium, frequency): (&RadioMedium, f64),
    surface: &RadioSurface<'_>,
    stream: Stream,
    ends: Ends<'_>,
) -> Arrival {
    let [source, receiver] = ends.map(|(end, _)| end);
    let wavelength = SPEED_OF_LIGHT / frequency;
    let chord = receiver.p - source.p;
    let d = chord.norm().max(wavelength);
    let direction = chord.unit().unwrap_or(Vec3::new(1.0, 0.0, 0.0));
    let free = wavelength / (4.0 * PI * d) * (wavelength / (4.0 * PI * d));
    let gains = both_gains(ends, direction, -direction);
    let (isotropic, mut gain) = match medium.path_loss {
        PathLoss::FreeSpace => (free, free * gains),
        PathLoss::LogDistance {
            exponent,
            reference_m,
            ..
        } => {
            let excess = (d / reference_m).max(1.0);
            let value = free * excess * excess / libm::pow(excess, exponent);
            (value, value * gains)
        }
        PathLoss::TwoRay { polarisation, .. } => {
            let size = two_ray(polarisation, frequency, surface, gains.sqrt(), ends);
            (free, size.norm_sqr())
        }
    };
    let mut loss = 0.0;
    if let Some(parameters) = &medium.shadowing {
        loss += shadowing::loss(parameters, stream, source.p, receiver.p);
    }
    if medium.diffraction {
        if let Some(hidden) = loss_beyond_horizon(source.p, receiver.p, frequency) {
            gain = gain.min(free * gains * power(-hidden));
        }
        loss += diffraction::excess_loss(surface.waves, source.p, receiver.p, wavelength);
    }
    if loss != 0.0 {
        gain *= power(-loss);
    }
    Arrival {
        time: chord.norm() / SPEED_OF_LIGHT,
        gain,
        late: 0.0,
        isotropic,
        doppler: doppler(receiver.v - source.v, direction, SPEED_OF_LIGHT),
    }
}

/// Computes the sum of the fields of the direct ray, with the amplitude gain `direct_gain` [-], and
/// of the reflected ray. (4)
fn two_ray(
    polarisation: Polarisation,
    frequency: f64,
    surface: &RadioSurface<'_>,
    direct_gain: f64,
    ends: Ends<'_>,
) -> Complex64 {
    let [a, b] = ends.map(|(end, _)| end.p);
    let wave_number = TAU * frequency / SPEED_OF_LIGHT;
    let level = |z: f64| {
        let [h1, h2] = [a.z, b.z].map(|h| (h - z).max(MIN_HEIGHT));
        (h1, h2, h1 / (h1 + h2))
    };
    let part = level(0.0).2;
    let eta = surface.waves.map_or(0.0, |waves| {
        waves.elevation(a.x + part * (b.x - a.x), a.y + part * (b.y - a.y))
    });
    let (h1, h2, part) = level(eta);
    let d = b - a;
    let range_squared = d.x * d.x + d.y * d.y;
    let direct = (range_squared + (h1 - h2) * (h1 - h2)).sqrt().max(1e-3);
    let reflected = (range_squared + (h1 + h2) * (h1 + h2)).sqrt();
    let sine = (h1 + h2) / reflected;
    let point = Vec3::new(a.x + part * d.x, a.y + part * d.y, eta);
    let along = |v: Vec3| v.unit().unwrap_or(Vec3::new(1.0, 0.0, 0.0));
    let gain = both_gains(ends, along(point - a), along(point - b));
    let rough = wave_number * surface.wave_height * sine;
    let coefficient = sea_reflection(polarisation, frequency, sine, surface.conductivity)
        .scale(libm::exp(-2.0 * rough * rough) * gain.sqrt() / reflected);
    // the difference of the lengths without cancellation
    let detour = 4.0 * h1 * h2 / (direct + reflected);
    let phase = wave_number * detour;
    let turned = polar(1.0, -(phase - TAU * libm::floor(phase / TAU)));
    (Complex64::new(direct_gain / direct, 0.0) + coefficient * turned).scale(0.5 / wave_number)
}
