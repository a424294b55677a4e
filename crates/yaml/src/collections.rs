//! Reading of optional values, lists, arrays and maps.
//!
//! Every element is read, and an error is reported at its element.

use std::collections::BTreeMap;
use std::ops::Deref;

use serde_json::{Map as JsonMap, Value as Json, json};

use crate::error::{Place, Problems, in_brackets, quote};
use crate::node::{Key, Map, Node, Value};
use crate::scalars::{is_frame_name, is_name};
use crate::schema::Defs;
use crate::traits::{Check, Field, Read, TypeName};

impl<T: Read> Read for Option<T> {
    const OPTIONAL: bool = true;

    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<Option<T>> {
        match node.value {
            Value::Null => Some(None),
            _ => T::read(node, field, problems).map(Some),
        }
    }

    fn read_missing(_: &Place, _: &str, _: &Field<'_>, _: &mut Problems) -> Option<Option<T>> {
        Some(None)
    }

    fn type_name(field: &Field<'_>) -> TypeName {
        T::type_name(field)
    }

    fn schema(field: &Field<'_>, defs: &mut Defs) -> Json {
        T::schema(field, defs)
    }

    fn json(&self) -> Json {
        self.as_ref().map_or(Json::Null, T::json)
    }
}

fn read_items<T: Read>(
    items: &[Node],
    field: &Field<'_>,
    problems: &mut Problems,
) -> Option<Vec<T>> {
    let mut values = Vec::new();
    for (n, item) in items.iter().enumerate() {
        let name = format!("{}[{n}]", field.name);
        values.extend(T::read(item, &field.element(&name), problems));
    }
    (values.len() == items.len()).then_some(values)
}

impl<T: Read> Read for Vec<T> {
    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<Vec<T>> {
        let items: &[Node] = match &node.value {
            Value::Seq(items) => items,
            // A key whose last list entry is commented out has a null value.
            Value::Null => &[],
            _ => return Self::refuse(node, field, problems),
        };
        if items.is_empty() && field.has_check(Check::NotEmpty) {
            field.report_mismatch(
                node,
                &format!("{} that is not empty", Self::type_name(field).singular),
                problems,
            );
            return None;
        }
        read_items(items, field, problems)
    }

    fn type_name(field: &Field<'_>) -> TypeName {
        let plural = T::type_name(field).plural;
        TypeName::new(format!("a list of {plural}"), format!("lists of {plural}"))
    }

    fn schema(field: &Field<'_>, defs: &mut Defs) -> Json {
        let mut schema = json!({ "type": "array", "items": T::schema(field, defs) });
        if field.has_check(Check::NotEmpty) {
            schema["minItems"] = 1.into();
        }
        schema
    }

    fn json(&self) -> Json {
        self.iter().map(T::json).collect()
    }
}

impl<T: Read, const N: usize> Read for [T; N] {
    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<[T; N]> {
        let Value::Seq(items) = &node.value else {
            return Self::refuse(node, field, problems);
        };
        let found = items.len();
        if found != N {
            let (plural, unit) = (T::type_name(field).plural, in_brackets(field.unit()));
            let text = format!(
                "{}: expected {N} {plural}{unit}, found {found}",
                field.title()
            );
            problems.push(&node.place, text);
        }
        read_items(items, field, problems)?.try_into().ok()
    }

    fn type_name(field: &Field<'_>) -> TypeName {
        let plural = T::type_name(field).plural;
        TypeName::new(
            format!("a list of {N} {plural}"),
            format!("lists of {N} {plural}"),
        )
    }

    fn schema(field: &Field<'_>, defs: &mut Defs) -> Json {
        json!({ "type": "array", "items": T::schema(field, defs), "minItems": N, "maxItems": N })
    }

    fn json(&self) -> Json {
        self.iter().map(T::json).collect()
    }
}

static NO_KEYS: Map = Map {
    entries: Vec::new(),
    partial: false,
};

/// Returns the keys of a map, or `None` after a problem was reported. A null value has no keys.
pub(crate) fn keys_of<'a>(
    node: &'a Node,
    expected: &str,
    field: &Field<'_>,
    problems: &mut Problems,
) -> Option<&'a Map> {
    match &node.value {
        Value::Map(map) => Some(map),
        Value::Null => Some(&NO_KEYS),
        _ => {
            field.report_mismatch(node, expected, problems);
            None
        }
    }
}

fn map_noun(plural: &str) -> TypeName {
    TypeName::new(
        format!("a map of names to {plural}"),
        format!("maps of names to {plural}"),
    )
}

fn map_json<'a, T: Read + 'a>(
    entries: impl IntoIterator<Item = (impl Into<String>, &'a T)>,
) -> Json {
    let entries = entries.into_iter();
    let entries = entries.map(|(name, value)| (name.into(), value.json()));
    entries.collect::<JsonMap<_, _>>().into()
}

impl<T: Read> Read for BTreeMap<String, T> {
    fn read(
        node: &Node,
        field: &Field<'_>,
        problems: &mut Problems,
    ) -> Option<BTreeMap<String, T>> {
        let keys = &keys_of(node, &Self::type_name(field).singular, field, problems)?.entries;
        let mut values = BTreeMap::new();
        for (key, node) in keys {
            if let Some(value) = T::read(node, &field.element(&key.name), problems) {
                values.insert(key.name.clone(), value);
            }
        }
        (values.len() == keys.len()).then_some(values)
    }

    fn type_name(field: &Field<'_>) -> TypeName {
        map_noun(&T::type_name(field).plural)
    }

    fn schema(field: &Field<'_>, defs: &mut Defs) -> Json {
        json!({ "type": "object", "additionalProperties": T::schema(field, defs) })
    }

    fn json(&self) -> Json {
        map_json(self)
    }
}

/// Map with valid ROS names as keys, in the order written. With the condition `frame`, the keys are
/// names of ROS frames.
#[derive(Clone, Debug)]
pub struct NamedMap<T>(pub Vec<(Key, T)>);

impl<T: PartialEq> PartialEq for NamedMap<T> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<T> Default for NamedMap<T> {
    fn default() -> Self {
        NamedMap(Vec::new())
    }
}

impl<T> NamedMap<T> {
    /// Iterates over names and values in the order written.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &T)> {
        self.0.iter().map(|(key, value)| (key.name.as_str(), value))
    }

    /// Returns the value of `name`.
    pub fn get(&self, name: &str) -> Option<&T> {
        self.iter()
            .find(|(other, _)| *other == name)
            .map(|(_, value)| value)
    }

    /// Returns the position at which `name` was written.
    pub fn key_place(&self, name: &str) -> Option<&Place> {
        self.0
            .iter()
            .find(|(key, _)| key.name == name)
            .map(|(key, _)| &key.place)
    }
}

impl<T: Read> Read for NamedMap<T> {
    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<NamedMap<T>> {
        let keys = &keys_of(node, &Self::type_name(field).singular, field, problems)?.entries;
        let mut values = Vec::new();
        let mut named_well = true;
        for (key, node) in keys {
            let (good, check) = match field.has_check(Check::Frame) {
                true => (is_frame_name(&key.name), Check::Frame),
                false => (is_name(&key.name), Check::Name),
            };
            if !good {
                let rule = String::type_name(&Field::new("", "", &[check])).singular;
                let (owner, found) = (field.title(), quote(&key.name));
                problems.push(
                    &key.place,
                    format!("in {owner}: expected {rule}, found {found}"),
                );
                named_well = false;
            }
            let value = T::read(node, &field.element(&key.name), problems);
            values.extend(value.map(|value| (key.clone(), value)));
        }
        (named_well && values.len() == keys.len()).then_some(NamedMap(values))
    }

    fn type_name(field: &Field<'_>) -> TypeName {
        map_noun(&T::type_name(field).plural)
    }

    fn schema(field: &Field<'_>, defs: &mut Defs) -> Json {
        json!({
            "type": "object",
            "propertyNames": { "pattern": if field.has_check(Check::Frame) { "^[^/\\s]\\S*$" } else { "^[a-z][a-z0-9_]*$" } },
            "additionalProperties": T::schema(field, defs)
        })
    }

    fn json(&self) -> Json {
        map_json(self.iter())
    }
}

/// A value together with the position at which it was written. Used for list elements that a later
/// check may reject.
#[derive(Clone, Debug)]
pub struct Located<T> {
    /// Value that was read.
    pub value: T,
    /// Position at which the value was written.
    pub place: Place,
}

impl<T> Deref for Located<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: PartialEq> PartialEq for Located<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Read> Read for Located<T> {
    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<Located<T>> {
        T::read(node, field, problems).map(|value| Located {
            value,
            place: node.place.clone(),
        })
    }

    fn type_name(field: &Field<'_>) -> TypeName {
        T::type_name(field)
    }

    fn schema(field: &Field<'_>, defs: &mut Defs) -> Json {
        T::schema(field, defs)
    }

    fn json(&self) -> Json {
        self.value.json()
    }
}
