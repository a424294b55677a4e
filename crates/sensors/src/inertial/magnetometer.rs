//! Magnetometer: magnetic field of the Earth at the world's origin, in the sensor frame.
//!
//! # Law
//! ```text
//!   b = R_SW B_W                                                (1)
//! ```
//! # Symbols
//! b measured field · B_W field of the World Magnetic Model at the origin, or that stated in the
//! world file.
//!
//! # Frames
//! S.
//!
//! # Limits
//! The field is uniform. Iron of the vehicle and thruster currents are not modelled.
//!
//! # Checked by
//! test/sensors/position_sensors.rs

use crate::{Truth, noise};
use merrow_math::rng::Draw;
use merrow_model::scene::sensor::Errors;
use merrow_model::state::SensorState;
use merrow_model::state::reading::Magnetometer;

/// Takes one sample of the field in S [T].
pub fn measure(
    errors: &Errors,
    memory: &mut SensorState,
    truth: &Truth<'_>,
    draw: &mut Draw,
) -> Magnetometer {
    let field = truth.R_WS.tr_mul_vec(truth.origin.magnetic_field); // (1)
    let on = memory.noise;
    Magnetometer {
        field: noise::measure_vector(errors, &mut memory.drift[..3], field, on, draw),
        variance: errors.variance(),
    }
}
