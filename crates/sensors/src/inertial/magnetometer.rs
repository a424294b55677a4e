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

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use merrow_model::sensor::inertial::{Magnetometer, MagnetometerSpec};

impl Measure for MagnetometerSpec {
    /// Takes one sample of the field in S [T].
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Magnetometer> {
        let (errors, truth) = (&self.errors, sample.truth);
        let field = truth.R_WS.tr_mul_vec(truth.around.origin.magnetic_field); // (1)
        let field = sample.measure_vector(errors, 0, field);
        Some(Magnetometer {
            field,
            variances: errors.variances(field, sample.memory.samples),
        })
    }
}

faulty!(Magnetometer: field);
