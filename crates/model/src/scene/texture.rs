//! Pictures on surfaces.
//!
//! # Law
//! ```text
//!   c(u, v) at the level l = log2 w, bilinear on both levels about it and linear between        (1)  [Williams 1983]
//! ```
//! Each level has half the points of the one before, every one the mean of four. Where a surface is seen at a slant, (1) is the mean of several places along the pixel's longer side, each
//! as wide as its shorter one.
//!
//! # Symbols
//! c light given back, by colour, and how much of the surface the picture covers · u, v place in the picture, 0..1 from its upper left corner · w width of a pixel, in points.
//!
//! # Frames
//! The shape's own, G. A picture on a side stands upright: its upper edge is to +z, on the sides across z to +y; it is seen from outside.
//!
//! # Limits
//! A pixel is a parallelogram of the surface, eight times as long as wide at most.
//!
//! # Checked by
//! test/analytic/texture.rs, test/witness/tags.rs

use crate::scene::robot::collision::Mesh;
use merrow_math::Vec3;
use std::sync::Arc;

/// Places along a pixel's longer side, at most.
const LONGEST: f64 = 8.0;

/// Points in one size.
#[derive(Clone, Debug, PartialEq)]
struct Level {
    size: [usize; 2],
    /// Light given back times cover, by colour, and cover; row by row from the top.
    points: Vec<[f32; 4]>,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    levels: Vec<Level>,
    /// True if it goes on beyond its edges.
    repeats: bool,
}

/// How a picture lies on a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Mapping {
    /// Upright on sides across an axis, about the middle: of a box, or across the shape.
    Sides {
        /// -x, +x, -y, +y, -z, +z: which show it.
        shown: [bool; 6],
        /// Width and height of the picture [m], of each pair of sides.
        size: [[f64; 2]; 3],
    },
    /// As the mesh says: for each corner of each triangle.
    Corners(Arc<Mesh>, Vec<[[f32; 2]; 3]>),
}

/// A picture on a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Coat {
    /// The picture.
    pub texture: Arc<Texture>,
    /// How it lies.
    pub mapping: Mapping,
}

impl Texture {
    /// Of points row by row from the top; `size` columns and rows. Colours are light given back, times cover.
    pub fn new(size: [usize; 2], points: Vec<[f32; 4]>, repeats: bool) -> Self {
        let mut levels = vec![Level { size, points }];
        while let Some(last) = levels.last().filter(|last| last.size != [1, 1]) {
            let next = last.halved();
            levels.push(next);
        }
        Self { levels, repeats }
    }

    /// Columns and rows.
    pub fn size(&self) -> [usize; 2] {
        self.levels[0].size
    }

    /// (1) where pixels are `width` points wide.
    fn at(&self, uv: [f64; 2], width: f64) -> [f64; 4] {
        let level = libm::log2(width.max(1.0)).min((self.levels.len() - 1) as f64);
        let (k, part) = (level as usize, level - level.floor());
        let fine = self.levels[k].at(uv, self.repeats);
        if part == 0.0 || k + 1 >= self.levels.len() {
            return fine;
        }
        let wide = self.levels[k + 1].at(uv, self.repeats);
        std::array::from_fn(|c| fine[c] + part * (wide[c] - fine[c]))
    }
}

impl Level {
    fn halved(&self) -> Self {
        let [columns, rows] = self.size;
        let size = self.size.map(|n| n.div_ceil(2));
        let point = |k: usize| {
            let (i, j) = (2 * (k % size[0]), 2 * (k / size[0]));
            let (i1, j1) = ((i + 1).min(columns - 1), (j + 1).min(rows - 1));
            let four =
                [[i, j], [i1, j], [i, j1], [i1, j1]].map(|[i, j]| self.points[j * columns + i]);
            std::array::from_fn(|c| 0.25 * (four[0][c] + four[1][c] + (four[2][c] + four[3][c])))
        };
        Self {
            size,
            points: (0..size[0] * size[1]).map(point).collect(),
        }
    }

    fn at(&self, [u, v]: [f64; 2], repeats: bool) -> [f64; 4] {
        let [columns, rows] = self.size;
        let (x, y) = (u * columns as f64 - 0.5, v * rows as f64 - 0.5);
        let (i, j) = (x.floor(), y.floor());
        let (x, y) = (x - i, y - j);
        let place = |k: f64, n: usize| {
            if repeats {
                (k as i64).rem_euclid(n as i64) as usize
            } else {
                k.clamp(0.0, (n - 1) as f64) as usize
            }
        };
        let (i, i1) = (place(i, columns), place(i + 1.0, columns));
        let (j, j1) = (place(j, rows), place(j + 1.0, rows));
        let [a, b, c, d] = [[i, j], [i1, j], [i, j1], [i1, j1]]
            .map(|[i, j]| self.points[j * columns + i].map(f64::from));
        std::array::from_fn(|k| {
            let (above, below) = (a[k] + x * (b[k] - a[k]), c[k] + x * (d[k] - c[k]));
            above + y * (below - above)
        })
    }
}

impl Coat {
    /// Light that the surface gives back, by colour, at `p` on the face `face`, whose outward normal is `n`, seen along `d` by a pixel that is `width` [m] wide there; all in G.
    pub fn color(
        &self,
        base: [f64; 3],
        face: u32,
        [p, n, d]: [Vec3; 3],
        is_box: bool,
        width: f64,
    ) -> [f64; 3] {
        let side = side(face, n, is_box);
        let Some(middle) = self.place(face, side, p) else {
            return base;
        };
        let cosine = n.dot(d).abs().max(1e-3);
        // the pixel's longer side runs along the sight
        let along = (d - n.scale(n.dot(d))).unit().unwrap_or(Vec3::zero());
        let across = n.cross(along);
        let stretch = (1.0 / cosine).min(LONGEST);
        let number = stretch.ceil().max(1.0);
        let step = width * stretch / number;
        let size = self.texture.size().map(|n| n as f64);
        let far = |way: Vec3, length: f64| {
            let there = self
                .place(face, side, p + way.scale(length))
                .unwrap_or(middle);
            [there[0] - middle[0], there[1] - middle[1]]
        };
        let points =
            |[u, v]: [f64; 2]| (u * size[0] * u * size[0] + v * size[1] * v * size[1]).sqrt();
        let side_step = far(along, step);
        let pixel = points(side_step).max(points(far(across, width)));
        let mut sum = [0.0; 4];
        for k in 0..number as usize {
            let at = k as f64 + 0.5 - 0.5 * number;
            let uv = [middle[0] + at * side_step[0], middle[1] + at * side_step[1]];
            let inside = self.texture.repeats || uv.iter().all(|x| (0.0..=1.0).contains(x));
            if inside {
                let one = self.texture.at(uv, pixel);
                sum.iter_mut()
                    .zip(one)
                    .for_each(|(sum, one)| *sum += one / number);
            }
        }
        std::array::from_fn(|c| sum[c] + (1.0 - sum[3]) * base[c])
    }

    /// Place in the picture, if it is on this side.
    fn place(&self, face: u32, side: usize, p: Vec3) -> Option<[f64; 2]> {
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
                let at = |k: usize| {
                    let [u, v, w] = uv.map(|corner| f64::from(corner[k]));
                    u + s * (v - u) + t * (w - u)
                };
                Some([at(0), at(1)])
            }
        }
    }
}

/// Number of the side: a box's face, or where the normal points most.
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
