//! WGS84 ellipsoid: conversion between geodetic and Earth-centred coordinates, and the local
//! tangent plane in geodetic coordinates.
//!
//! # Law
//! ```text
//!   N = a / sqrt(1 - e² sin²φ)                                                (1)
//!   X = (N+h) cosφ cosλ,  Y = (N+h) cosφ sinλ,  Z = (N(1-e²)+h) sinφ          (2)
//!   tan β = (Z/r)(a/b),   tan φ = (Z + e'² b sin³β)/(r - e² a cos³β)          (3)  [Bowring 1976]
//!   dλ = e·dP/((N+h) cosφ),   dφ = n·dP/(M+h),   M = N (1-e²)/(1 - e² sin²φ)  (4)
//!   (1) [NGA.STND.0036 2014, eq. 4-15]
//!   (2) [NGA.STND.0036 2014, eq. 4-14]
//! ```
//! [`geodetic`] iterates (3) four times, to convergence. [`TangentPlane`] evaluates (3) once, which
//! suffices near the surface.
//!
//! # Symbols
//! φ latitude, λ longitude [rad] · h height above the ellipsoid [m] · a, b semi-axes [m], e², e'²
//! first and second eccentricity squared · r distance from the rotation axis of the Earth [m] · e,
//! n unit vectors east and north at the point · M, N radii of curvature [m].
//!
//! # Frames
//! ECEF. [`TangentPlane`] also uses its own frame: east, north and up at its origin.
//!
//! # Limits
//! Not valid within one metre of the poles. [`TangentPlane`]: one evaluation of (3) has an error of
//! 1e-9 m at a height of 10 km above the ellipsoid.
//!
//! # Checked by
//! tests below; test/witness/environment/geodesy.rs (V70), test/witness/environment/grids.rs

use crate::Vec3;
use crate::real::sin_cos;

/// Semi-major axis of WGS84 [m].
pub(crate) const SEMI_MAJOR_AXIS: f64 = 6_378_137.0;
/// Flattening of WGS84 [-].
pub(crate) const FLATTENING: f64 = 1.0 / 298.257_223_563;
/// First eccentricity squared of WGS84 [-].
pub(crate) const ECCENTRICITY_SQUARED: f64 = FLATTENING * (2.0 - FLATTENING);

/// Mean radius of the Earth, (2a + b)/3 [m].
pub const MEAN_RADIUS: f64 = SEMI_MAJOR_AXIS * (1.0 - FLATTENING / 3.0);

/// Angular velocity of the Earth [rad/s] [NGA.STND.0036 2014].
pub const EARTH_RATE: f64 = 7.292_115e-5;

/// Returns the radii of curvature along the meridian (M) and across it (N) at a latitude [rad] [m],
/// by (1) and (4).
pub fn curvature_radii(latitude: f64) -> [f64; 2] {
    let s = sin_cos(latitude).0;
    let w2 = 1.0 - ECCENTRICITY_SQUARED * s * s;
    let N = SEMI_MAJOR_AXIS / w2.sqrt();
    [N * (1.0 - ECCENTRICITY_SQUARED) / w2, N]
}

/// Converts latitude [rad], longitude [rad] and ellipsoidal height [m] to an ECEF position [m] by
/// (2).
pub fn ecef(latitude: f64, longitude: f64, height: f64) -> Vec3 {
    let (sp, cp) = sin_cos(latitude);
    let (sl, cl) = sin_cos(longitude);
    let N = SEMI_MAJOR_AXIS / (1.0 - ECCENTRICITY_SQUARED * sp * sp).sqrt(); // (1)
    Vec3::new(
        (N + height) * cp * cl,
        (N + height) * cp * sl,
        (N * (1.0 - ECCENTRICITY_SQUARED) + height) * sp,
    )
}

/// Converts an ECEF position [m] to latitude [rad], longitude [rad] and ellipsoidal height [m] by
/// (3).
pub fn geodetic(p: Vec3) -> [f64; 3] {
    let r = (p.x * p.x + p.y * p.y).sqrt();
    let b = SEMI_MAJOR_AXIS * (1.0 - FLATTENING);
    let ep2 = ECCENTRICITY_SQUARED / (1.0 - ECCENTRICITY_SQUARED);
    // Bowring's parametric latitude; two iterations leave an error below 1e-12 rad within 10 000 km
    // of the Earth
    let mut beta = libm::atan2(p.z * SEMI_MAJOR_AXIS, r * b);
    let mut latitude = 0.0;
    for _ in 0..4 {
        let (s, c) = sin_cos(beta);
        latitude = libm::atan2(
            p.z + ep2 * b * s * s * s,
            r - ECCENTRICITY_SQUARED * SEMI_MAJOR_AXIS * c * c * c,
        );
        let (sp, cp) = sin_cos(latitude);
        beta = libm::atan2(b * sp, SEMI_MAJOR_AXIS * cp);
    }
    let (sp, cp) = sin_cos(latitude);
    let N = SEMI_MAJOR_AXIS / (1.0 - ECCENTRICITY_SQUARED * sp * sp).sqrt();
    // this form of the height keeps its precision at every latitude
    let height = r * cp + p.z * sp - SEMI_MAJOR_AXIS * SEMI_MAJOR_AXIS / N;
    [latitude, libm::atan2(p.y, p.x), height]
}

/// Returns the east, north and up unit vectors at a latitude and longitude [rad], expressed in
/// ECEF.
pub fn axes(latitude: f64, longitude: f64) -> [Vec3; 3] {
    let (sp, cp) = sin_cos(latitude);
    let (sl, cl) = sin_cos(longitude);
    [
        Vec3::new(-sl, cl, 0.0),
        Vec3::new(-sp * cl, -sp * sl, cp),
        Vec3::new(cp * cl, cp * sl, sp),
    ]
}

/// Plane that touches the ellipsoid at an origin, or is parallel to the tangent plane at a height
/// above it.
///
/// It converts positions in the plane to longitude and latitude. Both angles are scaled to metres
/// by the radii of curvature at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TangentPlane {
    latitude: f64,
    longitude: f64,
    /// Origin [m] and axes, in ECEF rotated about Z so that the meridian of the origin has
    /// longitude 0.
    p_0: Vec3,
    axes: [Vec3; 3],
    /// Metres per radian of longitude and of latitude at the origin [m/rad].
    metres: [f64; 2],
}

impl TangentPlane {
    /// Creates the plane with its origin at a latitude [rad], longitude [rad] and ellipsoidal
    /// height [m].
    pub fn new(latitude: f64, longitude: f64, height: f64) -> Self {
        let (s, c) = sin_cos(latitude);
        let w = (1.0 - ECCENTRICITY_SQUARED * s * s).sqrt();
        Self {
            latitude,
            longitude,
            p_0: ecef(latitude, 0.0, height),
            axes: axes(latitude, 0.0),
            metres: [
                SEMI_MAJOR_AXIS / w * c,
                SEMI_MAJOR_AXIS * (1.0 - ECCENTRICITY_SQUARED) / (w * w * w),
            ],
        }
    }

    /// Converts a longitude (`axis` 0) or latitude (`axis` 1) [rad] to metres from the origin.
    #[inline]
    pub fn metres(&self, axis: usize, angle: f64) -> f64 {
        (angle - [self.longitude, self.latitude][axis]) * self.metres[axis]
    }

    /// Computes the scaled longitude and latitude [m] of the point (x, y) [m] of the plane by (3).
    /// Also returns their derivatives with respect to x and y by (4): `[[dλ/dx, dλ/dy], [dφ/dx,
    /// dφ/dy]]` [m/m].
    pub fn to_angles(&self, x: f64, y: f64) -> ([f64; 2], [[f64; 2]; 2]) {
        let [e, n, _] = self.axes;
        let P = self.p_0 + e.scale(x) + n.scale(y);
        let r = (P.x * P.x + P.y * P.y).sqrt();
        let b = SEMI_MAJOR_AXIS * (1.0 - FLATTENING);
        let tan = P.z / r * (SEMI_MAJOR_AXIS / b);
        let cos = 1.0 / (1.0 + tan * tan).sqrt();
        let sin = tan * cos;
        let up = P.z + ECCENTRICITY_SQUARED / (1.0 - ECCENTRICITY_SQUARED) * b * sin * sin * sin;
        let out = r - ECCENTRICITY_SQUARED * SEMI_MAJOR_AXIS * cos * cos * cos;
        let normal_length = (up * up + out * out).sqrt();
        let (sp, cp) = (up / normal_length, out / normal_length);
        let (sl, cl) = (P.y / r, P.x / r);
        let w = (1.0 - ECCENTRICITY_SQUARED * sp * sp).sqrt();
        let height = r * cp + P.z * sp - SEMI_MAJOR_AXIS * w;
        let per = [
            1.0 / (SEMI_MAJOR_AXIS / w + height) / cp,
            1.0 / (SEMI_MAJOR_AXIS * (1.0 - ECCENTRICITY_SQUARED) / (w * w * w) + height),
        ];
        let [k_e, k_n] = self.metres;
        let [here_e, here_n] = [Vec3::new(-sl, cl, 0.0), Vec3::new(-sp * cl, -sp * sl, cp)];
        let rates = [
            [here_e.dot(e) * per[0] * k_e, here_e.dot(n) * per[0] * k_e],
            [here_n.dot(e) * per[1] * k_n, here_n.dot(n) * per[1] * k_n],
        ];
        (
            [
                libm::atan2(P.y, P.x) * k_e,
                (libm::atan2(up, out) - self.latitude) * k_n,
            ],
            rates,
        )
    }

    /// Returns the point (x, y) [m] of the plane on the ellipsoid normal at the scaled longitude
    /// and latitude [m].
    pub fn from_angles(&self, [east, north]: [f64; 2]) -> [f64; 2] {
        let (longitude, latitude) = (
            east / self.metres[0],
            self.latitude + north / self.metres[1],
        );
        let (up, d) = (
            axes(latitude, longitude)[2],
            ecef(latitude, longitude, 0.0) - self.p_0,
        );
        let [e, n, u] = self.axes;
        // along the normal of the ellipsoid to its intersection with the plane
        let h = -u.dot(d) / u.dot(up);
        [e.dot(d) + h * e.dot(up), n.dot(d) + h * n.dot(up)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // round trip, comparison with the general conversion, and derivatives against finite
    // differences
    #[test]
    fn tangent_plane_returns_longitude_and_latitude() {
        let (lat0, lon0, h0) = (0.78, -2.1, 35.0);
        let plane = TangentPlane::new(lat0, lon0, h0);
        let [e, n, _] = axes(lat0, lon0);
        for (x, y) in [(0.0, 0.0), (9_000.0, -4_000.0), (-80_000.0, 120_000.0)] {
            let (found, rates) = plane.to_angles(x, y);
            let [latitude, longitude, _] = geodetic(ecef(lat0, lon0, h0) + e.scale(x) + n.scale(y));
            // 1e-15 rad corresponds to 6e-9 m
            assert!(
                (found[0] - plane.metres(0, longitude)).abs() < 1e-7,
                "{found:?}"
            );
            assert!(
                (found[1] - plane.metres(1, latitude)).abs() < 1e-7,
                "{found:?}"
            );
            let [back_x, back_y] = plane.from_angles(found);
            assert!(
                (back_x - x).abs() < 1e-7 && (back_y - y).abs() < 1e-7,
                "{back_x} {back_y}"
            );
            let d = 10.0;
            for (k, (dx, dy)) in [(d, 0.0), (0.0, d)].into_iter().enumerate() {
                let (a, b) = (
                    plane.to_angles(x - dx, y - dy).0,
                    plane.to_angles(x + dx, y + dy).0,
                );
                for i in 0..2 {
                    assert!(
                        ((b[i] - a[i]) / (2.0 * d) - rates[i][k]).abs() < 1e-9,
                        "{rates:?}"
                    );
                }
            }
        }
    }
}
