//! Underwater image formation: attenuation, veiling light and daylight in the water.
//!
//! # Law
//! ```text
//!   I = J e^{-c s} + B (1 - e^{-k s}),  k = c - K_d d_z,  B = b p(ψ) E/k  (1)
//!   E(h) = E_0 e^{-K_d h}                                                 (2)
//!   p(ψ) = (1 - g²)/(4π (1 + g² - 2 g cos ψ)^{3/2})                       (3)
//!   (1) [Duntley 1963; Akkaynak and Treibitz 2018, eqs. 11, 20]
//!   (3) [Henyey and Greenstein 1941]
//! ```
//! In the notation of Akkaynak and Treibitz β_D = c and β_B = k. Both depend on more than the
//! water. In (1) k also depends on the direction, because daylight changes with depth along the
//! line of sight.
//!
//! # Symbols
//! I luminance that arrives, J luminance of the object, B veiling light of an infinite water column
//! · s distance · c, b, K_d of `crates/environment/src/optics.rs`, by colour · d_z upward component
//! of the line of sight · E daylight on a horizontal surface at the depth h of the camera · ψ
//! scattering angle · g asymmetry.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - Light that is scattered by small angles counts as lost to J.
//! - In (3) g = 0.5 for daylight, whose directions are already spread, and 0.85 for lamps.
//!
//! # Checked by
//! test/sensors/camera.rs

use crate::camera::{fast_exp, multiply, transmittance};
use merrow_math::Vec3;
use merrow_model::scene::sea::optics::Optics;

/// Asymmetry of the phase function for daylight.
pub(crate) const DAYLIGHT_ASYMMETRY: f64 = 0.5;
/// Asymmetry of the phase function for the light of lamps.
pub(crate) const LAMP_ASYMMETRY: f64 = 0.85;
/// Refractive index of water.
pub const INDEX: f64 = 1.34;

/// Optical properties of the water, and the daylight in it.
#[derive(Clone, Copy, Debug)]
pub struct Water {
    /// Beam attenuation coefficient c, by colour [1/m].
    pub beam: Vec3,
    /// Scattering coefficient b, by colour [1/m].
    pub scattering: Vec3,
    /// Diffuse attenuation coefficient K_d of daylight, by colour [1/m].
    pub daylight: Vec3,
    /// Illuminances E_0 of the sun and of the sky on a horizontal surface just below the surface,
    /// by colour [lx].
    pub light: [Vec3; 2],
    /// Unit vector towards the refracted sun, seen from under water, W.
    pub sun: Vec3,
    /// Visual range: distance beyond which objects are invisible [m].
    pub visual_range: f64,
    /// Mean direction from which daylight comes (unit vector, W).
    daylight_direction: Vec3,
}

impl Water {
    /// Returns the water with these `optics`. `sun` is the unit vector towards the sun in air, W;
    /// `level` holds the illuminances of the sun and of the sky on a horizontal surface just below
    /// the surface, by colour [lx].
    pub fn new(optics: &Optics, sun: Vec3, level: [Vec3; 2]) -> Self {
        let (x, y) = (sun.x / INDEX, sun.y / INDEX);
        let refracted_sun = Vec3::new(x, y, (1.0 - x * x - y * y).max(0.0).sqrt());
        let part = level[0].y / (level[0].y + level[1].y).max(1e-12);
        let daylight_direction = refracted_sun.scale(part) + Vec3::new(0.0, 0.0, 1.0 - part);
        let beam = Vec3::from(optics.beam);
        Self {
            beam,
            visual_range: 8.0 / beam.x.min(beam.y).min(beam.z).max(1e-6),
            scattering: Vec3::from(optics.scattering),
            daylight: Vec3::from(optics.daylight),
            light: level,
            sun: refracted_sun,
            daylight_direction: daylight_direction
                .unit()
                .unwrap_or(Vec3::new(0.0, 0.0, 1.0)),
        }
    }

    /// Computes the illuminance of the sun and the sky together on a horizontal surface at the
    /// depth `h` [m], by colour [lx]. (2)
    pub(crate) fn illuminance_at_depth(&self, h: f64) -> Vec3 {
        multiply(
            self.light[0] + self.light[1],
            transmittance(self.daylight, h.max(0.0)),
        )
    }

    /// Returns the fraction of the sun's light that is still a direct beam at the depth `h` [m].
    pub(crate) fn direct_fraction(&self, h: f64) -> f64 {
        fast_exp(-0.4 * self.scattering.y * h.max(0.0))
    }

    /// Computes the veiling light of the water over the distance `s` [m] along `d` (unit vector,
    /// W), by colour [cd/m²]. `level` is the daylight at the start of the ray, by colour [lx]. (1)
    pub(crate) fn veiling_light(&self, level: Vec3, d: Vec3, s: f64) -> Vec3 {
        let k = self.beam - self.daylight.scale(d.z);
        let light = level.scale(phase(d.dot(self.daylight_direction), DAYLIGHT_ASYMMETRY));
        let k = Vec3::new(k.x.max(1e-6), k.y.max(1e-6), k.z.max(1e-6));
        let transmitted = transmittance(k, s);
        // For a small exponent the difference to 1 is computed by its series.
        let effective_length = |k: f64, transmitted: f64| {
            let x = k * s;
            if x < 0.02 {
                s * (1.0 - x * (0.5 - x * (1.0 / 6.0)))
            } else {
                (1.0 - transmitted) / k
            }
        };
        let length = Vec3::new(
            effective_length(k.x, transmitted.x),
            effective_length(k.y, transmitted.y),
            effective_length(k.z, transmitted.z),
        );
        multiply(multiply(self.scattering, light), length)
    }
}

/// Computes the phase function (3) [1/sr] with the asymmetry `g`. `cosine` is the cosine of the
/// angle between the line of sight and the direction to the light: 1 when looking towards the
/// light.
pub fn phase(cosine: f64, g: f64) -> f64 {
    let base = 1.0 + g * g - 2.0 * g * cosine;
    (1.0 - g * g) / (4.0 * std::f64::consts::PI * base * base.sqrt())
}
