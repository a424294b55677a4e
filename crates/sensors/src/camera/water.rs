//! How water shows what is in it.
//!
//! # Law
//! ```text
//!   I = J e^{-c s} + B (1 - e^{-k s}),  k = c - K_d d_z,  B = b p(ψ) E/k            (1)  [Duntley 1963; Akkaynak and Treibitz 2018, eqs. 11, 20]
//!   E(h) = E_0 e^{-K_d h}                                                           (2)
//!   p(ψ) = (1 - g²)/(4π (1 + g² - 2 g cos ψ)^{3/2})                                 (3)  [Henyey and Greenstein 1941]
//! ```
//! In their words β_D = c and β_B = k: both depend on more than the water, (1) on the direction too, for daylight changes with depth along the line of sight.
//!
//! # Symbols
//! I what is seen, J what is there, B veil of endless water · s distance · c, b, K_d of `environment::optics`, by colour · d_z upward part of the line of sight ·
//! E daylight on level ground at the depth h of the camera · ψ angle of scattering.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! Light that is scattered by small angles counts as lost to J, and (3) has g = 0.5 for daylight, whose direction is long spread, 0.85 for lamps.
//!
//! # Checked by
//! test/analytic/camera.rs

use crate::camera::{decay, fade, times};
use merrow_math::Vec3;
use merrow_model::scene::sea::optics::Optics;

/// Asymmetry for daylight.
pub const SPREAD: f64 = 0.5;
/// Asymmetry for the light of lamps.
pub const NARROW: f64 = 0.85;
/// Refractive index.
pub const INDEX: f64 = 1.34;

/// Water, and the daylight in it.
#[derive(Clone, Copy, Debug)]
pub struct Water {
    /// c.
    pub beam: Vec3,
    /// b.
    pub scattering: Vec3,
    /// K_d.
    pub daylight: Vec3,
    /// E_0 of the sun and of the sky, just under the surface.
    pub light: [Vec3; 2],
    /// Where the sun stands, seen from under water.
    pub sun: Vec3,
    /// Distance beyond which nothing is seen [m].
    pub sight: f64,
    /// Mean direction that daylight comes from.
    from: Vec3,
}

impl Water {
    /// Of `optics` under the sun and sky of these illuminances on level ground.
    pub fn new(optics: &Optics, sun: Vec3, level: [Vec3; 2]) -> Self {
        let (x, y) = (sun.x / INDEX, sun.y / INDEX);
        let bent = Vec3::new(x, y, (1.0 - x * x - y * y).max(0.0).sqrt());
        let part = level[0].y / (level[0].y + level[1].y).max(1e-12);
        let from = bent.scale(part) + Vec3::new(0.0, 0.0, 1.0 - part);
        let beam = Vec3::from(optics.beam);
        Self {
            beam,
            sight: 8.0 / beam.x.min(beam.y).min(beam.z).max(1e-6),
            scattering: Vec3::from(optics.scattering),
            daylight: Vec3::from(optics.daylight),
            light: level,
            sun: bent,
            from: from.unit().unwrap_or(Vec3::new(0.0, 0.0, 1.0)),
        }
    }

    /// Daylight on level ground at the depth `h` [m], of sun and sky together. (2)
    pub fn daylight(&self, h: f64) -> Vec3 {
        times(
            self.light[0] + self.light[1],
            fade(self.daylight, h.max(0.0)),
        )
    }

    /// Part of the sun's light that still comes as a beam at the depth `h` [m].
    pub fn straight(&self, h: f64) -> f64 {
        decay(-0.4 * self.scattering.y * h.max(0.0))
    }

    /// What the water itself shows over the distance `s` [m] along `d` from where daylight is `level`. (1)
    pub fn veil(&self, level: Vec3, d: Vec3, s: f64) -> Vec3 {
        let k = self.beam - self.daylight.scale(d.z);
        let light = level.scale(phase(d.dot(self.from), SPREAD));
        let k = Vec3::new(k.x.max(1e-6), k.y.max(1e-6), k.z.max(1e-6));
        let left = fade(k, s);
        // where the difference to 1 is small it is found by the series
        let reach = |k: f64, left: f64| {
            let x = k * s;
            if x < 0.02 {
                s * (1.0 - x * (0.5 - x * (1.0 / 6.0)))
            } else {
                (1.0 - left) / k
            }
        };
        let reach = Vec3::new(reach(k.x, left.x), reach(k.y, left.y), reach(k.z, left.z));
        times(times(self.scattering, light), reach)
    }
}

/// (3) for the cosine of the angle between the light's way and the sight's, seen from the camera: 1 is towards the light.
pub fn phase(cosine: f64, g: f64) -> f64 {
    let base = 1.0 + g * g - 2.0 * g * cosine;
    (1.0 - g * g) / (4.0 * std::f64::consts::PI * base * base.sqrt())
}
