//! The tree of a YAML file. Every node stores the position at which it was written.
//!
//! The positions allow an error to be reported at its own line, even if it came through `extends`
//! from another file. Numbers remain text at this stage. Of all keys only `kind` has a meaning
//! here, in [`merge`].

use std::collections::HashMap;
use std::fmt::Display;

use serde_json::Value as Json;

use crate::error::Place;
use crate::parameters::{USED, Use};
pub use crate::parse::parse;

/// Key that selects the kind of a choice.
pub const KIND: &str = "kind";
/// Keys of the distributions of a value that is drawn at random.
pub(crate) const DISTRIBUTIONS: [&str; 5] = ["uniform", "integer", "normal", "choice", "shuffle"];

/// Maximum nesting depth of lists and maps, including `extends`.
pub const DEPTH_MAX: usize = 64;
/// Approximate memory of a node or key in addition to its text [bytes].
pub(crate) const NODE_BYTES: usize = 64;

/// One value of a file and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Content of the node.
    pub value: Value,
    /// Position at which the node was written.
    pub place: Place,
}

/// Content of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Null: an empty value, `~` or `null`.
    Null,
    /// A scalar as written.
    Scalar {
        /// Characters of the scalar, without quotes.
        text: String,
        /// Whether the scalar was quoted or has the tag `!!str`. It is then always a string.
        quoted: bool,
    },
    /// A list of nodes.
    Seq(Vec<Node>),
    /// A map from keys to nodes.
    Map(Map),
}

/// Keys and their values, in the order written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Map {
    /// Pairs of key and value. Each key occurs once.
    pub entries: Vec<(Key, Node)>,
    /// Whether a file named by `extends` could not be read. Missing keys of this map are then not
    /// reported.
    pub partial: bool,
}

/// A key and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Name of the key.
    pub name: String,
    /// Position at which the key was written.
    pub place: Place,
}

impl Value {
    /// Returns the node with this value at the position `place`.
    pub fn at(self, place: &Place) -> Node {
        Node {
            value: self,
            place: place.clone(),
        }
    }
}

impl<K: AsRef<str>> FromIterator<(K, Node)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, Node)>>(entries: I) -> Map {
        let mut map = Map::default();
        for (name, node) in entries {
            map.insert(name.as_ref(), node);
        }
        map
    }
}

impl Map {
    /// Returns the value of the key `name`.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.entries
            .iter()
            .find(|(key, _)| key.name == name)
            .map(|(_, node)| node)
    }

    /// Returns the value of the key `name` for modification.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        self.entries
            .iter_mut()
            .find(|(key, _)| key.name == name)
            .map(|(_, node)| node)
    }

    /// Sets the value of the key `name`. A key that exists keeps its place in the order; a new key
    /// is the last key and has the position of its value.
    pub fn insert(&mut self, name: &str, node: Node) {
        match self.get_mut(name) {
            Some(present) => *present = node,
            None => {
                let key = Key {
                    name: name.to_string(),
                    place: node.place.clone(),
                };
                self.entries.push((key, node));
            }
        }
    }

    /// Returns the value of the key `name` if it is a map.
    pub fn get_map(&self, name: &str) -> Option<&Map> {
        self.get(name)?.as_map()
    }

    /// Returns the value of the key `name` for modification if it is a map.
    pub fn get_map_mut(&mut self, name: &str) -> Option<&mut Map> {
        self.get_mut(name)?.as_map_mut()
    }

    /// Returns the value of the key `name` if it is a scalar.
    pub fn get_text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()
    }

    /// Returns the value of the key `name`, which is set to `node` if the key does not exist.
    pub fn get_or_insert(&mut self, name: &str, node: Node) -> &mut Node {
        let found = self.entries.iter().position(|(key, _)| key.name == name);
        let index = found.unwrap_or_else(|| {
            self.insert(name, node);
            self.entries.len() - 1
        });
        &mut self.entries[index].1
    }

    /// Returns the map without the keys `names`.
    pub(crate) fn without(&self, names: &[&str]) -> Map {
        let others = self.entries.iter();
        let others = others.filter(|(key, _)| !names.contains(&key.name.as_str()));
        Map {
            entries: others.cloned().collect(),
            partial: self.partial,
        }
    }

    /// Removes the key `name` and returns its value.
    pub fn remove(&mut self, name: &str) -> Option<Node> {
        let n = self.entries.iter().position(|(key, _)| key.name == name)?;
        Some(self.entries.remove(n).1)
    }
}

impl Node {
    /// Creates the node of a JSON value. Strings are quoted, and a number has the shortest form
    /// that is read as an identical value. All nodes have the position `place`.
    pub fn new(value: impl Into<Json>, place: &Place) -> Node {
        match value.into() {
            Json::Null => Value::Null.at(place),
            Json::Bool(is_true) => Node::plain(is_true, place),
            Json::Number(number) => match number.as_f64().filter(|_| number.is_f64()) {
                Some(x) => Node::plain(format_args!("{x:?}"), place),
                None => Node::plain(number, place),
            },
            Json::String(text) => Value::Scalar { text, quoted: true }.at(place),
            Json::Array(items) => Node::list(items.into_iter().map(|v| Node::new(v, place)), place),
            Json::Object(map) => Node::map(
                map.into_iter().map(|(k, v)| (k, Node::new(v, place))),
                place,
            ),
        }
    }

    /// Creates a scalar without quotes.
    pub fn plain(value: impl Display, place: &Place) -> Node {
        let (text, quoted) = (value.to_string(), false);
        Value::Scalar { text, quoted }.at(place)
    }

    /// Creates a list.
    pub fn list(items: impl IntoIterator<Item = Node>, place: &Place) -> Node {
        Value::Seq(items.into_iter().collect()).at(place)
    }

    /// Creates a map. Each key has the position of its value.
    pub fn map<K: AsRef<str>>(entries: impl IntoIterator<Item = (K, Node)>, place: &Place) -> Node {
        Value::Map(entries.into_iter().collect()).at(place)
    }

    /// Creates an empty map at the position `place`.
    pub fn empty_map(place: &Place) -> Node {
        Value::Map(Map::default()).at(place)
    }

    /// Returns the map, or `None` for another value.
    pub fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the map for modification, or `None` for another value.
    pub fn as_map_mut(&mut self) -> Option<&mut Map> {
        match &mut self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// Returns the map of the node, which becomes an empty map if it has another value.
    pub fn make_map(&mut self) -> &mut Map {
        if self.as_map().is_none() {
            self.value = Value::Map(Map::default());
        }
        match &mut self.value {
            Value::Map(map) => map,
            _ => unreachable!("the value was set to a map"),
        }
    }

    /// Returns the characters of a scalar, or `None` for another value.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Returns the scalars of a list; of another value, an empty list.
    pub fn as_texts(&self) -> Vec<&str> {
        match &self.value {
            Value::Seq(items) => items.iter().filter_map(Node::as_text).collect(),
            _ => Vec::new(),
        }
    }

    /// Returns the value of the key `name` of a map; `None` for another value.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.as_map()?.get(name)
    }

    /// Returns the value of the key `name` of a map for modification; `None` for another value.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Node> {
        self.as_map_mut()?.get_mut(name)
    }

    /// Returns the value of the key `name`, which is set to an empty map if the key does not exist.
    pub fn get_or_make(&mut self, name: &str) -> &mut Node {
        let empty = Node::empty_map(&self.place);
        self.make_map().get_or_insert(name, empty)
    }

    /// Sets the key `name` to a JSON value, which has the position of this node.
    pub fn set(&mut self, name: &str, value: impl Into<Json>) {
        let node = Node::new(value, &self.place);
        self.make_map().insert(name, node);
    }

    /// Returns the tree with the position `place` at every node.
    pub fn placed(mut self, place: &Place) -> Node {
        self.set_places(place);
        self
    }

    /// Sets the position of every node in the tree. Used for defaults, which take the position of
    /// the map that lacks the key.
    pub(crate) fn set_places(&mut self, place: &Place) {
        self.place = place.clone();
        match &mut self.value {
            Value::Null | Value::Scalar { .. } => {}
            Value::Seq(items) => items.iter_mut().for_each(|item| item.set_places(place)),
            Value::Map(map) => {
                for (key, node) in &mut map.entries {
                    key.place = place.clone();
                    node.set_places(place);
                }
            }
        }
    }

    /// Returns the approximate memory of the tree [bytes] and the number of levels below this node.
    pub(crate) fn memory_and_depth(&self) -> (usize, usize) {
        let mut weight = NODE_BYTES;
        let mut depth = 0;
        let mut add = |node: &Node| {
            let (w, d) = node.memory_and_depth();
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
                    .map(|(key, _)| NODE_BYTES + key.name.len())
                    .sum::<usize>();
            }
        }
        (weight, depth)
    }
}

/// Overlays `overrides` on `base`. Maps are merged key by key; any other value in `overrides`
/// replaces the value in `base`; a null removes the key. A map with a different `kind` replaces the
/// map in `base`, because each kind has its own keys. Every node keeps its position; a merged map
/// has the position in `overrides`.
///
/// Keys over a parameter are merged into its value when that is known.
pub fn merge(base: Node, overrides: Node) -> Node {
    let base_uses_parameter = matches!(
        base.as_text().map(Use::of_text),
        Some(Use::Of(_)) if overrides.as_map().is_some()
    );
    if base_uses_parameter {
        let mut overrides = overrides;
        let map = overrides.make_map();
        if map.get(USED).is_none() {
            map.insert(USED, base);
        }
        return overrides;
    }
    let (mut map, override_map) = match (base.value, overrides.value) {
        (Value::Map(base), Value::Map(overrides)) if !of_other_kind(&base, &overrides) => {
            (base, overrides)
        }
        (_, value) => {
            return Node {
                value,
                place: overrides.place,
            };
        }
    };
    map.partial |= override_map.partial;
    let index: HashMap<String, usize> = map
        .entries
        .iter()
        .enumerate()
        .map(|(n, (key, _))| (key.name.clone(), n))
        .collect();
    let mut merged: Vec<Option<(Key, Node)>> = map.entries.into_iter().map(Some).collect();
    for (key, node) in override_map.entries {
        let Some(slot) = index.get(&key.name).and_then(|&n| merged.get_mut(n)) else {
            // A null that removes no key is kept, so that a misspelt key is still reported as
            // unknown.
            merged.push(Some((key, node)));
            continue;
        };
        *slot = match (slot.take(), &node.value) {
            // this null may remove the key of a file that is merged below later
            (Some((_, below)), Value::Null) if matches!(below.value, Value::Null) => {
                Some((key, node))
            }
            (_, Value::Null) => None,
            (Some((_, below)), _) => Some((key, merge(below, node))),
            (None, _) => Some((key, node)),
        };
    }
    map.entries = merged.into_iter().flatten().collect();
    Node {
        value: Value::Map(map),
        place: overrides.place,
    }
}

/// Returns the word and the arguments of a map that is the distribution of a value.
pub(crate) fn distribution_of(map: &Map) -> Option<(&str, &Node)> {
    let [(key, arguments)] = &map.entries[..] else {
        return None;
    };
    DISTRIBUTIONS
        .contains(&key.name.as_str())
        .then_some((key.name.as_str(), arguments))
}

/// Returns true if both maps have a `kind` or are distributions and the two differ, or if the second
/// replaces the first by a parameter.
fn of_other_kind(base: &Map, overrides: &Map) -> bool {
    let words = [base, overrides].map(|map| distribution_of(map).map(|(word, _)| word));
    overrides.get(USED).is_some()
        || matches!(words, [Some(base), Some(other)] if base != other)
        || matches!((base.get_text(KIND), overrides.get_text(KIND)), (Some(base), Some(other)) if base != other)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::error::Problems;

    /// Formats the tree in short form: `{key: value}`, `[item]`, `'quoted'`, `~`.
    pub(crate) fn show(node: &Node) -> String {
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
    fn overrides_replace_single_keys_and_null_removes() {
        let parsed = |text: &str| parse("a.yaml", text, &mut Problems::new()).unwrap();
        let merged = |base: &str, overrides: &str| show(&merge(parsed(base), parsed(overrides)));
        assert_eq!(
            merged("{a: 1, b: {c: 2, d: 3}}", "{b: {d: 4, e: 5}, f: 6}"),
            "{a: 1, b: {c: 2, d: 4, e: 5}, f: 6}"
        );
        assert_eq!(merged("{a: [1, 2]}", "{a: [3]}"), "{a: [3]}");
        assert_eq!(merged("{a: {b: 1}}", "{a: 2}"), "{a: 2}");
        assert_eq!(merged("{a: {b: 1}, c: 2}", "{a: ~}"), "{c: 2}");
        assert_eq!(merged("{c: 2}", "{a: ~}"), "{c: 2, a: ~}");
        // two nulls of a chain of files remove the key of the file below both
        assert_eq!(merged("{a: ~, c: 2}", "{a: ~}"), "{a: ~, c: 2}");
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
