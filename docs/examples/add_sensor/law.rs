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

use crate::fault::Faulty;
use crate::measure::{Measure, Sample};
use crate::noise;
use merrow_math::rng::Draw;
use merrow_model::sensor::vehicle::{Inclination, InclinometerSpec};
use merrow_model::state::SensorState;

impl Measure for InclinometerSpec {
    /// Measures the inclination of the sensor at one instant.
    fn measure(
        &self,
        memory: &mut SensorState,
        sample: &Sample<'_>,
        draw: &mut Draw,
    ) -> Option<Inclination> {
        let angle = libm::acos(sample.truth.R_WS.r[2].z.clamp(-1.0, 1.0)); // (1)
        let on = memory.noise;
        let drift = &mut memory.drift[0];
        let angle = noise::measure_scalar(&self.errors, drift, angle, on, draw);
        Some(Inclination { angle })
    }
}

impl Faulty for Inclination {
    fn add_errors(&mut self, error: &mut dyn FnMut() -> f64) {
        self.angle += error();
    }
}
