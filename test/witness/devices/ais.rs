//! Tests AIS sentences (Automatic Identification System) with pyais as the decoder.

use crate::common::folder::Folder;
use crate::common::python::script;
use crate::common::{advance, simulation};
use merrow_model::state::frames::FrameData;
use merrow_sim::Simulation;
use serde_json::Value;
use std::process::Command;

const WORLD: &str = "
gravity_m_s2: 0
step: {dt_s: 0.1}
origin: {latitude_deg: -33.85, longitude_deg: 151.2}
robots:
  shore:
    position_m: [0, 0, 20]
    model:
      source: test
      base: fixed
      body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}
      sensors: {s: {lazy: false, device: {source: test, kind: ais_receiver, rate_hz: 1}}}
  ferry:
    position_m: [-600, 400, 2]
    attitude_deg: [0, 0, 60]
    velocity_m_s: [6.2, 0.8, 0]
    angular_velocity_rad_s: [0, 0, -0.012]
    model: {source: test, body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}}
  yacht:
    position_m: [300, -700, 1]
    attitude_deg: [0, 0, -100]
    velocity_m_s: [3.1, 0, 0]
    model: {source: test, body: {source: test, axes: flu, mass_kg: 1, inertia_kg_m2: {xx: 1, yy: 1, zz: 1}}}
ais:
  ferry: {robot: ferry, class: a, mmsi: 503123456, imo: 9074729, ship_name: Manly Ferry, call_sign: VJN4321, ship_type: 60, extents_m: [30, 40, 6, 7],
    draught_m: 2.3, destination: CIRCULAR QUAY}
  yacht: {robot: yacht, mmsi: 503987654, ship_name: wild oats xi, call_sign: VL1, ship_type: 36, extents_m: [9, 5, 2, 2]}
";

/// Returns the message of `kind` from `mmsi`.
fn find(messages: &[Value], kind: u64, mmsi: u64, part: Option<u64>) -> &Value {
    let is_it = |m: &&Value| {
        m["msg_type"] == kind && m["mmsi"] == mmsi && part.is_none_or(|part| m["partno"] == part)
    };
    messages
        .iter()
        .find(is_it)
        .unwrap_or_else(|| panic!("no message {kind} of {mmsi}"))
}

fn check_field(message: &Value, key: &str, expected: f64, tolerance: f64) {
    let found = message[key].as_f64().unwrap_or(f64::NAN);
    assert!(
        (found - expected).abs() <= tolerance,
        "{key}: {found} instead of {expected} in {message}"
    );
}

/// Returns the sentences that the shore station receives in 60 s, one per line, and their number.
fn receive_sentences(sim: &mut Simulation) -> (String, usize) {
    let (mut text, mut count) = (String::new(), 0);
    for _ in 0..60 {
        advance(sim, 1.0);
        for frame in sim.frames.drain(..) {
            let FrameData::Sentences(found) = &*frame.data else {
                panic!("no sentences")
            };
            for sentence in found {
                text += &format!("{}\n", sentence.text);
                count += 1;
            }
        }
    }
    (text, count)
}

/// Returns the messages that the decoder finds in the sentences.
fn decode(mut command: Command, text: &str) -> Vec<Value> {
    let folder = Folder::new("ais", &[("ais.txt", text)]);
    let output = command.arg(folder.0.join("ais.txt")).output().unwrap();
    assert!(
        output.status.success(),
        "pyais: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Checks messages 1 and 5 of the turning ferry.
fn check_class_a(messages: &[Value]) {
    let one = find(messages, 1, 503_123_456, None);
    assert_eq!(
        (&one["status"], &one["accuracy"]),
        (&0.into(), &true.into())
    );
    check_field(one, "speed", 6.2_f64.hypot(0.8) * 3600.0 / 1852.0, 0.06);
    // 0.012 rad/s to starboard are 41.3 degrees a minute.
    check_field(one, "turn", 41.25, 1.5);
    let five = find(messages, 5, 503_123_456, None);
    for (key, expected) in [
        ("shipname", "MANLY FERRY"),
        ("callsign", "VJN4321"),
        ("destination", "CIRCULAR QUAY"),
    ] {
        assert_eq!(five[key], expected);
    }
    for (key, expected) in [
        ("imo", 9_074_729.0),
        ("ship_type", 60.0),
        ("to_bow", 30.0),
        ("to_stern", 40.0),
        ("to_port", 6.0),
        ("to_starboard", 7.0),
    ] {
        check_field(five, key, expected, 0.0);
    }
    check_field(five, "draught", 2.3, 1e-9);
}

/// Checks messages 18 and 24 of the yacht.
fn check_class_b(messages: &[Value]) {
    let eighteen = find(messages, 18, 503_987_654, None);
    check_field(eighteen, "speed", 3.1 * 3600.0 / 1852.0, 0.06);
    // A yaw of -100 degrees from east is a heading of 190.
    check_field(eighteen, "course", 190.0, 0.06);
    check_field(eighteen, "heading", 190.0, 0.0);
    let second = eighteen["second"].as_f64().unwrap();
    let metres = 111_000.0;
    let south = -33.85 + (-700.0 - 3.1 * (second + 0.5) * 10_f64.to_radians().cos()) / 110_900.0;
    check_field(eighteen, "lat", south, 3.0 / metres);
    let east = 151.2
        + (300.0 - 3.1 * (second + 0.5) * 10_f64.to_radians().sin())
            / (metres * 33.85_f64.to_radians().cos() * 1.003);
    check_field(eighteen, "lon", east, 4.0 / metres);
    assert_eq!(
        find(messages, 24, 503_987_654, Some(0))["shipname"],
        "WILD OATS XI"
    );
    let rest = find(messages, 24, 503_987_654, Some(1));
    assert_eq!(
        (&rest["callsign"], &rest["ship_type"]),
        (&"VL1".into(), &36.into())
    );
    check_field(rest, "to_bow", 9.0, 0.0);
}

// Pyais decodes all AIS messages with the intended values. Method: a turning class A ferry and a
// class B yacht, 60 s; each field of messages 1, 5, 18 and 24 is compared with the world file and
// the motion at the stamp. Tolerance: the resolution of the fields.
#[test]
fn pyais_decodes_every_field() {
    let Some(command) = script("witness/devices/ais_pyais.py") else {
        return;
    };
    let mut sim = simulation(WORLD);
    let (text, count) = receive_sentences(&mut sim);
    assert!(count > 12, "{count}");
    let messages = decode(command, &text);
    check_class_a(&messages);
    check_class_b(&messages);
}
