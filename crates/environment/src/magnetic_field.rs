//! Magnetic field of the Earth: World Magnetic Model 2025 [WMM 2025].
//!
//! # Law
//! The field is the gradient of a potential of spherical harmonics of degree n up to 12 whose
//! coefficients change linearly with time:
//!
//! ```text
//!   g(t) = g + g' (t - t_0),   h(t) = h + h' (t - t_0)                                (1)
//!   X' =  Σ (a/r)^(n+2) (g cos mλ + h sin mλ) dP/dθ                                   (2)
//!   Y' =  Σ (a/r)^(n+2) m (g sin mλ - h cos mλ) P / sin θ                             (3)
//!   Z' = -Σ (a/r)^(n+2) (n+1) (g cos mλ + h sin mλ) P                                 (4)
//!   X = X' cos ψ - Z' sin ψ,   Y = Y',   Z = X' sin ψ + Z' cos ψ,   ψ = φ' - φ          (5)
//! ```
//! The Schmidt semi-normalised Legendre functions P follow from recursions over n:
//!
//! ```text
//!   Q = P for m = 0, Q = P / sin θ for m > 0;   Q_00 = Q_11 = 1
//!   Q_mm = sqrt(1 - 1/(2m)) sin θ Q_m-1,m-1                                           (6)
//!   sqrt(n² - m²) Q_nm = (2n-1) cos θ Q_n-1,m - sqrt((n-1)² - m²) Q_n-2,m              (7)
//!   dP/dθ = n cos θ Q_nm - sqrt(n² - m²) Q_n-1,m              (m > 0)
//!   dP/dθ = -sqrt(n (n+1) / 2) sin θ Q_n1                     (m = 0)                  (8)
//! ```
//! # Symbols
//! g, h coefficients \[nT\], g', h' their annual change · t time, t_0 = 2025.0 · a = 6371.2 km
//! reference radius · r, θ, λ distance from the centre of the Earth, colatitude and longitude ·
//! φ, φ' geodetic and geocentric latitude · X, Y, Z components north, east and down.
//!
//! # Frames
//! Geodetic coordinates on WGS84; the result is in W at the given position (east, north, up).
//!
//! # Limits
//! The model describes the field of the core from 2025 to the end of 2029 with errors of
//! about 140 nT and 0.3 degrees; other dates use the field at the nearer end of 2025.0 to 2030.0.
//! Fields of the crust, of structures, of the ionosphere and of magnetic storms are not modelled.
//! Years have 365.25 days, which shifts the date by at most 0.8 days.
//!
//! # Checked by
//! tests below; test/witness/environment/magnetic_field.rs

use merrow_math::Vec3;
use merrow_math::ellipsoid::ecef;
use merrow_math::real::sin_cos;
use std::ops::RangeInclusive;

/// Coefficients as published by NOAA/NCEI: degree, order, g, h, g', h' \[nT, nT/year\] per line.
const COEFFICIENTS: &str = include_str!("../data/WMM2025.COF");
/// Highest degree of the model.
const DEGREE: usize = 12;
/// Reference radius of the model [m].
const RADIUS: f64 = 6_371_200.0;
/// Instant t_0 = 2025.0 [s since 1970-01-01].
const EPOCH: f64 = 1_735_689_600.0;
/// Length of a year [s].
const YEAR: f64 = 365.25 * 86_400.0;
/// Instants for which the model is valid [s since 1970-01-01].
pub const VALIDITY: RangeInclusive<f64> = EPOCH..=EPOCH + 5.0 * YEAR;

/// Quantities by degree and order.
type Table = [[f64; DEGREE + 1]; DEGREE + 1];

/// Returns the magnetic flux density (east, north, up) [T] at a latitude [rad], longitude [rad] and
/// height above the WGS84 ellipsoid [m] at `utc` [s since 1970-01-01].
pub fn magnetic_field(latitude: f64, longitude: f64, height: f64, utc: f64) -> Vec3 {
    let p = ecef(latitude, longitude, height);
    let axial = (p.x * p.x + p.y * p.y).sqrt();
    let r = (axial * axial + p.z * p.z).sqrt();
    let (sin_theta, cos_theta) = (axial / r, p.z / r);
    let years = (utc.clamp(*VALIDITY.start(), *VALIDITY.end()) - EPOCH) / YEAR;
    let (g, h) = coefficients(years);
    let Q = legendre(sin_theta, cos_theta);
    let turns: [(f64, f64); DEGREE + 1] = std::array::from_fn(|m| sin_cos(m as f64 * longitude));
    let ratio = RADIUS / r;
    let mut power = ratio * ratio;
    let (mut north, mut east, mut down) = (0.0, 0.0, 0.0);
    for n in 1..=DEGREE {
        power *= ratio;
        let (mut sum_north, mut sum_east, mut sum_down) = (0.0, 0.0, 0.0);
        for m in 0..=n {
            let (s, c) = turns[m];
            let along = g[n][m] * c + h[n][m] * s;
            let across = g[n][m] * s - h[n][m] * c;
            let (n_f, m_f) = (n as f64, m as f64);
            let (P, dP) = if m == 0 {
                let dP = -(n_f * (n_f + 1.0) / 2.0).sqrt() * sin_theta * Q[n][1]; // (8)
                (Q[n][0], dP)
            } else {
                let previous = (n_f * n_f - m_f * m_f).sqrt() * Q[n - 1][m];
                (sin_theta * Q[n][m], n_f * cos_theta * Q[n][m] - previous) // (8)
            };
            sum_north += along * dP; // (2)
            sum_east += m_f * across * Q[n][m]; // (3)
            sum_down -= (n_f + 1.0) * along * P; // (4)
        }
        north += power * sum_north;
        east += power * sum_east;
        down += power * sum_down;
    }
    // (5), with the angle from the geodetic to the geocentric latitude
    let (sin_phi, cos_phi) = sin_cos(latitude);
    let sin_psi = cos_theta * cos_phi - sin_theta * sin_phi;
    let cos_psi = sin_theta * cos_phi + cos_theta * sin_phi;
    let X = north * cos_psi - down * sin_psi;
    let Z = north * sin_psi + down * cos_psi;
    Vec3::new(east, X, -Z).scale(1e-9)
}

/// Returns the coefficients g and h [nT] by (1) after `years` from the epoch.
fn coefficients(years: f64) -> (Table, Table) {
    let (mut g, mut h): (Table, Table) = Default::default();
    // the first line names the model, and lines of nines end the table
    for line in COEFFICIENTS.lines().skip(1) {
        let mut words = line.split_whitespace();
        let (Some(Ok(n)), Some(Ok(m))) = (
            words.next().map(str::parse::<usize>),
            words.next().map(str::parse::<usize>),
        ) else {
            continue;
        };
        let mut value = || words.next().and_then(|word| word.parse::<f64>().ok());
        if let (Some(main_g), Some(main_h), Some(change_g), Some(change_h)) =
            (value(), value(), value(), value())
            && n <= DEGREE
            && m <= n
        {
            g[n][m] = main_g + change_g * years;
            h[n][m] = main_h + change_h * years;
        }
    }
    (g, h)
}

/// Returns the Legendre functions Q of (6) and (7).
fn legendre(sin_theta: f64, cos_theta: f64) -> Table {
    let mut Q = Table::default();
    Q[0][0] = 1.0;
    Q[1][0] = cos_theta;
    Q[1][1] = 1.0;
    for n in 2..=DEGREE {
        let n_f = n as f64;
        for m in 0..n {
            let m_f = m as f64;
            let before = n_f - 1.0;
            let second = (before * before - m_f * m_f).sqrt() * Q[n - 2][m];
            Q[n][m] = ((n_f + before) * cos_theta * Q[n - 1][m] - second)
                / (n_f * n_f - m_f * m_f).sqrt();
        }
        Q[n][n] = (1.0 - 0.5 / n_f).sqrt() * sin_theta * Q[n - 1][n - 1];
    }
    Q
}

#[cfg(test)]
mod tests {
    use super::*;

    // The file has the coefficients of every degree and order. Method: number of g that are not
    // zero, and the sums of the four columns of the file by awk. Tolerance: rounding.
    #[test]
    fn coefficients_are_complete() {
        let (g, h) = coefficients(0.0);
        let (g1, h1) = coefficients(1.0);
        let sum = |t: &Table| t.iter().flatten().sum::<f64>();
        let count = |t: &Table| t.iter().flatten().filter(|v| **v != 0.0).count();
        assert_eq!(count(&g), 90);
        assert!((sum(&g) + 26_454.1).abs() < 1e-9 && (sum(&h) - 487.8).abs() < 1e-9);
        assert!((sum(&g1) - sum(&g) + 27.7).abs() < 1e-9);
        assert!((sum(&h1) - sum(&h) + 55.0).abs() < 1e-9);
    }

    // The field is finite and continuous at the poles, where longitude is undefined. Method: the
    // horizontal field at the pole turns with the longitude; points 1 m away. Tolerance: 1 nT.
    #[test]
    fn field_is_continuous_at_the_poles() {
        for pole in [1.0, -1.0_f64] {
            let latitude = pole * std::f64::consts::FRAC_PI_2;
            let field = |latitude, longitude: f64| {
                let B = magnetic_field(latitude, longitude, 0.0, EPOCH);
                // components along the meridians 0 and 90 degrees east
                let (s, c) = sin_cos(longitude);
                Vec3::new(B.x * c - pole * B.y * s, -pole * B.y * c - B.x * s, B.z)
            };
            let at = field(latitude, 0.0);
            assert!(at.norm() > 5e-5 && at.norm() < 7e-5, "{at:?}");
            for longitude in [0.3, 2.0, -1.4] {
                assert!((field(latitude, longitude) - at).norm() < 1e-9);
                assert!((field(latitude - pole * 1.6e-7, longitude) - at).norm() < 1e-9);
            }
        }
    }

    // Dates outside the validity use its nearer end. Method: years before and after.
    #[test]
    fn dates_outside_the_validity_use_its_ends() {
        let field = |utc| magnetic_field(0.6, -2.1, 0.0, utc);
        assert_eq!(field(0.0), field(EPOCH));
        let end = *VALIDITY.end();
        assert_eq!(field(end + 10.0 * YEAR), field(end));
        assert_ne!(field(end), field(EPOCH));
    }
}
