//! Values of fields of MAVLink messages. Values beyond the range of a field saturate, and NaN is 0.

use merrow_math::Vec3;

/// Returns the latitude and longitude [1e-7 deg] and height [mm] of a geodetic position [rad, rad,
/// m].
pub(crate) fn position([latitude, longitude, height]: [f64; 3]) -> (i32, i32, i32) {
    let [lat, lon] = [latitude, longitude].map(|x| (x.to_degrees() * 1e7).round() as i32);
    (lat, lon, millimetres(height))
}

/// Returns a length [m] in millimetres.
pub(crate) fn millimetres(x: f64) -> i32 {
    (1000.0 * x).round() as i32
}

/// Returns a velocity [m/s] in centimetres per second.
pub(crate) fn centimetres_per_second(v: Vec3) -> [i16; 3] {
    [v.x, v.y, v.z].map(|x| (100.0 * x).round() as i16)
}

/// Returns an angle [rad] in hundredths of a degree, 0 to 35999.
pub(crate) fn centidegrees(angle: f64) -> u16 {
    (100.0 * angle.to_degrees().rem_euclid(360.0)).round() as u16 % 36_000
}
