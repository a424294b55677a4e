//! Shading: luminance along a camera ray, in air and in water.
//!
//! # Law
//! ```text
//!   L = ρ E/π                                                                             (1)
//!   I = L e^{-σ s} + L_h (1 - e^{-σ s}),  σ = 3.912/V                                     (2)
//!   surface: F L_mirror + (1 - F)/n² L_below, from below F L_mirror + (1 - F) n² L_above  (3)
//!   glitter: L = F p(z_x, z_y) E/(4 cos θ n_z⁴),  p = e^{-tan²/s²}/(π s²)                 (4)
//!   (1) Lambert
//!   (2) [Koschmieder 1924]
//!   (3) Fresnel
//!   (4) [Cox and Munk 1954]
//! ```
//! At a grazing angle mostly the facets that face the camera are visible on a rough surface. The
//! normal is therefore tilted towards the camera by the root of s².
//!
//! # Symbols
//! ρ albedo · E illuminance [lx] · L luminance [cd/m²], L_h luminance of the sky at the horizon · V
//! visibility [m] · s distance, in (4) root mean square slope · F reflectance · n refractive index
//! of water · n_z upward component of the facet that reflects the sun.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - A ray crosses the water surface at most once.
//! - Objects are lit by the sun, the sky and lamps, not by each other. Only the sun and lamps cast
//!   shadows.
//! - Foam is white and flat, with an albedo of 0.45.
//! - The seabed has a pattern of sand whose mean is its colour.
//! - Beyond the visual range under water, the depth and label images show the water surface as the
//!   plane z = 0.
//! - With the quality `fast`, the water surface reflects the sky only and does not refract: the
//!   same straight ray continues behind it. From below, total reflection has the colour of the
//!   water. Lamps cast no shadows, and glitter is visible in the shade.
//!
//! # Checked by
//! test/sensors/camera.rs

use crate::camera::in_scattering::InScattering;
use crate::camera::lamp::LitLamp;
use crate::camera::noise::fractal_noise;
use crate::camera::sea::{Facet, Sea};
use crate::camera::sky_radiance::Sky;
use crate::camera::water::{INDEX, Water};
use crate::camera::{
    Medium, PixelRay, RenderContext, fast_exp, lamp, lerp, multiply, transmittance,
};
use crate::laser;
use crate::ray_scene::SurfaceHit;
use merrow_environment::air;
use merrow_environment::surface::fresnel_reflectance;
use merrow_math::{Mat3, Vec3};
use merrow_model::sensor::camera::{CameraSpec, RenderQuality};
use merrow_raytrace::Ray;
use merrow_raytrace::ray_bounds::RayBounds;
use merrow_raytrace::shadow_map::ShadowMap;
use std::f64::consts::PI;
use std::ops::Range;

/// Diffuse reflectance of foam on the sea [-].
const FOAM_ALBEDO: f64 = 0.45;
/// Offset of a secondary ray from the surface that the ray before it hit [m].
const RAY_OFFSET: f64 = 1e-4;
/// Distance beyond which lamp light scattered by water is neglected [m].
const SCATTER_RANGE_WATER: f64 = 12.0;
/// Distance beyond which lamp light scattered by air is neglected [m].
const SCATTER_RANGE_AIR: f64 = 150.0;
/// Minimum fraction of a reflected object that remains visible, however rough the water is.
const MIN_REFLECTED_FRACTION: f64 = 0.2;
/// Cosine of the angle to the sun beyond which the sky varies slowly.
const MAX_SMOOTH_COSINE: f64 = 0.999;
/// Label of pixels that show the water surface, in label images.
pub const SURFACE_LABEL: u16 = u16::MAX;
/// Label of open water: an underwater ray without a hit. In air a ray without a hit has the label
/// 0, the sky.
pub const OPEN_WATER_LABEL: u16 = u16::MAX - 1;
/// Extinction of air from which the cones of lamps are visible [1/m]: a visibility of 4 km.
const MIN_FOG_EXTINCTION: f64 = 1e-3;

/// Data that all rays of the images of one instant share.
pub(crate) struct Shader<'a> {
    world: &'a RenderContext<'a>,
    skip: Range<u32>,
    sky: Sky,
    sea: Sea,
    water: Water,
    lamps: Vec<LitLamp>,
    /// In-scattering of lamp light; `None` without lamps, or if the medium scatters too little.
    in_scattering: Option<InScattering>,
    /// Extinction σ of air [1/m].
    haze: f64,
    /// True if the camera is under water.
    wet: bool,
    /// Distance up to which objects have an effect on the colour of a pixel [m].
    pub(crate) color_range: f64,
    /// Daylight on a horizontal surface at the camera and just below the water surface, by colour
    /// [lx].
    levels: [Vec3; 2],
    /// Angle of a pixel [rad].
    pixel: f64,
    /// Maps of shadows in sunlight in air and in water; `None` with a terrain.
    shadows: [Option<ShadowMap>; 2],
    /// True if only the rays of [`RenderQuality::Fast`] are traced.
    pub(crate) fast: bool,
}

impl<'a> Shader<'a> {
    /// Prepares the shading for a camera with these poses, by row.
    ///
    /// Rays do not hit shapes whose numbers are in `skip`. Without `colored` the in-scattering of
    /// lamps is not computed.
    pub(crate) fn new(
        world: &'a RenderContext<'a>,
        spec: &CameraSpec,
        poses: &[(Mat3, Vec3)],
        skip: Range<u32>,
        colored: bool,
    ) -> Self {
        let (at, p) = (world.sample.environment, poses[0].1);
        let weather = air::weather(&at.sea.air, at.time);
        let (haze, wet) = (
            laser::extinction(&weather, 550e-9),
            at.height_above_surface(p) < 0.0,
        );
        let sky = Sky::new(world.sample.scene, &at.sea.air, &weather, at.time).with_haze(haze);
        let pixel = 1.0 / spec.lens.focal[0].max(1.0);
        // Light of the sun and the sky that the water surface transmits.
        let (reflectance, _) = fresnel_reflectance(sky.sun.z.max(0.02), INDEX);
        let level = [
            sky.beam.scale(sky.sun.z.max(0.0) * (1.0 - reflectance)),
            sky.diffuse.scale(0.934),
        ];
        let water = Water::new(&at.sea.optics, sky.sun, level);
        let lamps = lamp::lit_lamps(world);
        let (medium, max_distance) = if wet {
            (
                Medium {
                    beam: water.beam,
                    scattering: water.scattering,
                },
                SCATTER_RANGE_WATER,
            )
        } else {
            let all = Vec3::new(haze, haze, haze);
            // Fog drops absorb hardly any light, so scattering equals extinction.
            (
                Medium {
                    beam: all,
                    scattering: all,
                },
                SCATTER_RANGE_AIR,
            )
        };
        let has_in_scattering = colored && !lamps.is_empty() && (wet || haze > MIN_FOG_EXTINCTION);
        let in_scattering = has_in_scattering
            .then(|| InScattering::new(spec, poses, wet, &lamps, &medium, max_distance));
        let color_range = if wet {
            spec.camera.max_range_m.min(water.visual_range)
        } else {
            spec.camera.max_range_m
        };
        let sea = Sea::new(at, p, color_range, weather.wind, pixel);
        let levels = [sea.height(p.x, p.y) - p.z, 0.0].map(|h| water.illuminance_at_depth(h));
        let shadows = [sky.sun, water.sun].map(|sun| world.ray_scene.shadow_map(sun));
        Self {
            world,
            skip,
            shadows,
            water,
            sea,
            lamps,
            in_scattering,
            haze,
            wet,
            color_range,
            levels,
            pixel,
            sky,
            fast: spec.camera.quality == RenderQuality::Fast,
        }
    }

    /// Returns the world with the objects that occlude lamps; `None` if none does.
    fn lamp_occluders(&self) -> Option<&RenderContext<'_>> {
        (!self.fast).then_some(self.world)
    }

    /// Returns the luminance that lamps scatter back over the distance `s` [m] at a pixel, by
    /// colour [cd/m²].
    fn lamp_in_scattering(&self, pixel: [usize; 2], s: f64) -> Vec3 {
        self.in_scattering
            .as_ref()
            .and_then(|in_scattering| in_scattering.interpolate(pixel, s))
            .unwrap_or(Vec3::zero())
    }

    /// Returns a distance [m] before which none of the rays crosses the water surface.
    pub(crate) fn surface_clearance(&self, rays: &[Ray]) -> f64 {
        self.sea.clipmap.clear_distance(&RayBounds::of_rays(rays))
    }

    /// Returns the distance to the water surface [m], if the ray crosses it before its hit and
    /// within `max_distance` [m]. It does not cross it before `clearance` [m].
    pub(crate) fn surface_before(
        &self,
        pixel_ray: &PixelRay,
        clearance: f64,
        max_distance: f64,
    ) -> Option<f64> {
        let reach = pixel_ray
            .hit
            .map_or(max_distance, |hit| hit.distance.min(max_distance));
        let (p, d) = (pixel_ray.p, pixel_ray.d);
        self.sea.clipmap.crossing_from(p, d, [clearance, reach])
    }

    /// Returns a better estimate of the distance [m] at which a ray crosses the water surface, near
    /// the estimate `distance` [m], by one step of Newton's method.
    pub(crate) fn surface_near(&self, pixel_ray: &PixelRay, distance: f64) -> f64 {
        let (q, d) = (pixel_ray.p + pixel_ray.d.scale(distance), pixel_ray.d);
        let ([height, east, north], _) = self.sea.clipmap.sample(q.x, q.y);
        let rate = d.z - east * d.x - north * d.y;
        let step = (height - q.z) / rate;
        // Where the ray is nearly parallel to the surface a step can lead far away.
        if step.abs() < 0.1 * distance {
            distance + step
        } else {
            distance
        }
    }

    /// Returns the label of the surface hit: the water surface if `surface` holds a distance, else
    /// the hit shape.
    pub(crate) fn label(&self, pixel_ray: &PixelRay, surface: Option<f64>) -> u16 {
        match (surface, pixel_ray.hit) {
            (Some(_), _) => SURFACE_LABEL,
            (None, Some(hit)) => hit.label,
            (None, None) if self.wet => OPEN_WATER_LABEL,
            (None, None) => 0,
        }
    }

    /// Returns true if an object at the distance `distance` [m] has an effect on the colour of a
    /// pixel.
    pub(crate) fn is_visible_at(&self, distance: f64) -> bool {
        !self.wet || distance < self.water.visual_range
    }

    /// Returns the label of a pixel without an object: open water or the sky.
    pub(crate) fn background_label(&self) -> u16 {
        if self.wet { OPEN_WATER_LABEL } else { 0 }
    }

    /// Returns true if `label` denotes the sky.
    pub(crate) fn is_sky(&self, label: u16) -> bool {
        !self.wet && label == 0
    }

    /// Returns true for a ray to the sky near the sun. `label` denotes the object on the ray.
    pub(crate) fn is_near_sun(&self, pixel_ray: &PixelRay, label: u16) -> bool {
        self.is_sky(label) && pixel_ray.d.dot(self.sky.sun) >= MAX_SMOOTH_COSINE
    }

    /// Returns the luminance along a ray, by colour [cd/m²]. `surface` is the distance to the water
    /// surface [m], if the ray crosses it first.
    pub(crate) fn luminance(&self, pixel_ray: &PixelRay, surface: Option<f64>) -> Vec3 {
        let PixelRay {
            pixel, p, d, hit, ..
        } = *pixel_ray;
        let (light, s) = if self.wet {
            self.shade_water_ray(p, d, hit, surface, self.levels[0])
        } else {
            self.shade_air_ray(p, d, hit, surface)
        };
        light + self.lamp_in_scattering(pixel, s)
    }

    fn first_hit(&self, p: Vec3, d: Vec3, max_distance: f64) -> Option<SurfaceHit<'_>> {
        let (skip, range) = (self.skip.clone(), [RAY_OFFSET, max_distance]);
        self.world.ray_scene.first_hit(skip, p, d, range)
    }

    /// Returns the luminance along a ray in air, and the distance at which the ray ends [m].
    fn shade_air_ray(
        &self,
        p: Vec3,
        d: Vec3,
        hit: Option<SurfaceHit>,
        surface: Option<f64>,
    ) -> (Vec3, f64) {
        let (light, distance) = match (surface, hit) {
            (Some(t), hit) => (self.shade_from_above(p + d.scale(t), d, t, hit), t),
            (None, Some(hit)) => (
                self.shade_dry_surface(p + d.scale(hit.distance), d, &hit),
                hit.distance,
            ),
            (None, None) => return (self.sky.luminance(d, 0.0), f64::INFINITY),
        };
        (self.apply_haze(light, d, distance), distance)
    }

    /// Adds the haze of the air over `distance` [m] to `light`. (2)
    fn apply_haze(&self, light: Vec3, d: Vec3, distance: f64) -> Vec3 {
        let transmitted = fast_exp(-self.haze * distance);
        if transmitted > 0.999 {
            return light;
        }
        lerp(self.sky.horizon(d), light, transmitted)
    }

    /// Returns the luminance of a surface in air or afloat, hit at `x`. (1)
    fn shade_dry_surface(&self, x: Vec3, d: Vec3, hit: &SurfaceHit) -> Vec3 {
        let (n, from) = (
            hit.normal,
            x - d.scale(RAY_OFFSET) + hit.normal.scale(RAY_OFFSET),
        );
        let sun = n.dot(self.sky.sun);
        let mut light = self.sky.diffuse.scale(0.5 * (1.0 + n.z));
        // Light that comes up from the water.
        light += (self.sky.diffuse + self.sky.beam.scale(self.sky.sun.z.max(0.0)))
            .scale(0.04 * (1.0 - n.z));
        if sun > 0.0
            && self.sky.beam.y > 0.0
            && !self.is_shaded(from, self.sky.sun, &self.shadows[0])
        {
            light += self.sky.beam.scale(sun);
        }
        for lamp in &self.lamps {
            light += lamp.surface_illuminance(self.lamp_occluders(), from, n, Vec3::zero(), light);
        }
        multiply(light, self.albedo(x, d, hit)).scale(1.0 / PI)
    }

    /// Returns true if an object occludes the sun from the point `from` [m], W. `towards` is the
    /// unit vector to the sun, W, and `shadows` the map of shadows in its light.
    fn is_shaded(&self, from: Vec3, towards: Vec3, shadows: &Option<ShadowMap>) -> bool {
        if shadows.as_ref().is_some_and(|map| !map.may_shade(from)) {
            return false;
        }
        self.world
            .ray_scene
            .is_shaded(from, towards, [RAY_OFFSET, 500.0], 0..0)
    }

    /// Returns the colour of the surface that a ray hits, with the sand pattern of the seabed.
    fn albedo(&self, x: Vec3, d: Vec3, hit: &SurfaceHit) -> Vec3 {
        let color = Vec3::from(
            self.world
                .ray_scene
                .color(hit, x, d, self.pixel * hit.distance),
        );
        if hit.label != 1 {
            return color;
        }
        // Detail finer than a pixel is omitted.
        let width = self.pixel * hit.distance;
        let coarse = fractal_noise(0.7 * x.x, 0.7 * x.y, if width > 0.2 { 2 } else { 4 }, 2);
        let octaves = if width > 0.08 {
            0
        } else if width > 0.02 {
            1
        } else {
            3
        };
        let fine = if octaves == 0 {
            0.5
        } else {
            fractal_noise(9.0 * x.x, 9.0 * x.y, octaves, 4)
        };
        color.scale((0.55 + 0.6 * coarse + 0.3 * fine).min(1.6))
    }

    /// Returns the luminance of the water surface seen from above, at `q` and at the distance `t`
    /// [m]. (3)
    ///
    /// `behind` is the solid surface that the straight ray hits.
    fn shade_from_above(&self, q: Vec3, d: Vec3, t: f64, behind: Option<SurfaceHit>) -> Vec3 {
        let Facet {
            normal,
            slope_variance,
            foam,
        } = self.sea.facet(q, t, d);
        let rms_slope = slope_variance.sqrt();
        let cosine = -normal.dot(d);
        let backward = Vec3::new(-d.x, -d.y, 0.0).unit().unwrap_or(Vec3::zero());
        let n = normal
            + backward.scale(0.9 * rms_slope * fast_exp(-cosine.max(0.0) / (2.0 * rms_slope)));
        let n = n.scale(1.0 / n.norm());
        let cosine = (-n.dot(d)).max(0.02);
        let (F, refracted_cosine) = fresnel_reflectance(cosine, INDEX);
        let mut r = d + n.scale(2.0 * cosine);
        r.z = r.z.abs().max(0.004);
        let r = r.scale(1.0 / r.norm());
        let above = q + Vec3::new(0.0, 0.0, 0.02);
        let mirrored = (!self.fast).then(|| self.first_hit(above, r, 300.0));
        let reflected = match mirrored.flatten() {
            Some(hit) => {
                let x = above + r.scale(hit.distance);
                let light = self.apply_haze(self.shade_dry_surface(x, r, &hit), r, hit.distance);
                // Unresolved facets deflect the reflected rays past distant objects.
                let deflection = 4.0 * slope_variance * hit.distance * hit.distance;
                let visible_fraction =
                    MIN_REFLECTED_FRACTION + (1.0 - MIN_REFLECTED_FRACTION) / (1.0 + deflection);
                lerp(
                    self.sky.luminance(r, slope_variance),
                    light,
                    visible_fraction,
                )
            }
            None => self.sky.luminance(r, slope_variance),
        };
        let k = 1.0 / INDEX;
        let below = q - Vec3::new(0.0, 0.0, 1e-3);
        let (down, hit) = if self.fast {
            (d, behind.map(|hit| hit.continued_from(t)))
        } else {
            let down = d.scale(k) + n.scale(k * cosine - refracted_cosine);
            let down = down.scale(1.0 / down.norm());
            (down, self.first_hit(below, down, self.water.visual_range))
        };
        let (transmitted, _) = self.shade_water_ray(below, down, hit, None, self.levels[1]);
        let mut light = reflected.scale(F) + transmitted.scale((1.0 - F) * k * k);
        light += self.glitter(q, d, normal, slope_variance)
            + self.lamp_glitter(q, d, normal, slope_variance, light);
        if foam > 0.0 {
            let lit = self.sky.diffuse + self.sky.beam.scale(normal.dot(self.sky.sun).max(0.0));
            light = lerp(light, lit.scale(FOAM_ALBEDO / PI), foam);
        }
        light
    }

    /// Returns the luminance of the sun reflected by the facets of the surface. (4)
    fn glitter(&self, q: Vec3, d: Vec3, n: Vec3, slope_variance: f64) -> Vec3 {
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
        let power = fast_exp(-tan2 / slope_variance) / (PI * slope_variance);
        let is_shaded = || {
            !self.fast
                && self.is_shaded(
                    q + Vec3::new(0.0, 0.0, 0.05),
                    self.sky.sun,
                    &self.shadows[0],
                )
        };
        if power < 2e-3 || is_shaded() {
            return Vec3::zero();
        }
        let (F, _) = fresnel_reflectance(-h.dot(d), INDEX);
        self.sky
            .beam
            .scale(F * power / (4.0 * facing.max(0.08) * c * c * c * c))
    }

    /// Returns the luminance of lamps reflected by the facets of the surface; lamps that are
    /// negligible compared with `other` are omitted. (4)
    fn lamp_glitter(&self, q: Vec3, d: Vec3, n: Vec3, slope_variance: f64, other: Vec3) -> Vec3 {
        let (mut sum, facing) = (Vec3::zero(), -n.dot(d));
        for lamp in self.lamps.iter().filter(|lamp| lamp.position().z > q.z) {
            let (light, towards) = lamp.facing_illuminance(q, self.haze);
            let Some(h) = (towards - d).unit() else {
                continue;
            };
            let c = h.dot(n);
            if c <= 0.1 || facing <= 0.0 {
                continue;
            }
            let power = fast_exp((c * c - 1.0) / (c * c * slope_variance)) / (PI * slope_variance);
            let (F, _) = fresnel_reflectance(-h.dot(d), INDEX);
            let reflected = light.scale(F * power / (4.0 * facing.max(0.08) * c * c * c * c));
            let above = q + Vec3::new(0.0, 0.0, 0.02);
            if reflected.y > 1e-3 * other.y && (self.fast || !lamp.is_occluded(self.world, above)) {
                sum += reflected;
            }
        }
        sum
    }

    /// Returns the direct images of the lamps: pixel coordinates, and the luminance by colour
    /// [cd/m²] of a spot of one pixel.
    ///
    /// The camera pose is `(R_WS, p_WS)`, with the position in [m].
    pub(crate) fn lamp_images(
        &self,
        spec: &CameraSpec,
        (R_WS, p_WS): &(Mat3, Vec3),
    ) -> Vec<([f64; 2], Vec3)> {
        let solid_angle = self.pixel * self.pixel;
        let image = |lamp: &LitLamp| {
            let p_S = R_WS.tr_mul_vec(lamp.position() - *p_WS);
            let pixel = spec.lens.project(Vec3::new(-p_S.y, -p_S.z, p_S.x))?;
            let x = lamp.position();
            let dry = x.z > self.sea.height(x.x, x.y);
            if p_S.x <= 0.0 || dry == self.wet || lamp.is_occluded(self.world, *p_WS) {
                return None;
            }
            let d = R_WS.mul_vec(p_S).unit()?;
            if self.sea.clipmap.crossing(*p_WS, d, p_S.norm()).is_some() {
                return None;
            }
            let light = if self.wet {
                multiply(
                    lamp.facing_illuminance(*p_WS, 0.0).0,
                    transmittance(self.water.beam, p_S.norm()),
                )
            } else {
                lamp.facing_illuminance(*p_WS, self.haze).0
            };
            Some((pixel, light.scale(1.0 / solid_angle)))
        };
        self.lamps.iter().filter_map(image).collect()
    }

    /// Returns the luminance along a ray in water, and the distance at which the ray ends [m].
    ///
    /// `surface` is the distance at which the ray leaves the water, `level` the daylight at `p`.
    /// Lamp light scattered by the water is not included: it is computed for camera rays only.
    fn shade_water_ray(
        &self,
        p: Vec3,
        d: Vec3,
        hit: Option<SurfaceHit>,
        surface: Option<f64>,
        level: Vec3,
    ) -> (Vec3, f64) {
        let visual_range = self.water.visual_range;
        let (end, s) = match (surface, hit) {
            (Some(t), hit) if t < visual_range => {
                (self.shade_from_below(p + d.scale(t), d, t, hit), t)
            }
            (None, Some(hit)) if hit.distance < visual_range => (
                self.shade_submerged_surface(p + d.scale(hit.distance), d, &hit),
                hit.distance,
            ),
            _ => {
                return (
                    self.water.veiling_light(level, d, visual_range),
                    visual_range,
                );
            }
        };
        (
            multiply(end, transmittance(self.water.beam, s))
                + self.water.veiling_light(level, d, s),
            s,
        )
    }

    /// Returns the depth of `p` below the instantaneous surface [m].
    fn depth(&self, p: Vec3) -> f64 {
        (self.sea.height(p.x, p.y) - p.z).max(0.0)
    }

    /// Returns the luminance of a surface under water, hit at `x`. (1)
    fn shade_submerged_surface(&self, x: Vec3, d: Vec3, hit: &SurfaceHit) -> Vec3 {
        let (n, h) = (hit.normal, self.depth(x));
        let from = x - d.scale(RAY_OFFSET) + n.scale(RAY_OFFSET);
        let [beam, diffuse] = self
            .water
            .light
            .map(|light| multiply(light, transmittance(self.water.daylight, h)));
        let direct = self.water.direct_fraction(h);
        let sun = self.water.sun;
        let mut light =
            (diffuse + beam.scale(1.0 - direct)).scale(0.5 * (1.0 + n.z) + 0.04 * (1.0 - n.z));
        let facing = n.dot(sun);
        if facing > 0.0 && beam.y * direct > 1e-3 && !self.is_shaded(from, sun, &self.shadows[1]) {
            let up = x + sun.scale(h / sun.z.max(0.2));
            let caustic = self.sea.caustic_factor(up.x, up.y, h);
            light += beam.scale(direct * facing / sun.z.max(0.2) * caustic);
        }
        for lamp in &self.lamps {
            let beam = self.water.beam;
            light += lamp.surface_illuminance(self.lamp_occluders(), from, n, beam, light);
        }
        multiply(light, self.albedo(x, d, hit)).scale(1.0 / PI)
    }

    /// Returns the luminance of the water surface seen from below, at `q` and at the distance `t`
    /// [m]. (3)
    ///
    /// `behind` is the solid surface that the straight ray hits.
    fn shade_from_below(&self, q: Vec3, d: Vec3, t: f64, behind: Option<SurfaceHit>) -> Vec3 {
        let Facet {
            normal: n,
            slope_variance,
            ..
        } = self.sea.facet(q, t, d);
        let cosine = n.dot(d).max(0.02);
        let mut reflected_direction = d - n.scale(2.0 * cosine);
        reflected_direction.z = -reflected_direction.z.abs();
        let below = q - Vec3::new(0.0, 0.0, 1e-3);
        let reflected = || {
            let (level, range) = (self.levels[1], self.water.visual_range);
            if self.fast {
                return self.water.veiling_light(level, reflected_direction, range);
            }
            let hit = self.first_hit(below, reflected_direction, range);
            self.shade_water_ray(below, reflected_direction, hit, None, level)
                .0
        };
        // Unresolved facets tilt towards the camera and away from it: mean of three slopes by
        // Gauss-Hermite quadrature.
        let slope = (1.5 * slope_variance * (1.0 - cosine * cosine)).sqrt();
        let [steep, mean, flat] = [cosine - slope, cosine, cosine + slope]
            .map(|c| fresnel_reflectance(c.clamp(0.02, 1.0), 1.0 / INDEX));
        let F = (steep.0 + 4.0 * mean.0 + flat.0) / 6.0;
        if F > 0.999 {
            return reflected();
        }
        let refracted_cosine = mean.1;
        let up = d.scale(INDEX) + n.scale(refracted_cosine - INDEX * cosine);
        let up = up.scale(1.0 / up.norm());
        let above = q + Vec3::new(0.0, 0.0, 1e-3);
        let (direction, hit) = if self.fast {
            (d, behind.map(|hit| hit.continued_from(t)))
        } else {
            (up, self.first_hit(above, up, 300.0))
        };
        let transmitted = match hit {
            Some(hit) => {
                let x = above + direction.scale(hit.distance);
                self.shade_dry_surface(x, direction, &hit)
            }
            None => self.sky.luminance(up, slope_variance) + self.sun_disc(up),
        };
        transmitted.scale((1.0 - F) * INDEX * INDEX)
            + if F > 0.01 {
                reflected().scale(F)
            } else {
                Vec3::zero()
            }
    }

    /// Returns the luminance of the sun's disc, blurred by unresolved ripples.
    fn sun_disc(&self, d: Vec3) -> Vec3 {
        let deviation = (1.0 - d.dot(self.sky.sun)).max(0.0);
        let width = 0.004;
        self.sky
            .beam
            .scale(fast_exp(-deviation / width) / (2.0 * PI * width))
    }

    /// Returns the luminance of a white particle at `x` in the water, seen from `p` [m], both W, by
    /// colour [cd/m²].
    ///
    /// Returns `None` if a surface occludes the particle or if `x` is in air.
    pub(crate) fn particle_luminance(&self, p: Vec3, x: Vec3) -> Option<Vec3> {
        let offset = x - p;
        let s = offset.norm();
        let d = offset.scale(1.0 / s.max(1e-6));
        if x.z > self.sea.height(x.x, x.y) || self.first_hit(p, d, s).is_some() {
            return None;
        }
        let mut light = self.water.illuminance_at_depth(self.depth(x)).scale(0.5);
        for lamp in &self.lamps {
            let (beam, n) = (self.water.beam, d.scale(-1.0));
            light += lamp.surface_illuminance(self.lamp_occluders(), x, n, beam, light);
        }
        Some(multiply(light, transmittance(self.water.beam, s)).scale(0.7 / PI))
    }
}
