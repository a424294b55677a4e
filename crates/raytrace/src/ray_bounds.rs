//! Intervals of the origins and directions of several rays, for tests that hold for all of them.

use crate::Ray;
use merrow_math::Vec3;
use merrow_math::real::{fast_max, fast_min};

/// Intervals that contain the origins and the directions of several rays.
#[derive(Clone, Copy, Debug)]
pub struct RayBounds {
    /// Minimum and maximum of each coordinate of the origins [m].
    pub origin: [[f64; 2]; 3],
    /// Minimum and maximum of each component of the directions.
    pub direction: [[f64; 2]; 3],
}

impl RayBounds {
    /// Returns the intervals of rays given by origin [m] and direction.
    pub(crate) fn new(rays: impl Iterator<Item = [Vec3; 2]>) -> Self {
        let empty = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        let (mut origin, mut direction) = (empty, empty);
        for [p, d] in rays {
            for axis in 0..3 {
                for ([low, high], x) in [
                    (&mut origin[axis], p[axis]),
                    (&mut direction[axis], d[axis]),
                ] {
                    (*low, *high) = (fast_min(*low, x), fast_max(*high, x));
                }
            }
        }
        Self { origin, direction }
    }

    /// Returns the intervals of rays in W.
    pub fn of_rays(rays: &[Ray]) -> Self {
        Self::new(rays.iter().map(|ray| [ray.origin, ray.direction]))
    }

    /// Returns the maximum horizontal component of the directions, which are unit vectors, or more.
    pub fn max_horizontal(&self) -> f64 {
        let [x, y, _] = self.direction.map(|[low, high]| high.max(-low));
        (x * x + y * y).sqrt()
    }

    /// Returns the interval of a coordinate [m] at the distances from `from` to `to` [m].
    #[inline(always)]
    pub fn coordinate(&self, axis: usize, [from, to]: [f64; 2]) -> [f64; 2] {
        let ([o_low, o_high], [low, high]) = (self.origin[axis], self.direction[axis]);
        let first = if low < 0.0 { to } else { from };
        let last = if high < 0.0 { from } else { to };
        [o_low + first * low, o_high + last * high]
    }
}
