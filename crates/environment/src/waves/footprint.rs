//! Mean wave height and slopes over the waterplane of a hull with linear hydrostatics.
//!
//! # Law
//! ```text
//!   η_0 = ∫ η dA / A,   s_x = ∫ x η dA / (A r_x²),   s_y = ∫ y η dA / (A r_y²)             (1)
//!   r_x² = G55/G33,  r_y² = G44/G33                                                       (2)
//!   x = 0, ±√(9/5) r_x with weights 4/9, 5/18, 5/18;  y = ±r_y with weights 1/2, 1/2          (3)
//! ```
//! Linear hydrostatics respond with G33 η_0, G55 s_x and G44 s_y, so waves shorter than the hull
//! have little effect on it. (3) is the Gauss rule for a rectangle of length √12 r_x along x. Along
//! y it is the Gauss rule for a rectangle as well, and it is exact for two slender hulls ±r_y
//! apart.
//!
//! # Symbols
//! η height of the surface · A waterplane, x forward and y to the left of its centre F · G33, G44,
//! G55 stiffness in heave, roll and pitch.
//!
//! # Frames
//! In: pose of L in W. Out: W.
//!
//! # Limits
//! G44 and G55 also contain the moment due to the height of the centre of gravity; (2) attributes
//! it to the waterplane. Where this moment matters (roll of a monohull), the effective waterplane
//! is narrower than the real one. The error is at most 1 % while k r < 1.2 in either direction. For
//! a hull that lies on its side the surface at its centre is used.
//!
//! # Checked by
//! test/analytic/bodies/footprint.rs

use crate::waves::{Surface, WaveState};
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::robot::body::Hydrostatics;

/// √(9/5): ratio of the outer Gauss points to the radius of gyration.
const OUTER_GAUSS_POINT: f64 = 1.341_640_786_499_874;
/// Sample positions along the waterplane in units of r_x, and their weights for both sides
/// together. (3)
const LONGITUDINAL_GAUSS_POINTS: [(f64, f64); 3] = [
    (-OUTER_GAUSS_POINT, 5.0 / 18.0),
    (0.0, 4.0 / 9.0),
    (OUTER_GAUSS_POINT, 5.0 / 18.0),
];
/// Cosine of the heel beyond which the stiffness no longer describes the waterplane.
const MIN_UPRIGHT_COSINE: f64 = 0.3;

/// Returns the plane by (1), in W, with its height [m] at the position `point` [m], W.
pub fn mean_waterplane_surface(
    hull: &Hydrostatics,
    waves: &WaveState,
    p_WL: Vec3,
    R_WL: &Mat3,
    point: Vec3,
) -> Surface {
    let (ahead, left) = (R_WL.col(0), R_WL.col(1));
    let law = &hull.restoring;
    let (rx, ry) = (
        (law.pitch_nm_per_rad / law.heave_n_per_m).sqrt(),
        (law.roll_nm_per_rad / law.heave_n_per_m).sqrt(),
    );
    let uprightness = ahead.x * left.y - ahead.y * left.x;
    if uprightness < MIN_UPRIGHT_COSINE || rx <= 0.0 || ry <= 0.0 {
        return waves.surface(point.x, point.y);
    }
    let F = p_WL + R_WL.mul_vec(hull.p_LoF);
    let (mut x, mut y, mut eta) = ([0.0; 6], [0.0; 6], [0.0; 6]);
    for (k, (along, _)) in LONGITUDINAL_GAUSS_POINTS.iter().enumerate() {
        for (side, k) in [(-1.0, 2 * k), (1.0, 2 * k + 1)] {
            let p = F + ahead.scale(along * rx) + left.scale(side * ry);
            (x[k], y[k]) = (p.x, p.y);
        }
    }
    waves.elevations(&x, &y, &mut eta);
    let (mut mean, mut slope) = (0.0, [0.0; 2]);
    for (k, (along, weight)) in LONGITUDINAL_GAUSS_POINTS.iter().enumerate() {
        let (right, left) = (eta[2 * k], eta[2 * k + 1]);
        let weighted_mean = 0.5 * weight * (left + right);
        mean += weighted_mean;
        slope[0] += weighted_mean * along / rx;
        slope[1] += 0.5 * weight * (left - right) / ry;
    } // (1)
    // gradient in W whose components along the horizontal hull axes are these slopes
    let gradient = [
        (slope[0] * left.y - slope[1] * ahead.y) / uprightness,
        (slope[1] * ahead.x - slope[0] * left.x) / uprightness,
    ];
    let z = mean + gradient[0] * (point.x - F.x) + gradient[1] * (point.y - F.y);
    Surface { z, slope: gradient }
}
