//! Horizontal grid of spheres, to find those near a region without testing all of them.

use crate::Vec3;

/// A sphere with the index of its owner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Position of the centre [m].
    pub center: Vec3,
    /// Radius of the sphere [m].
    pub radius: f64,
    /// Index of the owner.
    pub owner: usize,
}

/// Spheres, sorted by the cell of a horizontal grid that contains their centres.
#[derive(Clone, Debug)]
pub struct SphereGrid {
    spheres: Vec<Sphere>,
    sorted: Vec<Sphere>,
    /// Index of the first sorted sphere of each cell, row by row, and the number of spheres.
    starts: Vec<u32>,
    max_radius: f64,
    corner: [f64; 2],
    cell: f64,
    cells: [usize; 2],
}

/// Largest number of cells per sphere.
const MAX_CELLS: usize = 2;

impl SphereGrid {
    /// Creates an empty grid that holds `n` spheres without allocating memory later.
    pub fn with_capacity(n: usize) -> Self {
        let mut starts = Vec::with_capacity(MAX_CELLS * n + 2);
        starts.resize(2, 0);
        Self {
            spheres: Vec::with_capacity(n),
            sorted: Vec::with_capacity(n),
            starts,
            max_radius: 0.0,
            corner: [0.0; 2],
            cell: 1.0,
            cells: [1; 2],
        }
    }

    /// Replaces the spheres. Coordinates must be finite for a sphere to be found.
    pub fn rebuild(&mut self, spheres: impl Iterator<Item = Sphere>) {
        self.spheres.clear();
        self.spheres.extend(spheres);
        self.choose_cells();
        // counting sort: number of spheres per cell, then the end of each cell, then its start
        self.starts.clear();
        self.starts.resize(self.cells[0] * self.cells[1] + 1, 0);
        for k in 0..self.spheres.len() {
            let cell = self.cell_of(&self.spheres[k]);
            self.starts[cell] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.spheres);
        for k in (0..self.spheres.len()).rev() {
            let cell = self.cell_of(&self.spheres[k]);
            self.starts[cell] -= 1;
            self.sorted[self.starts[cell] as usize] = self.spheres[k];
        }
    }

    /// Chooses square cells, about one per sphere, that cover all centres.
    fn choose_cells(&mut self) {
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        self.max_radius = 0.0;
        for sphere in &self.spheres {
            self.max_radius = self.max_radius.max(sphere.radius);
            for (k, x) in [sphere.center.x, sphere.center.y].into_iter().enumerate() {
                if x.is_finite() {
                    (low[k], high[k]) = (low[k].min(x), high[k].max(x));
                }
            }
        }
        let span = [0, 1].map(|k| (high[k] - low[k]).max(0.0));
        let n = self.spheres.len().max(1) as f64;
        // the second value limits the cells of a row of spheres, the third the cells of one place
        let cell = (span[0] * span[1] / n)
            .sqrt()
            .max((span[0] + span[1]) / n)
            .max(1e-3);
        self.corner = low.map(|x| if x.is_finite() { x } else { 0.0 });
        self.cell = if cell.is_finite() { cell } else { f64::MAX };
        self.cells = span.map(|s| (s / self.cell) as usize + 1);
    }

    /// Returns the column or row of a coordinate, limited to the grid.
    fn index(&self, axis: usize, x: f64) -> usize {
        // the conversion limits negative numbers and NaN to 0
        let k = ((x - self.corner[axis]) / self.cell) as usize;
        k.min(self.cells[axis] - 1)
    }

    fn cell_of(&self, sphere: &Sphere) -> usize {
        let column = self.index(0, sphere.center.x);
        self.index(1, sphere.center.y) * self.cells[0] + column
    }

    /// Returns all spheres that may intersect the vertical prism over the rectangle from `low` to
    /// `high` (x and y [m]), in an order that depends only on the spheres.
    pub fn candidates(&self, low: [f64; 2], high: [f64; 2]) -> impl Iterator<Item = &Sphere> {
        let far = self.max_radius;
        let columns = [self.index(0, low[0] - far), self.index(0, high[0] + far)];
        let rows = self.index(1, low[1] - far)..=self.index(1, high[1] + far);
        rows.flat_map(move |row| {
            let first = row * self.cells[0];
            let [from, to] =
                [first + columns[0], first + columns[1] + 1].map(|cell| self.starts[cell] as usize);
            &self.sorted[from..to]
        })
    }
}

impl SphereGrid {
    /// Returns true if any two spheres intersect.
    pub fn has_intersection(&self) -> bool {
        self.sorted.iter().any(|a| {
            let (p, r) = (a.center, a.radius);
            let meets = |b: &Sphere| {
                let (offset, both) = (b.center - p, r + b.radius);
                b.owner > a.owner && offset.dot(offset) <= both * both
            };
            self.candidates([p.x - r, p.y - r], [p.x + r, p.y + r])
                .any(meets)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    fn spheres(n: usize, spread: [f64; 2]) -> Vec<Sphere> {
        let stream = Stream::new(7, "spheres");
        (0..n)
            .map(|owner| {
                let mut draw = stream.draw(owner as u64);
                let mut number = || draw.uniform();
                Sphere {
                    center: Vec3::new(spread[0] * number(), spread[1] * number(), -number()),
                    radius: 0.5 * number(),
                    owner,
                }
            })
            .collect()
    }

    // The grid finds every sphere that intersects a rectangle, also with all spheres in a row, in
    // one place, or one sphere far away. Method: comparison with a test of every sphere.
    #[test]
    fn finds_all_spheres_in_rectangle() {
        for spread in [[40.0, 40.0], [100.0, 0.0], [0.0, 0.0], [1.0, 5.0]] {
            let mut all = spheres(300, spread);
            for far in [0.0, 1e6] {
                all[17].center.x += far;
                let mut grid = SphereGrid::with_capacity(all.len());
                grid.rebuild(all.iter().copied());
                for sphere in &all {
                    let (p, r) = (sphere.center, 2.0);
                    let (low, high) = ([p.x - r, p.y - r], [p.x + r, p.y + r]);
                    let found: Vec<usize> = grid.candidates(low, high).map(|s| s.owner).collect();
                    for other in &all {
                        let gap = [other.center.x - p.x, other.center.y - p.y].map(f64::abs);
                        if gap.iter().all(|g| *g <= r + other.radius) {
                            assert!(found.contains(&other.owner), "{spread:?}: {other:?}");
                        }
                    }
                }
            }
        }
    }

    // Intersections are found exactly. Method: spheres in a wide and in a dense region, comparison
    // with all pairs.
    #[test]
    fn intersections_are_found_exactly() {
        for side in (1..60).map(|k| 10.0 * f64::from(k)) {
            let all = spheres(60, [side, side]);
            let mut grid = SphereGrid::with_capacity(all.len());
            grid.rebuild(all.iter().copied());
            let meets =
                |a: &Sphere, b: &Sphere| (a.center - b.center).norm() <= a.radius + b.radius;
            let expected = all
                .iter()
                .any(|a| all.iter().any(|b| a.owner != b.owner && meets(a, b)));
            assert_eq!(grid.has_intersection(), expected, "{side}");
        }
    }

    // A query in a fleet of constant density visits a number of spheres that does not grow with the
    // fleet. Method: 100 and 10 000 spheres, visits per query. Tolerance: 30 visits.
    #[test]
    fn query_cost_does_not_grow_with_sphere_count() {
        let query_count = |side: f64| {
            let all = spheres((side * side) as usize, [side, side]);
            let mut grid = SphereGrid::with_capacity(all.len());
            grid.rebuild(all.iter().copied());
            let p = all[0].center;
            grid.candidates([p.x - 1.0, p.y - 1.0], [p.x + 1.0, p.y + 1.0])
                .count()
        };
        assert!(query_count(10.0) < 30 && query_count(100.0) < 30);
    }

    // An empty grid has no spheres, and NaN coordinates do not panic. Method: direct calls.
    #[test]
    fn empty_grid_and_nan_coordinates() {
        let mut grid = SphereGrid::with_capacity(4);
        assert_eq!(grid.candidates([0.0; 2], [1.0; 2]).count(), 0);
        grid.rebuild(std::iter::empty());
        assert_eq!(grid.candidates([0.0; 2], [1.0; 2]).count(), 0);
        let center = Vec3::new(f64::NAN, f64::INFINITY, 0.0);
        let invalid = Sphere {
            center,
            radius: 1.0,
            owner: 0,
        };
        grid.rebuild([invalid].into_iter());
        assert!(grid.candidates([f64::NAN; 2], [1.0; 2]).count() <= 1);
    }
}
