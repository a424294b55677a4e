//! What every type of a world file has in common: how it is read, called, described and written.
//!
//! Exists so that every type is read in one way, with one wording of its mistakes, and so that reading never stops at
//! the first. `spec!` and its companions build on it.
//!
//! Must not read files, and must not judge what two values mean together: that is for the checks after it.

use serde_json::Value as Json;

pub use crate::collections::{Named, Placed};
use crate::error::{Place, Problems, quote, unit_of};
pub use crate::fields::{Fallback, KIND, Places, Reader, pick, pick_kind};
use crate::node::{Node, Value};
pub use crate::scalars::{boolean, is_frame_name, is_name, number};
use crate::schema::{Defs, Shape, in_sentence};

/// A condition on the value of a field. In lists and maps it is put to every element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Check {
    /// Above 0.
    Positive,
    /// 0 or above.
    NonNegative,
    /// From 0 to 1.
    Fraction,
    /// From the first to the second, both included.
    In(f64, f64),
    /// A name that ROS allows: `[a-z][a-z0-9_]*`.
    Name,
    /// A name that frames and joints of ROS can have: not empty, without blanks.
    Frame,
    /// A text or list that is not empty.
    NotEmpty,
}

/// What is known about a value before it is read.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Its key, or for an element the key and its place in the list.
    pub name: &'a str,
    /// What it is.
    pub doc: &'a str,
    /// What must hold.
    pub checks: &'a [Check],
    /// Its unit, from the suffix of the key.
    pub unit: Option<&'static str>,
    /// Keys that the surrounding structure takes from the same map.
    pub outer: &'a [&'a str],
}

impl<'a> Field<'a> {
    /// A field as `spec!` declares it.
    pub fn new(name: &'a str, doc: &'a str, checks: &'a [Check]) -> Field<'a> {
        Field {
            name,
            doc,
            checks,
            unit: unit_of(name),
            outer: &[],
        }
    }

    /// The file as a whole.
    pub fn root() -> Field<'static> {
        Field::new("", "", &[])
    }

    /// Its name as a sentence says it.
    pub fn title(&self) -> String {
        match self.name {
            "" => "the file".into(),
            name => quote(name),
        }
    }

    /// An element of this field: the same conditions and unit under another name.
    pub fn element(&self, name: &'a str) -> Field<'a> {
        Field {
            name,
            outer: &[],
            ..*self
        }
    }

    /// Whether this must hold.
    pub fn has(&self, check: Check) -> bool {
        self.checks.contains(&check)
    }

    /// Reports that something else was expected.
    pub fn mistake(&self, node: &Node, expected: &str, problems: &mut Problems) {
        let text = format!(
            "{}: expected {expected}, found {}",
            self.title(),
            found(node)
        );
        problems.push(&node.place, text);
    }
}

/// How a type is called in "expected ...".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noun {
    /// One of it, with its article.
    pub one: String,
    /// Many of it.
    pub many: String,
}

impl Noun {
    /// Both forms.
    pub fn new(one: impl Into<String>, many: impl Into<String>) -> Noun {
        Noun {
            one: one.into(),
            many: many.into(),
        }
    }
}

/// A type that can stand in a world file.
pub trait Read: Sized {
    /// Whether the key may be missing without a default.
    const OPTIONAL: bool = false;

    /// The value, or `None` after at least one problem was reported.
    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<Self>;

    /// What holds when the key is missing from the map at `place`, which a sentence calls `owner`: normally a problem.
    fn missing(
        place: &Place,
        owner: &str,
        field: &Field<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let doc = in_sentence(field.doc);
        let doc = if doc.is_empty() {
            doc
        } else {
            format!(" ({doc})")
        };
        problems.push(
            place,
            format!("missing key {}{doc} in {owner}", quote(field.name)),
        );
        None
    }

    /// What the type is called.
    fn noun(field: &Field<'_>) -> Noun;

    /// Its JSON Schema.
    fn schema(field: &Field<'_>, defs: &mut Defs) -> Json;

    /// The value as JSON, as the file could say it.
    fn json(&self) -> Json;
}

/// A type that is read from the keys of a map: what `spec!` and `choice!` make.
pub trait Fields: Read {
    /// The shapes that the map may have.
    fn shapes(defs: &mut Defs) -> Vec<Shape>;
}

/// Reads the root of a file.
pub fn read<T: Read>(node: &Node, problems: &mut Problems) -> Option<T> {
    T::read(node, &Field::root(), problems)
}

/// What a node is, for "found ...".
pub fn found(node: &Node) -> String {
    match &node.value {
        Value::Null => "nothing".into(),
        Value::Scalar {
            text,
            quoted: false,
        } if number(text).is_some() || boolean(text).is_some() => quote(text),
        Value::Scalar { text, quoted: true } if number(text).is_some() => {
            format!("text {}", quote(&format!("\"{text}\"")))
        }
        Value::Scalar { text, .. } => format!("text {}", quote(text)),
        Value::Seq(items) if items.is_empty() => "an empty list".into(),
        Value::Seq(items) => format!("a list of {}", items.len()),
        Value::Map(_) => "a map".into(),
    }
}
