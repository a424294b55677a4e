//! Quadratic drag of simple shapes at the Reynolds numbers of small vehicles (10⁴ to 2 10⁵).
//!
//! # Law
//! ```text
//!   F = -½ ρ C S v|v|,   M = -½ ρ ∫ C w |x|³ dx ω|ω|  over strips of width w                                   (1)
//!   ellipsoid along its axis i:  C = 0.44 d/l + 0.02 (l/d + √(d/l)), at most 1.17;  l = 2a_i, d = 2√(a_j a_k)  (2)
//! ```
//! Blocks: C of a rectangular plate, with a length correction from a square rod along the flow
//! [DNV-RP-C205 2010, table E-1]. Cylinders: along the flow from the same table; across the flow
//! 1.2, corrected for length [DNV-RP-C205 2010, table E-1]. (2) is for subcritical ellipsoids, with
//! a skin friction of 0.005 [Hoerner 1965, ch. 3, 6].
//!
//! # Symbols
//! S the frontal area [m²]; x the strips' distance from the centre along the shape [m].
//! # Frames
//! The shape's own, at its centre.
//! # Limits
//! Subcritical flow; sharp edges for blocks. Accurate to a factor of two for real bodies with holes
//! and frames. Not modelled: skin friction of a round body that rotates about its axis, and linear
//! damping.
//! # Checked by
//! Sphere, cube, long rod and the strip integrals in crates/world/tests/world/estimate.rs.

use crate::import::estimate::block::edges;
use crate::import::estimate::table;
use std::f64::consts::PI;

/// Rectangular plate normal to the flow: (longer over shorter edge, C).
const PLATE: [(f64, f64); 4] = [(1.0, 1.16), (5.0, 1.20), (10.0, 1.50), (40.0, 1.90)];
/// Square rod along the flow: (length over edge, C).
const ROD: [(f64, f64); 7] = [
    (1.0, 1.15),
    (1.5, 0.97),
    (2.0, 0.87),
    (2.5, 0.90),
    (3.0, 0.93),
    (4.0, 0.95),
    (5.0, 0.95),
];
/// Circular cylinder along the flow: (length over diameter, C).
const ROUND_ROD: [(f64, f64); 5] = [
    (0.0, 1.12),
    (1.0, 0.91),
    (2.0, 0.85),
    (4.0, 0.87),
    (7.0, 0.99),
];
/// Drag of a finite cylinder across the flow relative to an infinite one: (length over diameter,
/// fraction).
const FINITE_CYLINDER: [(f64, f64); 7] = [
    (2.0, 0.58),
    (5.0, 0.62),
    (10.0, 0.68),
    (20.0, 0.74),
    (40.0, 0.82),
    (50.0, 0.87),
    (100.0, 0.98),
];

fn fourth(x: f64) -> f64 {
    x * x * x * x
}

/// Computes the drag over density along x, y, z [m²] and about them [m⁵] of a block with edges
/// `size` [m].
pub(super) fn block(size: [f64; 3]) -> [f64; 6] {
    let coefficient = |i: usize| {
        let (a, b) = edges(size, i);
        // drag of a rod relative to the plate of its section; a block thinner than a cube counts as
        // a plate
        let length = size[i] / (a * b).sqrt();
        let rod = if length > 1.0 {
            table::interpolate(&ROD, length) / ROD[0].1
        } else {
            1.0
        };
        table::interpolate(&PLATE, b / a) * rod
    };
    let along = |i: usize| {
        let (a, b) = edges(size, i);
        0.5 * coefficient(i) * a * b
    };
    // strips along edge `s` that move along `i` when the block rotates about `k`
    let strips =
        |s: usize, i: usize, k: usize| 0.5 * coefficient(i) * size[k] * fourth(size[s]) / 32.0;
    let about = |k: usize| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        strips(i, j, k) + strips(j, i, k)
    };
    [along(0), along(1), along(2), about(0), about(1), about(2)]
}

/// Computes the drag over density along x, y, z [m²] and about them [m⁵] of a cylinder along z;
/// `radius` and `length` in [m].
pub(super) fn cylinder(radius: f64, length: f64) -> [f64; 6] {
    let slenderness = 0.5 * length / radius;
    let c = 1.2 * table::interpolate(&FINITE_CYLINDER, slenderness);
    let across = 0.5 * c * 2.0 * radius * length;
    let end = 0.5 * table::interpolate(&ROUND_ROD, slenderness);
    let along = end * PI * radius * radius;
    // strips along the length, plus the flat ends as strips of a disc: ∫|x|³ 2√(R² - x²) dx = 8/15
    // R⁵
    let turning =
        0.5 * c * 2.0 * radius * fourth(length) / 32.0 + end * 8.0 / 15.0 * radius * fourth(radius);
    [across, across, along, turning, turning, 0.0]
}

/// Computes the drag over density along x, y, z [m²] and about them [m⁵] of an ellipsoid with
/// semi-axes `axes` [m].
pub(super) fn ellipsoid(axes: [f64; 3]) -> [f64; 6] {
    let coefficient = |i: usize| {
        let (b, c) = edges(axes, i);
        let fineness = axes[i] / (b * c).sqrt();
        let friction = 0.02 * (fineness + (1.0 / fineness).sqrt());
        (0.44 / fineness + friction).min(1.17)
    };
    let along = |i: usize| {
        let (b, c) = edges(axes, i);
        0.5 * coefficient(i) * PI * b * c
    };
    // strips along s of width 2 w √(1 - x²/s²): ∫|x|³ ... dx = 8/15 w s⁴
    let strips = |s: usize, i: usize, k: usize| {
        0.5 * coefficient(i) * 8.0 / 15.0 * axes[k] * fourth(axes[s])
    };
    let about = |k: usize| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        if (axes[i] - axes[j]).abs() <= 1e-9 * axes[i] {
            0.0
        } else {
            strips(i, j, k) + strips(j, i, k)
        }
    };
    [along(0), along(1), along(2), about(0), about(1), about(2)]
}
