//! Structure of a ROS message type, and the two texts derived from it: the type hash and the `.msg`
//! definition.
//!
//! Peers compare type hashes (RIHS01, REP-2011 and REP-2016), and bags contain definitions. Both
//! must equal the output of rosidl and rosbag2 for the same interface file. Descriptions are built
//! from the message declarations in `msg/`. This module neither names a message nor encodes one.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write;

use sha2::{Digest, Sha256};

/// Dummy field of a message that declares no fields, because C and IDL have no empty structs.
pub const DUMMY_FIELD: &str = "structure_needs_at_least_one_member";

/// Size of the encapsulation header of a message in CDR [B].
const CDR_HEADER: usize = 4;

/// Description of a message type.
#[derive(Debug, Clone, PartialEq)]
pub struct Description {
    /// ROS name, such as `package/msg/Type`.
    pub name: Cow<'static, str>,
    /// Constants, in order of declaration.
    pub constants: Vec<Constant>,
    /// Fields, in order of declaration, without [`DUMMY_FIELD`].
    pub fields: Vec<Field>,
}

/// A named constant of a message type.
#[derive(Debug, Clone, PartialEq)]
pub struct Constant {
    /// Name of the constant.
    pub name: &'static str,
    /// Type of the constant.
    pub shape: FieldType,
    /// Value of the constant, as written in its ROS definition.
    pub value: String,
}

/// A field of a message type.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name of the field.
    pub name: &'static str,
    /// Type of the field.
    pub shape: FieldType,
    /// Default value as text, if it is not zero.
    pub default: Option<String>,
}

/// Type of a field: the type of an element and the number of elements.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldType {
    /// Type of one element.
    pub element: Element,
    /// Number of elements of the field.
    pub count: Count,
}

/// Type of one element of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Element {
    /// A built-in type of ROS.
    Primitive(Primitive),
    /// A nested message type.
    Message(Description),
}

impl Element {
    /// Returns the end of the shortest element that starts at the byte `at` of its CDR.
    fn min_cdr_end(&self, at: usize) -> usize {
        match self {
            Self::Message(message) => message.min_cdr_end(at),
            Self::Primitive(primitive) => {
                let size = primitive.size();
                // the length of an empty string is followed by the terminating zero
                let terminator = usize::from(primitive.is_string());
                align(at, size) + size + terminator
            }
        }
    }
}

/// Returns the first byte from `at` on that is a multiple of `size` after the CDR header.
fn align(at: usize, size: usize) -> usize {
    (at - CDR_HEADER).next_multiple_of(size) + CDR_HEADER
}

/// Number of elements of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// One element; the field is not an array.
    One,
    /// Array of fixed size, `T[N]`.
    Array(usize),
    /// Sequence of bounded length, `T[<=N]`.
    AtMost(usize),
    /// Sequence of unbounded length, `T[]`.
    Any,
}

/// Built-in type of ROS.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Primitive {
    Bool,
    Byte,
    Char,
    Float32,
    Float64,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    String,
    /// String of bounded length, `string<=N`.
    BoundedString(usize),
}

impl Primitive {
    fn is_string(self) -> bool {
        matches!(self, Self::String | Self::BoundedString(_))
    }

    /// Returns the size in CDR [B]; of a string, the size of its length.
    fn size(self) -> usize {
        match self {
            Self::Bool | Self::Byte | Self::Char | Self::Int8 | Self::Uint8 => 1,
            Self::Int16 | Self::Uint16 => 2,
            Self::Float32 | Self::Int32 | Self::Uint32 => 4,
            Self::String | Self::BoundedString(_) => 4,
            Self::Float64 | Self::Int64 | Self::Uint64 => 8,
        }
    }

    /// Returns the name of the type in an interface file.
    pub fn name(self) -> Cow<'static, str> {
        let name = match self {
            Self::Bool => "bool",
            Self::Byte => "byte",
            Self::Char => "char",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::Int8 => "int8",
            Self::Uint8 => "uint8",
            Self::Int16 => "int16",
            Self::Uint16 => "uint16",
            Self::Int32 => "int32",
            Self::Uint32 => "uint32",
            Self::Int64 => "int64",
            Self::Uint64 => "uint64",
            Self::String => "string",
            Self::BoundedString(capacity) => return Cow::Owned(format!("string<={capacity}")),
        };
        Cow::Borrowed(name)
    }

    /// Returns the id of the type in `type_description_interfaces/msg/FieldType`.
    fn type_id(self) -> u8 {
        match self {
            Self::Int8 => 2,
            // rosidl converts the char of an interface file to IDL's uint8, so both have the same
            // hash
            Self::Uint8 | Self::Char => 3,
            Self::Int16 => 4,
            Self::Uint16 => 5,
            Self::Int32 => 6,
            Self::Uint32 => 7,
            Self::Int64 => 8,
            Self::Uint64 => 9,
            Self::Float32 => 10,
            Self::Float64 => 11,
            Self::Bool => 15,
            Self::Byte => 16,
            Self::String => 17,
            Self::BoundedString(_) => 21,
        }
    }

    fn string_capacity(self) -> usize {
        match self {
            Self::BoundedString(capacity) => capacity,
            _ => 0,
        }
    }
}

impl Count {
    /// Returns the offset from the id of an element type to the id of the array type, and the
    /// capacity.
    fn type_id_offset_and_capacity(self) -> (u8, usize) {
        match self {
            Self::One => (0, 0),
            Self::Array(len) => (48, len),
            Self::AtMost(len) => (96, len),
            Self::Any => (144, 0),
        }
    }
}

/// Id of a nested message in `type_description_interfaces/msg/FieldType`.
const NESTED_TYPE_ID: u8 = 1;

/// Type of a field as `type_description_interfaces/msg/FieldType` represents it.
pub(crate) struct FieldTypeIds<'a> {
    /// Id of the element type plus an offset for arrays and sequences.
    pub type_id: u8,
    /// Number of elements of an array or a bounded sequence, otherwise 0.
    pub capacity: usize,
    /// Maximum length of a bounded string [B], otherwise 0.
    pub string_capacity: usize,
    /// Name of a nested type, otherwise empty.
    pub nested_type_name: &'a str,
}

impl FieldType {
    /// Returns the ids of the type.
    pub(crate) fn ids(&self) -> FieldTypeIds<'_> {
        let (element_id, string_capacity, nested_type_name) = match &self.element {
            Element::Primitive(primitive) => (primitive.type_id(), primitive.string_capacity(), ""),
            Element::Message(message) => (NESTED_TYPE_ID, 0, message.name.as_ref()),
        };
        let (offset, capacity) = self.count.type_id_offset_and_capacity();
        FieldTypeIds {
            type_id: element_id + offset,
            capacity,
            string_capacity,
            nested_type_name,
        }
    }

    /// Returns the `type` member of a field in the JSON text that is hashed.
    fn json(&self) -> String {
        let FieldTypeIds {
            type_id,
            capacity,
            string_capacity,
            nested_type_name: nested,
        } = self.ids();
        format!(
            "{{\"type_id\": {type_id}, \"capacity\": {capacity}, \
             \"string_capacity\": {string_capacity}, \"nested_type_name\": \"{nested}\"}}"
        )
    }

    /// Returns the type as written in an interface file, such as `float64[9]`.
    fn text(&self) -> String {
        let element = match &self.element {
            Element::Primitive(primitive) => primitive.name().into_owned(),
            Element::Message(message) => message.short_name(),
        };
        match self.count {
            Count::One => element,
            Count::Array(len) => format!("{element}[{len}]"),
            Count::AtMost(len) => format!("{element}[<={len}]"),
            Count::Any => format!("{element}[]"),
        }
    }
}

impl Description {
    /// Computes the type hash, `RIHS01_` and 64 hexadecimal digits.
    ///
    /// It is the SHA-256 of the JSON text of the type and of all types it uses (sorted by name).
    /// The text is formatted like the output of Python's `json.dumps`, as in rosidl. Constants and
    /// defaults are not part of it.
    pub fn hash(&self) -> String {
        let used = self.referenced();
        let used: Vec<String> = used.iter().map(|message| message.json()).collect();
        let json = format!(
            r#"{{"type_description": {}, "referenced_type_descriptions": [{}]}}"#,
            self.json(),
            used.join(", ")
        );
        let mut hash = String::from("RIHS01_");
        for byte in Sha256::digest(json.as_bytes()) {
            // writing to a String cannot fail
            let _ = write!(hash, "{byte:02x}");
        }
        hash
    }

    /// Returns all types that this type uses, sorted by name.
    pub(crate) fn referenced(&self) -> Vec<&Description> {
        let mut used = BTreeMap::new();
        self.collect_used(&mut used);
        used.into_values().collect()
    }

    /// Returns the `ros2msg` text that bags contain: this type, then each used type at its first
    /// use, depth first. A line of 80 `=` and `MSG: package/Type` precede each used type.
    pub fn definition(&self) -> String {
        let mut text = self.text();
        let mut seen = vec![self.name.clone()];
        self.append_used(&mut text, &mut seen);
        text
    }

    /// Returns the name as `package/Type`.
    fn short_name(&self) -> String {
        match (self.name.split_once('/'), self.name.rsplit_once('/')) {
            (Some((package, _)), Some((_, name))) => format!("{package}/{name}"),
            _ => self.name.to_string(),
        }
    }

    /// Returns the size of the shortest message of the type in CDR [B], with the encapsulation
    /// header: all strings and sequences are empty.
    pub fn min_cdr_size(&self) -> usize {
        self.min_cdr_end(CDR_HEADER)
    }

    /// Returns true if all messages of the type have the same size in CDR.
    pub fn has_fixed_size(&self) -> bool {
        self.fields.iter().all(|field| {
            let is_counted = matches!(field.shape.count, Count::One | Count::Array(_));
            let is_fixed = match &field.shape.element {
                Element::Message(message) => message.has_fixed_size(),
                Element::Primitive(Primitive::String | Primitive::BoundedString(_)) => false,
                Element::Primitive(_) => true,
            };
            is_counted && is_fixed
        })
    }

    /// Returns the end of the shortest message that starts at the byte `at` of its CDR.
    fn min_cdr_end(&self, at: usize) -> usize {
        let fields = self.all_fields();
        fields.iter().fold(at, |at, field| match field.shape.count {
            Count::One => field.shape.element.min_cdr_end(at),
            Count::Array(n) => (0..n).fold(at, |at, _| field.shape.element.min_cdr_end(at)),
            // the number of the elements
            Count::AtMost(_) | Count::Any => align(at, 4) + 4,
        })
    }

    fn nested(&self) -> impl Iterator<Item = &Description> {
        self.fields
            .iter()
            .filter_map(|field| match &field.shape.element {
                Element::Message(message) => Some(message),
                Element::Primitive(_) => None,
            })
    }

    fn collect_used<'a>(&'a self, used: &mut BTreeMap<&'a str, &'a Description>) {
        for message in self.nested() {
            if used.insert(&message.name, message).is_none() {
                message.collect_used(used);
            }
        }
    }

    fn append_used(&self, text: &mut String, seen: &mut Vec<Cow<'static, str>>) {
        for message in self.nested() {
            if seen.contains(&message.name) {
                continue;
            }
            seen.push(message.name.clone());
            text.push_str(&"=".repeat(80));
            text.push_str("\nMSG: ");
            text.push_str(&message.short_name());
            text.push('\n');
            text.push_str(&message.text());
            message.append_used(text, seen);
        }
    }

    /// Returns the fields, with [`DUMMY_FIELD`] if there is no other.
    pub(crate) fn all_fields(&self) -> Cow<'_, [Field]> {
        if !self.fields.is_empty() {
            return Cow::Borrowed(&self.fields);
        }
        Cow::Owned(vec![Field {
            name: DUMMY_FIELD,
            shape: FieldType {
                element: Element::Primitive(Primitive::Uint8),
                count: Count::One,
            },
            default: None,
        }])
    }

    fn json(&self) -> String {
        let fields = self.all_fields();
        let fields: Vec<String> = fields
            .iter()
            .map(|field| {
                format!(
                    r#"{{"name": "{}", "type": {}}}"#,
                    field.name,
                    field.shape.json()
                )
            })
            .collect();
        format!(
            r#"{{"type_name": "{}", "fields": [{}]}}"#,
            self.name,
            fields.join(", ")
        )
    }

    /// Returns the interface file without comments.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for Constant { name, shape, value } in &self.constants {
            text.push_str(&format!("{} {name}={value}\n", shape.text()));
        }
        for Field {
            name,
            shape,
            default,
        } in &self.fields
        {
            let default = default
                .as_ref()
                .map(|value| format!(" {value}"))
                .unwrap_or_default();
            text.push_str(&format!("{} {name}{default}\n", shape.text()));
        }
        text
    }
}
