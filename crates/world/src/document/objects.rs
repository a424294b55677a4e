//! Objects, named poses and labels in the tree of a world file.

use crate::document::{Document, Labels, NamedPose, ObjectInfo, Placement, SECTIONS};
use merrow_math::{Quat, Vec3};
use merrow_yaml::node::{Key, Map, Node};

impl Document {
    /// Returns description and tags of the world.
    pub fn labels(&self) -> Labels {
        labels_of_world(&self.tree)
    }

    /// Returns the named poses of the world.
    pub fn named_poses(&self) -> Vec<NamedPose> {
        let poses = self.tree.get("named_poses").and_then(Node::as_map);
        let pose = |(key, node): &(Key, Node)| {
            let entry = node.as_map()?;
            Some(NamedPose {
                name: key.name.clone(),
                description: text(entry, "description").unwrap_or_default(),
                tags: texts(entry, "tags"),
                placement: placement(entry),
                free_size: <[f64; 3]>::try_from(values(entry, "free_size_m"))
                    .ok()
                    .map(Vec3::from),
            })
        };
        let poses = poses.iter().flat_map(|poses| &poses.entries);
        poses.filter_map(pose).collect()
    }

    /// Returns all robots, props and structures. Copies are listed one by one.
    pub fn objects(&self) -> Vec<ObjectInfo> {
        let mut objects = Vec::new();
        for section in SECTIONS {
            let entries = self.tree.get(section).and_then(Node::as_map);
            for (key, entry) in entries.iter().flat_map(|map| &map.entries) {
                let Some(entry) = entry.as_map() else {
                    continue;
                };
                for name in copies(&key.name, entry) {
                    let own = start_of_copy(entry, &name).unwrap_or(entry);
                    objects.push(ObjectInfo {
                        section,
                        labels: labels(own, entry),
                        placement: (section == "structures").then(|| placement(entry)),
                        name,
                    });
                }
            }
        }
        objects
    }
}

/// Returns description and tags in the tree of a world.
pub(crate) fn labels_of_world(root: &Node) -> Labels {
    let own = |root: &Map| Labels {
        category: String::new(),
        description: text(root, "description").unwrap_or_default(),
        tags: texts(root, "tags"),
    };
    root.as_map().map(own).unwrap_or_default()
}

/// Returns the names of the copies of an entry, or its own name.
fn copies(name: &str, entry: &Map) -> Vec<String> {
    let Some(repeat) = entry.get_map("repeat") else {
        return vec![name.to_string()];
    };
    let total: u64 = values(repeat, "count").iter().map(|n| *n as u64).product();
    let except = texts(repeat, "except");
    let all = (0..total).map(|k| format!("{name}_{k}"));
    all.filter(|copy| !except.contains(copy)).collect()
}

/// Returns the map in `repeat.starts` for a copy.
fn start_of_copy<'a>(entry: &'a Map, name: &str) -> Option<&'a Map> {
    entry.get_map("repeat")?.get_map("starts")?.get_map(name)
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

/// Returns the description of an entry, or of its model or body.
fn description(entry: &Map) -> String {
    let part = |key: &str| text(entry.get_map(key)?, "description");
    text(entry, "description")
        .filter(|own| !own.is_empty())
        .or_else(|| part("model"))
        .or_else(|| part("body"))
        .unwrap_or_default()
}

fn text(map: &Map, key: &str) -> Option<String> {
    map.get_text(key).map(str::to_string)
}

fn texts(map: &Map, key: &str) -> Vec<String> {
    let texts = map.get(key).map_or_else(Vec::new, Node::as_texts);
    texts.into_iter().map(str::to_string).collect()
}

fn values(map: &Map, key: &str) -> Vec<f64> {
    let texts = map.get(key).map_or_else(Vec::new, Node::as_texts);
    texts.iter().filter_map(|text| text.parse().ok()).collect()
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
