//! Sea states raised by wind, and physical limits of sea states.
//!
//! # Law
//! ```text
//!   Hs = 0.21 V²/g                                                      (1)
//!   g Hs/V² = 0.0016 √(gF/V²) ≤ 0.243,  g Tp/V = 0.286 ∛(gF/V²) ≤ 8.13  (5)
//!   V = 0.836 B^(3/2)                                                   (2)
//!   H/λ ≤ 0.142 tanh(k h)                                               (3)  breaking [Miche 1944]
//!   2π Hs/(g Tp²) ≤ 1/15 (Tp ≤ 8 s) .. 1/25 (Tp ≥ 15 s)                 (4)
//!   (1) fully developed [Fossen 2021, eq. 10.60]
//!   (5) over a fetch [SPM 1984, ch. 3]
//!   (2) Beaufort's number [WMO 1970]
//!   (4) usual seas [DNV-RP-C205 2010, 3.5.4]
//! ```
//! # Symbols
//! V mean wind [m/s] · F fetch: length of water over which the wind blows [m] · B Beaufort number ·
//! Hs significant height, H height, λ length [m] · k wave number [rad/m] · h depth [m].
//!
//! # Limits
//! (1) holds for wind that has blown long enough over a long enough fetch. (5) holds for wind that
//! has blown long enough over deep water; V is the wind speed itself, not the wind-stress factor of
//! the manual. The heights of (2) refer to the open sea.
//!
//! # Checked by
//! tests below; test/analytic/environment/waves.rs, test/input/environment/waves.rs; V63, V64

use crate::waves::dispersion::wave_number;
use merrow_model::scene::sea::waves::{SeaState, Spectrum};
use std::f64::consts::TAU;

/// Probable wave height [m] for the Beaufort numbers 0 to 12, open sea.
pub(crate) const BEAUFORT_HEIGHTS: [f64; 13] = [
    0.0, 0.1, 0.2, 0.6, 1.0, 2.0, 3.0, 4.0, 5.5, 7.0, 9.0, 11.5, 14.0,
];

/// Returns the significant height [m] of the fully developed sea of a wind of `speed` [m/s], with
/// `gravity` [m/s²]. (1)
pub fn developed_height(speed: f64, gravity: f64) -> f64 {
    0.21 * speed * speed / gravity
}

/// Returns the significant height [m] and peak period [s] of the sea of a wind of `speed` [m/s]
/// over a `fetch` [m], with `gravity` [m/s²]. (5)
pub fn fetch_limited(speed: f64, fetch: f64, gravity: f64) -> [f64; 2] {
    if speed <= 0.0 {
        return [0.0; 2];
    }
    let [dimensionless_fetch, time_scale] = [gravity * fetch / (speed * speed), speed / gravity];
    [
        (0.0016 * dimensionless_fetch.sqrt()).min(0.243) * speed * time_scale,
        (0.286 * libm::cbrt(dimensionless_fetch)).min(8.13) * time_scale,
    ]
}

/// Returns the wind speed [m/s] of a Beaufort number. (2)
pub fn beaufort_wind(number: f64) -> f64 {
    0.836 * number * number.sqrt()
}

/// Returns the Beaufort number, including its fraction, of a wind `speed` [m/s]. (2)
pub fn beaufort_number(speed: f64) -> f64 {
    libm::cbrt((speed / 0.836) * (speed / 0.836))
}

/// Returns the wave height [m] of a Beaufort number including its fraction, linear between the
/// integers.
pub fn beaufort_height(number: f64) -> f64 {
    let b = number.clamp(0.0, 12.0);
    let i = (b as usize).min(11);
    BEAUFORT_HEIGHTS[i] + (BEAUFORT_HEIGHTS[i + 1] - BEAUFORT_HEIGHTS[i]) * (b - i as f64)
}

/// Returns the height [m] above which waves of any length break in water of `depth` [m]: (3) for
/// long waves.
pub fn breaking_height(depth: f64) -> f64 {
    0.142 * TAU * depth
}

/// Reason why a sea state is implausible.
pub enum Implausibility {
    /// The sea state is impossible, because the waves would break.
    Breaks(String),
    /// The sea state is possible, but very rare.
    Rare(String),
}

/// Checks whether a sea state is plausible in water of `depth` [m], with `gravity` [m/s²]. (3), (4)
pub fn check_plausibility(sea: &SeaState, depth: f64, gravity: f64) -> Option<Implausibility> {
    if sea.hs_m == 0.0 || sea.spectrum == Spectrum::Kelpie {
        return None;
    }
    let k = wave_number(TAU / sea.tp_s, depth, gravity);
    let length = TAU / k;
    let max_height = 0.142 * libm::tanh(k * depth) * length;
    if sea.hs_m > max_height {
        return Some(Implausibility::Breaks(format!(
            "waves of {} m height and {} s period are {length:.3} m long in {depth} m of water and \
             break above {max_height:.3} m; lower the height or lengthen the period",
            sea.hs_m, sea.tp_s
        )));
    }
    let max_usual_steepness = 1.0 / (15.0 + 10.0 * ((sea.tp_s - 8.0) / 7.0).clamp(0.0, 1.0));
    let steepness = TAU * sea.hs_m / (gravity * sea.tp_s * sea.tp_s);
    let is_regular = matches!(sea.spectrum, Spectrum::Regular(_));
    (steepness > max_usual_steepness && !is_regular).then(|| {
        Implausibility::Rare(format!(
            "a sea of {} m height and {} s period has a steepness of {steepness:.3}, more than \
             real seas ({max_usual_steepness:.3}): most waves would break",
            sea.hs_m, sea.tp_s
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // worked example of a textbook with a fetch of 8720 V²/g: 3.417 m and 9 s for 15 m/s over 200
    // km; and the fully developed sea
    #[test]
    fn sea_grows_with_fetch() {
        let [hs, tp] = fetch_limited(15.0, 200e3, 9.81);
        assert!(
            (hs - 3.43).abs() < 0.02 && (tp - 9.0).abs() < 0.02,
            "{hs} {tp}"
        );
        let [hs, tp] = fetch_limited(15.0, 1e9, 9.81);
        assert!(
            (hs - 0.243 * 225.0 / 9.81).abs() < 1e-12 && (tp - 8.13 * 15.0 / 9.81).abs() < 1e-12
        );
        assert_eq!(fetch_limited(0.0, 100.0, 9.81), [0.0; 2]);
    }
}
