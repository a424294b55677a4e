//! Barometer: pressure of the air.
//!
//! # Law
//! ```text
//!   p = p_0 (T/T_0)^(g/(R L))  (1)  [ISO 2533-1975], `crates/environment/src/air/mod.rs`
//! ```
//! # Symbols
//! p_0, T_0 pressure and temperature of the air at sea level · T temperature of the air · g gravity
//! · R gas constant of the air · L = 6.5 K/km; evaluated at the height of the sensor over z = 0.
//!
//! # Limits
//! The port is open to its surroundings. Under water it measures the pressure of air and water, and
//! saturates at the end of its range from a depth of some metres. Neither wind nor waves change the
//! pressure at the port in the air.
//!
//! # Checked by
//! test/sensors/instruments/air_sensors.rs

use crate::measure::{Measure, Sample};
use crate::water::pressure;
use merrow_model::sensor::vehicle::BarometerSpec;
use merrow_model::sensor::water::Pressure;

impl Measure for BarometerSpec {
    /// Takes one sample [Pa], limited to the range of the device.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Pressure> {
        let truth = sample.truth;
        let range = self.keys.range_pa.unwrap_or([0.0, f64::INFINITY]);
        let p = truth.around.environment.absolute_pressure(truth.p_WS); // (1)
        let mut reading = pressure::measure_pressure(&self.errors, p, sample);
        reading.pressure = reading.pressure.clamp(range[0], range[1]);
        Some(reading)
    }
}
