//! Lamps of robots: what they light, and what the water before them scatters back.
//!
//! # Law
//! ```text
//!   E = I(α) e^{-c r}/r² cos θ                                             (1)
//!   dL/ds = b p(ψ) I(α) e^{-c (r + s)}/r²                                  (2)
//! ```
//! (2) is summed by `glow.rs`.
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

use crate::camera::World;
use crate::camera::noise::step;
use crate::camera::water::{NARROW, phase};
use crate::camera::{Medium, decay, fade, times};
use merrow_math::Vec3;
use std::ops::Range;

/// Light fainter than this does not count [lx].
const LEAST: f64 = 1e-5;
/// Part of other light beside which it does not show either.
const UNSEEN: f64 = 1e-3;

/// Part of a lamp's intensity that is seen beside its cone.
const SPILL: f64 = 0.01;

/// A lamp that is lit.
#[derive(Clone, Debug)]
pub struct Lit {
    p: Vec3,
    d: Vec3,
    cosines: [f64; 2],
    intensity: Vec3,
    /// Greatest of `intensity`.
    brightest: f64,
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
            let intensity = lamp.intensity.scale(*level);
            all.push(Lit {
                brightest: intensity.x.max(intensity.y).max(intensity.z),
                p: *p_WL + R_WL.mul_vec(lamp.p_LoX),
                d: R_WL.mul_vec(lamp.d_L),
                cosines: lamp.cosines,
                intensity,
                own: world.stage.shapes_of(r),
            });
        }
    }
    all
}

impl Lit {
    /// Light at a place, by colour, its distance, and the direction in which it goes on; none where it cannot reach `least` [lx]. (1) without the incidence
    fn at(&self, x: Vec3, beam: Vec3, least: f64) -> Option<(Vec3, f64, Vec3)> {
        let way = x - self.p;
        let (along, square) = (way.dot(self.d), way.dot(way));
        // beside the cone, or too far
        if along <= 0.0 && self.cosines[0] >= 0.0 || self.brightest < least * square {
            return None;
        }
        let r = square.sqrt();
        let u = way.scale(1.0 / r.max(1e-6));
        let part = step(self.cosines[0], self.cosines[1], u.dot(self.d));
        if part <= 0.0 {
            return None;
        }
        let light = times(
            self.intensity.scale(part / (r * r).max(0.01)),
            fade(beam, r),
        );
        Some((light, r, u))
    }

    /// Illuminance of a surface at `x` with the normal `n`, by colour [lx]; `beam` is the extinction on the way. What does not show beside `other` light is left out.
    pub fn on(&self, world: &World, x: Vec3, n: Vec3, beam: Vec3, other: Vec3) -> Vec3 {
        let least = LEAST + UNSEEN * other.x.min(other.y).min(other.z);
        let Some((light, r, u)) = self.at(x, beam, least) else {
            return Vec3::zero();
        };
        let cosine = -n.dot(u);
        if cosine * light.y.max(light.x).max(light.z) < least {
            return Vec3::zero();
        }
        if world.stage.is_shaded(
            x,
            u.scale(-1.0),
            [1e-3, (r - 1e-3).max(1e-3)],
            self.own.clone(),
        ) {
            return Vec3::zero();
        }
        light.scale(cosine)
    }

    /// Its place [m].
    pub fn place(&self) -> Vec3 {
        self.p
    }

    /// Illuminance of what faces it at the place `x`, by colour [lx], where the air leaves e^-haze of a metre, with what its glass spills beside the cone; and the direction to it.
    pub fn towards(&self, x: Vec3, haze: f64) -> (Vec3, Vec3) {
        let way = self.p - x;
        let r = way.norm().max(0.05);
        let u = way.scale(1.0 / r);
        let part = step(self.cosines[0], self.cosines[1], -u.dot(self.d)).max(SPILL);
        (self.intensity.scale(part / (r * r) * decay(-haze * r)), u)
    }

    /// True if something but its own robot stands between it and `x`.
    pub fn hidden(&self, world: &World, x: Vec3) -> bool {
        let way = self.p - x;
        let r = way.norm();
        world.stage.is_shaded(
            x,
            way.scale(1.0 / r.max(1e-6)),
            [1e-2, (r - 0.05).max(1e-2)],
            self.own.clone(),
        )
    }

    /// What is scattered back to `p` by a metre of the line along `d` at the distance `s` [m]. (2)
    pub fn scattered(&self, medium: &Medium, p: Vec3, d: Vec3, s: f64) -> Vec3 {
        let way = p + d.scale(s) - self.p;
        let r = way.norm();
        let u = way.scale(1.0 / r.max(1e-6));
        let part = step(self.cosines[0], self.cosines[1], u.dot(self.d));
        if part <= 0.0 {
            return Vec3::zero();
        }
        let share = part / (r * r).max(0.01) * phase(-u.dot(d), NARROW);
        let left = times(medium.scattering, fade(medium.beam, r + s));
        times(self.intensity.scale(share), left)
    }
}
