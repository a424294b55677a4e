//! Entries of `faults` for the faults that services started, and without those that they repaired.

use crate::document::changes::existing_section;
use merrow_model::scene::Scene;
use merrow_model::scene::fault::Fault;
use merrow_model::scene::fault_devices::device_path;
use merrow_model::state::State;
use merrow_yaml::error::Place;
use merrow_yaml::node::Node;
use merrow_yaml::read::Read;
use serde_json::Value as Json;

/// Removes the faults of the file that were repaired or replaced, and adds the faults that services
/// started and that have not ended.
pub(super) fn set_faults(root: &mut Node, scene: &Scene, state: &State) {
    let robots = state.robots.iter().flat_map(|robot| &robot.faults);
    let all = robots.chain(&state.faults).map(|memory| &memory.fault);
    let all: Vec<&Fault> = all.collect();
    if let Some(faults) = existing_section(root, "faults") {
        for gone in scene.faults.iter().filter(|fault| !all.contains(fault)) {
            faults.remove(&gone.name);
        }
    }
    let is_started = |fault: &&&Fault| !scene.faults.contains(fault);
    let started = all.iter().filter(is_started);
    for fault in started.filter(|fault| fault.end_ns > state.time_ns) {
        let entry = entry(scene, fault, &root.place);
        let faults = root.get_or_make("faults").make_map();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        // faults of two robots may have the same name
        let is_usable = !fault.name.is_empty()
            && fault.name.chars().all(is_plain)
            && faults.get(&fault.name).is_none();
        let mut name = fault.name.to_string();
        let mut n = 0;
        while !is_usable && (n == 0 || faults.get(&name).is_some()) {
            n += 1;
            name = format!("saved_{n}");
        }
        faults.insert(&name, entry);
    }
}

/// Returns the entry of a fault.
fn entry(scene: &Scene, fault: &Fault, place: &Place) -> Node {
    let Fault {
        // the key
        name: _,
        robot,
        device,
        kind,
        start_ns,
        end_ns,
        // it follows from the name
        stream: _,
    } = fault;
    let mut entry = Node::empty_map(place);
    if let Some(robot) = robot {
        entry.set("robot", scene.robots[*robot].name.as_str());
    }
    entry.set("target", device_path(scene, *robot, *device));
    entry.set("time_s", *start_ns as f64 / 1e9);
    if *end_ns != u64::MAX {
        entry.set("duration_s", (end_ns - start_ns) as f64 / 1e9);
    }
    if let Json::Object(keys) = kind.json() {
        let given = keys.into_iter().filter(|(_, value)| !value.is_null());
        given.for_each(|(key, value)| entry.set(&key, value));
    }
    entry
}
