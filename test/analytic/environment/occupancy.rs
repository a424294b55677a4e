//! Tests occupancy grids against the areas of known shapes.

use crate::common::meshes::{cuboid, sphere};
use crate::common::scene;
use crate::common::shapes::{collider, structure};
use merrow_math::Vec3;
use merrow_model::scene::robot::collision::{Heightfield, Mesh};
use merrow_model::scene::{Geometry, Primitive, Scene};
use merrow_physics::contact::occupancy::{Cell, OccupancyGrid};
use std::sync::Arc;

/// Returns a world of 40 m by 40 m about the origin with cells of 0.5 m, a depth of 0.6 m and a
/// clearance of 3 m. `keys` are further keys of the world.
fn world(keys: &str) -> Scene {
    scene(&format!(
        "map: {{resolution_m: 0.5, depth_m: 0.6, clearance_m: 3, area_m: [-20, -20, 20, 20]}}\n\
         robots: {{}}\n{keys}"
    ))
}

fn grid(scene: &Scene) -> OccupancyGrid {
    OccupancyGrid::new(scene, scene.map.as_ref().unwrap()).unwrap()
}

/// Returns the cell at (x, y) [m].
fn at(grid: &OccupancyGrid, x: f64, y: f64) -> Cell {
    let [i, j] = [x - grid.origin[0], y - grid.origin[1]].map(|s| (s / 0.5) as usize);
    grid.cells[j * grid.count[0] + i]
}

fn occupied(scene: &Scene) -> Vec<[f64; 2]> {
    let grid = grid(scene);
    let cells = grid.cells.iter().enumerate();
    let center = |k: usize| [k % grid.count[0], k / grid.count[0]].map(|i| -19.75 + 0.5 * i as f64);
    let cells = cells.filter(|(_, cell)| **cell == Cell::Occupied);
    cells.map(|(k, _)| center(k)).collect()
}

fn mesh(made: crate::common::meshes::GeneratedMesh) -> Geometry {
    Geometry::Mesh(Arc::new(Mesh {
        vertices: made.vertices,
        triangles: made.triangles,
        parts: Vec::new(),
    }))
}

fn with_structure(geometry: Geometry, p: Vec3) -> Scene {
    let mut scene = world("");
    scene.structures.push(structure(geometry, p, 0.5));
    scene
}

// The seabed rises to the east by 0.1 per metre from a depth of 1.02 m at the origin: it is
// shallower than 0.6 m from x = 4.2 m on. The tide raises the level by 0.3 m: from x = 7.2 m on.
#[test]
fn shallow_cells_are_occupied() {
    for (keys, edge) in [("", 4.2), ("water: {tide: {level_m: 0.3}}\n", 7.2)] {
        let slope = "seabed: {depth_m: 1.02, slope_east_north: [0.1, 0]}\n";
        let scene = world(&format!("{keys}{slope}"));
        let expected = (0..80 * 80).filter(|k| -20.0 + 0.5 * f64::from(k % 80 + 1) > edge);
        let found = occupied(&scene);
        assert_eq!(found.len(), expected.count(), "{keys}");
        assert!(found.iter().all(|[x, _]| *x + 0.25 > edge), "{keys}");
    }
}

// A closed mesh of a quay of 10 m by 6 m is occupied inside as the solid box is. It ends on edges of
// cells, whose neighbours it touches. Seen from outside the area, only its part inside counts.
#[test]
fn closed_meshes_are_solid() {
    let [size, half] = [[9.8, 5.8, 8.0], [4.9, 2.9, 4.0]];
    let solid = Geometry::Primitive(Primitive::Box { half: half.into() });
    for center in [Vec3::zero(), Vec3::new(18.0, 3.0, 0.0)] {
        let expected = occupied(&with_structure(solid.clone(), center));
        for level in [0, 3] {
            let found = occupied(&with_structure(mesh(cuboid(size, level)), center));
            assert_eq!(found, expected);
        }
        let whole = expected.len() as f64 * 0.25;
        if center.x == 0.0 {
            assert_eq!(whole, 60.0);
        }
    }
}

// A pile of 0.1 m in the middle of a cell occupies this cell only.
#[test]
fn thin_piles_are_found() {
    let pile = Geometry::Primitive(Primitive::Cylinder {
        radius: 0.05,
        half_length: 3.0,
    });
    assert_eq!(
        occupied(&with_structure(pile, Vec3::new(3.25, -7.75, 0.0))),
        [[3.25, -7.75]]
    );
}

// A sphere of 5 m occupies a disc: each cell that has a point within the largest circle in the band
// from -0.6 m to 3 m, at the height 0, is occupied, and no other.
#[test]
fn sphere_occupies_a_disc() {
    let nearest = |x: f64| (x.abs() - 0.25).max(0.0);
    let expected: Vec<[f64; 2]> = (0..80 * 80)
        .map(|k| [k % 80, k / 80].map(|i| -19.75 + 0.5 * f64::from(i)))
        .filter(|[x, y]| nearest(*x).hypot(nearest(*y)) < 4.99)
        .collect();
    let ball = Geometry::Primitive(Primitive::Sphere { radius: 4.99 });
    assert_eq!(occupied(&with_structure(ball, Vec3::zero())), expected);
    let fine = occupied(&with_structure(mesh(sphere(4.99, 5)), Vec3::zero()));
    let missing = expected.iter().filter(|cell| !fine.contains(cell)).count();
    assert!(
        missing < expected.len() / 50,
        "{missing} of {}",
        expected.len()
    );
}

// A bridge deck from 3.5 m to 4 m above the water leaves the clearance of 3 m free; with the tide of
// 0.6 m it does not. Its pier is occupied always.
#[test]
fn bridges_with_clearance_are_free() {
    for (tide, deck) in [(0.0, Cell::Free), (0.6, Cell::Occupied)] {
        let mut scene = world(&format!("water: {{tide: {{level_m: {tide}}}}}\n"));
        let block = |half: [f64; 3], p: Vec3| {
            let half = half.into();
            structure(Geometry::Primitive(Primitive::Box { half }), p, 0.5)
        };
        let deck_of = block([20.0, 2.0, 0.25], Vec3::new(0.0, 0.0, 3.75));
        let pier = block([0.9, 1.4, 10.0], Vec3::new(5.0, 0.0, -6.5));
        scene.structures.extend([deck_of, pier]);
        let found = grid(&scene);
        assert_eq!(at(&found, 0.2, 0.2), deck, "{tide}");
        assert_eq!(at(&found, 5.2, 0.2), Cell::Occupied);
        assert_eq!(at(&found, 0.2, 5.2), Cell::Free);
    }
}

// A height field is ground: cells below its surface are occupied, those outside are free.
#[test]
fn height_fields_are_solid_below() {
    let field = Heightfield {
        count: [3, 3],
        size: [10.0, 10.0],
        heights: vec![-5.0, -5.0, 5.0, -5.0, -5.0, 5.0, -5.0, -5.0, 5.0],
    };
    let found = grid(&with_structure(
        Geometry::Heightfield(Arc::new(field)),
        Vec3::zero(),
    ));
    // it rises from -5 m at x = 0 to 5 m at x = 5 m, past -0.6 m at 2.2 m
    let row: Vec<Cell> = (0..20)
        .map(|i| at(&found, 0.25 + 0.5 * f64::from(i), 0.25))
        .collect();
    let expected = (0..20).map(|i| match i {
        4..10 => Cell::Occupied,
        _ => Cell::Free,
    });
    assert_eq!(row, expected.collect::<Vec<_>>());
}

// A fixed robot is occupied, a floating one is not.
#[test]
fn fixed_robots_are_occupied() {
    for (fixed, count) in [(true, 16), (false, 0)] {
        let base = if fixed { "base: fixed, " } else { "" };
        let mut scene = world("");
        let mut own = crate::common::scene(&format!(
            "robots: {{a: {{model: {{source: t, {base}body: {{source: t, axes: flu, mass_kg: 1, \
             inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}}}}}}}\n"
        ));
        let half = Vec3::new(0.9, 0.9, 0.9);
        let cube = Geometry::Primitive(Primitive::Box { half });
        own.robots[0].colliders.push(collider(0, cube, 0.5, 0.0));
        scene.robots = own.robots;
        assert_eq!(occupied(&scene).len(), count);
    }
}

// A submerged vehicle between 4.7 m and 5.3 m below the water: structures that cross this slab are
// occupied, also inside, those that end above or below it are free, and so is the bed up to 5.3 m.
#[test]
fn slabs_below_the_water_are_free_under_hulls() {
    let mut scene = world("seabed: {depth_m: 5.31, slope_east_north: [0.001, 0]}\n");
    let mut settings = scene.map.clone().unwrap();
    (settings.clearance_m, settings.depth_m, settings.top_depth_m) = (None, 5.3, Some(4.7));
    let block = |x: f64, bottom: f64, top: f64| {
        let half = [1.9, 1.9, 0.5 * (top - bottom)].into();
        let p = Vec3::new(x, 0.0, 0.5 * (bottom + top));
        structure(Geometry::Primitive(Primitive::Box { half }), p, 0.5)
    };
    let hull = block(-18.0, -4.69, 1.0);
    let deep_hull = block(-12.0, -4.71, 1.0);
    let pipe = block(-6.0, -6.0, -5.31);
    let crate_on_bed = block(0.0, -6.0, -5.29);
    scene
        .structures
        .extend([hull, deep_hull, pipe, crate_on_bed]);
    let found = OccupancyGrid::new(&scene, &settings).unwrap();
    let row = [-18.0, -12.0, -6.0, 0.0, 6.0, 16.0].map(|x| at(&found, x + 0.1, 0.1));
    let [free, occupied] = [Cell::Free, Cell::Occupied];
    // the bed is at -5.3 m at x = 10 m
    assert_eq!(row, [free, occupied, free, occupied, free, occupied]);
    let level = 0.02;
    settings.water_level_m = Some(level);
    let found = OccupancyGrid::new(&scene, &settings).unwrap();
    assert_eq!(at(&found, -18.0, 0.1), occupied);
    let errors = [
        (
            Some(3.0),
            Some(4.7),
            "found both clearance_m and top_depth_m",
        ),
        (
            None,
            Some(5.3),
            "top_depth_m: expected less than the depth of 5.3 m, found 5.3",
        ),
    ];
    for (clearance, top, expected) in errors {
        (settings.clearance_m, settings.top_depth_m) = (clearance, top);
        let why = OccupancyGrid::new(&scene, &settings).unwrap_err();
        assert!(why.contains(expected), "{why}");
        assert!(OccupancyGrid::check(&scene, &settings).is_err());
    }
}
