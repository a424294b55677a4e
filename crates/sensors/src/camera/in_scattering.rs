//! In-scattering of lamp light: light that the medium scatters towards the camera, on a grid over
//! its image.
//!
//! # Law
//! ```text
//!   G(s) = Σ_k b p(ψ) I(α) e^{-c (r + s_k)}/r² Δs_k,  s_k = S ((k - 1/2)/N)²       (1)
//! ```
//! (1) is summed from node to node along the rays through every eighth pixel of every eighth row
//! (every fourth in air, half as many with the quality `fast`). The result is bilinear between
//! these rays and linear in √s.
//!
//! # Symbols
//! As in `crates/sensors/src/camera/lamp.rs`; s distance along a ray, S the greatest, N number of
//! nodes.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! Edges of light cones are only as sharp as the grid.
//!
//! # Checked by
//! test/sensors/camera.rs

use crate::camera::Medium;
use crate::camera::lamp::LitLamp;
use merrow_math::{Mat3, Vec3};
use merrow_model::sensor::camera::{CameraSpec, RenderQuality};

/// Distance between grid points [px], in water and in air, where cones are viewed from far away;
/// twice as much with the quality `fast`.
const SPACING: [usize; 2] = [8, 4];
/// Nodes along a ray.
const NODES: usize = 16;

/// Scattered lamp light as a function of pixel and distance.
pub(crate) struct InScattering {
    size: [usize; 2],
    spacing: usize,
    /// Columns of the grid.
    columns: usize,
    max_distance: f64,
    /// Sums of each grid point from its first node to its last; `None` where the lens has no ray.
    sums: Vec<Option<[[f32; 4]; NODES + 1]>>,
}

impl InScattering {
    /// Integrates (1) for a camera among these lamps.
    ///
    /// `poses` are the camera poses by row, `wet` is true under water, `max_distance` [m] is the
    /// greatest distance.
    pub(crate) fn new(
        spec: &CameraSpec,
        poses: &[(Mat3, Vec3)],
        wet: bool,
        lamps: &[LitLamp],
        medium: &Medium,
        max_distance: f64,
    ) -> Self {
        let is_coarse = spec.camera.quality == RenderQuality::Fast;
        let spacing = SPACING[usize::from(!wet)] << u32::from(is_coarse);
        let [columns, rows] = spec.size.map(|n| (n - 1).div_ceil(spacing) + 1);
        let mut sums = Vec::with_capacity(columns * rows);
        for j in 0..rows {
            let row = (j * spacing).min(spec.size[1] - 1);
            let (R_WS, p_WS) = &poses[row.min(poses.len() - 1)];
            for i in 0..columns {
                let pixel = [(i * spacing).min(spec.size[0] - 1), row];
                sums.push(spec.ray(pixel, None, wet).map(|(p, d)| {
                    let (p, d) = (*p_WS + R_WS.mul_vec(p), R_WS.mul_vec(d));
                    integrate_along_ray(lamps, medium, p, d, max_distance)
                }));
            }
        }
        Self {
            size: spec.size,
            spacing,
            columns,
            max_distance,
            sums,
        }
    }

    /// Returns the luminance that is scattered back over the distance `s` [m] at a pixel, by colour
    /// [cd/m²]; `None` where the lens has no ray at a neighbouring grid point.
    pub(crate) fn interpolate(&self, [column, row]: [usize; 2], s: f64) -> Option<Vec3> {
        let (i, u) = grid_cell(column, self.size[0], self.spacing);
        let (j, v) = grid_cell(row, self.size[1], self.spacing);
        let next = usize::from(u > 0.0);
        let next_row = if v > 0.0 { self.columns } else { 0 };
        let index = j * self.columns + i;
        let node_position = (NODES as f64) * (s / self.max_distance).min(1.0).sqrt();
        let node = (node_position as usize).min(NODES - 1);
        let part = (node_position - node as f64) as f32;
        let [a, b, c, d] = [
            index,
            index + next,
            index + next_row,
            index + next_row + next,
        ]
        .map(|k| {
            self.sums[k].as_ref().map(|sums| {
                let (from, to) = (&sums[node], &sums[node + 1]);
                std::array::from_fn::<f32, 4, _>(|c| from[c] + part * (to[c] - from[c]))
            })
        });
        let [x, y, z] = crate::wave_clipmap::interpolate_corners([&a?, &b?, &c?, &d?], u, v);
        Some(Vec3::new(x, y, z))
    }
}

/// Returns the grid cell of a pixel and the fraction of the cell before it; the last cell may be
/// narrower.
fn grid_cell(pixel: usize, n: usize, spacing: usize) -> (usize, f32) {
    let cell = pixel / spacing;
    let width = spacing.min((n - 1 - cell * spacing).max(1));
    (cell, (pixel - cell * spacing) as f32 / width as f32)
}

/// Returns the partial sums of (1) along the ray from `p` in the direction `d`, by node.
fn integrate_along_ray(
    lamps: &[LitLamp],
    medium: &Medium,
    p: Vec3,
    d: Vec3,
    max_distance: f64,
) -> [[f32; 4]; NODES + 1] {
    let mut sums = [[0.0; 4]; NODES + 1];
    let mut sum = Vec3::zero();
    for k in 0..NODES {
        let u = (k as f64 + 0.5) / NODES as f64;
        let (s, width) = (max_distance * u * u, 2.0 * max_distance * u / NODES as f64);
        for lamp in lamps {
            sum += lamp.scattered_radiance(medium, p, d, s).scale(width);
        }
        sums[k + 1] = [sum.x as f32, sum.y as f32, sum.z as f32, 0.0];
    }
    sums
}
