//! Dispatch of one sample to the law of the sensor.

use crate::{OnBoard, Truth, noise};
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::each_step_sensor;
use merrow_model::scene::{Sensor, SensorKind};
use merrow_model::sensor::{Errors, StepSensor};
use merrow_model::state::SensorState;
use merrow_model::state::reading::Reading;

/// Inputs of one sample, and the memory of its sensor.
#[derive(Debug)]
pub struct Sample<'a> {
    /// Sensor that takes the sample.
    pub sensor: &'a Sensor,
    /// Index of the sensor on its robot.
    pub index: usize,
    /// Ground truth at the sensor.
    pub truth: &'a Truth<'a>,
    /// State of its robot.
    pub on_board: &'a OnBoard<'a>,
    /// State of the sensor.
    pub memory: &'a mut SensorState,
    /// Random numbers of the sample.
    pub draw: Draw,
}

impl Sample<'_> {
    /// Returns the time between two samples [s], at the nominal rate.
    pub fn period(&self) -> f64 {
        1.0 / self.sensor.rate
    }

    /// Measures the scalar `x` in the unit of `errors`, as [`noise::measure_scalar`]; `channel` is its
    /// index in `SensorState::drift`.
    pub fn measure_scalar(&mut self, errors: &Errors, channel: usize, x: f64) -> f64 {
        let memory = &mut *self.memory;
        let drift = &mut memory.drift[channel];
        noise::measure_scalar(errors, drift, x, memory.noise, &mut self.draw)
    }

    /// Measures scalars with their errors; their indices are their channels.
    pub(crate) fn measure_scalars<const N: usize>(
        &mut self,
        errors: &[Errors; N],
        x: [f64; N],
    ) -> [f64; N] {
        std::array::from_fn(|k| self.measure_scalar(&errors[k], k, x[k]))
    }

    /// Measures the vector `x` in the unit of `errors`, as [`noise::measure_vector`]; `channel` is
    /// the first of its three indices in `SensorState::drift`.
    pub fn measure_vector(&mut self, errors: &Errors, channel: usize, x: Vec3) -> Vec3 {
        let memory = &mut *self.memory;
        let drift = &mut memory.drift[channel..channel + 3];
        noise::measure_vector(errors, drift, x, memory.noise, &mut self.draw)
    }
}

/// Law of a sensor that is evaluated in the step.
pub trait Measure: StepSensor {
    /// Takes one sample. Returns `None` if the instrument has no reading.
    fn measure(&self, sample: &mut Sample<'_>) -> Option<Self::Reading>;
}

/// Takes one sample of a sensor. Returns `None` if the sample is dropped.
pub(crate) fn take_sample(mut sample: Sample<'_>) -> Option<Reading> {
    let sensor = sample.sensor;
    let dropped = sensor.loss_probability > 0.0 && sample.draw.uniform() < sensor.loss_probability;
    // an instrument updates its state also for a dropped sample; a water sampler takes no bottle
    let properties = sensor.kind.properties();
    if dropped && properties.is_none_or(|own| own.skips_lost_samples) {
        return None;
    }
    macro_rules! measure_by_kind {
        ($(
            $(#[doc = $doc:literal])*
            $kind:ident($spec:ty) -> $reading:ty { $($properties:tt)* },
        )*) => {
            match &sensor.kind {
                $(SensorKind::$kind(spec) => spec.measure(&mut sample).map(Reading::from),)*
                // the exteroceptive sensor scheduler (`crates/sim/src/sensors/scheduler.rs`)
                // samples it
                SensorKind::Exteroceptive(_) => None,
            }
        };
    }
    let reading: Option<Reading> = each_step_sensor!(measure_by_kind);
    reading.filter(|_| !dropped)
}
