//! Changes of the tree of a world file.

use crate::build::comms::Addresses;
use crate::document::{Document, Labels, NamedPose, ObjectInfo, Placement, SECTIONS};
use crate::document::{environment, faults, settings};
use merrow_math::{Quat, Vec3};
use merrow_model::scene::{JointKind, Robot, Scene};
use merrow_model::state::{RobotState, State};
use merrow_yaml::error::Place;
use merrow_yaml::node::{Map, Node, Value};

/// Returns the map of a section of the root, which is created if it does not exist.
pub(super) fn section<'a>(root: &'a mut Node, name: &str) -> &'a mut Map {
    let place = root.place.clone();
    map_of(map_of(root).get_or_insert(name, Node::empty_map(&place)))
}

/// Returns the map of a section of the root, if it exists.
pub(super) fn existing_section<'a>(root: &'a mut Node, name: &str) -> Option<&'a mut Map> {
    match &mut root.value {
        Value::Map(root) => match &mut root.get_mut(name)?.value {
            Value::Map(map) => Some(map),
            _ => None,
        },
        _ => None,
    }
}

/// Returns true if the section of the root has an entry `name`.
pub(super) fn has_entry(root: &Node, section: &str, name: &str) -> bool {
    let Value::Map(root) = &root.value else {
        return false;
    };
    match root.get(section).map(|node| &node.value) {
        Some(Value::Map(map)) => map.get(name).is_some(),
        _ => false,
    }
}

/// Returns the map of a node, which becomes an empty map if it has another value.
pub(super) fn map_of(node: &mut Node) -> &mut Map {
    if !matches!(node.value, Value::Map(_)) {
        node.value = Value::Map(Map::default());
    }
    match &mut node.value {
        Value::Map(map) => map,
        _ => unreachable!("the value was set to a map"),
    }
}

/// Sets the addresses of the modems, by the names of the modems; without addresses the key is
/// removed.
pub(super) fn set_modem_addresses(root: &mut Node, addresses: &Addresses) {
    let place = root.place.clone();
    let map = map_of(root);
    map.remove("modem_addresses");
    if addresses.is_empty() {
        return;
    }
    let mut own = Node::empty_map(&place);
    for (modem, address) in addresses {
        let node = Node {
            value: Value::Scalar {
                text: address.to_string(),
                quoted: false,
            },
            place: place.clone(),
        };
        map_of(&mut own).insert(modem, node);
    }
    map.insert("modem_addresses", own);
}

/// Sets position and attitude of an entry.
pub(super) fn set_placement(entry: &mut Node, placement: Placement) {
    let p = placement.p_WB;
    let rpy = placement.q_WB.matrix().to_rpy();
    let place = entry.place.clone();
    let map = map_of(entry);
    map.insert("position_m", numbers(&[p.x, p.y, p.z], &place));
    map.insert("attitude_deg", numbers(&rpy.map(f64::to_degrees), &place));
}

/// Sets the start of an entry to the state of its robot.
pub(super) fn set_robot_start(entry: &mut Node, robot: &Robot, state: &RobotState) {
    let (motion, place) = (&state.motion, entry.place.clone());
    let placement = Placement {
        p_WB: motion.p_WB,
        q_WB: motion.q_WB,
    };
    set_placement(entry, placement);
    let map = map_of(entry);
    let V = &motion.V_WB_B;
    if robot.floating {
        map.insert("velocity_m_s", numbers(&[V.v.x, V.v.y, V.v.z], &place));
        map.insert(
            "angular_velocity_rad_s",
            numbers(&[V.w.x, V.w.y, V.w.z], &place),
        );
    }
    if let Some(battery) = &robot.battery
        && state.battery.charge != battery.initial_charge
    {
        let charge = state.battery.charge.clamp(0.0, 1.0);
        map.insert("initial_charge", number(charge, &place));
    }
    let joints = robot.links[1..].iter().zip(motion.q.iter().zip(&motion.qd));
    let moving = joints
        .filter(|(link, _)| link.joint.kind != JointKind::Fixed && link.joint.mimic.is_none());
    let (mut positions, mut velocities) = (Map::default(), Map::default());
    for (link, (q, qd)) in moving {
        // a joint at its stop can exceed its limit by the tolerance of the solver
        let [lower, upper] = link.joint.limits;
        let q = if lower <= upper {
            q.clamp(lower, upper)
        } else {
            *q
        };
        positions.insert(&link.joint.name, number(q, &place));
        if *qd != 0.0 {
            velocities.insert(&link.joint.name, number(*qd, &place));
        }
    }
    map.remove("joint_velocities");
    for (key, values) in [
        ("joint_positions", positions),
        ("joint_velocities", velocities),
    ] {
        if !values.entries.is_empty() {
            let (value, place) = (Value::Map(values), place.clone());
            map.insert(key, Node { value, place });
        }
    }
}

/// Sets the start of all robots, props and couplings, and the environment, to their state.
pub(super) fn set_state(root: &mut Node, scene: &Scene, state: &State) {
    for (robot, state) in scene.robots.iter().zip(&state.robots) {
        for name in ["robots", "props"] {
            let Some(map) = existing_section(root, name) else {
                continue;
            };
            if let Some(entry) = map.get_mut(&robot.name) {
                set_robot_start(entry, robot, state);
            } else if let Some(entry) = entry_of_copy(map, &robot.name) {
                let place = entry.place.clone();
                let Some(repeat) = map_of(entry).get_mut("repeat") else {
                    continue;
                };
                let starts =
                    map_of(map_of(repeat).get_or_insert("starts", Node::empty_map(&place)));
                let start = starts.get_or_insert(&robot.name, Node::empty_map(&place));
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
            let place = entry.place.clone();
            let engaged = scalar(&state.engaged.to_string(), &place);
            map_of(entry).insert("engaged", engaged);
        }
    }
}

/// Returns the entry whose `repeat` made the object `name`.
fn entry_of_copy<'a>(map: &'a mut Map, name: &str) -> Option<&'a mut Node> {
    let (group, number) = name.rsplit_once('_')?;
    number.parse::<u32>().ok()?;
    let entry = map.get_mut(group)?;
    let repeats = matches!(&entry.value, Value::Map(entry) if entry.get("repeat").is_some());
    repeats.then_some(entry)
}

/// Returns a copy of the entry of an object, which is not repeated.
pub(super) fn copy_of(map: &mut Map, name: &str) -> Option<Node> {
    let mut entry = match map.get(name) {
        Some(entry) => entry.clone(),
        None => entry_of_copy(map, name)?.clone(),
    };
    map_of(&mut entry).remove("repeat");
    Some(entry)
}

/// Leaves out one copy of an entry with `repeat`. Returns false if the entry does not exist or the
/// copy is left out already.
pub(super) fn leave_out_copy(map: &mut Map, name: &str) -> bool {
    let Some(entry) = entry_of_copy(map, name) else {
        return false;
    };
    let place = entry.place.clone();
    let Some(repeat) = map_of(entry).get_mut("repeat") else {
        return false;
    };
    let repeat = map_of(repeat);
    if let Some(Value::Map(starts)) = repeat.get_mut("starts").map(|node| &mut node.value) {
        starts.remove(name);
    }
    let none = Node {
        value: Value::Seq(Vec::new()),
        place: place.clone(),
    };
    let Value::Seq(items) = &mut repeat.get_or_insert("except", none).value else {
        return false;
    };
    let is_listed = |item: &Node| matches!(&item.value, Value::Scalar { text, .. } if text == name);
    if items.iter().any(is_listed) {
        return false;
    }
    items.push(scalar(name, &place));
    true
}

/// Restores one copy of an entry with `repeat` in `to` with its start in `from`. Returns false if
/// `to` has no such copy that is left out.
pub(super) fn restore_copy(to: &mut Map, from: &mut Map, name: &str) -> bool {
    let Some(entry) = entry_of_copy(to, name) else {
        return false;
    };
    let place = entry.place.clone();
    let Some(repeat) = map_of(entry).get_mut("repeat").map(map_of) else {
        return false;
    };
    let Some(Value::Seq(items)) = repeat.get_mut("except").map(|node| &mut node.value) else {
        return false;
    };
    let is_listed = |item: &Node| matches!(&item.value, Value::Scalar { text, .. } if text == name);
    let before = items.len();
    items.retain(|item| !is_listed(item));
    let is_restored = items.len() < before;
    if items.is_empty() {
        repeat.remove("except");
    }
    let start = entry_of_copy(from, name)
        .and_then(|entry| map_of(entry).get_mut("repeat"))
        .and_then(|repeat| map_of(repeat).get_mut("starts"))
        .and_then(|starts| map_of(starts).get(name));
    if let Some(start) = start.filter(|_| is_restored) {
        let starts = map_of(repeat.get_or_insert("starts", Node::empty_map(&place)));
        starts.insert(name, start.clone());
    }
    is_restored
}

/// Returns the tree that changes `base` to `target` when it is merged over it; `None` if they are
/// equal.
pub(super) fn difference(base: &Node, target: &Node) -> Option<Node> {
    let (base_map, target_map) = match (&base.value, &target.value) {
        (Value::Map(base), Value::Map(target)) if kind(base) == kind(target) => (base, target),
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
            let null = Node {
                value: Value::Null,
                place: key.place.clone(),
            };
            changes.entries.push((key.clone(), null));
        }
    }
    (!changes.entries.is_empty()).then(|| Node {
        value: Value::Map(changes),
        place: target.place.clone(),
    })
}

/// Returns the text of the key `kind`; maps of different kinds replace each other.
fn kind(map: &Map) -> Option<&str> {
    match map.get("kind").map(|node| &node.value) {
        Some(Value::Scalar { text, .. }) => Some(text),
        _ => None,
    }
}

/// Returns a root that extends `file` with `changes`.
pub(super) fn extending(file: &str, changes: Node) -> Node {
    let place = changes.place.clone();
    let mut root = Map::default();
    let named = Node {
        value: Value::Scalar {
            text: file.to_string(),
            quoted: true,
        },
        place: place.clone(),
    };
    root.insert("extends", named);
    if let Value::Map(changes) = changes.value {
        root.entries.extend(changes.entries);
    }
    Node {
        value: Value::Map(root),
        place,
    }
}

pub(super) fn scalar(text: &str, place: &Place) -> Node {
    Node {
        value: Value::Scalar {
            text: text.to_string(),
            quoted: false,
        },
        place: place.clone(),
    }
}

pub(super) fn quoted(text: &str, place: &Place) -> Node {
    Node {
        value: Value::Scalar {
            text: text.to_string(),
            quoted: true,
        },
        place: place.clone(),
    }
}

/// Returns the number in the shortest form that is read as an identical value.
pub(super) fn number(value: f64, place: &Place) -> Node {
    scalar(&format!("{value:?}"), place)
}

pub(super) fn numbers(values: &[f64], place: &Place) -> Node {
    let items = values.iter().map(|value| number(*value, place));
    Node {
        value: Value::Seq(items.collect()),
        place: place.clone(),
    }
}

/// Returns all objects of a document.
pub(super) fn objects(document: &Document) -> Vec<ObjectInfo> {
    let mut objects = Vec::new();
    let Value::Map(root) = &document.tree.value else {
        return objects;
    };
    for section in SECTIONS {
        let Some(Value::Map(entries)) = root.get(section).map(|node| &node.value) else {
            continue;
        };
        for (key, entry) in &entries.entries {
            let Value::Map(entry) = &entry.value else {
                continue;
            };
            for name in copies(&key.name, entry) {
                let own = start_of_copy(entry, &name).unwrap_or(entry);
                let labels = labels(own, entry);
                objects.push(ObjectInfo {
                    section,
                    description: labels.description,
                    category: labels.category,
                    tags: labels.tags,
                    placement: (section == "structures").then(|| placement(entry)),
                    name,
                });
            }
        }
    }
    objects
}

/// Returns the names of the copies of an entry, or its own name.
fn copies(name: &str, entry: &Map) -> Vec<String> {
    let Some(Value::Map(repeat)) = entry.get("repeat").map(|node| &node.value) else {
        return vec![name.to_string()];
    };
    let total: u64 = values(repeat, "count").iter().map(|n| *n as u64).product();
    let except = texts(repeat, "except");
    let all = (0..total).map(|k| format!("{name}_{k}"));
    all.filter(|copy| !except.contains(copy)).collect()
}

/// Returns the map in `repeat.starts` for a copy.
fn start_of_copy<'a>(entry: &'a Map, name: &str) -> Option<&'a Map> {
    let part = |map: &'a Map, key: &str| match &map.get(key)?.value {
        Value::Map(map) => Some(map),
        _ => None,
    };
    part(part(part(entry, "repeat")?, "starts")?, name)
}

/// Returns the labels in `own`, or else the labels in the entry.
fn labels(own: &Map, entry: &Map) -> Labels {
    let find = |key: &str| text(own, key).or_else(|| text(entry, key));
    let tags = if own.get("tags").is_some() {
        own
    } else {
        entry
    };
    Labels {
        category: find("category").unwrap_or_default(),
        description: text(own, "description").unwrap_or_else(|| description(entry)),
        tags: texts(tags, "tags"),
    }
}

/// Returns the map that contains the labels of an object: its entry, or the start of a copy.
pub(super) fn labelled_entry<'a>(map: &'a mut Map, name: &str) -> Option<&'a mut Node> {
    if map.get(name).is_some() {
        return map.get_mut(name);
    }
    let entry = entry_of_copy(map, name)?;
    let place = entry.place.clone();
    let repeat = map_of(entry).get_mut("repeat")?;
    let starts = map_of(map_of(repeat).get_or_insert("starts", Node::empty_map(&place)));
    Some(starts.get_or_insert(name, Node::empty_map(&place)))
}

/// Returns the place of the key with this path; of the last key of the path that exists, if the
/// tree has no such key. The entry of a copy is the entry that it repeats.
pub(super) fn place_below(root: &Node, path: &[&str]) -> Place {
    let mut at = root;
    for (k, key) in path.iter().enumerate() {
        let Value::Map(map) = &at.value else {
            break;
        };
        let copied = || map.get(key.rsplit_once('_').filter(|_| k == 1)?.0);
        match map.get(key).or_else(copied) {
            Some(inner) => at = inner,
            None => break,
        }
    }
    at.place.clone()
}

/// Sets the labels of an entry.
pub(super) fn set_labels(entry: &mut Node, labels: &Labels) {
    let place = entry.place.clone();
    set_text(entry, "category", &labels.category);
    set_text(entry, "description", &labels.description);
    let tags = labels.tags.iter().map(|tag| quoted(tag, &place)).collect();
    map_of(entry).insert(
        "tags",
        Node {
            value: Value::Seq(tags),
            place,
        },
    );
}

/// Sets a key of an entry to a text.
pub(super) fn set_text(entry: &mut Node, key: &str, text: &str) {
    let node = quoted(text, &entry.place);
    map_of(entry).insert(key, node);
}

/// Returns the named poses of a world.
pub(super) fn named_poses(root: &Node) -> Vec<NamedPose> {
    let Value::Map(root) = &root.value else {
        return Vec::new();
    };
    let Some(Value::Map(poses)) = root.get("named_poses").map(|node| &node.value) else {
        return Vec::new();
    };
    let pose = |(key, node): &(merrow_yaml::node::Key, Node)| match &node.value {
        Value::Map(entry) => Some(NamedPose {
            name: key.name.clone(),
            description: text(entry, "description").unwrap_or_default(),
            tags: texts(entry, "tags"),
            placement: placement(entry),
            free_size: <[f64; 3]>::try_from(values(entry, "free_size_m"))
                .ok()
                .map(Vec3::from),
        }),
        _ => None,
    };
    poses.entries.iter().filter_map(pose).collect()
}

/// Returns the tags of a world.
pub(super) fn tags_of_world(root: &Node) -> Vec<String> {
    match &root.value {
        Value::Map(root) => texts(root, "tags"),
        _ => Vec::new(),
    }
}

/// Returns the description of an entry, or of its model or body.
fn description(entry: &Map) -> String {
    let part = |key: &str| match entry.get(key).map(|node| &node.value) {
        Some(Value::Map(part)) => text(part, "description"),
        _ => None,
    };
    text(entry, "description")
        .filter(|own| !own.is_empty())
        .or_else(|| part("model"))
        .or_else(|| part("body"))
        .unwrap_or_default()
}

fn text(map: &Map, key: &str) -> Option<String> {
    match &map.get(key)?.value {
        Value::Scalar { text, .. } => Some(text.clone()),
        _ => None,
    }
}

fn texts(map: &Map, key: &str) -> Vec<String> {
    let item = |node: &Node| match &node.value {
        Value::Scalar { text, .. } => Some(text.clone()),
        _ => None,
    };
    match map.get(key).map(|node| &node.value) {
        Some(Value::Seq(items)) => items.iter().filter_map(item).collect(),
        _ => Vec::new(),
    }
}

fn values(map: &Map, key: &str) -> Vec<f64> {
    texts(map, key)
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect()
}

/// Returns the pose in an entry.
fn placement(entry: &Map) -> Placement {
    let three = |key: &str| <[f64; 3]>::try_from(values(entry, key)).unwrap_or_default();
    let [roll, pitch, yaw] = three("attitude_deg").map(f64::to_radians);
    Placement {
        p_WB: Vec3::from(three("position_m")),
        q_WB: Quat::from_rpy(roll, pitch, yaw),
    }
}

/// Returns the description of a world.
pub(super) fn description_of_world(root: &Node) -> String {
    match &root.value {
        Value::Map(root) => text(root, "description").unwrap_or_default(),
        _ => String::new(),
    }
}
