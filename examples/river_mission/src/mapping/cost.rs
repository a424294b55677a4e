//! Cost map: what a boat has to keep clear of, on a grid around it.
//!
//! # Law
//! With the distance d of a cell to the nearest obstacle [Felzenszwalb and Huttenlocher 2012] and the
//! depth of the water D:
//! ```text
//!   lethal (100)                                 d <= r                                (1)
//!   99 exp(-k (d - r))                           r < d <= r_inflation                  (2)
//!   c_shallow (D_safe - D)/(D_safe - D_min)      D_min < D < D_safe, where it is larger (3)
//!   unknown (-1)                                 no measurement, and (1) does not hold (4)
//! ```
//! Obstacles are cells with an occupied voxel between two heights, and cells with a depth below D_min.
//!
//! # Symbols
//! r radius of the circle around the beam of the boat and a margin [m] · k decay [1/m] · D_min draught
//! and margin [m] · D_safe depth without cost [m].
//!
//! # Checked by
//! tests below: distances against all pairs, costs at distances, shallow water, unknown cells

/// Cost of a cell that the boat must not enter.
pub const LETHAL: i8 = 100;
/// Value of a cell without measurement, as in `nav_msgs/msg/OccupancyGrid`.
pub const UNKNOWN: i8 = -1;

/// Sizes of a boat and its safety.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearance {
    /// Radius around the base in which no obstacle may lie [m].
    pub radius_m: f64,
    /// Distance from which on obstacles cost nothing [m].
    pub inflation_m: f64,
    /// Decay of the cost [1/m].
    pub decay_per_m: f64,
    /// Least depth [m].
    pub min_depth_m: f64,
    /// Depth that costs nothing [m].
    pub safe_depth_m: f64,
}

/// Largest cost of shallow water.
const SHALLOW_COST: f64 = 80.0;

/// A square grid, aligned with the axes of the map.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Edge of a cell [m].
    pub edge_m: f64,
    /// Number of cells along an edge of the grid.
    pub side: usize,
    /// Lower corner [m], a multiple of the edge of a cell.
    pub corner: [f64; 2],
}

impl Grid {
    /// Returns the grid with this number of cells around a place [m].
    pub fn around(centre: [f64; 2], edge_m: f64, side: usize) -> Self {
        let half = side as f64 / 2.0;
        Self {
            edge_m,
            side,
            corner: centre.map(|c| ((c / edge_m).floor() - half.floor()) * edge_m),
        }
    }

    /// Returns the index of the cell that contains a place [m]; `None` outside.
    pub fn index(&self, p: [f64; 2]) -> Option<usize> {
        let [column, row] = self.cell(p)?;
        Some(row * self.side + column)
    }

    /// Returns column and row of the cell that contains a place [m]; `None` outside.
    pub fn cell(&self, p: [f64; 2]) -> Option<[usize; 2]> {
        let of = |k: usize| {
            let cell = ((p[k] - self.corner[k]) / self.edge_m).floor();
            (cell >= 0.0 && cell < self.side as f64).then_some(cell as usize)
        };
        Some([of(0)?, of(1)?])
    }

    /// Returns the centre of a cell [m].
    pub fn centre(&self, index: usize) -> [f64; 2] {
        let cell = [index % self.side, index / self.side];
        std::array::from_fn(|k| self.corner[k] + (cell[k] as f64 + 0.5) * self.edge_m)
    }
}

/// What is known of the cells of a grid.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The grid.
    pub grid: Grid,
    /// Cells with an obstacle.
    pub is_obstacle: Vec<bool>,
    /// Cells that were seen.
    pub is_known: Vec<bool>,
    /// Measured depths [m]; NaN without one.
    pub depth_m: Vec<f64>,
}

impl Surroundings {
    /// Returns surroundings of which nothing is known.
    pub fn unknown(grid: Grid) -> Self {
        let n = grid.side * grid.side;
        Self {
            grid,
            is_obstacle: vec![false; n],
            is_known: vec![false; n],
            depth_m: vec![f64::NAN; n],
        }
    }
}

/// Computes the costs by (1) to (4).
pub fn costs(around: &Surroundings, clearance: &Clearance) -> Vec<i8> {
    let Clearance {
        radius_m,
        inflation_m,
        decay_per_m,
        min_depth_m,
        safe_depth_m,
    } = *clearance;
    let n = around.is_obstacle.len();
    let is_obstacle = |k: usize| around.is_obstacle[k] || around.depth_m[k] < min_depth_m;
    let obstacles: Vec<bool> = (0..n).map(is_obstacle).collect();
    let squared = squared_distances(&obstacles, around.grid.side);
    (0..n)
        .map(|k| {
            let d = squared[k].sqrt() * around.grid.edge_m;
            if d <= radius_m {
                return LETHAL;
            }
            let depth = around.depth_m[k];
            if !around.is_known[k] && depth.is_nan() {
                return UNKNOWN;
            }
            let near = match d <= inflation_m {
                true => 99.0 * libm::exp(-decay_per_m * (d - radius_m)),
                false => 0.0,
            };
            let shallow = match depth < safe_depth_m {
                true => SHALLOW_COST * (safe_depth_m - depth) / (safe_depth_m - min_depth_m),
                false => 0.0,
            };
            near.max(shallow).clamp(0.0, 99.0) as i8
        })
        .collect()
}

/// Returns the squared distance of every cell of a square grid to the nearest marked cell, in cells.
/// Without a marked cell it is infinite.
pub fn squared_distances(is_marked: &[bool], side: usize) -> Vec<f64> {
    let mut d: Vec<f64> = is_marked
        .iter()
        .map(|m| if *m { 0.0 } else { f64::INFINITY })
        .collect();
    let mut line = vec![0.0; side];
    for column in 0..side {
        (0..side).for_each(|row| line[row] = d[row * side + column]);
        lower_envelope(&mut line);
        (0..side).for_each(|row| d[row * side + column] = line[row]);
    }
    for row in d.chunks_exact_mut(side) {
        lower_envelope(row);
    }
    d
}

/// Replaces f(q) by min over p of (q - p)² + f(p).
fn lower_envelope(f: &mut [f64]) {
    // places of the parabolas of the envelope, and where each begins
    let mut places: Vec<usize> = Vec::with_capacity(f.len());
    let mut starts: Vec<f64> = Vec::with_capacity(f.len());
    for q in (0..f.len()).filter(|q| f[*q].is_finite()) {
        let mut start = f64::NEG_INFINITY;
        while let (Some(&p), Some(&begin)) = (places.last(), starts.last()) {
            let [x, y] = [p, q].map(|k| k as f64);
            start = ((f[q] + y * y) - (f[p] + x * x)) / (2.0 * (y - x));
            if start > begin {
                break;
            }
            places.pop();
            starts.pop();
            start = f64::NEG_INFINITY;
        }
        places.push(q);
        starts.push(start);
    }
    if places.is_empty() {
        return;
    }
    let values: Vec<f64> = places.iter().map(|p| f[*p]).collect();
    let mut k = 0;
    for (q, value) in f.iter_mut().enumerate() {
        while starts.get(k + 1).is_some_and(|start| *start < q as f64) {
            k += 1;
        }
        let away = q as f64 - places[k] as f64;
        *value = away * away + values[k];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::rng::Stream;

    const CLEARANCE: Clearance = Clearance {
        radius_m: 1.5,
        inflation_m: 5.0,
        decay_per_m: 0.8,
        min_depth_m: 0.8,
        safe_depth_m: 1.6,
    };

    // Distance transform against the minimum over all pairs of cells.
    #[test]
    fn distances_are_those_of_all_pairs() {
        let mut draws = Stream::new(3, "cells").draw(0);
        for density in [0.0, 0.01, 0.1, 0.6] {
            let side = 24;
            let marked: Vec<bool> = (0..side * side)
                .map(|_| draws.uniform() < density)
                .collect();
            let fast = squared_distances(&marked, side);
            for k in 0..side * side {
                let at = |k: usize| [(k % side) as f64, (k / side) as f64];
                let away = (0..side * side).filter(|j| marked[*j]).map(|j| {
                    let (a, b) = (at(k), at(j));
                    (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)
                });
                assert_eq!(fast[k], away.fold(f64::INFINITY, f64::min));
            }
        }
    }

    #[test]
    fn costs_follow_the_distance() {
        let grid = Grid::around([0.0, 0.0], 0.5, 41);
        let mut around = Surroundings::unknown(grid.clone());
        around.is_known.fill(true);
        let obstacle = grid.index([0.1, 0.1]).unwrap();
        around.is_obstacle[obstacle] = true;
        let costs = costs(&around, &CLEARANCE);
        let at = |x: f64| costs[grid.index([x, 0.1]).unwrap()];
        assert_eq!([at(0.1), at(1.6), at(-1.4)], [LETHAL; 3]);
        // 2 m and 4 m from the obstacle by (2)
        assert_eq!(at(2.1), (99.0 * (-0.8f64 * 0.5).exp()) as i8);
        assert_eq!(at(4.1), (99.0 * (-0.8f64 * 2.5).exp()) as i8);
        assert_eq!(at(6.1), 0);
    }

    #[test]
    fn shallow_water_costs_and_unknown_cells_stay_unknown() {
        let grid = Grid::around([10.0, -20.0], 1.0, 21);
        let mut around = Surroundings::unknown(grid.clone());
        let index = |x: f64, y: f64| grid.index([x, y]).unwrap();
        around.depth_m[index(5.5, -20.5)] = 0.5;
        around.depth_m[index(12.5, -20.5)] = 1.2;
        around.depth_m[index(15.5, -20.5)] = 3.0;
        let costs = costs(&around, &CLEARANCE);
        assert_eq!(costs[index(5.5, -20.5)], LETHAL);
        assert_eq!(
            costs[index(6.5, -20.5)],
            LETHAL,
            "inflated, also where nothing is known"
        );
        assert_eq!(costs[index(12.5, -20.5)], 40);
        assert_eq!(costs[index(15.5, -20.5)], 0);
        assert_eq!(costs[index(18.5, -20.5)], UNKNOWN);
    }

    #[test]
    fn places_and_cells_agree() {
        let grid = Grid::around([3.3, -7.7], 0.5, 11);
        for k in 0..121 {
            assert_eq!(grid.index(grid.centre(k)), Some(k));
        }
        assert_eq!(grid.index([100.0, 0.0]), None);
        assert_eq!(grid.index([f64::NAN, 0.0]), None);
        assert!(grid.index([3.3, -7.7]).is_some());
    }
}
