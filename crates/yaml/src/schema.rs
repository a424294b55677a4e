//! JSON Schema of a file, generated from the declarations that also read it.
//!
//! Editors use the schema to complete and check a world file. It always agrees with the reader,
//! because both are generated from `spec!`. The schema is draft 2020-12; structures are under
//! `$defs`.

use serde_json::{Map as JsonMap, Value as Json, json};

use crate::fields::Fallback;
use crate::node::KIND;
use crate::parameters::PATTERN;
use crate::traits::{Declaration, Field, Fields, Read};

/// Schemas of the structures described so far.
#[derive(Debug, Default)]
pub struct Defs {
    entries: Vec<Def>,
}

#[derive(Debug)]
struct Def {
    name: String,
    rust_type: &'static str,
    schema: Json,
}

impl Defs {
    /// Returns a reference to the structure called `name`, whose Rust type has the unique name
    /// `rust_type`. `describe` generates its schema on the first call.
    ///
    /// If two types have the same name, the second is listed under its full module path.
    pub fn reference(
        &mut self,
        rust_type: &'static str,
        name: &str,
        describe: fn(&mut Defs) -> Json,
    ) -> Json {
        if let Some(def) = self.entries.iter().find(|def| def.rust_type == rust_type) {
            return reference(&def.name);
        }
        let taken = self.entries.iter().any(|def| def.name == name);
        let name = if taken {
            rust_type.replace("::", ".")
        } else {
            name.to_owned()
        };
        let n = self.entries.len();
        // The name is registered before the description is generated, so that a structure can
        // contain itself.
        self.entries.push(Def {
            name: name.clone(),
            rust_type,
            schema: Json::Null,
        });
        self.entries[n].schema = describe(self);
        reference(&name)
    }

    /// Returns the schemas of which a value of `schema` has one, without references.
    fn alternatives<'a>(&'a self, schema: &'a Json) -> Vec<&'a Json> {
        let name = schema["$ref"]
            .as_str()
            .and_then(|r| r.strip_prefix(REFERENCE));
        if let Some(name) = name {
            let def = self.entries.iter().find(|def| def.name == name);
            return def.map_or_else(Vec::new, |def| self.alternatives(&def.schema));
        }
        match schema["oneOf"].as_array() {
            Some(all) => all.iter().flat_map(|one| self.alternatives(one)).collect(),
            None => vec![schema],
        }
    }
}

const REFERENCE: &str = "#/$defs/";

fn reference(name: &str) -> Json {
    json!({ "$ref": format!("{REFERENCE}{name}") })
}

/// One set of keys that a map may have. A structure has one key set; a choice has one for each
/// kind.
#[derive(Clone, Debug, Default)]
pub struct KeySet {
    doc: String,
    properties: JsonMap<String, Json>,
    required: Vec<String>,
}

impl KeySet {
    /// Creates a key set without keys.
    pub fn new(doc: &str) -> KeySet {
        KeySet {
            doc: collapse_whitespace(doc),
            ..KeySet::default()
        }
    }

    /// Adds the declared key with values of type `T`. `fallback` is the value that applies if the
    /// key is missing.
    pub fn add_key<T: Read>(
        &mut self,
        declaration: &'static Declaration,
        fallback: Fallback<T>,
        defs: &mut Defs,
    ) {
        let field = declaration.field();
        let default = fallback.default_json(&field);
        let schema = T::schema(&field, defs);
        self.insert_key(&field, schema, default, fallback.is_required());
    }

    fn insert_key(
        &mut self,
        field: &Field<'_>,
        mut schema: Json,
        default: Option<Json>,
        required: bool,
    ) {
        if let Json::Object(object) = &mut schema {
            let unit = field
                .unit()
                .map_or_else(String::new, |unit| format!(" Unit: {unit}."));
            let description = collapse_whitespace(field.doc) + &unit;
            if !description.is_empty() {
                object.insert("description".into(), description.trim_start().into());
            }
            if let Some(default) = default.filter(|default| !default.is_null()) {
                object.insert("default".into(), default);
            }
        }
        self.properties.insert(field.name.into(), schema);
        if required {
            self.required.push(field.name.into());
        }
    }

    /// Iterates over the keys of the key set.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.properties.keys().map(String::as_str)
    }

    /// Returns the `kind` that selects the key set; `None`: it is not the key set of a kind.
    pub fn kind(&self) -> Option<&str> {
        self.properties.get(KIND)?.get("const")?.as_str()
    }

    /// Returns true if the key is required.
    pub fn is_required(&self, key: &str) -> bool {
        self.required.iter().any(|name| name == key)
    }

    /// Returns true if the value of the key is a list.
    pub fn is_list(&self, key: &str) -> bool {
        let schema = self.properties.get(key);
        schema.is_some_and(|schema| schema["type"] == "array")
    }

    /// Inserts the key that selects the `kind` before all others.
    fn insert_kind(&mut self, kind: &str) {
        let mut properties = JsonMap::new();
        properties.insert(KIND.into(), json!({ "const": kind }));
        properties.append(&mut self.properties);
        self.properties = properties;
        self.required.insert(0, KIND.into());
    }

    /// Returns, for each key set of `inner`, this key set extended by its keys.
    pub fn extended_by_each(&self, inner: Vec<KeySet>) -> Vec<KeySet> {
        let join = |inner: KeySet| {
            let mut key_set = self.clone();
            key_set.properties.extend(inner.properties);
            key_set.required.extend(inner.required);
            if !inner.doc.is_empty() && !key_set.doc.is_empty() {
                key_set.doc.push(' ');
            }
            key_set.doc.push_str(&inner.doc);
            key_set
        };
        inner.into_iter().map(join).collect()
    }

    /// Returns the kind, if it is the only key that this key set requires.
    fn sole_kind(&self) -> Option<Json> {
        let kind = self.properties.get(KIND)?.get("const")?.clone();
        (self.required.len() == 1).then_some(kind)
    }

    fn json(self) -> Json {
        let mut object = JsonMap::new();
        if !self.doc.is_empty() {
            object.insert("description".into(), self.doc.into());
        }
        object.insert("type".into(), "object".into());
        object.insert("properties".into(), Json::Object(self.properties));
        if !self.required.is_empty() {
            object.insert("required".into(), self.required.into());
        }
        object.insert("additionalProperties".into(), false.into());
        Json::Object(object)
    }
}

/// Adds the key sets of one kind of a choice to `all` key sets of the choice.
pub fn add_kind(all: &mut Vec<KeySet>, kind: &str, mut key_sets: Vec<KeySet>) {
    for key_set in &mut key_sets {
        key_set.insert_kind(kind);
    }
    all.append(&mut key_sets);
}

/// Returns the schema of a map that has one of these key sets.
pub fn map_schema(doc: &str, key_sets: Vec<KeySet>) -> Json {
    let mut key_sets: Vec<Json> = key_sets.into_iter().map(KeySet::json).collect();
    if key_sets.len() == 1 {
        return key_sets.remove(0);
    }
    json!({ "description": collapse_whitespace(doc), "oneOf": key_sets })
}

/// Returns the schema of a choice: one of these key sets, or a string that names a kind.
pub fn choice_schema(doc: &str, key_sets: Vec<KeySet>) -> Json {
    let alone: Vec<Json> = key_sets.iter().filter_map(KeySet::sole_kind).collect();
    let mut key_sets: Vec<Json> = key_sets.into_iter().map(KeySet::json).collect();
    if !alone.is_empty() {
        key_sets.push(json!({ "enum": alone }));
    }
    json!({ "description": collapse_whitespace(doc), "oneOf": key_sets })
}

/// Returns the schema of a choice between words.
pub fn words_schema(doc: &str, words: &[(&str, &str)]) -> Json {
    let list = words
        .iter()
        .map(|(word, doc)| format!("`{word}`: {}", collapse_whitespace(doc)))
        .collect::<Vec<_>>()
        .join(" ");
    let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    json!({ "description": format!("{} {list}", collapse_whitespace(doc)), "enum": words })
}

/// Text before the names of the required keys of a map, in the comment of its schema: the schema
/// cannot demand them, because the base of an `extends` may have them.
const REQUIRED: &str = "Required, here or in a base: ";

/// Keys whose string value names a component file, and the folder that contains such files.
pub type Components = &'static [(&'static str, &'static str)];

/// Returns the complete schema of a file whose root is `T`, as the file is written: before
/// `extends` and the names of `components` are resolved.
pub fn schema<T: Fields>(title: &str, components: Components) -> Json {
    let (root, defs) = declared::<T>();
    let mut whole = JsonMap::new();
    whole.insert(
        "$schema".into(),
        "https://json-schema.org/draft/2020-12/schema".into(),
    );
    whole.insert("title".into(), title.into());
    if let Json::Object(root) = root {
        whole.extend(root);
    }
    let mut all = JsonMap::new();
    for (n, def) in defs.entries.into_iter().enumerate() {
        let mut schema = def.schema;
        allow_extends(&mut schema, n == 0, components);
        all.insert(def.name, schema);
    }
    whole.insert("$defs".into(), Json::Object(all));
    Json::Object(whole)
}

/// Returns the schema of a file whose root is `T`, as it is after `extends` is resolved.
fn declared<T: Fields>() -> (Json, Defs) {
    let mut defs = Defs::default();
    let root = T::schema(&Field::root(), &mut defs);
    (root, defs)
}

/// Returns true if the last of `keys`, from the root `T` on, is a name that is free to choose, and
/// its value has required keys: an entry such as a robot, which one key does not define.
pub fn names_incomplete_entry<T: Fields>(keys: &[&str]) -> bool {
    let (root, defs) = declared::<T>();
    let Some((last, before)) = keys.split_last() else {
        return false;
    };
    let mut maps = defs.alternatives(&root);
    for key in before {
        let inner = maps.iter().filter_map(|map| value_schema(map, key));
        maps = inner.flat_map(|value| defs.alternatives(value)).collect();
    }
    let is_declared = maps.iter().any(|map| !map["properties"][*last].is_null());
    let entries = maps.iter().map(|map| &map["additionalProperties"]);
    let entries: Vec<&Json> = entries
        .filter(|entry| entry.is_object())
        .flat_map(|entry| defs.alternatives(entry))
        .collect();
    let has_required = |entry: &&Json| entry["required"].is_array();
    !is_declared && !entries.is_empty() && entries.iter().all(has_required)
}

/// Returns the schema of the value of a key, or of the elements of its list.
fn value_schema<'a>(map: &'a Json, key: &str) -> Option<&'a Json> {
    let value = [&map["properties"][key], &map["additionalProperties"]];
    let value = value.into_iter().find(|schema| schema.is_object())?;
    match &value["items"] {
        Json::Object(_) => Some(&value["items"]),
        _ => Some(value),
    }
}

/// Allows `extends` in every map, and its consequences: a null removes a key, a string names the
/// file of a component, and required keys may be in the other file. Allows the name of a parameter
/// in place of a value. Every map except the root may
/// be below a node that has `extends`.
fn allow_extends(schema: &mut Json, is_root: bool, components: Components) {
    if let Some(Json::Array(key_sets)) = schema.get_mut("oneOf") {
        key_sets
            .iter_mut()
            .for_each(|key_set| allow_extends(key_set, is_root, components));
        // With `extends` the keys that distinguish the key sets may be in the other file.
        if let Some(key_sets) = schema
            .as_object_mut()
            .and_then(|object| object.remove("oneOf"))
        {
            schema["anyOf"] = key_sets;
        }
        return;
    }
    let Some(object) = schema
        .as_object_mut()
        .filter(|object| object.contains_key("properties"))
    else {
        return;
    };
    if let Some(Json::Object(properties)) = object.get_mut("properties") {
        for (key, value) in properties.iter_mut() {
            let is_named = components.iter().any(|(name, _)| name == key);
            let allowed = match is_named {
                true => Unresolved::Named,
                false => Unresolved::Removed,
            };
            allow_unresolved(value, allowed);
        }
        properties.insert(
            "extends".into(),
            json!({ "type": "string", "description": "File whose keys are used as a base; keys given here override them." }),
        );
    }
    let Some(required) = object.remove("required") else {
        return;
    };
    if is_root {
        object.insert("if".into(), json!({ "not": { "required": ["extends"] } }));
        object.insert("then".into(), json!({ "required": required }));
    } else {
        let names = required.as_array().into_iter().flatten();
        let names: Vec<&str> = names.filter_map(Json::as_str).collect();
        let comment = format!("{REQUIRED}{}", names.join(", "));
        object.insert("$comment".into(), comment.into());
    }
}

/// What a schema allows in place of a value.
#[derive(Clone, Copy, PartialEq)]
enum Unresolved {
    /// The name of a parameter: in a list.
    Parameter,
    /// Also null, which removes a key.
    Removed,
    /// Also any string, which names a file.
    Named,
}

/// Allows a value that is not resolved yet. The condition on a string holds for strings only, so
/// that the type of the value stays in one list with the others.
fn allow_unresolved(value: &mut Json, allowed: Unresolved) {
    let Some(object) = value.as_object_mut() else {
        return;
    };
    let mut types: Vec<String> = Vec::new();
    if allowed != Unresolved::Parameter {
        types.push("null".to_owned());
    }
    let own_type = object.get("type").and_then(Json::as_str).map(str::to_owned);
    let own_pattern = object.get("pattern").and_then(Json::as_str);
    let pattern = match (&own_type, own_pattern) {
        (_, Some(own)) => Some(format!("{PATTERN}|{own}")),
        (Some(kind), None) if kind == "string" => None,
        _ if allowed == Unresolved::Named => None,
        _ => Some(PATTERN.to_owned()),
    };
    if own_type.as_deref() != Some("string") {
        types.push("string".to_owned());
    }
    let pattern = pattern.map(|pattern| ("pattern".to_owned(), json!(pattern)));
    if let Some(kind) = own_type {
        types.insert(0, kind);
        object.insert("type".into(), json!(types));
        object.extend(pattern);
    } else if let Some((key, own)) = object
        .remove_entry("$ref")
        .or_else(|| object.remove_entry("enum"))
    {
        let mut unresolved = JsonMap::from_iter([("type".to_owned(), json!(types))]);
        unresolved.extend(pattern);
        object.insert("anyOf".into(), json!([{ key: own }, unresolved]));
    }
    if let Some(elements) = object.get_mut("additionalProperties") {
        allow_unresolved(elements, Unresolved::Removed);
    }
    if let Some(elements) = object.get_mut("items") {
        allow_unresolved(elements, Unresolved::Parameter);
    }
}

/// Returns a doc comment as running text with single spaces.
pub(crate) fn collapse_whitespace(doc: &str) -> String {
    doc.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the first sentence of a doc comment for use inside another sentence: without full stop
/// and with a lowercase first letter, unless it starts with an acronym.
pub(crate) fn first_sentence(doc: &str) -> String {
    let doc = collapse_whitespace(doc);
    let first = doc
        .split(". ")
        .next()
        .unwrap_or_default()
        .trim_end_matches('.');
    let mut chars = first.chars();
    match (chars.next(), chars.clone().next()) {
        (Some(a), Some(b)) if b.is_lowercase() || b.is_whitespace() => {
            a.to_lowercase().chain(chars).collect()
        }
        _ => first.to_owned(),
    }
}
