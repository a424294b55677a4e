//! Named values that a file declares under `parameters` and uses as `$name` in place of a value.
//!
//! `load.rs` replaces the uses after all `extends` of a map are merged, so that a file that extends
//! another can change a parameter. A text that begins with the character `$` is written with `$$`.

use crate::error::{Problems, quote};
use crate::name::{NAME_RULE, is_name};
use crate::node::{Key, Map, Node, Value};

/// Key of a file that declares its parameters.
pub const PARAMETERS: &str = "parameters";
/// Key of the value of a parameter that has a description.
pub const VALUE: &str = "value";
pub(crate) const DESCRIPTION: &str = "description";
/// First character of a use.
const MARK: char = '$';
/// Key of the parameter into whose value the other keys of its map are merged. No file contains it,
/// because its keys are not empty.
pub(crate) const USED: &str = "";
/// Pattern of the texts that the schema accepts in place of any value.
pub(crate) const PATTERN: &str = "^\\$";

/// Meaning of a text with regard to parameters.
pub(crate) enum Use<'a> {
    /// No use: any text that does not begin with `$`.
    None,
    /// The value of the parameter of this name.
    Of(&'a str),
    /// This text, which begins with `$`.
    Literal(&'a str),
    /// Neither: a `$` before a text that is no name.
    Invalid,
}

impl<'a> Use<'a> {
    pub(crate) fn of_text(text: &'a str) -> Use<'a> {
        match text.strip_prefix(MARK) {
            None => Use::None,
            Some(rest) if rest.starts_with(MARK) => Use::Literal(rest),
            Some(name) if is_name(name) => Use::Of(name),
            Some(_) => Use::Invalid,
        }
    }
}

/// A parameter of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Name, without `$`.
    pub name: String,
    /// Value, which uses no parameters.
    pub value: Node,
    /// Description; empty if it has none.
    pub description: String,
}

/// The parameters of a file, in the order written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters(pub Vec<Parameter>);

impl Parameters {
    /// Returns the parameter `name`.
    pub fn get(&self, name: &str) -> Option<&Parameter> {
        self.0.iter().find(|parameter| parameter.name == name)
    }
}

/// Returns true if `map` has the form `{value: ..., description: ...}`.
pub(crate) fn is_described(map: &Map) -> bool {
    let is_known = |name: &str| name == VALUE || name == DESCRIPTION;
    map.get(VALUE).is_some() && map.entries.iter().all(|(key, _)| is_known(&key.name))
}

/// Reads one parameter, or returns `None` after a problem was reported.
pub(crate) fn read_parameter(key: &Key, node: &Node, problems: &mut Problems) -> Option<Parameter> {
    let name = &key.name;
    if !is_name(name) {
        let text = format!(
            "in `{PARAMETERS}`: expected {NAME_RULE}, found {}",
            quote(name)
        );
        return problems.refuse(&key.place, text);
    }
    if node
        .as_map()
        .is_some_and(|map| map.entries.len() == 1 && map.get(DESCRIPTION).is_some())
    {
        let text = format!(
            "parameter {}: has a `{DESCRIPTION}` and no `{VALUE}`; add the value",
            quote(name)
        );
        return problems.refuse(&node.place, text);
    }
    let described = node.as_map().filter(|map| is_described(map));
    let description = described.and_then(|map| map.get(DESCRIPTION));
    let value = described.and_then(|map| map.get(VALUE)).unwrap_or(node);
    if let Some(wrong) = description.filter(|node| node.as_text().is_none()) {
        let text = format!(
            "`{DESCRIPTION}` of the parameter {}: expected a string",
            quote(name)
        );
        return problems.refuse(&wrong.place, text);
    }
    if matches!(value.value, Value::Null) {
        let text = format!(
            "parameter {}: expected a value, found null; give it a value or remove it",
            quote(name)
        );
        return problems.refuse(&value.place, text);
    }
    check_plain(name, value, problems).then(|| Parameter {
        name: name.clone(),
        value: value.clone(),
        description: description
            .and_then(Node::as_text)
            .unwrap_or_default()
            .to_owned(),
    })
}

/// Reports every text in the value of the parameter `name` that uses a parameter. Returns true if
/// there is none.
fn check_plain(name: &str, node: &Node, problems: &mut Problems) -> bool {
    let mut is_plain = true;
    match &node.value {
        Value::Null => {}
        Value::Seq(items) => {
            for item in items {
                is_plain &= check_plain(name, item, problems);
            }
        }
        Value::Map(map) => {
            for (_, node) in &map.entries {
                is_plain &= check_plain(name, node, problems);
            }
        }
        Value::Scalar { text, .. } => match Use::of_text(text) {
            Use::None | Use::Literal(_) => {}
            Use::Of(_) | Use::Invalid => {
                let text = format!(
                    "parameter {}: expected a value without parameters, found {}; write the value, \
                     or `$$` for the character `$`",
                    quote(name),
                    quote(text)
                );
                problems.push(&node.place, text);
                is_plain = false;
            }
        },
    }
    is_plain
}

/// Calls `change` with every scalar below `node`.
fn change_texts(node: &mut Node, change: fn(&mut String)) {
    match &mut node.value {
        Value::Null => {}
        Value::Scalar { text, .. } => change(text),
        Value::Seq(items) => items.iter_mut().for_each(|item| change_texts(item, change)),
        Value::Map(map) => {
            let nodes = map.entries.iter_mut().map(|(_, node)| node);
            nodes.for_each(|node| change_texts(node, change));
        }
    }
}

/// Writes the character `$` at the start of a text as `$$`, as a file contains it.
pub fn escape(node: &mut Node) {
    change_texts(node, |text| {
        if text.starts_with(MARK) {
            text.insert(0, MARK);
        }
    });
}

/// Replaces `$$` at the start of a text by `$`.
pub fn unescape(node: &mut Node) {
    change_texts(node, |text| {
        if text.starts_with("$$") {
            text.remove(0);
        }
    });
}

/// Returns true if a text of the tree uses the parameter `name`.
pub(crate) fn mentions(node: &Node, name: &str) -> bool {
    match &node.value {
        Value::Null => false,
        Value::Scalar { text, .. } => matches!(Use::of_text(text), Use::Of(used) if used == name),
        Value::Seq(items) => items.iter().any(|item| mentions(item, name)),
        Value::Map(map) => map.entries.iter().any(|(_, node)| mentions(node, name)),
    }
}
