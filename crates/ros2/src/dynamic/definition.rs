//! Structure of a message type, parsed from its `ros2msg` definition, and its type hash.
//!
//! A definition is the text of an interface file, followed by the texts of all types that it uses.
//! A line of `=` and a line `MSG: package/Type` precede each of these. Comments, constants and
//! default values have no effect on the encoding or on the hash.
//!
//! Peers compare type hashes (RIHS01, REP-2011 and REP-2016). They must equal those of rosidl for
//! the same interface file.

use std::collections::HashMap;
use std::fmt::Write;

use sha2::{Digest, Sha256};

/// Dummy field of a message that declares no fields, because C and IDL have no empty structs.
pub const DUMMY_FIELD: &str = "structure_needs_at_least_one_member";

/// Size of the encapsulation header of a message in CDR [B].
const CDR_HEADER: usize = 4;
/// Maximum number of nested messages; rosidl types use fewer than ten.
const MAX_DEPTH: usize = 32;
/// Minimum length of the line of `=` between two types.
const SEPARATOR: usize = 20;
/// Id of a nested message in `type_description_interfaces/msg/FieldType`.
const NESTED_TYPE_ID: u8 = 1;

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

/// Declares the numbers of ROS: variant, name in an interface file, size in CDR [B] and id in
/// `type_description_interfaces/msg/FieldType`.
macro_rules! primitives {
    ($($variant:ident $name:literal $size:literal $id:literal;)*) => {
        /// Built-in type of ROS.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Primitive {
            $($variant,)*
            String,
            /// String of bounded length, `string<=N`.
            BoundedString(usize),
        }

        impl Primitive {
            /// Returns the built-in type of a name in an interface file.
            pub(crate) fn from_name(name: &str) -> Option<Self> {
                if let Some(bound) = name.strip_prefix("string<=") {
                    return bound.parse().ok().map(Self::BoundedString);
                }
                match name {
                    $($name => Some(Self::$variant),)*
                    "string" => Some(Self::String),
                    _ => None,
                }
            }

            /// Returns the size in CDR [B]; `None` for strings.
            pub(crate) fn size(self) -> Option<usize> {
                match self {
                    $(Self::$variant => Some($size),)*
                    Self::String | Self::BoundedString(_) => None,
                }
            }

            /// Returns the id of the type, and the maximum length of a bounded string [B].
            fn type_id(self) -> (u8, usize) {
                match self {
                    $(Self::$variant => ($id, 0),)*
                    Self::String => (17, 0),
                    Self::BoundedString(capacity) => (21, capacity),
                }
            }
        }
    };
}

// rosidl converts the char of an interface file to IDL's uint8, so both have the same hash
primitives! {
    Bool "bool" 1 15;
    Byte "byte" 1 16;
    Char "char" 1 3;
    Float32 "float32" 4 10;
    Float64 "float64" 8 11;
    Int8 "int8" 1 2;
    Uint8 "uint8" 1 3;
    Int16 "int16" 2 4;
    Uint16 "uint16" 2 5;
    Int32 "int32" 4 6;
    Uint32 "uint32" 4 7;
    Int64 "int64" 8 8;
    Uint64 "uint64" 8 9;
}

/// Reason why a definition was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// A line is neither a field nor a constant.
    #[error("definition of {type_name}: expected a field, found `{line}`")]
    Line {
        /// Name of the type that contains the line.
        type_name: String,
        /// The line without surrounding spaces.
        line: String,
    },
    /// A field has a type that the text does not define.
    #[error("definition of {type_name}: found no definition of the type `{used}`")]
    UnknownType {
        /// Name of the type that contains the field.
        type_name: String,
        /// Type of the field.
        used: String,
    },
    /// A type contains itself, or is nested too deeply.
    #[error("definition of {0}: nested in itself, or in more than {MAX_DEPTH} levels")]
    Nesting(String),
    /// A field has the type `wstring`.
    #[error("definition of {0}: `wstring` fields are not decoded")]
    WideString(String),
}

/// Definition of a message type with all types that it uses.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Types; the first is the type of the message.
    types: Vec<MessageType>,
}

/// One message type of a definition.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageType {
    /// ROS name of the type, such as `package/msg/Type`.
    pub name: String,
    /// Text of its interface file.
    pub(crate) text: String,
    /// Fields in order; an empty interface file has one dummy field, [`DUMMY_FIELD`].
    pub fields: Vec<Field>,
    /// Minimum encoded size \[bytes\], without padding; at least 1.
    pub(crate) min_size: usize,
}

/// One field of a message type.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Name of the field.
    pub name: String,
    /// Type of one element.
    pub element: Element,
    /// Number of elements.
    pub count: Count,
    /// Default value as written in the interface file; empty without one.
    pub(crate) default: String,
}

/// Type of one element of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Element {
    /// A built-in type of ROS.
    Primitive(Primitive),
    /// Index in the types of the definition.
    Message(usize),
}

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

/// A field whose type is not resolved.
pub(crate) struct RawField {
    pub(crate) name: String,
    pub(crate) base: String,
    pub(crate) count: Count,
    default: String,
}

impl Definition {
    /// Parses the `ros2msg` text of the type `name`, such as `sensor_msgs/msg/Imu`.
    ///
    /// # Errors
    /// The text is not a definition, or uses types that it does not contain.
    pub fn parse(name: &str, text: &str) -> Result<Self, DefinitionError> {
        Self::of_types(sections(name, text))
    }

    /// Parses the interface files of a type and of all types that it uses: the name, such as
    /// `sensor_msgs/msg/Imu`, and the text of each.
    ///
    /// # Errors
    /// As [`Definition::parse`].
    pub(crate) fn of_types(files: Vec<(String, String)>) -> Result<Self, DefinitionError> {
        let mut index = HashMap::new();
        for (k, (name, _)) in files.iter().enumerate() {
            // a repeated definition has no effect
            index.entry(full(name)).or_insert(k);
        }
        let mut types = Vec::with_capacity(files.len());
        for (name, text) in files {
            let mut fields = Vec::new();
            for line in text.lines().map(str::trim) {
                if let Some(raw) = parse_line(&name, line)? {
                    fields.push(resolve(&name, raw, &index)?);
                }
            }
            if fields.is_empty() {
                fields.push(Field {
                    name: DUMMY_FIELD.to_owned(),
                    element: Element::Primitive(Primitive::Uint8),
                    count: Count::One,
                    default: String::new(),
                });
            }
            types.push(MessageType {
                name,
                text,
                fields,
                min_size: 0,
            });
        }
        let mut definition = Self { types };
        definition.measure(0, 0)?;
        Ok(definition)
    }

    /// Returns the message type that the definition describes, the first of its types.
    pub fn root(&self) -> &MessageType {
        &self.types[0]
    }

    /// Returns the type with the index that [`Element::Message`] contains.
    pub fn message(&self, index: usize) -> &MessageType {
        &self.types[index]
    }

    /// Returns all types, that of the message first, the others in the order of their first use.
    pub(crate) fn types(&self) -> &[MessageType] {
        &self.types
    }

    /// Returns all types that the message uses, sorted by name.
    pub(crate) fn referenced(&self) -> Vec<&MessageType> {
        let mut used: Vec<_> = self.types[1..].iter().collect();
        used.sort_by_key(|message| &message.name);
        used
    }

    /// Returns the text that bags contain: the type of the message, then each used type.
    pub(crate) fn text(&self) -> String {
        let mut text = self.root().text.clone();
        for used in &self.types[1..] {
            if !text.ends_with('\n') {
                text.push('\n');
            }
            // writing to a String cannot fail
            let _ = write!(
                text,
                "{:=<80}\nMSG: {}\n{}",
                "",
                short(&used.name),
                used.text
            );
        }
        text
    }

    /// Computes the type hash, `RIHS01_` and 64 hexadecimal digits.
    ///
    /// It is the SHA-256 of the JSON text of the type and of all types it uses (sorted by name).
    /// The text is formatted like the output of Python's `json.dumps`, as in rosidl. Constants and
    /// defaults are not part of it.
    pub fn hash(&self) -> String {
        let used = self.referenced().into_iter();
        let used: Vec<String> = used.map(|message| self.json(message)).collect();
        let json = format!(
            r#"{{"type_description": {}, "referenced_type_descriptions": [{}]}}"#,
            self.json(self.root()),
            used.join(", ")
        );
        let mut hash = String::from("RIHS01_");
        for byte in Sha256::digest(json.as_bytes()) {
            let _ = write!(hash, "{byte:02x}");
        }
        hash
    }

    fn json(&self, message: &MessageType) -> String {
        let field = |field: &Field| {
            let ids = self.ids(field);
            format!(
                r#"{{"name": "{}", "type": {{"type_id": {}, "capacity": {}, "string_capacity": {}, "nested_type_name": "{}"}}}}"#,
                field.name, ids.type_id, ids.capacity, ids.string_capacity, ids.nested_type_name
            )
        };
        let fields: Vec<String> = message.fields.iter().map(field).collect();
        let fields = fields.join(", ");
        format!(
            r#"{{"type_name": "{}", "fields": [{fields}]}}"#,
            message.name
        )
    }

    /// Returns the ids of the type of a field.
    pub(crate) fn ids(&self, field: &Field) -> FieldTypeIds<'_> {
        let ((element, string_capacity), nested_type_name) = match field.element {
            Element::Primitive(primitive) => (primitive.type_id(), ""),
            Element::Message(k) => ((NESTED_TYPE_ID, 0), self.types[k].name.as_str()),
        };
        let (offset, capacity) = match field.count {
            Count::One => (0, 0),
            Count::Array(len) => (48, len),
            Count::AtMost(len) => (96, len),
            Count::Any => (144, 0),
        };
        FieldTypeIds {
            type_id: element + offset,
            capacity,
            string_capacity,
            nested_type_name,
        }
    }

    /// Returns the size of the shortest message in CDR [B], with the encapsulation header: all
    /// strings and sequences are empty.
    pub fn min_cdr_size(&self) -> usize {
        self.min_cdr_end(self.root(), CDR_HEADER)
    }

    /// Returns the end of the shortest message that starts at the byte `at` of its CDR.
    fn min_cdr_end(&self, message: &MessageType, at: usize) -> usize {
        message.fields.iter().fold(at, |at, field| {
            let element = |at, _| match field.element {
                Element::Message(k) => self.min_cdr_end(&self.types[k], at),
                Element::Primitive(primitive) => match primitive.size() {
                    Some(size) => align(at, size) + size,
                    // the length of an empty string is followed by the terminating zero
                    None => align(at, 4) + 5,
                },
            };
            match field.count {
                Count::One => element(at, 0),
                Count::Array(n) => (0..n).fold(at, element),
                // the number of the elements
                Count::AtMost(_) | Count::Any => align(at, 4) + 4,
            }
        })
    }

    /// Returns true if all messages of the type have the same size in CDR.
    pub fn has_fixed_size(&self) -> bool {
        let is_fixed = |field: &Field| {
            let is_counted = matches!(field.count, Count::One | Count::Array(_));
            is_counted
                && match field.element {
                    Element::Message(_) => true,
                    Element::Primitive(primitive) => primitive.size().is_some(),
                }
        };
        let mut types = self.types.iter();
        types.all(|message| message.fields.iter().all(is_fixed))
    }

    /// Returns true if the first field of the message is a `std_msgs/Header`.
    pub fn has_header(&self) -> bool {
        let first = self.root().fields.first();
        first.is_some_and(|field| match field.element {
            Element::Message(k) => {
                field.count == Count::One && self.types[k].name == "std_msgs/msg/Header"
            }
            Element::Primitive(_) => false,
        })
    }

    /// Returns the minimum size of an element [bytes], at least 1.
    pub(crate) fn min_size(&self, element: Element) -> usize {
        match element {
            Element::Primitive(primitive) => primitive.size().unwrap_or(size_of::<u32>()),
            Element::Message(index) => self.types[index].min_size.max(1),
        }
    }

    /// Computes the minimum sizes of the type `index` and of all types that it uses.
    fn measure(&mut self, index: usize, depth: usize) -> Result<(), DefinitionError> {
        if depth > MAX_DEPTH {
            return Err(DefinitionError::Nesting(self.types[index].name.clone()));
        }
        let mut total: usize = 0;
        for k in 0..self.types[index].fields.len() {
            let Field { element, count, .. } = self.types[index].fields[k];
            if let Element::Message(used) = element
                && self.types[used].min_size == 0
            {
                // a type that contains itself never has a size, and exceeds the depth
                self.measure(used, depth + 1)?;
            }
            total = total.saturating_add(match count {
                Count::One => self.min_size(element),
                Count::Array(n) => n.saturating_mul(self.min_size(element)),
                Count::AtMost(_) | Count::Any => size_of::<u32>(),
            });
        }
        self.types[index].min_size = total.max(1);
        Ok(())
    }
}

/// Returns the first byte from `at` on that is a multiple of `size` after the CDR header.
fn align(at: usize, size: usize) -> usize {
    (at - CDR_HEADER).next_multiple_of(size) + CDR_HEADER
}

/// Returns the name as `package/Type`, without the folder `msg`, `srv` or `action`.
pub fn short(name: &str) -> String {
    match (name.split_once('/'), name.rsplit_once('/')) {
        (Some((package, _)), Some((_, last))) => format!("{package}/{last}"),
        _ => name.to_owned(),
    }
}

/// Returns the ROS name of a type that a definition names `package/Type`.
fn full(name: &str) -> String {
    match name.split('/').collect::<Vec<_>>()[..] {
        [package, own] => format!("{package}/msg/{own}"),
        _ => name.to_owned(),
    }
}

/// Splits a definition into the names and texts of its types.
fn sections(name: &str, text: &str) -> Vec<(String, String)> {
    let mut sections = Vec::new();
    let mut section = (name.to_owned(), String::new());
    let mut after_separator = false;
    for line in text.lines() {
        let trimmed = line.trim();
        if trimmed.len() >= SEPARATOR && trimmed.bytes().all(|b| b == b'=') {
            after_separator = true;
            continue;
        }
        if let Some(name) = trimmed.strip_prefix("MSG:").filter(|_| after_separator) {
            let next = (full(name.trim()), String::new());
            sections.push(std::mem::replace(&mut section, next));
        } else {
            section.1.push_str(line);
            section.1.push('\n');
        }
        after_separator = false;
    }
    sections.push(section);
    sections
}

/// Parses a line of an interface file; `None` for constants, comments and empty lines.
pub(crate) fn parse_line(type_name: &str, line: &str) -> Result<Option<RawField>, DefinitionError> {
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    let refused = || DefinitionError::Line {
        type_name: type_name.to_owned(),
        line: line.chars().take(80).collect(),
    };
    let (kind, rest) = line.split_once(char::is_whitespace).ok_or_else(refused)?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let (name, rest) = rest.split_at(end.unwrap_or(rest.len()));
    if name.is_empty() {
        return Err(refused());
    }
    let rest = rest.trim_start();
    if rest.starts_with('=') {
        return Ok(None);
    }
    let default = without_comment(rest);
    let (base, count) = match kind.strip_suffix(']').and_then(|k| k.rsplit_once('[')) {
        None => (kind, Count::One),
        Some((base, "")) => (base, Count::Any),
        Some((base, number)) => {
            let (bound, is_bound) = match number.strip_prefix("<=") {
                Some(bound) => (bound, true),
                None => (number, false),
            };
            match (bound.parse(), is_bound) {
                (Ok(bound), true) => (base, Count::AtMost(bound)),
                (Ok(n), false) if n > 0 => (base, Count::Array(n)),
                _ => return Err(refused()),
            }
        }
    };
    Ok(Some(RawField {
        name: name.to_owned(),
        base: base.to_owned(),
        count,
        default: default.trim_end().to_owned(),
    }))
}

/// Returns the text of a default value up to the comment. A `#` within quotes is part of the value.
fn without_comment(text: &str) -> &str {
    let mut quote = None;
    let mut previous = ' ';
    let mut is_escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if c == '\\' => is_escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '#' => return &text[..at],
            // a quote within a word is an apostrophe
            None if matches!(c, '"' | '\'') && matches!(previous, ' ' | '\t' | '[' | ',') => {
                quote = Some(c);
            }
            None => {}
        }
        previous = c;
    }
    text
}

/// Returns the ROS name of the type `base` of a field of the type `type_name`.
pub(crate) fn used_name(type_name: &str, base: &str) -> String {
    let package = type_name.split('/').next().unwrap_or_default();
    match base {
        // the only type that interface files may name without its package
        "Header" => "std_msgs/msg/Header".to_owned(),
        _ if base.contains('/') => full(base),
        _ => format!("{package}/msg/{base}"),
    }
}

/// Returns the index of the type `base` of a field of the type `type_name`.
///
/// Definitions name the types of services and actions without their folder too, as in
/// `MSG: package/Type_Goal`. The other folders are therefore searched if the type has no definition
/// under its full name. Other writers can mean a `Header` of the package of `type_name`.
fn find(type_name: &str, base: &str, index: &HashMap<String, usize>) -> Option<usize> {
    let name = used_name(type_name, base);
    let package = type_name.split('/').next().unwrap_or_default();
    let in_package = || index.get(&format!("{package}/msg/{base}"));
    let in_folder = |folder| {
        let (package, rest) = name.split_once('/')?;
        let (_, own) = rest.rsplit_once('/')?;
        index.get(&format!("{package}/{folder}/{own}"))
    };
    let mut found = ["msg", "srv", "action"].into_iter().filter_map(in_folder);
    let found = index.get(&name).or_else(|| found.next());
    found.or_else(in_package).copied()
}

/// Resolves the type of a field of the type `type_name`.
fn resolve(
    type_name: &str,
    raw: RawField,
    index: &HashMap<String, usize>,
) -> Result<Field, DefinitionError> {
    let RawField {
        name,
        base,
        count,
        default,
    } = raw;
    if base.split("<=").next() == Some("wstring") {
        return Err(DefinitionError::WideString(type_name.to_owned()));
    }
    let element = match Primitive::from_name(&base) {
        Some(primitive) => Element::Primitive(primitive),
        None => {
            let unknown = || DefinitionError::UnknownType {
                type_name: type_name.to_owned(),
                used: base.chars().take(80).collect(),
            };
            Element::Message(find(type_name, &base, index).ok_or_else(unknown)?)
        }
    };
    Ok(Field {
        name,
        element,
        count,
        default,
    })
}
