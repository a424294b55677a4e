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
//! test/sensors/navigation/position_sensors.rs

use crate::fault::{Faulty, error_vector};
use crate::measure::{Measure, Sample};
use crate::noise;
use merrow_math::rng::Draw;
use merrow_model::sensor::inertial::Magnetometer;
use merrow_model::sensor::inertial::MagnetometerSpec;
use merrow_model::state::SensorState;

impl Measure for MagnetometerSpec {
    /// Takes one sample of the field in S [T].
    fn measure(
        &self,
        memory: &mut SensorState,
        sample: &Sample<'_>,
        draw: &mut Draw,
    ) -> Option<Magnetometer> {
        let (errors, truth) = (&self.errors, sample.truth);
        let field = truth.R_WS.tr_mul_vec(truth.origin.magnetic_field); // (1)
        let on = memory.noise;
        let field = noise::measure_vector(errors, &mut memory.drift[..3], field, on, draw);
        Some(Magnetometer {
            field,
            variances: errors.variances(field, memory.samples),
        })
    }
}

impl Faulty for Magnetometer {
    fn add_errors(&mut self, error: &mut dyn FnMut() -> f64) {
        self.field += error_vector(error);
    }
}
