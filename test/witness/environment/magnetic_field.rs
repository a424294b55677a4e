//! Tests the magnetic field of the Earth against the official test values of the World Magnetic
//! Model 2025.

use crate::common::scene;
use merrow_environment::magnetic_field::magnetic_field;
use merrow_world::{Overrides, load_text};
use merrow_yaml::error::Problem;

/// Returns the Unix time [s] of a decimal year from 2025 on.
fn utc(year: f64) -> f64 {
    1_735_689_600.0 + (year - 2025.0) * 365.25 * 86_400.0
}

// Position, height and date enter the field as in the official software. Method: the north, east
// and down components at the 100 points of `test/data/wmm2025_test_values.txt`. Tolerance: 1e-3 nT;
// the coefficients are rounded to 0.1 nT.
#[test]
fn official_test_values_are_met() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/test/data/wmm2025_test_values.txt"
    );
    let text = std::fs::read_to_string(path).expect("the test values");
    let mut points = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let row: Vec<f64> = line
            .split_whitespace()
            .map(|w| w.parse().expect(line))
            .collect();
        let (latitude, longitude) = (row[2].to_radians(), row[3].to_radians());
        let B = magnetic_field(latitude, longitude, row[1] * 1e3, utc(row[0]));
        let expected = [row[8], row[7], -row[9]];
        for (component, expected) in [B.x, B.y, B.z].into_iter().zip(expected) {
            assert!((component * 1e9 - expected).abs() < 1e-3, "{B:?} at {line}");
        }
        points += 1;
    }
    assert_eq!(points, 100);
}

// A world has the field at its origin and start time. Method: two dates and the default date,
// compared with the law.
#[test]
fn worlds_use_their_start_time() {
    let field = |weather: &str| {
        let origin = "origin: {latitude_deg: 59, longitude_deg: 10.5, altitude_m: 40}";
        scene(&format!("{origin}\n{weather}\nrobots: {{}}\n")).origin
    };
    let law = |utc| magnetic_field(59_f64.to_radians(), 10.5_f64.to_radians(), 40.0, utc);
    let old = field("weather: {start_utc: '2025-01-01T00:00:00Z'}").magnetic_field;
    let new = field("weather: {start_utc: '2029-01-01T00:00:00Z'}").magnetic_field;
    assert_eq!(old, law(1_735_689_600.0));
    assert_eq!(new, law(1_861_920_000.0));
    assert!(
        (new - old).norm() > 50e-9,
        "secular variation: {old:?}, {new:?}"
    );
    let default = scene("origin: {latitude_deg: 59, longitude_deg: 10.5}\nrobots: {}\n");
    let start_utc = default.sea.air.start_utc;
    assert!((start_utc - 1_774_008_000.0).abs() < 86_400.0);
    let expected = magnetic_field(59_f64.to_radians(), 10.5_f64.to_radians(), 0.0, start_utc);
    assert_eq!(default.origin.magnetic_field, expected);
}

// A date outside the validity of the model causes a note, but only if a sensor measures the field
// and the world does not give it. Method: worlds with a robot that has a magnetometer, and without
// robots.
#[test]
fn dates_outside_the_validity_are_noted() {
    let notes = |origin: &str, robots: &str| {
        let text = format!(
            "weather: {{start_utc: '2035-01-01T00:00:00Z'}}\n{origin}\nrobots: {{{robots}}}\n"
        );
        let world = load_text("w.yaml", &text, Overrides::default());
        let world = world.unwrap_or_else(|problems| panic!("{problems}"));
        let about_the_field = |n: &&Problem| n.text.contains("World Magnetic Model");
        world.notes.iter().filter(about_the_field).count()
    };
    let robot = "r: {model: bluerov2}";
    assert_eq!(notes("", robot), 1);
    assert_eq!(notes("origin: {magnetic_field_nt: [0, 2, 3]}", robot), 0);
    assert_eq!(notes("", ""), 0);
}
