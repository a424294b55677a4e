//! Optical modem: beam attenuation, field of view and ambient light.
//!
//! # Law
//! ```text
//!   P_r = P_t p (m+1)/(2π) cos^m θ  A cos φ/r² e^(-c r),  φ < φ_max      (1)  [Kahn and Barry 1997]
//!   m = -ln 2/ln cos θ_½                                                  (2)  [Kahn and Barry 1997]
//!   P_n² = (NEP² + 2 q (P_r + P_b)/R) B                                   (3)  [Kahn and Barry 1997]
//!   P_b = L Δλ A Ω,   Ω = 2π (1 - cos φ_max)                              (4)  [Giles and Bankman 2005]
//!   L = E_λ e^(-K d)/π (f + (1 - f) max(0, sin e)),   E_λ = 1.5e6 1/m E   (5)
//! ```
//! [Giles and Bankman 2005] also state (1).
//!
//! # Symbols
//! P_t, P_r transmitted and received power, p fraction of the maximum power · θ angle from the axis
//! of the lamp, θ_½ angle at which the intensity is half, m order of the Lambertian lamp · φ angle
//! from the axis of the receiver, φ_max half of its field of view · A aperture · r distance · c
//! beam attenuation · P_n noise-equivalent optical power, NEP noise-equivalent power of the dark
//! receiver per root of the bandwidth · q elementary charge, R responsivity, B bandwidth · P_b
//! ambient light, L its radiance, Δλ width of the filter · E global irradiance at the surface · K
//! attenuation of daylight, d depth · e elevation of the axis of the receiver · f fraction of the
//! radiance for a receiver that looks horizontally or down.
//!
//! # Frames
//! World (ENU); angles from the x axis of the frame M of each modem.
//!
//! # Limits
//! - c removes all scattered light. This underestimates the received power in turbid water.
//! - Lamp and receiver have the same axis.
//! - f = 0.036, from 1.25 % reflectance of the water and a factor of 2.9 for the horizontal
//!   direction (unverified: [Giles and Bankman 2005]). The spectral irradiance of (5) is estimated
//!   for 450 to 550 nm. The variation of daylight by waves is not modelled.
//! - Coefficients are interpolated between three wavelengths.
//!
//! # Checked by
//! crates/comms/tests/optical.rs

use crate::channel::{Arrival, End, doppler};
use merrow_environment::SPEED_OF_LIGHT;
use merrow_environment::optics::coefficient_at;
use merrow_math::Vec3;
use merrow_model::scene::comms::medium::OpticalMedium;
use merrow_model::scene::sea::optics::Optics;
use merrow_model::state::comms::LossCause;
use std::f64::consts::{LN_2, PI};

/// Charge of an electron [C].
const CHARGE: f64 = 1.602_176_634e-19;
/// Refractive index of sea water.
const REFRACTIVE_INDEX: f64 = 1.34;
/// Fraction f of (5).
const HORIZONTAL_RADIANCE: f64 = 0.036;
/// Spectral irradiance between 450 and 550 nm over the global irradiance [1/m].
const SPECTRAL_FRACTION: f64 = 1.5e6;
/// Minimum distance of a link [m].
const MIN_DISTANCE: f64 = 0.01;

/// Returns the order m of a Lambertian lamp with the half angle `half_angle` [rad]. (2)
pub fn lambertian_order(half_angle: f64) -> f64 {
    -LN_2 / libm::log(merrow_math::real::sin_cos(half_angle).1)
}

/// Computes the arrival of light in water with the optical properties `optics`. (1), (2)
///
/// # Errors
/// The receiver is outside the beam of the lamp or the lamp outside the field of view.
pub fn arrival(
    (sender, listener): (&OpticalMedium, &OpticalMedium),
    optics: &Optics,
    source: &End,
    receiver: &End,
) -> Result<Arrival, LossCause> {
    let chord = receiver.p - source.p;
    let r = chord.norm().max(MIN_DISTANCE);
    let to = chord.unit().ok_or(LossCause::OutOfView)?;
    let leaves = source.R_WM.col(0).dot(to);
    let arrives = -receiver.R_WM.col(0).dot(to);
    let (_, edge) = merrow_math::real::sin_cos(listener.field_of_view_deg.to_radians());
    if leaves <= 0.0 || arrives <= edge.max(0.0) {
        return Err(LossCause::OutOfView);
    }
    let order = lambertian_order(sender.half_angle_deg.to_radians());
    let intensity = (order + 1.0) / (2.0 * PI) * libm::pow(leaves, order);
    let attenuation = sender
        .attenuation_per_m
        .unwrap_or_else(|| coefficient_at(optics.beam, 1e9 * sender.wavelength()));
    let geometric = (intensity * listener.aperture() * arrives / (r * r)).min(1.0);
    let gain = geometric * libm::exp(-attenuation * r);
    Ok(Arrival {
        time: r * REFRACTIVE_INDEX / SPEED_OF_LIGHT,
        gain,
        late: 0.0,
        isotropic: gain,
        doppler: doppler(receiver.v - source.v, to, SPEED_OF_LIGHT / REFRACTIVE_INDEX),
    })
}

/// Computes the ambient light [W] on the detector at the depth `depth` [m], with the axis `axis` in
/// W, for the global irradiance `irradiance` [W/m²] at the surface. (4), (5)
pub fn ambient_power(
    receiver: &OpticalMedium,
    optics: &Optics,
    irradiance: f64,
    (depth, axis): (f64, Vec3),
) -> f64 {
    let daylight = coefficient_at(optics.daylight, 1e9 * receiver.wavelength());
    let spectral = SPECTRAL_FRACTION * irradiance * libm::exp(-daylight * depth.max(0.0));
    let upward = (1.0 - HORIZONTAL_RADIANCE) * axis.z.max(0.0);
    let radiance = spectral / PI * (HORIZONTAL_RADIANCE + upward);
    let (_, edge) = merrow_math::real::sin_cos(receiver.field_of_view_deg.to_radians());
    radiance * (1e-6 * receiver.filter_width_um) * receiver.aperture() * 2.0 * PI * (1.0 - edge)
}

/// Computes the noise-equivalent optical power [W] for the received and the ambient power [W] in
/// the bandwidth `bandwidth` [Hz]. (3)
pub fn noise_power(receiver: &OpticalMedium, received: f64, ambient: f64, bandwidth: f64) -> f64 {
    let dark = receiver.noise_w_per_sqrt_hz * receiver.noise_w_per_sqrt_hz;
    let shot = 2.0 * CHARGE * (received + ambient) / receiver.responsivity_a_per_w;
    ((dark + shot) * bandwidth).sqrt()
}
