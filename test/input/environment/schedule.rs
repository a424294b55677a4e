//! Tests of wrong schedules.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::input::check;

fn with(entry: &str) -> String {
    format!("schedule: {{x: {{time_s: 1, {entry}}}}}\nrobots: {{r: {{model: bluerov2}}}}\n")
}

#[test]
fn invalid_schedules_are_rejected() {
    for (entry, expected) in [
        (
            "robot: rr, kind: arm, on: true",
            "w.yaml:1:34: no robot `rr`; expected `r`",
        ),
        ("kind: arm, on: true", "w.yaml:1:15: `robot` is missing"),
        (
            "robot: r, kind: thrusters, values: {t9: 1500}",
            "w.yaml:1:63: no thruster `t9`; expected one of `t1`, `t2`, `t3`, `t4`, `t5`, `t6`",
        ),
        (
            "robot: r, kind: fins, angles_rad: {rudder: 0.1}",
            "w.yaml:1:62: no fin `rudder`; there are none",
        ),
        (
            "robot: r, kind: mode, mode: hover",
            "w.yaml:1:55: no mode `hover`; expected one of `off`, `manual`, `stabilize`, `heading_hold`, `depth_hold`, `velocity`, `station_keeping`, `path_following` and 1 more",
        ),
        (
            "robot: r, kind: goal, position_m: [0, .nan, 0]",
            "w.yaml:1:65: `position_m[1]`: expected a finite number [m], found `.nan`",
        ),
        (
            "kind: coupling, coupling: dock, engage: true",
            "w.yaml:1:53: no coupling `dock`; there are none",
        ),
        (
            "kind: weather, wind_speed_m_s: 5",
            "w.yaml:1:15: expected `wind_speed_m_s` and `wind_from_deg` together",
        ),
        (
            "robot: r, kind: push, duration_s: 0",
            "w.yaml:1:61: `duration_s`: expected a positive number [s], found `0`",
        ),
        (
            "robot: r, kind: noise, sensor: sonar, on: true",
            "w.yaml:1:58: no sensor `sonar`; expected one of `imu`, `pressure`, `altimeter`, `magnetometer`, `odometry`",
        ),
        (
            "robot: r, kind: gain, axis: yaw, error: speed, value: 2",
            "w.yaml:1:67: `error`: expected one of `position`, `integral`, `velocity`, found string `speed`",
        ),
        (
            "kind: waves, hs_m: 3, tp_s: 2",
            "w.yaml:1:46: `hs_m`: waves of 3 m height and 2 s period are 6.245 m long in 100 m of water and break above 0.887 m; lower the height or lengthen the period",
        ),
        (
            "kind: modem_send, from: r/m, text: hello",
            "w.yaml:1:51: no modem `r/m`; there are none",
        ),
        (
            "robot: r, kind: mode, mode: dive",
            "w.yaml:1:55: mode dive: the firmware has the modes off, manual, stabilize, heading_hold, depth_hold, velocity, station_keeping and path_following",
        ),
        (
            "robot: r, kind: thrusters, values: {t1: 5000}",
            "w.yaml:1:63: thruster t1: expected 1100 to 1900 [us], found 5000",
        ),
        (
            "robot: r, kind: velocity, duration_s: 1e9",
            "w.yaml:1:65: the schedule has more than 1000000 commands",
        ),
    ] {
        check(&with(entry), expected);
    }
}
