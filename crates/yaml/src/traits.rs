//! The traits [`Read`] and [`Fields`], which every type of a YAML file implements.
//!
//! They define how a type is read, named in messages, described in the JSON Schema and written
//! back. Reading continues after an error, so that all errors are reported in one run. The macros
//! of `spec.rs` implement these traits. Files are opened in `load.rs`. Rules that concern several
//! values are checked by the caller after reading.

use serde_json::Value as Json;

use crate::error::{Place, Problems, in_brackets, quote, unit_of};
use crate::load::Loader;
use crate::node::{Node, Value};
use crate::scalars::{boolean, number};
use crate::schema::{Defs, KeySet, first_sentence};

/// A condition on the value of a field. For lists and maps it applies to every element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Check {
    /// The number is above 0.
    Positive,
    /// The number is 0 or above.
    NonNegative,
    /// The number is from 0 to 1.
    Fraction,
    /// The number is from the first to the second bound, both included.
    Range(f64, f64),
    /// The string is a valid ROS name: `[a-z][a-z0-9_]*`.
    Name,
    /// The string is a valid name of a ROS frame or joint: not empty, without whitespace or a
    /// leading `/`.
    Frame,
    /// The string or list is not empty.
    NotEmpty,
}

/// Declaration of a field by `spec!`. It is a constant, which no code has to build.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// Key of the value.
    pub name: &'static str,
    /// Doc comment of the field.
    pub doc: &'static str,
    /// Conditions on the value.
    pub checks: &'static [Check],
}

impl Declaration {
    /// Returns the field that is declared.
    pub fn field(&self) -> Field<'static> {
        Field::new(self.name, self.doc, self.checks)
    }
}

/// Properties of a value before it is read.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// Key of the value. For a list element: the key and the index.
    pub name: &'a str,
    /// Doc comment of the field.
    pub doc: &'a str,
    /// Conditions on the value.
    pub checks: &'a [Check],
    /// Key of the value. For a list element: the key of the list. Its suffix names the unit.
    pub(crate) key: &'a str,
    /// Keys of the same map that belong to the enclosing structure.
    pub outer: &'a [&'a str],
}

impl<'a> Field<'a> {
    /// Creates a field.
    pub fn new(name: &'a str, doc: &'a str, checks: &'a [Check]) -> Field<'a> {
        Field {
            name,
            doc,
            checks,
            key: name,
            outer: &[],
        }
    }

    /// Returns the unit of the value, derived from the suffix of the key. Only messages and the
    /// schema need it.
    pub fn unit(&self) -> Option<&'static str> {
        unit_of(self.key)
    }

    /// Returns the field that denotes the whole file.
    pub fn root() -> Field<'static> {
        Field::new("", "", &[])
    }

    /// Returns the name for use in messages: the quoted key, or "the file" for the root.
    pub fn title(&self) -> String {
        match self.name {
            "" => "the file".into(),
            name => quote(name),
        }
    }

    /// Returns an element of this field: the same conditions and unit under another name.
    pub fn element(&self, name: &'a str) -> Field<'a> {
        Field {
            name,
            outer: &[],
            ..*self
        }
    }

    /// Returns true if `check` is one of the conditions.
    pub fn has_check(&self, check: Check) -> bool {
        self.checks.contains(&check)
    }

    /// Reports a type mismatch at `node`; `expected` describes the expected value.
    pub fn report_mismatch(&self, node: &Node, expected: &str, problems: &mut Problems) {
        let text = format!(
            "{}: expected {expected}, found {}",
            self.title(),
            describe_node(node)
        );
        problems.push(&node.place, text);
    }
}

/// Name of a type in messages of the form "expected ...".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    /// Singular, with its article.
    pub singular: String,
    /// Plural form, without article.
    pub plural: String,
}

impl TypeName {
    /// Creates a noun from its singular (with article) and its plural.
    pub fn new(singular: impl Into<String>, plural: impl Into<String>) -> TypeName {
        TypeName {
            singular: singular.into(),
            plural: plural.into(),
        }
    }
}

/// A type that can be read from a YAML node.
pub trait Read: Sized {
    /// Whether the key may be missing although it has no default.
    const OPTIONAL: bool = false;

    /// Reads the value. Returns `None` after at least one problem was reported.
    fn read(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<Self>;

    /// Returns the value that applies when the key is missing from the map at `place`. `owner` is
    /// the name of that map in messages. The default implementation reports a problem.
    fn read_missing(
        place: &Place,
        owner: &str,
        field: &Field<'_>,
        problems: &mut Problems,
    ) -> Option<Self> {
        report_missing(place, owner, field, problems);
        None
    }

    /// Reports that the value at `node` has another type, and returns `None`.
    fn refuse(node: &Node, field: &Field<'_>, problems: &mut Problems) -> Option<Self> {
        let (name, unit) = (Self::type_name(field).singular, in_brackets(field.unit()));
        field.report_mismatch(node, &format!("{name}{unit}"), problems);
        None
    }

    /// Returns the name of the type for messages.
    fn type_name(field: &Field<'_>) -> TypeName;

    /// Returns the JSON Schema of the type.
    fn schema(field: &Field<'_>, defs: &mut Defs) -> Json;

    /// Returns the value as JSON in the form in which a file can contain it.
    fn json(&self) -> Json;
}

fn report_missing(place: &Place, owner: &str, field: &Field<'_>, problems: &mut Problems) {
    let doc = first_sentence(field.doc);
    let doc = if doc.is_empty() {
        doc
    } else {
        format!(" ({doc})")
    };
    problems.push(
        place,
        format!("missing key {}{doc} in {owner}", quote(field.name)),
    );
}

/// A type that is read from the keys of a map. `spec!` implements it.
pub trait Fields: Read {
    /// Returns the alternative sets of keys that the map may have.
    fn key_sets(defs: &mut Defs) -> Vec<KeySet>;
}

/// Reads the root of a file.
pub fn read_root<T: Read>(node: &Node, problems: &mut Problems) -> Option<T> {
    T::read(node, &Field::root(), problems)
}

/// Reads a structure from YAML text.
///
/// # Errors
/// All errors with their places.
pub fn from_text<T: Read>(text: &str) -> Result<T, Problems> {
    let mut problems = Problems::new();
    let node = Loader::default().load_text("text", text, &mut problems);
    let read = node.and_then(|node| read_root(&node, &mut problems));
    problems.into_result(read)
}

/// Describes a node for messages of the form "found ...".
pub fn describe_node(node: &Node) -> String {
    match &node.value {
        Value::Null => "null".into(),
        Value::Scalar {
            text,
            quoted: false,
        } if number(text).is_some() || boolean(text).is_some() => quote(text),
        Value::Scalar { text, quoted: true } if number(text).is_some() => {
            format!("string {}", quote(&format!("\"{text}\"")))
        }
        Value::Scalar { text, .. } => format!("string {}", quote(text)),
        Value::Seq(items) if items.is_empty() => "an empty list".into(),
        Value::Seq(items) => format!("a list of {}", items.len()),
        Value::Map(_) => "a map".into(),
    }
}
