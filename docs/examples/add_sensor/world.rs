use merrow_model::sensor::vehicle::InclinometerSpec;

spec! {
    /// An inclinometer.
    pub struct InclinometerConfig {
        /// Errors of the angle [rad].
        errors: NoiseConfig => "{}",
    }
}

impl BuildSensor for InclinometerConfig {
    fn build(&self, about: &SensorContext<'_>, _: &mut Problems) -> SensorKind {
        SensorKind::Inclinometer(InclinometerSpec {
            errors: about.errors(&self.errors, "angle"),
        })
    }
}
