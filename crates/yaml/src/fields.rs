//! Reading of the keys of one map: known, unknown and missing keys and their positions.
//!
//! The code that `spec!` generates calls these functions. They contain all code that does not depend
//! on a particular structure. The only key named here is `kind`.

use serde_json::{Map as JsonMap, Value as Json};
use std::fmt;

use crate::collections::keys_of;
use crate::error::{Place, Problems, did_you_mean, explain_unknown_key, quoted_list};
use crate::node::{KIND, Map, Node, Value};
use crate::parse::parse;
use crate::schema::{Defs, KeySet};
use crate::traits::{Declaration, Field, Read, describe_node};

/// Positions at which a structure and each of its keys were written. Two values always compare
/// equal and are not printed, so that positions affect neither the comparison of structures nor the
/// digest of a scene.
#[derive(Clone, Default)]
pub struct Places {
    /// Position of the map itself.
    pub whole: Place,
    keys: Vec<(String, Place)>,
}

impl Places {
    /// Returns the position of the value of `key`, or of the whole map if the key is missing. A key
    /// of a map inside, which keeps no positions if it is plain, is written `shear.roughness_m`.
    pub fn key_place(&self, key: &str) -> &Place {
        self.keys
            .iter()
            .find(|(name, _)| name == key)
            .map_or(&self.whole, |(_, place)| place)
    }

    /// Returns true if the key was written, as opposed to defaulted.
    pub fn has_key(&self, key: &str) -> bool {
        self.keys.iter().any(|(name, _)| name == key)
    }

    /// Reports `key` as a problem if it is given but has no effect because `with` is missing.
    pub fn report_ineffective_key(&self, key: &str, with: &str, problems: &mut Problems) {
        if self.has_key(key) && !self.has_key(with) {
            problems.push(
                self.key_place(key),
                format!("`{key}` has no effect without `{with}`"),
            );
        }
    }
}

impl fmt::Debug for Places {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("_")
    }
}

impl PartialEq for Places {
    fn eq(&self, _: &Places) -> bool {
        true
    }
}

/// Value that applies when a key is missing.
pub enum Fallback<T> {
    /// Behaviour of the type: a problem, or `None` for an optional value.
    TypeDefault,
    /// The value that this function returns.
    Value(fn() -> T),
    /// Value given as YAML text, read as if it were written in the map.
    Yaml(&'static str),
}

impl<T: Read> Fallback<T> {
    /// Returns true if the key is required.
    pub(crate) fn is_required(&self) -> bool {
        matches!(self, Fallback::TypeDefault) && !T::OPTIONAL
    }

    fn default_value(
        self,
        place: &Place,
        owner: &str,
        field: &Field<'_>,
        problems: &mut Problems,
    ) -> Option<T> {
        match self {
            Fallback::TypeDefault => T::read_missing(place, owner, field, problems),
            Fallback::Value(value) => Some(value()),
            Fallback::Yaml(text) => T::read(&default_node(text, place, problems)?, field, problems),
        }
    }

    /// Returns the default for the schema, if there is one.
    pub(crate) fn default_json(&self, field: &Field<'_>) -> Option<Json> {
        let mut problems = Problems::new();
        match self {
            Fallback::TypeDefault => None,
            Fallback::Value(value) => Some(value().json()),
            Fallback::Yaml(text) => {
                let node = default_node(text, &Place::default(), &mut problems)?;
                T::read(&node, field, &mut problems).map(|value| value.json())
            }
        }
    }
}

/// Parses a default that is given as YAML text. Its nodes are placed at `place`.
fn default_node(text: &str, place: &Place, problems: &mut Problems) -> Option<Node> {
    let mut node = parse(&place.file, text, problems)?;
    node.set_places(place);
    Some(node)
}

/// Returns a structure with the defaults of all its keys.
///
/// # Panics
/// A key is required.
pub fn from_defaults<T: Read>() -> T {
    let mut problems = Problems::new();
    let node = default_node("{}", &Place::default(), &mut problems);
    let value = node.and_then(|node| T::read(&node, &Field::root(), &mut problems));
    value.unwrap_or_else(|| panic!("{problems}"))
}

/// Adds the value of `key` to the JSON form of a map.
pub fn insert_json(map: &mut JsonMap<String, Json>, key: &str, value: Json) {
    map.insert(key.into(), value);
}

/// Reads the keys of one map one after the other. Used by the code that `spec!` generates.
pub struct Reader<'a> {
    map: &'a Map,
    field: Field<'a>,
    fields: &'static [Declaration],
    /// Expected keys that an unknown key was probably meant to be. They are not reported as missing
    /// in addition.
    probably_meant: Vec<String>,
    places: Places,
}

impl<'a> Reader<'a> {
    /// Opens a map. Unknown keys are reported as problems, unless `open` is set because a nested
    /// structure shares the map.
    pub fn new(
        node: &'a Node,
        field: &Field<'a>,
        fields: &'static [Declaration],
        open: bool,
        problems: &mut Problems,
    ) -> Option<Reader<'a>> {
        let map = keys_of(node, "a map with keys", field, problems)?;
        let mut keys = Vec::new();
        for (key, node) in &map.entries {
            keys.push((key.name.clone(), node.place.clone()));
            for (inner, node) in node.as_map().iter().flat_map(|map| &map.entries) {
                keys.push((format!("{}.{}", key.name, inner.name), node.place.clone()));
            }
        }
        let at = Places {
            whole: node.place.clone(),
            keys,
        };
        let mut reader = Reader {
            map,
            field: *field,
            fields,
            probably_meant: Vec::new(),
            places: at,
        };
        if !open {
            reader.report_unknown(problems);
        }
        Some(reader)
    }

    fn report_unknown(&mut self, problems: &mut Problems) {
        let own = self.fields.iter().map(|field| field.name);
        let expected: Vec<&str> = self.field.outer.iter().copied().chain(own).collect();
        for (key, _) in &self.map.entries {
            if !self.fields.iter().any(|field| field.name == key.name) {
                let (text, meant) = explain_unknown_key(&key.name, &self.field.title(), &expected);
                problems.push(&key.place, text);
                self.probably_meant.extend(meant.map(str::to_owned));
            }
        }
    }

    /// Reads the value of the declared key.
    pub fn read_key<T: Read>(
        &self,
        declaration: &'static Declaration,
        fallback: Fallback<T>,
        problems: &mut Problems,
    ) -> Option<T> {
        let field = declaration.field();
        if let Some(node) = self.map.get(field.name) {
            return T::read(node, &field, problems);
        }
        if fallback.is_required() && self.is_reported(field.name) {
            return None;
        }
        fallback.default_value(&self.places.whole, &self.field.title(), &field, problems)
    }

    /// Returns true if the missing `key` must not be reported: it may be in another file, or an
    /// unknown key was reported that was probably meant to be it.
    fn is_reported(&self, key: &str) -> bool {
        self.map.partial || self.probably_meant.iter().any(|name| name == key)
    }

    /// Reads a structure that shares the map from all keys that do not belong to the outer
    /// structure.
    pub fn read_flattened<T: Read>(&self, problems: &mut Problems) -> Option<T> {
        let own: Vec<&str> = self.fields.iter().map(|field| field.name).collect();
        let node = Value::Map(self.map.without(&own)).at(&self.places.whole);
        let outer: Vec<&str> = self.field.outer.iter().copied().chain(own).collect();
        let field = Field {
            outer: &outer,
            ..self.field
        };
        T::read(&node, &field, problems)
    }

    /// Returns the positions of the map and of its keys.
    pub fn into_places(self) -> Places {
        self.places
    }
}

/// Returns the kind among `kinds` that a node selects, and the node without that key. A string
/// selects a kind without keys.
///
/// If no kind is selected, keys that belong to none of `key_sets` are still reported.
pub fn read_kind_key(
    node: &Node,
    field: &Field<'_>,
    kinds: &[&'static str],
    key_sets: fn(&mut Defs) -> Vec<KeySet>,
    problems: &mut Problems,
) -> Option<(&'static str, Node)> {
    let one_of = || format!("one of {}", quoted_list(kinds.iter().copied()));
    let map = match &node.value {
        Value::Scalar { .. } => {
            return Some((
                read_word(node, field, kinds, problems)?,
                Node::empty_map(&node.place),
            ));
        }
        Value::Map(map) => map,
        _ => {
            field.report_mismatch(
                node,
                &format!("a map with the key `{KIND}`: {}", one_of()),
                problems,
            );
            return None;
        }
    };
    let kind = match map.get(KIND) {
        Some(kind) => read_word(kind, &Field::new(KIND, "", &[]), kinds, problems),
        None => None,
    };
    let Some(kind) = kind else {
        let meant_kind = report_unknown_choice_keys(map, field, key_sets, problems);
        if !(map.partial || meant_kind || map.get(KIND).is_some()) {
            let text = format!(
                "missing key `{KIND}` in {}; expected {}",
                field.title(),
                one_of()
            );
            problems.push(&node.place, text);
        }
        return None;
    };
    Some((kind, Value::Map(map.without(&[KIND])).at(&node.place)))
}

/// Reports the keys that belong to no kind of a choice. Returns true if one of them was probably
/// meant to be [`KIND`].
fn report_unknown_choice_keys(
    map: &Map,
    field: &Field<'_>,
    key_sets: fn(&mut Defs) -> Vec<KeySet>,
    problems: &mut Problems,
) -> bool {
    let key_sets = key_sets(&mut Defs::default());
    let mut expected: Vec<&str> = field.outer.to_vec();
    for key in key_sets.iter().flat_map(KeySet::keys) {
        if !expected.contains(&key) {
            expected.push(key);
        }
    }
    let mut meant_kind = false;
    for (key, _) in map
        .entries
        .iter()
        .filter(|(key, _)| !expected.contains(&key.name.as_str()))
    {
        let (text, meant) = explain_unknown_key(&key.name, &field.title(), &expected);
        problems.push(&key.place, text);
        meant_kind |= meant == Some(KIND);
    }
    meant_kind
}

/// Returns the word among `words` that a node contains, or `None` after reporting a problem.
pub fn read_word(
    node: &Node,
    field: &Field<'_>,
    words: &[&'static str],
    problems: &mut Problems,
) -> Option<&'static str> {
    let text = node.as_text().unwrap_or("");
    let word = words.iter().copied().find(|word| *word == text);
    if word.is_none() {
        let one_of = quoted_list(words.iter().copied());
        let hint = did_you_mean(text, words.iter().copied());
        let text = format!(
            "{}: expected one of {one_of}, found {}{hint}",
            field.title(),
            describe_node(node)
        );
        problems.push(&node.place, text);
    }
    word
}
