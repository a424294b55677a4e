//! Probes of one water quantity: thermometers, sound velocity probes, turbidity meters,
//! fluorometers.
//!
//! # Law
//! ```text
//!   y = clip(N(L(x)))                                             (1)
//! ```
//! # Symbols
//! x quantity at the probe · y reading · L lag (`lag.rs`) · N noise and resolution (`noise.rs`);
//! readings with a magnitude below the detection limit are 0; clip limits to the measuring range of
//! the device.
//!
//! # Limits
//! The probe measures the value at one point and one instant. In air a thermometer measures the
//! temperature of the air, salinity and tracers are 0, and density and speed of sound are NaN.
//!
//! # Checked by
//! test/sensors/instruments/probe.rs

use crate::fault::faulty;
use crate::measure::{Measure, Sample};
use crate::{Truth, lag};
use merrow_environment::{air, water_column};
use merrow_model::sensor::water::{Probe, ProbeSpec, Quantity};

impl Measure for ProbeSpec {
    /// Takes one sample of the quantity of the probe, in its unit.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Probe> {
        let (spec, truth) = (self, sample.truth);
        let mut x = true_quantity(spec.quantity, truth);
        if spec.keys.response_s > 0.0 {
            [x, ..] = lag::first_order_lag(
                &mut sample.memory.lag,
                truth.around.environment.time,
                [x, 0.0, 0.0],
                [spec.keys.response_s, 0.0, 0.0],
            );
        }
        let y = sample.measure_scalar(&spec.errors, 0, x);
        let y = if y.abs() < spec.keys.detection_limit {
            0.0
        } else {
            y
        };
        let [low, high] = spec
            .keys
            .range
            .unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let value = y.clamp(low, high); // (1)
        Some(Probe {
            value,
            variance: spec.errors.variance(value, sample.memory.samples),
        })
    }
}

faulty!(Probe: value);

/// Returns the true value of a quantity at the sensor, in its unit.
pub(crate) fn true_quantity(quantity: Quantity, truth: &Truth<'_>) -> f64 {
    let (at, p) = (truth.around.environment, truth.p_WS);
    let (sea, t) = (at.sea, at.time);
    if is_above_water(truth) {
        return match quantity {
            Quantity::Temperature => air::temperature(air::weather(&sea.air, t).temperature_c, p.z),
            Quantity::Density | Quantity::SoundSpeed => f64::NAN,
            Quantity::Salinity | Quantity::Tracer(_) => 0.0,
        };
    }
    match quantity {
        Quantity::Temperature => at.temperature(p),
        Quantity::Salinity => at.salinity(p),
        Quantity::Density => water_column::density(sea, at.gravity, || p, t),
        Quantity::SoundSpeed => at.sound_speed(p),
        Quantity::Tracer(k) => water_column::tracer_value(&sea.tracers[k], p, t),
    }
}

/// Returns true if the sensor is above the water surface.
pub(crate) fn is_above_water(truth: &Truth<'_>) -> bool {
    truth.around.environment.height_above_surface(truth.p_WS) > 0.0
}
