//! Shadow map: where the shapes of a scene may shade points from parallel light.
//!
//! # Law
//! The bounding boxes of all shapes are projected along the light onto a grid of 64 x 64 squares:
//! ```text
//!   u = x·e_1,  v = x·e_2,   |u - u_c| <= h_x |e_1x| + h_y |e_1y| + h_z |e_1z|         (1)
//! ```
//! A point whose square no box covers is lit. Other points need a ray.
//!
//! # Symbols
//! x point; e_1, e_2 unit vectors normal to the light; u_c centre of a box, h its half size.
//!
//! # Frames
//! World.
//!
//! # Limits
//! Terrains have no bounding box, so a scene with a terrain has no shadow map.
//!
//! # Checked by
//! The tests in this file.

use merrow_math::Vec3;

/// Squares along a side of the grid.
const SIDE: usize = 64;
/// Margin for rounding, relative to the size of the grid.
const MARGIN: f64 = 1e-6;

/// Grid of the squares that a shape covers, seen along the light.
#[derive(Clone, Debug)]
pub struct ShadowMap {
    axes: [Vec3; 2],
    /// Corner of the grid [m] and squares per metre, along both axes.
    corner: [f64; 2],
    scale: [f64; 2],
    /// Covered squares of each row.
    rows: [u64; SIDE],
}

impl ShadowMap {
    /// Returns the map of boxes, given by centre and half size [m], in light along the unit vector
    /// `light`, W.
    pub(crate) fn new(light: Vec3, boxes: &[(Vec3, Vec3)]) -> Self {
        let reference = light.other_axis();
        let first = light.cross(reference).unit().unwrap_or(reference);
        let axes = [first, light.cross(first)];
        let interval = |(center, half): &(Vec3, Vec3), e: Vec3| {
            let center_along = center.dot(e);
            let size = half.x * e.x.abs() + half.y * e.y.abs() + half.z * e.z.abs();
            let size = size + MARGIN * (1.0 + size + center_along.abs());
            [center_along - size, center_along + size]
        };
        let limits = axes.map(|e| {
            let all = boxes.iter().map(|one| interval(one, e));
            all.fold([f64::INFINITY, f64::NEG_INFINITY], |a, b| {
                [a[0].min(b[0]), a[1].max(b[1])]
            })
        });
        let scale = limits.map(|[low, high]| SIDE as f64 / (high - low).max(1e-3));
        let mut map = Self {
            axes,
            corner: limits.map(|[low, _]| low),
            scale,
            rows: [0; SIDE],
        };
        for one in boxes {
            let [columns, rows] = [0, 1].map(|k| {
                let index = |x: f64| (((x - map.corner[k]) * scale[k]) as usize).min(SIDE - 1);
                let [low, high] = interval(one, axes[k]);
                index(low)..index(high) + 1
            });
            let squares = (u64::MAX >> (SIDE - columns.len())) << columns.start;
            map.rows[rows].iter_mut().for_each(|row| *row |= squares);
        }
        map
    }

    /// Returns false if no shape shades the point `p` [m], W.
    #[inline(always)]
    pub fn may_shade(&self, p: Vec3) -> bool {
        let [u, v] = [0, 1].map(|k| (p.dot(self.axes[k]) - self.corner[k]) * self.scale[k]);
        let is_inside = |x: f64| (0.0..SIDE as f64).contains(&x);
        // Positions that are NaN are outside.
        is_inside(u) && is_inside(v) && self.rows[v as usize & (SIDE - 1)] >> u as u32 & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::rng::Stream;

    // The map covers every point that a box shades, and not all other points. Method: 30 random
    // boxes and light directions, points on lines through the boxes and random points.
    #[test]
    fn shaded_points_are_covered() {
        let stream = Stream::new(5, "shadows");
        let mut draw = stream.draw(0);
        let mut point = |size: f64| {
            let mut coordinate = || size * (2.0 * draw.uniform() - 1.0);
            Vec3::new(coordinate(), coordinate(), coordinate())
        };
        let mut lit = 0;
        for _ in 0..200 {
            let light = point(1.0).unit().unwrap_or(Vec3::new(0.0, 0.0, 1.0));
            let half = |p: Vec3| Vec3::new(p.x.abs(), p.y.abs(), p.z.abs());
            let boxes: Vec<_> = (0..30).map(|_| (point(50.0), half(point(2.0)))).collect();
            let map = ShadowMap::new(light, &boxes);
            for (center, half) in &boxes {
                let part = point(1.0);
                let inside = Vec3::new(half.x * part.x, half.y * part.y, half.z * part.z);
                let p = *center + inside - light.scale(point(100.0).x.abs());
                assert!(map.may_shade(p), "{p:?} is shaded by {center:?}");
                lit += usize::from(!map.may_shade(point(80.0)));
            }
        }
        assert!(lit > 3000, "{lit}");
    }
}
