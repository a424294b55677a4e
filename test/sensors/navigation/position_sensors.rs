//! Tests of pressure sensors, magnetometers and GNSS receivers.

use crate::common::turntable::{ball, set_pose, statistics};
use crate::common::{close_vectors, reading, readings, relative, simulation};
use merrow_environment::geodesy;
use merrow_math::{Mat3, Vec3};
use merrow_model::sensor::gnss::Gnss;
use merrow_model::state::reading::Reading;
use merrow_sim::Simulation;

// Absolute pressure is the sum of air pressure and water column above the port, and in air follows
// the standard atmosphere. Method: hand calculation, heeled, and out of the water. Tolerance:
// rounding.
#[test]
fn pressure_is_air_and_water_column() {
    let top = "water: {density_kg_m3: 1020, air_pressure_pa: 100000}\nweather: {temperature_c: 15}";
    let device =
        "p: {device: {source: test, kind: pressure, rate_hz: 500}, position_m: [0, 0.5, 0.2]}";
    let mut s = simulation(&ball(top, "", device));
    let half = std::f64::consts::FRAC_PI_2;
    let mut at = |z: f64, roll: f64| {
        set_pose(&mut s, Vec3::new(4.0, 5.0, z), [roll, 0.0, 0.0]);
        let Reading::Pressure(p) = reading(&mut s, 0) else {
            panic!("not a pressure")
        };
        p.pressure
    };
    for (z, roll, depth) in [
        (-10.0, 0.0, 9.8),
        (-10.0, half, 9.5),
        (-10.0, -half, 10.5),
        (-0.2, 0.0, 0.0),
    ] {
        let expected = 100_000.0 + 1020.0 * 9.81 * depth;
        relative(&format!("{z} m, roll {roll}"), at(z, roll), expected, 1e-12);
    }
    // 9.80665/(287.05287 * 0.0065)
    let part = (1.0 - 0.0065 * 800.0 / 288.15_f64).powf(5.255_879_8);
    relative("800 m up", at(799.8, 0.0), 100_000.0 * part, 1e-8);
}

// A magnetometer measures the magnetic field of the Earth in its own frame. Method: a stated field
// and a general attitude; then the field model at Monterey Bay, which points down, north and
// slightly east. Tolerance: rounding; for the model the known magnitude of the field there, 47 to
// 49 uT, and declination, 12 to 14 degrees.
#[test]
fn magnetometer_measures_the_field_in_its_frame() {
    let device =
        "m: {device: {source: test, kind: magnetometer, rate_hz: 500}, attitude_deg: [10, 20, 30]}";
    let mut s = simulation(&ball(
        "origin: {magnetic_field_nt: [1000, 20000, -40000]}",
        "",
        device,
    ));
    let rpy = [0.4, -0.9, 2.2];
    set_pose(&mut s, Vec3::new(0.0, 0.0, -20.0), rpy);
    let Reading::Magnetometer(m) = reading(&mut s, 0) else {
        panic!("not a magnetometer")
    };
    let R_BS = Mat3::from_rpy(
        10_f64.to_radians(),
        20_f64.to_radians(),
        30_f64.to_radians(),
    );
    let R_WS = Mat3::from_rpy(rpy[0], rpy[1], rpy[2]).mul_mat(&R_BS);
    let expected = R_WS.tr_mul_vec(Vec3::new(1e-6, 20e-6, -40e-6));
    close_vectors("field", m.field.scale(1e6), expected.scale(1e6), 1e-12);
    let field = simulation(&ball("", "", device))
        .scene
        .origin
        .magnetic_field;
    let declination = field.x.atan2(field.y).to_degrees();
    assert!(
        (46.5e-6..49.5e-6).contains(&field.norm()) && field.z < -38e-6,
        "{field:?}"
    );
    assert!((12.0..14.0).contains(&declination), "{declination}");
}

const GNSS: &str =
    "g: {device: {source: test, kind: gnss, rate_hz: 1, horizontal_std_m: H, vertical_std_m: V,
        correlation_time_s: TAU, max_depth_m: 0.1, reacquisition_s: 10}, position_m: [0, 0, 0.5]}";

fn gnss(h: &str, v: &str, tau: &str) -> Simulation {
    let device = GNSS
        .replace("H,", &format!("{h},"))
        .replace("V,", &format!("{v},"))
        .replace("TAU", tau);
    // Without gravity the ball stays at its position, also at the surface.
    let top = "gravity_m_s2: 0\nstep: {dt_s: 0.1}\norigin: {latitude_deg: 43.6483, longitude_deg: 3.3836}";
    simulation(&ball(top, "", &device).replace(", net_buoyancy_n: 0", ""))
}

fn fixes(s: &mut Simulation, seconds: f64) -> Vec<Gnss> {
    let all = readings(s, 0, seconds);
    all.iter()
        .map(|r| {
            let Reading::Gnss(g) = r.reading else {
                panic!("not a GNSS")
            };
            g
        })
        .collect()
}

// V83: one sample per second; no fix while the antenna is submerged and for the first ten seconds
// after; then the correct position. Method: dive and surface. Tolerance: exact sample times; 1e-6
// m.
#[test]
fn gnss_has_no_fix_under_water() {
    let mut s = gnss("0", "0", "0");
    let at = |s: &mut Simulation, z: f64| set_pose(s, Vec3::new(100.0, -200.0, z), [0.0; 3]);
    // The antenna is 0.5 m above the origin and works down to 0.1 m of depth.
    at(&mut s, -0.55);
    let up = fixes(&mut s, 5.0);
    assert!(up.len() == 5 && up.iter().all(|g| g.fix));
    at(&mut s, -0.65);
    let under = fixes(&mut s, 5.0);
    assert!(under.len() == 5 && under.iter().all(|g| !g.fix && g.position[0].is_nan()));
    at(&mut s, -0.5);
    let again = fixes(&mut s, 15.0);
    // The last sample under water is one second before the first above.
    let first = again.iter().position(|g| g.fix).unwrap();
    assert_eq!((again.len(), first), (15, 9));
    let [lat, lon, h] = again[14].position;
    let back = geodesy::world_from_ecef(&s.scene.origin, geodesy::ecef(lat, lon, h));
    close_vectors("place", back, Vec3::new(100.0, -200.0, 0.0), 1e-6 / 200.0);
}

// Errors have the stated horizontal and vertical standard deviation and correlation. Method: 20 000
// fixes with a correlation time of 3 s. Tolerance: 4 standard errors of about 3300 independent
// fixes: 5 %, and 0.05 for the correlation.
#[test]
fn gnss_errors_match_the_data_sheet() {
    let mut s = gnss("1.5", "4", "3");
    set_pose(&mut s, Vec3::zero(), [0.0; 3]);
    let all = fixes(&mut s, 20_000.0);
    let errors: Vec<Vec3> = all
        .iter()
        .map(|g| {
            let [lat, lon, h] = g.position;
            geodesy::world_from_ecef(&s.scene.origin, geodesy::ecef(lat, lon, h))
                - Vec3::new(0.0, 0.0, 0.5)
        })
        .collect();
    for (axis, expected) in [1.5, 1.5, 4.0].into_iter().enumerate() {
        let x: Vec<f64> = errors.iter().map(|e| e[axis]).collect();
        let (_, std) = statistics(&x);
        assert!((std / expected - 1.0).abs() < 0.05, "axis {axis}: {std}");
        let lag = x.windows(4).map(|w| w[0] * w[3]).sum::<f64>() / x.len() as f64 / (std * std);
        assert!(
            (lag - (-1.0_f64).exp()).abs() < 0.05,
            "axis {axis}: correlation {lag}"
        );
    }
}
