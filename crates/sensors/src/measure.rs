//! Dispatch of one sample to the law of the sensor.

use crate::gnss::interference::{Interference, interference_at};
use crate::{OnBoard, Truth};
use merrow_math::rng::Draw;
use merrow_model::each_step_sensor;
use merrow_model::scene::{Sensor, SensorKind};
use merrow_model::sensor::StepSensor;
use merrow_model::state::SensorState;
use merrow_model::state::reading::Reading;

/// Inputs of one sample.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// Sensor that takes the sample.
    pub sensor: &'a Sensor,
    /// Index of the sensor on its robot.
    pub index: usize,
    /// Ground truth at the sensor.
    pub truth: &'a Truth<'a>,
    /// State of its robot.
    pub(crate) on_board: &'a OnBoard<'a>,
}

impl Sample<'_> {
    /// Returns the time between two samples [s], at the nominal rate.
    pub fn period(&self) -> f64 {
        1.0 / self.sensor.rate
    }

    /// Returns the radio interference of a GNSS receiver.
    pub(crate) fn interference(&self) -> Interference {
        let on_board = self.on_board;
        interference_at(
            on_board.faults,
            self.index,
            self.truth.p_WS,
            on_board.now_ns,
        )
    }
}

/// Law of a sensor that is evaluated in the step.
pub trait Measure: StepSensor {
    /// Takes one sample. `draw` is the random number stream of the sample. Returns `None` if the
    /// instrument has no reading.
    fn measure(
        &self,
        memory: &mut SensorState,
        sample: &Sample<'_>,
        draw: &mut Draw,
    ) -> Option<Self::Reading>;
}

/// Takes one sample of a sensor. Returns `None` if the sample is dropped.
pub(crate) fn take_sample(memory: &mut SensorState, sample: &Sample<'_>) -> Option<Reading> {
    let sensor = sample.sensor;
    // draw 0 made the fixed errors of the instrument
    let mut draw = sensor.stream.draw(memory.samples + 1);
    let dropped = sensor.loss_probability > 0.0 && draw.uniform() < sensor.loss_probability;
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
                $(SensorKind::$kind(spec) => spec.measure(memory, sample, &mut draw).map(Reading::from),)*
                // the exteroceptive sensor scheduler (`crates/sim/src/sensors/scheduler.rs`)
                // samples it
                SensorKind::Exteroceptive(_) => None,
            }
        };
    }
    let reading: Option<Reading> = each_step_sensor!(measure_by_kind);
    reading.filter(|_| !dropped)
}
