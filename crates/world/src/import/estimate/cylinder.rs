//! Added mass of a right circular cylinder.
//!
//! # Law
//! ```text
//!   across:  A = ρ π R² L C(L/2R)                                       (1)
//!   along:   A = ρ 8/3 R³ f(L/2R)                                       (2)
//!   rotation about a transverse axis:  max( ρ π R² C L³/12 , 16/45 ρ R⁵ )  (3)
//! ```
//! (1) C from [DNV-RP-C205 2010, table D-2]. (2) is a circular disc [Lamb 1932, art. 108] with the
//! thickness correction of a square prism. (3) is the strip sum, or the disc if the cylinder is
//! flat [Lamb 1932, art. 108]. Rotation about the cylinder's axis has no added inertia.
//!
//! # Symbols
//! R radius, L length [m].
//! # Frames
//! The cylinder's own, along z, at its centre.
//! # Limits
//! Flat ends. Accurate to about 10 % in translation and 20 % in rotation.
//! # Checked by
//! V32 (a boundary-element solution) and the disc in crates/world/tests/world/estimate.rs.

use crate::import::estimate::{block, table};
use std::f64::consts::PI;

/// (Length over diameter, coefficient of ρ π R² L). It grows from 0 at zero length, as the relative
/// effect of the ends decreases.
const ACROSS: [(f64, f64); 6] = [
    (0.0, 0.0),
    (1.2, 0.62),
    (2.5, 0.78),
    (5.0, 0.90),
    (9.0, 0.96),
    (50.0, 1.0),
];

/// Computes the added mass over density along x, y, z [m³] and about them [m⁵]; `radius` and
/// `length` in [m], axis along z.
pub(super) fn added_mass(radius: f64, length: f64) -> [f64; 6] {
    let slenderness = 0.5 * length / radius;
    let across = PI * radius * radius * length * table::interpolate(&ACROSS, slenderness);
    let along = 8.0 / 3.0 * radius * radius * radius * block::thickness_factor(slenderness);
    let turning = (across * length * length / 12.0)
        .max(16.0 / 45.0 * (radius * radius * radius * radius * radius));
    [across, across, along, turning, turning, 0.0]
}
