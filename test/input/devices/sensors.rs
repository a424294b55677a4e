//! Tests of wrong sensors.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::{bluerov2, check, device};
use merrow_world::{Overrides, load_text};

#[test]
fn invalid_sensor_rates_are_rejected() {
    check(
        &bluerov2("sensors: {imu: {rate_hz: 600, device: {max_rate_hz: 500}}}"),
        "w.yaml:5:32: imu is set to 600 samples per second, the device supports at most 500",
    );
    // One message per cause, also for the time of a scan and for readings in flight.
    check(
        &device("kind: laser, azimuth_deg: [-90, 90], beams: 181, max_range_m: 30, latency_s: 0.2")
            .replace("rate_hz: 1,", "rate_hz: 100000,"),
        "w.yaml:8:43: s1 is set to 100000 samples per second, but the time step allows 500; lower the rate or `dt_s`",
    );
    check(
        &("step: {dt_s: 0.01}\n".to_string() + &bluerov2("sensors: {imu: {rate_hz: 200}}")),
        "w.yaml:6:32: imu is set to 200 samples per second, but the time step allows 100; lower the rate or `dt_s`",
    );
    // The rate of a bundled sensor: the error is in the world.
    check(
        "robots: {r: {model: bluerov2}}\nstep: {dt_s: 0.015}\n",
        "w.yaml:2:14: imu is set to 100 samples per second, but the time step allows 67; lower the rate or `dt_s`",
    );
    check(
        &bluerov2("sensors: {imu: {rate_hz: 0}}"),
        "w.yaml:5:32: `rate_hz`: expected a number from 0.00027 to 1000000 [Hz], found `0`",
    );
    for rate in ["1.0e-300", "0.0002", "1e9", "-1"] {
        check(
            &device("kind: odometry").replace("rate_hz: 1,", &format!("rate_hz: {rate},")),
            &format!(
                "w.yaml:8:43: `rate_hz`: expected a number from 0.00027 to 1000000 [Hz], found `{rate}`"
            ),
        );
    }
    check(
        &device("kind: odometry, latency_s: 120"),
        "w.yaml:8:73: `latency_s`: expected a number from 0 to 60 [s], found `120`",
    );
    check(
        &device("kind: odometry, loss_probability: 2"),
        "w.yaml:8:80: `loss_probability`: expected a number from 0 to 1, found `2`",
    );
}

#[test]
fn dvl_and_altimeter() {
    check(
        &device("kind: dvl, beam_angle_deg: 30, bottom_std_m_s: 0.01, altitude_m: [50, 0.5]"),
        "w.yaml:8:111: `altitude_m` is [50, 0.5]; expected the smaller value first",
    );
    check(
        &device(
            "kind: dvl, beam_angle_deg: 30, bottom_std_m_s: 0.01, altitude_m: [0.5, 50], water_layer_m: [4, 2]",
        ),
        "w.yaml:8:137: `water_layer_m` is [4, 2]; expected the smaller value first",
    );
    check(
        &device(
            "kind: dvl, beam_angle_deg: 30, bottom_std_m_s: 0.01, altitude_m: [0.5, 50], beam_azimuths_deg: [0, 120, 240]",
        ),
        "w.yaml:8:141: `beam_azimuths_deg`: expected 4 numbers [deg], found 3",
    );
    check(
        &device("kind: dvl, beam_angle_deg: 80, bottom_std_m_s: 0.01, altitude_m: [0.5, 50]"),
        "w.yaml:8:73: `beam_angle_deg`: expected a number from 1 to 60 [deg], found `80`",
    );
    let modes = "kind: dvl, beam_angle_deg: 30, bottom_std_m_s: 0.01, altitude_m: [0.5, 50], range_modes: [";
    check(
        &device(&format!("{modes}{{altitude_m: [3, 1], rate_hz: 10}}]")),
        "w.yaml:8:149: `altitude_m` is [3, 1]; expected the smaller value first",
    );
    check(
        &device(&format!(
            "{modes}{{altitude_m: [1, 9], rate_hz: 10}}, {{altitude_m: [2, 8], rate_hz: 5}}]"
        )),
        "w.yaml:8:184: the range mode is not higher than the previous one; expected higher altitudes at both ends",
    );
    check(
        &device(&format!(
            "{modes}{{altitude_m: [1, 9], rate_hz: 0}}], water_rate_hz: .nan"
        )),
        "w.yaml:8:166: `rate_hz`: expected a positive number [Hz], found `0`\nw.yaml:8:186: `water_rate_hz`: expected a finite number [Hz], found `.nan`",
    );
    check(
        &device(
            "kind: dvl, beam_angle_deg: 30, bottom_std_m_s: 0.01, altitude_m: [0.5, 50], search_rate_hz: 3",
        ),
        "w.yaml:8:138: `search_rate_hz` without `range_modes`; expected both or none",
    );
    check(
        &device("kind: altimeter, min_range_m: 10, max_range_m: 1"),
        "w.yaml:8:76: `min_range_m` is 10; expected less than `max_range_m` 1",
    );
}

#[test]
fn invalid_noise_is_rejected() {
    check(
        &device("kind: pressure, errors: {density: -1}"),
        "w.yaml:8:80: `density`: expected a non-negative number, found `-1`",
    );
    check(
        &device("kind: pressure, errors: 3"),
        "w.yaml:8:70: `errors`: expected a map with keys, found `3`",
    );
    check(
        &device("kind: imu, gyro: {bias_correlation_time_s: 0}"),
        "w.yaml:8:89: `bias_correlation_time_s`: expected a positive number [s], found `0`",
    );
    check(
        &device("kind: imu, attitude_std_deg: [1, 1]"),
        "w.yaml:8:75: `attitude_std_deg`: expected 3 non-negative numbers [deg], found 2",
    );
}

#[test]
fn invalid_satellite_receivers_are_rejected() {
    let gnss = "kind: gnss, horizontal_std_m: 1, vertical_std_m: 1";
    check(
        &device(&format!("{gnss}, velocity_std_m_s: 0.1")),
        "w.yaml:8:116: `velocity_std_m_s`: expected a list of 2 non-negative numbers [m/s], found `0.1`",
    );
    check(
        &device(&format!("{gnss}, augmentation: rtk")),
        "w.yaml:8:112: `augmentation`: expected one of `none`, `satellites`, `ground`, found string `rtk`",
    );
    check(
        &device(&format!("{gnss}, sky: {{satellites: 3}}")),
        "w.yaml:8:116: `satellites`: expected a whole number from 6 to 200, found `3`",
    );
    check(
        &device(&format!("{gnss}, sky: {{elevation_mask_deg: .nan}}")),
        "w.yaml:8:124: `elevation_mask_deg`: expected a finite number [deg], found `.nan`",
    );
    check(
        &device("kind: gnss_heading, baseline_std_m: 0.01"),
        "w.yaml:8:19: missing key `antennas_m` (positions of the antennas in the sensor frame) in `device`",
    );
    check(
        &device("kind: gnss_heading, baseline_std_m: 0.01, antennas_m: [[0, 0, 0], [0, 0, 1]]"),
        "w.yaml:8:100: the horizontal distance of the antennas is 0 m; expected at least 0.01 m",
    );
}

#[test]
fn invalid_filters_are_rejected() {
    check(
        &device("kind: ahrs, gyro: {density: -1}"),
        "w.yaml:8:74: `density`: expected a non-negative number, found `-1`",
    );
    check(
        &device("kind: ahrs, tilt_time_constant_s: 0"),
        "w.yaml:8:80: `tilt_time_constant_s`: expected a positive number [s], found `0`",
    );
    check(
        &device("kind: ahrs, bias_time_constant_s: 1.5"),
        "w.yaml:8:80: `bias_time_constant_s` is 1.5; expected two samples or more (2 s)",
    );
    check(
        &device("kind: ahrs, iron_nt: [1, 2]"),
        "w.yaml:8:67: `iron_nt`: expected 3 numbers [nT], found 2",
    );
    check(
        &device("kind: ins, innovation_gate: 0"),
        "w.yaml:8:74: `innovation_gate`: expected a positive number, found `0`",
    );
    check(
        &device("kind: ins, start_attitude_std_deg: [.nan, 0, 0]"),
        "w.yaml:8:82: `start_attitude_std_deg[0]`: expected a finite number [deg], found `.nan`",
    );
}

#[test]
fn invalid_ins_aids_are_rejected() {
    let with = |of_truth: &str, of_ins: &str| {
        format!(
            "robots:\n  r:\n    model:\n      source: test\n      body: {{source: test, axes: flu, mass_kg: 10, \
             inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}\n      links: {{arm: {{parent: base_link, joint: {{kind: continuous, axis: [0, 0, 1]}}, \
             body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}}}}}\n      sensors:\n        \
             d: {{device: waterlinked_a50}}\n        e: {{device: waterlinked_a50, link: arm}}\n        t: {{device: truth{of_truth}}}\n        \
             s: {{device: ins_fog{of_ins}}}\n"
        )
    };
    check(&with("", ", aids: {dvl: d}"), "accepted");
    check(
        &with(", aids: {dvl: d}", ""),
        "w.yaml:10:34: t is of the kind `odometry`; only an `ins` can have `aids`",
    );
    check(
        &with("", ", aids: {dvl: dd}"),
        "w.yaml:11:42: no sensor `dd`",
    );
    check(
        &with("", ", aids: {gnss: d}"),
        "w.yaml:11:43: d is of the kind `dvl`; expected `gnss`",
    );
    check(
        &with("", ", aids: {dvl: e}"),
        "w.yaml:11:42: e is on another link than s",
    );
    check(
        &with("", ", aids: {depth: d}"),
        "w.yaml:11:37: unknown key `depth` in `aids`; expected one of `dvl`, `gnss`, `pressure`",
    );
}

/// A line of YAML cannot allocate gigabytes. Method: a step of 1 us, an equally high rate, a
/// latency of seconds.
#[test]
fn readings_in_flight() {
    let text = "step: {dt_s: 0.000001}\n".to_string() + &device("kind: odometry, latency_s: 1");
    check(
        &text.replace("rate_hz: 1,", "rate_hz: 1000000,"),
        "w.yaml:9:43: s1 would have 1000000 readings in transit at once; expected at most 10000; lower the rate or `latency_s`",
    );
}

#[test]
fn invalid_tilting_lasers_are_rejected() {
    check(
        &device(
            "kind: tilting_laser, azimuth_deg: [-45, 45], beams: 91, max_range_m: 30, tilt_deg: [30, -20], tilt_period_s: 1.5",
        ),
        concat!(
            "w.yaml:8:129: `tilt_deg` is [30, -20]; expected the smaller value first\n",
            "w.yaml:8:155: `tilt_period_s` is 1.5, which is 1.500 scans; expected 2 to 43956"
        ),
    );
    check(
        &device(
            "kind: tilting_laser, azimuth_deg: [-45, 45], beams: 91, max_range_m: 30, tilt_deg: [.nan, 200], tilt_period_s: 0",
        ),
        concat!(
            "w.yaml:8:130: `tilt_deg[0]`: expected a finite number [deg], found `.nan`\n",
            "w.yaml:8:136: `tilt_deg[1]`: expected a number from -180 to 180 [deg], found `200`\n",
            "w.yaml:8:157: `tilt_period_s`: expected a positive number [s], found `0`"
        ),
    );
    check(
        &device("kind: tilting_laser, azimuth_deg: [-45, 45], beams: 91, max_range_m: 30"),
        concat!(
            "w.yaml:8:19: missing key `tilt_deg` (minimum and maximum angle of the tilt unit, positive downwards) in `device`\n",
            "w.yaml:8:19: missing key `tilt_period_s` (period of the tilt motion, back and forth) in `device`"
        ),
    );
}

#[test]
fn quality_of_service() {
    let with = |qos: &str| bluerov2(&format!("sensors: {{imu: {{qos: {qos}}}}}"));
    check(
        &with("{depth: 0}"),
        "w.yaml:5:36: `depth`: expected a whole number from 1 to 1000, found `0`",
    );
    check(
        &with("{depth: 1000000000}"),
        "w.yaml:5:36: `depth`: expected a whole number from 1 to 1000, found `1000000000`",
    );
    check(
        &with("{reliability: best_efort}"),
        "w.yaml:5:42: `reliability`: expected one of `reliable`, `best_effort`, found string `best_efort`; did you mean `best_effort`?",
    );
    check(
        &with("{durability: volatile}"),
        "w.yaml:5:29: unknown key `durability` in `qos`; expected one of `reliability`, `depth`",
    );
}

/// A distortion that is impossible for a lens is rejected in one line. Method: barrel distortions
/// that are not monotonic up to an edge of the image. The calibration of a wide lens is accepted if
/// only its corners are beyond the limit.
#[test]
fn distortions_that_are_not_monotonic() {
    let camera = |keys: &str| {
        device(&format!(
            "kind: camera, width: 640, height: 480, horizontal_fov_deg: 70, distortion: {{{keys}}}"
        ))
    };
    let printed = |far: u32| {
        format!(
            "w.yaml:8:121: the distortion reverses {far} px from the centre, but the edge is at 240 px; expected no reversal within the image of 640 x 480; check the signs of its coefficients, and the lens's angle"
        )
    };
    // r (1 - 5 r^2) is greatest at r = 1/sqrt(15): 2/3 of that times the focal length of 457.01 px.
    check(&camera("kind: plumb_bob, k1: -5"), &printed(79));
    check(&camera("kind: fisheye, k1: -5"), &printed(90));
    for good in [
        "kind: plumb_bob, k1: -0.28, k2: 0.09",
        "kind: fisheye, k1: 0.02",
    ] {
        assert_eq!(notes(&camera(good)), [""; 0], "{good}");
    }
    let corners = notes(
        &camera("kind: plumb_bob, k1: -0.2")
            .replace("horizontal_fov_deg: 70", "horizontal_fov_deg: 75"),
    );
    assert_eq!(
        corners,
        [
            "w.yaml:8:121: the distortion reverses in the corners of the image: these pixels have no ray"
        ]
    );
}

/// Returns the notes of a valid world.
fn notes(text: &str) -> Vec<String> {
    match load_text("w.yaml", text, Overrides::default()) {
        Ok(world) => world.notes.iter().map(ToString::to_string).collect(),
        Err(problems) => panic!("{problems}"),
    }
}

/// A sensor inside an opaque object and a sensor far from its robot are reported. Method: a camera
/// that renders its own robot and is inside a shape and inside a hull of it; a laser inside a wall;
/// a position in millimetres; the same sensors outside.
#[test]
fn impossible_sensor_positions() {
    let with = |device: &str, place: &str| {
        let body = "{source: test, axes: flu, mass_kg: 10, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}, collisions: {frame: {kind: box, size_m: [1, 1, 1]}}}";
        format!(
            "structures: {{wall: {{position_m: [5, 0, 0], shapes: {{s: {{kind: cylinder, radius_m: 1, length_m: 4}}}}}}}}\nrobots:\n  r:\n    model:\n      source: test\n      body: {body}\n      sensors:\n        s: {{position_m: {place}, device: {device}}}\n"
        )
    };
    let camera = "{source: test, rate_hz: 1, kind: camera, width: 64, height: 48, horizontal_fov_deg: 70, render_self: true}";
    let laser = "{source: test, rate_hz: 1, kind: laser, azimuth_deg: [-90, 90], beams: 181, max_range_m: 30}";
    let check = |device: &str, place: &str, expected: &[&str]| {
        assert_eq!(notes(&with(device, place)), expected, "{place}")
    };
    check(
        camera,
        "[0.3, 0, 0]",
        &[
            "w.yaml:8:25: s is within its robot's shape base_link/frame, which it renders; expected a position outside, found [0.3, 0, 0]; move it, or set `render_self: false` on the camera",
        ],
    );
    check(camera, "[0.6, 0, 0]", &[]);
    check(
        &camera.replace("render_self: true", "render_self: false"),
        "[0.3, 0, 0]",
        &[],
    );
    check(laser, "[0.3, 0, 0]", &[]);
    check(
        laser,
        "[5, 0.5, 1]",
        &[
            "w.yaml:8:25: s is inside the structure wall and measures only this structure; expected a position outside, found [5.00, 0.50, 1.00] in the world",
        ],
    );
    check(laser, "[5, 0.5, 2.1]", &[]);
    check(
        laser,
        "[200, 0, 0]",
        &[
            "w.yaml:8:25: s is 200.0 m from the link that carries it, r reaches 0.0 m; expected metres, and a position on the robot",
        ],
    );
    let hull = with(camera, "[0.3, 0, 0]").replace(
        "collisions: {frame: {kind: box, size_m: [1, 1, 1]}}",
        "volume_m3: 0.01, hull: {kind: box, size_m: [1, 1, 1]}",
    );
    assert_eq!(notes(&hull).len(), 1, "{:?}", notes(&hull));
}

/// A camera or laser whose frame takes longer than its period, and a lens whose principal point is
/// outside the image, are reported. Method: one error each.
#[test]
fn impossible_cameras_and_lasers() {
    let camera = "kind: camera, width: 64, height: 48, focal_px: [40, 40]";
    let at = |keys: &str| 46 + keys.len();
    for (key, time) in [("exposure_s", 5), ("readout_s", 2)] {
        let keys = format!("{camera}, {key}: ");
        let text = format!(
            "w.yaml:8:{}: `{key}` is {time}; expected at most the image period of 1 s",
            at(&keys)
        );
        check(&device(&format!("{keys}{time}")), &text);
    }
    let laser = "kind: laser, azimuth_deg: [-90, 90], beams: 181, max_range_m: 30, sweep_s: ";
    let text = format!(
        "w.yaml:8:{}: `sweep_s` is 3; expected at most the scan period of 1 s",
        at(laser)
    );
    check(&device(&format!("{laser}3")), &text);
    for distortion in ["plumb_bob", "fisheye"] {
        for center in ["[500, 20]", "[5000, 5000]", "[20, -1]"] {
            let keys = format!("{camera}, distortion: {{kind: {distortion}}}, center_px: ");
            let text = format!(
                "w.yaml:8:{}: `center_px` is {center}; expected within the image, [0, 0] to [63, 47]",
                at(&keys)
            );
            check(&device(&format!("{keys}{center}")), &text);
        }
    }
    let gnss = "kind: gnss, horizontal_std_m: 1, vertical_std_m: 1, systems: ";
    check(
        &device(&format!("{gnss}[gps, navstar]")),
        &format!(
            "w.yaml:8:{}: `systems[1]`: expected one of `gps`, `glonass`, `beidou`, `galileo`, found string `navstar`",
            at(gnss) + 6
        ),
    );
}

/// A lamp that follows a load of a robot without loads is reported as such, without an empty list
/// of suggestions. Method: that lamp.
#[test]
fn a_lamp_without_loads() {
    check(
        &crate::input::plain("lamps: {left: {lumens: 1500, load: lights}}"),
        "w.yaml:6:42: no load `lights`; there are none",
    );
}
