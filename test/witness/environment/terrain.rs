//! Tests terrain against rapier's height field, which divides its cells in the same way.

use crate::common::tree::Random;
use merrow_math::Vec3;
use merrow_model::scene::sea::grid::{Axis, Extrapolation, Grid, Interpolation, Samples};
use merrow_model::scene::sea::terrain::Terrain;
use parry3d_f64::glamx::DQuat;
use parry3d_f64::math::{Pose, Vector};
use parry3d_f64::query::{Ray, RayCast};
use parry3d_f64::shape::HeightField;
use parry3d_f64::utils::Array2;
use std::sync::Arc;

// Ray hits on terrain match the triangles of another program. Method: a rough terrain of 7 x 5
// samples, 2000 rays in all directions from above it, except those that hit its rim or miss it
// according to rapier. Tolerance: 1e-9 m.
#[test]
fn terrain_ray_hits_match_rapier() {
    let (nx, ny, dx, dy) = (7, 5, 2.0, 3.0);
    let mut random = Random::new(11);
    let heights: Vec<f64> = (0..nx * ny).map(|_| random.between(-3.0, 3.0)).collect();
    let axis = |n: usize, d: f64| {
        Axis::new(
            (0..n)
                .map(|k| (k as f64 - 0.5 * (n - 1) as f64) * d)
                .collect(),
        )
    };
    let grid = Grid {
        plane: None,
        samples: Samples::F64(heights.clone()),
        axes: [axis(nx, dx), axis(ny, dy), Axis::single(), Axis::single()],
        first: 0,
        strides: [1, nx as isize, 0, 0],
        interpolation: Interpolation::Linear,
        extrapolation: Extrapolation::Clamp,
        digest: 1,
    };
    let terrain = Terrain::new(Arc::new(grid)).unwrap();
    // Columns over x, rows over z = -y.
    let columns = (0..nx).flat_map(|i| (0..ny).map(move |j| (i, j)));
    let theirs = Array2::new(
        ny,
        nx,
        columns
            .map(|(i, j)| heights[(ny - 1 - j) * nx + i])
            .collect(),
    );
    let size = Vector::new(dx * (nx - 1) as f64, 1.0, dy * (ny - 1) as f64);
    let theirs = HeightField::new(theirs, size);
    let h = std::f64::consts::FRAC_1_SQRT_2;
    let upright = Pose::from_parts(Vector::ZERO, DQuat::from_xyzw(h, 0.0, 0.0, h));
    let mut met = 0;
    for _ in 0..2000 {
        let p = Vec3::new(
            random.between(-5.5, 5.5),
            random.between(-5.5, 5.5),
            random.between(3.1, 9.0),
        );
        let d = random.vector(1.0);
        let Some(d) = d.unit() else { continue };
        let ray = Ray::new(Vector::new(p.x, p.y, p.z), Vector::new(d.x, d.y, d.z));
        let Some(expected) = theirs.cast_ray(&upright, &ray, 1e6, false) else {
            continue;
        };
        let found = terrain.range(p, d);
        assert!(
            found.is_some_and(|found| (found - expected).abs() < 1e-9),
            "{p:?} {d:?}: {found:?} {expected}"
        );
        met += 1;
    }
    assert!(met > 300, "{met} rays hit the terrain");
}
