//! Tests of the beam patterns of sonars.

use merrow_model::sensor::sonar::Shading;
use merrow_sensors::sonar::beam::{aperture, pattern};

#[test]
fn lobes_and_nulls_match_closed_forms() {
    for (shading, null, side) in [
        (Shading::Uniform, 1.0, -13.26),
        (Shading::Cosine, 1.5, -23.0),
    ] {
        let a = aperture(0.02, shading);
        assert!((pattern(&a, 0.01) - 0.5).abs() < 1e-5 && pattern(&a, 0.0) == 1.0);
        let at = |u: f64| pattern(&a, (u / a.length).asin());
        assert!(at(null) < 1e-20);
        let highest = (1..1000)
            .map(|k| at(null + f64::from(k) * 1e-3))
            .fold(0.0, f64::max);
        assert!(
            (10.0 * highest.log10() - side).abs() < 0.05,
            "{}",
            10.0 * highest.log10()
        );
    }
}
