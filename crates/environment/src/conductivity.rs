//! Conversion between the electrical conductivity of sea water and its practical salinity.
//!
//! # Law
//! ```text
//!   C = C_0 R,   R = R_p r_t R_t                                                             (1)
//!   r_t = Σ c_i t^i                                                                          (2)
//!   R_p = 1 + p (e_1 + e_2 p + e_3 p²)/(1 + d_1 t + d_2 t² + (d_3 + d_4 t) R)                (3)
//!   S = Σ a_i R_t^(i/2) + φ Σ b_i R_t^(i/2),   φ = (t - 15)/(1 + k (t - 15))                 (4)
//!   S' = f [S - a_0/(1 + 1.5 x + x²) - b_0 φ/(1 + √y + y + y√y)],  x = 400 R_t, y = 100 R_t  (5)
//!   (1) PSS-78 [Fofonoff 1983, eqs 1, 2]
//!   (2) [eq. 3]
//!   (3) [eq. 4]
//!   (4) [eq. 1]
//!   (5) below 2 [Hill 1986]
//! ```
//! # Symbols
//! C conductivity [S/m] · C_0 = 4.2914 S/m at salinity 35, 15 °C and zero gauge pressure · t
//! temperature on the IPTS-68 scale [°C] · p gauge pressure relative to the atmosphere, in dbar in
//! the polynomials · S practical salinity · f factor that makes (5) continuous with (4) at S = 2,
//! as in TEOS-10.
//!
//! # Limits
//! The laws hold for -2 to 35 °C, salinity 0 to 42, 0 to 10 000 dbar. Outside this range the
//! polynomials are extrapolated. The conductivity of water without sea salt is zero here: the
//! conductivity of other dissolved substances is not modelled.
//!
//! # Checked by
//! tests below, against the check values of [Fofonoff 1983];
//! test/witness/environment/conductivity.rs

use crate::seawater::poly;

/// Conductivity at salinity 35, 15 °C and zero gauge pressure [S/m].
pub(crate) const STANDARD_CONDUCTIVITY: f64 = 4.2914;

/// Coefficients a of (4).
const SALINITY_COEFFICIENTS: [f64; 6] = [0.0080, -0.1692, 25.3851, 14.0941, -7.0261, 2.7081];
/// Coefficients b of (4).
const SALINITY_TEMPERATURE_COEFFICIENTS: [f64; 6] =
    [0.0005, -0.0056, -0.0066, -0.0375, 0.0636, -0.0144];
/// Coefficients c of (2).
const TEMPERATURE_RATIO_COEFFICIENTS: [f64; 5] = [
    0.676_609_7,
    2.005_64e-2,
    1.104_259e-4,
    -6.9698e-7,
    1.0031e-9,
];
/// Coefficients e of (3), starting with the coefficient of p⁰.
const PRESSURE_COEFFICIENTS: [f64; 4] = [0.0, 2.070e-5, -6.370e-10, 3.989e-15];
/// Practical salinity below which (5) applies.
const DILUTE_SALINITY: f64 = 2.0;
/// Upper bound of the search for √R_t; salinity 42 has a smaller value.
const MAX_ROOT: f64 = 1.5;

/// Returns the zero of the increasing function `f` between 0 and `end`, by bisection to machine
/// precision.
pub(crate) fn bisect_increasing(f: impl Fn(f64) -> f64, end: f64) -> f64 {
    let (mut low, mut high) = (0.0, end);
    for _ in 0..54 {
        let midpoint = 0.5 * (low + high);
        *(if f(midpoint) < 0.0 {
            &mut low
        } else {
            &mut high
        }) = midpoint;
    }
    0.5 * (low + high)
}

fn phi(t: f64) -> f64 {
    (t - 15.0) / (1.0 + 0.0162 * (t - 15.0))
}

/// Returns the practical salinity by (4) from `root` = √R_t.
fn ocean(root: f64, t: f64) -> f64 {
    poly(&SALINITY_COEFFICIENTS, root) + phi(t) * poly(&SALINITY_TEMPERATURE_COEFFICIENTS, root)
}

/// Returns the bracket of (5), without the factor f.
fn dilute(root: f64, t: f64) -> f64 {
    let (x, y) = (400.0 * root * root, 10.0 * root);
    ocean(root, t)
        - SALINITY_COEFFICIENTS[0] / (1.0 + x * (1.5 + x))
        - SALINITY_TEMPERATURE_COEFFICIENTS[0] * phi(t) / (1.0 + y * (1.0 + y * (1.0 + y)))
}

/// Returns the factor f of (5).
fn continuity_factor(t: f64) -> f64 {
    DILUTE_SALINITY
        / dilute(
            bisect_increasing(|root| ocean(root, t) - DILUTE_SALINITY, MAX_ROOT),
            t,
        )
}

/// Returns the terms of (3): the numerator, the part of the denominator without R, and the
/// coefficient of R in the denominator.
fn pressure_terms(t: f64, pressure: f64) -> (f64, f64, f64) {
    let p = pressure * 1e-4;
    (
        poly(&PRESSURE_COEFFICIENTS, p),
        1.0 + 3.426e-2 * t + 4.464e-4 * t * t,
        4.215e-1 - 3.107e-3 * t,
    )
}

/// Returns the practical salinity [-] (PSS-78) of water of `conductivity` [S/m] at temperature `t`
/// (IPTS-68) [°C] and gauge `pressure` [Pa].
///
/// Returns NaN if an argument is NaN, and 0 for a conductivity of zero or less.
pub fn salinity(conductivity: f64, t: f64, pressure: f64) -> f64 {
    if conductivity.is_nan() || t.is_nan() || pressure.is_nan() {
        return f64::NAN;
    }
    let R = conductivity / STANDARD_CONDUCTIVITY;
    if R <= 0.0 {
        return 0.0;
    }
    let (n, d, dR) = pressure_terms(t, pressure);
    let R_p = 1.0 + n / (d + dR * R); // (3)
    let R_t = R / (R_p * poly(&TEMPERATURE_RATIO_COEFFICIENTS, t)); // (1), (2)
    let root = R_t.max(0.0).sqrt();
    let S = ocean(root, t);
    if S >= DILUTE_SALINITY {
        S
    } else {
        (continuity_factor(t) * dilute(root, t)).max(0.0)
    }
}

/// Returns the conductivity [S/m] of water of practical salinity `S` [-] (PSS-78), temperature `t`
/// (IPTS-68) [°C] and gauge `pressure` [Pa].
pub fn conductivity(S: f64, t: f64, pressure: f64) -> f64 {
    if S <= 0.0 {
        return 0.0;
    }
    let root = if S >= DILUTE_SALINITY {
        bisect_increasing(|root| ocean(root, t) - S, MAX_ROOT)
    } else {
        let f = continuity_factor(t);
        bisect_increasing(|root| f * dilute(root, t) - S, MAX_ROOT)
    };
    // (1) with (3) is a quadratic equation in R
    let (n, d, dR) = pressure_terms(t, pressure);
    let R_0 = root * root * poly(&TEMPERATURE_RATIO_COEFFICIENTS, t);
    let b = d - dR * R_0;
    let R = (-b + (b * b + 4.0 * dR * R_0 * (d + n)).sqrt()) / (2.0 * dR);
    STANDARD_CONDUCTIVITY * R
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_values_of_unesco_44() {
        // ratio, temperature, pressure [dbar], salinity, and the effect of half a unit of the last
        // printed digit
        for (R, t, p, S, rounding) in [
            (1.0, 15.0, 0.0, 35.0, 2e-6),
            (1.2, 20.0, 2000.0, 37.245_628, 2e-6),
            (0.65, 5.0, 1500.0, 27.995_347, 2e-6),
            (1.888_091, 40.0, 10_000.0, 40.0, 1.2e-5),
        ] {
            let found = salinity(R * STANDARD_CONDUCTIVITY, t, p * 1e4);
            assert!(
                (found - S).abs() < rounding,
                "{R} {t} {p}: {found} instead of {S}"
            );
        }
    }

    #[test]
    fn salinity_inverts_conductivity() {
        for S in [0.01, 0.5, 1.9, 1.999_999, 2.0, 2.1, 17.0, 41.9] {
            for t in [-1.9, 8.0, 15.0, 34.0] {
                for p in [0.0, 5e6, 9e7] {
                    let back = salinity(conductivity(S, t, p), t, p);
                    assert!((back - S).abs() < 1e-10 * S.max(1.0), "{S} {t} {p}: {back}");
                }
            }
        }
        assert_eq!(
            (conductivity(0.0, 20.0, 0.0), salinity(0.0, 20.0, 0.0)),
            (0.0, 0.0)
        );
        assert!(salinity(-1.0, 5.0, 0.0) == 0.0 && salinity(f64::NAN, 5.0, 0.0).is_nan());
    }
}
