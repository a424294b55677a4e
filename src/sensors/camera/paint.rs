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
//! ρ albedo · E illuminance [lx] · L luminance [cd/m²], L_h that of the horizon · V visibility [m] · s distance, or slope · F reflectance · n refractive index of water ·
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

use super::lamp::{self, Lit};
use super::noise::octaves;
use super::sea::{Facet, Sea};
use super::sky::Sky;
use super::water::{INDEX, Water};
use super::{Sight, World, fade, mix, times};
use crate::environment::air;
use crate::environment::surface::fresnel;
use crate::math::Vec3;
use crate::scene::camera::CameraSpec;
use crate::sensors::laser;
use crate::sensors::stage::Seen;
use std::f64::consts::PI;
use std::ops::Range;

/// Albedo of foam.
const FOAM: f64 = 0.45;
/// What a line steps back from what it has met [m].
const OFF: f64 = 1e-4;

/// All that pictures of an instant share.
pub struct Painter<'a> {
    world: &'a World<'a>,
    skip: Range<u32>,
    sky: Sky,
    sea: Sea,
    water: Water,
    lamps: Vec<Lit>,
    /// σ of air.
    haze: f64,
    /// True if the camera is under water.
    wet: bool,
}

impl<'a> Painter<'a> {
    /// For a camera at `p`; shapes with numbers in `skip` are not seen.
    pub fn new(world: &'a World<'a>, spec: &CameraSpec, p: Vec3, skip: Range<u32>) -> Self {
        let (at, sea) = (world.at, world.at.sea);
        let weather = air::weather(&sea.air, at.time);
        let sky = Sky::new(world.scene, &sea.air, &weather, at.time);
        let pixel = 1.0 / spec.lens.focal[0].max(1.0);
        // what of sun and sky goes through the surface
        let (through, _) = fresnel(sky.sun.z.max(0.02), INDEX);
        let level = [sky.beam.scale(sky.sun.z.max(0.0) * (1.0 - through)), sky.diffuse.scale(0.934)];
        Self {
            world,
            skip,
            water: Water::new(&sea.optics, sky.sun, level),
            sea: Sea::new(at, p, weather.wind, pixel),
            lamps: lamp::lit(world),
            haze: laser::extinction(&weather, 550e-9),
            wet: at.above_surface(p) < 0.0,
            sky,
        }
    }

    /// Distance to the surface of the water, if a sight meets it before all else.
    pub fn surface_before(&self, sight: &Sight, far: f64) -> Option<f64> {
        let reach = sight.hit.map_or(far, |hit| hit.distance);
        self.sea.crossing(sight.p, sight.d, reach)
    }

    /// The light along a sight that meets the surface at `surface`, if it does.
    pub fn see(&self, sight: &Sight, surface: Option<f64>) -> Vec3 {
        let Sight { p, d, hit, .. } = *sight;
        if self.wet { self.under(p, d, hit, surface, true) } else { self.over(p, d, hit, surface) }
    }

    fn meet(&self, p: Vec3, d: Vec3, far: f64) -> Option<Seen> {
        self.world.stage.meet(self.world.view, self.skip.clone(), p, d, [OFF, far])
    }

    /// In air.
    fn over(&self, p: Vec3, d: Vec3, hit: Option<Seen>, surface: Option<f64>) -> Vec3 {
        let (light, distance) = match (surface, hit) {
            (Some(t), _) => (self.surface(p + d.scale(t), d, t), t),
            (None, Some(hit)) => (self.lit(p + d.scale(hit.distance), d, &hit), hit.distance),
            (None, None) => {
                // haze is a layer of 400 m, thinner above
                let path = 400.0 / d.z.max(0.01);
                return self.hazed(self.sky.luminance(d, true), d, path * (self.haze / 8e-5).min(1.0));
            }
        };
        self.hazed(light, d, distance)
    }

    /// (2)
    fn hazed(&self, light: Vec3, d: Vec3, distance: f64) -> Vec3 {
        let left = libm::exp(-self.haze * distance);
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
        light += (self.sky.diffuse + self.sky.beam.scale(self.sky.sun.z.max(0.0))).scale(0.04 * (1.0 - n.z));
        if sun > 0.0 && self.sky.beam.y > 0.0 && !self.shaded(from, self.sky.sun) {
            light += self.sky.beam.scale(sun);
        }
        for lamp in &self.lamps {
            light += lamp.on(self.world, from, n, Vec3::zero());
        }
        times(light, self.albedo(x, hit)).scale(1.0 / PI)
    }

    fn shaded(&self, from: Vec3, towards: Vec3) -> bool {
        self.world.stage.is_shaded(from, towards, [OFF, 500.0], 0..0)
    }

    /// Colour of what is met, the bottom's with its mottles.
    fn albedo(&self, x: Vec3, hit: &Seen) -> Vec3 {
        let color = Vec3::from(hit.color);
        if hit.label != 1 {
            return color;
        }
        let mottles = octaves(0.7 * x.x, 0.7 * x.y, 4, 2);
        let grains = octaves(9.0 * x.x, 9.0 * x.y, 3, 4);
        color.scale((0.55 + 0.6 * mottles + 0.3 * grains).min(1.6))
    }

    /// The surface from above. (3)
    fn surface(&self, q: Vec3, d: Vec3, t: f64) -> Vec3 {
        let Facet { normal, rough, foam } = self.sea.facet(q, t, d);
        let lean = rough.sqrt();
        let cosine = -normal.dot(d);
        let flat = Vec3::new(-d.x, -d.y, 0.0).unit().unwrap_or(Vec3::zero());
        let n = normal + flat.scale(0.9 * lean * libm::exp(-cosine.max(0.0) / (2.0 * lean)));
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
                self.hazed(self.lit(x, r, &hit), r, hit.distance)
            }
            None => self.sky.luminance(r, false),
        };
        let k = 1.0 / INDEX;
        let down = d.scale(k) + n.scale(k * cosine - beyond);
        let down = down.scale(1.0 / down.norm());
        let below = q - Vec3::new(0.0, 0.0, 1e-3);
        let hit = self.meet(below, down, self.water.sight());
        let seen = self.under(below, down, hit, None, false);
        let mut light = mirrored.scale(F) + seen.scale((1.0 - F) * k * k);
        light += self.glitter(q, d, normal, rough);
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
        let Some(h) = (self.sky.sun - d).unit() else { return Vec3::zero() };
        let c = h.dot(n);
        if c <= 0.1 {
            return Vec3::zero();
        }
        let tan2 = (1.0 - c * c).max(0.0) / (c * c);
        let power = libm::exp(-tan2 / rough) / (PI * rough);
        if power < 1e-4 || self.shaded(q + Vec3::new(0.0, 0.0, 0.05), self.sky.sun) {
            return Vec3::zero();
        }
        let (F, _) = fresnel(-h.dot(d), INDEX);
        self.sky.beam.scale(F * power / (4.0 * facing.max(0.08) * c * c * c * c))
    }

    /// In water; `surface` is where the line leaves it.
    fn under(&self, p: Vec3, d: Vec3, hit: Option<Seen>, surface: Option<f64>, own: bool) -> Vec3 {
        let sight = self.water.sight();
        let depth = self.depth(p);
        let (end, s) = match (surface, hit) {
            (Some(t), _) if t < sight => (self.underside(p + d.scale(t), d), t),
            (None, Some(hit)) if hit.distance < sight => {
                (self.drowned(p + d.scale(hit.distance), d, &hit), hit.distance)
            }
            _ => (Vec3::zero(), sight),
        };
        let mut light = times(end, fade(self.water.beam, s)) + self.water.veil(depth, d, s);
        // of what lamps scatter only the camera's own side counts
        if own {
            for lamp in &self.lamps {
                light += lamp.scattered(&self.water, p, d, s);
            }
        }
        light
    }

    /// Depth under the surface as it is [m].
    fn depth(&self, p: Vec3) -> f64 {
        (self.sea.height(p.x, p.y) - p.z).max(0.0)
    }

    /// What stands in the water. (1)
    fn drowned(&self, x: Vec3, d: Vec3, hit: &Seen) -> Vec3 {
        let (n, h) = (hit.normal, self.depth(x));
        let from = x - d.scale(OFF) + n.scale(OFF);
        let [beam, diffuse] = self.water.light.map(|light| times(light, fade(self.water.daylight, h)));
        let straight = self.water.straight(h);
        let sun = self.water.sun;
        let mut light = (diffuse + beam.scale(1.0 - straight)).scale(0.5 * (1.0 + n.z) + 0.04 * (1.0 - n.z));
        let facing = n.dot(sun);
        if facing > 0.0 && beam.y * straight > 1e-3 && !self.shaded(from, sun) {
            let up = x + sun.scale(h / sun.z.max(0.2));
            let gathered = self.sea.gathered(up.x, up.y, h);
            light += beam.scale(straight * facing / sun.z.max(0.2) * gathered);
        }
        for lamp in &self.lamps {
            light += lamp.on(self.world, from, n, self.water.beam);
        }
        times(light, self.albedo(x, hit)).scale(1.0 / PI)
    }

    /// The surface from below. (3)
    fn underside(&self, q: Vec3, d: Vec3) -> Vec3 {
        let n = self.sea.facet(q, 1.0, Vec3::new(0.0, 0.0, 1.0)).normal;
        let cosine = n.dot(d).max(0.02);
        let mut mirrored = d - n.scale(2.0 * cosine);
        mirrored.z = -mirrored.z.abs();
        let below = q - Vec3::new(0.0, 0.0, 1e-3);
        let deep = || {
            let hit = self.meet(below, mirrored, self.water.sight());
            self.under(below, mirrored, hit, None, false)
        };
        let (F, out) = fresnel(cosine, 1.0 / INDEX);
        if out == 0.0 {
            return deep();
        }
        let up = d.scale(INDEX) + n.scale(out - INDEX * cosine);
        let up = up.scale(1.0 / up.norm());
        let above = q + Vec3::new(0.0, 0.0, 1e-3);
        let seen = match self.meet(above, up, 300.0) {
            Some(hit) => self.lit(above + up.scale(hit.distance), up, &hit),
            None => self.sky.luminance(up, false) + self.disc(up),
        };
        seen.scale((1.0 - F) * INDEX * INDEX) + if F > 0.01 { deep().scale(F) } else { Vec3::zero() }
    }

    /// The sun through ripples that are too fine to be seen.
    fn disc(&self, d: Vec3) -> Vec3 {
        let off = (1.0 - d.dot(self.sky.sun)).max(0.0);
        let width = 0.004;
        self.sky.beam.scale(libm::exp(-off / width) / (2.0 * PI * width))
    }

    /// A white speck at `x`, seen from `p`.
    pub fn particle(&self, p: Vec3, x: Vec3) -> Vec3 {
        let way = x - p;
        let s = way.norm();
        let d = way.scale(1.0 / s.max(1e-6));
        let mut light = self.water.daylight(self.depth(x)).scale(0.5);
        for lamp in &self.lamps {
            light += lamp.on(self.world, x, d.scale(-1.0), self.water.beam);
        }
        times(light, fade(self.water.beam, s)).scale(0.7 / PI)
    }
}
