//! The light that comes along a line, in air and in water.
//!
//! # Law
//! ```text
//!   L = ρ E/π                                                                          (1)  Lambert
//!   I = L e^{-σ s} + L_h (1 - e^{-σ s}),  σ = 3.912/V                                  (2)  [Koschmieder 1924]
//!   surface: F L_mirror + (1 - F)/n² L_below, from below F L_mirror + (1 - F) n² L_above     (3)  Fresnel
//!   glitter: L = F p(z_x, z_y) E/(4 cos θ n_z⁴),  p = e^{-tan²/s²}/(π s²)              (4)  [Cox and Munk 1954]
//! ```
//! A rough surface seen at a grazing angle shows the facets that turn to the eye: its normal is leant that way by the root of s².
//!
//! # Symbols
//! ρ albedo · E illuminance [lx] · L luminance [cd/m²], L_h that of the sky at the horizon · V visibility [m] · s distance, or slope · F reflectance · n refractive index of water ·
//! n_z upward part of the facet that mirrors the sun.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! A line crosses the surface once, what it meets is lit by sun, sky and lamps, not by other things. Shadows are the sun's and the lamps'. Foam is white and flat, albedo 0.45.
//! The bottom has the mottles of sand, the mean its colour.
//!
//! # Checked by
//! test/analytic/camera.rs

use crate::camera::in_scattering::Glow;
use crate::camera::lamp;
use crate::camera::lamp::Lit;
use crate::camera::noise::octaves;
use crate::camera::sea::{Facet, Sea};
use crate::camera::sky_radiance::Sky;
use crate::camera::water::{INDEX, Water};
use crate::camera::{Medium, Sight, World, decay, fade, mix, times};
use crate::laser;
use crate::ray_scene::Seen;
use merrow_environment::air;
use merrow_environment::surface::fresnel;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::sensor::camera::CameraSpec;
use std::f64::consts::PI;
use std::ops::Range;

/// Albedo of foam.
const FOAM: f64 = 0.45;
/// What a line steps back from what it has met [m].
const OFF: f64 = 1e-4;
/// Distance from which nothing that lamps light is scattered back, in water and in air [m].
const GLOW: f64 = 12.0;
/// See there.
const GLOW_IN_AIR: f64 = 150.0;
/// Part of a mirrored thing that is left however rough the water is.
const LEFT: f64 = 0.2;
/// Label of the water's surface.
pub const SURFACE: u16 = u16::MAX;
/// Label of open water, where nothing is met in it; in air that is 0, the sky.
pub const OPEN_WATER: u16 = u16::MAX - 1;
/// Extinction of air that shows the cones of lamps [1/m]: a visibility of 4 km.
const FOG: f64 = 1e-3;

/// All that pictures of an instant share.
pub struct Painter<'a> {
    world: &'a World<'a>,
    skip: Range<u32>,
    sky: Sky,
    sea: Sea,
    water: Water,
    lamps: Vec<Lit>,
    /// What lamps scatter back to the camera; none where there are none, or nothing that scatters.
    glow: Option<Glow>,
    /// σ of air.
    haze: f64,
    /// True if the camera is under water.
    wet: bool,
    /// Daylight on level ground where it is, and just under the surface.
    levels: [Vec3; 2],
    /// Angle of a pixel [rad].
    pixel: f64,
}

impl<'a> Painter<'a> {
    /// For a camera with these poses, by row; shapes with numbers in `skip` are not seen.
    pub fn new(
        world: &'a World<'a>,
        spec: &CameraSpec,
        poses: &[(Mat3, Vec3)],
        skip: Range<u32>,
        colored: bool,
    ) -> Self {
        let (at, sea, p) = (world.at, world.at.sea, poses[0].1);
        let weather = air::weather(&sea.air, at.time);
        let (haze, wet) = (
            laser::extinction(&weather, 550e-9),
            at.above_surface(p) < 0.0,
        );
        let sky = Sky::new(world.scene, &sea.air, &weather, at.time).veiled(haze);
        let pixel = 1.0 / spec.lens.focal[0].max(1.0);
        // what of sun and sky goes through the surface
        let (through, _) = fresnel(sky.sun.z.max(0.02), INDEX);
        let level = [
            sky.beam.scale(sky.sun.z.max(0.0) * (1.0 - through)),
            sky.diffuse.scale(0.934),
        ];
        let water = Water::new(&sea.optics, sky.sun, level);
        let lamps = lamp::lit(world);
        let (medium, far) = if wet {
            (
                Medium {
                    beam: water.beam,
                    scattering: water.scattering,
                },
                GLOW,
            )
        } else {
            let all = Vec3::new(haze, haze, haze);
            // drops take hardly any light
            (
                Medium {
                    beam: all,
                    scattering: all,
                },
                GLOW_IN_AIR,
            )
        };
        let glows = colored && !lamps.is_empty() && (wet || haze > FOG);
        let glow = glows.then(|| Glow::new(spec, poses, wet, &lamps, &medium, far));
        let sea = Sea::new(at, p, weather.wind, pixel);
        let levels = [sea.height(p.x, p.y) - p.z, 0.0].map(|h| water.daylight(h));
        Self {
            world,
            skip,
            water,
            sea,
            lamps,
            glow,
            haze,
            wet,
            levels,
            pixel,
            sky,
        }
    }

    /// What lamps scatter back over the distance `s` [m] at a pixel.
    fn glow(&self, pixel: [usize; 2], s: f64) -> Vec3 {
        self.glow
            .as_ref()
            .and_then(|glow| glow.at(pixel, s))
            .unwrap_or(Vec3::zero())
    }

    /// Distance to the surface of the water, if a sight meets it before all else.
    pub fn surface_before(&self, sight: &Sight, far: f64) -> Option<f64> {
        let reach = sight.hit.map_or(far, |hit| hit.distance);
        self.sea.swell.crossing(sight.p, sight.d, reach)
    }

    /// Number of what a sight meets; the surface of the water first, if it is met.
    pub fn label(&self, sight: &Sight, surface: Option<f64>) -> u16 {
        match (surface, sight.hit) {
            (Some(_), _) => SURFACE,
            (None, Some(hit)) => hit.label,
            (None, None) if self.wet => OPEN_WATER,
            (None, None) => 0,
        }
    }

    /// The light along a sight that meets the surface at `surface`, if it does.
    pub fn see(&self, sight: &Sight, surface: Option<f64>) -> Vec3 {
        let Sight {
            pixel, p, d, hit, ..
        } = *sight;
        let (light, s) = if self.wet {
            self.under(p, d, hit, surface, self.levels[0])
        } else {
            self.over(p, d, hit, surface)
        };
        light + self.glow(pixel, s)
    }

    fn meet(&self, p: Vec3, d: Vec3, far: f64) -> Option<Seen<'_>> {
        self.world
            .stage
            .meet(self.world.view, self.skip.clone(), p, d, [OFF, far])
    }

    /// In air, and from how far.
    fn over(&self, p: Vec3, d: Vec3, hit: Option<Seen>, surface: Option<f64>) -> (Vec3, f64) {
        let (light, distance) = match (surface, hit) {
            (Some(t), _) => (self.surface(p + d.scale(t), d, t), t),
            (None, Some(hit)) => (self.lit(p + d.scale(hit.distance), d, &hit), hit.distance),
            (None, None) => return (self.sky.luminance(d, 0.0), f64::INFINITY),
        };
        (self.hazed(light, d, distance), distance)
    }

    /// (2)
    fn hazed(&self, light: Vec3, d: Vec3, distance: f64) -> Vec3 {
        let left = decay(-self.haze * distance);
        if left > 0.999 {
            return light;
        }
        mix(self.sky.horizon(d), light, left)
    }

    /// What stands in air, or floats. (1)
    fn lit(&self, x: Vec3, d: Vec3, hit: &Seen) -> Vec3 {
        let (n, from) = (hit.normal, x - d.scale(OFF) + hit.normal.scale(OFF));
        let sun = n.dot(self.sky.sun);
        let mut light = self.sky.diffuse.scale(0.5 * (1.0 + n.z));
        // what comes up from the water
        light += (self.sky.diffuse + self.sky.beam.scale(self.sky.sun.z.max(0.0)))
            .scale(0.04 * (1.0 - n.z));
        if sun > 0.0 && self.sky.beam.y > 0.0 && !self.shaded(from, self.sky.sun) {
            light += self.sky.beam.scale(sun);
        }
        for lamp in &self.lamps {
            light += lamp.on(self.world, from, n, Vec3::zero(), light);
        }
        times(light, self.albedo(x, d, hit)).scale(1.0 / PI)
    }

    fn shaded(&self, from: Vec3, towards: Vec3) -> bool {
        self.world
            .stage
            .is_shaded(from, towards, [OFF, 500.0], 0..0)
    }

    /// Colour of what is met, the bottom's with its mottles.
    fn albedo(&self, x: Vec3, d: Vec3, hit: &Seen) -> Vec3 {
        let color = Vec3::from(self.world.stage.color(hit, x, d, self.pixel * hit.distance));
        if hit.label != 1 {
            return color;
        }
        // what is finer than a pixel is left out
        let width = self.pixel * hit.distance;
        let mottles = octaves(0.7 * x.x, 0.7 * x.y, if width > 0.2 { 2 } else { 4 }, 2);
        let number = if width > 0.08 {
            0
        } else if width > 0.02 {
            1
        } else {
            3
        };
        let grains = if number == 0 {
            0.5
        } else {
            octaves(9.0 * x.x, 9.0 * x.y, number, 4)
        };
        color.scale((0.55 + 0.6 * mottles + 0.3 * grains).min(1.6))
    }

    /// The surface from above. (3)
    fn surface(&self, q: Vec3, d: Vec3, t: f64) -> Vec3 {
        let Facet {
            normal,
            rough,
            foam,
        } = self.sea.facet(q, t, d);
        let lean = rough.sqrt();
        let cosine = -normal.dot(d);
        let flat = Vec3::new(-d.x, -d.y, 0.0).unit().unwrap_or(Vec3::zero());
        let n = normal + flat.scale(0.9 * lean * decay(-cosine.max(0.0) / (2.0 * lean)));
        let n = n.scale(1.0 / n.norm());
        let cosine = (-n.dot(d)).max(0.02);
        let (F, beyond) = fresnel(cosine, INDEX);
        let mut r = d + n.scale(2.0 * cosine);
        r.z = r.z.abs().max(0.004);
        let r = r.scale(1.0 / r.norm());
        let above = q + Vec3::new(0.0, 0.0, 0.02);
        let mirrored = match self.meet(above, r, 300.0) {
            Some(hit) => {
                let x = above + r.scale(hit.distance);
                let light = self.hazed(self.lit(x, r, &hit), r, hit.distance);
                // facets that are too fine to be seen turn past what is far
                let off = 4.0 * rough * hit.distance * hit.distance;
                let left = LEFT + (1.0 - LEFT) / (1.0 + off);
                mix(self.sky.luminance(r, rough), light, left)
            }
            None => self.sky.luminance(r, rough),
        };
        let k = 1.0 / INDEX;
        let down = d.scale(k) + n.scale(k * cosine - beyond);
        let down = down.scale(1.0 / down.norm());
        let below = q - Vec3::new(0.0, 0.0, 1e-3);
        let hit = self.meet(below, down, self.water.sight);
        let (seen, _) = self.under(below, down, hit, None, self.levels[1]);
        let mut light = mirrored.scale(F) + seen.scale((1.0 - F) * k * k);
        light += self.glitter(q, d, normal, rough) + self.lamplight(q, d, normal, rough, light);
        if foam > 0.0 {
            let lit = self.sky.diffuse + self.sky.beam.scale(normal.dot(self.sky.sun).max(0.0));
            light = mix(light, lit.scale(FOAM / PI), foam);
        }
        light
    }

    /// (4)
    fn glitter(&self, q: Vec3, d: Vec3, n: Vec3, rough: f64) -> Vec3 {
        let facing = -n.dot(d);
        if self.sky.beam.y <= 0.0 || self.sky.sun.z <= 0.0 || facing <= 0.0 {
            return Vec3::zero();
        }
        let Some(h) = (self.sky.sun - d).unit() else {
            return Vec3::zero();
        };
        let c = h.dot(n);
        if c <= 0.1 {
            return Vec3::zero();
        }
        let tan2 = (1.0 - c * c).max(0.0) / (c * c);
        let power = decay(-tan2 / rough) / (PI * rough);
        if power < 2e-3 || self.shaded(q + Vec3::new(0.0, 0.0, 0.05), self.sky.sun) {
            return Vec3::zero();
        }
        let (F, _) = fresnel(-h.dot(d), INDEX);
        self.sky
            .beam
            .scale(F * power / (4.0 * facing.max(0.08) * c * c * c * c))
    }

    /// Lamps that the surface mirrors, where they show beside `other` light. (4)
    fn lamplight(&self, q: Vec3, d: Vec3, n: Vec3, rough: f64, other: Vec3) -> Vec3 {
        let (mut sum, facing) = (Vec3::zero(), -n.dot(d));
        for lamp in self.lamps.iter().filter(|lamp| lamp.place().z > q.z) {
            let (light, towards) = lamp.towards(q, self.haze);
            let Some(h) = (towards - d).unit() else {
                continue;
            };
            let c = h.dot(n);
            if c <= 0.1 || facing <= 0.0 {
                continue;
            }
            let power = decay((c * c - 1.0) / (c * c * rough)) / (PI * rough);
            let (F, _) = fresnel(-h.dot(d), INDEX);
            let one = light.scale(F * power / (4.0 * facing.max(0.08) * c * c * c * c));
            if one.y > 1e-3 * other.y && !lamp.hidden(self.world, q + Vec3::new(0.0, 0.0, 0.02)) {
                sum += one;
            }
        }
        sum
    }

    /// Lamps themselves, as spots of light: pixel, and its light.
    pub fn lamps(&self, spec: &CameraSpec, (R_WS, p_WS): &(Mat3, Vec3)) -> Vec<([f64; 2], Vec3)> {
        let solid = self.pixel * self.pixel;
        let one = |lamp: &Lit| {
            let p_S = R_WS.tr_mul_vec(lamp.place() - *p_WS);
            let at = spec.lens.project(Vec3::new(-p_S.y, -p_S.z, p_S.x))?;
            let x = lamp.place();
            let dry = x.z > self.sea.height(x.x, x.y);
            if p_S.x <= 0.0 || dry == self.wet || lamp.hidden(self.world, *p_WS) {
                return None;
            }
            let d = R_WS.mul_vec(p_S).unit()?;
            if self.sea.swell.crossing(*p_WS, d, p_S.norm()).is_some() {
                return None;
            }
            let light = if self.wet {
                times(
                    lamp.towards(*p_WS, 0.0).0,
                    fade(self.water.beam, p_S.norm()),
                )
            } else {
                lamp.towards(*p_WS, self.haze).0
            };
            Some((at, light.scale(1.0 / solid)))
        };
        self.lamps.iter().filter_map(one).collect()
    }

    /// In water, and from how far; `surface` is where the line leaves it, `level` the daylight at `p`. Of what lamps scatter only what comes straight to the camera counts, not this.
    fn under(
        &self,
        p: Vec3,
        d: Vec3,
        hit: Option<Seen>,
        surface: Option<f64>,
        level: Vec3,
    ) -> (Vec3, f64) {
        let sight = self.water.sight;
        let (end, s) = match (surface, hit) {
            (Some(t), _) if t < sight => (self.underside(p + d.scale(t), d, t), t),
            (None, Some(hit)) if hit.distance < sight => (
                self.drowned(p + d.scale(hit.distance), d, &hit),
                hit.distance,
            ),
            _ => return (self.water.veil(level, d, sight), sight),
        };
        (
            times(end, fade(self.water.beam, s)) + self.water.veil(level, d, s),
            s,
        )
    }

    /// Depth under the surface as it is [m].
    fn depth(&self, p: Vec3) -> f64 {
        (self.sea.height(p.x, p.y) - p.z).max(0.0)
    }

    /// What stands in the water. (1)
    fn drowned(&self, x: Vec3, d: Vec3, hit: &Seen) -> Vec3 {
        let (n, h) = (hit.normal, self.depth(x));
        let from = x - d.scale(OFF) + n.scale(OFF);
        let [beam, diffuse] = self
            .water
            .light
            .map(|light| times(light, fade(self.water.daylight, h)));
        let straight = self.water.straight(h);
        let sun = self.water.sun;
        let mut light =
            (diffuse + beam.scale(1.0 - straight)).scale(0.5 * (1.0 + n.z) + 0.04 * (1.0 - n.z));
        let facing = n.dot(sun);
        if facing > 0.0 && beam.y * straight > 1e-3 && !self.shaded(from, sun) {
            let up = x + sun.scale(h / sun.z.max(0.2));
            let gathered = self.sea.gathered(up.x, up.y, h);
            light += beam.scale(straight * facing / sun.z.max(0.2) * gathered);
        }
        for lamp in &self.lamps {
            light += lamp.on(self.world, from, n, self.water.beam, light);
        }
        times(light, self.albedo(x, d, hit)).scale(1.0 / PI)
    }

    /// The surface from below. (3)
    fn underside(&self, q: Vec3, d: Vec3, t: f64) -> Vec3 {
        let Facet {
            normal: n, rough, ..
        } = self.sea.facet(q, t, d);
        let cosine = n.dot(d).max(0.02);
        let mut mirrored = d - n.scale(2.0 * cosine);
        mirrored.z = -mirrored.z.abs();
        let below = q - Vec3::new(0.0, 0.0, 1e-3);
        let deep = || {
            let hit = self.meet(below, mirrored, self.water.sight);
            self.under(below, mirrored, hit, None, self.levels[1]).0
        };
        // facets that are too fine to be seen lean towards the eye and away from it: the mean of three, as Gauss and Hermite have them
        let lean = (1.5 * rough * (1.0 - cosine * cosine)).sqrt();
        let [steep, middle, flat] = [cosine - lean, cosine, cosine + lean]
            .map(|c| fresnel(c.clamp(0.02, 1.0), 1.0 / INDEX));
        let F = (steep.0 + 4.0 * middle.0 + flat.0) / 6.0;
        if F > 0.999 {
            return deep();
        }
        let out = middle.1;
        let up = d.scale(INDEX) + n.scale(out - INDEX * cosine);
        let up = up.scale(1.0 / up.norm());
        let above = q + Vec3::new(0.0, 0.0, 1e-3);
        let seen = match self.meet(above, up, 300.0) {
            Some(hit) => self.lit(above + up.scale(hit.distance), up, &hit),
            None => self.sky.luminance(up, rough) + self.disc(up),
        };
        seen.scale((1.0 - F) * INDEX * INDEX)
            + if F > 0.01 {
                deep().scale(F)
            } else {
                Vec3::zero()
            }
    }

    /// The sun through ripples that are too fine to be seen.
    fn disc(&self, d: Vec3) -> Vec3 {
        let off = (1.0 - d.dot(self.sky.sun)).max(0.0);
        let width = 0.004;
        self.sky
            .beam
            .scale(decay(-off / width) / (2.0 * PI * width))
    }

    /// A white speck at `x` in the water, seen from `p`; none where something stands before it, or it is in air.
    pub fn particle(&self, p: Vec3, x: Vec3) -> Option<Vec3> {
        let way = x - p;
        let s = way.norm();
        let d = way.scale(1.0 / s.max(1e-6));
        if x.z > self.sea.height(x.x, x.y) || self.meet(p, d, s).is_some() {
            return None;
        }
        let mut light = self.water.daylight(self.depth(x)).scale(0.5);
        for lamp in &self.lamps {
            light += lamp.on(self.world, x, d.scale(-1.0), self.water.beam, light);
        }
        Some(times(light, fade(self.water.beam, s)).scale(0.7 / PI))
    }
}
