//! Position of the sun in the sky, and season, as functions of place and time.
//!
//! # Law
//! The sun's apparent longitude λ and the obliquity ε of the ecliptic come from the low-accuracy
//! series [Meeus 1998, ch. 25], the sidereal time θ at Greenwich from [Meeus 1998, ch. 12]; then
//!
//! ```text
//!   tan α = cos ε sin λ / cos λ,  sin δ = sin ε sin λ                                (1)
//!   sin h = sin φ sin δ + cos φ cos δ cos H,  H = θ + L - α                           (2)
//!   tan A = -cos δ sin H / (sin δ cos φ - cos δ cos H sin φ)                          (3)
//! ```
//! # Symbols
//! α, δ right ascension and declination · φ, L latitude and longitude (east positive) · h elevation
//! · A azimuth from north, clockwise.
//!
//! # Frames
//! Angles relative to the horizon at the place.
//!
//! # Limits
//! Accurate to 0.01 degrees from 1900 to 2100. Refraction (half a degree at the horizon, zero at 45
//! degrees) and parallax (at most 0.0024 degrees) are neglected. Dynamical time is taken as
//! universal time plus 69 s.
//!
//! # Checked by
//! test/witness/environment/sun.rs

use merrow_math::Vec3;
use merrow_math::real::sin_cos;

/// Position of the sun in the sky.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// Angle above the horizon, without refraction [rad].
    pub elevation: f64,
    /// Azimuth from north, clockwise [rad], 0 to 2π.
    pub azimuth: f64,
    /// Declination of the sun [rad].
    pub declination: f64,
}

impl Sun {
    /// Returns the unit vector towards the sun in W (east, north, up).
    pub fn direction(&self) -> Vec3 {
        let ((sh, ch), (sa, ca)) = (sin_cos(self.elevation), sin_cos(self.azimuth));
        Vec3::new(ch * sa, ch * ca, sh)
    }
}

/// Astronomical season of the year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Season {
    /// From the spring equinox.
    Spring,
    /// From the summer solstice.
    Summer,
    /// From the autumn equinox.
    Autumn,
    /// From the winter solstice.
    Winter,
}

/// Seconds from 1970-01-01 to the epoch of the series, 2000-01-01 12:00.
const J2000: f64 = 946_728_000.0;
/// Dynamical time minus universal time [s].
const DELTA_T: f64 = 69.0;

/// Converts degrees to radians, reduced to one turn.
fn reduced_radians(degrees: f64) -> f64 {
    (degrees - (degrees / 360.0).floor() * 360.0).to_radians()
}

/// Returns the apparent longitude [rad], its nutation [°] and the obliquity of the ecliptic [rad]
/// at `utc` [s since 1970].
fn ecliptic(utc: f64) -> (f64, f64, f64) {
    let T = (utc + DELTA_T - J2000) / (36_525.0 * 86_400.0);
    let L0 = 280.46646 + (36_000.769_83 + 0.0003032 * T) * T;
    let M = reduced_radians(357.52911 + (35_999.050_29 - 0.0001537 * T) * T);
    let C = (1.914602 - (0.004817 + 0.000014 * T) * T) * sin_cos(M).0
        + (0.019993 - 0.000101 * T) * sin_cos(2.0 * M).0
        + 0.000289 * sin_cos(3.0 * M).0;
    let (s, c) = sin_cos(reduced_radians(125.04 - 1934.136 * T));
    let nutation = -0.00478 * s;
    let obliquity = 23.439_291 - 0.013_004_2 * T + 0.00256 * c;
    (
        reduced_radians(L0 + C - 0.00569 + nutation),
        nutation,
        obliquity.to_radians(),
    )
}

/// Returns the position of the sun at `utc` [s since 1970-01-01] for `latitude` and `longitude`
/// [rad].
pub fn sun_position(utc: f64, latitude: f64, longitude: f64) -> Sun {
    let (lambda, nutation, obliquity) = ecliptic(utc);
    let ((sl, cl), (se, ce)) = (sin_cos(lambda), sin_cos(obliquity));
    let right_ascension = libm::atan2(ce * sl, cl); // (1)
    let declination = libm::asin(se * sl);
    let days = (utc - J2000) / 86_400.0;
    let T = days / 36_525.0;
    // remove the whole days first to keep the precision of the angle
    let whole = days.floor();
    let sidereal =
        280.46061837 + 360.0 * (days - whole) + 0.98564736629 * days + 0.000387933 * T * T;
    let H = reduced_radians(sidereal + nutation * ce) + longitude - right_ascension;
    let ((sp, cp), (sd, cd), (sh, ch)) = (sin_cos(latitude), sin_cos(declination), sin_cos(H));
    let elevation = libm::asin((sp * sd + cp * cd * ch).clamp(-1.0, 1.0)); // (2)
    let mut azimuth = libm::atan2(-cd * sh, sd * cp - cd * ch * sp); // (3)
    if azimuth < 0.0 {
        azimuth += std::f64::consts::TAU;
    }
    Sun {
        elevation,
        azimuth,
        declination,
    }
}

/// Returns the time [s since 1970-01-01] at which the sun culminates over `longitude` [rad] on the
/// day of `noon` (noon in universal time, same unit).
pub fn solar_noon(noon: f64, longitude: f64) -> f64 {
    let turns = std::f64::consts::TAU / 86_400.0;
    // start from mean noon, which differs from true noon by at most 17 minutes
    let mut utc = noon - longitude / turns;
    for _ in 0..3 {
        // at the equator the westward angle of the sun is its hour angle
        let sun = sun_position(utc, 0.0, longitude);
        let (d, c) = (sun.direction(), sin_cos(sun.declination).1);
        utc += libm::asin((d.x / c).clamp(-1.0, 1.0)) / turns;
    }
    utc.round()
}

/// Returns the astronomical season at `utc` [s since 1970-01-01] in the hemisphere of `latitude`
/// [rad].
pub fn season(utc: f64, latitude: f64) -> Season {
    use Season::{Autumn, Spring, Summer, Winter};
    let quarter = (ecliptic(utc).0 / std::f64::consts::FRAC_PI_2) as usize % 4;
    let quarter = if latitude < 0.0 {
        (quarter + 2) % 4
    } else {
        quarter
    };
    [Spring, Summer, Autumn, Winter][quarter]
}
