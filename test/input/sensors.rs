//! Sensors.
//!
//! Goal: each mistake is found at its place and said so that its author can mend it. Method: the exact message.

use super::{bluerov2, check, device};

#[test]
fn rates() {
    check(
        &bluerov2("sensors: {imu: {rate_hz: 600, device: {max_rate_hz: 500}}}"),
        concat!(
            "w.yaml:5:32: imu is asked for 600 samples per second, the device gives at most 500\n",
            "w.yaml:5:32: imu is asked for 600 samples per second, the step allows 500: lower the rate or `dt_s`"
        ),
    );
    check(
        &("step: {dt_s: 0.01}\n".to_string() + &bluerov2("sensors: {imu: {rate_hz: 200}}")),
        "w.yaml:6:32: imu is asked for 200 samples per second, the step allows 100: lower the rate or `dt_s`",
    );
    check(
        &bluerov2("sensors: {imu: {rate_hz: 0}}"),
        "w.yaml:5:32: `rate_hz`: expected a positive number [Hz], found `0`",
    );
    check(
        &device("kind: odometry, latency_s: 120"),
        "w.yaml:8:73: `latency_s`: expected a number from 0 to 60 [s], found `120`",
    );
    check(
        &device("kind: odometry, drop_out: 2"),
        "w.yaml:8:72: `drop_out`: expected a number from 0 to 1, found `2`",
    );
}

#[test]
fn dvl_and_altimeter() {
    check(
        &device("kind: dvl, beam_angle_deg: 30, bottom_std_m_s: 0.01, altitude_m: [50, 0.5]"),
        "w.yaml:8:111: `altitude_m` is [50, 0.5], expected the lesser first",
    );
    check(
        &device(
            "kind: dvl, beam_angle_deg: 30, bottom_std_m_s: 0.01, altitude_m: [0.5, 50], water_layer_m: [4, 2]",
        ),
        "w.yaml:8:137: `water_layer_m` is [4, 2], expected the lesser first",
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
    check(
        &device("kind: altimeter, min_range_m: 10, max_range_m: 1"),
        "w.yaml:8:76: `min_range_m` is 10, expected less than `max_range_m` 1",
    );
}

#[test]
fn noise() {
    check(
        &device("kind: pressure, errors: {density: -1}"),
        "w.yaml:8:80: `density`: expected a non-negative number, found `-1`",
    );
    check(&device("kind: pressure, errors: 3"), "w.yaml:8:70: `errors`: expected a map with keys, found `3`");
    check(
        &device("kind: imu, gyro: {bias_correlation_time_s: 0}"),
        "w.yaml:8:89: `bias_correlation_time_s`: expected a positive number [s], found `0`",
    );
    check(
        &device("kind: imu, attitude_std_deg: [1, 1]"),
        "w.yaml:8:75: `attitude_std_deg`: expected 3 non-negative numbers [deg], found 2",
    );
}

/// Goal: a line of YAML cannot ask for gigabytes. Method: a step of 1 us, a rate as high, a latency of seconds.
#[test]
fn readings_on_their_way() {
    let text = "step: {dt_s: 0.000001}\n".to_string() + &device("kind: odometry, latency_s: 1");
    check(
        &text.replace("rate_hz: 1,", "rate_hz: 1000000,"),
        "w.yaml:9:43: s1 would have 1000000 readings on their way at once, expected no more than 10000: lower the rate or `latency_s`",
    );
}
