//! Inclinometer: angle between the z axis of the sensor and the vertical.
//!
//! # Law
//! ```text
//!   θ = acos(ẑ_S · ẑ_W)                                           (1)
//! ```
//! # Symbols
//! θ angle [rad] · ẑ_S, ẑ_W z axes of the sensor and of the world.
//!
//! # Limits
//! Accelerations do not disturb the reading.
//!
//! # Checked by
//! test/docs.rs

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use merrow_model::sensor::vehicle::{Inclination, InclinometerSpec};

impl Measure for InclinometerSpec {
    /// Measures the inclination of the sensor at one instant.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Inclination> {
        let angle = libm::acos(sample.truth.R_WS.r[2].z.clamp(-1.0, 1.0)); // (1)
        let angle = sample.measure_scalar(&self.errors, 0, angle);
        Some(Inclination { angle })
    }
}

faulty!(Inclination: angle);
