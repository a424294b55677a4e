//! WGS84: geodetic coordinates, Earth-centred coordinates, and the local world frame.
//!
//! # Law
//! The world frame W is the tangent plane at the origin: x east, y north, z up.
//!
//! ```text
//!   N = a / sqrt(1 - e² sin²φ)                                        (1)  [NGA.STND.0036 2014, eq. 4-15]
//!   X = (N+h) cosφ cosλ,  Y = (N+h) cosφ sinλ,  Z = (N(1-e²)+h) sinφ  (2)  [NGA.STND.0036 2014, eq. 4-14]
//! ```
//! The way back is Bowring's, iterated until it no longer changes [Bowring 1976].
//!
//! # Symbols
//! φ latitude, λ longitude [rad] · h height above the ellipsoid [m] · a, e² WGS84's semi-major axis and eccentricity.
//!
//! # Frames
//! ECEF and W (ENU at the origin).
//!
//! # Limits
//! The world is flat: at 10 km from the origin the plane stands 8 m above the ellipsoid. Not for the poles' last metre.
//!
//! # Checked by
//! tests below against pyproj (test/data/geodesy_wgs84.csv) in test/witness/geodesy.rs

use crate::math::Vec3;
use crate::math::real::sin_cos;
use crate::scene::Origin;

/// Semi-major axis [m].
const A: f64 = 6_378_137.0;
/// Flattening.
const F: f64 = 1.0 / 298.257_223_563;
/// First eccentricity squared.
const E2: f64 = F * (2.0 - F);

/// Earth-centred position [m] of latitude, longitude [rad] and height [m]. (2)
pub fn ecef(latitude: f64, longitude: f64, height: f64) -> Vec3 {
    let (sp, cp) = sin_cos(latitude);
    let (sl, cl) = sin_cos(longitude);
    let N = A / (1.0 - E2 * sp * sp).sqrt(); // (1)
    Vec3::new((N + height) * cp * cl, (N + height) * cp * sl, (N * (1.0 - E2) + height) * sp)
}

/// Latitude, longitude [rad] and height [m] of an Earth-centred position [m].
pub fn geodetic(p: Vec3) -> [f64; 3] {
    let r = (p.x * p.x + p.y * p.y).sqrt();
    let b = A * (1.0 - F);
    let ep2 = E2 / (1.0 - E2);
    // Bowring's parametric latitude; two rounds leave less than 1e-12 rad within 10 000 km of the Earth
    let mut beta = libm::atan2(p.z * A, r * b);
    let mut latitude = 0.0;
    for _ in 0..4 {
        let (s, c) = sin_cos(beta);
        latitude = libm::atan2(p.z + ep2 * b * s * s * s, r - E2 * A * c * c * c);
        let (sp, cp) = sin_cos(latitude);
        beta = libm::atan2(b * sp, A * cp);
    }
    let (sp, cp) = sin_cos(latitude);
    let N = A / (1.0 - E2 * sp * sp).sqrt();
    // this form of the height keeps its precision at every latitude
    let height = r * cp + p.z * sp - A * A / N;
    [latitude, libm::atan2(p.y, p.x), height]
}

/// World position (ENU) [m] of an Earth-centred one.
pub fn world_from_ecef(origin: &Origin, p: Vec3) -> Vec3 {
    let d = p - ecef(origin.latitude, origin.longitude, origin.altitude);
    let [e, n, u] = axes(origin);
    Vec3::new(e.dot(d), n.dot(d), u.dot(d))
}

/// Latitude, longitude [rad] and height [m] of a world position (ENU) [m].
pub fn geodetic_from_world(origin: &Origin, p_W: Vec3) -> [f64; 3] {
    let [e, n, u] = axes(origin);
    let o = ecef(origin.latitude, origin.longitude, origin.altitude);
    geodetic(o + e.scale(p_W.x) + n.scale(p_W.y) + u.scale(p_W.z))
}

/// East, north and up at the origin, in ECEF.
fn axes(origin: &Origin) -> [Vec3; 3] {
    let (sp, cp) = sin_cos(origin.latitude);
    let (sl, cl) = sin_cos(origin.longitude);
    [Vec3::new(-sl, cl, 0.0), Vec3::new(-sp * cl, -sp * sl, cp), Vec3::new(cp * cl, cp * sl, sp)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_point_v70() {
        let p = ecef(63_f64.to_radians(), 10_f64.to_radians(), 100.0);
        let expected = Vec3::new(2_859_275.419_0, 504_167.401_6, 5_660_067.224_9);
        assert!((p - expected).norm() < 1e-4, "{p:?}");
        let back = geodetic(p);
        assert!((back[0] - 63_f64.to_radians()).abs() < 1e-14 && (back[2] - 100.0).abs() < 1e-8);
    }

    #[test]
    fn world_and_back_in_a_general_place() {
        let origin =
            Origin { latitude: -0.639, longitude: 2.13, altitude: 12.0, magnetic_field: Vec3::zero() };
        let p = Vec3::new(812.3, -4_071.9, -35.7);
        let [lat, lon, h] = geodetic_from_world(&origin, p);
        assert!((world_from_ecef(&origin, ecef(lat, lon, h)) - p).norm() < 1e-7);
    }
}
