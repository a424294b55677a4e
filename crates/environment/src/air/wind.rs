//! Wind: a mean that increases with height, and gusts as a sum of harmonics convected by the mean
//! wind.
//!
//! # Law
//! ```text
//!   U(z) = U_r (z/z_r)^α   or   U_r ln(z/z_0)/ln(z_r/z_0)                                     (1)
//!   u'(p,t) = Σ √(2 S(f) Δf) cos(2π f (t - x/U) + φ)                                          (2)
//!   NPD      S(f) = 320 (U/10)² / (1 + f̃^n)^(5/(3n)),  f̃ = 172 f (U/10)^(-3/4),  n = 0.468  (3)
//!   Dryden   S_u(f) = σ² (4 L/U) / (1 + k²),  S_v(f) = σ² (2 L/U)(1 + 3k²)/(1 + k²)²,  k = 2π f L/U  (4)
//!   (1) [IEC 61400-1, 6.3.1.2]
//!   (2) frozen turbulence [Taylor 1938]
//!   (3) [ISO 19901-1, A.7.3]
//!   (4) [MIL-F-8785C, 3.7.1.2]
//! ```
//! # Symbols
//! U_r mean at the reference height z_r · α exponent · z_0 roughness length · x distance downwind
//! of the origin · φ random phases, drawn once · σ, L standard deviation and length scale · U mean
//! at the reference height, at least 0.5 m/s in (2)-(4); (3) is evaluated at 10 m.
//!
//! # Frames
//! World (ENU). The three components are along the mean wind, to its left, and up.
//!
//! # Limits
//! Heights are defined by [`crate::EnvironmentState::wind_height`]. Gusts are uniform across the
//! wind and over the height. A live change of the wind changes the convection speed of the pattern
//! but not its phases, so positions should stay within some kilometres of the origin. The wind ends
//! at the water surface.
//!
//! # Checked by
//! test/analytic/environment/air.rs

use crate::air::weather;
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_math::rng::Stream;
use merrow_model::scene::sea::air::{Air, GustComponent, Gusts, Shear, Weather};
use std::f64::consts::TAU;

/// Number of frequency bands of the gusts.
const BANDS: usize = 48;
/// Minimum and maximum frequency [Hz]: a period of an hour and of a second.
const FREQUENCIES: [f64; 2] = [1.0 / 3600.0, 1.0];
/// Exponent n of (3).
const NPD_EXPONENT: f64 = 0.468;
/// Minimum mean wind that convects the gusts [m/s].
const MIN_CONVECTION_SPEED: f64 = 0.5;

/// Returns the gust components: bands evenly spaced in the logarithm of the frequency, with random
/// phases and frequencies from `seed`.
///
/// One random frequency per band prevents the sum from repeating.
pub fn components(seed: u64) -> Vec<GustComponent> {
    let stream = Stream::new(seed, "wind");
    let ratio = libm::log(FREQUENCIES[1] / FREQUENCIES[0]) / BANDS as f64;
    let edge = |k: usize| FREQUENCIES[0] * libm::exp(ratio * k as f64);
    (0..BANDS)
        .map(|k| {
            let mut draw = stream.draw(k as u64);
            let (low, high) = (edge(k), edge(k + 1));
            let frequency = low + (high - low) * draw.uniform();
            GustComponent {
                frequency,
                npd: libm::pow(172.0 * frequency, NPD_EXPONENT),
                band: high - low,
                phase: [
                    TAU * draw.uniform(),
                    TAU * draw.uniform(),
                    TAU * draw.uniform(),
                ],
            }
        })
        .collect()
}

/// Returns the velocity [m/s], W, of a wind of `speed` [m/s] from the direction `from_deg` [deg],
/// clockwise from north.
pub fn velocity_from(speed: f64, from_deg: f64) -> Vec3 {
    let (s, c) = sin_cos(from_deg.to_radians());
    Vec3::new(-speed * s, -speed * c, 0.0)
}

/// Returns the direction from which the wind `v`, W, blows [deg], clockwise from north; 0 for zero
/// wind.
pub fn direction_from_deg(v: Vec3) -> f64 {
    if v.x == 0.0 && v.y == 0.0 {
        0.0
    } else {
        libm::atan2(-v.x, -v.y).to_degrees()
    }
}

/// Returns the velocity of the air [m/s], W, at `p` [m], W, and `t` [s]; zero below z = 0.
pub fn wind_velocity(air: &Air, p: Vec3, t: f64) -> Vec3 {
    if p.z <= 0.0 {
        return Vec3::zero();
    }
    let now = weather(air, t);
    let mean = now.wind.scale(shear_factor(air, p.z));
    if air.gusts == Gusts::None || now.gustiness == 0.0 {
        return mean;
    }
    mean + gusts(air, &now, p, t)
}

/// Returns the ratio of the mean wind at height `z` [m] to the mean wind at the reference height.
/// (1)
pub(crate) fn shear_factor(air: &Air, z: f64) -> f64 {
    match air.shear {
        Shear::Uniform => 1.0,
        Shear::Power { exponent } => libm::pow(z / air.reference_height_m, exponent),
        Shear::Log {
            roughness_m: roughness,
        } if z > roughness => {
            libm::log(z / roughness) / libm::log(air.reference_height_m / roughness)
        }
        Shear::Log { .. } => 0.0,
    }
}

/// Returns the gust velocity at `p` and `t`, in W. (2)
fn gusts(air: &Air, now: &Weather, p: Vec3, t: f64) -> Vec3 {
    let speed = now.wind.norm();
    let U = speed.max(MIN_CONVECTION_SPEED);
    let along = if speed > 0.0 {
        now.wind.scale(1.0 / speed)
    } else {
        Vec3::new(1.0, 0.0, 0.0)
    };
    let left = Vec3::new(-along.y, along.x, 0.0);
    let delay = along.dot(p) / U;
    // f̃^n is the product of a power of the frequency, computed once, and a power of the wind speed
    let wind_power = libm::pow(U / 10.0, -0.75 * NPD_EXPONENT);
    let mut sum = [0.0; 3];
    for c in air.components.iter() {
        let turns = c.frequency * (t - delay);
        let angle = (turns - turns.floor()) * TAU;
        for (i, sum) in sum.iter_mut().enumerate() {
            let S = match air.gusts {
                Gusts::Npd if i == 0 => npd(c.npd * wind_power, U),
                other => spectrum(other, i, c.frequency, U),
            };
            if S > 0.0 {
                *sum += (2.0 * S * c.band).sqrt() * sin_cos(angle + c.phase[i]).1;
            }
        }
    }
    let [u, v, w] = sum.map(|x| x * now.gustiness);
    along.scale(u) + left.scale(v) + Vec3::new(0.0, 0.0, w)
}

/// Returns the spectral density by (3), from `scaled` = f̃^n.
fn npd(scaled: f64, U: f64) -> f64 {
    320.0 * (U / 10.0) * (U / 10.0) / libm::pow(1.0 + scaled, 5.0 / (3.0 * NPD_EXPONENT))
}

/// Returns the spectral density [m²/s² per Hz] of component `i` (along, across, up) at `f` [Hz] in
/// a mean wind `U` [m/s]. (3) (4)
pub fn spectrum(gusts: Gusts, i: usize, f: f64, U: f64) -> f64 {
    match gusts {
        Gusts::None => 0.0,
        Gusts::Npd if i > 0 => 0.0,
        Gusts::Npd => npd(
            libm::pow(172.0 * f * libm::pow(U / 10.0, -0.75), NPD_EXPONENT),
            U,
        ),
        Gusts::Dryden { std_m_s, length_m } => {
            let (variance, L) = (std_m_s[i] * std_m_s[i], length_m[i]);
            let k = TAU * f * L / U;
            let (k2, scale) = (k * k, variance * L / U);
            if i == 0 {
                4.0 * scale / (1.0 + k2)
            } else {
                2.0 * scale * (1.0 + 3.0 * k2) / ((1.0 + k2) * (1.0 + k2))
            }
        }
    }
}
