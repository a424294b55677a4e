//! Wave clipmap: the wave surface at one instant as nested height grids, with ray intersection.
//!
//! # Law
//! ```text
//!   η on square grids around the sensor, each twice as wide as the preceding grid, bilinear between points  (1)
//!   z + τ d_z = η(u + τ d_u, v + τ d_v): the first root within a cell                                   (2)
//! ```
//! A ray is traced from one block of cells to the next. A block is skipped at once if the ray stays
//! above or below all of it. For several rays from outside the height range of the waves, the
//! region that they cross within a step is skipped if it lies below, or above, all of them:
//! ```text
//!   z_0 + τ d_z0 > max η in [x_0 + τ d_x0, x_1 + τ d_x1] x [y_0 + τ d_y0, y_1 + τ d_y1]               (3)
//! ```
//!
//! # Symbols
//! η height [m] · u, v position in a cell · τ distance along the ray, d its direction · in (3) the
//! indices 0 and 1 denote the minimum and the maximum over the rays.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - A grid omits waves shorter than three of its cells.
//! - Beyond the widest grid the surface is the plane z = 0.
//! - Rays start near the centre of the grids and lead outwards.
//!
//! # Checked by
//! test/sensors/camera.rs

use merrow_environment::surface::{Surface, interval_between};
use merrow_environment::{EnvironmentState, WaveState};
use merrow_math::Vec3;
use merrow_math::real::{fast_max, fast_min};
use merrow_raytrace::ray_bounds::RayBounds;
use std::cell::OnceCell;

/// Points on a side of a grid, a multiple of the SIMD lane count.
pub const SIDE: usize = 112;
/// Maximum number of grids.
const LEVELS: usize = 10;
/// Cells on a side of a block.
const BLOCK: usize = 8;
/// Blocks on a side of a grid.
const BLOCKS: usize = SIDE / BLOCK;
/// Half width of the part of a grid that is used [cells].
const HALF_WIDTH: f64 = (SIDE / 2 - 2) as f64;
/// Maximum number of blocks that a ray visits.
const MAX_BLOCKS: usize = 2000;
/// Minimum number of rays for which a clipmap is faster: building it takes as long as intersecting
/// one or two thousand rays with the exact wave surface.
pub(crate) const MIN_CLIPMAP_RAYS: usize = 1500;
/// Maximum number of blocks of a region that is tested for several rays at once.
const MAX_REGION_BLOCKS: usize = 16;
/// Margin of such a region for rounding [m].
const MARGIN: f64 = 1e-6;
/// Step across the edge of a block [cells].
const EDGE_STEP: f64 = 1e-7;

/// One square grid of heights and slopes.
pub struct ClipmapLevel {
    cell: f64,
    /// Reciprocal of the cell size [1/m].
    scale: f64,
    corner: [f64; 2],
    /// Height [m], slope to the east and slope to the north at each point.
    points: Vec<[f32; 4]>,
    /// Only the heights [m], for the traversal from cell to cell.
    heights: Vec<f32>,
    /// Minimum and maximum height of each block [m].
    bounds: Vec<[f32; 2]>,
    /// Mean square slope of the surface on this grid.
    pub(crate) slope2: f64,
}

/// Wave clipmap around a centre; without grids the surface is the plane z = 0.
pub struct WaveClipmap {
    center: Vec3,
    /// Reciprocal of the finest grid's half width [1/m].
    inverse_half_width: f64,
    /// Grids, the finest first.
    pub levels: Vec<ClipmapLevel>,
    low: f64,
    high: f64,
    /// Standard deviation of the heights [m].
    pub deviation: f64,
}

/// Wave surface for rays from around one position.
///
/// Many rays use a clipmap, which is built when the first ray comes near the waves. A few rays use
/// the exact wave surface.
pub(crate) struct WaveSurfaceRays<'a> {
    surface: Surface<'a>,
    waves: Option<&'a WaveState>,
    center: Vec3,
    max_distance: f64,
    clipmap: OnceCell<WaveClipmap>,
}

/// One coordinate along a ray, with the terms for computing where it leaves an interval.
#[derive(Clone, Copy)]
struct RayCoordinate {
    x: f64,
    d: f64,
    /// 1/d, or zero where `d` is zero.
    inverse: f64,
    /// Zero, or infinity where `d` is zero.
    infinite_if_parallel: f64,
    /// One if the coordinate grows along the ray, else zero.
    grows: f64,
}

/// Ray on a grid, in cells.
struct GridRay {
    u: RayCoordinate,
    v: RayCoordinate,
}

impl<'a> WaveSurfaceRays<'a> {
    /// Returns the surface for `lines` rays from around `center` [m], W, with a length of up to
    /// `max_distance` [m].
    pub(crate) fn new(
        environment: &'a EnvironmentState<'a>,
        center: Vec3,
        max_distance: f64,
        lines: usize,
    ) -> Self {
        let waves = environment.waves.filter(|_| lines >= MIN_CLIPMAP_RAYS);
        Self {
            surface: Surface::new(environment),
            waves,
            center,
            max_distance: 1.1 * max_distance + 10.0,
            clipmap: OnceCell::new(),
        }
    }

    /// Returns the exact wave surface, without grids.
    pub(crate) fn exact(&self) -> &Surface<'a> {
        &self.surface
    }

    fn clipmap(&self, waves: &WaveState) -> &WaveClipmap {
        self.clipmap
            .get_or_init(|| WaveClipmap::new(waves, self.center, self.max_distance))
    }

    /// Returns the distance from `p` [m] along the unit vector `d`, both W, to the surface [m];
    /// `None` if the ray does not cross it within `max_distance` [m].
    pub(crate) fn crossing(&self, p: Vec3, d: Vec3, max_distance: f64) -> Option<f64> {
        match self.waves {
            Some(_) if !self.surface.is_near(p, d, max_distance) => None,
            Some(waves) => self.clipmap(waves).crossing(p, d, max_distance),
            None => self.surface.intersect_ray(p, d, max_distance),
        }
    }

    /// Returns the unit normal of the surface at (x, y) [m], upwards, W.
    pub(crate) fn normal(&self, x: f64, y: f64) -> Vec3 {
        self.waves.map_or_else(
            || self.surface.normal(x, y),
            |waves| self.clipmap(waves).normal(x, y),
        )
    }
}

impl WaveClipmap {
    /// Returns the flat water at z = 0, around `center` [m], W.
    pub fn flat(center: Vec3) -> Self {
        Self {
            center,
            inverse_half_width: 0.0,
            levels: Vec::new(),
            low: 0.0,
            high: 0.0,
            deviation: 1.0,
        }
    }

    /// Samples the waves around `center` [m], W, at least as far as `max_distance` [m] if the
    /// widest grid reaches it. (1)
    pub fn new(waves: &WaveState, center: Vec3, max_distance: f64) -> Self {
        let mut clipmap = Self::flat(center);
        let finest = (0.02 * center.z.abs()).clamp(0.12, 40.0);
        let (mut low, mut high, mut square) = (f64::INFINITY, f64::NEG_INFINITY, 0.0_f64);
        let mut z = vec![0.0; SIDE * SIDE];
        for k in 0..LEVELS {
            let cell = finest * f64::from(1_u32 << k);
            if k > 0 && 0.5 * HALF_WIDTH * cell > max_distance {
                break;
            }
            let corner =
                [center.x, center.y].map(|m| ((m / cell).floor() - (SIDE / 2) as f64) * cell);
            let [x, y] = corner.map(|from| {
                (0..SIDE)
                    .map(|i| from + i as f64 * cell)
                    .collect::<Vec<f64>>()
            });
            waves.lattice_elevations(&x, &y, 3.0 * cell, &mut z);
            for height in &z {
                (low, high) = (low.min(*height), high.max(*height));
            }
            // The finest grids are smaller than a wave and the widest omit short waves, so the
            // greatest variance counts.
            square = square.max(z.iter().map(|h| h * h).sum::<f64>() / z.len() as f64);
            clipmap.levels.push(ClipmapLevel::new(cell, corner, &z));
        }
        clipmap.inverse_half_width = 1.0 / (HALF_WIDTH * finest);
        (clipmap.low, clipmap.high) = (low - 1e-3, high + 1e-3);
        clipmap.deviation = square.sqrt().max(1e-3);
        clipmap
    }

    /// Returns the index of the grid to use at `offset`, the maximum norm of the horizontal offset
    /// from the centre [m].
    #[inline(always)]
    fn level(&self, offset: f64) -> usize {
        // Each grid reaches twice as far as the preceding grid, so the exponent of the ratio is the
        // index.
        let ratio = offset * self.inverse_half_width;
        if ratio < 1.0 {
            0
        } else {
            ((ratio.to_bits() >> 52) as usize).saturating_sub(1022)
        }
    }

    /// Returns the height [m] and slopes to the east and north at (x, y) [m], W, and the index of
    /// the grid. All are zero beyond the last grid.
    #[inline]
    pub fn sample(&self, x: f64, y: f64) -> ([f64; 3], usize) {
        let k = self.level((x - self.center.x).abs().max((y - self.center.y).abs()));
        self.levels
            .get(k)
            .map_or(([0.0; 3], k), |level| (level.interpolate(x, y), k))
    }

    /// Returns the height of the surface at (x, y) [m], W.
    #[inline]
    pub fn height(&self, x: f64, y: f64) -> f64 {
        self.sample(x, y).0[0]
    }

    /// Returns the unit normal of the surface at (x, y) [m], upwards, W.
    pub fn normal(&self, x: f64, y: f64) -> Vec3 {
        let ([_, east, north], _) = self.sample(x, y);
        Vec3::new(-east, -north, 1.0).scale(1.0 / (1.0 + east * east + north * north).sqrt())
    }

    /// Returns the distance from `p` [m] along the unit vector `d`, both W, to the surface [m];
    /// `None` if the ray does not cross it within `max_distance` [m].
    pub fn crossing(&self, p: Vec3, d: Vec3, max_distance: f64) -> Option<f64> {
        self.crossing_from(p, d, [0.0, max_distance])
    }

    /// Returns a distance [m] before which no ray within `bounds` meets the surface. (3)
    pub(crate) fn clear_distance(&self, bounds: &RayBounds) -> f64 {
        let ([low, high], [down, up]) = (bounds.origin[2], bounds.direction[2]);
        let (side, gap, rate) = if low > self.high {
            (1.0, low - self.high, -down)
        } else if high < self.low {
            (-1.0, self.low - high, up)
        } else {
            return 0.0;
        };
        if rate <= 0.0 || self.levels.is_empty() {
            return 0.0;
        }
        let center = [self.center.x, self.center.y];
        let (flat, mut t) = (fast_max(bounds.max_horizontal(), 1e-3), gap / rate);
        for _ in 0..MAX_BLOCKS {
            let offsets = |to: f64| {
                [0, 1].map(|axis| {
                    let [low, high] = bounds.coordinate(axis, [t, to]);
                    [low - center[axis] - MARGIN, high - center[axis] + MARGIN]
                })
            };
            let Some(first) = self.levels.get(self.level(min_offset(offsets(t)))) else {
                return t;
            };
            let end = t + BLOCK as f64 * first.cell / flat;
            let region = offsets(end);
            let levels = self.level(min_offset(region))..=self.level(max_offset(region));
            let nearest = gap - end * rate - MARGIN;
            let Some(levels) = self.levels.get(levels) else {
                return t;
            };
            // Height by which the rays are above the highest point, or below the lowest point.
            let edge = if side > 0.0 { self.high } else { -self.low };
            let is_clear = |level: &ClipmapLevel| {
                level
                    .top_in(region, center, side)
                    .is_some_and(|top| nearest + edge > top)
            };
            if !levels.iter().all(is_clear) {
                return t;
            }
            t = end;
        }
        t
    }

    /// Returns the same as [`Self::crossing`] up to the end of `range` [m], for a ray that does not
    /// cross the surface before its start [m].
    pub(crate) fn crossing_from(&self, p: Vec3, d: Vec3, range: [f64; 2]) -> Option<f64> {
        let [from, max_distance] = range;
        let level = -p.z / d.z;
        if self.levels.is_empty() {
            return (d.z.abs() > 1e-9 && level > 1e-6 && level <= max_distance).then_some(level);
        }
        let [first, last] = self.band(p.z, d.z, max_distance)?;
        let mut t = fast_max(first, from);
        let (x, y) = (
            RayCoordinate::new(p.x - self.center.x, d.x),
            RayCoordinate::new(p.y - self.center.y, d.y),
        );
        let above = p.z > self.high
            || p.z >= self.low && p.z + t * d.z > self.height(p.x + t * d.x, p.y + t * d.y);
        let side = if above { 1.0 } else { -1.0 };
        let flat = (d.x * d.x + d.y * d.y).sqrt().max(1e-12);
        let mut left = MAX_BLOCKS;
        while t < last && left > 0 {
            let k = self.level(fast_max(x.position(t).abs(), y.position(t).abs()));
            let Some(level) = self.levels.get(k) else {
                break;
            };
            let grid_ray = level.to_grid_ray(self.center, [x, y]);
            let (edge_step, half_width) = (EDGE_STEP * level.cell / flat, HALF_WIDTH * level.cell);
            let border = fast_min(
                x.exit_distance(-half_width, 2.0 * half_width),
                y.exit_distance(-half_width, 2.0 * half_width),
            );
            let border = fast_max(fast_min(border, last), t + edge_step);
            while t < border && left > 0 {
                left -= 1;
                let [i, j] = level
                    .cell_at(&grid_ray, t + edge_step)
                    .map(|c| c / BLOCK as u32);
                let corner = [i, j].map(|c| c * BLOCK as u32);
                let end = fast_max(
                    fast_min(grid_ray.exit_distance(corner, BLOCK as f64), border),
                    t + edge_step,
                );
                let [low, high] = level.bounds[j as usize * BLOCKS + i as usize].map(f64::from);
                let (z, z_end) = (p.z + t * d.z, p.z + end * d.z);
                let passes = if side > 0.0 {
                    fast_min(z, z_end) > high
                } else {
                    fast_max(z, z_end) < low
                };
                if !passes {
                    // The surface in a block lies within its bounds.
                    let bound = if side > 0.0 { high } else { low };
                    let from = if side * d.z < 0.0 {
                        fast_max(t, (bound - p.z) / d.z)
                    } else {
                        t
                    };
                    if let Some(found) =
                        level.first_root(&grid_ray, [p.z, d.z], [from, end], side, edge_step)
                    {
                        return Some(found);
                    }
                }
                t = end;
            }
        }
        if t >= last {
            return None;
        }
        (level > t && level <= max_distance).then_some(level)
    }

    /// Returns the interval of distances in which a ray is between the lowest and the highest point
    /// of the surface.
    fn band(&self, z: f64, dz: f64, max_distance: f64) -> Option<[f64; 2]> {
        if dz.abs() < 1e-9 {
            return (self.low..self.high)
                .contains(&z)
                .then_some([0.0, max_distance]);
        }
        interval_between([self.low, self.high], z, dz, max_distance)
    }
}

impl RayCoordinate {
    #[inline(always)]
    fn new(x: f64, d: f64) -> Self {
        let is_moving = d.abs() > 1e-12;
        Self {
            x,
            d,
            inverse: if is_moving { 1.0 / d } else { 0.0 },
            infinite_if_parallel: if is_moving { 0.0 } else { f64::INFINITY },
            grows: if d > 0.0 { 1.0 } else { 0.0 },
        }
    }

    #[inline(always)]
    fn position(&self, t: f64) -> f64 {
        self.x + t * self.d
    }

    /// Converts to cells of a grid whose corner is at the distance `offset`.
    #[inline(always)]
    fn scaled(&self, offset: f64, cell: f64, scale: f64) -> Self {
        Self {
            x: (self.x + offset) * scale,
            d: self.d * scale,
            inverse: self.inverse * cell,
            ..*self
        }
    }

    /// Returns the signed index step when the coordinate passes to the next cell; `one` is the step
    /// for a growing coordinate.
    #[inline(always)]
    fn index_step(&self, one: usize) -> usize {
        if self.d > 0.0 {
            one
        } else {
            one.wrapping_neg()
        }
    }

    /// Returns the distance at which the coordinate leaves the interval that starts at `low` and is
    /// `width` long.
    #[inline(always)]
    fn exit_distance(&self, low: f64, width: f64) -> f64 {
        (low + self.grows * width - self.x) * self.inverse + self.infinite_if_parallel
    }
}

/// Returns the maximum norm of the nearest point of a region around the centre, given by the
/// intervals of both coordinates [m].
#[inline(always)]
fn min_offset([x, y]: [[f64; 2]; 2]) -> f64 {
    let nearest = |[low, high]: [f64; 2]| fast_max(fast_max(low, -high), 0.0);
    fast_max(nearest(x), nearest(y))
}

/// Returns the maximum norm of the farthest point of such a region [m].
#[inline(always)]
fn max_offset([x, y]: [[f64; 2]; 2]) -> f64 {
    let farthest = |[low, high]: [f64; 2]| fast_max(-low, high);
    fast_max(farthest(x), farthest(y))
}

impl GridRay {
    /// Returns the distance at which the ray leaves the square of `n` cells whose corner is `(i,
    /// j)`.
    #[inline(always)]
    fn exit_distance(&self, [i, j]: [u32; 2], n: f64) -> f64 {
        fast_min(
            self.u.exit_distance(f64::from(i), n),
            self.v.exit_distance(f64::from(j), n),
        )
    }
}

impl ClipmapLevel {
    fn new(cell: f64, corner: [f64; 2], z: &[f64]) -> Self {
        let slope = |low: usize, high: usize, steps: f64| (z[high] - z[low]) / (steps * cell);
        let mut sum = 0.0;
        let mut points = Vec::with_capacity(z.len());
        for j in 0..SIDE {
            for i in 0..SIDE {
                let k = j * SIDE + i;
                let (w, e) = (i.min(1), usize::from(i + 1 < SIDE));
                let (s, n) = (j.min(1), usize::from(j + 1 < SIDE));
                let a = slope(k - w, k + e, (w + e) as f64);
                let b = slope(k - s * SIDE, k + n * SIDE, (s + n) as f64);
                sum += a * a + b * b;
                points.push([z[k] as f32, a as f32, b as f32, 0.0]);
            }
        }
        let mut bounds = vec![[f32::INFINITY, f32::NEG_INFINITY]; BLOCKS * BLOCKS];
        for (b, [low, high]) in bounds.iter_mut().enumerate() {
            let (first_row, first_column) = (b / BLOCKS * BLOCK, b % BLOCKS * BLOCK);
            for j in first_row..=(first_row + BLOCK).min(SIDE - 1) {
                for [height, ..] in
                    &points[j * SIDE..][first_column..=(first_column + BLOCK).min(SIDE - 1)]
                {
                    (*low, *high) = (low.min(*height), high.max(*height));
                }
            }
        }
        let heights = points.iter().map(|[height, ..]| *height).collect();
        Self {
            cell,
            scale: 1.0 / cell,
            corner,
            points,
            heights,
            bounds,
            slope2: sum / z.len() as f64,
        }
    }

    /// Returns the maximum of `side` times the height [m] in a region, or more. The region is given
    /// by the intervals of both coordinates relative to `center` [m]; `None` if it is large.
    #[inline(always)]
    fn top_in(&self, region: [[f64; 2]; 2], center: [f64; 2], side: f64) -> Option<f64> {
        let blocks = [0, 1].map(|axis| {
            // `as` converts negative numbers to 0.
            let block = |x: f64| {
                let cells = (x + center[axis] - self.corner[axis]) * self.scale;
                ((cells * (1.0 / BLOCK as f64)) as usize).min(BLOCKS - 1)
            };
            block(region[axis][0])..block(region[axis][1]) + 1
        });
        let [columns, rows] = blocks;
        if columns.len() * rows.len() > MAX_REGION_BLOCKS {
            return None;
        }
        let mut top = f32::NEG_INFINITY;
        for row in rows {
            for [low, high] in &self.bounds[row * BLOCKS..][columns.clone()] {
                top = fast_max(top, if side > 0.0 { *high } else { -*low });
            }
        }
        Some(f64::from(top))
    }

    #[inline(always)]
    fn interpolate(&self, x: f64, y: f64) -> [f64; 3] {
        bilinear(
            &self.points,
            SIDE,
            (x - self.corner[0]) * self.scale,
            (y - self.corner[1]) * self.scale,
        )
    }

    /// Converts a ray, whose coordinates relative to `center` are `x` and `y`, to cells of this
    /// grid.
    #[inline(always)]
    fn to_grid_ray(&self, center: Vec3, [x, y]: [RayCoordinate; 2]) -> GridRay {
        let offset = [center.x - self.corner[0], center.y - self.corner[1]];
        GridRay {
            u: x.scaled(offset[0], self.cell, self.scale),
            v: y.scaled(offset[1], self.cell, self.scale),
        }
    }

    /// Returns the cell that contains the ray at the distance `t`.
    #[inline(always)]
    fn cell_at(&self, grid_ray: &GridRay, t: f64) -> [u32; 2] {
        // `as` converts negative numbers to 0.
        [grid_ray.u.position(t), grid_ray.v.position(t)].map(|at| (at as u32).min(SIDE as u32 - 2))
    }

    /// Returns the distance at which a ray of the height `z + t dz` first meets the surface, traced
    /// from cell to cell. (2)
    fn first_root(
        &self,
        grid_ray: &GridRay,
        [z, dz]: [f64; 2],
        [mut t, end]: [f64; 2],
        side: f64,
        edge_step: f64,
    ) -> Option<f64> {
        let [i, j] = self.cell_at(grid_ray, t + edge_step);
        let mut index = j as usize * SIDE + i as usize;
        // Distance to the next grid line along either axis, and the distance between grid lines.
        let mut lines = [
            grid_ray.u.exit_distance(f64::from(i), 1.0),
            grid_ray.v.exit_distance(f64::from(j), 1.0),
        ];
        let line_spacing = [grid_ray.u.inverse.abs(), grid_ray.v.inverse.abs()];
        let index_steps = [grid_ray.u.index_step(1), grid_ray.v.index_step(SIDE)];
        let mut height = z + t * dz;
        for _ in 0..4 * BLOCK {
            let next = fast_max(fast_min(fast_min(lines[0], lines[1]), end), t);
            let next_height = z + next * dz;
            let Some(four) = self
                .heights
                .get(index..)
                .and_then(|rest| rest.first_chunk::<{ SIDE + 2 }>())
            else {
                break;
            };
            let [h, east, north, north_east] = [four[0], four[1], four[SIDE], four[SIDE + 1]];
            // The ray stays above all four corners, or below them.
            let clear = if side > 0.0 {
                fast_min(height, next_height)
                    > f64::from(fast_max(fast_max(h, east), fast_max(north, north_east)))
            } else {
                fast_max(height, next_height)
                    < f64::from(fast_min(fast_min(h, east), fast_min(north, north_east)))
            };
            if !clear
                && let Some(root) = Self::root_in(
                    grid_ray,
                    index,
                    [h, east, north, north_east],
                    [height, dz],
                    [t, next],
                    side,
                )
            {
                return Some(root);
            }
            if next >= end {
                break;
            }
            let along = lines[0] <= lines[1];
            index = index.wrapping_add(if along {
                index_steps[0]
            } else {
                index_steps[1]
            });
            lines[0] += if along { line_spacing[0] } else { 0.0 };
            lines[1] += if along { 0.0 } else { line_spacing[1] };
            (t, height) = (next, next_height);
        }
        None
    }

    /// Returns the distance at which a ray of the height `height` at `t` first meets the bilinear
    /// surface of a cell, before `next`. (2)
    #[inline(always)]
    fn root_in(
        grid_ray: &GridRay,
        index: usize,
        corners: [f32; 4],
        [height, dz]: [f64; 2],
        [t, next]: [f64; 2],
        side: f64,
    ) -> Option<f64> {
        let ([h, east, north, north_east], [i, j]) =
            (corners.map(f64::from), [index % SIDE, index / SIDE]);
        let (a, b, c) = (east - h, north - h, north_east - east - north + h);
        let (u, v) = (
            grid_ray.u.position(t) - i as f64,
            grid_ray.v.position(t) - j as f64,
        );
        let (du, dv) = (grid_ray.u.d, grid_ray.v.d);
        let f0 = side * (height - (h + a * u + b * v + c * u * v));
        let f1 = side * (dz - (a * du + b * dv + c * (u * dv + v * du)));
        let f2 = -side * c * du * dv;
        if f0 <= 0.0 {
            return Some(t);
        }
        root([f0, f1, f2], next - t).map(|root| t + root)
    }
}

/// Returns the first zero of f0 + f1 x + f2 x² in 0..=end, for f0 > 0.
#[inline(always)]
fn root([f0, f1, f2]: [f64; 3], end: f64) -> Option<f64> {
    let f_end = f0 + end * (f1 + end * f2);
    let has_minimum = f1 < 0.0 && f2 > 0.0 && f1 + 2.0 * f2 * end > 0.0;
    if f_end > 0.0 && !has_minimum {
        return None;
    }
    let square = f1 * f1 - 4.0 * f0 * f2;
    if square < 0.0 {
        return None;
    }
    let x = if f1 < 0.0 {
        2.0 * f0 / (square.sqrt() - f1)
    } else {
        -(f1 + square.sqrt()) / (2.0 * f2)
    };
    Some(x.clamp(0.0, end))
}

/// Returns the bilinear interpolation of the first three components of a grid with `width` columns,
/// at (u, v) [cells].
#[inline(always)]
fn bilinear(points: &[[f32; 4]], width: usize, u: f64, v: f64) -> [f64; 3] {
    let last = width as u32 - 2;
    let (i, j) = ((u as u32).min(last), (v as u32).min(last));
    let (u, v) = ((u - f64::from(i)) as f32, (v - f64::from(j)) as f32);
    let at = j as usize * width + i as usize;
    interpolate_corners(
        [at, at + 1, at + width, at + width + 1].map(|k| &points[k]),
        u,
        v,
    )
}

/// Returns the bilinear interpolation of the first three components between four points, in single
/// precision, in their unit.
#[inline(always)]
pub(crate) fn interpolate_corners([a, b, c, d]: [&[f32; 4]; 4], u: f32, v: f32) -> [f64; 3] {
    let mut out = [0.0_f32; 4];
    for k in 0..4 {
        let low = a[k] + (b[k] - a[k]) * u;
        let high = c[k] + (d[k] - c[k]) * u;
        out[k] = low + (high - low) * v;
    }
    [f64::from(out[0]), f64::from(out[1]), f64::from(out[2])]
}
