//! Magnetometer: the Earth's field at the world's origin, in the sensor's frame.
//!
//! # Law
//! ```text
//!   b = R_SW B_W                                                (1)
//! ```
//! # Symbols
//! B_W from the World Magnetic Model at the origin, or as the world file says.
//!
//! # Frames
//! S.
//!
//! # Limits
//! Uniform field; no iron of the vehicle, no thruster currents.
//!
//! # Checked by
//! test/analytic/position_sensors.rs

use crate::{Truth, noise};
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::Errors;
use merrow_model::state::SensorState;
use merrow_model::state::reading::Magnetometer;

/// One sample [T].
pub fn measure(
    errors: &Errors,
    memory: &mut SensorState,
    truth: &Truth<'_>,
    draw: &mut Draw,
) -> Magnetometer {
    let field = truth.R_WS.tr_mul_vec(truth.origin.magnetic_field); // (1)
    let on = memory.noise;
    Magnetometer {
        field: noise::vector(errors, &mut memory.drift[..3], field, on, draw),
        variance: errors.variance(),
    }
}
