//! Tests of wrong modems, medium access protocols and bridges.
//!
//! Each error is reported at its position, with a message that states how to fix it. Method: the
//! exact message.

use crate::common::folder::Folder;
use crate::common::scene;
use crate::input::{check, plain};
use merrow::modem::bridges;
use merrow_model::state::Command;
use merrow_model::state::comms::{ModemCommand, Send};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::message::Message;
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_text, load_world};
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
            "w.yaml:7:51: r/m: no scheme `brust`; did you mean `burst`?",
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
            "w.yaml:10:22: x: no modem `c/r`; expected one of `a/r`, `b/r`, `shore`, `far`",
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

// The services of bridges are checked when a world is loaded. Method: an unknown service, unknown
// and wrong types, names that exist, a loop; chains and defaults without an error.
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
            "w.yaml:10:36: bridge x: `service_type`: found std_srvs/srv/Trigger, but the type of /b/r/set_mac is merrow_msgs/srv/SetModemMac",
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

// The topics of bridges are checked when a world is loaded. Method: an unknown topic, unknown and
// wrong types, a topic that cannot be transmitted, and a loop; a chain without an error.
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

/// Returns a world with two robots, whose modems have these keys, and a bridge in line 15 whose
/// keys begin in column 6.
fn pair(first: &str, second: &str, distance: f64, bridge: &str) -> String {
    format!(
        "seabed: {{depth_m: 200}}
robots:
  a:
    position_m: [0, 0, -50]
    model:
      extends: robots/bluerov2.yaml
      modems: {{ac: {{{first}}}}}
  b:
    position_m: [{distance}, 0, -50]
    model:
      extends: robots/bluerov2.yaml
      modems: {{ac: {{{second}}}}}
modems: {{c: {{modem: thetis_modem, position_m: [9, 0, -40]}}, d: {{modem: thetis_modem, position_m: [9000, 0, -40]}}}}
bridges:
  x: {{{bridge}}}
"
    )
}

/// Compares the beginning of the only message about a bridge between two modems.
#[track_caller]
fn check_pair(first: &str, second: &str, bridge: &str, expected: &str) {
    let found = bridge_messages(&pair(first, second, 30.0, bridge));
    assert!(
        found.starts_with(expected),
        "{first} {second} {bridge}:\n{found}\n{expected}"
    );
    assert_eq!(found.lines().count(), 1, "{found}");
}

const THETIS: &str = "modem: thetis_modem";
const ODOMETRY: &str = "from: a/ac, to: b/ac, topic: /a/odometry";
const ARM: &str = "from: a/ac, to: b/ac, service: /b/arm";

// A bridge whose messages never fit is an error of the check with its place, what was expected and
// found, and what to do. Method: each limit of the modems; the queue also just below and just above
// the limit.
#[test]
fn bridges_whose_messages_never_fit_are_rejected() {
    let queue = |n: u32| format!("{THETIS}, queue: {{max_size_bytes: {n}}}");
    let slot = |s: f64| format!("{THETIS}, mac: {{kind: tdma, frame_s: 20, slots_s: [[0, {s}]]}}");
    let message = "w.yaml:15:36: bridge x: no message on /a/odometry can be transmitted; expected";
    let response = "w.yaml:15:38: bridge x: no response of /b/arm can be transmitted; expected";
    let text = format!(
        "{message} at most 8 bytes, the queue of a/ac, found at least 710 bytes; raise `max_size_bytes` of the queue"
    );
    check_pair(&queue(8), THETIS, ODOMETRY, &text);
    let text = format!("{message} at most 709 bytes, the queue");
    check_pair(&queue(709), THETIS, ODOMETRY, &text);
    check_pair(&queue(710), THETIS, ODOMETRY, "accepted");
    let text = format!("{message} a frame of at most 0.5 s, the longest slot of a/ac, found ");
    check_pair(&slot(0.5), THETIS, ODOMETRY, &text);
    let text = format!("{response} a frame of at most 0.45 s, the longest slot of b/ac, found ");
    check_pair(THETIS, &slot(0.45), ARM, &text);
    let text = format!("{response} at most 8 bytes, the queue of b/ac, found at least ");
    check_pair(THETIS, &queue(8), ARM, &text);
    check_pair(THETIS, THETIS, ARM, "accepted");
}

// Timeouts that no response and no acknowledgement can meet are errors. Method: a timeout below the
// duration of the frames, and one below the travel time between fixed modems.
#[test]
fn timeouts_below_the_round_trip_are_rejected() {
    let late = |column: u32| {
        format!(
            "w.yaml:15:{column}: bridge x: no response can arrive before the timeout; expected at least "
        )
    };
    check_pair(THETIS, THETIS, &format!("{ARM}, timeout_s: 0.1"), &late(38));
    let fixed = "from: c, to: d, service: /b/arm, timeout_s: 20";
    check_pair(THETIS, THETIS, fixed, &late(32));
    let fast = "modem: {extends: modems/thetis_modem.yaml, acknowledgement: {timeout_s: 0.001}}";
    let text = "w.yaml:15:36: bridge x: no acknowledgement can arrive before the timeout of a/ac; expected at least ";
    let acknowledged = format!("{ODOMETRY}, acknowledge: true");
    check_pair(fast, THETIS, &acknowledged, text);
    check_pair(fast, THETIS, ODOMETRY, "accepted");
}

// An exchange that cannot succeed from the positions of robots at the start is a note, because the
// robots can approach each other. Method: a timeout of 20 s at 30 m and at 9 km.
#[test]
fn exchanges_over_long_distances_are_noted() {
    let modem = "modem: thetis_modem";
    let notes = |distance: f64| {
        let keys = "from: a/ac, to: b/ac, service: /b/arm, timeout_s: 20";
        let text = pair(modem, modem, distance, keys);
        let world = load_text("w.yaml", &text, Overrides::default()).expect("a world");
        assert_eq!(bridges::check(&world), Ok(()));
        bridges::notes(&world)
    };
    assert_eq!(notes(30.0), Vec::<String>::new());
    let far = notes(9000.0);
    assert_eq!(far.len(), 1, "{far:?}");
    assert!(far[0].starts_with("w.yaml:15:38: bridge x: no response can arrive before the timeout from the positions at the start; expected at least "), "{far:?}");
    assert!(
        far[0].ends_with("for 9000 m, found 20 s; raise `timeout_s`"),
        "{far:?}"
    );
}

// The smallest size of the messages of a type is the size of its encoding. Method: default
// messages, whose strings and sequences are empty.
#[test]
fn smallest_sizes_are_those_of_empty_messages() {
    fn check<M: Message>() -> bool {
        let about = &M::info().structure;
        let size = to_bytes(&M::default()).len();
        assert_eq!(about.min_cdr_size(), size, "{}", M::TYPE);
        about.has_fixed_size()
    }
    assert!(check::<merrow_ros2::msg::geometry_msgs::Twist>());
    assert!(!check::<merrow_ros2::msg::nav_msgs::Odometry>());
    assert!(!check::<merrow_ros2::msg::sensor_msgs::Imu>());
    assert!(!check::<merrow_ros2::msg::sensor_msgs::BatteryState>());
    assert!(!check::<merrow_messages::msg::ModemStatus>());
    assert!(!check::<merrow_messages::msg::Packet>());
}

// A modem without a slot for its shortest frame is an error at its place, and a task of which no
// job can end in time is a warning. Method: values just inside and outside the limits.
#[test]
fn slots_and_periods_that_are_too_short_are_reported() {
    let slot = |s: f64| {
        modem(&format!(
            "modem: thetis_modem, mac: {{kind: tdma, frame_s: 20, slots_s: [[0, {s}]]}}"
        ))
    };
    let short = crate::input::messages(&slot(0.3));
    assert!(
        short.starts_with("w.yaml:7:39: r/m: no frame fits into a slot; expected a frame of at most 0.3 s, found at least "),
        "{short}"
    );
    check(&slot(0.5), "accepted");
    let task = |keys: &str| plain(&format!("computers: {{c: {{tasks: {{t: {{{keys}}}}}}}}}"));
    for (keys, expected) in [
        (
            "activation: {kind: periodic, period_s: 0.01}, execution: {kind: constant, time_s: 0.02}",
            "w.yaml:6:92: t: no job can end within its period; expected an execution time of at most 0.01 s, found at least 0.02 s; raise `period_s` or lower the execution time",
        ),
        (
            "activation: {kind: periodic, period_s: 0.1}, deadline_s: 0.01, execution: {kind: uniform, range_s: [0.02, 0.03]}",
            "w.yaml:6:109: t: no job can end within its deadline; expected an execution time of at most 0.01 s, found at least 0.02 s; raise `deadline_s` or lower the execution time",
        ),
        (
            "activation: {kind: periodic, period_s: 0.01}, execution: {kind: uniform, range_s: [0.01, 0.03]}",
            "",
        ),
    ] {
        let world = load_text("w.yaml", &task(keys), Overrides::default()).unwrap();
        let notes: Vec<String> = world.notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes.join("\n"), expected);
    }
}

// A bridge to an unknown topic is one line with its place, without a node. Method: the commands
// `check`, `describe` and `run --no-ros`.
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

// A packet over the limit is refused with the limit. Method: one byte more than 64 frames.
#[test]
fn packets_over_the_limit_are_refused() {
    let mut simulation =
        Simulation::new(Arc::new(scene(&modem("modem: seatrac_x110"))), 1).unwrap();
    let limit = simulation.scene.modems[1].transceiver.framing.max_message();
    let send = |length| Command::Modem(ModemCommand::Send(Send::new(1, 65535, vec![0; length])));
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

// A bridge of a file that another world extends, with the robots of that world, is checked at its
// place. Method: a TDMA schedule whose slot is shorter than a message.
#[test]
fn bridges_of_an_extended_world_are_checked() {
    let modem = |start: f64| {
        format!(
            "{{model: {{modems: {{ac: {{{THETIS}, mac: {{kind: tdma, frame_s: 20, slots_s: [[{start}, 0.5]]}}}}}}}}}}"
        )
    };
    let network = format!(
        "robots:\n  a: {}\n  b: {}\nbridges:\n  report: {{{ODOMETRY}}}\n",
        modem(0.0),
        modem(10.0)
    );
    let robot =
        |x: f64| format!("{{position_m: [{x}, 0, -2], model: {{extends: robots/taipan300.yaml}}}}");
    let lake = format!(
        "extends: network.yaml\nseabed: {{depth_m: 20}}\nrobots:\n  a: {}\n  b: {}\n",
        robot(0.0),
        robot(50.0)
    );
    let files = [("network.yaml", network.as_str()), ("lake.yaml", &lake)];
    let folder = Folder::new("extended_bridges", &files);
    let loaded = load_world(&folder.0.join("lake.yaml"), Overrides::default());
    let world = loaded.unwrap_or_else(|problems| panic!("{problems}"));
    let lines = bridges::check(&world).unwrap_err();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let expected = "network.yaml:5:41: bridge report: no message on /a/odometry can be transmitted; \
                    expected a frame of at most 0.5 s, the longest slot of a/ac, found 12.8 s";
    assert!(lines[0].contains(expected), "{lines:?}");
}
