//! Coarse shading of images of the quality `fast`: fewer shaded points than pixels, known as
//! variable-rate shading.
//!
//! # Method
//! - In a tile that shows no shape, only water, seabed and sky, nine rays are traced. A tile or a
//!   quarter of it is interpolated between its corners if they show the same object with nearly the
//!   same luminance.
//! - In the other quarters one pixel per block of 2 x 2 pixels is shaded. If the corners of the
//!   quarter show the same object, the distance follows from theirs. Else every second ray is
//!   traced, and the other rays only in blocks whose corners differ.
//! - In a tile with shapes all rays are traced. A quarter without shapes, or on one plain face, is
//!   shaded as above. In the others a block is shaded once if its pixels show the same object at
//!   similar distances.
//!
//! # Limits
//! An interpolated quarter can miss a detail smaller than four pixels between its corners, such as
//! a patch of foam.
//!
//! # Checked by
//! test/sensors/camera/quality.rs

use crate::camera::shading::Shader;
use crate::camera::{BandRenderer, PixelRay, TILE, Tile, add_light, lerp};
use crate::ray_scene::SurfaceHit;
use merrow_math::Vec3;

/// Difference of the distances in a block that is shaded once, relative to the distance.
const MAX_BLOCK_DEPTH: f64 = 0.03;
/// The same for the traced rays of a block or a quarter that shows no shape.
const MAX_CORNER_DEPTH: f64 = 0.1;
/// The same on the water surface, whose distance varies quickly near the horizon.
const MAX_WAVE_DEPTH: f64 = 0.2;
/// Difference of the luminances between which a tile or a quarter is interpolated, by colour and
/// relative to the maximum.
const MAX_CONTRAST: f64 = 0.08;
/// Rows and columns of a tile in which rays are traced. Every second row and column bounds the
/// quarters.
const SAMPLES: [usize; TILE / 2 + 1] = [0, 2, 4, 6, 7];
/// Number of rows and columns in [`SAMPLES`].
const SIDE: usize = SAMPLES.len();
/// Indices in [`SAMPLES`] of the rows and columns that are traced first.
const COARSE: [usize; 3] = [0, 2, 4];
/// Indices in [`SAMPLES`] of the other rows and columns.
const FINE: [usize; 2] = [1, 3];

/// Object that a pixel shows: its label and its distance [m].
#[derive(Clone, Copy)]
struct Visible {
    label: u16,
    distance: f64,
}

impl Visible {
    /// Returns the object on a ray that crosses the water surface at the distance `surface` [m].
    fn new(shader: &Shader, ray: &PixelRay, surface: Option<f64>) -> Self {
        let distance = surface.or(ray.hit.map(|hit| hit.distance));
        match distance {
            Some(distance) if shader.is_visible_at(distance) => Self {
                label: shader.label(ray, surface),
                distance,
            },
            _ => Self {
                label: shader.background_label(),
                distance: f64::MAX,
            },
        }
    }

    /// Returns true if both are the same object at similar distances.
    fn is_similar(&self, other: &Self, max_difference: f64) -> bool {
        self.label == other.label
            && (self.distance - other.distance).abs() <= max_difference * other.distance
    }
}

/// Ray of a pixel with the distance at which it crosses the water surface [m] and what it shows.
#[derive(Clone, Copy)]
struct Sample<'a> {
    ray: PixelRay<'a>,
    surface: Option<f64>,
    visible: Visible,
}

impl<'a> Sample<'a> {
    fn new(shader: &Shader, ray: PixelRay<'a>, surface: Option<f64>) -> Self {
        let visible = Visible::new(shader, &ray, surface);
        Self {
            ray,
            surface,
            visible,
        }
    }

    /// Returns true if this sample shows the same object as `first` at a similar distance, and not
    /// the sun.
    fn is_similar(&self, shader: &Shader, first: &Self) -> bool {
        let max_difference = if self.surface.is_some() {
            MAX_WAVE_DEPTH
        } else {
            MAX_CORNER_DEPTH
        };
        self.visible.is_similar(&first.visible, max_difference)
            && !shader.is_near_sun(&self.ray, self.visible.label)
    }
}

/// Rays of a tile at [`SAMPLES`], by row and column, and their luminances [cd/m²].
#[derive(Default)]
struct TileSamples<'a> {
    samples: [[Option<Sample<'a>>; SIDE]; SIDE],
    light: [[Option<Vec3>; SIDE]; SIDE],
}

impl<'a> TileSamples<'a> {
    /// Returns the luminance of a sample, by colour [cd/m²]; zero without a ray.
    fn luminance(&mut self, shader: &Shader, [j, i]: [usize; 2]) -> Vec3 {
        let sample = &self.samples[j][i];
        *self.light[j][i].get_or_insert_with(|| {
            sample.as_ref().map_or(Vec3::zero(), |sample| {
                shader.luminance(&sample.ray, sample.surface)
            })
        })
    }

    /// Returns true if these samples show the same object at similar distances, and no edge of the
    /// sun.
    fn are_similar(
        &self,
        shader: &Shader,
        first: [usize; 2],
        mut others: impl Iterator<Item = [usize; 2]>,
    ) -> bool {
        let Some(first) = &self.samples[first[0]][first[1]] else {
            return false;
        };
        others.all(|[j, i]| {
            self.samples[j][i]
                .as_ref()
                .is_some_and(|sample| sample.is_similar(shader, first))
        })
    }

    /// Shades a quarter whose corners are similar, once per block. `ray` returns the ray of a
    /// sample.
    fn shade_blocks(
        &mut self,
        shader: &Shader,
        quarter: usize,
        mut ray: impl FnMut([usize; 2]) -> Option<PixelRay<'a>>,
        light: &mut TileLight,
    ) {
        for block in quarter_blocks(quarter) {
            let [j, i] = block;
            if self.samples[j][i].is_none() {
                let corners = quarter_corners(quarter);
                self.samples[j][i] = ray(block)
                    .and_then(|ray| self.interpolate(shader, ray, corners, [j % 2, i % 2]));
            }
            light.fill_block(block, self.luminance(shader, block));
        }
    }

    /// Returns the sample on `ray` at the position `[j, i]` in a quarter, in half its size, from
    /// the samples at its corners; `None` without them.
    ///
    /// The reciprocal distance is interpolated, which is exact for planes. One Newton step leads
    /// back to the waves.
    fn interpolate(
        &self,
        shader: &Shader,
        ray: PixelRay<'a>,
        corners: [[usize; 2]; 4],
        [j, i]: [usize; 2],
    ) -> Option<Sample<'a>> {
        let [a, b, c, d] = corners.map(|[j, i]| self.samples[j][i].as_ref());
        let corners = [a?, b?, c?, d?];
        let (u, v) = (0.5 * i as f64, 0.5 * j as f64);
        let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v];
        let mean = |distances: [Option<f64>; 4]| {
            let [a, b, c, d] = distances;
            let reciprocals = [1.0 / a?, 1.0 / b?, 1.0 / c?, 1.0 / d?];
            Some(1.0 / (0..4).map(|k| weights[k] * reciprocals[k]).sum::<f64>())
        };
        let hit_distance = mean(corners.map(|sample| sample.ray.hit.map(|hit| hit.distance)));
        let hit = hit_distance.and_then(|distance| {
            let hit = corners[0].ray.hit?;
            Some(SurfaceHit { distance, ..hit })
        });
        let surface = mean(corners.map(|sample| sample.surface))
            .map(|distance| shader.surface_near(&ray, distance));
        let ray = PixelRay { hit, ..ray };
        Some(Sample::new(shader, ray, surface))
    }

    /// Returns true if a sample shows the sky.
    fn is_sky(&self, shader: &Shader, [j, i]: [usize; 2]) -> bool {
        let sample = self.samples[j][i].as_ref();
        sample.is_some_and(|sample| shader.is_sky(sample.visible.label))
    }

    /// Fills the rectangle between two samples with the interpolation between its corners, if their
    /// luminances and `inner`, the luminance at a point in it, are similar. A quarter of a tile
    /// that shows the sky is always filled. Returns whether it did.
    fn fill(
        &mut self,
        shader: &Shader,
        [low, high]: [[usize; 2]; 2],
        inner: Option<[usize; 2]>,
        light: &mut TileLight,
    ) -> bool {
        let corners = corners_of([low, high]);
        // Samples in the last row and column are only used here, so they are shaded last.
        let mut order = corners;
        order.sort_unstable_by_key(|at| at.contains(&(SIDE - 1)));
        let is_sky = inner.is_none() && self.is_sky(shader, low);
        let mut range: Option<[Vec3; 2]> = None;
        for at in inner.into_iter().chain(order) {
            let luminance = self.luminance(shader, at);
            let [lowest, highest] = range.unwrap_or([luminance; 2]);
            let bounds = [
                min_by_component(lowest, luminance),
                max_by_component(highest, luminance),
            ];
            if !is_sky && !has_low_contrast(bounds) {
                return false;
            }
            range = Some(bounds);
        }
        let corners = corners.map(|at| self.luminance(shader, at));
        light.fill(corners, low.map(|k| SAMPLES[k]), high.map(|k| SAMPLES[k]));
        true
    }
}

fn min_by_component(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.x.min(b.x), a.y.min(b.y), a.z.min(b.z))
}

fn max_by_component(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(a.x.max(b.x), a.y.max(b.y), a.z.max(b.z))
}

/// Returns true if luminances between these bounds differ by at most [`MAX_CONTRAST`].
fn has_low_contrast([low, high]: [Vec3; 2]) -> bool {
    let (range, most) = (high - low, high.x.max(high.y).max(high.z));
    range.x.max(range.y).max(range.z) <= MAX_CONTRAST * most
}

/// Luminances of the pixels of a tile in a band.
struct TileLight<'a> {
    /// Luminances of the pixels of the band [cd/m²].
    band: &'a mut [[f32; 3]],
    /// Columns of the band.
    columns: usize,
    /// First column of the tile.
    left: usize,
}

impl TileLight<'_> {
    /// Fills the pixels from `low` to before `high`, row and column in the tile, with the bilinear
    /// interpolation between the luminances at `low` and `high`. The last row and column of the
    /// tile are filled too.
    fn fill(&mut self, [a, b, c, d]: [Vec3; 4], low: [usize; 2], high: [usize; 2]) {
        let pixels = |axis: usize| {
            let end = high[axis] + usize::from(high[axis] == TILE - 1);
            let scale = 1.0 / (high[axis] - low[axis]) as f64;
            (low[axis]..end).map(move |k| (k, (k - low[axis]) as f64 * scale))
        };
        for (row, v) in pixels(0) {
            let (first, last) = (lerp(a, c, v), lerp(b, d, v));
            for (column, u) in pixels(1) {
                add_light(self.pixel([row, column]), lerp(first, last, u));
            }
        }
    }

    /// Fills a block of 2 x 2 pixels, given as the sample at its first pixel.
    fn fill_block(&mut self, [j, i]: [usize; 2], luminance: Vec3) {
        for [row, column] in [[0, 0], [0, 1], [1, 0], [1, 1]] {
            add_light(self.pixel([2 * j + row, 2 * i + column]), luminance);
        }
    }

    fn pixel(&mut self, [row, column]: [usize; 2]) -> &mut [f32; 3] {
        &mut self.band[row * self.columns + self.left + column]
    }
}

/// Shading of the pixels of a tile, which are passed row by row.
#[derive(Default)]
struct CoarseShading {
    /// Object and luminance [cd/m²] of the pixels that were shaded last, by column of blocks.
    blocks: [Option<(Visible, Vec3)>; TILE / 2],
}

impl CoarseShading {
    /// Returns the luminance of a pixel, by colour [cd/m²]: the luminance of the block if both show
    /// the same object.
    fn luminance(&mut self, shader: &Shader, sample: &Sample) -> Vec3 {
        let [column, row] = sample.ray.pixel;
        let own = &mut self.blocks[column % TILE / 2];
        let is_first = column % 2 == 0 && row % 2 == 0;
        if let Some((first, light)) = *own
            && !is_first
            && sample.visible.is_similar(&first, MAX_BLOCK_DEPTH)
        {
            return light;
        }
        let light = shader.luminance(&sample.ray, sample.surface);
        *own = Some((sample.visible, light));
        light
    }
}

/// Returns the samples that bound the quarter `quarter` of a tile.
fn quarter_bounds(quarter: usize) -> [[usize; 2]; 2] {
    let low = [quarter / 2 * 2, quarter % 2 * 2];
    [low, low.map(|k| k + 2)]
}

/// Returns the blocks of a quarter of a tile, as the samples at their first pixels.
fn quarter_blocks(quarter: usize) -> [[usize; 2]; 4] {
    let [[j, i], _] = quarter_bounds(quarter);
    [[j, i], [j, i + 1], [j + 1, i], [j + 1, i + 1]]
}

/// Returns the samples at the corners of a quarter of a tile.
fn quarter_corners(quarter: usize) -> [[usize; 2]; 4] {
    corners_of(quarter_bounds(quarter))
}

/// Returns the samples at the corners of a rectangle between two samples.
fn corners_of([low, high]: [[usize; 2]; 2]) -> [[usize; 2]; 4] {
    [low, [low[0], high[1]], [high[0], low[1]], high]
}

impl<'a> BandRenderer<'a> {
    /// Shades the tile whose first pixel is `[left, top]` if it shows no shape; returns false
    /// otherwise. `light` is the radiance of the pixels of the band.
    pub(crate) fn shade_sparse_tile(
        &self,
        [left, top]: [usize; 2],
        light: &mut [[f32; 3]],
        tile: &mut Tile<'a>,
    ) -> bool {
        let (world, shader, columns) = (self.world, self.shader, self.spec.size[0]);
        self.sample_rays([left, top], [&COARSE, &COARSE], tile);
        if tile.rays.len() != COARSE.len() * COARSE.len()
            || world.ray_scene.may_hit_shapes(&tile.rays, &self.skip)
        {
            return false;
        }
        let clearance = shader.surface_clearance(&tile.rays);
        let mut grid = TileSamples::default();
        let trace = |lines: [&[usize]; 2], tile: &mut Tile<'a>, grid: &mut TileSamples<'a>| {
            self.trace_bottom(clearance, tile);
            for (k, surface) in tile.surfaces.iter().enumerate() {
                let at = [lines[0][k / lines[1].len()], lines[1][k % lines[1].len()]];
                let sample = Sample::new(shader, tile.pixel_ray(k), *surface);
                grid.samples[at[0]][at[1]] = Some(sample);
            }
        };
        trace([&COARSE, &COARSE], tile, &mut grid);
        let mut out = TileLight {
            band: light,
            columns,
            left,
        };
        let coarse = COARSE.iter().flat_map(|j| COARSE.map(|i| [*j, i]));
        let is_uniform = grid.are_similar(shader, [0, 0], coarse);
        let whole = [[0, 0], [SIDE - 1, SIDE - 1]];
        if is_uniform && grid.fill(shader, whole, Some([2, 2]), &mut out) {
            return true;
        }
        let is_similar = [0, 1, 2, 3].map(|quarter| {
            let corners = quarter_corners(quarter);
            is_uniform || grid.are_similar(shader, corners[0], corners.into_iter())
        });
        let is_filled: [bool; 4] = std::array::from_fn(|quarter| {
            let bounds = quarter_bounds(quarter);
            is_similar[quarter] && grid.fill(shader, bounds, None, &mut out)
        });
        if is_filled == [true; 4] {
            return true;
        }
        if is_similar != [true; 4] {
            for lines in [[&FINE[..], &[0, 1, 2, 3, 4]], [&COARSE, &FINE]] {
                self.sample_rays([left, top], lines, tile);
                if tile.rays.len() == lines[0].len() * lines[1].len() {
                    trace(lines, tile, &mut grid);
                }
            }
        }
        for quarter in (0..4).filter(|quarter| !is_filled[*quarter]) {
            if is_similar[quarter] {
                let ray = |[j, i]: [usize; 2]| {
                    self.sample_rays([left, top], [&[j], &[i]], tile);
                    (!tile.rays.is_empty()).then(|| tile.pixel_ray(0).without_hit())
                };
                grid.shade_blocks(shader, quarter, ray, &mut out);
            } else {
                let place = (quarter, top, clearance);
                self.shade_mixed_quarter(place, &mut grid, &mut out, tile);
            }
        }
        true
    }

    /// Shades the quarter with this number, which shows several objects, in the tile that starts at
    /// a row. No ray crosses the water surface before a distance [m].
    fn shade_mixed_quarter(
        &self,
        (quarter, top, clearance): (usize, usize, f64),
        grid: &mut TileSamples<'a>,
        out: &mut TileLight,
        tile: &mut Tile<'a>,
    ) {
        for [j, i] in quarter_blocks(quarter) {
            let corners = [[j, i + 1], [j + 1, i], [j + 1, i + 1]];
            if grid.are_similar(self.shader, [j, i], corners.into_iter()) {
                out.fill_block([j, i], grid.luminance(self.shader, [j, i]));
            } else {
                let block = [out.left + 2 * i, top + 2 * j];
                self.shade_block(block, clearance, out, tile);
            }
        }
    }

    /// Computes the rays of a tile in these rows and columns, given as indices in [`SAMPLES`].
    fn sample_rays(
        &self,
        [left, top]: [usize; 2],
        [rows, columns]: [&[usize]; 2],
        tile: &mut Tile<'_>,
    ) {
        let rows = rows.iter().map(|k| top + SAMPLES[*k]);
        let columns = columns.iter().map(|k| left + SAMPLES[*k]);
        self.tile_rays(rows, columns, None, tile);
    }

    /// Traces the rays of a tile, which hit no shape other than a terrain and do not cross the
    /// water surface before the distance `clearance` [m].
    fn trace_bottom(&self, clearance: f64, tile: &mut Tile<'a>) {
        let ray_scene = self.world.ray_scene;
        ray_scene.first_bottom_hits(&self.skip, &tile.rays, &mut tile.hits);
        self.find_surfaces(clearance, self.shader.color_range, tile);
    }

    /// Shades a block of 2 x 2 pixels. No ray crosses the water surface before the distance
    /// `clearance` [m].
    fn shade_block(
        &self,
        [left, upper]: [usize; 2],
        clearance: f64,
        out: &mut TileLight,
        tile: &mut Tile<'a>,
    ) {
        self.tile_rays(upper..upper + 2, left..left + 2, None, tile);
        // the rays are between the rays of a tile that shows no shape
        self.trace_bottom(clearance, tile);
        let mut shading = CoarseShading::default();
        for (k, surface) in tile.surfaces.iter().enumerate() {
            let sample = Sample::new(self.shader, tile.pixel_ray(k), *surface);
            let [column, row] = sample.ray.pixel;
            let pixel = out.pixel([row % TILE, column - out.left]);
            add_light(pixel, shading.luminance(self.shader, &sample));
        }
    }

    /// Returns true if no ray hits a shape, or all hit one face of one colour.
    fn are_plain<'b>(&self, mut hits: impl Iterator<Item = Option<SurfaceHit<'b>>>) -> bool {
        match hits.next().flatten().filter(|hit| hit.label > 1) {
            Some(first) if self.world.ray_scene.has_texture(&first) => false,
            Some(first) => hits.all(|hit| hit.is_some_and(|hit| hit.is_on_same_face(&first))),
            None => hits.all(|hit| hit.is_none_or(|hit| hit.label <= 1)),
        }
    }

    /// Shades a tile whose rays are all traced, into the radiance `light` of the band. No ray
    /// crosses the water surface before the distance `clearance` [m].
    pub(crate) fn shade_traced_tile(
        &self,
        left: usize,
        clearance: f64,
        tile: &Tile<'_>,
        light: &mut [[f32; 3]],
    ) {
        let shader = self.shader;
        let mut out = TileLight {
            band: light,
            columns: self.spec.size[0],
            left,
        };
        let sample = |k: usize| {
            let ray = tile.pixel_ray(k);
            let surface = match tile.surfaces.get(k) {
                Some(surface) => *surface,
                None => shader.surface_before(&ray, clearance, shader.color_range),
            };
            Sample::new(shader, ray, surface)
        };
        let mut shading = CoarseShading::default();
        let mut shade = |k: usize, out: &mut TileLight| {
            let sample = sample(k);
            let [column, row] = sample.ray.pixel;
            let pixel = out.pixel([row % TILE, column - left]);
            add_light(pixel, shading.luminance(shader, &sample));
        };
        if tile.rays.len() != TILE * TILE {
            (0..tile.rays.len()).for_each(|k| shade(k, &mut out));
            return;
        }
        let mut grid = TileSamples::default();
        for quarter in 0..4 {
            let [low, high] = quarter_bounds(quarter);
            let pixels = |high: [usize; 2]| {
                (SAMPLES[low[0]]..high[0])
                    .flat_map(move |row| (SAMPLES[low[1]]..high[1]).map(move |i| row * TILE + i))
            };
            let with_corners = pixels(high.map(|k| SAMPLES[k] + 1));
            let corners = quarter_corners(quarter);
            if self.are_plain(with_corners.map(|k| tile.hits[k])) {
                for [j, i] in corners {
                    let k = SAMPLES[j] * TILE + SAMPLES[i];
                    grid.samples[j][i].get_or_insert_with(|| sample(k));
                }
                if grid.are_similar(shader, low, corners.into_iter()) {
                    let ray = |[j, i]: [usize; 2]| {
                        let k = SAMPLES[j] * TILE + SAMPLES[i];
                        Some(tile.pixel_ray(k).without_hit())
                    };
                    if !grid.fill(shader, [low, high], None, &mut out) {
                        grid.shade_blocks(shader, quarter, ray, &mut out);
                    }
                    continue;
                }
            }
            let own = low.map(|k| SAMPLES[k] + TILE / 2);
            pixels(own).for_each(|k| shade(k, &mut out));
        }
    }
}
