//! Image textures on surfaces.
//!
//! # Law
//! ```text
//!   c(u, v) at the level l = log2 w, bilinear on both levels about it and linear between  (1)
//!   (1) [Williams 1983]
//! ```
//! Each mipmap level has half the resolution of the preceding one; each texel is the mean of four.
//! On a surface seen at an oblique angle, (1) is averaged over several samples along the longer
//! axis of the pixel footprint, each with the width of the shorter axis.
//!
//! # Symbols
//! c diffuse reflectivity by colour, and opacity of the texture · u, v texture coordinates, 0..1
//! from the upper left corner · w width of a pixel footprint [texels].
//!
//! # Frames
//! Frame G of the shape. A texture on a side is upright as seen from outside: its upper edge is
//! towards +z, on the sides normal to z towards +y.
//!
//! # Limits
//! A pixel footprint is a parallelogram on the surface with an aspect ratio of at most eight.
//!
//! # Checked by
//! test/sensors/camera/texture.rs, test/witness/devices/tags.rs

use crate::scene::robot::collision::Mesh;
use merrow_math::Vec3;
use std::sync::Arc;

/// Maximum number of samples along the longer axis of a pixel footprint.
const MAX_FOOTPRINT_SAMPLES: f64 = 8.0;

/// Texels of one mipmap level.
#[derive(Clone, Debug, PartialEq)]
struct MipLevel {
    size: [usize; 2],
    /// Reflectivity by colour premultiplied by the opacity, and the opacity; row by row from the
    /// top.
    texels: Vec<[f32; 4]>,
}

/// Image texture with its mipmap levels.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    levels: Vec<MipLevel>,
    /// True if the image repeats beyond its edges.
    repeats: bool,
}

/// Mapping of a texture onto a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Mapping {
    /// Upright on sides normal to an axis and centred on them: on the faces of a box, or projected
    /// onto the shape.
    Sides {
        /// Sides -x, +x, -y, +y, -z, +z that show the texture.
        shown: [bool; 6],
        /// Width and height of the image on each pair of sides [m].
        size: [[f64; 2]; 3],
    },
    /// Texture coordinates of the mesh: one (u, v) per corner of each triangle.
    Corners(Arc<Mesh>, Vec<[[f32; 2]; 3]>),
}

/// Texture on a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceTexture {
    /// Image texture, shared between shapes.
    pub texture: Arc<Texture>,
    /// Mapping of the texture onto the shape.
    pub mapping: Mapping,
}

impl Texture {
    /// Creates a texture from texels row by row from the top; `size` is columns and rows. Colours
    /// are reflectivities [-] premultiplied by the opacity [-].
    pub fn new(size: [usize; 2], texels: Vec<[f32; 4]>, repeats: bool) -> Self {
        let mut levels = vec![MipLevel { size, texels }];
        while let Some(last) = levels.last().filter(|last| last.size != [1, 1]) {
            let next = last.halved();
            levels.push(next);
        }
        Self { levels, repeats }
    }

    /// Returns the number of columns and rows.
    pub fn size(&self) -> [usize; 2] {
        self.levels[0].size
    }

    /// Samples (1) for a pixel footprint `width` texels wide.
    fn sample(&self, uv: [f64; 2], width: f64) -> [f64; 4] {
        let level = libm::log2(width.max(1.0)).min((self.levels.len() - 1) as f64);
        let (k, fraction) = (level as usize, level - level.floor());
        let fine = self.levels[k].interpolate(uv, self.repeats);
        if fraction == 0.0 || k + 1 >= self.levels.len() {
            return fine;
        }
        let coarse = self.levels[k + 1].interpolate(uv, self.repeats);
        std::array::from_fn(|c| fine[c] + fraction * (coarse[c] - fine[c]))
    }
}

impl MipLevel {
    fn halved(&self) -> Self {
        let [columns, rows] = self.size;
        let size = self.size.map(|n| n.div_ceil(2));
        let point = |k: usize| {
            let (i, j) = (2 * (k % size[0]), 2 * (k / size[0]));
            let (i1, j1) = ((i + 1).min(columns - 1), (j + 1).min(rows - 1));
            let corners =
                [[i, j], [i1, j], [i, j1], [i1, j1]].map(|[i, j]| self.texels[j * columns + i]);
            std::array::from_fn(|c| {
                0.25 * (corners[0][c] + corners[1][c] + (corners[2][c] + corners[3][c]))
            })
        };
        Self {
            size,
            texels: (0..size[0] * size[1]).map(point).collect(),
        }
    }

    fn interpolate(&self, [u, v]: [f64; 2], repeats: bool) -> [f64; 4] {
        let [columns, rows] = self.size;
        let (x, y) = (u * columns as f64 - 0.5, v * rows as f64 - 0.5);
        let (i, j) = (x.floor(), y.floor());
        let (x, y) = (x - i, y - j);
        let texel_index = |k: f64, n: usize| {
            if repeats {
                (k as i64).rem_euclid(n as i64) as usize
            } else {
                k.clamp(0.0, (n - 1) as f64) as usize
            }
        };
        let (i, i1) = (texel_index(i, columns), texel_index(i + 1.0, columns));
        let (j, j1) = (texel_index(j, rows), texel_index(j + 1.0, rows));
        let [a, b, c, d] = [[i, j], [i1, j], [i, j1], [i1, j1]]
            .map(|[i, j]| self.texels[j * columns + i].map(f64::from));
        std::array::from_fn(|k| {
            let (above, below) = (a[k] + x * (b[k] - a[k]), c[k] + x * (d[k] - c[k]));
            above + y * (below - above)
        })
    }
}

impl SurfaceTexture {
    /// Computes the diffuse reflectivity by colour at the point `p` of `face` with the outward
    /// normal `n`, seen along `d` by a pixel whose footprint is `width` [m] wide. All vectors are
    /// in G. `base` is the reflectivity below the texture.
    pub fn color(
        &self,
        base: [f64; 3],
        face: u32,
        [p, n, d]: [Vec3; 3],
        is_box: bool,
        width: f64,
    ) -> [f64; 3] {
        let side = side(face, n, is_box);
        let Some(center) = self.texture_coordinates(face, side, p) else {
            return base;
        };
        let cosine = n.dot(d).abs().max(1e-3);
        // the longer axis of the footprint is along the projected line of sight
        let along = (d - n.scale(n.dot(d))).unit().unwrap_or(Vec3::zero());
        let across = n.cross(along);
        let stretch = (1.0 / cosine).min(MAX_FOOTPRINT_SAMPLES);
        let number = stretch.ceil().max(1.0);
        let step = width * stretch / number;
        let size = self.texture.size().map(|n| n as f64);
        let offset = |direction: Vec3, length: f64| {
            let end = self
                .texture_coordinates(face, side, p + direction.scale(length))
                .unwrap_or(center);
            [end[0] - center[0], end[1] - center[1]]
        };
        let length_in_texels =
            |[u, v]: [f64; 2]| (u * size[0] * u * size[0] + v * size[1] * v * size[1]).sqrt();
        let side_step = offset(along, step);
        let pixel = length_in_texels(side_step).max(length_in_texels(offset(across, width)));
        let mut sum = [0.0; 4];
        for k in 0..number as usize {
            let steps = k as f64 + 0.5 - 0.5 * number;
            let uv = [
                center[0] + steps * side_step[0],
                center[1] + steps * side_step[1],
            ];
            let inside = self.texture.repeats || uv.iter().all(|x| (0.0..=1.0).contains(x));
            if inside {
                let texel = self.texture.sample(uv, pixel);
                sum.iter_mut()
                    .zip(texel)
                    .for_each(|(sum, texel)| *sum += texel / number);
            }
        }
        std::array::from_fn(|c| sum[c] + (1.0 - sum[3]) * base[c])
    }

    /// Returns the texture coordinates, if the side shows the texture.
    fn texture_coordinates(&self, face: u32, side: usize, p: Vec3) -> Option<[f64; 2]> {
        match &self.mapping {
            Mapping::Sides { shown, size } => {
                if !shown[side] {
                    return None;
                }
                let (right, up) = match side {
                    0 => (-p.y, p.z),
                    1 => (p.y, p.z),
                    2 => (p.x, p.z),
                    3 => (-p.x, p.z),
                    4 => (-p.x, p.y),
                    _ => (p.x, p.y),
                };
                let [width, height] = size[side / 2];
                Some([0.5 + right / width, 0.5 - up / height])
            }
            Mapping::Corners(mesh, corners) => {
                let ([a, b, c], uv) = (
                    mesh.triangles.get(face as usize)?,
                    corners.get(face as usize)?,
                );
                let [a, b, c] = [a, b, c].map(|k| mesh.vertices[*k as usize]);
                let (ab, ac) = (b - a, c - a);
                let n = ab.cross(ac);
                let square = n.dot(n);
                if square <= 0.0 {
                    return None;
                }
                let (s, t) = (
                    (p - a).cross(ac).dot(n) / square,
                    ab.cross(p - a).dot(n) / square,
                );
                let coordinate = |k: usize| {
                    let [u, v, w] = uv.map(|corner| f64::from(corner[k]));
                    u + s * (v - u) + t * (w - u)
                };
                Some([coordinate(0), coordinate(1)])
            }
        }
    }
}

/// Returns the index of the side: the face of a box, or the dominant axis of the normal.
fn side(face: u32, n: Vec3, is_box: bool) -> usize {
    if is_box {
        return (face as usize).min(5);
    }
    let n = n.to_array();
    let axis = (0..3).fold(
        0,
        |best, k| if n[k].abs() > n[best].abs() { k } else { best },
    );
    2 * axis + usize::from(n[axis] > 0.0)
}
