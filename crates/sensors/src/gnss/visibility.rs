//! Satellite visibility at an antenna: visible satellites, dilution of precision and multipath.
//!
//! # Law
//! ```text
//!   Q = (Gᵀ G)⁻¹, rows of G (e, n, u, 1);  HDOP² = Q_ee + Q_nn,  VDOP² = Q_uu  (1)
//!   s² = hidden fraction of the satellites + exp(-h / h_w)                     (2)
//!   (1) [Kaplan 2006, §7.3.1]
//! ```
//! # Symbols
//! e, n, u components of the unit vector to a visible satellite · HDOP, VDOP horizontal and
//! vertical dilution of precision · s factor of the multipath error of a range. s² is the sum of
//! the reflections from structures and terrain, which are taken as equal to the fraction that they
//! hide, and of those from the water · h height of the antenna over the water, h_w height at which
//! the reflections from the water have fallen to 1/e.
//!
//! # Frames
//! W.
//!
//! # Limits
//! The satellites do not move; the period of real satellites is about half a day. Terrain and
//! structures hide satellites, robots do not; diffraction is not modelled. (2) is a chosen law:
//! reflected rays are not traced. The receiver does not detect multipath, so its covariance does
//! not contain it.
//!
//! # Checked by
//! test/sensors/navigation/gnss.rs

use crate::Truth;
use merrow_math::Vec3;
use merrow_model::sensor::gnss::GnssSky;
use nalgebra::{Cholesky, Matrix4, Vector4};

/// Satellites that an antenna can receive, and the errors that follow from their geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SatelliteVisibility {
    /// Number of visible satellites.
    pub visible_satellites: usize,
    /// Horizontal and vertical dilution of precision; `None` if there is no fix.
    pub dilution: Option<[f64; 2]>,
    /// Factor s of (2) for the multipath error, 0..1.
    pub echoes: f64,
}

/// Computes the visibility of the `satellites` of `sky`, unit vectors in W, at the antenna position in `truth`.
pub(crate) fn satellite_visibility(
    (sky, satellites): (&GnssSky, &[Vec3]),
    truth: &Truth<'_>,
) -> SatelliteVisibility {
    let visible = |d: &&Vec3| truth.ray_range(**d).is_none();
    let visible_satellites = satellites.iter().filter(visible).count();
    let hidden = 1.0 - visible_satellites as f64 / satellites.len() as f64;
    let at = truth.around.environment;
    let height = at.height_above_surface(truth.p_WS).max(0.0);
    let water = if sky.water_multipath_height_m > 0.0 {
        libm::exp(-height / sky.water_multipath_height_m)
    } else {
        0.0
    };
    SatelliteVisibility {
        visible_satellites,
        dilution: dilution(satellites.iter().filter(visible).copied()),
        echoes: (hidden + water).min(1.0).sqrt(), // (2)
    }
}

/// Minimum pivot of the elimination of the normal matrix of (1), below which it is singular [-].
const MIN_PIVOT: f64 = 1e-9;

/// Computes the horizontal and vertical dilution of precision of `satellites` (unit vectors in W)
/// by (1). Returns `None` with fewer than four satellites or if all lie on a cone.
pub fn dilution(satellites: impl Iterator<Item = Vec3>) -> Option<[f64; 2]> {
    let mut normal = Matrix4::zeros();
    for d in satellites {
        let row = Vector4::new(d.x, d.y, d.z, 1.0);
        normal += row * row.transpose();
    }
    let factors = Cholesky::new(normal)?;
    let pivots = factors.l_dirty().diagonal();
    if pivots.iter().any(|pivot| pivot * pivot < MIN_PIVOT) {
        return None;
    }
    let q = factors.inverse();
    Some([(q[(0, 0)] + q[(1, 1)]).sqrt(), q[(2, 2)].sqrt()])
}
