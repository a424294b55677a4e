//! Tests of wrong modems, medium access protocols and bridges.
//!
//! Goal: each error is reported at its position, with a message that states how to fix it. Method:
//! the exact message.

use crate::common::folder::Folder;
use crate::common::scene;
use crate::input::{check, plain};
use merrow::modem::bridges;
use merrow_model::state::Command;
use merrow_model::state::comms::ModemCommand;
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_text};
use std::process::Command as Process;
use std::sync::Arc;

/// Returns a robot with the modem `m`, whose keys are in line 8, column 14, and one more modem.
fn modem(keys: &str) -> String {
    plain(&format!(
        "modems:\n        m: {{{keys}}}\n        n: {{modem: evologics_s2c_r_18_34}}"
    ))
}

/// Returns a world with two radios on robots and a fixed one, and a bridge in line 10 whose keys
/// begin in column 7.
fn bridge(keys: &str) -> String {
    format!(
        "robots:\n  a: {{position_m: [0, 0, 1], model: {{source: test, body: {{source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {{xx: 1, yy: 1, zz: 1}}}}, sensors: {{p: {{device: bar30}}}}, modems: {{r: {{modem: wifi_80211n}}}}}}}}\n  b:\n    position_m: [9, 0, 1]\n    model:\n      extends: robots/bluerov2.yaml\n      modems: {{r: {{modem: wifi_80211n}}}}\nmodems: {{shore: {{modem: wifi_80211n}}, far: {{modem: lora_868}}}}\nbridges:\n  x: {{{keys}}}\n"
    )
}

/// Returns the messages about the bridges of a world in memory.
fn bridge_messages(text: &str) -> String {
    let world = load_text("w.yaml", text, Overrides::default());
    let world = world.unwrap_or_else(|problems| panic!("{problems}"));
    match bridges::check(&world) {
        Ok(()) => "accepted".into(),
        Err(lines) => lines.join("\n"),
    }
}

#[test]
fn invalid_modems_are_rejected() {
    let acoustic = "kind: acoustic, source: a, max_power_w: 1, source_level_db: 180, spreading: 2, \
                    absorption: thorp, schemes: [{name: s, modulation: qpsk, rate_bit_s: 100}]";
    for (keys, expected) in [
        (format!("modem: {{{acoustic}}}"), "w.yaml:7:20: missing key `band_khz` (lowest and highest frequency) in `modem`"),
        (
            format!("modem: {{{acoustic}, band_khz: [30, 20]}}"),
            "w.yaml:7:186: `band_khz`: expected the lower frequency first, found 30 to 20",
        ),
        (
            "modem: evologics_s2c_r_18_34, address: 3}\n        k: {modem: seatrac_x110, address: 3".to_string(),
            "w.yaml:8:43: r/k has the address 3 of r/m; expected a unique address",
        ),
        (
            "modem: evologics_s2c_r_18_34, mac: {kind: tdma, frame_s: 1, slots_s: []}".to_string(),
            "w.yaml:7:82: `slots_s`: expected a list of lists of 2 numbers from 0 to 1000000 that is not empty, found an empty list",
        ),
        (
            "modem: evologics_s2c_r_18_34, mac: {kind: tdma, frame_s: 1, slots_s: [[0.5, 0.6]]}".to_string(),
            "w.yaml:7:12: modem r/m: TDMA with a slot that ends after the frame; expected slots within the frame",
        ),
        (
            "modem: evologics_s2c_r_18_34, power_w: 100".to_string(),
            "w.yaml:7:52: r/m: `power_w` is 100 W; expected at most the maximum power of 80 W",
        ),
        (
            "modem: evologics_s2c_r_18_34, scheme: brust".to_string(),
            "w.yaml:7:51: r/m: no scheme `brust`; expected `adaptive` or one of `instant_message`, `burst`; did you mean `burst`?",
        ),
    ] {
        check(&modem(&keys), expected);
    }
}

#[test]
fn invalid_bridges_are_rejected() {
    for (keys, expected) in [
        (
            "from: a/r, to: c/r, topic: /a/p/data",
            "w.yaml:10:22: x: no modem `c/r`; expected the name of a modem such as `rov/acoustic`",
        ),
        (
            "from: a/r, to: far, topic: /a/p/data",
            "w.yaml:10:22: x: far does not receive from a/r; expected another modem with the same medium, band and rates",
        ),
        (
            "from: a/r, to: all, topic: /a/p/data, received_as: /q",
            "w.yaml:10:58: x: `received_as` is not possible with `to: all`; remove the key",
        ),
        (
            "from: a/r, to: b/r",
            "w.yaml:10:6: x: missing key `topic` or `service`; add one of them",
        ),
        (
            "from: a/r, to: b/r, topic: /a/p/data, service: /b/arm",
            "w.yaml:10:54: x: expected either `topic` or `service`, found both; remove one of them",
        ),
        (
            "from: a/r, to: all, service: /b/arm",
            "w.yaml:10:22: x: `to: all` is not possible with `service`; name one modem",
        ),
        (
            "from: a/r, to: a/r, service: /a/arm",
            "w.yaml:10:22: x: a/r does not receive from a/r; expected another modem with the same medium, band and rates",
        ),
        (
            "from: a/r, to: b/r, topic: /a/p/data, timeout_s: 3",
            "w.yaml:10:56: `timeout_s` has no effect without `service`",
        ),
        (
            "from: a/r, to: b/r, service: /b/arm, received_as: /q",
            "w.yaml:10:57: `received_as` has no effect without `topic`",
        ),
    ] {
        check(&bridge(keys), expected);
    }
}

// Goal: the services of bridges are checked when a world is loaded. Method: an unknown service,
// unknown and wrong types, names that exist, a loop; chains and defaults without an error.
#[test]
fn services_of_bridges_are_checked() {
    let chain = "from: b/r, to: a/r, service: /a/go, service_type: std_srvs/srv/Trigger";
    for (keys, expected) in [
        (
            "from: a/r, to: b/r, service: /b/go",
            "w.yaml:10:36: bridge x: unknown service /b/go: the simulator does not offer it; add `service_type` for a service of another node",
        ),
        (
            "from: a/r, to: b/r, service: /b/go, service_type: std_srvs/srv/Go",
            "w.yaml:10:36: bridge x: unknown service type std_srvs/srv/Go; expected a type of Merrow, such as std_srvs/srv/Trigger, or of a package in AMENT_PREFIX_PATH",
        ),
        (
            "from: a/r, to: b/r, service: /b/r/set_mac, service_type: std_srvs/srv/Trigger",
            "w.yaml:10:36: bridge x: `service_type`: found std_srvs/srv/Trigger, but the type of /b/r/set_mac is merrow/srv/SetModemMac",
        ),
        (
            "from: a/r, to: b/r, service: /b/r/set_mac, offered_as: /a/r/set_mac",
            "w.yaml:10:36: bridge x: the simulator already offers /a/r/set_mac; set `offered_as` to another name",
        ),
        (
            &format!("{chain}}}\n  y: {{{chain}"),
            "w.yaml:11:36: bridge y: bridge x already offers /b/a/go; set `offered_as` to another name",
        ),
        (
            &format!("{chain}, offered_as: /a/go"),
            "w.yaml:10:36: bridge x: a call of /a/go passes through its own bridge again; expected bridges without a loop",
        ),
        (
            &format!("{chain}}}\n  y: {{from: shore, to: b/r, service: /b/a/go"),
            "accepted",
        ),
        ("from: a/r, to: b/r, service: /b/r/set_mac", "accepted"),
        ("from: a/r, to: b/r, service: /b/arm", "accepted"),
    ] {
        assert_eq!(bridge_messages(&bridge(keys)), expected, "{keys}");
    }
}

// Goal: the topics of bridges are checked when a world is loaded. Method: an unknown topic, unknown
// and wrong types, a topic that cannot be transmitted, and a loop; a chain without an error.
#[test]
fn topics_of_bridges_are_checked() {
    let second = "from: b/r, to: a/r, topic: /b/chat, received_as: /a/chat, message_type: std_msgs/msg/String}\n  y: {from: a/r, to: b/r, topic: /a/chat, received_as: /b/chat";
    for (keys, expected) in [
        (
            "from: a/r, to: b/r, topic: /a/p/deep",
            "w.yaml:10:34: bridge x: unknown topic /a/p/deep: the simulator does not publish it; add `message_type` for a topic of another node",
        ),
        (
            "from: a/r, to: b/r, topic: /chat, message_type: std_msgs/msg/Text",
            "w.yaml:10:34: bridge x: unknown message type std_msgs/msg/Text; expected a type of Merrow, such as std_msgs/msg/String, or of a package in AMENT_PREFIX_PATH",
        ),
        (
            "from: a/r, to: b/r, topic: /a/p/data, message_type: std_msgs/msg/String",
            "w.yaml:10:34: bridge x: `message_type` is std_msgs/msg/String, but the messages on /a/p/data are sensor_msgs/msg/FluidPressure",
        ),
        (
            "from: a/r, to: b/r, topic: /diagnostics",
            "w.yaml:10:34: bridge x: the topic /diagnostics cannot be transmitted; expected a topic of a robot, a modem, a coupling, a tether or another node",
        ),
        (
            second,
            "w.yaml:10:34: bridge x: the topic /b/chat passes through its own bridge again; expected bridges without a loop\nw.yaml:11:34: bridge y: the topic /a/chat passes through its own bridge again; expected bridges without a loop",
        ),
        (
            "from: b/r, to: shore, topic: /b/a/p/data}\n  y: {from: a/r, to: b/r, topic: /a/p/data",
            "accepted",
        ),
    ] {
        assert_eq!(bridge_messages(&bridge(keys)), expected, "{keys}");
    }
}

// Goal: a bridge to an unknown topic is one line with its place, without a node. Method: the
// commands `check`, `describe` and `run --no-ros`.
#[test]
fn commands_report_bridges_without_a_topic() {
    let folder = Folder::new(
        "bridges",
        &[("w.yaml", &bridge("from: a/r, to: b/r, topic: /a/p/deep"))],
    );
    let path = folder.0.join("w.yaml");
    for arguments in [
        &["check"][..],
        &["describe"],
        &["run", "--no-ros", "--for", "0.1"],
    ] {
        let output = Process::new(env!("CARGO_BIN_EXE_merrow"))
            .args(arguments)
            .arg(&path)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success(), "{arguments:?}");
        let lines: Vec<&str> = text.lines().filter(|l| l.contains("bridge x")).collect();
        assert_eq!(lines.len(), 1, "{text}");
        let place = format!("{}:10:", path.display());
        assert!(
            lines[0].contains(&place) && lines[0].contains("/a/p/deep"),
            "{text}"
        );
    }
}

// Goal: a packet over the limit is refused with the limit. Method: one byte more than 64 frames.
#[test]
fn packets_over_the_limit_are_refused() {
    let mut simulation =
        Simulation::new(Arc::new(scene(&modem("modem: seatrac_x110"))), 1).unwrap();
    let limit = simulation.scene.modems[1].framing.max_message();
    let send = |length| {
        Command::Modem(ModemCommand::Send {
            modem: 1,
            destination: 65535,
            payload: vec![0; length],
            priority: 0,
            is_acknowledged: false,
            key: None,
            power: None,
        })
    };
    assert!(simulation.apply(&send(limit)).is_ok());
    let error = simulation.apply(&send(limit + 1)).expect_err("refused");
    assert_eq!(
        error.reason,
        format!(
            "modem r/n: message of {} bytes; expected at most {limit}",
            limit + 1
        )
    );
    assert_eq!(error.robot, Some(0));
}
