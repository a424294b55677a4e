//! Tests of wrong sonars and of the sediment of a seabed.

use crate::input::check;

/// Returns a robot with a sonar with these keys.
fn sonar(keys: &str) -> String {
    format!(
        "robots:\n  r:\n    model:\n      extends: robots/bluerov2.yaml\n      sensors:\n        s: {{device: {{source: test, rate_hz: 2, {keys}}}}}\n"
    )
}

const SCANS: &str = "kind: scanning_sonar, step_deg: 2, beam_width_deg: 2, elevation_width_deg: 20, frequency_khz: 700, source_level_db: 200, pulse_us: 60, bins: 100, levels_db: [0, 1]";

#[test]
fn invalid_pings_are_rejected() {
    check(&sonar(&format!("{SCANS}, max_range_m: 30")), "accepted");
    check(
        &sonar(&format!("{SCANS}, max_range_m: 1000")),
        "w.yaml:6:226: 2 pings per second, the echoes from 1000 m take 1.333 s; expected at most 0.75",
    );
    check(
        &sonar(&format!("{SCANS}, max_range_m: 30, min_range_m: 40")),
        "w.yaml:6:243: `min_range_m` is 40; expected less than `max_range_m` 30",
    );
    check(
        &sonar(&format!("{SCANS}, max_range_m: 30, bits: 12")),
        "w.yaml:6:236: `bits` is 12; expected 8 or 16",
    );
    check(
        &sonar(&format!(
            "{SCANS}, max_range_m: 30, refraction: true, multipath: true"
        )),
        "w.yaml:6:242: `refraction` and `multipath` cannot be combined; expected one of them",
    );
    check(
        &sonar(&format!("{SCANS}, max_range_m: .nan")),
        "w.yaml:6:226: `max_range_m`: expected a finite number [m], found `.nan`",
    );
    check(
        &sonar(&SCANS.replace("[0, 1]", "[1, 0], max_range_m: 30")),
        "w.yaml:6:205: `levels_db` is [1, 0]; expected the smaller value first",
    );
}

#[test]
fn heads_and_tilts() {
    check(
        &sonar(&format!("{SCANS}, max_range_m: 30, sector_deg: 1")),
        "w.yaml:6:80: `step_deg` is 2; expected at most `sector_deg` 1",
    );
    check(
        &sonar(&format!("{SCANS}, max_range_m: 30, tilt_deg: [-10, 10]")),
        "w.yaml:6:240: `tilt_deg` and `tilt_period_s` require each other; expected both",
    );
    check(
        &sonar(&format!("{SCANS}, max_range_m: 30, tilt_period_s: 4")),
        "w.yaml:6:245: `tilt_deg` and `tilt_period_s` require each other; expected both",
    );
    check(
        &sonar(&format!(
            "{SCANS}, max_range_m: 30, tilt_deg: [10, -10], tilt_period_s: 4"
        )),
        "w.yaml:6:240: `tilt_deg` is [10, -10]; expected the smaller value first",
    );
    check(
        &sonar(&format!(
            "{SCANS}, max_range_m: 30, tilt_deg: [-10, 10], tilt_period_s: 0.5"
        )),
        "w.yaml:6:266: `tilt_period_s` is 0.5, which is 1.000 pings; expected at least 2",
    );
    check(
        &sonar(&format!(
            "{SCANS}, max_range_m: 30, tilt_deg: [-10, 10], tilt_period_s: 0"
        )),
        "w.yaml:6:266: `tilt_period_s`: expected a positive number [s], found `0`",
    );
}

#[test]
fn invalid_subsurface_materials_are_rejected() {
    let ground = |keys: &str| {
        format!("seabed: {{depth_m: 20, material: {{subsurface: {{{keys}}}}}}}\nrobots: {{}}\n")
    };
    check(
        &ground("density_kg_m3: 0"),
        "w.yaml:1:62: `density_kg_m3`: expected a number from 100 to 20000 [kg/m3], found `0`",
    );
    check(
        &ground("sound_speed_m_s: .nan"),
        "w.yaml:1:64: `sound_speed_m_s`: expected a finite number [m/s], found `.nan`",
    );
    check(
        &ground("roughness_m: -1"),
        "w.yaml:1:60: `roughness_m`: expected a non-negative number [m], found `-1`",
    );
    check(
        &ground("attenuation: 1"),
        "w.yaml:1:47: `attenuation` needs its unit; write `attenuation_db_per_wavelength`",
    );
}

#[test]
fn detectors_keep_up_with_heads() {
    let detector = |rate: u32, keys: &str| {
        sonar(&format!("{SCANS}, max_range_m: 30"))
            + &format!(
                "        d: {{device: {{source: test, rate_hz: {rate}, kind: obstacle_detector, sensor: s, max_range_m: 30{keys}}}}}\n"
            )
    };
    check(&detector(2, ""), "accepted");
    check(
        &detector(5, ""),
        "w.yaml:7:81: `s` pings 2 times per second and the rate of the detector is 5; expected equal rates, so that no bearing is missed",
    );
    check(
        &detector(2, ", accumulation_s: -1"),
        "w.yaml:7:117: `accumulation_s`: expected a non-negative number [s], found `-1`",
    );
}
