//! Terrain for ray tracing: a height pyramid skips terrain that is below the ray, then the cells of
//! [`Terrain`] decide.
//!
//! # Law
//! A pyramid holds the maximum height of squares of cells; the squares of each level are twice as
//! wide as the squares of the level before. A ray that stays above the height of its square
//! continues where it leaves the square, in a larger square. Otherwise it continues in the smaller
//! squares. In a square of the lowest level it is traced from cell to cell as in
//! [`Terrain::range_between`], or over both triangles of its single cell. The hit is therefore the
//! same as the hit of [`Terrain::range`].
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! - Rays hit the terrain only from above.
//! - The terrain continues level beyond its edges.
//! - Where grid lines are curved (longitude and latitude), the ray skips a square only if it leaves
//!   the square within half a cell of the point that straight lines would give. The heights of a
//!   square then include one cell around it.
//!
//! # Checked by
//! test/sensors/raytrace/terrain.rs

use crate::mesh::{LocalHit, LocalRay};
use crate::ray_bounds::RayBounds;
use merrow_math::Vec3;
use merrow_math::real::fast_max;
use merrow_model::scene::sea::terrain::Terrain;
use std::sync::Arc;

/// Maximum number of squares that are tested for several rays at once.
const MAX_REGION_SQUARES: usize = 9;
/// Margin for rounding: of heights [m], positions [cells] and relative distances.
const MARGIN: f64 = 1e-6;
/// Maximum number of steps for several rays at once.
const MAX_STEPS: usize = 200;
/// Level at which the search of a single ray starts: squares of 16 cells, more in large terrains.
const FIRST_LEVEL: usize = 4;
/// Maximum number of squares in the lowest level.
const MAX_SQUARES: usize = 1 << 21;

/// One level of the pyramid.
#[derive(Clone, Debug)]
struct SquareLevel {
    /// Cells along a side of a square, a power of two, and its reciprocal.
    side: usize,
    per_side: f64,
    /// Number of squares along either axis.
    count: [usize; 2],
    /// Maximum heights, x fastest [m].
    tops: Vec<f32>,
}

/// Distance up to which several rays are above the terrain [m], and the level of the pyramid from
/// which the search continues.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clearance {
    distance: f64,
    level: usize,
}

/// A square on the path of a ray.
struct Square {
    /// Column and row of the square.
    index: [usize; 2],
    /// Maximum height in the square [m].
    top: f64,
    /// Distance to the point at which the ray leaves the square [m].
    exit_distance: f64,
    /// True if the ray leaves the next larger square at that point too.
    leaves_parent: bool,
}

/// Terrain with its height pyramid.
#[derive(Clone, Debug)]
pub struct Heightfield {
    terrain: Arc<Terrain>,
    /// Levels from small to large squares.
    levels: Vec<SquareLevel>,
}

impl Heightfield {
    /// Builds the pyramid over `terrain`. Reads every sample once.
    pub fn new(terrain: Arc<Terrain>) -> Self {
        let cells = terrain.count().map(|n| n - 1);
        let mut side = 1;
        while cells[0].div_ceil(side) * cells[1].div_ceil(side) > MAX_SQUARES {
            side *= 2;
        }
        let mut levels = vec![finest_level(&terrain, side)];
        while let Some(last) = levels.last()
            && last.tops.len() > 1
        {
            let next = last.coarsened();
            levels.push(next);
        }
        Self { terrain, levels }
    }

    /// Returns the first hit of a ray (in W) on the terrain from above; `None` if the ray starts
    /// below the terrain.
    pub fn closest(&self, local_ray: &LocalRay) -> Option<LocalHit> {
        let (from, sinking) = (local_ray.range[0], -local_ray.d.z);
        let distance = if sinking > 0.0 {
            fast_max(from, self.distance_above_all(local_ray.o.z, sinking))
        } else {
            from
        };
        let level = FIRST_LEVEL.min(self.levels.len() - 1);
        self.closest_beyond(local_ray, Clearance { distance, level })
    }

    /// Returns the distance [m] up to which a ray is above the highest point of the terrain, if it
    /// starts at the height `z` [m] and sinks by `sinking` > 0 per metre; negative if it starts
    /// lower.
    #[inline(always)]
    fn distance_above_all(&self, z: f64, sinking: f64) -> f64 {
        (z - self.terrain.height_range()[1]) / sinking * (1.0 - MARGIN) - MARGIN
    }

    /// Returns the clearance of rays that start at the distance `from` [m] or beyond it.
    pub(crate) fn clearance_up_to(&self, from: f64) -> Clearance {
        Clearance {
            distance: from,
            level: self.levels.len() - 1,
        }
    }

    /// Returns the same as [`Self::closest`] for a ray that is above the terrain up to the distance
    /// of `clearance`, if that is greater than its minimum distance.
    #[inline(always)]
    pub(crate) fn closest_beyond(
        &self,
        local_ray: &LocalRay,
        clearance: Clearance,
    ) -> Option<LocalHit> {
        let hit = if self.terrain.is_curved() {
            self.hit_at(local_ray, self.trace_curved(local_ray)?)
        } else {
            self.trace_straight(local_ray, clearance)?
        };
        (hit.distance <= local_ray.range[1]).then_some(hit)
    }

    /// Returns the hit of a ray on the terrain at `distance` [m].
    fn hit_at(&self, local_ray: &LocalRay, distance: f64) -> LocalHit {
        let (p, d) = (local_ray.o, local_ray.d);
        let (x, y) = (p.x + distance * d.x, p.y + distance * d.y);
        let (normal, face) = self.terrain.normal_and_face(x, y);
        LocalHit {
            distance,
            normal,
            face,
        }
    }

    /// Returns true if `t` is the start of the ray and the ray starts below the terrain. A ray that
    /// has already skipped a square was above the terrain.
    fn starts_below(&self, local_ray: &LocalRay, t: f64) -> bool {
        t == local_ray.range[0] && self.terrain.height_above(local_ray.o, local_ray.d, t) < 0.0
    }

    /// Returns the distance up to which all rays within `bounds` (in W) are above the terrain, at
    /// least the clearance `from` of these rays.
    pub(crate) fn clearance(&self, bounds: &RayBounds, from: Clearance) -> Clearance {
        let (low, rate) = (bounds.origin[2][0], -bounds.direction[2][0]);
        let mut clear = from;
        if self.terrain.is_curved() || !(rate > 0.0 && low.is_finite() && from.distance.is_finite())
        {
            return clear;
        }
        clear.distance = fast_max(clear.distance, self.distance_above_all(low, rate));
        let d = Vec3::new(bounds.max_horizontal(), bounds.max_horizontal(), 0.0);
        let [u, v] = self.terrain.cell_rates(0.0, 0.0, d);
        let per_cell = 1.0 / u.max(v).max(1e-3);
        for _ in 0..MAX_STEPS {
            let squares = &self.levels[clear.level];
            let end = clear.distance + squares.side as f64 * per_cell;
            let [x, y] = [0, 1].map(|axis| bounds.coordinate(axis, [clear.distance, end]));
            let corners = [0, 1].map(|k| self.terrain.cells(x[k], y[k]));
            let top = squares.top_in(corners);
            if top.is_some_and(|top| low - end * rate > top + MARGIN) {
                clear.distance = end;
                clear.level = (clear.level + 1).min(self.levels.len() - 1);
            } else if top.is_some() && clear.level > 0 {
                clear.level -= 1;
            } else {
                break;
            }
        }
        clear
    }

    /// Returns the hit on the terrain where grid lines are straight.
    #[inline(always)]
    fn trace_straight(&self, local_ray: &LocalRay, clearance: Clearance) -> Option<LocalHit> {
        let (p, d) = (local_ray.o, local_ray.d);
        let (at, rate) = (
            self.terrain.cells(p.x, p.y),
            self.terrain.cell_rates(p.x, p.y, d),
        );
        let (forward_step, per_rate) = (forward_step(rate), rate.map(|rate| 1.0 / rate));
        let (mut t, mut level) = (local_ray.range[0].max(clearance.distance), clearance.level);
        while t <= local_ray.range[1] && t.is_finite() {
            let z = p.z + t * d.z;
            if z > self.terrain.height_range()[1] && d.z >= 0.0 {
                return None;
            }
            let position = [
                at[0] + (t + forward_step) * rate[0],
                at[1] + (t + forward_step) * rate[1],
            ];
            let square = self.levels[level].square(position, [rate, per_rate]);
            let from = t + forward_step;
            let end = fast_max(t.next_up(), fast_max(from, from + square.exit_distance));
            if stays_above(z, d.z, end - t, square.top) {
                t = end;
                // The next larger square has already been tested.
                level = (level + usize::from(square.leaves_parent)).min(self.levels.len() - 1);
                continue;
            }
            if level > 0 {
                level -= 1;
                continue;
            }
            if self.starts_below(local_ray, t) {
                return None;
            }
            let cell_hit = if self.levels[0].side == 1 && end.is_finite() {
                self.terrain
                    .hit_in_cell([p, d], [at, rate], square.index, [t, end])
            } else {
                None
            };
            let hit = match cell_hit {
                Some(hit) => hit,
                None => {
                    let distance = self.terrain.range_between(p, d, [t, end]);
                    distance.map(|distance| self.hit_at(local_ray, distance))
                }
            };
            if hit.is_some() {
                return hit;
            }
            t = end;
        }
        None
    }

    /// Returns the distance to the terrain [m] where grid lines are curved; the cell coordinates
    /// are recomputed after every square.
    fn trace_curved(&self, local_ray: &LocalRay) -> Option<f64> {
        let (p, d) = (local_ray.o, local_ray.d);
        let position_at = |t: f64| (p.x + t * d.x, p.y + t * d.y);
        let (mut t, mut level) = (local_ray.range[0], self.levels.len() - 1);
        while t <= local_ray.range[1] && t.is_finite() {
            let z = p.z + t * d.z;
            if z > self.terrain.height_range()[1] && d.z >= 0.0 {
                return None;
            }
            let (x, y) = position_at(t);
            let (at, rate) = (self.terrain.cells(x, y), self.terrain.cell_rates(x, y, d));
            loop {
                let (forward_step, per_rate) = (forward_step(rate), rate.map(|rate| 1.0 / rate));
                let position = [
                    at[0] + forward_step * rate[0],
                    at[1] + forward_step * rate[1],
                ];
                let Square {
                    top,
                    exit_distance,
                    leaves_parent,
                    ..
                } = self.levels[level].square(position, [rate, per_rate]);
                let step = forward_step + exit_distance.max(0.0);
                let straight = || {
                    let (x, y) = position_at(t + step);
                    let end = self.terrain.cells(x, y);
                    (0..2).all(|k| (at[k] + step * rate[k] - end[k]).abs() < 0.5)
                };
                if step.is_finite() && stays_above(z, d.z, step, top) && straight() {
                    t = (t + step).max(t.next_up());
                    level = (level + usize::from(leaves_parent)).min(self.levels.len() - 1);
                    break;
                } else if level > 0 {
                    level -= 1;
                } else {
                    if self.starts_below(local_ray, t) {
                        return None;
                    }
                    let hit = self.terrain.range_between(p, d, [t, t + step]);
                    if hit.is_some() || !step.is_finite() {
                        return hit;
                    }
                    t = (t + step).max(t.next_up());
                    break;
                }
            }
        }
        None
    }
}

/// Returns a small step forward [m], so that a grid line just reached is not found again.
fn forward_step(rate: [f64; 2]) -> f64 {
    1e-9 / (rate[0].abs() + rate[1].abs()).max(1e-12)
}

/// Returns true if a ray at the height `z` [m] with the slope `slope` stays above `top` [m] over
/// the distance `length` [m].
fn stays_above(z: f64, slope: f64, length: f64, top: f64) -> bool {
    let end = if slope < 0.0 { z + length * slope } else { z };
    end > top
}

impl SquareLevel {
    /// Returns the square at the position `position` [cells]. `rate` is the speed of the ray in
    /// cells per metre along either axis, `per_rate` its reciprocal. Squares at an edge extend to
    /// infinity.
    #[inline(always)]
    fn square(&self, position: [f64; 2], [rate, per_rate]: [[f64; 2]; 2]) -> Square {
        let (mut index, mut exit_distance, mut leaves_parent) = ([0; 2], f64::INFINITY, true);
        let side = self.side as f64;
        for axis in 0..2 {
            let last = self.count[axis] as u32 - 1;
            // The cast converts negative numbers to 0. Numbers of 32 bits are converted faster.
            let mut k = ((position[axis] * self.per_side) as u32).min(last);
            // On a grid line the ray is in the square that it enters, however slowly.
            if rate[axis] < 0.0 && k > 0 && f64::from(k) * side >= position[axis] {
                k -= 1;
            }
            index[axis] = k as usize;
            let line = if rate[axis] > 0.0 && k < last {
                k + 1
            } else if rate[axis] < 0.0 && k > 0 {
                k
            } else {
                continue;
            };
            let distance = (f64::from(line) * side - position[axis]) * per_rate[axis];
            if distance < exit_distance {
                (exit_distance, leaves_parent) = (distance, line % 2 == 0);
            }
        }
        let top = f64::from(self.tops[index[1] * self.count[0] + index[0]]);
        Square {
            index,
            top,
            exit_distance,
            leaves_parent,
        }
    }

    /// Returns the maximum height [m] between two corners [cells], or more. Returns `None` if there
    /// are many squares between them.
    #[inline(always)]
    fn top_in(&self, [low, high]: [[f64; 2]; 2]) -> Option<f64> {
        // The cast converts negative numbers to 0.
        let index = |x: f64, axis: usize| ((x * self.per_side) as usize).min(self.count[axis] - 1);
        let [columns, rows] = [0, 1]
            .map(|axis| index(low[axis] - MARGIN, axis)..index(high[axis] + MARGIN, axis) + 1);
        if columns.len() * rows.len() > MAX_REGION_SQUARES {
            return None;
        }
        let mut top = f32::NEG_INFINITY;
        for row in rows {
            for height in &self.tops[row * self.count[0]..][columns.clone()] {
                top = fast_max(top, *height);
            }
        }
        Some(f64::from(top))
    }

    /// Returns the next level, with squares of twice the size.
    fn coarsened(&self) -> Self {
        let count = self.count.map(|n| n.div_ceil(2));
        let mut tops = vec![f32::NEG_INFINITY; count[0] * count[1]];
        for (k, top) in self.tops.iter().enumerate() {
            let (i, j) = (k % self.count[0], k / self.count[0]);
            let coarse_top = &mut tops[j / 2 * count[0] + i / 2];
            *coarse_top = coarse_top.max(*top);
        }
        Self {
            side: 2 * self.side,
            per_side: 0.5 * self.per_side,
            count,
            tops,
        }
    }
}

/// Returns the lowest level, with squares of `side` cells.
fn finest_level(terrain: &Terrain, side: usize) -> SquareLevel {
    let samples = terrain.count();
    let count = samples.map(|n| (n - 1).div_ceil(side));
    let mut tops = vec![f32::NEG_INFINITY; count[0] * count[1]];
    // Margin around a square whose heights count [cells].
    let margin = usize::from(terrain.is_curved());
    let squares = |k: usize, axis: usize| {
        let first = k.saturating_sub(1 + margin) / side;
        first..=((k + margin) / side).min(count[axis] - 1)
    };
    for j in 0..samples[1] {
        for i in 0..samples[0] {
            let height = terrain.sample(i, j);
            let single = height as f32;
            let single = if f64::from(single) < height {
                single.next_up()
            } else {
                single
            };
            for y in squares(j, 1) {
                for x in squares(i, 0) {
                    let top = &mut tops[y * count[0] + x];
                    *top = top.max(single);
                }
            }
        }
    }
    SquareLevel {
        side,
        per_side: 1.0 / side as f64,
        count,
        tops,
    }
}
