use merrow_model::sensor::vehicle::InclinometerSpec;

spec! {
    /// Keys of an inclinometer.
    pub struct InclinometerConfig {
        /// Errors of the angle [rad].
        errors: Noise => "{}",
    }
}

impl BuildSensor for InclinometerConfig {
    fn build(&self, context: &SensorContext<'_>, _: &mut Problems) -> SensorKind {
        SensorKind::Inclinometer(InclinometerSpec {
            errors: context.errors(&self.errors, "angle"),
        })
    }
}
