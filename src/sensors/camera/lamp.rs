//! Lamps of robots: what they light, and what the water before them scatters back.
//!
//! # Law
//! ```text
//!   E = I(α) e^{-c r}/r² cos θ                                             (1)
//!   L = Σ b p(ψ) I(α) e^{-c (r + s)}/r² Δs                                 (2)
//! ```
//! (2) goes over a few steps that widen with the distance from the camera.
//!
//! # Symbols
//! I intensity [cd] at the angle α from the axis, even within the cone and fading over its outer fifth · r from the lamp, s from the camera [m] · θ angle of incidence ·
//! c, b, p of `water.rs`.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! A lamp is a point; its robot's own shapes cast no shadows in its light. No shadows in (2).
//!
//! # Checked by
//! test/analytic/camera.rs

use super::World;
use super::noise::step;
use super::water::{NARROW, Water, phase};
use super::{fade, times};
use crate::math::Vec3;
use std::ops::Range;

/// Steps of (2).
const STEPS: usize = 8;
/// Light fainter than this does not count [lx].
const LEAST: f64 = 1e-5;

/// A lamp that is lit.
#[derive(Clone, Debug)]
pub struct Lit {
    p: Vec3,
    d: Vec3,
    cosines: [f64; 2],
    intensity: Vec3,
    /// Shapes that cast no shadow in its light.
    own: Range<u32>,
}

/// All lamps that are lit.
pub fn lit(world: &World) -> Vec<Lit> {
    let mut all = Vec::new();
    for (r, robot) in world.scene.robots.iter().enumerate() {
        for (lamp, level) in robot.lamps.iter().zip(&world.view.lamps[r]) {
            if *level <= 0.0 {
                continue;
            }
            let (R_WL, p_WL) = &world.view.links[r][lamp.link];
            all.push(Lit {
                p: *p_WL + R_WL.mul_vec(lamp.p_LoX),
                d: R_WL.mul_vec(lamp.d_L),
                cosines: lamp.cosines,
                intensity: lamp.intensity.scale(*level),
                own: world.stage.shapes_of(r),
            });
        }
    }
    all
}

impl Lit {
    /// Light at a place, by colour, its distance, and the direction in which it goes on. (1) without the incidence
    fn at(&self, x: Vec3, beam: Vec3) -> Option<(Vec3, f64, Vec3)> {
        let way = x - self.p;
        let r = way.norm();
        let u = way.scale(1.0 / r.max(1e-6));
        let part = step(self.cosines[0], self.cosines[1], u.dot(self.d));
        if part <= 0.0 {
            return None;
        }
        let light = times(self.intensity.scale(part / (r * r).max(0.01)), fade(beam, r));
        Some((light, r, u))
    }

    /// Illuminance of a surface at `x` with the normal `n`, by colour [lx]; `beam` is the extinction on the way.
    pub fn on(&self, world: &World, x: Vec3, n: Vec3, beam: Vec3) -> Vec3 {
        let Some((light, r, u)) = self.at(x, beam) else { return Vec3::zero() };
        let cosine = -n.dot(u);
        if cosine <= 0.0 || light.y.max(light.x).max(light.z) < LEAST {
            return Vec3::zero();
        }
        if world.stage.is_shaded(x, u.scale(-1.0), [1e-3, (r - 1e-3).max(1e-3)], self.own.clone()) {
            return Vec3::zero();
        }
        light.scale(cosine)
    }

    /// What the water scatters back over the distance `s` [m] from `p` along `d`. (2)
    pub fn scattered(&self, water: &Water, p: Vec3, d: Vec3, s: f64) -> Vec3 {
        let mut sum = Vec3::zero();
        let far = s.min(12.0);
        for k in 0..STEPS {
            let u = (k as f64 + 0.5) / STEPS as f64;
            let (at, width) = (far * u * u, 2.0 * far * u / STEPS as f64);
            let Some((light, _, way)) = self.at(p + d.scale(at), water.beam) else { continue };
            let share = phase(-way.dot(d), NARROW) * width;
            sum += times(light.scale(share), fade(water.beam, at));
        }
        times(sum, water.scattering)
    }
}
