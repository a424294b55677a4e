//! Haze above a camera: its optical depth and its effect on the light of the sun and the sky.
//!
//! # Law
//! ```text
//!   τ = β H,  H = 5000 m / ln(β/β_5),  β = σ - σ_R                                                                   (1)
//!   L = L_0 T + (1 - T) (G_b (t 4π p(χ) + (1 - t) C) + G_s C),  T = e^{-(τ - τ_0) m_v}                               (2)
//!   C = 0.6 (1 + cos Z),  t = e^{-800 m (σ - σ_0)}
//!   ∫ (1 - T) G_b (…) cos Z dΩ = 0.8 E_beam sin h (1 - e^{-(τ - τ_0)/sin h}),  ∫ (1 - T) (G_s C - L_0) cos Z dΩ = 0  (3)
//!   (1) [Elterman 1970]
//! ```
//! Clear air contains haze too. The colours of the clear sky already include it, so only the haze
//! beyond clear air counts here.
//!
//! Haze attenuates the light of the sky behind it and the beam of the sun. It emits all the light
//! that it takes from the sky, and four fifths of the light that it takes from the beam. Thin haze
//! scatters the light of the beam once, mostly around the sun, by its phase function p. Thick haze
//! scatters it many times, which gives the grey distribution C, brighter towards the zenith.
//!
//! # Symbols
//! σ extinction of air at ground level [1/m], σ_0 of clear air, σ_R of air without haze · β of haze
//! only, β_5 at a height of 5 km · H scale height · τ optical depth upwards, τ_0 of clear air ·
//! L_0, L luminance without and with haze · m_v air mass along the line of sight · p phase function
//! of haze, χ angle to the sun, Z to the zenith, h elevation of the sun · t fraction that is
//! scattered once · G_b, G_s factors of the light from the beam and from the sky.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! Haze and fog are grey and horizontally uniform. Rain counts as haze.
//!
//! # Checked by
//! test/sensors/camera/daylight.rs

use crate::camera::fast_exp;
use crate::camera::sky_radiance::{Sky, integrate_hemisphere};
use crate::camera::water::phase;
use merrow_math::Vec3;
use std::f64::consts::PI;

/// Extinction of clear air [1/m], equivalent to a visibility of 50 km.
const CLEAR_AIR_EXTINCTION: f64 = 3.912 / 50_000.0;
/// Extinction of air without haze at 550 nm [1/m].
const HAZELESS_EXTINCTION: f64 = 1.16e-5;
/// Extinction of haze at a height of 5 km [1/m].
const EXTINCTION_AT_5_KM: f64 = 5e-6;
/// Length in the exponent of t [m]: 800 m in (2).
const SINGLE_SCATTERING_LENGTH: f64 = 800.0;
/// Luminance of fog at the horizon, divided by the luminance of a white surface.
const FOG_LUMINANCE_RATIO: f64 = 0.6;
/// Fraction of the light taken from the beam that reaches ground level.
const BEAM_TO_GROUND: f64 = 0.8;
/// Asymmetry of the phase function of haze.
pub(crate) const HAZE_ASYMMETRY: f64 = 0.76;

/// Haze beyond clear air, and the light that it emits.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Haze {
    /// Optical depth upwards, τ - τ_0.
    depth: f64,
    /// 4π t G_b, by colour.
    forward: Vec3,
    /// Factor of C, by colour.
    grey: Vec3,
}

/// Computes the optical depth upwards of all haze, for air with this extinction at ground
/// level [1/m]. (1)
pub fn optical_depth(extinction: f64) -> f64 {
    let beta = (extinction - HAZELESS_EXTINCTION).max(2.0 * EXTINCTION_AT_5_KM);
    5000.0 * beta / libm::log(beta / EXTINCTION_AT_5_KM)
}

impl Haze {
    /// Computes the haze in front of a clear `sky`, for air with this `extinction` at ground
    /// level [1/m].
    ///
    /// Returns the haze, the fraction of the sun's beam that it transmits, and the illuminance that
    /// it adds to the light of the sky on a horizontal surface, by colour [lx].
    pub(crate) fn from_extinction(sky: &Sky, extinction: f64) -> (Self, f64, Vec3) {
        let depth = (optical_depth(extinction) - optical_depth(CLEAR_AIR_EXTINCTION)).max(0.0);
        if depth == 0.0 {
            return (Self::default(), 1.0, Vec3::zero());
        }
        let transmitted = fast_exp(-depth / sky.sun.z.max(0.1));
        let single_scattering =
            fast_exp(-SINGLE_SCATTERING_LENGTH * (extinction - CLEAR_AIR_EXTINCTION));
        let from_sun = sky
            .beam
            .scale(BEAM_TO_GROUND * sky.sun.z.max(0.0) * (1.0 - transmitted));
        let all = Self {
            depth,
            ..Self::default()
        };
        let [sum, grey_sum] = [single_scattering, 0.0].map(|single_scattering| {
            let added_luminance = |d: Vec3| {
                let once = 4.0 * PI * single_scattering * phase(d.dot(sky.sun), HAZE_ASYMMETRY);
                Vec3::new(
                    0.0,
                    (1.0 - all.transmittance(d)) * (once + (1.0 - single_scattering) * grey(d)),
                    0.0,
                )
            };
            integrate_hemisphere(added_luminance).y
        });
        let from_sky =
            integrate_hemisphere(|d| sky.luminance(d, 1.0).scale(1.0 - all.transmittance(d)));
        let (sun, sky) = (from_sun.scale(1.0 / sum), from_sky.scale(1.0 / grey_sum)); // (3)
        let haze = Self {
            depth,
            forward: sun.scale(4.0 * PI * single_scattering),
            grey: sun.scale(1.0 - single_scattering) + sky,
        };
        (haze, transmitted, from_sun)
    }

    /// Returns the transmittance T in the direction `d` (unit vector, W).
    fn transmittance(&self, d: Vec3) -> f64 {
        fast_exp(-self.depth / (d.z.max(0.0) + 0.05))
    }

    /// Computes the luminance in the direction `d` (unit vector, W) of a sky whose luminance
    /// without haze is `light`; `cosine` is the cosine of the angle to the sun. (2)
    #[inline]
    pub(crate) fn apply(&self, light: Vec3, d: Vec3, cosine: f64) -> Vec3 {
        if self.depth == 0.0 {
            return light;
        }
        let transmitted = self.transmittance(d);
        let added = self.forward.scale(phase(cosine, HAZE_ASYMMETRY)) + self.grey.scale(grey(d));
        light.scale(transmitted) + added.scale(1.0 - transmitted)
    }
}

/// Returns the grey distribution C in the direction `d` (unit vector, W).
fn grey(d: Vec3) -> f64 {
    FOG_LUMINANCE_RATIO * (1.0 + d.z.max(0.0))
}
