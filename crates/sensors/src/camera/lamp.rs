//! Lamps of robots: illuminance of surfaces and scattering in the water or air in front of a
//! camera.
//!
//! # Law
//! ```text
//!   E = I(α) e^{-c r}/r² cos θ                                             (1)
//!   dL/ds = b p(ψ) I(α) e^{-c (r + s)}/r²                                  (2)
//! ```
//! `crates/sensors/src/camera/in_scattering.rs` integrates (2).
//!
//! # Symbols
//! I intensity [cd] at the angle α from the axis, constant within the cone and decreasing over its
//! outer fifth · r distance from the lamp, s from the camera [m] · θ angle of incidence · c, b, p
//! of `crates/sensors/src/camera/water.rs`.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - A lamp is a point source.
//! - The shapes of its own robot cast no shadows in its light.
//! - There are no shadows in (2).
//!
//! # Checked by
//! test/sensors/camera.rs

use crate::camera::noise::smooth_step;
use crate::camera::water::{LAMP_ASYMMETRY, phase};
use crate::camera::{Medium, RenderContext, fast_exp, multiply, transmittance};
use merrow_math::Vec3;
use std::ops::Range;

/// Illuminance below which the light of a lamp is neglected [lx].
const MIN_ILLUMINANCE: f64 = 1e-5;
/// Fraction of the other illuminance below which the light of a lamp is neglected too.
const MIN_ILLUMINANCE_RATIO: f64 = 1e-3;

/// Fraction of a lamp's intensity that its glass emits outside the cone.
const SPILL_FRACTION: f64 = 0.01;

/// A lamp that is switched on.
#[derive(Clone, Debug)]
pub(crate) struct LitLamp {
    p: Vec3,
    d: Vec3,
    cosines: [f64; 2],
    intensity: Vec3,
    /// Greatest component of `intensity`.
    max_intensity: f64,
    /// Shapes of its own robot, which cast no shadow in its light.
    own_shapes: Range<u32>,
}

/// Collects all lamps of all robots that are switched on.
pub(crate) fn lit_lamps(world: &RenderContext) -> Vec<LitLamp> {
    let mut all = Vec::new();
    for (r, robot) in world.sample.scene.robots.iter().enumerate() {
        for (lamp, level) in robot.lamps.iter().zip(&world.view.lamps[r]) {
            if *level <= 0.0 {
                continue;
            }
            let (R_WL, p_WL) = &world.view.links[r][lamp.link];
            let intensity = lamp.intensity.scale(*level);
            all.push(LitLamp {
                max_intensity: intensity.x.max(intensity.y).max(intensity.z),
                p: *p_WL + R_WL.mul_vec(lamp.p_LoX),
                d: R_WL.mul_vec(lamp.d_L),
                cosines: lamp.cosines,
                intensity,
                own_shapes: world.ray_scene.shapes_of(r),
            });
        }
    }
    all
}

impl LitLamp {
    /// Computes (1) without the incidence at the point `x` [m], W.
    ///
    /// Returns the illuminance by colour [lx], the distance [m], and the unit vector from the lamp
    /// to `x`. Returns `None` where the illuminance is below `min_illuminance` [lx]. `beam` is the
    /// extinction by colour [1/m].
    fn light_at_point(
        &self,
        x: Vec3,
        beam: Vec3,
        min_illuminance: f64,
    ) -> Option<(Vec3, f64, Vec3)> {
        let offset = x - self.p;
        let (along, square) = (offset.dot(self.d), offset.dot(offset));
        // Behind the lamp, or too far away.
        if along <= 0.0 && self.cosines[0] >= 0.0 || self.max_intensity < min_illuminance * square {
            return None;
        }
        let r = square.sqrt();
        let u = offset.scale(1.0 / r.max(1e-6));
        let part = smooth_step(self.cosines[0], self.cosines[1], u.dot(self.d));
        if part <= 0.0 {
            return None;
        }
        let light = multiply(
            self.intensity.scale(part / (r * r).max(0.01)),
            transmittance(beam, r),
        );
        Some((light, r, u))
    }

    /// Computes the illuminance by colour [lx] of a surface at `x` [m] with the unit normal `n`,
    /// both W. (1)
    ///
    /// `beam` is the extinction along the path, by colour [1/m]. The result is zero where the lamp
    /// is occluded or negligible compared with the `other` illuminance [lx]. Without a `world` no
    /// object occludes it.
    pub(crate) fn surface_illuminance(
        &self,
        world: Option<&RenderContext>,
        x: Vec3,
        n: Vec3,
        beam: Vec3,
        other: Vec3,
    ) -> Vec3 {
        let min_illuminance =
            MIN_ILLUMINANCE + MIN_ILLUMINANCE_RATIO * other.x.min(other.y).min(other.z);
        let Some((light, r, u)) = self.light_at_point(x, beam, min_illuminance) else {
            return Vec3::zero();
        };
        let cosine = -n.dot(u);
        if cosine * light.y.max(light.x).max(light.z) < min_illuminance {
            return Vec3::zero();
        }
        let range = [1e-3, (r - 1e-3).max(1e-3)];
        let is_occluded = world.is_some_and(|world| {
            let own = self.own_shapes.clone();
            world.ray_scene.is_shaded(x, u.scale(-1.0), range, own)
        });
        if is_occluded {
            return Vec3::zero();
        }
        light.scale(cosine)
    }

    /// Returns the position of the lamp [m], W.
    pub(crate) fn position(&self) -> Vec3 {
        self.p
    }

    /// Computes the illuminance by colour [lx] at the point `x` [m], W, of a surface that faces the
    /// lamp, and the unit vector from `x` to the lamp.
    ///
    /// `haze` is the extinction of the air [1/m]. The light that the glass emits outside the cone
    /// is included.
    pub(crate) fn facing_illuminance(&self, x: Vec3, haze: f64) -> (Vec3, Vec3) {
        let offset = self.p - x;
        let r = offset.norm().max(0.05);
        let u = offset.scale(1.0 / r);
        let part =
            smooth_step(self.cosines[0], self.cosines[1], -u.dot(self.d)).max(SPILL_FRACTION);
        (
            self.intensity.scale(part / (r * r) * fast_exp(-haze * r)),
            u,
        )
    }

    /// Returns true if an object other than the lamp's own robot occludes it from the point `x`
    /// [m], W.
    pub(crate) fn is_occluded(&self, world: &RenderContext, x: Vec3) -> bool {
        let offset = self.p - x;
        let r = offset.norm();
        world.ray_scene.is_shaded(
            x,
            offset.scale(1.0 / r.max(1e-6)),
            [1e-2, (r - 0.05).max(1e-2)],
            self.own_shapes.clone(),
        )
    }

    /// Computes the luminance that one metre of a line of sight scatters back to its start, by
    /// colour [cd/m³]. (2)
    ///
    /// The line starts at `p` [m] with the unit direction `d`, both W; `s` [m] is the distance
    /// along it.
    pub(crate) fn scattered_radiance(&self, medium: &Medium, p: Vec3, d: Vec3, s: f64) -> Vec3 {
        let offset = p + d.scale(s) - self.p;
        let r = offset.norm();
        let u = offset.scale(1.0 / r.max(1e-6));
        let part = smooth_step(self.cosines[0], self.cosines[1], u.dot(self.d));
        if part <= 0.0 {
            return Vec3::zero();
        }
        let share = part / (r * r).max(0.01) * phase(-u.dot(d), LAMP_ASYMMETRY);
        let transmitted = multiply(medium.scattering, transmittance(medium.beam, r + s));
        multiply(self.intensity.scale(share), transmitted)
    }
}
