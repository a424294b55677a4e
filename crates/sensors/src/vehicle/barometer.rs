//! Barometer: the pressure of the air.
//!
//! # Law
//! ```text
//!   p = p_0 (T/T_0)^(g/(R L))                                     (1)  [ISO 2533-1975], `environment/air`
//! ```
//! # Symbols
//! p_0, T_0 pressure and temperature of the air at sea level, L = 6.5 K/km; at the height of the sensor over z = 0.
//!
//! # Frames
//! None.
//!
//! # Limits
//! Its port is open to what is about it: under water it has the pressure of air and water, and stands at the end of its range from some metres on. Neither wind nor waves
//! press on the port in the air.
//!
//! # Checked by
//! test/analytic/air_sensors.rs

use crate::water::pressure;
use crate::{Truth, noise};
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::Errors;
use merrow_model::state::SensorState;
use merrow_model::state::reading::Pressure;

/// One sample [Pa] of a device with the range `range`.
pub fn measure(
    errors: &Errors,
    range: [f64; 2],
    memory: &mut SensorState,
    truth: &Truth<'_>,
    draw: &mut Draw,
) -> Pressure {
    let p = noise::scalar(
        errors,
        &mut memory.drift[0],
        pressure::at(truth),
        memory.noise,
        draw,
    ); // (1)
    Pressure {
        pressure: p.clamp(range[0], range[1]),
        variance: errors.variance(),
    }
}
