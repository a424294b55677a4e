//! A ray as a tree sees it: single precision, about a point near what the tree holds, and all that is found once per ray.
//!
//! # Law
//! ```text
//!   t = (b - o)/d,   1/d exact to u;   |t_computed - t| <= 3u |t|,   u = 2^-24      (1)
//!   x' = x - S_x z,  y' = y - S_y z,   S = (d_x, d_y, 1)/d_z,  z the axis of the largest |d|   (2)  [Woop 2013, sec. 3]
//! ```
//! (1) are the distances to planes across the axes; near ones are found with 1/d a little small, far ones with it a little
//! large, so that rounding never loses a box. (2) turns the ray into the axis z'.
//!
//! # Symbols
//! o origin, d direction, t distance along the ray, b place of a plane.
//!
//! # Frames
//! A tree's own, about its middle.
//!
//! # Limits
//! |d| in one axis is not less than 1e-18: over any length that counts, the ray is off by less than it is by rounding.
//!
//! # Checked by
//! tests of `traverse.rs` and `mesh.rs`; test/analytic/raytrace.rs, test/witness/raytrace.rs

use merrow_math::Vec3;

/// A ray in single precision.
#[derive(Clone, Copy, Debug, Default)]
pub struct Probe {
    /// Its origin.
    pub o: [f32; 3],
    /// One over its direction, for planes that boxes are entered by.
    pub inner: [f32; 3],
    /// One over its direction, for planes that boxes are left by.
    pub outer: [f32; 3],
    /// Which row of a node's bounds holds the planes entered by, by axis; that of the planes left by is three off.
    pub enter: [usize; 3],
    /// Axes x, y, z of (2).
    pub k: [usize; 3],
    /// S of (2), last 1/d_z.
    pub shear: [f32; 3],
    /// Least distance.
    pub low: f32,
}

/// Four units in the last place: more than (1) asks for.
const SLACK: f32 = 4.0 * f32::EPSILON;

impl Probe {
    /// The ray from `o` along the unit vector `d`, from the distance `low` on.
    #[inline(always)]
    pub fn new(o: Vec3, d: Vec3, low: f64) -> Self {
        let d = [d.x as f32, d.y as f32, d.z as f32];
        let (mut per, mut inner, mut outer, mut enter) = ([0.0; 3], [0.0; 3], [0.0; 3], [0; 3]);
        for axis in 0..3 {
            let along = if d[axis].abs() < 1e-18 {
                1e-18
            } else {
                d[axis]
            };
            per[axis] = 1.0 / along;
            inner[axis] = per[axis] * (1.0 - SLACK);
            outer[axis] = per[axis] * (1.0 + SLACK);
            enter[axis] = if along < 0.0 { axis + 3 } else { axis };
        }
        let (x, y, z) = (d[0].abs(), d[1].abs(), d[2].abs());
        let largest = if x >= y { 0 } else { 1 };
        let kz = if z >= x.max(y) { 2 } else { largest };
        let kx = if kz == 2 { 0 } else { kz + 1 };
        let k = [kx, 3 - kx - kz, kz];
        let per = per[k[2]];
        let shear = [d[k[0]] * per, d[k[1]] * per, per];
        Self {
            o: [o.x as f32, o.y as f32, o.z as f32],
            inner,
            outer,
            enter,
            k,
            shear,
            low: low as f32,
        }
    }
}
