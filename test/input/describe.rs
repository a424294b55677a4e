//! Units and marks in the output of `merrow describe`.

use super::runs::describe;
use merrow_yaml::error::{trailing_units, unit_of};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

/// Adds all keys of `value` to `keys`. The keys of `faults` are names of devices.
fn add_keys(value: &Json, keys: &mut BTreeSet<String>) {
    match value {
        Json::Array(items) => items.iter().for_each(|item| add_keys(item, keys)),
        Json::Object(map) => {
            for (key, value) in map {
                keys.insert(key.clone());
                if key != "faults" {
                    add_keys(value, keys);
                }
            }
        }
        _ => {}
    }
}

fn describe_json(world: &str) -> Json {
    serde_json::from_str(&describe(&[world, "--json"])).expect("JSON")
}

// The unit of every key of `describe --json` is unambiguous. Method: the longest run of unit
// symbols at the end of each key is a unit of the table of the keys of world files; four worlds,
// among them one with tethers and one with all sensors and with beacons.
#[test]
fn described_keys_have_an_unambiguous_unit() {
    let mut keys = BTreeSet::new();
    for world in ["pool", "tether", "every_sensor", "riverwatch"] {
        add_keys(&describe_json(world), &mut keys);
    }
    let n_with_unit = keys.iter().filter(|key| unit_of(key).is_some()).count();
    assert!(n_with_unit > 25, "only {n_with_unit} keys with a unit");
    let is_wrong = |key: &&String| trailing_units(key).is_some() && unit_of(key).is_none();
    let wrong: Vec<&String> = keys.iter().filter(is_wrong).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

// Props are not counted and listed as robots. Method: a world with one boat and five marks.
#[test]
fn props_are_separate_from_robots() {
    let text = describe(&["regatta"]);
    let lists: Vec<&str> = text.split("\n\n").collect();
    assert!(lists[1].starts_with("robots\n  boat: ") && !lists[1].contains("windward"));
    assert!(lists[2].starts_with("props\n  start_pin: ") && lists[2].contains("windward: "));
    let objects = describe_json("regatta");
    let sections = objects["robots"].as_array().expect("a list").iter();
    let sections: Vec<&Json> = sections.map(|object| &object["section"]).collect();
    assert_eq!(sections.len(), 6);
    assert!(sections[0] == "robots" && sections[1..].iter().all(|section| *section == "props"));
    let mut merrow = Command::new(env!("CARGO_BIN_EXE_merrow"));
    let done = merrow
        .args(["check", "regatta"])
        .output()
        .expect("merrow starts");
    let text = String::from_utf8_lossy(&done.stdout);
    assert_eq!(text, "regatta: no errors, 1 robot, 5 props\n");
}

// Velocity commands name only the axes that the thrusters actuate. Method: the description of the
// topic for a boat with two fixed thrusters, one with azimuth thrusters and a vehicle.
#[test]
fn velocity_commands_name_the_actuated_axes() {
    for (world, topic, axes) in [
        (
            "usv",
            "/otter/cmd_vel",
            "m/s forward [-1.5, 1.5]; rad/s about z [-0.6, 0.6]",
        ),
        (
            "usv",
            "/wamv/cmd_vel",
            "m/s forward [-3, 3] and left [-1, 1]; rad/s about z [-0.5, 0.5]",
        ),
        (
            "pool",
            "/bluerov2/cmd_vel",
            "m/s forward [-0.8, 0.8], left [-0.6, 0.6] and up [-0.5, 0.5]; rad/s about z [-0.8, 0.8]",
        ),
    ] {
        let all = describe_json(world);
        let topics = all["subscribed"].as_array().expect("a list");
        let found = topics.iter().find(|t| t["topic"] == topic).expect(topic);
        assert_eq!(found["unit"], axes, "{topic}");
    }
}

/// Marks of bundled components: world, list and name of the object, component, key, and a part of
/// the text.
const MARKS: [[&str; 6]; 6] = [
    [
        "harbour_inspection",
        "robots",
        "rov",
        "robot",
        "source",
        "Lumen (unverified",
    ],
    [
        "harbour_inspection",
        "robots",
        "rov",
        "battery",
        "estimated",
        "unverified: open-circuit curve",
    ],
    [
        "bank",
        "robots",
        "rover",
        "robot",
        "estimated",
        "counts per metre: unverified",
    ],
    [
        "every_sensor",
        "beacons",
        "rov",
        "beacon",
        "source",
        "SeaTrac X010 data sheet (unverified)",
    ],
    [
        "every_sensor",
        "beacons",
        "rov",
        "beacon",
        "estimated",
        "unverified (data sheet): frequency",
    ],
    [
        "tether",
        "tethers",
        "umbilical",
        "line",
        "estimated",
        "axial stiffness",
    ],
];

// `describe` shows which values are unverified or estimated, of robots, beacons and lines of
// tethers. Method: bundled components with either mark, in the text and in the JSON output.
#[test]
fn describe_shows_the_marks_of_sources() {
    let mut described = BTreeMap::new();
    for [world, list, name, part, key, mark] in MARKS {
        let (json, text) = described
            .entry(world)
            .or_insert_with(|| (describe_json(world), describe(&[world])));
        let find = |items: &Json, key: &str, value: &str| -> Json {
            let found = items.as_array().into_iter().flatten();
            let mut found = found.filter(|item| item[key] == value);
            let found = found.next().cloned();
            found.unwrap_or_else(|| panic!("{world}: no {key} {value} in {items}"))
        };
        let entry = find(&find(&json[list], "name", name)["sources"], "part", part);
        let has_mark = entry[key].as_str().is_some_and(|text| text.contains(mark));
        assert!(has_mark, "{world}: {entry}");
        assert_eq!(
            entry["unverified"],
            mark.contains("unverified"),
            "{world}: {entry}"
        );
        let label = if key == "source" {
            "unverified source"
        } else {
            key
        };
        let head = format!("    {part}, {label}: ");
        let has_line = text
            .lines()
            .any(|line| line.starts_with(&head) && line.contains(mark));
        assert!(has_line, "{world}: no line {head}... {mark} in {text}");
    }
}
