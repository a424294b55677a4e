//! Camera rendering: colour, depth and label images, one primary ray per pixel.
//!
//! [`shading`] computes the radiance along a ray in air and in water, and [`exposure`] converts it
//! to pixel values. Images are rendered in tiles of 8 x 8 pixels, because the rays of a tile hit
//! mostly the same surfaces.

pub(crate) mod coarse_shading;
pub mod demosaicing_noise;
pub mod exposure;
pub mod haze;
pub(crate) mod in_scattering;
pub mod lamp;
pub mod noise;
pub mod observe;
pub mod rain;
pub mod sea;
pub mod shading;
pub mod sky_radiance;
pub mod snow;
pub mod water;

use crate::camera::shading::Shader;
use crate::exteroceptive::Observation;
use crate::ray_scene::{RayScene, SurfaceHit};
use crate::sample::Pose;
use merrow_math::rng::Draw;
use merrow_math::{Mat3, Packed, Vec3};
use merrow_model::sensor::camera::{CameraImages, CameraOutput, CameraSpec};
use merrow_model::state::frames::view::WorldView;
use merrow_raytrace::Ray;
use rayon::prelude::*;
use std::ops::Range;

/// Side length of a tile [px], even.
const TILE: usize = 8;

/// Measures the cost of an image that several threads render.
pub trait BandMeter: std::fmt::Debug + Sync {
    /// Calls `render`, which renders one band on the current thread.
    fn measure(&self, render: &mut dyn FnMut());
}

/// All objects and light that a camera can render, at one instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenderContext<'a> {
    /// Inputs of the sample.
    pub sample: &'a Observation<'a>,
    /// Ray scene, posed to match `view`.
    pub ray_scene: &'a RayScene,
    /// Poses of all links and levels of all lamps, at one instant of the exposure.
    pub view: &'a WorldView,
}

impl RenderContext<'_> {
    /// Returns the index range of the shapes that the camera does not render.
    fn hidden_shapes(&self, spec: &CameraSpec) -> Range<u32> {
        if spec.camera.render_self {
            0..0
        } else {
            self.ray_scene.shapes_of(self.sample.pose.robot)
        }
    }
}

/// Optical properties of the medium (water or air) around a camera.
#[derive(Clone, Copy, Debug)]
pub struct Medium {
    /// Beam attenuation coefficient, by colour [1/m].
    pub beam: Vec3,
    /// Scattering coefficient, by colour [1/m].
    pub scattering: Vec3,
}

/// Ray of one pixel and the first solid surface that it hits.
#[derive(Clone, Copy)]
pub(crate) struct PixelRay<'a> {
    /// Column and row [px].
    pixel: [usize; 2],
    p: Vec3,
    d: Vec3,
    /// Component of `d` along the optical axis.
    axial: f64,
    hit: Option<SurfaceHit<'a>>,
}

impl PixelRay<'_> {
    /// Returns the ray without its hit.
    fn without_hit(self) -> Self {
        Self { hit: None, ..self }
    }
}

/// Radiance, depth and label images of one exposure, row by row.
#[derive(Default)]
struct Layers {
    light: Vec<[f32; 3]>,
    depth: Option<Vec<f32>>,
    labels: Option<Vec<u16>>,
}

/// Renders one image of the camera `spec`. Requested outputs that `spec` does not provide are
/// ignored.
pub(crate) fn render_image(spec: &CameraSpec, sample: &Observation<'_>) -> CameraImages {
    let world = &RenderContext {
        sample,
        ray_scene: sample.ray_scenes.visual(),
        view: sample.view,
    };
    let parts = sample.outputs & spec.outputs;
    let colored = CameraOutput::Rgb.is_enabled_in(parts) || CameraOutput::Jpeg.is_enabled_in(parts);
    if !colored
        && !CameraOutput::Depth.is_enabled_in(parts)
        && !CameraOutput::Labels.is_enabled_in(parts)
    {
        return CameraImages {
            parts,
            ..CameraImages::default()
        };
    }
    let mut layers =
        if spec.camera.exposure_s == 0.0 || spec.instants == 1 || world.view.is_at_rest() {
            render_layers(spec, world, parts, 0.5 * spec.camera.exposure_s)
        } else {
            average_exposure(spec, world, parts)
        };
    if colored {
        crate::camera::rain::draw_streaks(spec, world, &mut layers.light);
    }
    let rgb = colored.then(|| crate::camera::exposure::to_rgb8(spec, &layers.light, sample.errors));
    CameraImages {
        parts,
        rgb,
        depth: layers.depth,
        labels: layers.labels,
    }
}

/// Averages the radiance over the instants of an exposure. Depths and labels are the values of the
/// midpoint of the exposure.
fn average_exposure(spec: &CameraSpec, world: &RenderContext, parts: u8) -> Layers {
    let (mut ray_scene, central) = (world.ray_scene.clone(), spec.instants / 2);
    let mut all = Layers::default();
    for k in 0..spec.instants {
        let time = spec.camera.exposure_s * (k as f64 + 0.5) / spec.instants as f64;
        let view = world.view.extrapolate(time);
        ray_scene.update_poses(&view);
        let instant_parts = if k == central {
            parts
        } else {
            parts & !(CameraOutput::Depth as u8 | CameraOutput::Labels as u8)
        };
        let world = RenderContext {
            ray_scene: &ray_scene,
            view: &view,
            ..*world
        };
        let instant = render_layers(spec, &world, instant_parts, time);
        all.light.resize(instant.light.len(), [0.0; 3]);
        for (sum, pixel) in all.light.iter_mut().zip(&instant.light) {
            sum.iter_mut()
                .zip(pixel)
                .for_each(|(sum, light)| *sum += light / spec.instants as f32);
        }
        if k == central {
            (all.depth, all.labels) = (instant.depth, instant.labels);
        }
    }
    all
}

/// Renders the layers `time` [s] after the instant of the pose.
///
/// Bands of rows are rendered in parallel if the current thread belongs to a rayon pool.
fn render_layers(spec: &CameraSpec, world: &RenderContext, parts: u8, time: f64) -> Layers {
    let pose = world.sample.pose;
    let colored = CameraOutput::Rgb.is_enabled_in(parts) || CameraOutput::Jpeg.is_enabled_in(parts);
    let skip = world.hidden_shapes(spec);
    let poses = row_poses(spec, pose, time);
    let shader = Shader::new(world, spec, &poses, skip.clone(), colored);
    let wet = world.sample.environment.height_above_surface(pose.p_WS) < 0.0;
    let renderer = BandRenderer {
        spec,
        world,
        poses: &poses,
        skip,
        shader: &shader,
        wet,
    };
    let n = spec.size[0] * spec.size[1];
    let mut all = Layers {
        light: vec![[0.0; 3]; if colored { n } else { 0 }],
        depth: CameraOutput::Depth
            .is_enabled_in(parts)
            .then(|| vec![f32::INFINITY; n]),
        labels: CameraOutput::Labels
            .is_enabled_in(parts)
            .then(|| vec![0; n]),
    };
    let bands = all.bands(spec.size);
    if rayon::current_thread_index().is_some() {
        bands
            .into_par_iter()
            .for_each(|band| renderer.render_measured(band));
    } else {
        bands
            .into_iter()
            .for_each(|band| renderer.render_band(band));
    }
    let light = &mut all.light;
    if colored {
        for (pixel, glare) in shader.lamp_images(spec, &poses[0]) {
            crate::camera::snow::draw_lamp(light, spec.size, pixel, glare);
        }
    }
    if colored && wet && spec.camera.marine_snow > 0.0 {
        crate::camera::snow::draw_particles(spec, &shader, &poses[0], world.sample.errors, light);
    }
    all
}

/// The pixel rows of one row of tiles, starting at the row `top`, for each requested layer.
struct Band<'a> {
    top: usize,
    light: Option<&'a mut [[f32; 3]]>,
    depth: Option<&'a mut [f32]>,
    labels: Option<&'a mut [u16]>,
}

impl Layers {
    /// Splits the layers into bands of one tile height, from the top.
    fn bands(&mut self, [columns, rows]: [usize; 2]) -> Vec<Band<'_>> {
        let n = columns * TILE;
        let mut light = self.light.chunks_mut(n);
        let mut depth = self.depth.as_mut().map(|depth| depth.chunks_mut(n));
        let mut labels = self.labels.as_mut().map(|labels| labels.chunks_mut(n));
        let mut band = |top| Band {
            top,
            light: light.next(),
            depth: depth.as_mut().and_then(Iterator::next),
            labels: labels.as_mut().and_then(Iterator::next),
        };
        (0..rows).step_by(TILE).map(&mut band).collect()
    }
}

/// Data that all bands of an image share.
struct BandRenderer<'a> {
    spec: &'a CameraSpec,
    world: &'a RenderContext<'a>,
    /// Camera poses: one per row for a rolling shutter, otherwise a single pose.
    poses: &'a [(Mat3, Vec3)],
    skip: Range<u32>,
    shader: &'a Shader<'a>,
    wet: bool,
}

impl<'a> BandRenderer<'a> {
    /// Renders all pixels of one band and measures its cost.
    fn render_measured(&self, band: Band) {
        let mut band = Some(band);
        let mut render = || {
            band.take()
                .into_iter()
                .for_each(|band| self.render_band(band))
        };
        match self.world.sample.meter {
            Some(meter) => meter.measure(&mut render),
            None => render(),
        }
    }

    /// Renders all pixels of one band.
    fn render_band(&self, band: Band) {
        let (spec, shader) = (self.spec, self.shader);
        let Band {
            top,
            mut light,
            mut depth,
            mut labels,
        } = band;
        let [columns, rows] = spec.size;
        let bottom = rows.min(top + TILE);
        let mut tile = Tile::default();
        // Radiance averages all subpixel positions; depth and labels use the pixel centre.
        let (parts, measured) = (
            spec.subpixels.len().max(1),
            depth.is_some() || labels.is_some(),
        );
        let passes = if light.is_none() || parts == 1 {
            0..1
        } else {
            usize::from(!measured)..parts + 1
        };
        for (left, pass) in (0..columns)
            .step_by(TILE)
            .flat_map(|left| passes.clone().map(move |pass| (left, pass)))
        {
            let subpixel = pass.checked_sub(1).map(|k| spec.subpixels[k]);
            let right = columns.min(left + TILE);
            let is_shaded = light.as_mut().is_some_and(|light| {
                shader.fast
                    && [bottom - top, right - left] == [TILE; 2]
                    && self.shade_sparse_tile([left, top], light, &mut tile)
            });
            if is_shaded && !measured {
                continue;
            }
            self.tile_rays(top..bottom, left..right, subpixel, &mut tile);
            let ray_scene = self.world.ray_scene;
            ray_scene.first_hits(&self.skip, &tile.rays, &mut tile.hits);
            let clearance = shader.surface_clearance(&tile.rays);
            let adds_light = !is_shaded && (parts == 1 || subpixel.is_some());
            tile.surfaces.clear();
            // `shade_traced_tile` computes only the distances that it needs
            if measured || !shader.fast {
                let range = if measured {
                    spec.camera.max_range_m
                } else {
                    shader.color_range
                };
                self.find_surfaces(clearance, range, &mut tile);
            }
            if let Some(light) = light.as_mut().filter(|_| adds_light) {
                if shader.fast {
                    self.shade_traced_tile(left, clearance, &tile, light);
                } else {
                    self.shade_every_ray(top, &tile, light);
                }
            }
            if subpixel.is_some() {
                continue;
            }
            self.measure_every_ray(top, &tile, (&mut depth, &mut labels));
        }
    }

    /// Writes the depth and the label of every ray of a tile to a band that starts at the row
    /// `top`.
    fn measure_every_ray(
        &self,
        top: usize,
        tile: &Tile<'_>,
        (depth, labels): (&mut Option<&mut [f32]>, &mut Option<&mut [u16]>),
    ) {
        for (k, surface) in tile.surfaces.iter().enumerate() {
            let pixel_ray = tile.pixel_ray(k);
            let [column, row] = pixel_ray.pixel;
            let k = (row - top) * self.spec.size[0] + column;
            if let Some(depth) = depth {
                depth[k] = depth_of(&pixel_ray, *surface, self.spec.camera.min_range_m) as f32;
            }
            if let Some(labels) = labels {
                labels[k] = self.shader.label(&pixel_ray, *surface);
            }
        }
    }

    /// Adds the luminance of every ray of a tile to the radiance of a band that starts at the row
    /// `top`.
    fn shade_every_ray(&self, top: usize, tile: &Tile<'_>, light: &mut [[f32; 3]]) {
        let weight = 1.0 / self.spec.subpixels.len().max(1) as f64;
        for (k, surface) in tile.surfaces.iter().enumerate() {
            let pixel_ray = tile.pixel_ray(k);
            let [column, row] = pixel_ray.pixel;
            let luminance = self.shader.luminance(&pixel_ray, *surface);
            let pixel = &mut light[(row - top) * self.spec.size[0] + column];
            add_light(pixel, luminance.scale(weight));
        }
    }

    /// Computes the distances at which the rays of a tile cross the water surface before their hits
    /// and within `max_distance` [m]. None crosses it before `clearance` [m].
    fn find_surfaces(&self, clearance: f64, max_distance: f64, tile: &mut Tile<'_>) {
        tile.surfaces.clear();
        for k in 0..tile.hits.len() {
            let ray = tile.pixel_ray(k);
            let surface = self.shader.surface_before(&ray, clearance, max_distance);
            tile.surfaces.push(surface);
        }
    }

    /// Computes the rays of a tile, row by row, through the subpixel `subpixel` of each pixel.
    fn tile_rays(
        &self,
        rows: impl Iterator<Item = usize>,
        columns: impl Iterator<Item = usize> + Clone,
        subpixel: Option<[f64; 2]>,
        tile: &mut Tile<'_>,
    ) {
        let spec = self.spec;
        // Objects nearer than the minimum range still occlude, so rays start at 0. If the camera
        // renders its own robot, rays start at the minimum range, so that its housing does not
        // occlude the image.
        let near = if spec.camera.render_self {
            spec.camera.min_range_m
        } else {
            0.0
        };
        let range = [near, spec.camera.max_range_m];
        tile.rays.clear();
        tile.pixels.clear();
        for row in rows {
            let (R_WS, p_WS) = &self.poses[row.min(self.poses.len() - 1)];
            for column in columns.clone() {
                let Some((p_S, d_S)) = spec.ray([column, row], subpixel, self.wet) else {
                    continue;
                };
                let (origin, direction) = (*p_WS + R_WS.mul_vec(p_S), R_WS.mul_vec(d_S));
                tile.rays.push(Ray::new(origin, direction, range));
                tile.pixels.push(([column, row], d_S.x));
            }
        }
    }
}

/// Rays of the pixels of a tile, and what they hit.
#[derive(Default)]
struct Tile<'a> {
    rays: Vec<Ray>,
    /// Column and row of each ray's pixel, and the component of the ray along the optical axis.
    pixels: Vec<([usize; 2], f64)>,
    /// First solid surface that each ray hits.
    hits: Vec<Option<SurfaceHit<'a>>>,
    /// Distance at which each ray crosses the water surface [m].
    surfaces: Vec<Option<f64>>,
}

impl<'a> Tile<'a> {
    /// Returns the ray `k` with its hit.
    fn pixel_ray(&self, k: usize) -> PixelRay<'a> {
        let (ray, (pixel, axial)) = (&self.rays[k], self.pixels[k]);
        PixelRay {
            pixel,
            p: ray.origin,
            d: ray.direction,
            axial,
            hit: self.hits.get(k).copied().flatten(),
        }
    }
}

/// Adds the radiance of a subpixel to a pixel.
fn add_light(pixel: &mut [f32; 3], luminance: Vec3) {
    let luminance = luminance.to_array();
    pixel
        .iter_mut()
        .zip(luminance)
        .for_each(|(sum, light)| *sum += light as f32);
}

/// Returns the depth along the optical axis [m]; -inf for hits nearer than `min_range` [m], +inf
/// without a hit [REP-118].
fn depth_of(pixel_ray: &PixelRay, surface: Option<f64>, min_range: f64) -> f64 {
    match surface.or(pixel_ray.hit.map(|hit| hit.distance)) {
        Some(t) if t < min_range => f64::NEG_INFINITY,
        Some(t) => t * pixel_ray.axial,
        None => f64::INFINITY,
    }
}

/// Returns the camera poses `time` [s] after the shutter of each row opens; a single pose for a
/// global shutter.
fn row_poses(spec: &CameraSpec, pose: &Pose, time: f64) -> Vec<(Mat3, Vec3)> {
    let rows = spec.size[1];
    if spec.camera.readout_s == 0.0 || rows < 2 {
        return vec![pose.extrapolate(time)];
    }
    (0..rows)
        .map(|row| pose.extrapolate(time + spec.camera.readout_s * row as f64 / (rows - 1) as f64))
        .collect()
}

/// Returns the component-wise product of two colours.
fn multiply(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.x * b.x, a.y * b.y, a.z * b.z)
}

/// Computes e^x for x <= 0, with a relative error of 2e-7 and a lower bound of e^-80. This is more
/// precise than an image can resolve, and many times as fast as `libm::exp`.
#[inline(always)]
fn fast_exp(x: f64) -> f64 {
    // Adding and subtracting 1.5 * 2^52 rounds to the nearest integer, which is left in the lowest
    // bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let x = x.lane_max(-80.0);
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let r = x - (shifted - ROUND) * std::f64::consts::LN_2;
    let square = r * r;
    // Taylor series of e^r to the sixth power, |r| <= 0.35.
    let low = (1.0 + r) + square * (0.5 + r * (1.0 / 6.0));
    let high = (1.0 / 24.0 + r * (1.0 / 120.0)) + square * (1.0 / 720.0);
    (low + square * square * high) * f64::power_of_two(shifted)
}

/// Computes e^(-k x) for each colour, k x >= 0, with a relative error of 1e-5 and a lower bound of
/// e^-80. The four single-precision lanes are computed at once.
#[inline(always)]
fn transmittance(k: Vec3, x: f64) -> Vec3 {
    // Adding and subtracting 1.5 * 2^23 rounds to the nearest integer.
    const ROUND: f32 = 12_582_912.0;
    // ln 2 as a sum of two parts; the first has so few digits that its products are exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = [-k.x * x, -k.y * x, -k.z * x, 0.0].map(|x| if x < -80.0 { -80.0 } else { x as f32 });
    let mut out = [0.0_f32; 4];
    for (out, x) in out.iter_mut().zip(x) {
        let shifted = x * std::f32::consts::LOG2_E + ROUND;
        let whole = shifted - ROUND;
        let r = (x - whole * LN_2[0]) - whole * LN_2[1];
        let square = r * r;
        // Taylor series of e^r to the sixth power, |r| <= 0.35.
        let low = (1.0 + r) + square * (0.5 + r * (1.0 / 6.0));
        let high = (1.0 / 24.0 + r * (1.0 / 120.0)) + square * (1.0 / 720.0);
        let power = f32::from_bits((127_u32 << 23).wrapping_add(shifted.to_bits() << 23));
        *out = (low + square * square * high) * power;
    }
    Vec3::new(f64::from(out[0]), f64::from(out[1]), f64::from(out[2]))
}

/// Returns the luminance of a linear RGB colour [ITU-R BT.709].
fn luminance(c: Vec3) -> f64 {
    0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z
}

/// Scales a colour to luminance 1.
fn tint(c: Vec3) -> Vec3 {
    c.scale(1.0 / luminance(c).max(1e-12))
}

/// Returns a random point [m] in the box in front of a camera, in S, that is `depth` [m] deep and
/// twice as wide and as high.
fn point_in_front(draw: &mut Draw, depth: f64) -> Vec3 {
    Vec3::new(
        depth * draw.uniform(),
        depth * (2.0 * draw.uniform() - 1.0),
        depth * (2.0 * draw.uniform() - 1.0),
    )
}

/// Returns whether the pixel coordinates `[u, v]` are in an image with these columns and rows.
fn is_in_image([columns, rows]: [usize; 2], [u, v]: [f64; 2]) -> bool {
    u >= 0.0 && v >= 0.0 && u < columns as f64 && v < rows as f64
}

/// Returns the linear interpolation from `a` (`part` = 0) to `b` (`part` = 1).
fn lerp(a: Vec3, b: Vec3, part: f64) -> Vec3 {
    a + (b - a).scale(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    // `fast_exp` equals the exponential. Method: arguments from 0 to -80. Tolerance: relative
    // 2e-7.
    #[test]
    fn fast_exp_matches_exponential() {
        for k in 0..80_000 {
            let x = -0.001 * f64::from(k);
            assert!((fast_exp(x) / libm::exp(x) - 1.0).abs() < 2e-7, "{x}");
        }
        assert!(fast_exp(-1e9) > 0.0 && fast_exp(-1e9) < 2e-35 && fast_exp(0.0) == 1.0);
    }

    // `transmittance` equals the exponential of each colour. Method: products from 0 to 79, a
    // different coefficient for each colour. Tolerance: relative 1e-5, the single precision at an
    // exponent of 80.
    #[test]
    fn transmittance_matches_exponential() {
        for n in 0..26_000 {
            let x = 0.001 * f64::from(n);
            let k = Vec3::new(0.7, 1.0, 3.0);
            let found = transmittance(k, x);
            for (found, k) in [found.x, found.y, found.z].into_iter().zip([k.x, k.y, k.z]) {
                assert!((found / libm::exp(-k * x) - 1.0).abs() < 1e-5, "{}", k * x);
            }
        }
        let far = transmittance(Vec3::new(0.0, 1e9, f64::INFINITY), 1.0);
        assert!(far.x == 1.0 && (0.0..2e-35).contains(&far.y) && far.z == far.y);
    }
}
