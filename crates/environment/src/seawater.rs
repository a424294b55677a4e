//! Density of sea water and speed of sound in it as functions of temperature, salinity and
//! pressure.
//!
//! # Law
//! ```text
//!   ρ(S,t,p) = ρ(S,t,0) / (1 - p/K(S,t,p))                           (1)
//!   c(S,t,p) = C_w + A S + B S^(3/2) + D S²                          (2)
//!   c = 1448.96 + 4.591 T - 5.304e-2 T² + 2.374e-4 T³ + 1.340 (S-35)
//!       + 1.630e-2 D + 1.675e-7 D² - 1.025e-2 T (S-35) - 7.139e-13 T D³  (3)  [Mackenzie 1981]
//!   (1) EOS-80 [Fofonoff 1983, eqs 7, 13-19]
//!   (2) Chen and Millero [Fofonoff 1983, eqs 33-37]
//! ```
//! # Symbols
//! S practical salinity · t temperature on the IPTS-68 scale, 1.00024 times the ITS-90 temperature
//! [°C] · p gauge pressure relative to the atmosphere, in bar in the polynomials · T temperature
//! [°C], D depth [m].
//!
//! # Limits
//! (1) and (2) hold for -2 to 40 °C, salinity 0 to 42, 0 to 1000 bar; (2) is fitted to 0 to 40 °C
//! and salinity 0 to 40. (3) holds for 2 to 30 °C, salinity 25 to 40, 0 to 8000 m. World files
//! outside these ranges are rejected. In this range (1) differs from TEOS-10 by at most 0.02 kg/m³.
//!
//! # Checked by
//! test/witness/environment/seawater.rs (V65)

/// Range of validity of a law: temperature [°C], practical salinity [-], depth [m].
pub struct Validity {
    /// Minimum and maximum temperature [°C].
    pub temperature: [f64; 2],
    /// Minimum and maximum practical salinity [-], PSS-78.
    pub salinity: [f64; 2],
    /// Maximum depth below the surface [m].
    pub depth: f64,
}

/// Range of validity of [`density`] and [`sound_speed`]; 9900 m correspond to 1000 bar.
pub const UNESCO: Validity = Validity {
    temperature: [-2.0, 40.0],
    salinity: [0.0, 42.0],
    depth: 9_900.0,
};
/// Range of validity of [`mackenzie_sound_speed`].
pub const MACKENZIE: Validity = Validity {
    temperature: [2.0, 30.0],
    salinity: [25.0, 40.0],
    depth: 8_000.0,
};

/// Converts a temperature [°C] from the ITS-90 scale to the IPTS-68 scale, which (1) and (2) use.
pub fn ipts68_from_its90(t90: f64) -> f64 {
    1.00024 * t90
}

/// Evaluates a polynomial in `x` with coefficients `c`, constant term first.
pub(crate) fn poly(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// Returns the density [kg/m³] at practical salinity `S` [-] (PSS-78), temperature `t` (IPTS-68)
/// [°C] and gauge `pressure` [Pa] by (1).
pub fn density(S: f64, t: f64, pressure: f64) -> f64 {
    let p = pressure * 1e-5;
    let root = S.sqrt();
    let water = poly(
        &[
            999.842594,
            6.793952e-2,
            -9.095290e-3,
            1.001685e-4,
            -1.120083e-6,
            6.536332e-9,
        ],
        t,
    );
    let at_surface = water
        + poly(
            &[8.24493e-1, -4.0899e-3, 7.6438e-5, -8.2467e-7, 5.3875e-9],
            t,
        ) * S
        + poly(&[-5.72466e-3, 1.0227e-4, -1.6546e-6], t) * S * root
        + 4.8314e-4 * S * S;
    let K0 = poly(
        &[19652.21, 148.4206, -2.327105, 1.360477e-2, -5.155288e-5],
        t,
    ) + (poly(&[54.6746, -0.603459, 1.09987e-2, -6.1670e-5], t)
        + poly(&[7.944e-2, 1.6483e-2, -5.3009e-4], t) * root)
        * S;
    let A = poly(&[3.239908, 1.43713e-3, 1.16092e-4, -5.77905e-7], t)
        + (poly(&[2.2838e-3, -1.0981e-5, -1.6078e-6], t) + 1.91075e-4 * root) * S;
    let B = poly(&[8.50935e-5, -6.12293e-6, 5.2787e-8], t)
        + poly(&[-9.9348e-7, 2.0816e-8, 9.1697e-10], t) * S;
    at_surface / (1.0 - p / (K0 + (A + B * p) * p))
}

/// Returns the speed of sound [m/s] at practical salinity `S` [-] (PSS-78), temperature `t`
/// (IPTS-68) [°C] and gauge `pressure` [Pa] by (2).
pub fn sound_speed(S: f64, t: f64, pressure: f64) -> f64 {
    let p = pressure * 1e-5;
    let Cw = poly(
        &[
            poly(
                &[
                    1402.388,
                    5.03711,
                    -5.80852e-2,
                    3.3420e-4,
                    -1.47800e-6,
                    3.1464e-9,
                ],
                t,
            ),
            poly(
                &[0.153563, 6.8982e-4, -8.1788e-6, 1.3621e-7, -6.1185e-10],
                t,
            ),
            poly(
                &[3.1260e-5, -1.7107e-6, 2.5974e-8, -2.5335e-10, 1.0405e-12],
                t,
            ),
            poly(&[-9.7729e-9, 3.8504e-10, -2.3643e-12], t),
        ],
        p,
    );
    let A = poly(
        &[
            poly(&[1.389, -1.262e-2, 7.164e-5, 2.006e-6, -3.21e-8], t),
            poly(
                &[9.4742e-5, -1.2580e-5, -6.4885e-8, 1.0507e-8, -2.0122e-10],
                t,
            ),
            poly(&[-3.9064e-7, 9.1041e-9, -1.6002e-10, 7.988e-12], t),
            poly(&[1.100e-10, 6.649e-12, -3.389e-13], t),
        ],
        p,
    );
    let B = -1.922e-2 - 4.42e-5 * t + (7.3637e-5 + 1.7945e-7 * t) * p;
    let D = 1.727e-3 - 7.9836e-6 * p;
    Cw + A * S + B * S * S.sqrt() + D * S * S
}

/// Returns the speed of sound [m/s] at temperature `T` [°C], practical salinity `S` [-] (PSS-78)
/// and depth `D` [m] by (3).
pub fn mackenzie_sound_speed(T: f64, S: f64, D: f64) -> f64 {
    poly(&[1448.96, 4.591, -5.304e-2, 2.374e-4], T)
        + 1.340 * (S - 35.0)
        + 1.630e-2 * D
        + 1.675e-7 * D * D
        - 1.025e-2 * T * (S - 35.0)
        - 7.139e-13 * T * D * D * D
}

/// Returns the practical salinity [-] (PSS-78) at which water of temperature `t` (IPTS-68) [°C] has
/// the density `rho` [kg/m³] at the surface.
///
/// The result is limited to 0 to 42 for any density.
pub(crate) fn salinity_from_density(rho: f64, t: f64) -> f64 {
    crate::conductivity::bisect_increasing(|S| density(S, t, 0.0) - rho, 42.0)
}
