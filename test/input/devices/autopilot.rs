//! Tests of wrong connections to autopilots, and of the outputs of the frames.
//!
//! Each error is reported at its position; the frames assign the outputs to the thrusters whose
//! direction they have. Method: the exact message; the outputs of shipped robots compared with the
//! tables of ArduPilot (AP_Motors6DOF.cpp, AP_MotorsMatrix.cpp).

use crate::input::check;
use merrow_model::scene::Scene;
use merrow_model::scene::autopilot::ServoDevice;
use merrow_world::{Overrides, data_dir, load_text};

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
        "w.yaml:5:26: `frame`: the 6 thrusters of r are not arranged as the 8 outputs of this frame; use `frame: custom` and `outputs`",
    );
    check(
        &with("firefly", "kind: ardupilot, frame: hexa_x"),
        "w.yaml:5:43: `frame`: the 6 thrusters of r are not arranged as the 6 outputs of this frame; use `frame: custom` and `outputs`",
    );
    check(
        &with("bluerov2", "frame: sailboat"),
        "w.yaml:5:26: `frame`: r has no sail or no rudder",
    );
    check(
        &with("firefly", "kind: ardupilot"),
        "w.yaml:5:18: the autopilot has no outputs; give `frame` or `outputs`",
    );
    check(
        &with("bluerov2", "imu: gyro"),
        "w.yaml:5:24: no sensor `gyro` of this kind on the base; expected `imu`",
    );
    check(
        &with("bluerov2", "rangefinders: [imu]"),
        "w.yaml:5:33: no sensor `imu` of this kind on the base; expected `altimeter`",
    );
    check(
        &with(
            "bluerov2",
            &format!("rangefinders: [{}]", ["altimeter"; 7].join(", ")),
        ),
        "w.yaml:5:33: `rangefinders`: expected at most 6 names, found 7",
    );
    check(
        &with("bluerov2", "address: here"),
        "w.yaml:5:28: `address`: expected an IP address, found `here`",
    );
    check(
        &with(
            "bluerov2",
            "outputs: {t9: {channel: 1, command: [-1, 0, 1]}}",
        ),
        "w.yaml:5:29: no thruster, fin, joint or load `t9`; expected one of `t1`, `t2`, `t3`, `t4`, `t5`, `t6`",
    );
    check(
        &with(
            "bluerov2",
            "outputs: {t1: {channel: 1, pwm: [1900, 1500, 1100], command: [-1, 0, 1]}}",
        ),
        "w.yaml:5:51: `pwm`: expected ascending values, found [1900.0, 1500.0, 1100.0]",
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
        "w.yaml:3:6: the autopilots of a and b have the same port 9002; give another `instance`",
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
        "w.yaml:5:57: no sensor `imu` of this kind on the base; expected `gps`",
    );
    check(
        &with("wamv", "kind: px4, frame: hexa_x"),
        "w.yaml:5:37: `frame`: the 2 thrusters of r are not arranged as the 6 outputs of this frame; use `frame: custom` and `outputs`",
    );
    check(
        &with(
            "wamv",
            "kind: px4, outputs: {left: {channel: 1, control: [1, 0, -1], command: [-1, 0, 1]}}",
        ),
        "w.yaml:5:68: `control`: expected ascending values, found [1.0, 0.0, -1.0]",
    );
}

#[test]
fn invalid_ground_stations_are_rejected() {
    check(
        "robots: {r: {model: bluerov2, mavlink: {udp: qgc}}}",
        "w.yaml:1:46: `udp`: expected an IP address and a port such as `127.0.0.1:14550`, found `qgc`",
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

/// Output of an autopilot: channel, name of the device, and whether its command increases
/// with the output.
type Output = (usize, String, bool);
/// Output in a table of this file.
type ExpectedOutput = (usize, &'static str, bool);

/// Returns the outputs of robot `model` by channel; `None` without an autopilot.
fn outputs(model: &str) -> Option<Vec<Output>> {
    let overrides = Overrides {
        autopilots: true,
        ..Overrides::default()
    };
    let scene = scene(&format!("robots: {{r: {{model: {model}}}}}"), overrides);
    let robot = &scene.robots[0];
    let autopilot = robot.autopilot.as_ref()?;
    assert!(autopilot.enabled);
    let outputs = autopilot.outputs.iter().map(|output| {
        let name = match output.device {
            ServoDevice::Thruster(k) => robot.thrusters[k].name.clone(),
            ServoDevice::Fin(k) => robot.fins[k].name.clone(),
            ServoDevice::Load(k) => robot.loads[k].name.clone(),
            other @ ServoDevice::Joint(_) => panic!("{other:?}"),
        };
        let is_ascending = output.command[2] > output.command[0];
        (output.channel + 1, name, is_ascending)
    });
    let mut outputs: Vec<_> = outputs.collect();
    outputs.sort();
    Some(outputs)
}

/// Outputs of the BlueROV2 Heavy, whose rear horizontal thrusters push backwards.
const HEAVY: [ExpectedOutput; 8] = [
    (1, "t1", false),
    (2, "t2", false),
    (3, "t3", false),
    (4, "t4", false),
    (5, "t5", false),
    (6, "t6", false),
    (7, "t7", false),
    (8, "t8", false),
];
/// The same with lamps.
const INSPECTION: [ExpectedOutput; 9] = {
    let mut all = [(9, "lights", true); 9];
    let mut k = 0;
    while k < HEAVY.len() {
        all[k] = HEAVY[k];
        k += 1;
    }
    all
};

/// Returns the outputs of a shipped robot, from the tables of ArduPilot and the positions in the
/// robot file.
///
/// AP_Motors6DOF.cpp, `vectored`: 1 front right, 2 front left, 3 rear right, 4 rear left, 5 right
/// and 6 left vertical. High outputs 1 and 2 push backwards, 3 and 4 forwards, 5 to 8 down.
/// `vectored_6dof`: verticals 5 front right, 6 front left, 7 rear right, 8 rear left.
/// AP_MotorsMatrix.cpp, hexa X: degrees to the right of the bow: 1 90, 2 -90, 3 -30, 4 150, 5 30,
/// 6 -150. Rover: 1 left and 3 right; of a sailing boat, 1 rudder and 4 sheet.
fn expected_outputs(model: &str) -> Option<&'static [ExpectedOutput]> {
    Some(match model {
        "bluerov2" => &[
            (1, "t1", false),
            (2, "t2", false),
            (3, "t3", true),
            (4, "t4", true),
            (5, "t5", false),
            (6, "t6", false),
        ],
        "bluerov2_heavy" => &HEAVY,
        "bluerov2_inspection" => &INSPECTION,
        "firefly_autopilot" => &[
            (1, "r4", true),
            (2, "r1", true),
            (3, "r0", true),
            (4, "r3", true),
            (5, "r5", true),
            (6, "r2", true),
        ],
        "heron" | "otter" => &[(1, "port", true), (3, "starboard", true)],
        "wamv" | "wamv_riverwatch" => &[(1, "left", true), (3, "right", true)],
        "sailboat" => &[(1, "rudder", false), (4, "sail", true)],
        _ => return None,
    })
}

fn owned(outputs: &[(usize, &str, bool)]) -> Vec<Output> {
    let owned = outputs
        .iter()
        .map(|(k, name, up)| (*k, name.to_string(), *up));
    owned.collect()
}

#[test]
fn shipped_robots_have_the_outputs_of_their_frames() {
    let mut count = 0;
    for model in data_dir::file_names("params/robots") {
        let expected = expected_outputs(&model).map(owned);
        assert_eq!(outputs(&model), expected, "{model}");
        count += usize::from(expected.is_some());
    }
    assert_eq!(count, 9);
}

#[test]
fn px4_frames_assign_outputs_by_position() {
    let model = |name: &str, frame: &str| {
        let keys = format!("kind: px4, enabled: true, frame: {frame}");
        format!("{{extends: robots/{name}.yaml, autopilot: {{{keys}}}}}")
    };
    // clockwise from the front right rotor: airframe 10044_sihsim_hex
    let rotors = ["r5", "r4", "r3", "r2", "r1", "r0"];
    let expected = (1..)
        .zip(rotors)
        .map(|(k, name)| (k, name.to_string(), true));
    let found = outputs(&model("firefly_autopilot", "hexa_x"));
    assert_eq!(found, Some(expected.collect()));
    for (name, right, left) in [
        ("wamv", "right", "left"),
        ("heron", "starboard", "port"),
        ("otter", "starboard", "port"),
    ] {
        let found = outputs(&model(name, "differential"));
        let expected = owned(&[(1, right, true), (2, left, true)]);
        assert_eq!(found, Some(expected), "{name}");
    }
}

#[test]
fn outputs_command_the_joints_of_a_gripper() {
    let joint = "{name: jaw, kind: prismatic, lower_m: 0, upper_m: 0.06, max_effort: 50, drive: {kind: position, max_speed: 0.1, max_acceleration: 1}}";
    let body =
        "{source: x, axes: flu, mass_kg: 0.1, inertia_kg_m2: {xx: 0.001, yy: 0.001, zz: 0.001}}";
    let links = format!("{{finger: {{parent: base_link, joint: {joint}, body: {body}}}}}");
    let outputs = "{jaw: {channel: 9, pwm: [1100, 1100, 1900], command: [0, 0, 0.06]}}";
    let text = format!(
        "robots: {{r: {{model: {{extends: robots/bluerov2.yaml, links: {links}, autopilot: {{enabled: true, outputs: {outputs}}}}}}}}}"
    );
    let scene = scene(&text, Overrides::default());
    let outputs = &scene.robots[0].autopilot.as_ref().unwrap().outputs;
    let jaw = outputs.iter().find(|output| output.channel == 8).unwrap();
    assert_eq!(jaw.device, ServoDevice::Joint(0));
    assert_eq!(jaw.command_from_input(1500.0), 0.03);
}
