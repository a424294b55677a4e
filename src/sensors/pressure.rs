//! Absolute pressure.
//!
//! # Law
//! ```text
//!   p = p_air + g ∫ ρ dz                                        (1)  hydrostatics
//! ```
//! # Symbols
//! The integral goes from the surface down to the port; 0 above water.
//!
//! # Frames
//! None.
//!
//! # Limits
//! No dynamic pressure from speed or waves, air pressure does not fall with height.
//!
//! # Checked by
//! test/analytic/position_sensors.rs, test/analytic/water_column.rs

use super::{Truth, noise};
use crate::environment::water_column;
use crate::math::rng::Draw;
use crate::scene::sensor::Errors;
use crate::state::SensorState;
use crate::state::reading::Pressure;

/// One sample [Pa].
pub fn measure(errors: &Errors, memory: &mut SensorState, truth: &Truth<'_>, draw: &mut Draw) -> Pressure {
    let sea = truth.at.sea;
    let p = sea.air_pressure + water_column::pressure(sea, truth.at.gravity, truth.p_WS); // (1)
    let on = memory.noise;
    Pressure {
        pressure: noise::scalar(errors, &mut memory.drift[0], p, on, draw),
        variance: errors.variance(),
    }
}
