//! Weather, wind, air density and pressure, and sun as functions of position and time.
//!
//! # Law
//! A change of the weather is a linear transition from the previous to the commanded weather; the
//! wind is interpolated as a vector.
//!
//! ```text
//!   T = T0 - L h,  p = p0 (T/T0)^(g/(R L)),  ρ = p/(R T)  (1)  [ISO 2533-1975, troposphere]
//! ```
//! # Symbols
//! h height above sea level, taken as geopotential height [m] · T0, p0 temperature [K] and pressure
//! [Pa] at sea level · L = 0.0065 K/m · R = 287.05287 J/(kg K) · g standard
//! gravity [m/s²].
//!
//! # Frames
//! World (ENU).
//!
//! # Limits
//! Dry air, up to 11 km. Rain, clouds and visibility are uniform in space.
//!
//! # Checked by
//! test/analytic/environment/air.rs

pub mod sun;
pub mod sunlight;
pub mod wind;

use merrow_model::scene::Sea;
use merrow_model::scene::sea::air::{Air, Weather};

/// Returns the weather at `t` [s], interpolated during a transition.
pub fn weather(air: &Air, t: f64) -> Weather {
    let [start, end] = air.change;
    if t >= end {
        return air.to;
    }
    let s = ((t - start) / (end - start)).clamp(0.0, 1.0);
    let linear = |a: f64, b: f64| a + s * (b - a);
    let (a, b) = (&air.from, &air.to);
    Weather {
        wind: a.wind + (b.wind - a.wind).scale(s),
        gustiness: linear(a.gustiness, b.gustiness),
        temperature_c: linear(a.temperature_c, b.temperature_c),
        cloud_cover: linear(a.cloud_cover, b.cloud_cover),
        rain_mm_h: linear(a.rain_mm_h, b.rain_mm_h),
        visibility_m: linear(a.visibility_m, b.visibility_m),
    }
}

/// Standard acceleration of gravity [m/s²] [ISO 2533-1975].
pub const STANDARD_GRAVITY: f64 = 9.806_65;
/// Decrease of the temperature with height [K/m].
const LAPSE: f64 = 0.0065;
/// Gas constant of dry air [J/(kg K)].
const R: f64 = 287.052_87;

/// Returns the temperature [K] at sea level and at height `z` [m], from the `temperature` at sea
/// level [°C]. (1)
fn temperatures(temperature: f64, z: f64) -> (f64, f64) {
    let T0 = temperature + 273.15;
    (T0, T0 - LAPSE * z.clamp(0.0, 11_000.0))
}

/// Returns the density of the air [kg/m³] at height `z` [m], from the `temperature` at sea level
/// [°C]. (1)
pub fn density(sea: &Sea, temperature: f64, z: f64) -> f64 {
    pressure(sea, temperature, z) / (R * temperatures(temperature, z).1)
}

/// Returns the pressure of the air [Pa] at height `z` [m], from the `temperature` at sea level
/// [°C]. (1)
pub fn pressure(sea: &Sea, temperature: f64, z: f64) -> f64 {
    let (T0, T) = temperatures(temperature, z);
    sea.air_pressure * libm::pow(T / T0, STANDARD_GRAVITY / (R * LAPSE))
}

/// Returns the temperature of the air [°C] at height `z` [m], from the `temperature` at sea level
/// [°C]. (1)
pub fn temperature(temperature: f64, z: f64) -> f64 {
    temperatures(temperature, z).1 - 273.15
}
