//! Absolute pressure.
//!
//! # Law
//! ```text
//!   p = p_air + ρ g (-z + p')                                   (1)  hydrostatics, and what the waves add
//! ```
//! # Symbols
//! z height of the port over the mean surface, p' pressure head of the waves [m] (`environment/waves/mod.rs`); the air's
//! pressure above water.
//!
//! # Frames
//! None.
//!
//! # Limits
//! Constant density, no dynamic pressure from speed, air pressure does not fall with height.
//!
//! # Checked by
//! test/analytic/position_sensors.rs, test/analytic/floating.rs

use super::{Truth, noise};
use crate::math::rng::Draw;
use crate::scene::sensor::Errors;
use crate::state::SensorState;
use crate::state::reading::Pressure;

/// One sample [Pa].
pub fn measure(errors: &Errors, memory: &mut SensorState, truth: &Truth<'_>, draw: &mut Draw) -> Pressure {
    let sea = truth.at.sea;
    let depth = match truth.at.waves {
        None => (-truth.p_WS.z).max(0.0),
        Some(waves) => {
            let (surface, water) = waves.at(truth.p_WS);
            if truth.p_WS.z < surface.z { (water.head - truth.p_WS.z).max(0.0) } else { 0.0 }
        }
    };
    let p = sea.air_pressure + sea.density * truth.at.gravity * depth; // (1)
    let on = memory.noise;
    Pressure {
        pressure: noise::scalar(errors, &mut memory.drift[0], p, on, draw),
        variance: errors.variance(),
    }
}
