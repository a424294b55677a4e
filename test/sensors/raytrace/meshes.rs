//! Tests of single rays at meshes: floors without holes, degenerate triangles, height fields.

use super::single_shape_scene;
use crate::common::tree::Random;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Geometry;
use merrow_model::scene::robot::collision::Heightfield;
use merrow_raytrace::{Hit, Mesh, Ray, RayShape};
use std::sync::Arc;

/// Returns the mesh of `n` x `n` squares with the side `side` on z = 0 around `center`.
pub(super) fn floor(n: u32, side: f64, center: Vec3) -> Mesh {
    let half = 0.5 * f64::from(n) * side;
    let vertex = |i: u32, j: u32| {
        center + Vec3::new(f64::from(i) * side - half, f64::from(j) * side - half, 0.0)
    };
    let vertices: Vec<Vec3> = (0..=n)
        .flat_map(|j| (0..=n).map(move |i| vertex(i, j)))
        .collect();
    let corner = |i: u32, j: u32| j * (n + 1) + i;
    let square = |i: u32, j: u32| {
        let [a, b, c, d] = [
            corner(i, j),
            corner(i + 1, j),
            corner(i + 1, j + 1),
            corner(i, j + 1),
        ];
        [[a, b, c], [a, c, d]]
    };
    let triangles: Vec<[u32; 3]> = (0..n)
        .flat_map(|j| (0..n).flat_map(move |i| square(i, j)))
        .collect();
    Mesh::new(&vertices, &triangles)
}

// A floor has no holes and is hit at the right distance. Method: 50 x 50 squares 100 km from the
// origin; vertical and oblique rays at every inner corner, at the midpoint of every inner edge and
// at random, from 3 m and from 1 km. Tolerance: no misses, 1e-9 of the distance.
#[test]
fn floor_has_no_holes() {
    let (n, side, center) = (50, 0.7, Vec3::new(1e5, -3e4, -20.0));
    let floor = RayShape::Mesh(Arc::new(floor(n, side, center)));
    let scene = single_shape_scene(floor, Mat3::identity(), Vec3::zero());
    let mut random = Random::new(8);
    let inner = u64::from(2 * n - 1);
    for k in 0..inner * inner {
        let (i, j) = ((1 + k % inner) as f64, (1 + k / inner) as f64);
        let edge = Vec3::new(
            (i - f64::from(n)) * side * 0.5,
            (j - f64::from(n)) * side * 0.5,
            0.0,
        );
        let any = random.vector(0.499 * f64::from(n) * side);
        for target in [edge, Vec3::new(any.x, any.y, 0.0)] {
            let slope = random.vector(1.0);
            let oblique = Vec3::new(slope.x, slope.y, -0.3).unit().unwrap_or_default();
            for (d, height) in [
                (Vec3::new(0.0, 0.0, -1.0), 3.0),
                (oblique, 3.0),
                (oblique, 1000.0),
            ] {
                let ray = Ray {
                    origin: center + target - d.scale(height),
                    direction: d,
                    range: [0.0, 1e9],
                };
                let hit = scene.closest(&ray, 0..0);
                let expected = (center.z - ray.origin.z) / d.z;
                let near = |hit: Hit| {
                    (hit.distance - expected).abs() < 1e-9 * height
                        && (hit.normal.z - 1.0).abs() < 1e-12
                };
                assert!(
                    hit.is_some_and(near),
                    "{target:?} {d:?} {height}: {hit:?} {expected}"
                );
            }
        }
    }
}

// Degenerate meshes cause no errors. Method: no triangles, corners that are missing, infinite or
// far away, no area.
#[test]
fn degenerate_meshes_are_handled() {
    let corners = [
        Vec3::zero(),
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(f64::NAN, 0.0, 0.0),
        Vec3::new(1e300, 1.0, 0.0),
    ];
    let degenerate: [&[[u32; 3]]; 4] = [
        &[],
        &[[0, 1, 9]],
        &[[0, 1, 2], [0, 1, 3]],
        &[[0, 0, 0], [0, 1, 0]],
    ];
    for triangles in degenerate {
        let mesh = RayShape::Mesh(Arc::new(Mesh::new(&corners, triangles)));
        let scene = single_shape_scene(mesh, Mat3::identity(), Vec3::zero());
        let ray = Ray {
            origin: Vec3::new(0.0, 0.0, 1.0),
            direction: Vec3::new(0.0, 0.0, -1.0),
            range: [0.0, 9.0],
        };
        assert_eq!(scene.closest(&ray, 0..0), None);
    }
}

// Rays hit the triangles of a height field above and below the diagonal of a cell. Method: heights
// computed by hand. Tolerance: 1e-6 m.
#[test]
fn heightfield_triangles_are_hit() {
    let field = Heightfield {
        count: [3, 2],
        size: [4.0, 3.0],
        heights: vec![0.0, 1.0, 1.0, 2.0, 4.0, 1.0],
    };
    let shape = RayShape::from(&Geometry::Heightfield(Arc::new(field)));
    let all = single_shape_scene(shape, Mat3::identity(), Vec3::zero());
    // Position in the first cell as fractions of its sides, and the height there.
    for (u, v, height) in [
        (0.5, 0.25, 0.5 + 0.75),
        (0.25, 0.5, 1.0 + 0.5),
        (0.9, 0.1, 0.9 + 0.3),
    ] {
        let origin = Vec3::new(2.0 * u - 2.0, 3.0 * v - 1.5, 9.0);
        let ray = Ray {
            origin,
            direction: Vec3::new(0.0, 0.0, -1.0),
            range: [0.0, 99.0],
        };
        let found = all.closest(&ray, 0..0).map(|hit| 9.0 - hit.distance);
        assert!(
            found.is_some_and(|z| (z - height).abs() < 1e-6),
            "{u} {v}: {found:?}, expected {height}"
        );
        assert!(
            all.closest(&ray, 0..0)
                .is_some_and(|hit| hit.normal.z > 0.0)
        );
    }
}
