use merrow_model::sensor::vehicle::{Inclination, InclinometerSpec};

publish! {
    InclinometerSpec {
        "/angle" => |s| Float64 { data: s.data.angle };
    }
}

curves! {
    Inclination, |r| {
        "angle [rad]" => r.angle;
    }
}
