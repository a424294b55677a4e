//! Ray in the frame of a tree: single precision, with the quantities that are computed once per
//! ray.
//!
//! The origin is near the contents of the tree, so that single precision is sufficient.
//!
//! # Law
//! ```text
//!   t = (b - o)/d,   1/d exact to u;   |t_computed - t| <= 3u |t|,   u = 2^-24                (1)
//!   x' = x - S_x z,  y' = y - S_y z,   S = (d_x, d_y, 1)/d_z,  z the axis of the largest |d|  (2)
//!   (2) [Woop 2013, sec. 3]
//! ```
//! (1) gives the distances to planes normal to the axes. Entry distances use 1/d slightly too small
//! and exit distances use it slightly too large, so that rounding never loses a box. (2) transforms
//! the ray to the axis z'.
//!
//! # Symbols
//! o origin, d direction, t distance along the ray, b position of a plane.
//!
//! # Frames
//! Frame of the tree, centred on its box.
//!
//! # Limits
//! Each component of d is at least 1e-18 in magnitude. Over any relevant length the resulting error
//! of the ray is smaller than rounding.
//!
//! # Checked by
//! The tests of `mesh.rs`; test/sensors/raytrace.rs, test/witness/devices/raytrace.rs

use merrow_math::Vec3;

/// Ray in single precision, in the frame of a tree.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TreeRay {
    /// Origin of the ray [m].
    pub o: [f32; 3],
    /// Reciprocal direction for entry planes, slightly too small.
    pub inner: [f32; 3],
    /// Reciprocal direction for exit planes, slightly too large.
    pub outer: [f32; 3],
    /// Row of a node's bounds that holds the entry planes, by axis; the row of the exit planes is
    /// three away.
    pub entry_rows: [usize; 3],
    /// Axes x, y, z of (2).
    pub k: [usize; 3],
    /// S of (2); the last component is 1/d_z.
    pub shear: [f32; 3],
    /// Minimum distance of a hit [m].
    pub low: f32,
}

/// Four units in the last place, more than (1) requires.
const RECIPROCAL_MARGIN: f32 = 4.0 * f32::EPSILON;

impl TreeRay {
    /// Returns the ray from `o` [m] along the unit vector `d`, both in the frame of the mesh, from
    /// the distance `low` [m] on.
    #[inline(always)]
    pub(crate) fn new(o: Vec3, d: Vec3, low: f64) -> Self {
        let d = [d.x as f32, d.y as f32, d.z as f32];
        let (mut reciprocal, mut inner, mut outer, mut entry_rows) =
            ([0.0; 3], [0.0; 3], [0.0; 3], [0; 3]);
        for axis in 0..3 {
            let along = if d[axis].abs() < 1e-18 {
                1e-18
            } else {
                d[axis]
            };
            reciprocal[axis] = 1.0 / along;
            inner[axis] = reciprocal[axis] * (1.0 - RECIPROCAL_MARGIN);
            outer[axis] = reciprocal[axis] * (1.0 + RECIPROCAL_MARGIN);
            entry_rows[axis] = if along < 0.0 { axis + 3 } else { axis };
        }
        let (x, y, z) = (d[0].abs(), d[1].abs(), d[2].abs());
        let largest = if x >= y { 0 } else { 1 };
        let kz = if z >= x.max(y) { 2 } else { largest };
        let kx = if kz == 2 { 0 } else { kz + 1 };
        let k = [kx, 3 - kx - kz, kz];
        let reciprocal = reciprocal[k[2]];
        let shear = [d[k[0]] * reciprocal, d[k[1]] * reciprocal, reciprocal];
        Self {
            o: [o.x as f32, o.y as f32, o.z as f32],
            inner,
            outer,
            entry_rows,
            k,
            shear,
            low: low as f32,
        }
    }
}
