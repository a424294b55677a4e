//! Tests of wrong connections to autopilots, and of the outputs of the frames.
//!
//! Goal: each error is reported at its position; the frames assign the outputs to the thrusters
//! whose direction they have. Method: the exact message; the outputs of shipped robots compared
//! with the tables of ArduPilot (AP_Motors6DOF.cpp, AP_MotorsMatrix.cpp). Tolerance: none.

use crate::input::check;
use merrow_model::scene::Scene;
use merrow_model::scene::autopilot::ServoDevice;
use merrow_world::{Overrides, load_text};

fn with(model: &str, autopilot: &str) -> String {
    format!(
        "robots:\n  r:\n    model:\n      extends: robots/{model}.yaml\n      autopilot: {{{autopilot}, enabled: true}}\n"
    )
}

#[test]
fn invalid_autopilots_are_rejected() {
    check(
        &with("bluerov2", "kind: px5"),
        "w.yaml:5:25: `kind`: expected one of `ardupilot`, `px4`, found string `px5`",
    );
    check(
        &with("bluerov2", "frame: vectored_6dof"),
        "w.yaml:5:26: `frame`: the 6 thrusters of r are not arranged as the 8 outputs of this frame: use `frame: custom` and `outputs`",
    );
    check(
        &with("firefly", "kind: ardupilot, frame: hexa_x"),
        "w.yaml:5:43: `frame`: the 6 thrusters of r are not arranged as the 6 outputs of this frame: use `frame: custom` and `outputs`",
    );
    check(
        &with("bluerov2", "frame: sailboat"),
        "w.yaml:5:26: `frame`: r has no sail or no rudder",
    );
    check(
        &with("firefly", "kind: ardupilot"),
        "w.yaml:5:18: the autopilot has no outputs: give `frame` or `outputs`",
    );
    check(
        &with("bluerov2", "imu: gyro"),
        "w.yaml:5:24: no sensor `gyro` of this kind on the base",
    );
    check(
        &with("bluerov2", "rangefinders: [imu]"),
        "w.yaml:5:33: no sensor `imu` of this kind on the base",
    );
    check(
        &with("bluerov2", "address: here"),
        "w.yaml:5:28: `address`: found `here`, expected an IP address",
    );
    check(
        &with(
            "bluerov2",
            "outputs: {t9: {channel: 1, command: [-1, 0, 1]}}",
        ),
        "w.yaml:5:29: no thruster, fin, joint or load `t9`",
    );
    check(
        &with(
            "bluerov2",
            "outputs: {t1: {channel: 1, pwm: [1900, 1500, 1100], command: [-1, 0, 1]}}",
        ),
        "w.yaml:5:51: `pwm`: found [1900.0, 1500.0, 1100.0], expected ascending values",
    );
    check(
        &with(
            "bluerov2",
            "outputs: {t1: {channel: 33, command: [-1, 0, 1]}}",
        ),
        "w.yaml:5:43: `channel`: expected a whole number from 1 to 32, found `33`",
    );
}

#[test]
fn two_autopilots_have_two_ports() {
    let world = |second: &str| {
        format!(
            "robots:\n  a: {{model: {{extends: robots/bluerov2.yaml, autopilot: {{enabled: true}}}}}}\n  \
             b: {{model: {{extends: robots/bluerov2.yaml, autopilot: {{enabled: true{second}}}}}, position_m: [3, 0, -1]}}\n"
        )
    };
    check(
        &world(", instance: 0"),
        "w.yaml:3:6: the autopilots of a and b have the same port 9002: give another `instance`",
    );
    let scene = scene(&world(""), Overrides::default());
    let ports = scene
        .robots
        .iter()
        .filter_map(|r| Some(r.autopilot.as_ref()?.port));
    assert_eq!(ports.collect::<Vec<_>>(), [9002, 9012]);
}

#[test]
fn invalid_px4_keys_are_rejected() {
    check(
        &with("wamv", "kind: px4, frame: differential, gnss: imu"),
        "w.yaml:5:57: no sensor `imu` of this kind on the base",
    );
    check(
        &with("wamv", "kind: px4, frame: hexa_x"),
        "w.yaml:5:37: `frame`: the 2 thrusters of r are not arranged as the 6 outputs of this frame: use `frame: custom` and `outputs`",
    );
    check(
        &with(
            "wamv",
            "kind: px4, outputs: {left: {channel: 1, control: [1, 0, -1], command: [-1, 0, 1]}}",
        ),
        "w.yaml:5:68: `control`: found [1.0, 0.0, -1.0], expected ascending values",
    );
}

#[test]
fn invalid_ground_stations_are_rejected() {
    check(
        "robots: {r: {model: bluerov2, mavlink: {udp: qgc}}}",
        "w.yaml:1:46: `udp`: found `qgc`, expected an IP address and a port such as `127.0.0.1:14550`",
    );
    check(
        "robots: {r: {model: bluerov2, mavlink: {system_id: 0}}}",
        "w.yaml:1:52: `system_id`: expected a whole number from 1 to 255, found `0`",
    );
}

fn scene(text: &str, overrides: Overrides) -> Scene {
    load_text("w.yaml", text, overrides)
        .unwrap_or_else(|problems| panic!("{problems}"))
        .scene
}

fn owned((channel, name, sign): (usize, &str, bool)) -> (usize, String, bool) {
    (channel, name.to_string(), sign)
}

/// Returns the channel, thruster or fin, and sign of the command at the high end of each output of
/// a shipped robot, by channel.
fn outputs(model: &str) -> Vec<(usize, String, bool)> {
    let overrides = Overrides {
        autopilots: true,
        ..Overrides::default()
    };
    let scene = scene(&format!("robots: {{r: {{model: {model}}}}}"), overrides);
    let robot = &scene.robots[0];
    let autopilot = robot.autopilot.as_ref().unwrap();
    assert!(autopilot.enabled);
    let outputs = autopilot.outputs.iter().map(|output| {
        let name = match output.device {
            ServoDevice::Thruster(k) => robot.thrusters[k].name.clone(),
            ServoDevice::Fin(k) => robot.fins[k].name.clone(),
            other => panic!("{other:?}"),
        };
        (
            output.channel + 1,
            name,
            output.command[2] > output.command[0],
        )
    });
    let mut outputs: Vec<_> = outputs.collect();
    outputs.sort();
    outputs
}

#[test]
fn shipped_robots_have_the_outputs_of_their_frames() {
    let expected = [(1, "port", true), (3, "starboard", true)];
    assert_eq!(outputs("heron"), expected.map(owned));
    let expected = [(1, "rudder", false), (4, "sail", true)];
    assert_eq!(outputs("sailboat"), expected.map(owned));
    for (model, channels) in [
        ("bluerov2", 6),
        ("bluerov2_heavy", 8),
        ("firefly_autopilot", 6),
    ] {
        let found = outputs(model);
        let numbers: Vec<_> = found.iter().map(|(channel, ..)| *channel).collect();
        assert_eq!(numbers, (1..=channels).collect::<Vec<_>>(), "{model}");
    }
}
