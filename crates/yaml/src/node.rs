//! The tree of a YAML file, in which every node knows where it was written.
//!
//! Exists because a mistake must be shown at its own line, also when it came through `extends` from another file.
//! Numbers stay text here; the reader decides what they should be.
//!
//! Must not know what the keys mean (but that `kind` tells which others there are), nor how the tree is written.

use std::collections::HashMap;

use crate::error::Place;
use crate::fields::KIND;
pub use crate::load::Loader;
pub use crate::parse::parse;

/// Deepest nesting of lists and maps, `extends` included.
pub const DEPTH_MAX: usize = 64;
/// Memory of a node or key besides its text [bytes, roughly].
pub const NODE_WEIGHT: usize = 64;

/// One value of a file and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// What it is.
    pub value: Value,
    /// Where it was written.
    pub place: Place,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing: an empty value, `~` or `null`.
    Null,
    /// A text or number as written, and whether it stood in quotes.
    Scalar {
        /// The characters, without quotes.
        text: String,
        /// Whether it was quoted, and so cannot be a number.
        quoted: bool,
    },
    /// A list.
    Seq(Vec<Node>),
    /// Keys and their values.
    Map(Map),
}

/// Keys and their values, in the order written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Every key is here once.
    pub entries: Vec<(Key, Node)>,
    /// Whether the file that this map extends could not be read: then what is missing is no mistake of its own.
    pub partial: bool,
}

/// A key and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The key.
    pub name: String,
    /// Where it was written.
    pub place: Place,
}

impl Map {
    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.entries
            .iter()
            .find(|(key, _)| key.name == name)
            .map(|(_, node)| node)
    }

    /// The value of a key, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        self.entries
            .iter_mut()
            .find(|(key, _)| key.name == name)
            .map(|(_, node)| node)
    }

    pub fn take(&mut self, name: &str) -> Option<Node> {
        let n = self.entries.iter().position(|(key, _)| key.name == name)?;
        Some(self.entries.remove(n).1)
    }
}

impl Node {
    /// An empty map that stands at `place`.
    pub fn empty_map(place: &Place) -> Node {
        Node {
            value: Value::Map(Map::default()),
            place: place.clone(),
        }
    }

    /// Replaces every place in the tree: for defaults, which stand where the key is missing.
    pub fn move_to(&mut self, place: &Place) {
        self.place = place.clone();
        match &mut self.value {
            Value::Null | Value::Scalar { .. } => {}
            Value::Seq(items) => items.iter_mut().for_each(|item| item.move_to(place)),
            Value::Map(map) => {
                for (key, node) in &mut map.entries {
                    key.place = place.clone();
                    node.move_to(place);
                }
            }
        }
    }

    /// Memory it takes [bytes, roughly] and levels below it.
    pub fn weight_and_depth(&self) -> (usize, usize) {
        let mut weight = NODE_WEIGHT;
        let mut depth = 0;
        let mut add = |node: &Node| {
            let (w, d) = node.weight_and_depth();
            weight += w;
            depth = depth.max(d + 1);
        };
        match &self.value {
            Value::Null => {}
            Value::Scalar { text, .. } => weight += text.len(),
            Value::Seq(items) => items.iter().for_each(&mut add),
            Value::Map(map) => {
                map.entries.iter().for_each(|(_, node)| add(node));
                weight += map
                    .entries
                    .iter()
                    .map(|(key, _)| NODE_WEIGHT + key.name.len())
                    .sum::<usize>();
            }
        }
        (weight, depth)
    }
}

/// Lays `over` upon `base`: maps are merged key by key, anything else in `over` replaces what `base` has, and a null
/// removes the key. A map of another `kind` replaces the base's: the keys of one kind mean nothing to another. Every
/// node keeps its place; a merged map stands where `over` wrote it.
pub fn merge(base: Node, over: Node) -> Node {
    let (mut map, over_map) = match (base.value, over.value) {
        (Value::Map(base), Value::Map(over)) if !of_other_kind(&base, &over) => (base, over),
        (_, value) => {
            return Node {
                value,
                place: over.place,
            };
        }
    };
    map.partial |= over_map.partial;
    let index: HashMap<String, usize> = map
        .entries
        .iter()
        .enumerate()
        .map(|(n, (key, _))| (key.name.clone(), n))
        .collect();
    let mut merged: Vec<Option<(Key, Node)>> = map.entries.into_iter().map(Some).collect();
    for (key, node) in over_map.entries {
        let Some(slot) = index.get(&key.name).and_then(|&n| merged.get_mut(n)) else {
            // a null that removes nothing stays, so that a misspelt key is still found unknown
            merged.push(Some((key, node)));
            continue;
        };
        *slot = match (slot.take(), &node.value) {
            (_, Value::Null) => None,
            (Some((_, below)), _) => Some((key, merge(below, node))),
            (None, _) => Some((key, node)),
        };
    }
    map.entries = merged.into_iter().flatten().collect();
    Node {
        value: Value::Map(map),
        place: over.place,
    }
}

/// Whether both maps say their kind, and not the same.
fn of_other_kind(base: &Map, over: &Map) -> bool {
    let kind = |map: &Map| match map.get(KIND).map(|node| &node.value) {
        Some(Value::Scalar { text, .. }) => Some(text.clone()),
        _ => None,
    };
    matches!((kind(base), kind(over)), (Some(base), Some(over)) if base != over)
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::error::Problems;

    /// The tree in short: `{key: value}`, `[item]`, `'quoted'`, `~`.
    pub fn show(node: &Node) -> String {
        match &node.value {
            Value::Null => "~".into(),
            Value::Scalar { text, quoted: true } => format!("'{text}'"),
            Value::Scalar { text, .. } => text.clone(),
            Value::Seq(items) => format!(
                "[{}]",
                items.iter().map(show).collect::<Vec<_>>().join(", ")
            ),
            Value::Map(map) => {
                let entries = map
                    .entries
                    .iter()
                    .map(|(key, node)| format!("{}: {}", key.name, show(node)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
        }
    }

    #[test]
    fn over_wins_key_by_key_and_null_removes() {
        let parsed = |text: &str| parse("a.yaml", text, &mut Problems::new()).unwrap();
        let merged = |base: &str, over: &str| show(&merge(parsed(base), parsed(over)));
        assert_eq!(
            merged("{a: 1, b: {c: 2, d: 3}}", "{b: {d: 4, e: 5}, f: 6}"),
            "{a: 1, b: {c: 2, d: 4, e: 5}, f: 6}"
        );
        assert_eq!(merged("{a: [1, 2]}", "{a: [3]}"), "{a: [3]}");
        assert_eq!(merged("{a: {b: 1}}", "{a: 2}"), "{a: 2}");
        assert_eq!(merged("{a: {b: 1}, c: 2}", "{a: ~}"), "{c: 2}");
        assert_eq!(merged("{c: 2}", "{a: ~}"), "{c: 2, a: ~}");
        assert_eq!(merged("~", "{a: 1}"), "{a: 1}");
        assert_eq!(
            merged("{lag: {kind: third, a: 1}}", "{lag: {kind: first, b: 2}}"),
            "{lag: {kind: first, b: 2}}"
        );
        assert_eq!(
            merged("{lag: {kind: first, b: 1}}", "{lag: {kind: first, c: 2}}"),
            "{lag: {kind: first, b: 1, c: 2}}"
        );
    }
}
