//! Absolute pressure.
//!
//! # Law
//! ```text
//!   p = p_air + ρ g d                                           (1)  hydrostatics
//! ```
//! # Symbols
//! d depth of the port [m], 0 above water.
//!
//! # Frames
//! None.
//!
//! # Limits
//! Constant density, no dynamic pressure from speed or waves, air pressure does not fall with height.
//!
//! # Checked by
//! test/analytic/position_sensors.rs

use super::{Truth, noise};
use crate::math::rng::Draw;
use crate::scene::sensor::Errors;
use crate::state::SensorState;
use crate::state::reading::Pressure;

/// One sample [Pa].
pub fn measure(errors: &Errors, memory: &mut SensorState, truth: &Truth<'_>, draw: &mut Draw) -> Pressure {
    let sea = truth.at.sea;
    let depth = (-truth.p_WS.z).max(0.0);
    let p = sea.air_pressure + sea.density * truth.at.gravity * depth; // (1)
    let on = memory.noise;
    Pressure {
        pressure: noise::scalar(errors, &mut memory.drift[0], p, on, draw),
        variance: errors.variance(),
    }
}
