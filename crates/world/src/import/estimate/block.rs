//! Added mass of a rectangular block.
//!
//! # Law
//! ```text
//!   A_ii = ρ C_P(b/a) π/4 a² b f(t/a),   a ≤ b the face's edges, t the edge along the motion  (1)
//!   f = (a/b) f₃(t/a) + (1 - a/b) f₂(t/a)                                                     (2)
//!   A_kk = min( ρ π (w/2)² C₂(w/h) l³/12 ,  ρ π (l/2)⁴ β(l/h) w )                             (3)
//! ```
//! (1) is a rectangular plate, C_P, with a thickness correction: f₂ = C₂ from the sections of long
//! bodies, f₃ from square prisms. (2) interpolates between the two. (3) is the rotation about k: w
//! is the edge along k, and l ≥ h are the other two. The first term divides the block into strips
//! along l that move independently. The second term assumes a block that is long along k. Each
//! neglects flow around the ends, so the smaller value is more accurate. C_P, C₂, f₃, β from
//! [DNV-RP-C205 2010, tables D-1 and D-2].
//!
//! # Symbols
//! C₂: added mass per length over ρ π (w/2)², w across the motion, h along it; β: added inertia per
//! length over ρ π (l/2)⁴.
//! # Frames
//! The block's own, at its centre.
//! # Limits
//! Accurate to about 10 % in translation for compact and for long blocks, and to about 30 % in
//! rotation. No coupling of axes.
//! # Checked by
//! V33 (cube), square plate and strip limit in crates/world/tests/world/estimate.rs.

use crate::import::estimate::table;
use std::f64::consts::PI;

/// Rectangular plate moving along its normal: (longer over shorter edge, coefficient of ρ π/4 a²
/// b).
const PLATE: [(f64, f64); 10] = [
    (1.0, 0.579),
    (1.25, 0.642),
    (1.5, 0.690),
    (2.0, 0.757),
    (2.5, 0.801),
    (3.0, 0.830),
    (4.0, 0.872),
    (5.0, 0.897),
    (8.0, 0.934),
    (10.0, 0.947),
];

/// Long rectangular section: (edge along the motion over edge across it, coefficient of ρ π
/// (w/2)²).
pub(crate) const SECTION: [(f64, f64); 8] = [
    (0.0, 1.0),
    (0.1, 1.14),
    (0.2, 1.21),
    (0.5, 1.36),
    (1.0, 1.51),
    (2.0, 1.70),
    (5.0, 1.98),
    (10.0, 2.23),
];

/// Square prism moving along its axis: (length over edge, coefficient of ρ a² b).
const PRISM: [(f64, f64); 8] = [
    (1.0, 0.68),
    (2.0, 0.36),
    (3.0, 0.24),
    (4.0, 0.19),
    (5.0, 0.15),
    (6.0, 0.13),
    (7.0, 0.11),
    (10.0, 0.08),
];

/// Long rectangular section rotating about its length: (longer over shorter edge, coefficient of ρ
/// π (l/2)⁴).
const ROTATING_SECTION: [(f64, f64); 4] = [(1.0, 0.234), (2.0, 0.15), (5.0, 0.15), (10.0, 0.147)];

/// Returns the factor by which the added mass of a square or round plate grows if its thickness is
/// `t` times its width.
pub(crate) fn thickness_factor(t: f64) -> f64 {
    let plate = PLATE[0].1 * PI / 4.0;
    let prism = |t: f64| table::interpolate(&PRISM, t) * t.min(10.0) / plate;
    if t < 1.0 {
        // thin bodies: the growth of the sections, scaled so that it is continuous with the prisms
        // at the cube
        1.0 + (table::interpolate(&SECTION, t) - 1.0) * (prism(1.0) - 1.0)
            / (table::interpolate(&SECTION, 1.0) - 1.0)
    } else {
        prism(t)
    }
}

/// Computes the added mass over density along x, y, z [m³] and about them [m⁵] of a block with
/// edges `size` [m].
pub(super) fn added_mass(size: [f64; 3]) -> [f64; 6] {
    let along = |i: usize| {
        let (a, b) = edges(size, i);
        let t = size[i] / a;
        let square = a / b;
        let f = square * thickness_factor(t) + (1.0 - square) * table::interpolate(&SECTION, t);
        table::interpolate(&PLATE, b / a) * PI / 4.0 * a * a * b * f
    };
    let about = |k: usize| {
        let (h, l) = edges(size, k);
        let w = size[k];
        let half = 0.5 * l;
        let strips =
            PI * (0.5 * w) * (0.5 * w) * table::interpolate(&SECTION, h / w) * l * l * l / 12.0;
        let section =
            PI * half * half * half * half * table::interpolate(&ROTATING_SECTION, l / h) * w;
        strips.min(section)
    };
    [along(0), along(1), along(2), about(0), about(1), about(2)]
}

/// Returns the shorter and the longer of the two edges other than `i`.
pub(crate) fn edges(size: [f64; 3], i: usize) -> (f64, f64) {
    let (u, v) = (size[(i + 1) % 3], size[(i + 2) % 3]);
    (u.min(v), u.max(v))
}
