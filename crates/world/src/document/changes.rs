//! Changes of the tree of a world file.

use crate::build::comms::Addresses;
use crate::document::{Labels, Placement};
use crate::document::{environment, faults, settings};
use merrow_model::scene::robot::route::Route;
use merrow_model::scene::{JointKind, Robot, Scene};
use merrow_model::state::{RobotState, State};
use merrow_yaml::error::Place;
use merrow_yaml::node::{KIND, Map, Node, Value};
use serde_json::Map as JsonMap;

/// Returns the map of a section of the root, if it exists.
pub(super) fn existing_section<'a>(root: &'a mut Node, name: &str) -> Option<&'a mut Map> {
    root.as_map_mut()?.get_map_mut(name)
}

/// Returns true if the section of the root has an entry `name`.
pub(super) fn has_entry(root: &Node, section: &str, name: &str) -> bool {
    root.get(section).and_then(|map| map.get(name)).is_some()
}

/// Names the only robot of a world as that of its task, if the task names none, so that the robots that
/// are added are not scored.
pub(super) fn name_robots_of_task(root: &mut Node) {
    let robots = root.get("robots").and_then(Node::as_map);
    let Some([(robot, _)]) = robots.map(|map| map.entries.as_slice()) else {
        return;
    };
    let name = robot.name.clone();
    if let Some(task) = root
        .get_mut("task")
        .filter(|task| task.get("robots").is_none())
    {
        task.set("robots", vec![name]);
    }
}

/// Sets the addresses of the modems, by the names of the modems; without addresses the key is
/// removed.
pub(super) fn set_modem_addresses(root: &mut Node, addresses: &Addresses) {
    root.make_map().remove("modem_addresses");
    for (modem, address) in addresses {
        root.get_or_make("modem_addresses").set(modem, *address);
    }
}

/// Sets position and attitude of an entry.
pub(super) fn set_placement(entry: &mut Node, placement: Placement) {
    let rpy = placement.q_WB.matrix().to_rpy();
    entry.set("position_m", placement.p_WB.to_array());
    entry.set("attitude_deg", rpy.map(f64::to_degrees));
}

/// Sets the start of an entry to the state of its robot.
pub(super) fn set_robot_start(entry: &mut Node, robot: &Robot, state: &RobotState) {
    let motion = &state.motion;
    let placement = Placement {
        p_WB: motion.p_WB,
        q_WB: motion.q_WB,
    };
    set_placement(entry, placement);
    if robot.floating {
        entry.set("velocity_m_s", motion.V_WB_B.v.to_array());
        entry.set("angular_velocity_rad_s", motion.V_WB_B.w.to_array());
    }
    if let Some(battery) = &robot.battery
        && state.battery.charge != battery.initial_charge
    {
        entry.set("initial_charge", state.battery.charge.clamp(0.0, 1.0));
    }
    let joints = robot.links[1..].iter().zip(motion.q.iter().zip(&motion.qd));
    let moving = joints
        .filter(|(link, _)| link.joint.kind != JointKind::Fixed && link.joint.mimic.is_none());
    let (mut positions, mut velocities) = (JsonMap::new(), JsonMap::new());
    for (link, (q, qd)) in moving {
        // a joint at its stop can exceed its limit by the tolerance of the solver
        let [lower, upper] = link.joint.limits;
        let q = if lower <= upper {
            q.clamp(lower, upper)
        } else {
            *q
        };
        positions.insert(link.joint.name.clone(), q.into());
        if *qd != 0.0 {
            velocities.insert(link.joint.name.clone(), (*qd).into());
        }
    }
    entry.make_map().remove("joint_velocities");
    for (key, values) in [
        ("joint_positions", positions),
        ("joint_velocities", velocities),
    ] {
        if !values.is_empty() {
            entry.set(key, values);
        }
    }
}

/// Lets the route of an actor begin where it is at a time [s]: its times are earlier by that.
fn set_route_start(entry: &mut Node, route: &Route, time_s: f64) {
    let (first, last) = (route.times_s[0], route.times_s[route.times_s.len() - 1]);
    let rounds = match route.repeats && time_s > last {
        true => ((time_s - first) / (last - first)).floor(),
        false => 0.0,
    };
    let passed = time_s - rounds * (last - first);
    let times: Vec<f64> = route.times_s.iter().map(|time| time - passed).collect();
    entry.make_map().remove("speed_m_s");
    entry.set("times_s", times);
}

/// Sets the start of all robots, props, actors and couplings, and the environment, to their state.
pub(super) fn set_state(root: &mut Node, scene: &Scene, state: &State) {
    let time_s = 1e-9 * state.time_ns as f64;
    for robot in &scene.robots {
        if let Some(route) = &robot.route
            && let Some(entry) =
                existing_section(root, "actors").and_then(|actors| actors.get_mut(&robot.name))
        {
            set_route_start(entry, route, time_s);
        }
    }
    for (robot, state) in scene.robots.iter().zip(&state.robots) {
        for name in ["robots", "props"] {
            let Some(map) = existing_section(root, name) else {
                continue;
            };
            if let Some(entry) = map.get_mut(&robot.name) {
                set_robot_start(entry, robot, state);
            } else if let Some(repeat) = repeat_of(map, &robot.name) {
                let start = repeat.get_or_make("starts").get_or_make(&robot.name);
                set_robot_start(start, robot, state);
            }
        }
    }
    environment::set_environment(root, scene, state);
    settings::set_lines(root, scene, state);
    faults::set_faults(root, scene, state);
    settings::set_time_and_schedule(root, scene, state);
    for (coupling, state) in scene.couplings.iter().zip(&state.couplings) {
        if let Some(map) = existing_section(root, "couplings")
            && let Some(entry) = map.get_mut(&coupling.name)
            && state.engaged != coupling.engaged
        {
            entry.set("engaged", state.engaged);
        }
    }
}

/// Returns the name of the entry whose `repeat` made the object `name`.
fn repeated<'a>(map: &Map, name: &'a str) -> Option<&'a str> {
    let (group, number) = name.rsplit_once('_')?;
    number.parse::<u32>().ok()?;
    map.get(group)?.get("repeat").map(|_| group)
}

/// Returns the `repeat` that made the object `name`.
fn repeat_of<'a>(map: &'a mut Map, name: &str) -> Option<&'a mut Node> {
    let group = repeated(map, name)?;
    map.get_mut(group)?.get_mut("repeat")
}

/// Returns a copy of the entry of an object, which is not repeated.
pub(super) fn copy_of(map: &Map, name: &str) -> Option<Node> {
    let mut entry = match map.get(name) {
        Some(entry) => entry.clone(),
        None => map.get(repeated(map, name)?)?.clone(),
    };
    entry.make_map().remove("repeat");
    Some(entry)
}

/// Leaves out one copy of an entry with `repeat`. Returns false if the entry does not exist or the
/// copy is left out already.
pub(super) fn leave_out_copy(map: &mut Map, name: &str) -> bool {
    let Some(repeat) = repeat_of(map, name) else {
        return false;
    };
    if let Some(starts) = repeat.make_map().get_map_mut("starts") {
        starts.remove(name);
    }
    let item = Node::plain(name, &repeat.place);
    let none = Node::list([], &repeat.place);
    match &mut repeat.make_map().get_or_insert("except", none).value {
        Value::Seq(items) if !items.iter().any(|item| item.as_text() == Some(name)) => {
            items.push(item);
            true
        }
        _ => false,
    }
}

/// Restores one copy of an entry with `repeat` in `to` with its start in `from`. Returns false if
/// `to` has no such copy that is left out.
pub(super) fn restore_copy(to: &mut Map, from: &mut Map, name: &str) -> bool {
    let Some(repeat) = repeat_of(to, name) else {
        return false;
    };
    let except = repeat.get_mut("except").map(|node| &mut node.value);
    let Some(Value::Seq(items)) = except else {
        return false;
    };
    let before = items.len();
    items.retain(|item| item.as_text() != Some(name));
    let (is_restored, is_empty) = (items.len() < before, items.is_empty());
    if is_empty {
        repeat.make_map().remove("except");
    }
    let start = repeat_of(from, name).and_then(|repeat| repeat.get("starts")?.get(name));
    if let Some(start) = start.filter(|_| is_restored) {
        let starts = repeat.get_or_make("starts").make_map();
        starts.insert(name, start.clone());
    }
    is_restored
}

/// Returns the tree that changes `base` to `target` when it is merged over it; `None` if they are
/// equal.
pub(super) fn difference(base: &Node, target: &Node) -> Option<Node> {
    let (base_map, target_map) = match (&base.value, &target.value) {
        (Value::Map(base), Value::Map(target)) if base.get_text(KIND) == target.get_text(KIND) => {
            (base, target)
        }
        (base, value) if base == value => return None,
        _ => return Some(target.clone()),
    };
    let mut changes = Map::default();
    for (key, node) in &target_map.entries {
        let changed = match base_map.get(&key.name) {
            Some(before) => difference(before, node),
            None => Some(node.clone()),
        };
        if let Some(changed) = changed {
            changes.entries.push((key.clone(), changed));
        }
    }
    for (key, _) in &base_map.entries {
        if target_map.get(&key.name).is_none() {
            changes
                .entries
                .push((key.clone(), Value::Null.at(&key.place)));
        }
    }
    (!changes.entries.is_empty()).then(|| Value::Map(changes).at(&target.place))
}

/// Returns a root that extends `file` with `changes`.
pub(super) fn extending(file: &str, changes: Node) -> Node {
    let named = Node::new(file, &changes.place);
    let mut root = Node::map([("extends", named)], &changes.place);
    if let Value::Map(changes) = changes.value {
        root.make_map().entries.extend(changes.entries);
    }
    root
}

/// Returns the map that contains the labels of an object: its entry, or the start of a copy.
pub(super) fn labelled_entry<'a>(map: &'a mut Map, name: &str) -> Option<&'a mut Node> {
    if map.get(name).is_some() {
        return map.get_mut(name);
    }
    Some(
        repeat_of(map, name)?
            .get_or_make("starts")
            .get_or_make(name),
    )
}

/// Returns the place of the key with this path; of the last key of the path that exists, if the
/// tree has no such key. The entry of a copy is the entry that it repeats.
pub(super) fn place_below(root: &Node, path: &[&str]) -> Place {
    let mut at = root;
    for (k, key) in path.iter().enumerate() {
        let copied = || at.get(key.rsplit_once('_').filter(|_| k == 1)?.0);
        match at.get(key).or_else(copied) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    at.place.clone()
}

/// Sets the labels of an entry.
pub(super) fn set_labels(entry: &mut Node, labels: &Labels) {
    entry.set("category", labels.category.as_str());
    entry.set("description", labels.description.as_str());
    entry.set("tags", labels.tags.as_slice());
}
