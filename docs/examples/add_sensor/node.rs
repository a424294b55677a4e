use merrow_model::sensor::vehicle::{Inclination, InclinometerSpec};

impl Publish for InclinometerSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        vec![Topic::of_reading::<Self, _>("/angle", |s| {
            Some(Float64 { data: s.data.angle })
        })]
    }
}

impl Curves for Inclination {
    fn axes(&self) -> Vec<Axis> {
        vec![("angle [rad]".into(), single_curve("", self.angle))]
    }
}
