//! Tests of wrong beacons, acoustic instruments, obstacles, AIS and radars.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{body, check, device};

const RECEIVER: &str = "band_khz: [20, 30], max_range_m: 100";

#[test]
fn invalid_beacons_are_rejected() {
    let world = |beacon: &str| format!("{}beacons: {{b: {{{beacon}}}}}\n", body(""));
    check(
        &world("beacon: pinger_27khz, robot: x"),
        "w.yaml:6:44: no robot or prop `x` for b; expected `r`",
    );
    check(
        &world("beacon: pinger_27khz, robot: r, link: arm"),
        "w.yaml:6:53: no link `arm` on r; expected `base_link`",
    );
    check(
        &world("beacon: pinger_27khz, link: arm"),
        "w.yaml:6:43: b has a `link` but no `robot`; expected both or none",
    );
    check(
        &world(
            "beacon: {source: a, kind: pinger, frequency_khz: .nan, source_level_db: 180, period_s: 0}",
        ),
        "w.yaml:6:64: `frequency_khz`: expected a finite number [kHz], found `.nan`\nw.yaml:6:102: `period_s`: expected a number from 0.01 to 86400 [s], found `0`",
    );
    check(
        &world("beacon: {source: a, kind: horn, frequency_khz: 20, source_level_db: 180}"),
        "w.yaml:6:41: `kind`: expected one of `pinger`, `transponder`, `locator`, found string `horn`",
    );
}

#[test]
fn invalid_positioning_instruments_are_rejected() {
    check(
        &device("kind: hydrophone, band_khz: [30, 20], max_range_m: 100"),
        "w.yaml:8:74: `band_khz` is [30, 20]; expected the smaller value first",
    );
    check(
        &device(&format!(
            "kind: usbl, frequency_khz: 25, source_level_db: 180, {}",
            RECEIVER.replace("100", "1000")
        )),
        "w.yaml:8:132: `rate_hz` is 1, sound needs 1.429 s for 1000 m and back; expected at most 0.70",
    );
    check(
        &device(&format!(
            "kind: usbl, frequency_khz: 25, source_level_db: 180, {RECEIVER}, targets: [tail]"
        )),
        "w.yaml:8:146: no beacon `tail` for s1; there are none",
    );
    check(
        &device(&format!("kind: sbl, {RECEIVER}, receivers_m: []")),
        "w.yaml:8:108: `receivers_m`: expected a list of lists of 3 numbers that is not empty, found an empty list",
    );
    check(
        &device(&format!(
            "kind: lbl, frequency_khz: 25, source_level_db: 180, {RECEIVER}, depth_std_m: 0"
        )),
        "w.yaml:8:149: `depth_std_m`: expected a positive number [m], found `0`",
    );
}

#[test]
fn beacons_that_do_not_reply() {
    let usbl = device(&format!(
        "kind: usbl, frequency_khz: 25, source_level_db: 180, {RECEIVER}, targets: [gate]"
    ));
    check(
        &(usbl + "beacons: {gate: {beacon: pinger_27khz}}\n"),
        "w.yaml:8:146: the beacon gate does not answer s1; expected a transponder",
    );
}

#[test]
fn invalid_detectors_are_rejected() {
    check(
        &device("kind: obstacle_detector, max_range_m: 60, min_range_m: 80"),
        "w.yaml:8:101: `min_range_m` is 80; expected less than `max_range_m` 60",
    );
    check(
        &device("kind: obstacle_detector, max_range_m: 60, height_m: [3, 1]"),
        "w.yaml:8:98: `height_m` has no effect without `sensor`\nw.yaml:8:98: `height_m` is [3, 1]; expected the smaller value first",
    );
    check(
        &device("kind: obstacle_detector, max_range_m: 60, sensor: sonar"),
        "w.yaml:8:96: `sonar` has no echoes to process; expected a laser, a lidar, an imaging sonar, a multibeam or a scanning sonar, but the robot has none",
    );
    check(
        &(body("") + "obstacles: {o: {position_m: [0, 0, 0], size_m: [1, 0, 1]}}\n"),
        "w.yaml:6:52: `size_m[1]`: expected a positive number [m], found `0`",
    );
}

#[test]
fn ais_and_radar() {
    let ais = |keys: &str| format!("{}ais: {{v: {{{keys}}}}}\n", body(""));
    check(
        &ais("mmsi: 1234567890"),
        "w.yaml:6:17: `mmsi`: expected a whole number from 0 to 999999999, found `1234567890`",
    );
    check(
        &ais("robot: q, mmsi: 1"),
        "w.yaml:6:18: no robot or prop `q` for v; expected `r`",
    );
    check(
        &ais("mmsi: 1, class: c"),
        "w.yaml:6:27: `class`: expected one of `a`, `b`, found string `c`",
    );
    let radar =
        "kind: radar, transmit_w: 4000, antenna_gain_db: 25, beam_width_deg: 2, pulse_us: 0.1";
    check(
        &device(&format!(
            "{radar}, max_range_m: 3000, levels_dbm: [-40, -100]"
        )),
        "w.yaml:8:163: `levels_dbm` is [-40, -100]; expected the smaller value first",
    );
    check(
        &device(&format!(
            "{radar}, max_range_m: 3000, min_range_m: 4000, levels_dbm: [-100, -40]"
        )),
        "w.yaml:8:164: `min_range_m` is 4000; expected less than `max_range_m` 3000",
    );
    check(
        &device(&format!(
            "{radar}, max_range_m: 3000, speed_rpm: 120, levels_dbm: [-100, -40]"
        )),
        "w.yaml:8:162: 2 turns and 1 sectors per second; expected sectors of at most one turn",
    );
}

/// A key without effect is reported, with the key that it needs. Method: each key separately; with
/// the key that it needs there is no such message.
#[test]
fn keys_without_effect() {
    let idle = |keys: &str, key: &str, with: &str| {
        let value = keys.split(&format!("{key}: ")).next().unwrap().len() + key.len() + 2;
        let text = format!(
            "w.yaml:8:{}: `{key}` has no effect without `{with}`",
            46 + value
        );
        check(&device(keys), &text);
    };
    for key in [
        "threshold_db: 3",
        "window_m: [1, 2]",
        "cluster_gap_m: 2",
        "accumulation_s: 4",
        "height_m: [0, 4]",
    ] {
        let name = key.split(':').next().unwrap();
        idle(
            &format!("kind: obstacle_detector, max_range_m: 60, {key}"),
            name,
            "sensor",
        );
    }
    let usbl = format!("kind: usbl, frequency_khz: 25, source_level_db: 180, {RECEIVER}");
    let place = "carrier_position_std_m: [1, 1, 1]";
    idle(
        &format!("{usbl}, {place}"),
        "carrier_position_std_m",
        "carrier_attitude_std_deg",
    );
    let laser =
        "kind: laser, azimuth_deg: [-90, 90], beams: 181, max_range_m: 30, pulse_length_m: 0.5";
    idle(laser, "pulse_length_m", "divergence_mrad");
    let sonar = "kind: scanning_sonar, step_deg: 2, beam_width_deg: 2, elevation_width_deg: 20, frequency_khz: 700, \
                 source_level_db: 200, pulse_us: 40, max_range_m: 20, bins: 100, levels_db: [90, 160]";
    idle(
        &format!("{sonar}, threshold_db: 20"),
        "threshold_db",
        "profiles",
    );
    for good in [
        format!("{laser}, divergence_mrad: 0"),
        format!("{sonar}, threshold_db: 20, profiles: true"),
    ] {
        check(&device(&good), "accepted");
    }
    let node = "beacons: {gate: {beacon: {source: test, kind: locator, frequency_khz: 25, source_level_db: 180}, start_s: 4}}\n";
    check(
        &(body("") + node),
        "w.yaml:6:107: `start_s` has no effect for gate, which does not transmit by its own clock; use it with a pinger only",
    );
    let gauge = "kind: pressure";
    check(
        &device(gauge).replace("s1:\n", "s1:\n          lazy: true\n"),
        "w.yaml:8:17: `lazy` has no effect for s1, which is not an exteroceptive sensor",
    );
    let camera = "kind: camera, width: 64, height: 48, horizontal_fov_deg: 70, exposure_ev100: 9";
    check(
        &device(&format!("{camera}, auto_exposure_ev100: [1, 9]")),
        "w.yaml:8:147: `auto_exposure_ev100` has no effect together with `exposure_ev100`; remove one of them",
    );
}
