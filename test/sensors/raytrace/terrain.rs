//! Tests of rays at terrain: the pyramid of maximum heights against a walk over all cells.

use merrow_math::Vec3;
use merrow_math::ellipsoid::TangentPlane;
use merrow_math::rng::{Draw, Stream};
use merrow_model::scene::sea::grid::{Axis, Extrapolation, Grid, Interpolation, Samples};
use merrow_model::scene::sea::terrain::Terrain;
use merrow_raytrace::Heightfield;
use merrow_raytrace::mesh::LocalRay;
use std::sync::Arc;

/// Returns a rough terrain of `n` cells of 20 m along the two axes.
fn ground(n: [usize; 2], plane: Option<TangentPlane>) -> Arc<Terrain> {
    let stream = Stream::new(3, "ground");
    let [nx, ny] = n.map(|n| n + 1);
    let height = |k: usize| {
        let (i, j) = (k % nx, k / nx);
        let (a, _) = merrow_math::real::sin_cos(0.21 * i as f64);
        let (b, _) = merrow_math::real::sin_cos(0.13 * j as f64);
        40.0 * a * b + 8.0 * stream.draw(k as u64).uniform()
    };
    let axis = |n: usize| {
        Axis::new(
            (0..n)
                .map(|k| (k as f64 - 0.5 * (n - 1) as f64) * 20.0)
                .collect(),
        )
    };
    let grid = Grid {
        plane,
        samples: Samples::F64((0..nx * ny).map(height).collect()),
        axes: [axis(nx), axis(ny), Axis::single(), Axis::single()],
        first: 0,
        strides: [1, nx as isize, 0, 0],
        interpolation: Interpolation::Linear,
        extrapolation: Extrapolation::Clamp,
        digest: 1,
    };
    Arc::new(Terrain::new(Arc::new(grid)).unwrap())
}

fn random_ray(draw: &mut Draw, k: u64, size: f64) -> LocalRay {
    let mut between = |a: f64, b: f64| a + (b - a) * draw.uniform();
    // Some rays start on the lines between cells, and some run along them.
    let on_line = |x: f64| {
        if k.is_multiple_of(5) {
            (x / 20.0).round() * 20.0
        } else {
            x
        }
    };
    let o = Vec3::new(
        on_line(between(-size, size)),
        on_line(between(-size, size)),
        between(-20.0, 150.0),
    );
    let d = match k % 7 {
        0 => Vec3::new(0.0, 1.0, between(-0.2, 0.02)),
        1 => Vec3::new(-1.0, 0.0, between(-0.2, 0.02)),
        2 => Vec3::new(0.0, 0.0, -1.0),
        3 => Vec3::new(1.0, 1.0, between(-0.1, 0.0)),
        _ => Vec3::new(between(-1.0, 1.0), between(-1.0, 1.0), between(-0.4, 0.1)),
    };
    LocalRay {
        o,
        d: d.unit().unwrap_or_default(),
        range: [0.0, f64::INFINITY],
        from: 0.0,
    }
}

/// Asserts that the pyramid of `terrain` finds the same hits as the walk over all cells, with the
/// normal of their triangle. The rays start within `size` [m] of the origin.
fn compare_with_walk(terrain: &Arc<Terrain>, size: f64, rays: u64) {
    let field = Heightfield::new(terrain.clone());
    let stream = Stream::new(4, "rays");
    let (mut hit_count, mut same_faces) = (0, 0);
    for k in 0..rays {
        let local_ray = random_ray(&mut stream.draw(k), k, size);
        let expected = terrain.range(local_ray.o, local_ray.d);
        let hit = field.closest(&local_ray);
        let found = hit.map(|hit| hit.distance);
        if let Some(hit) = hit {
            let p = local_ray.o + local_ray.d.scale(hit.distance);
            let (normal, face) = terrain.normal_and_face(p.x, p.y);
            // at the side of a triangle rounding decides
            if hit.face == face {
                assert!(
                    (hit.normal - normal).norm() < 1e-12,
                    "{k}: {hit:?}, {normal:?}"
                );
                same_faces += 1;
            }
        }
        let near = match (expected, found) {
            (Some(a), Some(b)) => {
                let (x, y) = (
                    local_ray.o.x + a * local_ray.d.x,
                    local_ray.o.y + a * local_ray.d.y,
                );
                let [i, j] = terrain.cells(x, y);
                let [m, n] = terrain.count().map(|n| n as f64 - 1.0);
                let inside = i > -0.1 && j > -0.1 && i < m + 0.1 && j < n + 0.1;
                // Beyond the edge the exact walk takes the slope over one metre.
                let slope_factor = if inside {
                    1.0
                } else {
                    local_ray.d.z.abs().min(1.0)
                };
                // Beyond the edge of curved grid lines both searches take long straight steps.
                let height = |t: f64| terrain.height_above(local_ray.o, local_ray.d, t).abs();
                let is_close =
                    terrain.is_curved() && !inside && height(b) < height(a).max(1e-5 * b);
                (a - b).abs() * slope_factor < 1e-9 * (1.0 + a) || is_close
            }
            (a, b) => a == b,
        };
        assert!(near, "{k}: {local_ray:?}: {found:?}, expected {expected:?}");
        hit_count += u64::from(found.is_some());
    }
    assert!(hit_count > rays / 3 && hit_count < rays, "{hit_count}");
    assert!(10 * same_faces > 9 * hit_count, "{same_faces} {hit_count}");
}

// The pyramid finds the same hits as the walk over all cells. Method: 150 x 90 cells, each in its
// own square, and 1600 x 1400 cells in squares of two by two; 6000 and 1500 rays inside and
// outside, along grid lines and oblique. Tolerance: 1e-9 of the distance, or of the height for hits
// on the level terrain beyond the edges.
#[test]
fn pyramid_and_cell_walk_agree() {
    compare_with_walk(&ground([150, 90], None), 1800.0, 6000);
    compare_with_walk(&ground([1600, 1400], None), 19_000.0, 1500);
}

// The same for a grid of longitudes and latitudes. Method: the same terrain at 60 degrees north,
// 1000 and 400 rays. Tolerance: the same; beyond the edges 1e-5 of the distance as height, or the
// error of the walk.
#[test]
fn pyramid_and_cell_walk_agree_on_geographic_grids() {
    let plane = Some(TangentPlane::new(1.047, 0.3, 0.0));
    compare_with_walk(&ground([150, 90], plane), 1400.0, 1000);
    compare_with_walk(&ground([1600, 1400], plane), 14_000.0, 400);
}

// Rays that never hit the terrain terminate. Method: horizontal rays, low over the terrain and
// beyond its edges, and from a million kilometres away.
#[test]
fn horizontal_rays_terminate() {
    for plane in [None, Some(TangentPlane::new(1.047, 0.3, 0.0))] {
        let terrain = ground([30, 20], plane);
        let field = Heightfield::new(terrain.clone());
        let level = |x: f64, y: f64, dx: f64, dy: f64| LocalRay {
            o: Vec3::new(x, y, terrain.height_range()[1] - 0.5),
            d: Vec3::new(dx, dy, 0.0),
            range: [0.0, f64::INFINITY],
            from: 0.0,
        };
        assert_eq!(field.closest(&level(-400.0, 0.0, -1.0, 0.0)), None);
        assert_eq!(field.closest(&level(0.0, 500.0, 0.0, 1.0)), None);
        assert_eq!(field.closest(&level(310.0, 500.0, 0.6, 0.8)), None);
    }
    let field = Heightfield::new(ground([30, 20], None));
    let far = LocalRay {
        o: Vec3::new(-1e9, 3.0, 60.0),
        d: Vec3::new(1.0, 0.0, 0.0),
        range: [0.0, f64::INFINITY],
        from: 0.0,
    };
    assert_eq!(field.closest(&far), None);
    let low = LocalRay {
        o: Vec3::new(-1e9, 3.0, 40.0),
        ..far
    };
    let _ = field.closest(&low);
}

// Rays along a grid line that diverge from it by less than a rounding error per kilometre
// terminate, with the same hits as the walk over the cells. Method: horizontal and sinking rays
// along all lines, to either side. Tolerance: 1e-9 of the distance.
#[test]
fn rays_along_grid_lines_terminate() {
    let terrain = ground([40, 30], None);
    let field = Heightfield::new(terrain.clone());
    let mut hit_count = 0;
    for k in 0..160_u32 {
        let (line, offset) = (
            f64::from(k % 20) * 20.0 - 200.0,
            [1e-16, -1e-16, 3e-18, -1e-300][k as usize / 40],
        );
        let slope = if k % 2 == 0 { 0.0 } else { -0.05 };
        let d = if k % 4 < 2 {
            Vec3::new(1.0, offset, slope)
        } else {
            Vec3::new(offset, -1.0, slope)
        };
        let o = if k % 4 < 2 {
            Vec3::new(-380.0, line, 35.0)
        } else {
            Vec3::new(line, 280.0, 35.0)
        };
        let local_ray = LocalRay {
            o,
            d: d.unit().unwrap_or_default(),
            range: [0.0, f64::INFINITY],
            from: 0.0,
        };
        let (expected, found) = (
            terrain.range(local_ray.o, local_ray.d),
            field.closest(&local_ray).map(|hit| hit.distance),
        );
        match (expected, found) {
            (Some(a), Some(b)) => assert!((a - b).abs() < 1e-9 * (1.0 + a), "{k}: {a} {b}"),
            (a, b) => assert_eq!(a, b, "{k}"),
        }
        hit_count += u32::from(found.is_some());
    }
    assert!(hit_count > 20, "{hit_count}");
}
