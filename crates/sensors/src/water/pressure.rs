//! Absolute pressure sensor in water or air.
//!
//! # Law
//! ```text
//!   p = p_air + g ∫ ρ dz + ρ g h  (1)  `crates/environment/src/hydrostatics.rs`
//!   z = z_s - (p - p_air)/γ       (2)  height in W, by the driver of the device
//! ```
//! # Symbols
//! The integral extends from the datum down to the port · g gravity · ρ density of the water · h
//! head of level and waves [m] · p_air pressure of the air at the surface · z_s mean level of the
//! water · γ mean weight density of the water between the surface and the port.
//!
//! # Frames
//! Heights in W.
//!
//! # Limits
//! Dynamic pressure of the motion is not modelled. The driver of (2) is taken to receive level, air
//! pressure and density of the water in which it is, as from a tide gauge, a barometer and a CTD;
//! waves it does not receive.
//!
//! # Checked by
//! test/sensors/navigation/position_sensors.rs, test/sensors/navigation/pressure_height.rs,
//! test/analytic/environment/water_column.rs, test/analytic/bodies/floating.rs,
//! test/sensors/instruments/air_sensors.rs

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use merrow_environment::hydrostatics;
use merrow_model::sensor::Errors;
use merrow_model::sensor::water::{Pressure, PressureSpec};

impl Measure for PressureSpec {
    /// Takes one sample [Pa].
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Pressure> {
        let truth = sample.truth;
        let p = truth.around.environment.absolute_pressure(truth.p_WS);
        Some(measure_pressure(&self.errors, p, sample))
    }
}

/// Measures the pressure `p` [Pa] with `errors` at the sensor.
pub(crate) fn measure_pressure(errors: &Errors, p: f64, sample: &mut Sample<'_>) -> Pressure {
    let (p_WS, around) = (sample.truth.p_WS, sample.truth.around.environment);
    let pressure = sample.measure_scalar(errors, 0, p);
    Pressure {
        pressure,
        variance: errors.variance(pressure, sample.memory.samples),
        water: hydrostatics::water_at_rest(around.sea, around.gravity, p_WS, around.time, pressure),
    }
}

faulty!(Pressure: pressure);
