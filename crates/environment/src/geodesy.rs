//! Conversion between WGS84 geodetic coordinates, Earth-centred coordinates and the local world
//! frame.
//!
//! # Law
//! The world frame W is the tangent plane at the origin: x east, y north, z up.
//!
//! ```text
//!   p_W = Rᵀ (P - P_0),   R = [east, north, up]                       (1)
//! ```
//! # Symbols
//! P Earth-centred position, P_0 position of the origin (`crates/math/src/ellipsoid.rs`).
//!
//! # Frames
//! ECEF and W (ENU at the origin).
//!
//! # Limits
//! The world is flat: at 10 km from the origin the tangent plane is 8 m above the ellipsoid. The
//! conversion is not accurate within the last metre from a pole.
//!
//! # Checked by
//! tests below against pyproj (test/data/geodesy_wgs84.csv) in test/witness/environment/geodesy.rs

use merrow_math::Vec3;
use merrow_math::ellipsoid::MEAN_RADIUS;
pub use merrow_math::ellipsoid::{axes, ecef, geodetic};
use merrow_model::scene::Origin;

/// Effective radius of the Earth for the horizon of radio waves, which standard refraction bends:
/// 4/3 of the mean radius [m].
pub const RADIO_HORIZON_RADIUS: f64 = 4.0 / 3.0 * MEAN_RADIUS;

/// Returns the position in W (ENU) [m] of a position `p` [m] in Earth-centred axes (ECEF).
pub fn world_from_ecef(origin: &Origin, p: Vec3) -> Vec3 {
    let d = p - ecef(origin.latitude, origin.longitude, origin.altitude);
    let [e, n, u] = axes(origin.latitude, origin.longitude);
    Vec3::new(e.dot(d), n.dot(d), u.dot(d))
}

/// Returns the latitude [rad], longitude [rad] and height over the ellipsoid [m] of a world
/// position `p_W` (ENU) [m].
pub fn geodetic_from_world(origin: &Origin, p_W: Vec3) -> [f64; 3] {
    let [e, n, u] = axes(origin.latitude, origin.longitude);
    let o = ecef(origin.latitude, origin.longitude, origin.altitude);
    geodetic(o + e.scale(p_W.x) + n.scale(p_W.y) + u.scale(p_W.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ecef_matches_reference_point_of_v70() {
        let p = ecef(63_f64.to_radians(), 10_f64.to_radians(), 100.0);
        let expected = Vec3::new(2_859_275.419_0, 504_167.401_6, 5_660_067.224_9);
        assert!((p - expected).norm() < 1e-4, "{p:?}");
        let back = geodetic(p);
        assert!((back[0] - 63_f64.to_radians()).abs() < 1e-14 && (back[2] - 100.0).abs() < 1e-8);
    }

    #[test]
    fn world_ecef_round_trip() {
        let origin = Origin {
            latitude: -0.639,
            longitude: 2.13,
            altitude: 12.0,
            magnetic_field: Vec3::zero(),
        };
        let p = Vec3::new(812.3, -4_071.9, -35.7);
        let [lat, lon, h] = geodetic_from_world(&origin, p);
        assert!((world_from_ecef(&origin, ecef(lat, lon, h)) - p).norm() < 1e-7);
    }
}
