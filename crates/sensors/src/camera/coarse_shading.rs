//! Coarse shading of images of the quality `fast`: one shaded pixel per block of 2 x 2 pixels,
//! known as variable-rate shading.
//!
//! A block is shaded once if its pixels show the same object at similar distances. In a tile that
//! shows no shape, only water, seabed and sky, every second ray is traced. The other rays are
//! traced only in blocks whose corners differ. A tile that shows only sky or only water is smooth:
//! it is shaded at nine points and interpolated.

use crate::camera::shading::Shader;
use crate::camera::{BandRenderer, PixelRay, TILE, Tile, add_light, lerp};
use crate::ray_scene::SurfaceHit;
use merrow_math::Vec3;

/// Difference of the distances in a block that is shaded once, relative to the distance.
const MAX_BLOCK_DEPTH: f64 = 0.03;
/// The same for the corners of a block of a tile without shapes.
const MAX_CORNER_DEPTH: f64 = 0.1;
/// Rows and columns of a tile without shapes in which rays are traced.
const SAMPLES: [usize; TILE / 2 + 1] = [0, 2, 4, 6, 7];

/// Indices in [`SAMPLES`] of the rows and columns that are shaded in a smooth tile.
const SMOOTH_SAMPLES: [usize; 3] = [0, 2, 4];

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
        Self {
            label: shader.label(ray, surface),
            distance: distance.unwrap_or(f64::MAX),
        }
    }

    /// Returns true if both are the same object at similar distances.
    fn is_similar(&self, other: &Self, max_difference: f64) -> bool {
        self.label == other.label
            && (self.distance - other.distance).abs() <= max_difference * other.distance
    }
}

/// Shading of the pixels of a tile, which are passed row by row.
#[derive(Default)]
pub(crate) struct CoarseShading {
    /// Object and luminance [cd/m²] of the pixels that were shaded last, by column of blocks.
    blocks: [Option<(Visible, Vec3)>; TILE / 2],
}

impl CoarseShading {
    /// Returns the luminance of a pixel, by colour [cd/m²]. With the quality `fast` it is the
    /// luminance of the block if both show the same object.
    pub(crate) fn luminance(
        &mut self,
        shader: &Shader,
        ray: &PixelRay,
        surface: Option<f64>,
    ) -> Vec3 {
        if !shader.fast {
            return shader.luminance(ray, surface);
        }
        let [column, row] = ray.pixel;
        let own = &mut self.blocks[column % TILE / 2];
        let visible = Visible::new(shader, ray, surface);
        let is_first = column % 2 == 0 && row % 2 == 0;
        if let Some((first, light)) = *own
            && !is_first
            && visible.is_similar(&first, MAX_BLOCK_DEPTH)
        {
            return light;
        }
        let light = shader.luminance(ray, surface);
        *own = Some((visible, light));
        light
    }
}

/// Fills a tile, whose first column is `left`, with the bilinear interpolation between nine
/// luminances [cd/m²]. `light` is the radiance of a band with this number of `columns`.
fn fill_smooth(corners: &[[Vec3; 3]; 3], left: usize, columns: usize, light: &mut [[f32; 3]]) {
    // Index of the sample before each row or column, and the fraction of the interval before it.
    let positions: [(usize, f64); TILE] = std::array::from_fn(|k| {
        let end = usize::from(k >= SAMPLES[SMOOTH_SAMPLES[1]]);
        let [first, last] = [end, end + 1].map(|end| SAMPLES[SMOOTH_SAMPLES[end]]);
        (end, (k - first) as f64 / (last - first) as f64)
    });
    for (row, (j, v)) in positions.iter().enumerate() {
        let line: [Vec3; 3] = std::array::from_fn(|i| lerp(corners[*j][i], corners[j + 1][i], *v));
        let pixels = &mut light[row * columns + left..][..TILE];
        for (pixel, (i, u)) in pixels.iter_mut().zip(&positions) {
            add_light(pixel, lerp(line[*i], line[i + 1], *u));
        }
    }
}

impl BandRenderer<'_> {
    /// Shades the tile whose first pixel is `[left, top]` if it shows no shape; returns false
    /// otherwise. `light` is the radiance of the pixels of the band.
    pub(crate) fn shade_sparse_tile<'a>(
        &'a self,
        [left, top]: [usize; 2],
        light: &mut [[f32; 3]],
        tile: &mut Tile,
        hits: &mut Vec<Option<SurfaceHit<'a>>>,
    ) -> bool {
        let (world, shader, columns) = (self.world, self.shader, self.spec.size[0]);
        let at = |first: usize| SAMPLES.iter().map(move |k| first + k);
        self.tile_rays(at(top), at(left), None, tile);
        let count = SAMPLES.len();
        if tile.rays.len() != count * count
            || world.ray_scene.may_hit_shapes(&tile.rays, &self.skip)
        {
            return false;
        }
        world
            .ray_scene
            .first_bottom_hits(world.view, &self.skip, &tile.rays, hits);
        let clearance = shader.surface_clearance(&tile.rays);
        let samples: [_; SAMPLES.len() * SAMPLES.len()] = std::array::from_fn(|k| {
            let ray = tile.pixel_ray(k, hits[k]);
            let surface = shader.surface_before(&ray, clearance, self.spec.range[1]);
            let visible = Visible::new(shader, &ray, surface);
            (ray, surface, visible)
        });
        let is_smooth = |(ray, _, visible): &(PixelRay, Option<f64>, Visible)| {
            shader.is_smooth(ray, visible.label, visible.distance)
        };
        if samples.iter().all(is_smooth) {
            let corners = SMOOTH_SAMPLES.map(|j| {
                SMOOTH_SAMPLES.map(|i| {
                    let (ray, surface, _) = &samples[j * count + i];
                    shader.luminance(ray, *surface)
                })
            });
            fill_smooth(&corners, left, columns, light);
            return true;
        }
        let mut mixed = [[0; 2]; TILE * TILE / 4];
        let mut mixed_count = 0;
        for (j, i) in (0..TILE / 2).flat_map(|j| (0..TILE / 2).map(move |i| (j, i))) {
            let k = j * count + i;
            let (ray, surface, visible) = &samples[k];
            let corners = [k + 1, k + count, k + count + 1];
            let is_uniform = corners
                .iter()
                .all(|k| samples[*k].2.is_similar(visible, MAX_CORNER_DEPTH));
            let block = [left + 2 * i, top + 2 * j];
            if !is_uniform {
                mixed[mixed_count] = block;
                mixed_count += 1;
                continue;
            }
            let luminance = shader.luminance(ray, *surface);
            for row in [2 * j, 2 * j + 1] {
                let first = row * columns + block[0];
                for pixel in &mut light[first..first + 2] {
                    add_light(pixel, luminance);
                }
            }
        }
        for block in &mixed[..mixed_count] {
            self.shade_block(*block, top, clearance, light, tile, hits);
        }
        true
    }

    /// Shades a block of 2 x 2 pixels in a band that starts at the row `top`. No ray crosses the
    /// water surface before the distance `clearance` [m].
    fn shade_block<'a>(
        &'a self,
        [left, upper]: [usize; 2],
        top: usize,
        clearance: f64,
        light: &mut [[f32; 3]],
        tile: &mut Tile,
        hits: &mut Vec<Option<SurfaceHit<'a>>>,
    ) {
        let (world, shader) = (self.world, self.shader);
        self.tile_rays(upper..upper + 2, left..left + 2, None, tile);
        // the rays are between the rays of a tile that shows no shape
        world
            .ray_scene
            .first_bottom_hits(world.view, &self.skip, &tile.rays, hits);
        let mut shading = CoarseShading::default();
        for (k, hit) in hits.iter().enumerate() {
            let ray = tile.pixel_ray(k, *hit);
            let surface = shader.surface_before(&ray, clearance, self.spec.range[1]);
            let [column, row] = ray.pixel;
            let pixel = &mut light[(row - top) * self.spec.size[0] + column];
            add_light(pixel, shading.luminance(shader, &ray, surface));
        }
    }
}
