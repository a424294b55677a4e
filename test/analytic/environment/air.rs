//! Tests wind, gusts, air density and weather changes.

use crate::common::{advance, close, close_vectors, relative, scene, simulation};
use merrow_environment::air;
use merrow_environment::air::wind;
use merrow_math::Vec3;
use merrow_model::scene::Sea;
use merrow_model::scene::sea::air::Gusts;
use merrow_model::state::Command;
use merrow_model::state::commands::WeatherChange;

fn sea(keys: &str) -> Sea {
    scene(&format!("{keys}\nrobots: {{}}\n")).sea
}

// The density agrees with the standard atmosphere. Method: the tabulated values of ISO 2533 at
// geopotential heights of 0, 1000 and 5000 m. Tolerance: 1e-5 of the density, half of the last
// digit of the table.
#[test]
fn density_matches_standard_atmosphere() {
    let sea = sea("");
    for (z, rho) in [(0.0, 1.22500), (1000.0, 1.11164), (5000.0, 0.736116)] {
        relative(&format!("{z} m"), air::density(&sea, 15.0, z), rho, 1e-5);
    }
}

// The mean wind over height. Method: equation (1) evaluated by hand; zero wind below the surface.
// Tolerance: rounding.
#[test]
fn wind_grows_with_height() {
    let weather = "weather: {wind_speed_m_s: 8, wind_from_deg: 270}";
    let at = |air: &str, z: f64| {
        wind::wind_velocity(
            &sea(&format!("{weather}\nair: {{{air}}}")).air,
            Vec3::new(0.0, 0.0, z),
            0.0,
        )
    };
    close_vectors(
        "uniform",
        at("shear: {kind: uniform}", 3.0),
        Vec3::new(8.0, 0.0, 0.0),
        1e-14,
    );
    close_vectors(
        "power",
        at("shear: {kind: power, exponent: 0.2}", 2.0),
        Vec3::new(8.0 * 0.2_f64.powf(0.2), 0.0, 0.0),
        1e-14,
    );
    let log = (2.0_f64 / 0.03).ln() / (10.0_f64 / 0.03).ln();
    close_vectors(
        "log",
        at("shear: {kind: log, roughness_m: 0.03}", 2.0),
        Vec3::new(8.0 * log, 0.0, 0.0),
        1e-14,
    );
    assert_eq!(
        at("shear: {kind: log, roughness_m: 0.03}", 0.02),
        Vec3::zero()
    );
    assert_eq!(at("shear: {kind: uniform}", -0.1), Vec3::zero());
}

// Gusts have the variance of their spectrum, and the bands cover it completely. Method: the
// variance over 20 hours at one position, of three seeds, compared with the integral of the
// spectrum over the band (for Dryden nearly the whole σ²). Tolerance: 15 %, because of the 48
// harmonics a few strong harmonics beat slowly, and the frequency is drawn at random within each
// band.
#[test]
fn gust_variance_matches_spectrum() {
    for gusts in [
        "{kind: npd}",
        "{kind: dryden, std_m_s: [1.5, 1.2, 0.8], length_m: [200, 150, 50]}",
    ] {
        let mut variance = [0.0; 3];
        let mut expected = [0.0; 3];
        for seed in 1..=3 {
            let keys = format!(
                "seed: {seed}\nair: {{shear: {{kind: uniform}}, gusts: {gusts}}}\nweather: {{wind_speed_m_s: 12, wind_from_deg: 0}}"
            );
            let air = sea(&keys).air;
            let n = 36_000;
            for k in 0..n {
                let v = wind::wind_velocity(&air, Vec3::new(30.0, 7.0, 10.0), 2.0 * f64::from(k));
                // The wind blows to the south; its left is east.
                for (i, x) in [-v.y - 12.0, v.x, v.z].into_iter().enumerate() {
                    variance[i] += x * x / f64::from(3 * n);
                }
            }
            for (i, e) in expected.iter_mut().enumerate() {
                // Trapezoidal rule, a hundredth of an octave per interval.
                let f = |k: i32| (f64::from(k) * 0.01).exp2() / 3600.0;
                for k in 0..1181 {
                    let s = |k: i32| wind::spectrum(air.gusts, i, f(k), 12.0);
                    *e += 0.5 * (s(k) + s(k + 1)) * (f(k + 1) - f(k)) / 3.0;
                }
            }
        }
        for i in 0..3 {
            if expected[i] > 0.0 {
                relative(
                    &format!("{gusts}, component {i}"),
                    variance[i],
                    expected[i],
                    0.15,
                );
            } else {
                assert_eq!(variance[i].sqrt() as f32, 0.0);
            }
        }
        if gusts.contains("dryden") {
            // The band excludes periods longer than an hour and shorter than a second.
            for (i, std) in [1.5, 1.2, 0.8].into_iter().enumerate() {
                relative("all of Dryden's", expected[i], std * std, 0.06);
            }
        }
    }
}

// The NPD spectrum. Method: the formula evaluated by hand at 20 m/s and 0.01 Hz, with a scaled
// frequency of 1.0227. Tolerance: the digits of the hand calculation.
#[test]
fn npd_spectrum_by_hand() {
    relative(
        "S",
        wind::spectrum(Gusts::Npd, 0, 0.01, 20.0),
        106.417855,
        1e-6,
    );
}

// The mean wind advects turbulence, which is a pure function of position and time. Method: 60 m
// downwind, 5 s later at 12 m/s. Tolerance: rounding of the phases.
#[test]
fn gusts_are_advected_by_the_wind() {
    let keys = "air: {shear: {kind: uniform}, gusts: {kind: dryden, std_m_s: [1, 1, 1]}}\nweather: {wind_speed_m_s: 12, wind_from_deg: 270}";
    let air = sea(keys).air;
    let here = wind::wind_velocity(&air, Vec3::new(5.0, 1.0, 9.0), 100.0);
    close_vectors(
        "downwind",
        wind::wind_velocity(&air, Vec3::new(65.0, 1.0, 9.0), 105.0),
        here,
        1e-9,
    );
    assert!((wind::wind_velocity(&air, Vec3::new(5.0, 1.0, 9.0), 105.0) - here).norm() > 1e-3);
    assert!(matches!(air.gusts, Gusts::Dryden { .. }));
}

/// A world with a weightless body of 10 kg in air that has a lateral wind area.
const SAIL: &str = "
gravity_m_s2: 0
water: {density_kg_m3: 0}
air: {shear: {kind: uniform}}
weather: {wind_speed_m_s: 6, wind_from_deg: 180}
robots:
  sail:
    position_m: [0, 0, 20]
    attitude_deg: [0, 0, 90]
    model:
      source: test
      body: {source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {xx: 1, yy: 2, zz: 3},
        wind: {area_m2: [2, 0, 0], drag: [1.1, 1, 1]}}
";

// The wind accelerates a body as v = W (1 - 1/(1 + W k t)), k = ρ C A / (2 m). Method: wind from
// astern for 10 s. Tolerance: 1e-6; the density is that at 20 m.
#[test]
fn wind_accelerates_a_body() {
    let mut s = simulation(SAIL);
    let rho = air::density(&s.scene.sea, 15.0, 20.0);
    let k = rho * 1.1 * 2.0 / (2.0 * 10.0);
    for i in 1..=5 {
        advance(&mut s, 2.0);
        let v = 6.0 * (1.0 - 1.0 / (1.0 + 6.0 * k * 2.0 * f64::from(i)));
        close("speed", s.state.robots[0].motion.V_WB_B.v.x, v, 1e-6);
    }
}

// The area of a wind load is the area above the water when the body floats at rest. Method: the
// channel buoy in a uniform wind of 10 m/s until it drifts at constant speed, compared with the
// balance of the wind force on its whole area and the damping of the wetted part. Tolerance: 1 %,
// for its heel.
#[test]
fn wind_area_is_that_above_the_water_at_rest() {
    let mut s = simulation(
        "
air: {shear: {kind: uniform}}
water: {density_kg_m3: 1000}
weather: {wind_speed_m_s: 10, wind_from_deg: 270}
robots: {buoy: {model: {source: test, body: channel_buoy}}}
",
    );
    advance(&mut s, 200.0);
    let rho = air::density(&s.scene.sea, 15.0, 0.4);
    let wet = 48.0 / 220.9;
    let balance =
        |v: f64| 0.5 * rho * 0.8 * 0.3 * (10.0 - v) * (10.0 - v) - wet * (10.0 * v + 110.0 * v * v);
    let (mut low, mut high) = (0.0, 10.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if balance(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let motion = &s.state.robots[0].motion;
    let v = motion.q_WB.matrix().mul_vec(motion.V_WB_B.v).x;
    crate::common::relative("drift", v, low, 0.01);
}

// The weather changes linearly over its ramp from its current value while the simulation runs;
// values that are not named do not change. Method: a new wind over 10 s, requested midway through
// another change. Tolerance: rounding.
#[test]
fn weather_changes_along_ramps() {
    let mut s = simulation(SAIL);
    let east = Vec3::new(4.0, 0.0, 0.0);
    let ramp = WeatherChange {
        wind: Some(east),
        visibility_m: Some(1000.0),
        duration_s: 10.0,
        ..WeatherChange::default()
    };
    s.apply(&Command::Weather(Box::new(ramp))).unwrap();
    advance(&mut s, 5.0);
    let now =
        |s: &merrow_sim::Simulation| air::weather(&s.state.sea.air, s.time_ns() as f64 * 1e-9);
    close_vectors("half-way", now(&s).wind, Vec3::new(2.0, 3.0, 0.0), 1e-12);
    close("visibility", now(&s).visibility_m, 25_500.0, 1e-12);
    let rain = WeatherChange {
        rain_mm_h: Some(8.0),
        duration_s: 2.0,
        ..WeatherChange::default()
    };
    let hash = s.state.hash();
    s.apply(&Command::Weather(Box::new(rain))).unwrap();
    assert_ne!(s.state.hash(), hash, "the weather is part of the state");
    advance(&mut s, 1.0);
    close("rain", now(&s).rain_mm_h, 4.0, 1e-12);
    // The wind continues to its target over the new duration.
    close_vectors("wind", now(&s).wind, Vec3::new(3.0, 1.5, 0.0), 1e-12);
    advance(&mut s, 5.0);
    close_vectors("arrived", now(&s).wind, east, 1e-12);
    let evening = WeatherChange {
        time_of_day_s: Some(18.0 * 3600.0),
        ..WeatherChange::default()
    };
    s.apply(&Command::Weather(Box::new(evening))).unwrap();
    let utc = s.state.sea.air.start_utc + s.time_ns() as f64 * 1e-9;
    close("time of day", utc.rem_euclid(86_400.0) / 3600.0, 18.0, 1e-9);
    close(
        "date",
        (utc / 86_400.0).floor(),
        (1_774_008_000.0_f64 / 86_400.0).floor(),
        0.0,
    );
    let wrong = WeatherChange {
        rain_mm_h: Some(f64::NAN),
        ..WeatherChange::default()
    };
    assert!(s.apply(&Command::Weather(Box::new(wrong))).is_err());
}

// Blendermann's coefficients. Method: a held ship with A_F 4, A_L 10, C_l 0.5 and 0.6, C_t 0.9,
// delta 0.4, 6 m long, with its centroid 0.3 m forward and 1 m up. The wind of 10 m/s comes from 0,
// 45, 90, 135 and 180 degrees off either bow. The reference is the formulas in forward-right-down
// axes. Tolerance: rounding.
#[test]
fn blendermann_coefficients_match_hand_calculation() {
    for from in [0.0, 45.0, 90.0, 135.0, 180.0, -45.0, -135.0_f64] {
        let scene = crate::common::scene(&format!(
            "
air: {{shear: {{kind: uniform}}}}
weather: {{wind_speed_m_s: 10, wind_from_deg: {from}}}
robots:
  r:
    position_m: [0, 0, 2]
    attitude_deg: [0, 0, 90]
    model:
      source: test
      base: fixed
      body:
        source: test
        axes: flu
        mass_kg: 1
        inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}
        wind: {{area_m2: [4, 10, 0], center_m: [0.3, 0, 1], blendermann: {{side_drag: 0.9, head_drag: 0.5, stern_drag: 0.6, delta: 0.4,
          roll_factor: 1.2, length_m: 6}}}}
"
        ));
        let motion = crate::common::start(&scene, 0);
        let with = crate::common::evaluate(&scene, &motion).links[0].F;
        let mut calm = scene.clone();
        calm.robots[0].links[0].forces.wind = None;
        let without = crate::common::evaluate(&calm, &motion).links[0].F;
        let q = 0.5 * merrow_environment::air::density(&scene.sea, 15.0, 3.0) * 100.0;
        // Wind from the right has positive angles here; wind from port has positive angles in the
        // source.
        let gamma = f64::to_radians(from).abs();
        let end = if gamma <= std::f64::consts::FRAC_PI_2 + 1e-12 {
            0.5
        } else {
            0.6
        };
        let d = 1.0 - 0.2 * (1.0 - end * 4.0 / (10.0 * 0.9)) * (2.0 * gamma).sin().powi(2);
        let (x, y) = (
            -q * 4.0 * end * gamma.cos() / d,
            q * 10.0 * 0.9 * gamma.sin() / d,
        );
        let side = if from < 0.0 { -1.0 } else { 1.0 };
        let f = merrow_math::Vec3::new(x, side * y, 0.0);
        let arm = 0.3 - 0.18 * 6.0 * (gamma - std::f64::consts::FRAC_PI_2);
        let m = merrow_math::Vec3::new(-1.2 * f.y, f.x, arm * f.y);
        crate::common::close_vectors(&format!("force from {from}"), with.f - without.f, f, 1e-12);
        crate::common::close_vectors(&format!("moment from {from}"), with.m - without.m, m, 1e-12);
    }
}
