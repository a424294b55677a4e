//! Cameras: what each pixel sees, as light, as depth and as a number.
//!
//! A pixel is one ray. What it brings back is found by [`paint`] in air and in water, and made into numbers by [`exposure`].
//! Work goes by tiles of eight by eight, whose rays meet much the same things.

pub mod exposure;
pub mod lamp;
pub mod noise;
pub mod paint;
pub mod sea;
pub mod sky;
pub mod snow;
pub mod water;

use super::sample::{Pose, Spoiling};
use super::stage::{Seen, Stage};
use crate::environment::Instant;
use crate::math::{Mat3, Vec3};
use crate::scene::Scene;
use crate::scene::camera::{CameraSpec, Part};
use crate::state::frame::Picture;
use crate::state::view::View;
use paint::Painter;

/// Pixels on a side of a tile.
const TILE: usize = 8;

/// All that can be seen.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// What does not change.
    pub scene: &'a Scene,
    /// Shapes, at their places in `view`.
    pub stage: &'a Stage,
    /// Where everything is.
    pub view: &'a View,
    /// The sea.
    pub at: &'a Instant<'a>,
}

/// What one pixel looks along, and what it meets.
pub struct Sight {
    p: Vec3,
    d: Vec3,
    /// Part of the optical axis in `d`.
    ahead: f64,
    hit: Option<Seen>,
}

/// One picture; `parts` are the bits of what is wanted.
pub fn picture(spec: &CameraSpec, world: &World, pose: &Pose, by: &Spoiling, parts: u8) -> Picture {
    let parts = parts & spec.parts;
    let [columns, rows] = spec.size;
    let n = columns * rows;
    let colored = Part::Rgb.is_in(parts) || Part::Jpeg.is_in(parts);
    let mut depth = Part::Depth.is_in(parts).then(|| vec![f32::INFINITY; n]);
    let mut labels = Part::Labels.is_in(parts).then(|| vec![0; n]);
    if !colored && depth.is_none() && labels.is_none() {
        return Picture { parts, ..Picture::default() };
    }
    let skip = if spec.sees_self { 0..0 } else { world.stage.shapes_of(pose.robot) };
    let painter = Painter::new(world, spec, pose.p_WS, skip.clone());
    let mut light = vec![[0.0_f32; 3]; if colored { n } else { 0 }];
    let poses = rows_of(spec, pose);
    let wet = world.at.above_surface(pose.p_WS) < 0.0;
    for (top, left) in tiles(spec.size) {
        for row in top..(top + TILE).min(rows) {
            let (R_WS, p_WS) = &poses[row.min(poses.len() - 1)];
            for column in left..(left + TILE).min(columns) {
                let k = row * columns + column;
                let Some((p_S, d_S)) = spec.ray(k, wet) else { continue };
                let (p, d) = (*p_WS + R_WS.mul_vec(p_S), R_WS.mul_vec(d_S));
                let hit = world.stage.meet(world.view, skip.clone(), p, d, spec.range);
                let sight = Sight { p, d, ahead: d_S.x, hit };
                let surface = painter.surface_before(&sight, spec.range[1]);
                if let Some(depth) = &mut depth {
                    depth[k] = depth_of(&sight, surface) as f32;
                }
                if let Some(labels) = &mut labels {
                    labels[k] = sight.hit.filter(|_| surface.is_none()).map_or(0, |hit| hit.label);
                }
                if colored {
                    let seen = painter.see(&sight, surface);
                    light[k] = [seen.x as f32, seen.y as f32, seen.z as f32];
                }
            }
        }
    }
    if colored && wet && spec.snow > 0.0 {
        snow::draw(spec, &painter, &poses[0], by, &mut light);
    }
    let rgb = colored.then(|| exposure::develop(spec, &light, by));
    Picture { parts, rgb, depth, labels }
}

/// Depth along the optical axis.
fn depth_of(sight: &Sight, surface: Option<f64>) -> f64 {
    surface.or(sight.hit.map(|hit| hit.distance)).map_or(f64::INFINITY, |t| t * sight.ahead)
}

/// Where the camera is when each row is read; one if all are at once.
fn rows_of(spec: &CameraSpec, pose: &Pose) -> Vec<(Mat3, Vec3)> {
    let rows = spec.size[1];
    if spec.readout == 0.0 || rows < 2 {
        return vec![pose.after(0.0)];
    }
    (0..rows).map(|row| pose.after(spec.readout * row as f64 / (rows - 1) as f64)).collect()
}

/// Upper left corners of the tiles, row by row.
fn tiles([columns, rows]: [usize; 2]) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).step_by(TILE).flat_map(move |top| (0..columns).step_by(TILE).map(move |left| (top, left)))
}

/// Products of the colours.
fn times(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.x * b.x, a.y * b.y, a.z * b.z)
}

/// e^-kx for each colour.
fn fade(k: Vec3, x: f64) -> Vec3 {
    Vec3::new(libm::exp(-k.x * x), libm::exp(-k.y * x), libm::exp(-k.z * x))
}

/// Luminance of a colour, ITU-R BT.709.
fn luminance(c: Vec3) -> f64 {
    0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z
}

/// A colour of luminance 1.
fn tint(c: Vec3) -> Vec3 {
    c.scale(1.0 / luminance(c).max(1e-12))
}

/// From `a` to `b`.
fn mix(a: Vec3, b: Vec3, part: f64) -> Vec3 {
    a + (b - a).scale(part)
}
