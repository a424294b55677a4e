//! Intersection of rays with spheres, boxes, cylinders and capsules.
//!
//! # Law
//! All are convex: a ray is inside from t_in to t_out. With the point of the ray nearest to the
//! centre, or to the axis, at t_m:
//! ```text
//!   sphere     t = t_m ∓ sqrt(r² - |q|²),   q = o + t_m d,  t_m = -o·d                       (1)
//!   mantle     t = t_m ∓ sqrt(a r² - c²)/a,  a = d_x² + d_y²,  c = o_x d_y - o_y d_x,
//!              t_m = -(o_x d_x + o_y d_y)/a                                                   (2)
//!   slab       t = (∓h - o_z)/d_z, in the order of the sign of d_z                            (3)
//! ```
//! A box is the intersection of three slabs; a cylinder is the intersection of a mantle and a slab.
//! A ray enters a capsule through its mantle, if that point lies between the centres of the ends,
//! else through the sphere of the nearer end. The same holds for the exit.
//!
//! # Symbols
//! o origin, d direction, t distance along the ray; r radius, h half of a length.
//!
//! # Frames
//! Frame of the shape, with cylinders and capsules along z.
//!
//! # Limits
//! The error is below 1e-9 m from a distance of 1 km. For a ray that grazes a round shape it is
//! below 1e-6 m.
//!
//! # Checked by
//! test/sensors/raytrace/primitives.rs, test/sensors/raytrace.rs

use crate::mesh::{LocalHit, LocalRay};
use merrow_math::Vec3;
use merrow_model::scene::Primitive;

/// Intersection of a ray with a surface: distance [m], outward normal, face.
type Crossing = (f64, Vec3, u32);

/// Computes the first intersection of a ray with the surface, from outside or from inside. The
/// faces of a box are numbered -x, +x, -y, +y, -z, +z; the faces of a cylinder mantle, bottom, top.
pub(crate) fn closest(primitive: &Primitive, local_ray: &LocalRay) -> Option<LocalHit> {
    // Starts near the shape, so that a distant origin costs little precision.
    let shift = -local_ray.o.dot(local_ray.d);
    let (o, d) = (local_ray.o + local_ray.d.scale(shift), local_ray.d);
    let [enter, leave] = match *primitive {
        Primitive::Sphere { radius } => intersect_sphere(o, d, radius)?,
        Primitive::Box { half } => {
            let all = [
                intersect_slab(o, d, half.x, 0)?,
                intersect_slab(o, d, half.y, 1)?,
                intersect_slab(o, d, half.z, 2)?,
            ];
            intersect_intervals(&all)?
        }
        Primitive::Cylinder {
            radius,
            half_length,
        } => {
            let ends = intersect_slab(o, d, half_length, 2)?.map(|(t, n, face)| (t, n, face - 3));
            intersect_intervals(&[intersect_cylinder(o, d, radius)?, ends])?
        }
        Primitive::Capsule {
            radius,
            half_length,
        } => intersect_capsule(o, d, radius, half_length)?,
    };
    let in_range = |t: f64| t + shift >= local_ray.range[0] && t + shift <= local_ray.range[1];
    let (t, normal, face) = [enter, leave].into_iter().find(|c| in_range(c.0))?;
    Some(LocalHit {
        distance: t + shift,
        normal,
        face,
    })
}

/// Returns the entry and exit of a sphere. (1)
fn intersect_sphere(o: Vec3, d: Vec3, radius: f64) -> Option<[Crossing; 2]> {
    let midpoint = -o.dot(d);
    let q = o + d.scale(midpoint);
    let remainder = radius * radius - q.dot(q);
    (remainder >= 0.0).then(|| {
        let half = remainder.sqrt();
        [midpoint - half, midpoint + half].map(|t| (t, outward(o + d.scale(t)), 0))
    })
}

fn outward(v: Vec3) -> Vec3 {
    v.unit().unwrap_or(Vec3::new(0.0, 0.0, 1.0))
}

/// Returns the entry and exit of an infinite cylinder. A ray inside it along the axis never leaves.
/// (2)
fn intersect_cylinder(o: Vec3, d: Vec3, radius: f64) -> Option<[Crossing; 2]> {
    let a = d.x * d.x + d.y * d.y;
    let normal = |t: f64| outward(Vec3::new(o.x + t * d.x, o.y + t * d.y, 0.0));
    if a < 1e-30 {
        let inside = o.x * o.x + o.y * o.y <= radius * radius;
        return inside.then(|| [f64::NEG_INFINITY, f64::INFINITY].map(|t| (t, normal(0.0), 0)));
    }
    let c = o.x * d.y - o.y * d.x;
    let remainder = a * radius * radius - c * c;
    let midpoint = -(o.x * d.x + o.y * d.y) / a;
    (remainder >= 0.0).then(|| {
        let half = remainder.sqrt() / a;
        [midpoint - half, midpoint + half].map(|t| (t, normal(t), 0))
    })
}

/// Returns the entry and exit of a slab. A ray inside it and parallel to it never leaves. (3)
fn intersect_slab(o: Vec3, d: Vec3, half: f64, axis: usize) -> Option<[Crossing; 2]> {
    let side = |sign: f64| {
        let mut n = Vec3::zero();
        n[axis] = sign;
        (n, 2 * axis as u32 + u32::from(sign > 0.0))
    };
    let sign = if d[axis] < 0.0 { -1.0 } else { 1.0 };
    let at = |t: f64, sign: f64| (t, side(sign).0, side(sign).1);
    if d[axis] == 0.0 {
        let inside = o[axis].abs() <= half;
        return inside.then(|| [at(f64::NEG_INFINITY, -1.0), at(f64::INFINITY, 1.0)]);
    }
    let t = |sign: f64| (sign * half - o[axis]) / d[axis];
    Some([at(t(-sign), -sign), at(t(sign), sign)])
}

/// Returns the intersection of intervals: from the last entry to the first exit.
fn intersect_intervals(all: &[[Crossing; 2]]) -> Option<[Crossing; 2]> {
    let mut both = all[0];
    for [enter, leave] in &all[1..] {
        if enter.0 > both[0].0 {
            both[0] = *enter;
        }
        if leave.0 < both[1].0 {
            both[1] = *leave;
        }
    }
    (both[0].0 <= both[1].0).then_some(both)
}

fn intersect_capsule(o: Vec3, d: Vec3, radius: f64, half_length: f64) -> Option<[Crossing; 2]> {
    let [enter, leave] = intersect_cylinder(o, d, radius)?;
    let end = |crossing: Crossing, back: f64, which: usize| {
        let z = if crossing.0.is_finite() {
            o.z + crossing.0 * d.z
        } else {
            back * d.z
        };
        if z.abs() <= half_length && crossing.0.is_finite() {
            return Some(crossing);
        }
        let end_center = Vec3::new(0.0, 0.0, if z < 0.0 { -half_length } else { half_length });
        intersect_sphere(o - end_center, d, radius).map(|both| both[which])
    };
    Some([end(enter, -1.0, 0)?, end(leave, 1.0, 1)?])
}
