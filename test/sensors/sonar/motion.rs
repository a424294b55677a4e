//! Tests of sonars that move during reception: range, bearing and level use the pose at the arrival
//! of an echo.

use super::{BARE, beam, peak, ping, sphere, world};
use crate::common::within;
use merrow_math::{SpatialVelocity, Vec3};
use merrow_sensors::sonar::echoes::AcousticPath;
use merrow_sensors::sonar::motion::SonarMotion;

/// Returns the world with a sonar on a floating robot that starts with the motion `motion`.
fn moving_sonar(device: &str, motion: &str, rest: &str) -> String {
    world(400.0, device, rest)
        .replace("base: fixed", "base: floating")
        .replace(
            "position_m: [0, 0, -400]",
            &format!("position_m: [0, 0, -400]\n    {motion}"),
        )
        .replace("step:", "gravity_m_s2: 0\nstep:")
}

// An echo is received at the pose of the sonar at arrival. Method: a sonar that approaches a ball
// 80 m ahead at 12 m/s, and one that recedes: r c/(c + v). Tolerance: 5 cm, a bin and a half; the
// difference is 0.63 m in either case.
#[test]
fn ranges_use_the_pose_at_arrival() {
    let device = format!(
        "kind: imaging_sonar, sector_deg: 10, beams: 3, beam_width_deg: 6, elevation_width_deg: 6, rays: [150, 150], pulse_us: 40, max_range_m: 90, bins: 3000, {BARE}"
    );
    let first = |motion: &str| {
        let (spec, ping) = ping(&moving_sonar(
            &device,
            motion,
            &sphere(80.5, 0.0, -400.0, 0.5),
        ));
        let levels = beam(&spec, &ping, 1);
        let most = peak(&levels).1;
        spec.range(levels.iter().position(|l| *l > most - 6.0).unwrap())
    };
    let still = first("velocity_m_s: [0, 0, 0]");
    within("still", still, 80.0, 0.1);
    for v in [12.0, -12.0] {
        let found = first(&format!("velocity_m_s: [{v}, 0, 0]"));
        within(
            "moving",
            found - still,
            80.0 * (1500.0 / (1500.0 + v) - 1.0),
            0.05,
        );
    }
}

// A sonar that turns to port receives an echo from ahead on the starboard side, and more so from
// farther away. Method: balls 20 and 60 m ahead, 1 rad/s: 2 ω r/c, 1.53 and 4.58 degrees.
// Tolerance: 0.15 degrees; level within 0.9 dB of that at rest.
#[test]
fn bearings_use_the_pose_at_arrival() {
    let device = format!(
        "kind: imaging_sonar, sector_deg: 30, beams: 241, beam_width_deg: 1.5, elevation_width_deg: 4, rays: [900, 60], pulse_us: 400, max_range_m: 70, bins: 350, {BARE}"
    );
    for r in [20.0, 60.0] {
        let of = |rate: f64| {
            let text = moving_sonar(
                &device,
                &format!("angular_velocity_rad_s: [0, 0, {rate}]"),
                &sphere(r, 0.0, -400.0, 0.3),
            );
            let (spec, ping) = ping(&text);
            let k = ((r - 0.2 - spec.sonar.min_range_m) / spec.bin()) as usize;
            let row: Vec<f64> = (0..241).map(|b| beam(&spec, &ping, b)[k]).collect();
            let (_, most) = peak(&row);
            // The centre of the beams within 6 dB.
            let good: Vec<usize> = (0..241).filter(|b| row[*b] > most - 6.0).collect();
            (
                0.5 * (spec.steering[good[0]] + spec.steering[good[good.len() - 1]]),
                most,
            )
        };
        let (still, turning) = (of(0.0), of(1.0));
        within("still", still.0.to_degrees(), 0.0, 0.15);
        within(
            "turning",
            (turning.0 - still.0).to_degrees(),
            (2.0 * (r - 0.2) / 1500.0).to_degrees(),
            0.15,
        );
        within("level", turning.1, still.1, 0.9);
    }
}

// A turning side-scan sonar loses level because its receive beam has left the insonified direction.
// Method: a ball 130 m to starboard, beams of 1 degree, 5 degrees per second: the receiver has
// turned by 0.87 degrees, and b(2 ω r/c) remains. Tolerance: 0.3 dB.
#[test]
fn turning_side_scan_loses_level() {
    let bare = BARE
        .replace("frequency_khz: 400", "frequency_khz: 100")
        .replace("source_level_db: 210", "source_level_db: 225");
    let device = format!(
        "kind: side_scan, beam_width_deg: 1, across_width_deg: 50, depression_deg: 0, rays: [4000, 101], pulse_us: 1000, max_range_m: 150, bins: 1500, {bare}"
    );
    let of = |rate: f64| {
        let text = moving_sonar(
            &device,
            &format!("angular_velocity_rad_s: [0, 0, {rate}]"),
            &sphere(0.0, -130.0, -400.0, 0.2),
        );
        let (spec, ping) = ping(&text);
        let (k, most) = peak(&beam(&spec, &ping, 1));
        assert!((spec.range(k) - 130.0).abs() < 1.0);
        (spec, most)
    };
    let ((spec, still), (_, turning)) = (of(0.0), of(5_f64.to_radians()));
    let angle = 5_f64.to_radians() * 2.0 * 129.9 / 1500.0;
    let b = merrow_sensors::sonar::beam::pattern(&spec.along[0], angle);
    assert!(b < 0.2, "{b}");
    within("level", turning - still, 10.0 * b.log10(), 0.3);
}

fn motion(v: Vec3, w: Vec3) -> SonarMotion {
    SonarMotion::new(&SpatialVelocity { w, v }).unwrap()
}

// Head-on the range is r c/(c + v); across, the closed-form solution of the quadratic equation.
#[test]
fn moving_sonar_ranges_match_closed_forms() {
    let path = AcousticPath {
        r: 90.0,
        apparent_length: 90.0,
        loss: 0.0,
    };
    let x = Vec3::new(1.0, 0.0, 0.0);
    for v in [-12.0, 3.0, 15.0] {
        let (range, d) = motion(x.scale(v), Vec3::zero()).arrival(x, 90.0, &path, 1500.0);
        assert!(
            (range - 90.0 * 1500.0 / (1500.0 + v)).abs() < 1e-4 && (d - x).norm() < 1e-12,
            "{range}"
        );
        // c t - r = √(r² + v² t²)
        let across = motion(Vec3::new(0.0, v, 0.0), Vec3::zero());
        let t = 2.0 * 90.0 * 1500.0 / (1500.0 * 1500.0 - v * v);
        let (range, d) = across.arrival(x, 90.0, &path, 1500.0);
        assert!(
            (range - 750.0 * t).abs() < 1e-4 && (d.y / d.x + v * t / 90.0).abs() < 1e-6,
            "{range} {d:?}"
        );
    }
    assert_eq!(
        SonarMotion::new(&SpatialVelocity {
            w: Vec3::zero(),
            v: Vec3::zero()
        }),
        None
    );
}

#[test]
fn turn_to_port_moves_echoes_to_starboard() {
    let path = AcousticPath {
        r: 75.0,
        apparent_length: 75.0,
        loss: 0.0,
    };
    let turning = motion(Vec3::zero(), Vec3::new(0.0, 0.0, 0.5));
    let (range, d) = turning.arrival(Vec3::new(1.0, 0.0, 0.0), 75.0, &path, 1500.0);
    assert!(
        (range - 75.0).abs() < 1e-12 && (libm::atan2(d.y, d.x) + 0.05).abs() < 1e-12,
        "{d:?}"
    );
}
