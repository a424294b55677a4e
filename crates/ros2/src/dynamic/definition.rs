//! Parser of `ros2msg` definitions.
//!
//! A definition is the text of an interface file, followed by the texts of all types that it uses.
//! A line of `=` and a line `MSG: package/Type` precede each of these. Comments, constants and
//! default values have no effect on the encoding, and are skipped.

use std::collections::HashMap;

use crate::description::{Count, DUMMY_FIELD, Primitive};

/// Maximum number of nested messages; rosidl types use fewer than ten.
pub(crate) const MAX_DEPTH: usize = 32;
/// Minimum length of the line of `=` between two types.
const SEPARATOR: usize = 20;

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
    /// Name of the type, as `package/Type`.
    pub name: String,
    /// Fields in order; an empty interface file has one dummy field.
    pub(crate) fields: Vec<Field>,
    /// Minimum encoded size \[bytes\], without padding; at least 1.
    pub(crate) min_size: usize,
}

/// One field of a message type.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) element: Element,
    pub(crate) count: Count,
}

/// Type of one element of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Element {
    Primitive(Primitive),
    /// Index in the types of the definition.
    Message(usize),
}

/// A field whose type is not resolved.
pub(crate) struct RawField {
    pub(crate) name: String,
    pub(crate) base: String,
    pub(crate) count: Count,
}

impl Definition {
    /// Parses the `ros2msg` text of the type `name`, such as `sensor_msgs/msg/Imu`.
    ///
    /// # Errors
    /// The text is not a definition, or uses types that it does not contain.
    pub fn parse(name: &str, text: &str) -> Result<Self, DefinitionError> {
        let sections = sections(name, text);
        let mut index = HashMap::new();
        for (k, (name, _)) in sections.iter().enumerate() {
            // a repeated definition has no effect
            index.entry(name.clone()).or_insert(k);
        }
        let mut types = Vec::with_capacity(sections.len());
        for (name, lines) in &sections {
            let mut fields = Vec::new();
            for line in lines {
                if let Some(raw) = parse_line(name, line)? {
                    fields.push(resolve(name, raw, &index)?);
                }
            }
            if fields.is_empty() {
                fields.push(Field {
                    name: DUMMY_FIELD.to_owned(),
                    element: Element::Primitive(Primitive::Uint8),
                    count: Count::One,
                });
            }
            types.push(MessageType {
                name: name.clone(),
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
    pub(crate) fn message(&self, index: usize) -> &MessageType {
        &self.types[index]
    }

    /// Returns true if the first field of the message is a `std_msgs/Header`.
    pub fn has_header(&self) -> bool {
        let first = self.root().fields.first();
        first.is_some_and(|field| match field.element {
            Element::Message(k) => {
                field.count == Count::One && self.types[k].name == "std_msgs/Header"
            }
            Element::Primitive(_) => false,
        })
    }

    /// Returns the minimum size of an element [bytes], at least 1.
    pub(crate) fn min_size(&self, element: Element) -> usize {
        match element {
            Element::Primitive(primitive) => size(primitive).unwrap_or(size_of::<u32>()),
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

/// Returns the size of a primitive [bytes]; `None` for strings.
pub(crate) fn size(primitive: Primitive) -> Option<usize> {
    Some(match primitive {
        Primitive::Bool | Primitive::Byte | Primitive::Char => 1,
        Primitive::Int8 | Primitive::Uint8 => 1,
        Primitive::Int16 | Primitive::Uint16 => 2,
        Primitive::Int32 | Primitive::Uint32 | Primitive::Float32 => 4,
        Primitive::Int64 | Primitive::Uint64 | Primitive::Float64 => 8,
        Primitive::String | Primitive::BoundedString(_) => return None,
    })
}

/// Returns the name as `package/Type`, without the folder `msg`, `srv` or `action`.
pub(crate) fn short(name: &str) -> String {
    match (name.split_once('/'), name.rsplit_once('/')) {
        (Some((package, _)), Some((_, last))) => format!("{package}/{last}"),
        _ => name.to_owned(),
    }
}

/// Splits a definition into the lines of its types.
fn sections<'a>(name: &str, text: &'a str) -> Vec<(String, Vec<&'a str>)> {
    let mut sections = vec![(short(name), Vec::new())];
    let mut after_separator = false;
    for line in text.lines().map(str::trim) {
        if line.len() >= SEPARATOR && line.bytes().all(|b| b == b'=') {
            after_separator = true;
            continue;
        }
        if let Some(name) = line.strip_prefix("MSG:").filter(|_| after_separator) {
            sections.push((short(name.trim()), Vec::new()));
        } else if let Some((_, lines)) = sections.last_mut() {
            lines.push(line);
        }
        after_separator = false;
    }
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
    if rest.trim_start().starts_with('=') {
        return Ok(None);
    }
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
    }))
}

/// Resolves the type of a field of the type `type_name`.
fn resolve(
    type_name: &str,
    raw: RawField,
    index: &HashMap<String, usize>,
) -> Result<Field, DefinitionError> {
    let RawField { name, base, count } = raw;
    if base.split("<=").next() == Some("wstring") {
        return Err(DefinitionError::WideString(type_name.to_owned()));
    }
    let element = match primitive(&base) {
        Some(primitive) => Element::Primitive(primitive),
        None => {
            let package = type_name.split('/').next().unwrap_or_default();
            let candidates = match base.contains('/') {
                true => [short(&base), String::new()],
                // the only type that interface files may name without its package
                false => [format!("{package}/{base}"), format!("std_msgs/{base}")],
            };
            let found = candidates.iter().find_map(|name| index.get(name));
            let unknown = || DefinitionError::UnknownType {
                type_name: type_name.to_owned(),
                used: base.chars().take(80).collect(),
            };
            Element::Message(*found.ok_or_else(unknown)?)
        }
    };
    Ok(Field {
        name,
        element,
        count,
    })
}

/// Returns the built-in type of a name.
pub(crate) fn primitive(name: &str) -> Option<Primitive> {
    if let Some(bound) = name.strip_prefix("string<=") {
        return bound.parse().ok().map(Primitive::BoundedString);
    }
    Some(match name {
        "bool" => Primitive::Bool,
        "byte" => Primitive::Byte,
        "char" => Primitive::Char,
        "float32" => Primitive::Float32,
        "float64" => Primitive::Float64,
        "int8" => Primitive::Int8,
        "uint8" => Primitive::Uint8,
        "int16" => Primitive::Int16,
        "uint16" => Primitive::Uint16,
        "int32" => Primitive::Int32,
        "uint32" => Primitive::Uint32,
        "int64" => Primitive::Int64,
        "uint64" => Primitive::Uint64,
        "string" => Primitive::String,
        _ => return None,
    })
}
