//! Absolute pressure.
//!
//! # Law
//! ```text
//!   p = p_air + g ∫ ρ dz + ρ g p'                               (1)  hydrostatics, and what the waves add
//! ```
//! # Symbols
//! The integral goes from the mean surface down to the port; p' pressure head of the waves [m] (`environment/waves/mod.rs`); the
//! air's pressure above water.
//!
//! # Frames
//! None.
//!
//! # Limits
//! No dynamic pressure from speed, air pressure does not fall with height; the waves' part is of water as at the surface.
//!
//! # Checked by
//! test/analytic/position_sensors.rs, test/analytic/water_column.rs, test/analytic/floating.rs

use super::{Truth, noise};
use crate::environment::water_column;
use crate::math::rng::Draw;
use crate::scene::sensor::Errors;
use crate::state::SensorState;
use crate::state::reading::Pressure;

/// One sample [Pa].
pub fn measure(errors: &Errors, memory: &mut SensorState, truth: &Truth<'_>, draw: &mut Draw) -> Pressure {
    let on = memory.noise;
    Pressure {
        pressure: noise::scalar(errors, &mut memory.drift[0], at(truth), on, draw),
        variance: errors.variance(),
    }
}

/// Absolute pressure at the sensor [Pa].
pub fn at(truth: &Truth<'_>) -> f64 {
    truth.at.sea.air_pressure + of_water(truth) // (1)
}

/// Pressure of the water at the sensor, over that of the air [Pa].
pub fn of_water(truth: &Truth<'_>) -> f64 {
    let sea = truth.at.sea;
    match truth.at.waves {
        None => water_column::pressure(sea, truth.at.gravity, truth.p_WS),
        Some(waves) => {
            let (surface, water) = waves.at(truth.p_WS);
            if truth.p_WS.z < surface.z { under_waves(truth, water.head).max(0.0) } else { 0.0 }
        }
    }
}

/// Pressure of the water at a port under waves whose pressure head there is `head` [m], over that of the air [Pa].
fn under_waves(truth: &Truth<'_>, head: f64) -> f64 {
    let (sea, g) = (truth.at.sea, truth.at.gravity);
    let density = sea.region(truth.p_WS.x, truth.p_WS.y).map_or(sea.density, |region| region.density);
    let still = if truth.p_WS.z < 0.0 {
        water_column::pressure(sea, g, truth.p_WS)
    } else {
        -density * g * truth.p_WS.z
    };
    still + density * g * head
}
