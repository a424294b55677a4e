//! Tests of the echoes of targets that are smaller than the distance between the rays of a sonar.

use super::{BARE, absorption, beam, db, peak, ping, sphere, world};
use merrow_sensors::sonar::beam::pattern;

/// An imaging sonar with its default rays.
fn imaging() -> String {
    format!(
        "kind: imaging_sonar, sector_deg: 60, beams: 31, beam_width_deg: 4, elevation_width_deg: 20, \
         {BARE}, pulse_us: 1000, min_range_m: 1, max_range_m: 60, bins: 600"
    )
}

// The echo of a ball follows the sonar equation at any elevation in the beam, at any bearing and at
// any range, although the rays are 3.7 degrees apart in elevation. Method: the largest level of all
// beams against SL - 40 log r - 2 α r + TS + patterns, with TS of a Lambert sphere, 10 log(2 μ π
// r²/3), for balls of 0.3 m and 0.05 m radius. Tolerance: 3 dB; a peak between two beams loses up
// to 1 dB of it.
#[test]
fn balls_have_their_strength_at_any_elevation() {
    for (radius, r) in [(0.3, 15.0), (0.3, 40.0), (0.05, 10.0), (0.05, 25.0)] {
        for elevation in [-10.0_f64, -7.3, -3.5, -1.8, 0.0, 0.9, 1.83, 3.67, 5.5, 9.2] {
            for bearing in [0.0_f64, 0.5, 14.3] {
                let ((se, ce), (sb, cb)) = (
                    elevation.to_radians().sin_cos(),
                    bearing.to_radians().sin_cos(),
                );
                let rest = sphere(r * ce * cb, -r * ce * sb, -50.0 + r * se, radius);
                let (spec, ping) = ping(&world(50.0, &imaging(), &rest));
                let found = (0..spec.steering.len())
                    .map(|b| peak(&beam(&spec, &ping, b)).1)
                    .fold(f64::MIN, f64::max);
                let mu = 10.0_f64.powf(-2.7);
                let strength = db(2.0 * mu * std::f64::consts::PI * radius * radius / 3.0);
                let along: f64 = spec
                    .along
                    .iter()
                    .map(|a| db(pattern(a, elevation.to_radians())))
                    .sum();
                let near = r - 0.5 * radius;
                let expected = 210.0 - 40.0 * near.log10() - 2.0 * absorption(400.0, 50.0) * near
                    + strength
                    + along;
                assert!(
                    (found - expected).abs() < 3.0,
                    "radius {radius} m at {r} m, {elevation} deg up, {bearing} deg: {found:.2} instead of {expected:.2} dB"
                );
            }
        }
    }
}

// The shadow and the echo of a large target do not change where a small target is added next to it.
// Method: levels of a wall 20 m ahead at bearings on one side, with and without a ball at 8 m on
// the other side. Tolerance: one count, 0.003 dB.
#[test]
fn small_targets_have_no_effect_on_others() {
    let wall = "structures:\n  wall: {position_m: [20, 0, -50], shapes: {s: {kind: box, size_m: [1, 60, 40]}}}\n";
    let ball =
        "  ball: {position_m: [7.5, -2.5, -50], shapes: {s: {kind: sphere, radius_m: 0.2}}}\n";
    let (spec, alone) = ping(&world(50.0, &imaging(), wall));
    let (_, both) = ping(&world(50.0, &imaging(), &format!("{wall}{ball}")));
    let port: Vec<usize> = (0..spec.steering.len())
        .filter(|b| spec.steering[*b] < -0.2)
        .collect();
    assert!(port.len() > 5);
    for b in port {
        let [a, b] = [&alone, &both].map(|ping| beam(&spec, ping, b));
        let (k, level) = peak(&a);
        assert!((level - b[k]).abs() < 0.2, "{level} {}", b[k]);
    }
}
