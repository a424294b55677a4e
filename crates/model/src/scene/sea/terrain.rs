//! The ground on a regular grid of heights: one surface for contact, echo sounders and tethers.
//!
//! # Law
//! Every cell is two triangles that share the diagonal from its south-western to its north-eastern corner. Beyond its edges
//! the ground goes on level.
//!
//! # Symbols
//! None.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! No overhangs. What is smaller than a cell is not there. Lines of longitude and latitude are curves in W: contact takes a cell between exact corners as flat, the height in
//! it goes by the curves, and the two are apart by the slope times s²/8R for cells of the size s (0.2 mm for 100 m).
//!
//! # Checked by
//! test/analytic/terrain.rs, test/witness/terrain.rs

use crate::scene::sea::grid::Grid;
use merrow_math::Vec3;
use std::sync::Arc;

/// Cells along the side of a tile.
const TILE: usize = 64;

/// Heights over a level lattice.
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    grid: Arc<Grid>,
    /// Samples along east and north.
    count: [usize; 2],
    /// South-western sample [m].
    corner: [f64; 2],
    /// Distances between samples [m].
    step: [f64; 2],
    /// Highest sample of each tile, its edges among them, x fastest [m].
    tops: Vec<f64>,
    /// Lowest and highest sample [m].
    ends: [f64; 2],
}

impl Terrain {
    /// The ground whose heights `grid` holds; none if its axes are not evenly spaced, or have fewer than two samples.
    pub fn new(grid: Arc<Grid>) -> Option<Self> {
        let step = [grid.axes[0].step()?, grid.axes[1].step()?];
        let count = [grid.axes[0].count(), grid.axes[1].count()];
        let corner = [grid.axes[0].at(0), grid.axes[1].at(0)];
        let tiles = count.map(|n| (n - 1).div_ceil(TILE));
        let mut terrain = Self {
            grid,
            count,
            corner,
            step,
            tops: vec![f64::NEG_INFINITY; tiles[0] * tiles[1]],
            ends: [f64::INFINITY, f64::NEG_INFINITY],
        };
        for j in 0..count[1] {
            for i in 0..count[0] {
                let h = terrain.sample(i, j);
                terrain.ends = [terrain.ends[0].min(h), terrain.ends[1].max(h)];
                // a sample on the edge of tiles belongs to all of them
                for tj in j.saturating_sub(1) / TILE..=(j / TILE).min(tiles[1] - 1) {
                    for ti in i.saturating_sub(1) / TILE..=(i / TILE).min(tiles[0] - 1) {
                        let top = &mut terrain.tops[tj * tiles[0] + ti];
                        *top = top.max(h);
                    }
                }
            }
        }
        Some(terrain)
    }

    /// What tells this ground from others.
    pub fn digest(&self) -> u64 {
        self.grid.digest
    }

    /// Lowest and highest height [m].
    pub fn ends(&self) -> [f64; 2] {
        self.ends
    }

    /// Samples along the grid's axes.
    pub fn count(&self) -> [usize; 2] {
        self.count
    }

    /// Sample `i` along the first axis and `j` along the second [m].
    #[inline]
    pub fn sample(&self, i: usize, j: usize) -> f64 {
        self.grid.sample([i, j, 0, 0])
    }

    /// The place (x, y) of W along the grid's axes.
    #[inline]
    fn along(&self, x: f64, y: f64) -> [f64; 2] {
        self.grid
            .plane
            .map_or([x, y], |plane| plane.to_angles(x, y).0)
    }

    /// Rates of that along x and y of W.
    fn rates(&self, x: f64, y: f64) -> [[f64; 2]; 2] {
        self.grid
            .plane
            .map_or([[1.0, 0.0], [0.0, 1.0]], |plane| plane.to_angles(x, y).1)
    }

    /// Cell and place in it along one axis; outside it is the edge.
    #[inline]
    fn find(&self, axis: usize, x: f64) -> (usize, f64) {
        let s =
            ((x - self.corner[axis]) / self.step[axis]).clamp(0.0, (self.count[axis] - 1) as f64);
        let k = (s as usize).min(self.count[axis] - 2);
        (k, s - k as f64)
    }

    /// Height and slopes of a cell's triangle at the place (u, v) in it.
    #[inline]
    fn in_cell(&self, [i, j]: [usize; 2], [u, v]: [f64; 2]) -> (f64, [f64; 2]) {
        let (h00, h11) = (self.sample(i, j), self.sample(i + 1, j + 1));
        let (along, up) = if u >= v {
            let h10 = self.sample(i + 1, j);
            (h10 - h00, h11 - h10)
        } else {
            let h01 = self.sample(i, j + 1);
            (h11 - h01, h01 - h00)
        };
        (
            h00 + u * along + v * up,
            [along / self.step[0], up / self.step[1]],
        )
    }

    /// True if the grid's axes are curves in W.
    pub fn is_curved(&self) -> bool {
        self.grid.plane.is_some()
    }

    /// The place of (x, y) along the axes, in cells from the first sample; beyond the ground less than 0 or more than there are.
    #[inline]
    pub fn cells(&self, x: f64, y: f64) -> [f64; 2] {
        let [x, y] = self.along(x, y);
        [
            (x - self.corner[0]) / self.step[0],
            (y - self.corner[1]) / self.step[1],
        ]
    }

    /// How that changes along `d` [1/m].
    #[inline]
    pub fn cell_rates(&self, x: f64, y: f64, d: Vec3) -> [f64; 2] {
        let [a, b] = self.rates(x, y);
        [
            (a[0] * d.x + a[1] * d.y) / self.step[0],
            (b[0] * d.x + b[1] * d.y) / self.step[1],
        ]
    }

    /// Height at (x, y) [m].
    pub fn height(&self, x: f64, y: f64) -> f64 {
        let [x, y] = self.along(x, y);
        let ((i, u), (j, v)) = (self.find(0, x), self.find(1, y));
        self.in_cell([i, j], [u, v]).0
    }

    /// Upward unit normal at (x, y).
    pub fn normal(&self, x: f64, y: f64) -> Vec3 {
        self.normal_and_face(x, y).0
    }

    /// Upward unit normal at (x, y), and the number of the triangle there, as [`Terrain::triangles`] counts them; beyond the edge that of the edge.
    pub fn normal_and_face(&self, x: f64, y: f64) -> (Vec3, u32) {
        let rates = self.rates(x, y);
        let [x, y] = self.along(x, y);
        let ((i, u), (j, v)) = (self.find(0, x), self.find(1, y));
        let (_, slope) = self.in_cell([i, j], [u, v]);
        let face = (2 * (j * self.count[0] + i)) as u32 + u32::from(u < v);
        let within = |axis: usize, x: f64| {
            let s = (x - self.corner[axis]) / self.step[axis];
            s >= 0.0 && s <= (self.count[axis] - 1) as f64
        };
        let sx = if within(0, x) { slope[0] } else { 0.0 };
        let sy = if within(1, y) { slope[1] } else { 0.0 };
        let along = |k: usize| sx * rates[0][k] + sy * rates[1][k];
        let n = Vec3::new(-along(0), -along(1), 1.0);
        (n.scale(1.0 / n.norm()), face)
    }

    /// How much longer a way in W may be along the grid's axes about (x, y); within a hundredth, for some kilometres on.
    fn stretch(&self, x: f64, y: f64) -> f64 {
        if self.grid.plane.is_none() {
            return 1.0;
        }
        let [a, b] = self.rates(x, y);
        1.01 * (a[0].abs() + a[1].abs()).max(b[0].abs() + b[1].abs())
    }

    /// A height [m] that nothing within `radius` of (x, y) exceeds.
    pub fn top_within(&self, x: f64, y: f64, radius: f64) -> f64 {
        let radius = radius * self.stretch(x, y);
        let [x, y] = self.along(x, y);
        let tiles = self.count.map(|n| (n - 1).div_ceil(TILE));
        let span =
            |axis: usize, x: f64| [x - radius, x + radius].map(|x| self.find(axis, x).0 / TILE);
        let ([i0, i1], [j0, j1]) = (span(0, x), span(1, y));
        if (i1 - i0 + 1) * (j1 - j0 + 1) > 64 {
            return self.ends[1];
        }
        let rows = (j0..=j1).flat_map(|j| (i0..=i1).map(move |i| j * tiles[0] + i));
        rows.map(|k| self.tops[k]).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Distance along the unit vector `d` from `p` to the ground [m]; none if the ray never meets it, or starts under it.
    pub fn range(&self, p: Vec3, d: Vec3) -> Option<f64> {
        (self.over(p, d, 0.0) >= 0.0)
            .then(|| self.range_between(p, d, [0.0, f64::INFINITY]))
            .flatten()
    }

    /// Height of the ray over the ground at the distance `t` [m].
    #[inline]
    pub fn over(&self, p: Vec3, d: Vec3, t: f64) -> f64 {
        p.z + t * d.z - self.height(p.x + t * d.x, p.y + t * d.y)
    }

    /// As [`Terrain::range`] from one distance on, where the ray is over the ground, as far as the end of the half of a cell in
    /// which the other distance is.
    pub fn range_between(&self, p: Vec3, d: Vec3, [from, to]: [f64; 2]) -> Option<f64> {
        let mut t = from;
        while t < to {
            // the surface over the ray is straight up to where it leaves its half of a cell
            let next = self.leaves(p, d, t);
            if p.z + t * d.z > self.ends[1] && d.z >= 0.0 {
                return None;
            }
            // where it never leaves, level or straight for ever
            let end = if next.is_finite() { next } else { t + 1.0 };
            let (a, b) = (self.over(p, d, t), self.over(p, d, end));
            if b < a && a >= 0.0 {
                let hit = t + (end - t) * (a / (a - b));
                if b <= 0.0 || !next.is_finite() {
                    return Some(hit);
                }
            }
            if !next.is_finite() {
                return None;
            }
            t = next;
        }
        None
    }

    /// As [`Terrain::range_between`] in one cell of straight lines, which the ray is in from one distance to the other, over the ground
    /// at the first; `at` and `rate` are [`Terrain::cells`] of `p` and its rates along `d`. None too if the ray is not in the cell.
    pub fn range_in_cell(
        &self,
        [p, d]: [Vec3; 2],
        [at, rate]: [[f64; 2]; 2],
        [i, j]: [usize; 2],
        [from, to]: [f64; 2],
    ) -> Option<Option<f64>> {
        let place = |t: f64| {
            [
                at[0] + t * rate[0] - i as f64,
                at[1] + t * rate[1] - j as f64,
            ]
        };
        let inside = |s: [f64; 2]| s.iter().all(|s| (-1e-6..=1.0 + 1e-6).contains(s));
        let (first, last) = (place(from), place(to));
        if !(inside(first) && inside(last)) {
            return None;
        }
        let (h00, h10) = (self.sample(i, j), self.sample(i + 1, j));
        let (h01, h11) = (self.sample(i, j + 1), self.sample(i + 1, j + 1));
        let over = |t: f64, [u, v]: [f64; 2]| {
            let (along, up) = if u >= v {
                (h10 - h00, h11 - h10)
            } else {
                (h11 - h01, h01 - h00)
            };
            p.z + t * d.z - (h00 + u * along + v * up)
        };
        // where the ray crosses the diagonal
        let (a, b) = (first[0] - first[1], last[0] - last[1]);
        let middle = if a * b < 0.0 {
            from + (to - from) * (a / (a - b))
        } else {
            to
        };
        let (mut t, mut high) = (from, over(from, first));
        for end in [middle, to] {
            let low = over(end, place(end));
            if low < high && low <= 0.0 {
                // under the ground at the begin can only be rounding
                let high = high.max(0.0);
                return Some(Some(
                    t + (end - t) * (high / (high - low).max(f64::MIN_POSITIVE)),
                ));
            }
            (t, high) = (end, low);
        }
        Some(None)
    }

    /// The next distance after `t` at which the ray crosses a line between cells, or a diagonal; infinite if none.
    fn leaves(&self, p: Vec3, d: Vec3, t: f64) -> f64 {
        // longitudes and latitudes are taken as straight as far as the next line, and looked at anew there
        let (place, way) = match &self.grid.plane {
            None => (None, [d.x, d.y]),
            Some(plane) => {
                let (angles, rates) = plane.to_angles(p.x + t * d.x, p.y + t * d.y);
                (
                    Some((angles, t)),
                    rates.map(|rate| rate[0] * d.x + rate[1] * d.y),
                )
            }
        };
        let s = |axis: usize, t: f64| {
            let x = match place {
                None => p[axis] + t * d[axis],
                Some((angles, from)) => angles[axis] + (t - from) * way[axis],
            };
            (x - self.corner[axis]) / self.step[axis]
        };
        let rate = [way[0] / self.step[0], way[1] / self.step[1]];
        // a little ahead, so that a line just reached is not found again
        let ahead = 1e-9 / (rate[0].abs() + rate[1].abs()).max(1e-12);
        let now = [s(0, t + ahead), s(1, t + ahead)];
        let mut next = f64::INFINITY;
        for axis in 0..2 {
            let last = (self.count[axis] - 1) as f64;
            let line = if rate[axis] > 0.0 {
                (now[axis].floor() + 1.0).max(0.0)
            } else if rate[axis] < 0.0 {
                (now[axis].ceil() - 1.0).min(last)
            } else {
                continue;
            };
            if (0.0..=last).contains(&line) {
                next = next.min(t + ahead + (line - now[axis]) / rate[axis]);
            }
        }
        let inside = (0..2).all(|k| now[k] >= 0.0 && now[k] <= (self.count[k] - 1) as f64);
        let (across, closing) = (
            now[0] - now[0].floor() - (now[1] - now[1].floor()),
            rate[1] - rate[0],
        );
        if inside && closing != 0.0 {
            let to_diagonal = across / closing;
            if to_diagonal > 0.0 {
                next = next.min(t + ahead + to_diagonal);
            }
        }
        next.max(t + ahead)
    }

    /// Calls `f` with a number and the corners, counter-clockwise seen from above, of every triangle that meets the box
    /// between `low` and `high`.
    pub fn triangles(&self, low: Vec3, high: Vec3, mut f: impl FnMut(u32, [Vec3; 3])) {
        let (zs, mut span_of) = ([low.z, high.z], [[low.x, high.x], [low.y, high.y]]);
        if self.grid.plane.is_some() {
            let (x, y) = (0.5 * (low.x + high.x), 0.5 * (low.y + high.y));
            let far = 0.5 * (high.x - low.x).max(high.y - low.y) * self.stretch(x, y);
            span_of = self.along(x, y).map(|middle| [middle - far, middle + far]);
        }
        let [[low_x, high_x], [low_y, high_y]] = span_of;
        let span = |axis: usize, low: f64, high: f64| {
            let end = self.corner[axis] + self.step[axis] * (self.count[axis] - 1) as f64;
            (low <= end && high >= self.corner[axis])
                .then(|| (self.find(axis, low).0, self.find(axis, high).0))
        };
        let (Some((i0, i1)), Some((j0, j1))) = (span(0, low_x, high_x), span(1, low_y, high_y))
        else {
            return;
        };
        for j in j0..=j1 {
            for i in i0..=i1 {
                let corner = |di: usize, dj: usize| {
                    let along = [
                        self.corner[0] + self.step[0] * (i + di) as f64,
                        self.corner[1] + self.step[1] * (j + dj) as f64,
                    ];
                    let [x, y] = self
                        .grid
                        .plane
                        .map_or(along, |plane| plane.from_angles(along));
                    Vec3::new(x, y, self.sample(i + di, j + dj))
                };
                let (sw, se, ne, nw) = (corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
                let number = (2 * (j * self.count[0] + i)) as u32;
                for (k, c) in [[sw, se, ne], [sw, ne, nw]].into_iter().enumerate() {
                    let top = c[0].z.max(c[1].z).max(c[2].z);
                    let bottom = c[0].z.min(c[1].z).min(c[2].z);
                    if top >= zs[0] && bottom <= zs[1] {
                        f(number + k as u32, c);
                    }
                }
            }
        }
    }
}
