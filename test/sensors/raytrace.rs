//! Tests of ray intersections against closed forms: planes, balls and cylinders, near and far, and
//! a floor of triangles without gaps.

mod meshes;
mod primitives;
mod terrain;

use crate::common::tree::Random;
use merrow_math::{Mat3, Vec3};
use merrow_raytrace::{Hit, PosedShape, Primitive, Ray, RayShape, Scratch, ShapeScene};
use std::sync::Arc;

const RAYS: usize = 100_000;

fn single_shape_scene(shape: RayShape, R_WG: Mat3, p_WG: Vec3) -> ShapeScene {
    ShapeScene::new(vec![PosedShape { shape, R_WG, p_WG }], vec![])
}

/// Returns the rays towards points around `p_WG`, from 30 m and from 1 km away, every fourth along
/// one of the axes of `R_WG`.
fn rays(random: &mut Random, R_WG: &Mat3, p_WG: Vec3, size: f64) -> Vec<Ray> {
    let one = |k: usize| {
        let target = random.vector(size);
        let axis = [
            Vec3::new(1.0, 0.0, 0.0),
            Vec3::new(0.0, -1.0, 0.0),
            Vec3::new(0.0, 0.0, -1.0),
        ][k / 4 % 3];
        let d = if k.is_multiple_of(4) {
            axis
        } else {
            random.vector(1.0).unit().unwrap_or(axis)
        };
        let away = if k.is_multiple_of(2) { 30.0 } else { 1000.0 };
        let (origin, direction) = (p_WG + R_WG.mul_vec(target - d.scale(away)), R_WG.mul_vec(d));
        Ray {
            origin,
            direction,
            range: [0.0, 5000.0],
        }
    };
    (0..RAYS).map(one).collect()
}

fn traced(all: &ShapeScene, rays: &[Ray]) -> Vec<Option<Hit>> {
    let mut hits = vec![None; rays.len()];
    all.closest_all(rays, &(0..0), &mut Scratch::default(), &mut hits);
    hits
}

/// Returns the origin and direction of the ray in the frame of the shape.
fn local(ray: &Ray, R_WG: &Mat3, p_WG: Vec3) -> (Vec3, Vec3) {
    (
        R_WG.tr_mul_vec(ray.origin - p_WG),
        R_WG.tr_mul_vec(ray.direction),
    )
}

/// Checks hits against `expected`, which returns distance and outward normal in the frame of the
/// shape, or `None` for grazing rays, which may hit or miss. Returns the number of hits.
fn compare(
    rays: &[Ray],
    hits: &[Option<Hit>],
    R_WG: &Mat3,
    p_WG: Vec3,
    expected: impl Fn(Vec3, Vec3) -> Option<Option<(f64, Vec3)>>,
) -> usize {
    let mut met = 0;
    for (ray, hit) in rays.iter().zip(hits) {
        let (o, d) = local(ray, R_WG, p_WG);
        let Some(expected) = expected(o, d) else {
            continue;
        };
        assert_eq!(
            hit.is_some(),
            expected.is_some(),
            "{ray:?}: {hit:?}, expected {expected:?}"
        );
        if let (Some(hit), Some((distance, normal))) = (hit, expected) {
            assert!(
                (hit.distance - distance).abs() < 1e-6,
                "{ray:?}: {hit:?}, expected {distance}"
            );
            let apart = (R_WG.tr_mul_vec(hit.normal) - normal).norm();
            assert!(apart < 1e-6, "{ray:?}: {hit:?}, expected {normal:?}");
            met += 1;
        }
    }
    met
}

fn a_place(random: &mut Random) -> (Mat3, Vec3) {
    (
        random.attitude().matrix(),
        Vec3::new(4.3e4, -2.7e4, -310.0) + random.vector(10.0),
    )
}

// Rays hit a ball at the solution of its equation. Method: 100 000 rays to a ball 50 km from the
// origin with random axes; the nearer root of |o + t d|² = r², computed about the closest point of
// the ray. Tolerance: 1e-6 m, and of the normal; rays within 1e-8 m² of the rim are skipped.
#[test]
fn rays_hit_balls() {
    let (mut random, radius) = (Random::new(31), 2.5);
    let (R, p) = a_place(&mut random);
    let rays = rays(&mut random, &R, p, 3.0);
    let hits = traced(
        &single_shape_scene(RayShape::Primitive(Primitive::Sphere { radius }), R, p),
        &rays,
    );
    let met = compare(&rays, &hits, &R, p, |o, d| {
        let t = -o.dot(d);
        let q = o + d.scale(t);
        let rest = radius * radius - q.dot(q);
        if rest.abs() < 1e-8 {
            return None;
        }
        Some((rest > 0.0).then(|| {
            let t = t - rest.sqrt();
            (t, (o + d.scale(t)).scale(1.0 / radius))
        }))
    });
    assert!(met > RAYS / 3 && met < RAYS, "{met}");
}

// Rays hit the side or an end of a cylinder. Method: 100 000 rays as for balls; side and ends by
// their own equations, with each hit checked to be on the body. Tolerance: as for balls; rays
// within 1e-6 m of an edge are skipped.
#[test]
fn rays_hit_cylinders() {
    let (mut random, radius, half_length) = (Random::new(32), 1.5, 2.0);
    let (R, p) = a_place(&mut random);
    let rays = rays(&mut random, &R, p, 3.0);
    let shape = RayShape::Primitive(Primitive::Cylinder {
        radius,
        half_length,
    });
    let hits = traced(&single_shape_scene(shape, R, p), &rays);
    let met = compare(&rays, &hits, &R, p, |o, d| {
        let mut found: Vec<(f64, Vec3)> = Vec::new();
        let mut unsure = false;
        let middle = -(o.x * d.x + o.y * d.y) / (d.x * d.x + d.y * d.y).max(1e-300);
        let (qx, qy) = (o.x + middle * d.x, o.y + middle * d.y);
        let across = d.x * d.x + d.y * d.y;
        let rest = radius * radius - qx * qx - qy * qy;
        if across > 1e-20 {
            unsure |= rest.abs() < 1e-7;
            let t = middle - rest.max(0.0).sqrt() / across.sqrt();
            let z = o.z + t * d.z;
            unsure |= (z.abs() - half_length).abs() < 1e-6;
            if rest > 0.0 && z.abs() < half_length {
                found.push((
                    t,
                    Vec3::new((o.x + t * d.x) / radius, (o.y + t * d.y) / radius, 0.0),
                ));
            }
        }
        if d.z.abs() > 1e-12 {
            let side = -d.z.signum();
            let t = (side * half_length - o.z) / d.z;
            let (x, y) = (o.x + t * d.x, o.y + t * d.y);
            let off = (x * x + y * y).sqrt() - radius;
            unsure |= off.abs() < 1e-6;
            if off < 0.0 {
                found.push((t, Vec3::new(0.0, 0.0, side)));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        (!unsure).then(|| found.first().copied())
    });
    assert!(met > RAYS / 3 && met < RAYS, "{met}");
}

// A floor of 20 000 triangles is a plane without gaps. Method: 100 000 rays as for balls, half of
// them moved to a corner or an edge of its squares, three quarters of these straight down in the
// frame of the floor; all rays that come down within the floor hit it. Tolerance: no misses, 1e-6 m
// divided by the sine of the incidence, and 1e-6 of the normal.
#[test]
fn floor_of_triangles_has_no_gaps() {
    let (mut random, n, side) = (Random::new(33), 100_u32, 0.25);
    let (R, p) = a_place(&mut random);
    let half = 0.5 * f64::from(n) * side;
    let floor = RayShape::Mesh(Arc::new(meshes::floor(n, side, Vec3::zero())));
    let all = single_shape_scene(floor, R, p);
    let mut rays = rays(&mut random, &R, p, 10.0);
    for (k, ray) in rays.iter_mut().enumerate().filter(|(k, _)| k % 2 == 0) {
        let (o, d) = local(ray, &R, p);
        let round = |x: f64| (x / side).round() * side;
        let down = Vec3::new(0.0, 0.0, -1.0);
        let d = if k % 8 == 2 { d } else { down };
        let target = Vec3::new(
            round(o.x % 10.0),
            if k % 4 == 0 {
                round(o.y % 10.0)
            } else {
                o.y % 10.0
            },
            0.0,
        );
        ray.direction = R.mul_vec(d);
        ray.origin = p + R.mul_vec(target - d.scale(700.0));
    }
    let hits = traced(&all, &rays);
    let met = compare(&rays, &hits, &R, p, |o, d| {
        // The distance to a plane seen edge-on is not defined well.
        if d.z.abs() < 0.1 {
            return None;
        }
        let t = -o.z / d.z;
        let (x, y) = (o.x + t * d.x, o.y + t * d.y);
        let off = x.abs().max(y.abs()) - half;
        (off.abs() > 1e-3)
            .then_some((off < 0.0 && t > 0.0).then_some((t, Vec3::new(0.0, 0.0, 1.0))))
    });
    assert!(met > RAYS * 3 / 4, "{met}");
}
