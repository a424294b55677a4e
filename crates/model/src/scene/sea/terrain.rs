//! Terrain as a regular grid of heights: the same surface for contact, echo sounders and tethers.
//!
//! # Law
//! Every cell consists of two triangles that share the diagonal from its south-west to its
//! north-east corner. Beyond the edges the terrain continues level.
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! No overhangs. No detail below the cell size. Lines of longitude and latitude are curved in W.
//! Contact uses flat triangles between the exact corners; the interpolated height follows the
//! curved lines. The two differ by the slope times s²/8R for cells of size s (0.2 mm for 100 m).
//!
//! # Checked by
//! test/analytic/environment/terrain.rs, test/witness/environment/terrain.rs

use crate::scene::sea::grid::Grid;
use merrow_math::Vec3;
use std::sync::Arc;

/// Number of cells along the side of a tile.
const TILE: usize = 64;

/// Hit of a ray on a triangle of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellHit {
    /// Distance along the ray [m].
    pub distance: f64,
    /// Upward unit normal, W.
    pub normal: Vec3,
    /// Index of the triangle, as in [`Terrain::triangles`].
    pub face: u32,
}

/// Terrain heights on a regular grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    grid: Arc<Grid>,
    /// Number of samples along east and north.
    count: [usize; 2],
    /// Coordinates of the south-west sample [m].
    corner: [f64; 2],
    /// Sample spacing along both axes [m].
    step: [f64; 2],
    /// Reciprocals of the sample spacing [1/m].
    per_step: [f64; 2],
    /// Maximum sample of each tile including its edges, x varying fastest [m].
    tile_max_heights: Vec<f64>,
    /// Minimum and maximum sample [m].
    height_range: [f64; 2],
}

impl Terrain {
    /// Creates the terrain from the heights in `grid`; `None` if its axes are not uniformly spaced
    /// or have fewer than two samples.
    pub fn new(grid: Arc<Grid>) -> Option<Self> {
        let step = [grid.axes[0].step()?, grid.axes[1].step()?];
        let count = [grid.axes[0].count(), grid.axes[1].count()];
        let corner = [grid.axes[0].coordinate(0), grid.axes[1].coordinate(0)];
        let tiles = count.map(|n| (n - 1).div_ceil(TILE));
        let mut terrain = Self {
            grid,
            count,
            corner,
            step,
            per_step: step.map(|step| 1.0 / step),
            tile_max_heights: vec![f64::NEG_INFINITY; tiles[0] * tiles[1]],
            height_range: [f64::INFINITY, f64::NEG_INFINITY],
        };
        for j in 0..count[1] {
            for i in 0..count[0] {
                let h = terrain.sample(i, j);
                terrain.height_range = [
                    terrain.height_range[0].min(h),
                    terrain.height_range[1].max(h),
                ];
                // a sample on a tile edge belongs to all adjacent tiles
                for tj in j.saturating_sub(1) / TILE..=(j / TILE).min(tiles[1] - 1) {
                    for ti in i.saturating_sub(1) / TILE..=(i / TILE).min(tiles[0] - 1) {
                        let top = &mut terrain.tile_max_heights[tj * tiles[0] + ti];
                        *top = top.max(h);
                    }
                }
            }
        }
        Some(terrain)
    }

    /// Returns the grid of the heights.
    pub fn grid(&self) -> &Arc<Grid> {
        &self.grid
    }

    /// Returns the minimum and maximum height [m].
    #[inline]
    pub fn height_range(&self) -> [f64; 2] {
        self.height_range
    }

    /// Returns the corners of the terrain, (x, y) of W [m].
    pub fn corners(&self) -> [[f64; 2]; 4] {
        let [x, y] = [0, 1].map(|k| self.grid.axes[k].ends());
        let corners = [[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]];
        match &self.grid.plane {
            None => corners,
            Some(plane) => corners.map(|corner| plane.from_angles(corner)),
        }
    }

    /// Returns the number of samples along the grid axes.
    pub fn count(&self) -> [usize; 2] {
        self.count
    }

    /// Returns sample `i` along the first axis and `j` along the second [m].
    #[inline]
    pub fn sample(&self, i: usize, j: usize) -> f64 {
        self.grid.sample([i, j, 0, 0])
    }

    /// Converts the point (x, y) of W [m] to coordinates along the grid axes [m].
    #[inline]
    fn along(&self, x: f64, y: f64) -> [f64; 2] {
        self.grid
            .plane
            .map_or([x, y], |plane| plane.to_angles(x, y).0)
    }

    /// Returns the derivatives of the grid coordinates with respect to x and y of W.
    fn rates(&self, x: f64, y: f64) -> [[f64; 2]; 2] {
        self.grid
            .plane
            .map_or([[1.0, 0.0], [0.0, 1.0]], |plane| plane.to_angles(x, y).1)
    }

    /// Returns the cell index and the fraction within the cell along one axis, clamped to the
    /// edges.
    #[inline]
    fn find(&self, axis: usize, x: f64) -> (usize, f64) {
        let s =
            ((x - self.corner[axis]) / self.step[axis]).clamp(0.0, (self.count[axis] - 1) as f64);
        let k = (s as usize).min(self.count[axis] - 2);
        (k, s - k as f64)
    }

    /// Returns the height [m] and the slopes of the triangle at the fractions (u, v) of a cell.
    #[inline]
    fn interpolate_cell(&self, [i, j]: [usize; 2], [u, v]: [f64; 2]) -> (f64, [f64; 2]) {
        let [h00, h10, h01, h11] = self.grid.cell_samples([i, j]);
        let (along, up) = if u >= v {
            (h10 - h00, h11 - h10)
        } else {
            (h11 - h01, h01 - h00)
        };
        (
            h00 + u * along + v * up,
            [along / self.step[0], up / self.step[1]],
        )
    }

    /// Returns true if the grid axes are curved in W.
    #[inline]
    pub fn is_curved(&self) -> bool {
        self.grid.plane.is_some()
    }

    /// Converts the point (x, y) of W [m] to grid coordinates in cells from the first sample;
    /// outside the terrain they are negative or exceed the cell count.
    #[inline]
    pub fn cells(&self, x: f64, y: f64) -> [f64; 2] {
        let [x, y] = self.along(x, y);
        [
            (x - self.corner[0]) * self.per_step[0],
            (y - self.corner[1]) * self.per_step[1],
        ]
    }

    /// Returns the derivatives of these coordinates along `d` (unit vector, W) [1/m].
    #[inline]
    pub fn cell_rates(&self, x: f64, y: f64, d: Vec3) -> [f64; 2] {
        let [a, b] = self.rates(x, y);
        [
            (a[0] * d.x + a[1] * d.y) * self.per_step[0],
            (b[0] * d.x + b[1] * d.y) * self.per_step[1],
        ]
    }

    /// Returns the height at (x, y) of W [m].
    pub fn height(&self, x: f64, y: f64) -> f64 {
        let [x, y] = self.along(x, y);
        let ((i, u), (j, v)) = (self.find(0, x), self.find(1, y));
        self.interpolate_cell([i, j], [u, v]).0
    }

    /// Returns the upward unit normal, W, at (x, y) of W [m].
    pub fn normal(&self, x: f64, y: f64) -> Vec3 {
        self.normal_and_face(x, y).0
    }

    /// Returns the upward unit normal, W, at (x, y) of W [m] and the index of the triangle there,
    /// as in [`Terrain::triangles`]. Beyond the edge it is the triangle index of the edge.
    pub fn normal_and_face(&self, x: f64, y: f64) -> (Vec3, u32) {
        let rates = self.rates(x, y);
        let [x, y] = self.along(x, y);
        let ((i, u), (j, v)) = (self.find(0, x), self.find(1, y));
        let (_, slope) = self.interpolate_cell([i, j], [u, v]);
        let face = (2 * (j * self.count[0] + i)) as u32 + u32::from(u < v);
        let is_inside = |axis: usize, x: f64| {
            let s = (x - self.corner[axis]) / self.step[axis];
            s >= 0.0 && s <= (self.count[axis] - 1) as f64
        };
        let sx = if is_inside(0, x) { slope[0] } else { 0.0 };
        let sy = if is_inside(1, y) { slope[1] } else { 0.0 };
        let along = |k: usize| sx * rates[0][k] + sy * rates[1][k];
        let n = Vec3::new(-along(0), -along(1), 1.0);
        (n.scale(1.0 / n.norm()), face)
    }

    /// Returns an upper bound for the ratio of a distance along the grid axes to that in W near (x,
    /// y); 1 % margin, valid for some kilometres.
    fn stretch(&self, x: f64, y: f64) -> f64 {
        if self.grid.plane.is_none() {
            return 1.0;
        }
        let [a, b] = self.rates(x, y);
        1.01 * (a[0].abs() + a[1].abs()).max(b[0].abs() + b[1].abs())
    }

    /// Returns an upper bound of the terrain height [m] within `radius` [m] of (x, y).
    pub(crate) fn max_height_within(&self, x: f64, y: f64, radius: f64) -> f64 {
        let radius = radius * self.stretch(x, y);
        let [x, y] = self.along(x, y);
        let tiles = self.count.map(|n| (n - 1).div_ceil(TILE));
        let span =
            |axis: usize, x: f64| [x - radius, x + radius].map(|x| self.find(axis, x).0 / TILE);
        let ([i0, i1], [j0, j1]) = (span(0, x), span(1, y));
        if (i1 - i0 + 1) * (j1 - j0 + 1) > 64 {
            return self.height_range[1];
        }
        let rows = (j0..=j1).flat_map(|j| (i0..=i1).map(move |i| j * tiles[0] + i));
        rows.map(|k| self.tile_max_heights[k])
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the distance [m] from `p` [m] along the unit vector `d`, both W, to the terrain;
    /// `None` if the ray misses it or starts below it.
    pub fn range(&self, p: Vec3, d: Vec3) -> Option<f64> {
        (self.height_above(p, d, 0.0) >= 0.0)
            .then(|| self.range_between(p, d, [0.0, f64::INFINITY]))
            .flatten()
    }

    /// Returns the height [m] above the terrain of the ray from `p` [m] along `d`, both W, at the
    /// distance `t` [m].
    #[inline]
    pub fn height_above(&self, p: Vec3, d: Vec3, t: f64) -> f64 {
        p.z + t * d.z - self.height(p.x + t * d.x, p.y + t * d.y)
    }

    /// Implements [`Terrain::range`] from the distance `from` [m], where the ray is above the
    /// terrain, to the end of the triangle that contains the distance `to` [m]; `p` and `d` are in
    /// W.
    pub fn range_between(&self, p: Vec3, d: Vec3, [from, to]: [f64; 2]) -> Option<f64> {
        let mut t = from;
        while t < to {
            // within one triangle the terrain below the ray is linear
            let next = self.next_edge_distance(p, d, t);
            if p.z + t * d.z > self.height_range[1] && d.z >= 0.0 {
                return None;
            }
            // the ray never leaves the triangle: vertical, or beyond the edge
            let end = if next.is_finite() { next } else { t + 1.0 };
            let (a, b) = (self.height_above(p, d, t), self.height_above(p, d, end));
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

    /// Implements [`Terrain::range_between`] within one cell with straight edges. The ray is in the
    /// cell between the distances `from` and `to` [m] and above the terrain at `from`.
    /// `cell_position` and `rate` are [`Terrain::cells`] of `p` and its derivatives along `d`; `p`
    /// and `d` are in W. The outer `None` means that the ray is not in the cell.
    #[inline]
    pub fn hit_in_cell(
        &self,
        [p, d]: [Vec3; 2],
        [cell_position, rate]: [[f64; 2]; 2],
        [i, j]: [usize; 2],
        [from, to]: [f64; 2],
    ) -> Option<Option<CellHit>> {
        let cell_fraction = |t: f64| {
            [
                cell_position[0] + t * rate[0] - i as f64,
                cell_position[1] + t * rate[1] - j as f64,
            ]
        };
        let is_inside = |s: [f64; 2]| s.iter().all(|s| (-1e-6..=1.0 + 1e-6).contains(s));
        let (first, last) = (cell_fraction(from), cell_fraction(to));
        if !(is_inside(first) && is_inside(last)) {
            return None;
        }
        let [h00, h10, h01, h11] = self.grid.cell_samples([i, j]);
        // differences of the height along the sides of the two triangles
        let sides = [[h10 - h00, h11 - h10], [h11 - h01, h01 - h00]];
        let height_above = |t: f64, [u, v]: [f64; 2]| {
            let [along, up] = sides[usize::from(u < v)];
            p.z + t * d.z - (h00 + u * along + v * up)
        };
        // distance at which the ray crosses the diagonal
        let (a, b) = (first[0] - first[1], last[0] - last[1]);
        let diagonal = if a * b < 0.0 {
            from + (to - from) * (a / (a - b))
        } else {
            to
        };
        let (mut t, mut height) = (from, height_above(from, first));
        for end in [diagonal, to] {
            let end_height = height_above(end, cell_fraction(end));
            if end_height < height && end_height <= 0.0 {
                // a negative height at the start can only be a rounding error
                let height = height.max(0.0);
                let part = height / (height - end_height).max(f64::MIN_POSITIVE);
                let distance = t + (end - t) * part;
                let [u, v] = cell_fraction(distance);
                let triangle = usize::from(u < v);
                let [along, up] = sides[triangle];
                let n = Vec3::new(-along / self.step[0], -up / self.step[1], 1.0);
                return Some(Some(CellHit {
                    distance,
                    normal: n.scale(1.0 / n.norm()),
                    face: (2 * (j * self.count[0] + i) + triangle) as u32,
                }));
            }
            (t, height) = (end, end_height);
        }
        Some(None)
    }

    /// Returns the next distance after `t` [m] at which the ray crosses a cell edge or a diagonal;
    /// infinite if there is none.
    fn next_edge_distance(&self, p: Vec3, d: Vec3, t: f64) -> f64 {
        // longitude and latitude are linearised up to the next edge and evaluated again there
        let (linearised, angle_rates) = match &self.grid.plane {
            None => (None, [d.x, d.y]),
            Some(plane) => {
                let (angles, rates) = plane.to_angles(p.x + t * d.x, p.y + t * d.y);
                (
                    Some((angles, t)),
                    rates.map(|rate| rate[0] * d.x + rate[1] * d.y),
                )
            }
        };
        let cell_coordinate = |axis: usize, t: f64| {
            let x = match linearised {
                None => p[axis] + t * d[axis],
                Some((angles, start)) => angles[axis] + (t - start) * angle_rates[axis],
            };
            (x - self.corner[axis]) / self.step[axis]
        };
        let rate = [angle_rates[0] / self.step[0], angle_rates[1] / self.step[1]];
        // small offset, so that the current edge is not returned again
        let offset = 1e-9 / (rate[0].abs() + rate[1].abs()).max(1e-12);
        let position = [
            cell_coordinate(0, t + offset),
            cell_coordinate(1, t + offset),
        ];
        let mut next = f64::INFINITY;
        for axis in 0..2 {
            let last = (self.count[axis] - 1) as f64;
            let edge = if rate[axis] > 0.0 {
                (position[axis].floor() + 1.0).max(0.0)
            } else if rate[axis] < 0.0 {
                (position[axis].ceil() - 1.0).min(last)
            } else {
                continue;
            };
            if (0.0..=last).contains(&edge) {
                next = next.min(t + offset + (edge - position[axis]) / rate[axis]);
            }
        }
        let inside =
            (0..2).all(|k| position[k] >= 0.0 && position[k] <= (self.count[k] - 1) as f64);
        let (diagonal_offset, diagonal_rate) = (
            position[0] - position[0].floor() - (position[1] - position[1].floor()),
            rate[1] - rate[0],
        );
        if inside && diagonal_rate != 0.0 {
            let to_diagonal = diagonal_offset / diagonal_rate;
            if to_diagonal > 0.0 {
                next = next.min(t + offset + to_diagonal);
            }
        }
        next.max(t + offset)
    }

    /// Calls `f` for every triangle that overlaps the box between `low` and `high` [m] (W), with
    /// its index and its corners [m], counter-clockwise seen from above.
    pub fn triangles(&self, low: Vec3, high: Vec3, mut f: impl FnMut(u32, [Vec3; 3])) {
        let (zs, mut spans) = ([low.z, high.z], [[low.x, high.x], [low.y, high.y]]);
        if self.grid.plane.is_some() {
            let (x, y) = (0.5 * (low.x + high.x), 0.5 * (low.y + high.y));
            let half_extent = 0.5 * (high.x - low.x).max(high.y - low.y) * self.stretch(x, y);
            spans = self
                .along(x, y)
                .map(|center| [center - half_extent, center + half_extent]);
        }
        let [[low_x, high_x], [low_y, high_y]] = spans;
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
                let z = |di: usize, dj: usize| self.sample(i + di, j + dj);
                let (sw, se, ne, nw) = (z(0, 0), z(1, 0), z(1, 1), z(0, 1));
                let overlaps =
                    |a: f64, b: f64, c: f64| a.max(b).max(c) >= zs[0] && a.min(b).min(c) <= zs[1];
                let (south_east, north_west) = (overlaps(sw, se, ne), overlaps(sw, ne, nw));
                // most cells are below the box: their corners are not computed
                if !south_east && !north_west {
                    continue;
                }
                let corner = |di: usize, dj: usize, z: f64| {
                    let along = [
                        self.corner[0] + self.step[0] * (i + di) as f64,
                        self.corner[1] + self.step[1] * (j + dj) as f64,
                    ];
                    let [x, y] = self
                        .grid
                        .plane
                        .map_or(along, |plane| plane.from_angles(along));
                    Vec3::new(x, y, z)
                };
                let number = (2 * (j * self.count[0] + i)) as u32;
                let (sw, ne) = (corner(0, 0, sw), corner(1, 1, ne));
                if south_east {
                    f(number, [sw, corner(1, 0, se), ne]);
                }
                if north_west {
                    f(number + 1, [sw, ne, corner(0, 1, nw)]);
                }
            }
        }
    }
}
