use merrow_model::sensor::vehicle::{InclinometerKeys, InclinometerSpec};

impl BuildSensor for InclinometerKeys {
    type Spec = InclinometerSpec;

    fn build(&self, cx: &SensorContext<'_>) -> InclinometerSpec {
        InclinometerSpec::new(self, |noise, channel| cx.errors(noise, channel))
    }
}
