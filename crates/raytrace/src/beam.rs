//! Beam: a pyramid around many rays of similar direction, which rejects boxes for all of them.
//!
//! # Law
//! ```text
//!   u = d·e_1/d·a,  v = d·e_2/d·a,  u_0 <= u <= u_1,  v_0 <= v <= v_1  for every ray     (1)
//!   a box is rejected if all its corners x fulfil n·(x - o) > 0 for one of
//!   n = u_0 a - e_1,  e_1 - u_1 a,  v_0 a - e_2,  e_2 - v_1 a,  -a                       (2)
//! ```
//! The half sizes of the boxes are enlarged by the distances between the origins of the rays and by
//! a margin for rounding, so that no box that a ray meets is rejected.
//!
//! # Symbols
//! o origin of the first ray, d direction of a ray; a mean direction, e_1 and e_2 normal to it.
//!
//! # Frames
//! World.
//!
//! # Limits
//! The directions lie within 45 degrees of their mean.
//!
//! # Checked by
//! The tests of `mod.rs`; test/sensors/raytrace.rs

use crate::Ray;
use merrow_math::Vec3;
use merrow_math::real::{fast_max, fast_min};

/// Minimum cosine of the angle between a ray and the mean direction.
const MIN_COSINE: f64 = 0.71;
/// Margin of the half size of a box, relative to its distance.
const MARGIN: f64 = 1e-6;

/// Pyramid around many rays.
pub(crate) struct Beam {
    origin: Vec3,
    /// Maximum distance of an origin from `origin` [m].
    spread: f64,
    /// Outward normals of the sides and of the back. (2)
    sides: [Vec3; 5],
    /// Maximum distance of a hit [m].
    reach: f64,
}

impl Beam {
    /// Returns the beam around `rays`; `None` without a ray or if their directions differ too much.
    pub(crate) fn new(rays: &[Ray]) -> Option<Self> {
        let (first, last) = (rays.first()?, rays.last()?);
        let axis = (first.direction + last.direction).unit()?;
        let first_axis = axis.cross(axis.other_axis()).unit()?;
        let second_axis = axis.cross(first_axis);
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        let (mut square, mut reach, mut cosine) = (0.0_f64, 0.0_f64, 1.0_f64);
        for ray in rays {
            let d = ray.direction;
            let along = d.dot(axis);
            let per_along = 1.0 / along;
            let (u, v) = (
                d.dot(first_axis) * per_along,
                d.dot(second_axis) * per_along,
            );
            (low[0], high[0]) = (fast_min(low[0], u), fast_max(high[0], u));
            (low[1], high[1]) = (fast_min(low[1], v), fast_max(high[1], v));
            let offset = ray.origin - first.origin;
            square = fast_max(square, offset.dot(offset));
            reach = fast_max(reach, ray.range[1]);
            cosine = fast_min(cosine, along);
        }
        let sides = [
            axis.scale(low[0]) - first_axis,
            first_axis - axis.scale(high[0]),
            axis.scale(low[1]) - second_axis,
            second_axis - axis.scale(high[1]),
            axis.scale(-1.0),
        ];
        (cosine > MIN_COSINE).then_some(Self {
            origin: first.origin,
            spread: square.sqrt(),
            sides,
            reach,
        })
    }

    /// Returns false if no ray hits the box with this centre and half size [m], W.
    #[inline(always)]
    pub(crate) fn may_hit(&self, (center, half): &(Vec3, Vec3)) -> bool {
        let m = *center - self.origin;
        let distance = m.x.abs() + m.y.abs() + m.z.abs();
        let margin = self.spread + MARGIN * (1.0 + distance + half.x + half.y + half.z);
        let (x, y, z) = (half.x + margin, half.y + margin, half.z + margin);
        // Comparisons are false for NaN, which rejects no box.
        let is_beyond = |n: &Vec3| n.dot(m) > n.x.abs() * x + n.y.abs() * y + n.z.abs() * z;
        let is_too_far = m.dot(m).sqrt() > self.reach + (x * x + y * y + z * z).sqrt();
        let [a, b, c, d, back] = &self.sides;
        // without branches, which the processor would often predict wrongly
        !(is_too_far | is_beyond(a) | is_beyond(b) | is_beyond(c) | is_beyond(d) | is_beyond(back))
    }
}
