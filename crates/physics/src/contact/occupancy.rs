//! Occupancy grid of a world for the planners of vessels: where the water is too shallow, and where
//! the seabed, structures and fixed robots leave no room between the keel and the top of the mast.
//!
//! A cell is occupied if the box of the cell between the depth that the vessel needs and its height
//! above the water touches the seabed, a structure or a fixed robot, or lies inside one. Bridges
//! above this height leave their cells free. The top of a submerged vehicle is below the water:
//! hulls and jetties above it leave their cells free. The mean water level at the start counts,
//! without waves.
//!
//! Checked by: the tests below, test/analytic/environment/occupancy.rs

use crate::contact::geometry::detect::{contains, fixed_pose};
use crate::contact::geometry::shapes::{CollisionShape, build_shapes};
use merrow_environment::hydrostatics::mean_level;
use merrow_model::scene::Scene;
use merrow_model::scene::map::OccupancyMap;
use merrow_model::scene::sea::terrain::Terrain;
use parry3d_f64::bounding_volume::{Aabb, BoundingVolume};
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::{Ray, RayCast, intersection_test};
use parry3d_f64::shape::{Cuboid, Shape};

/// Maximum number of cells of a grid: 16 MiB per message.
pub const MAX_CELLS: usize = 1 << 24;
/// Width of the border around the robots and structures of a world without terrain [m].
const BORDER_M: f64 = 30.0;

/// What is known of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A vessel fits.
    Free,
    /// A vessel does not fit.
    Occupied,
    /// Outside the terrain.
    Unknown,
}

/// Occupancy of square cells.
#[derive(Clone, Debug, PartialEq)]
pub struct OccupancyGrid {
    /// South-west corner of the first cell, W [m].
    pub origin: [f64; 2],
    /// Edge length of a cell [m].
    pub resolution_m: f64,
    /// Number of cells towards east and north.
    pub count: [usize; 2],
    /// The cells from west to east, rows from south to north.
    pub cells: Vec<Cell>,
}

impl OccupancyGrid {
    /// Computes the occupancy at the start of the run of `scene`.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn new(scene: &Scene, settings: &OccupancyMap) -> Result<Self, String> {
        let shapes = fixed_shapes(scene)?;
        let shapes: Vec<_> = shapes.iter().map(|s| Placed::new(scene, s)).collect();
        let (origin, count) = extent(scene, settings, &shapes)?;
        let band = Band::new(scene, settings)?;
        let mut grid = Self {
            origin,
            resolution_m: settings.resolution_m,
            count,
            cells: vec![Cell::Free; count[0] * count[1]],
        };
        grid.add_seabed(&band);
        if let Some(terrain) = &scene.sea.seabed.terrain {
            grid.mark_unknown(terrain);
        }
        for shape in &shapes {
            grid.add_shape(&band, shape);
        }
        Ok(grid)
    }

    /// Checks that the grid can be computed.
    ///
    /// # Errors
    /// An area without cells or with too many, heights that contradict each other, or a shape that
    /// cannot be created.
    pub fn check(scene: &Scene, settings: &OccupancyMap) -> Result<(), String> {
        let shapes = fixed_shapes(scene)?;
        let shapes: Vec<_> = shapes.iter().map(|s| Placed::new(scene, s)).collect();
        extent(scene, settings, &shapes)?;
        settings.heights().map(|_| ())
    }

    /// Returns the position of the corner `[i, j]` of the cells, W [m].
    fn corner(&self, [i, j]: [usize; 2]) -> [f64; 2] {
        let [x, y] = self.origin;
        [
            x + i as f64 * self.resolution_m,
            y + j as f64 * self.resolution_m,
        ]
    }

    /// Returns the position of the centre of a cell, W [m].
    fn center(&self, cell: [usize; 2]) -> [f64; 2] {
        self.corner(cell).map(|x| x + 0.5 * self.resolution_m)
    }

    fn at(&mut self, [i, j]: [usize; 2]) -> &mut Cell {
        &mut self.cells[j * self.count[0] + i]
    }

    /// Marks the cells in which the water is too shallow, by the heights at their corners and
    /// centres.
    fn add_seabed(&mut self, band: &Band<'_>) {
        let seabed = &band.scene.sea.seabed;
        let is_shallow = |[x, y]: [f64; 2]| seabed.height(x, y) > band.at([x, y])[0];
        let [nx, ny] = self.count;
        let mut south: Vec<bool> = (0..=nx).map(|i| is_shallow(self.corner([i, 0]))).collect();
        for j in 0..ny {
            let north = (0..=nx).map(|i| is_shallow(self.corner([i, j + 1])));
            let north: Vec<bool> = north.collect();
            for i in 0..nx {
                let corners = [south[i], south[i + 1], north[i], north[i + 1]];
                if corners.contains(&true) || is_shallow(self.center([i, j])) {
                    *self.at([i, j]) = Cell::Occupied;
                }
            }
            south = north;
        }
    }

    /// Marks the cells whose box touches `shape` or lies inside it.
    fn add_shape(&mut self, band: &Band<'_>, shape: &Placed<'_>) {
        let (low, high) = (shape.bounds.mins, shape.bounds.maxs);
        let range = |axis: usize| {
            let index = |x: f64| ((x - self.origin[axis]) / self.resolution_m).floor();
            let end = self.count[axis] as f64;
            let from = index(low[axis]).clamp(0.0, end) as usize;
            from..(index(high[axis]) + 1.0).clamp(from as f64, end) as usize
        };
        let (columns, rows) = (range(0), range(1));
        let width = columns.len();
        let mut touching = Vec::with_capacity(width * rows.len());
        let mut bottoms = Vec::with_capacity(width * rows.len());
        for j in rows.clone() {
            for i in columns.clone() {
                let [x, y] = self.center([i, j]);
                let [bottom, top] = band.at([x, y]);
                let half = 0.5 * self.resolution_m;
                let center = Vector::new(x, y, 0.5 * (bottom + top));
                let half = Vector::new(half, half, 0.5 * (top - bottom));
                touching.push(shape.touches(center, half));
                bottoms.push(bottom);
            }
        }
        for k in 0..touching.len() {
            if touching[k] {
                *self.at([columns.start + k % width, rows.start + k / width]) = Cell::Occupied;
            }
        }
        for component in components(&touching, &bottoms, width) {
            let place = |k: usize| [columns.start + k % width, rows.start + k / width];
            let [x, y] = self.center(place(component[0]));
            let [bottom, top] = band.at([x, y]);
            if shape.contains(Vector::new(x, y, 0.5 * (bottom + top))) {
                for k in component {
                    *self.at(place(k)) = Cell::Occupied;
                }
            }
        }
    }

    fn mark_unknown(&mut self, terrain: &Terrain) {
        let last = terrain.count().map(|n| (n - 1) as f64);
        for j in 0..self.count[1] {
            for i in 0..self.count[0] {
                let [x, y] = self.center([i, j]);
                let s = terrain.cells(x, y);
                if !(0..2).all(|axis| (0.0..=last[axis]).contains(&s[axis])) {
                    *self.at([i, j]) = Cell::Unknown;
                }
            }
        }
    }
}

/// Heights between which a vessel needs room.
struct Band<'a> {
    scene: &'a Scene,
    /// Height of the water level, W [m]; `None`: the level at the start.
    level: Option<f64>,
    /// Lowest and highest height above the water level [m].
    heights: [f64; 2],
}

impl<'a> Band<'a> {
    fn new(scene: &'a Scene, settings: &OccupancyMap) -> Result<Self, String> {
        Ok(Self {
            scene,
            level: settings.water_level_m,
            heights: settings.heights()?,
        })
    }

    /// Returns the lowest and highest height that a vessel occupies at (x, y) of W [m].
    fn at(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let time = self.scene.start_ns as f64 * 1e-9;
        let level = self.level;
        let level = level.unwrap_or_else(|| mean_level(&self.scene.sea, x, y, time));
        self.heights.map(|height| level + height)
    }
}

fn fixed_shapes(scene: &Scene) -> Result<Vec<CollisionShape>, String> {
    let (_, shapes) = build_shapes(scene).map_err(|problems| problems.join("\n"))?;
    Ok(shapes)
}

/// Returns the south-west corner of the grid, W [m], and its number of cells towards east and
/// north.
fn extent(
    scene: &Scene,
    settings: &OccupancyMap,
    shapes: &[Placed<'_>],
) -> Result<([f64; 2], [usize; 2]), String> {
    let edges = settings.area_m.unwrap_or_else(|| area(scene, shapes));
    let ([west, south, east, north], resolution) = (edges, settings.resolution_m);
    let cells = [east - west, north - south].map(|size| (size / resolution).ceil());
    // also refuses NaN
    if !(cells[0] >= 1.0 && cells[1] >= 1.0) {
        return Err(format!(
            "the area [{west}, {south}, {east}, {north}] has no cells; expected the west, south, east \
             and north edges in m, with west < east and south < north"
        ));
    }
    if cells[0] * cells[1] > MAX_CELLS as f64 {
        return Err(format!(
            "the area of {:.0} m by {:.0} m has more than {MAX_CELLS} cells of {resolution} m; expected \
             a smaller area or larger cells",
            east - west,
            north - south
        ));
    }
    Ok(([west, south], cells.map(|n| n as usize)))
}

/// Returns the west, south, east and north edge of the terrain, or of the robots and structures
/// with a border [m].
fn area(scene: &Scene, shapes: &[Placed<'_>]) -> [f64; 4] {
    let mut points: Vec<[f64; 2]> = Vec::new();
    let border = match &scene.sea.seabed.terrain {
        Some(terrain) => {
            points.extend(terrain.corners());
            0.0
        }
        None => {
            let starts = scene.robots.iter().map(|robot| robot.start.p_WB);
            points.extend(starts.map(|p| [p.x, p.y]));
            let corners = shapes.iter().flat_map(|s| [s.bounds.mins, s.bounds.maxs]);
            points.extend(corners.map(|p| [p.x, p.y]));
            BORDER_M
        }
    };
    let least = |axis: usize| points.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min);
    let most = |axis: usize| {
        points
            .iter()
            .map(|p| p[axis])
            .fold(f64::NEG_INFINITY, f64::max)
    };
    let edges = [
        least(0) - border,
        least(1) - border,
        most(0) + border,
        most(1) + border,
    ];
    if points.is_empty() {
        return [-border, -border, border, border];
    }
    edges
}

/// A shape at its pose in W.
struct Placed<'a> {
    shape: &'a dyn Shape,
    X_WG: Pose,
    bounds: Aabb,
}

impl<'a> Placed<'a> {
    fn new(scene: &Scene, shape: &'a CollisionShape) -> Self {
        let X_WG = fixed_pose(scene, shape);
        Self {
            shape: &*shape.shape,
            bounds: shape.shape.compute_aabb(&X_WG),
            X_WG,
        }
    }

    /// Returns true if the box about `center` [m, W] with half the edge lengths `half` [m] touches
    /// the shape. Height fields are solid below their surface.
    fn touches(&self, center: Vector, half: Vector) -> bool {
        let cuboid = Cuboid::new(half);
        let pose = Pose::from_translation(center);
        if !self
            .bounds
            .intersects(&Aabb::from_half_extents(center, half))
        {
            return false;
        }
        match self.shape.as_heightfield() {
            None => {
                let found = intersection_test(&self.X_WG, self.shape, &pose, &cuboid);
                // all other shapes are supported
                found.is_ok_and(|found| found.intersecting)
            }
            Some(field) => {
                let bottom = center.z - half.z;
                let from = Vector::new(center.x, center.y, self.bounds.maxs.z + 1.0);
                let down = Ray::new(from, Vector::new(0.0, 0.0, -1.0));
                let hit = field.cast_ray(&self.X_WG, &down, f64::MAX, false);
                hit.is_some_and(|distance| from.z - distance > bottom)
            }
        }
    }

    fn contains(&self, p: Vector) -> bool {
        contains(self.shape, &self.X_WG, p)
    }
}

/// Returns the connected sets of the cells of a window, `width` cells wide, that do not touch a
/// surface and have the same bottom. The cells of one set are all inside or all outside of a closed
/// surface.
fn components(touching: &[bool], bottoms: &[f64], width: usize) -> Vec<Vec<usize>> {
    let mut seen = touching.to_vec();
    let mut sets = Vec::new();
    for start in 0..touching.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let (mut set, mut visited) = (vec![start], 0);
        while let Some(&k) = set.get(visited) {
            visited += 1;
            let i = k % width;
            let beside = [
                (i > 0).then(|| k - 1),
                (i + 1 < width).then_some(k + 1),
                k.checked_sub(width),
                (k + width < touching.len()).then_some(k + width),
            ];
            for next in beside.into_iter().flatten() {
                if bottoms[next] == bottoms[k] && !std::mem::replace(&mut seen[next], true) {
                    set.push(next);
                }
            }
        }
        sets.push(set);
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn components_are_separated_by_touching_cells() {
        // a ring of cells with one cell inside, in a window of five by five
        let ring = [6, 7, 8, 11, 13, 16, 17, 18];
        let touching: Vec<bool> = (0..25).map(|k| ring.contains(&k)).collect();
        let mut sets = components(&touching, &[0.0; 25], 5);
        sets.iter_mut().for_each(|set| set.sort_unstable());
        assert_eq!(sets.len(), 2);
        assert_eq!((sets[0].len(), sets[1].as_slice()), (16, &[12][..]));
        // with another level in the last column
        let bottoms: Vec<f64> = (0..25).map(|k| f64::from(u8::from(k % 5 == 4))).collect();
        assert_eq!(components(&touching, &bottoms, 5).len(), 3);
    }
}
