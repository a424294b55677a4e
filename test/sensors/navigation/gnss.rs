//! Tests of GNSS receivers: velocity, satellite visibility, multipath, jamming, spoofing and
//! two-antenna heading.

use crate::common::turntable::{ball, set_motion, set_pose, statistics};
use crate::common::{close, close_vectors, readings, relative, simulation};
use merrow_environment::geodesy;
use merrow_math::Vec3;
use merrow_math::ellipsoid::{axes, ecef};
use merrow_model::scene::SensorKind;
use merrow_model::sensor::gnss::{Augmentation, Gnss, Heading, SatelliteConstellation};
use merrow_model::state::reading::Reading;
use merrow_sensors::fault::Faulty;
use merrow_sensors::gnss::visibility::dilution;
use merrow_sim::Simulation;

/// Returns the world with a weightless ball that carries one sensor and stays at its position, in
/// and above the water; `top` holds further keys of the world.
fn world(top: &str, device: &str, place: &str) -> Simulation {
    let top = format!("gravity_m_s2: 0\nstep: {{dt_s: 0.1}}\n{top}");
    let sensor =
        format!("g: {{device: {{source: test, rate_hz: 1, {device}}}, position_m: {place}}}");
    simulation(&ball(&top, "", &sensor).replace(", net_buoyancy_n: 0", ""))
}

fn fixes(s: &mut Simulation, seconds: f64) -> Vec<Gnss> {
    let one = |r: &Reading| {
        if let Reading::Gnss(g) = r {
            *g
        } else {
            panic!("not a GNSS")
        }
    };
    readings(s, 0, seconds)
        .iter()
        .map(|r| one(&r.reading))
        .collect()
}

fn headings(s: &mut Simulation, seconds: f64) -> Vec<Heading> {
    let one = |r: &Reading| {
        if let Reading::Heading(h) = r {
            *h
        } else {
            panic!("not a heading")
        }
    };
    readings(s, 0, seconds)
        .iter()
        .map(|r| one(&r.reading))
        .collect()
}

/// Returns the position of a fix in the world frame [m].
fn to_world(s: &Simulation, g: &Gnss) -> Vec3 {
    let [lat, lon, h] = g.position;
    geodesy::world_from_ecef(&s.scene.origin, geodesy::ecef(lat, lon, h))
}

const EXACT: &str = "kind: gnss, horizontal_std_m: 0, vertical_std_m: 0, velocity_std_m_s: [0, 0]";

// A receiver measures the velocity of its antenna along east, north and up. Method: a ball that
// translates and rotates, compared with hand calculation; then the noise of 20 000 fixes.
// Tolerance: rounding; 4 standard errors, 2 %.
#[test]
fn velocity_is_measured_at_the_antenna() {
    let mut s = world("", EXACT, "[0, 2, 1]");
    let quarter = std::f64::consts::FRAC_PI_2;
    set_motion(
        &mut s,
        Vec3::new(0.0, 0.0, 5.0),
        [0.0, 0.0, quarter],
        Vec3::new(3.0, 0.0, 0.0),
        Vec3::new(0.0, 0.0, 0.5),
    );
    s.clear_outboxes();
    s.advance(1);
    let Reading::Gnss(g) = s.runners[0].outbox[0].stamped.reading else {
        panic!("not a GNSS")
    };
    // The robot heads north; the antenna on the port side moves backwards by half its distance per
    // second.
    close_vectors(
        "velocity",
        g.velocity,
        Vec3::new(0.0, 3.0 - 1.0, 0.0),
        1e-12,
    );
    let noisy = EXACT.replace("[0, 0]", "[0.1, 0.3]");
    let mut s = world("", &noisy, "[0, 0, 0]");
    set_pose(&mut s, Vec3::new(0.0, 0.0, 5.0), [0.3, 0.2, 0.1]);
    let all = fixes(&mut s, 20_000.0);
    for (axis, std) in [0.1, 0.1, 0.3].into_iter().enumerate() {
        let x: Vec<f64> = all.iter().map(|g| g.velocity[axis]).collect();
        relative("noise", statistics(&x).1, std, 0.02);
        close(
            "variance",
            all[0].velocity_variances[axis],
            std * std,
            1e-12,
        );
    }
    let mut s = world(
        "",
        "kind: gnss, horizontal_std_m: 0, vertical_std_m: 0",
        "[0, 0, 0]",
    );
    set_pose(&mut s, Vec3::new(0.0, 0.0, 5.0), [0.0; 3]);
    assert!(
        fixes(&mut s, 2.0)
            .iter()
            .all(|g| g.fix && g.velocity.x.is_nan())
    );
}

/// A long wall east of the origin, and a shaft that hides the whole sky.
const WALL: &str = "structures: {wall: {position_m: [3, 0, 0], shapes: {w: {kind: box, size_m: [2, 4000, 4000]}}}}";
const SHAFT: &str = "structures: {lid: {position_m: [0, 0, 20], shapes: {w: {kind: box, size_m: [4000, 4000, 2]}}}}";

fn sky(s: &Simulation) -> SatelliteConstellation {
    let SensorKind::Gnss(spec) = &s.scene.robots[0].sensors[0].kind else {
        panic!("not a GNSS")
    };
    spec.constellation.clone().expect("a sky")
}

// Satellites hidden by structures are not used; the errors of position and velocity scale with the
// dilution of the remaining satellites, and the receiver reports it. Method: under an open sky,
// west of a wall that hides every satellite with an eastern component, and under a lid; 20 000
// fixes each. Tolerance: 4 standard errors, 2 %.
#[test]
fn hidden_satellites_increase_the_dilution() {
    let device = "kind: gnss, horizontal_std_m: 2, vertical_std_m: 3, velocity_std_m_s: [0.1, 0.1], sky: {water_multipath_height_m: 0}";
    let middle = Vec3::new(0.0, 0.0, 5.0);
    let run = |top: &str| {
        let mut s = world(top, device, "[0, 0, 0]");
        set_pose(&mut s, middle, [0.0; 3]);
        let all = fixes(&mut s, 20_000.0);
        (s, all)
    };
    let (s, open) = run("");
    assert_eq!(open[0].satellites, Some(20));
    assert_eq!(open[0].dilution, Some(sky(&s).dilution));
    let check = |s: &Simulation, all: &[Gnss], expected: [f64; 3]| {
        for axis in 0..3 {
            let x: Vec<f64> = all.iter().map(|g| to_world(s, g)[axis]).collect();
            relative("position", statistics(&x).1, expected[axis], 0.025);
            relative(
                "variance",
                all[0].variances[axis].sqrt(),
                expected[axis],
                1e-9,
            );
        }
    };
    check(&s, &open, [2.0, 2.0, 3.0]);
    let (s, wall) = run(WALL);
    let sky = sky(&s);
    // The ray hits the wall unless the distance to its face, 2 m east, exceeds the height or length
    // of the wall.
    let seen: Vec<Vec3> = sky
        .satellites
        .iter()
        .copied()
        .filter(|d| d.x <= 1e-3)
        .collect();
    assert_eq!(wall[0].satellites, Some(seen.len()));
    assert!((6..16).contains(&seen.len()), "{}", seen.len());
    let [h, v] = merrow_sensors::gnss::visibility::dilution(seen.into_iter()).expect("a fix");
    assert!(h > 1.2 * sky.dilution[0], "{h}");
    assert_eq!(wall[0].dilution, Some([h, v]));
    check(
        &s,
        &wall,
        [
            2.0 * h / sky.dilution[0],
            2.0 * h / sky.dilution[0],
            3.0 * v / sky.dilution[1],
        ],
    );
    let (_, lid) = run(SHAFT);
    assert!(lid.iter().all(|g| !g.fix
        && g.position[0].is_nan()
        && g.satellites == Some(0)
        && g.dilution.is_none()));
}

// Multipath errors follow the hidden fraction of the sky and the distance to the water, are
// correlated in time, and are part of the covariance. Method: 20 000 fixes next to a wall high
// above the water, and 0.5 m above open water. Tolerance: with a correlation time of 3 s about 3300
// independent fixes: 5 %; 0.05 for the correlation.
#[test]
fn multipath_errors_are_correlated_in_time() {
    let device = "kind: gnss, horizontal_std_m: 0, vertical_std_m: 0, sky: {multipath_std_m: 4, multipath_correlation_time_s: 3, water_multipath_height_m: 0.7}";
    for (top, z) in [(WALL, 300.0), ("", 0.5)] {
        let mut s = world(top, device, "[0, 0, 0]");
        set_pose(&mut s, Vec3::new(0.0, 0.0, z), [0.0; 3]);
        let all = fixes(&mut s, 20_000.0);
        let sky = sky(&s);
        let seen = all[0].satellites.expect("a sky");
        let used = sky
            .satellites
            .iter()
            .copied()
            .filter(|d| top.is_empty() || d.x <= 1e-3);
        let [h, v] = merrow_sensors::gnss::visibility::dilution(used).expect("a fix");
        let share = (1.0 - seen as f64 / 20.0 + (-z / 0.7).exp()).sqrt();
        assert!(share > 0.5, "{share}");
        for (axis, dilution) in [h / 2.0_f64.sqrt(), h / 2.0_f64.sqrt(), v]
            .into_iter()
            .enumerate()
        {
            let x: Vec<f64> = all.iter().map(|g| to_world(&s, g)[axis]).collect();
            let (_, std) = statistics(&x);
            relative("echoes", std, 4.0 * share * dilution, 0.05);
            let variance = (4.0 * share * dilution).powi(2);
            relative("variance", all[0].variances[axis], variance, 1e-9);
            let mean = x.iter().sum::<f64>() / x.len() as f64;
            let lag = x
                .windows(4)
                .map(|w| (w[0] - mean) * (w[3] - mean))
                .sum::<f64>()
                / x.len() as f64
                / (std * std);
            close("correlation", lag, (-1.0_f64).exp(), 0.05);
        }
    }
}

// A receiver loses its fix within the range of a jammer, P (λ / 4π d)² = 40 dB above -128.5 dBm:
// 4.0 km for 0.1 W. A jammer without power and position acts everywhere. The receiver reacquires
// its satellites afterwards. Method: two positions 1 m on either side of the range; a fault of 10
// s. Tolerance: 1 m of the range; exact sample times.
#[test]
fn jammers_have_a_finite_range() {
    let reach: f64 = 0.190_293_67 / (4.0 * std::f64::consts::PI)
        * (0.1 / (1e4 * 10_f64.powf(-12.85) * 1e-3)).sqrt();
    assert!((reach - 4030.0).abs() < 10.0, "{reach}");
    let top = "faults: {j: {robot: ball, target: g, kind: jammed, position_m: [100, 0, 0], power_w: 0.1}}";
    for (d, received) in [(reach - 1.0, false), (reach + 1.0, true)] {
        let mut s = world(top, EXACT, "[0, 0, 0]");
        set_pose(&mut s, Vec3::new(100.0, -d, 0.0), [0.0; 3]);
        assert!(fixes(&mut s, 3.0).iter().all(|g| g.fix == received), "{d}");
    }
    let top = "faults: {j: {robot: ball, target: g, time_s: 5, duration_s: 10, kind: jammed}}";
    let mut s = world(top, &format!("{EXACT}, reacquisition_s: 4"), "[0, 0, 0]");
    set_pose(&mut s, Vec3::new(0.0, 0.0, 1.0), [0.0; 3]);
    let fixes: Vec<bool> = fixes(&mut s, 30.0).iter().map(|g| g.fix).collect();
    // Samples at 1 to 30 s; no fix from 5 to 14 s, reacquired 4 s later.
    let expected: Vec<bool> = (1..=30).map(|t| !(5..18).contains(&t)).collect();
    assert_eq!(fixes, expected);
}

// A spoofed receiver reports a position that drifts with the given velocity, and its own velocity
// agrees. Method: hand calculation for a ball at rest. Tolerance: resolution of latitude and
// longitude, 1e-6 m.
#[test]
fn spoofed_position_drifts() {
    let top = "faults: {s: {robot: ball, target: g, time_s: 2, kind: spoofed, offset_m: [5, 0, 1], velocity_m_s: [0, -0.5, 0]}}";
    let mut s = world(top, EXACT, "[0, 0, 0]");
    set_pose(&mut s, Vec3::new(7.0, 8.0, 1.0), [0.0; 3]);
    for (k, g) in fixes(&mut s, 20.0).iter().enumerate() {
        let t = (k + 1) as f64;
        let (away, v) = if t < 2.0 {
            (Vec3::zero(), Vec3::zero())
        } else {
            (
                Vec3::new(5.0, -0.5 * (t - 2.0), 1.0),
                Vec3::new(0.0, -0.5, 0.0),
            )
        };
        assert!(
            (to_world(&s, g) - Vec3::new(7.0, 8.0, 1.0) - away).norm() < 1e-6,
            "{t}"
        );
        close_vectors("velocity", g.velocity, v, 1e-12);
    }
}

const PAIR: &str =
    "kind: gnss_heading, baseline_std_m: 0.02, reacquisition_s: 3, max_depth_m: 0.1, antennas_m: ";

// The heading is the heading of the sensor frame for any direction of the baseline, and its error
// is the baseline noise divided by the baseline length. Method: a longitudinal and an oblique
// baseline, 20 000 headings. Tolerance: 4 standard errors: 2 % of the deviation, 3 % of it for the
// mean; second order in the noise.
#[test]
fn heading_error_is_noise_over_baseline() {
    for (antennas, length) in [
        ("[[-1, 0, 0], [1, 0, 0]]", 2.0),
        ("[[0, 0, 0.5], [-0.3, 0.4, 0.5]]", 0.5),
    ] {
        let mut s = world("", &format!("{PAIR}{antennas}"), "[0, 0, 0.2]");
        set_pose(&mut s, Vec3::new(0.0, 0.0, 1.0), [0.0, 0.0, 2.5]);
        let all = headings(&mut s, 20_000.0);
        let (mean, std) = statistics(&all.iter().map(|h| h.yaw).collect::<Vec<f64>>());
        let expected = 0.02 / length;
        close("heading", mean, 2.5, 0.03 * expected + expected * expected);
        relative("deviation", std, expected, 0.021);
        relative("its own", all[0].variance.sqrt(), expected, 5.0 * expected);
    }
}

// The receiver assumes a level baseline: heel by φ shortens the transverse component of an oblique
// baseline by cos φ and leaves the longitudinal one unchanged, so the heading is wrong by the
// geometric error. Method: closed form. Tolerance: rounding.
#[test]
fn heading_assumes_a_level_baseline() {
    let exact = PAIR.replace("0.02", "0");
    let heel = 0.4_f64;
    let mut s = world(
        "",
        &format!("{exact}[[0, 0, 0], [0.6, 0.8, 0]]"),
        "[0, 0, 0.2]",
    );
    set_pose(&mut s, Vec3::new(0.0, 0.0, 1.0), [heel, 0.0, 1.0]);
    let found = headings(&mut s, 1.0)[0].yaw;
    close(
        "heading",
        found,
        1.0 + (0.8 * heel.cos()).atan2(0.6) - 0.8_f64.atan2(0.6),
        1e-12,
    );
}

// No heading while either antenna is submerged, jammed or spoofed. Method: pitch submerges one
// antenna; faults. Tolerance: exact.
#[test]
fn heading_needs_both_antennas() {
    let run = |top: &str, pitch: f64| {
        let mut s = world(top, &format!("{PAIR}[[-1, 0, 0], [1, 0, 0]]"), "[0, 0, 0]");
        set_pose(&mut s, Vec3::new(0.0, 0.0, 0.3), [0.0, pitch, 0.0]);
        headings(&mut s, 3.0)
    };
    assert!(run("", 0.0).iter().all(|h| h.yaw.is_finite()));
    assert!(run("", 0.6).iter().all(|h| h.yaw.is_nan()));
    for kind in ["jammed", "spoofed, offset_m: [1, 0, 0]"] {
        let top = format!("faults: {{j: {{robot: ball, target: g, kind: {kind}}}}}");
        assert!(run(&top, 0.0).iter().all(|h| h.yaw.is_nan()), "{kind}");
    }
}

// calculated by hand: one satellite overhead and three at the horizon, 120 degrees apart
#[test]
fn dilution_of_four_satellites() {
    let (h, s) = (0.5, 0.75_f64.sqrt());
    let four = [
        Vec3::new(0.0, 0.0, 1.0),
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(-h, s, 0.0),
        Vec3::new(-h, -s, 0.0),
    ];
    let [horizontal, vertical] = dilution(four.into_iter()).expect("a fix");
    // Q_ee = Q_nn = 2/3, Q_uu = 1 + 1/3
    assert!(
        (horizontal - (4.0_f64 / 3.0).sqrt()).abs() < 1e-12,
        "{horizontal}"
    );
    assert!(
        (vertical - (4.0_f64 / 3.0).sqrt()).abs() < 1e-12,
        "{vertical}"
    );
    assert_eq!(dilution(four[..3].iter().copied()), None);
    // five satellites on a cone about the vertical
    let cone = (0..5).map(|k| {
        let (s, c) = merrow_math::real::sin_cos(1.2 * f64::from(k));
        Vec3::new(0.8 * c, 0.8 * s, 0.6)
    });
    assert_eq!(dilution(cone), None);
}

// A biased fix is displaced by the bias on the ellipsoid. Method: 10 m towards east, north and up
// at three latitudes, compared with Earth-centred coordinates. Tolerance: 0.1 mm, the curvature of
// the Earth over 10 m and more; a sphere errs by up to 50 mm.
#[test]
fn position_bias_displaces_fix_on_ellipsoid() {
    for latitude in [0.0, 0.8, -1.3] {
        let (longitude, height) = (0.3, 500.0);
        let mut reading = Gnss {
            fix: true,
            position: [latitude, longitude, height],
            velocity: Vec3::zero(),
            variances: [1.0; 3],
            velocity_variances: [1.0; 3],
            augmentation: Augmentation::None,
            satellites: None,
            dilution: None,
        };
        reading.add_errors(&mut || 10.0);
        let [a, b, c] = reading.position;
        let displacement = ecef(a, b, c) - ecef(latitude, longitude, height);
        for axis in axes(latitude, longitude) {
            assert!(
                (axis.dot(displacement) - 10.0).abs() < 1e-4,
                "{latitude}: {displacement:?}"
            );
        }
    }
}
