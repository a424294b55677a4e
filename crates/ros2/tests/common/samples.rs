//! Samples of all message types, for tests of the declarations.
//!
//! The values and bytes of a sample are generated from the type description, field by field. The
//! Rust struct then decodes and encodes these bytes. A peer that decodes the result to the same
//! values (`test/ros/messages.py`) therefore verifies description, decoder and encoder together.

// every test program uses a part
#![allow(dead_code)]

use serde_json::{Map, Value, json};

use merrow_ros2::cdr::{Cdr, CdrError, Encoder};
use merrow_ros2::dynamic::definition::{
    Count, DUMMY_FIELD, Definition, Element, Field, MessageType, Primitive,
};
use merrow_ros2::message::{RoundTrip, ServiceInfo, TypeInfo};

/// A message type and one sample message.
#[derive(Debug, Clone)]
pub(crate) struct TypeSample {
    /// Names and texts of the type.
    pub(crate) info: &'static TypeInfo,
    /// Bytes of the message after decoding and encoding by the Rust type, or the decoding error.
    pub(crate) cdr: Result<Vec<u8>, CdrError>,
    /// Values of the sample, as an object with the fields in order.
    pub(crate) values: Value,
    /// Decoder and encoder of the type.
    pub(crate) decode: RoundTrip,
}

/// Builds a sample of each type of a catalogue.
pub(crate) fn samples(catalogue: Vec<(&'static TypeInfo, RoundTrip)>) -> Vec<TypeSample> {
    let types = catalogue.into_iter();
    types
        .map(|(info, decode)| TypeSample::new(info, decode))
        .collect()
}

/// Formats the types as JSON for programs in other languages: `messages` (`name`, `dds_name`,
/// `hash`, `definition`, `cdr` as hexadecimal digits or `error`, `values`) and `services` (`name`,
/// `hash`).
pub(crate) fn catalogue_json(messages: Vec<TypeSample>, services: Vec<ServiceInfo>) -> Value {
    let messages = messages.into_iter().map(
        |TypeSample {
             info, cdr, values, ..
         }| {
            let mut message = json!({
                "name": info.name, "dds_name": info.dds_name, "hash": info.hash,
                "definition": info.definition, "values": values,
            });
            match cdr {
                Ok(bytes) => message["cdr"] = hex(&bytes).into(),
                Err(error) => message["error"] = error.to_string().into(),
            }
            message
        },
    );
    let services = services
        .into_iter()
        .map(|service| json!({"name": service.name, "hash": service.hash}));
    json!({"messages": messages.collect::<Value>(), "services": services.collect::<Value>()})
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl TypeSample {
    /// Builds a sample of a message type whose fields all have different values.
    fn new(info: &'static TypeInfo, decode: RoundTrip) -> Self {
        let mut out = Encoder::new();
        let definition = &info.structure;
        let values = Filler { count: 0 }.message(definition, definition.root(), &mut out);
        Self {
            info,
            cdr: decode(&out.finish()),
            values,
            decode,
        }
    }
}

/// Generator of field values that are all different, so that swapped fields are detected.
struct Filler {
    /// Number of values generated so far.
    count: u32,
}

impl Filler {
    fn message(&mut self, all: &Definition, message: &MessageType, out: &mut Encoder) -> Value {
        let mut values = Map::new();
        for field in &message.fields {
            let value = match field.name.as_str() {
                DUMMY_FIELD => encode_value(0u8, out),
                _ => self.field(all, field, out),
            };
            values.insert(field.name.clone(), value);
        }
        Value::Object(values)
    }

    fn field(&mut self, all: &Definition, field: &Field, out: &mut Encoder) -> Value {
        let len = match field.count {
            Count::One => return self.element(all, field.element, out),
            Count::Array(len) => len,
            Count::AtMost(bound) => bound.min(2),
            // about every fourth sequence is empty, because the padding after an empty sequence
            // differs from that before elements
            Count::Any => (self.count as usize + 3) % 4,
        };
        if !matches!(field.count, Count::Array(_)) {
            (len as u32).encode(out);
        }
        (0..len)
            .map(|_| self.element(all, field.element, out))
            .collect()
    }

    fn element(&mut self, all: &Definition, element: Element, out: &mut Encoder) -> Value {
        match element {
            Element::Message(index) => self.message(all, all.message(index), out),
            Element::Primitive(primitive) => self.primitive(primitive, out),
        }
    }

    fn primitive(&mut self, primitive: Primitive, out: &mut Encoder) -> Value {
        self.count += 1;
        let n = self.count;
        match primitive {
            Primitive::Bool => encode_value(n % 2 == 1, out),
            Primitive::Byte | Primitive::Char | Primitive::Uint8 => {
                encode_value((n % 251) as u8, out)
            }
            Primitive::Int8 => encode_value(-((n % 127) as i8), out),
            Primitive::Uint16 => encode_value(40_000 + (n % 20_000) as u16, out),
            Primitive::Int16 => encode_value(-((n % 30_000) as i16), out),
            Primitive::Uint32 => encode_value(3_000_000_000 + n, out),
            Primitive::Int32 => encode_value(-2_000_000_000 + (n % 1_000_000) as i32, out),
            Primitive::Uint64 => encode_value(0xF000_0000_0000_0000 + u64::from(n), out),
            Primitive::Int64 => encode_value(-(1_i64 << 62) - i64::from(n), out),
            // exact in f32, so that JSON and all readers have the same value
            Primitive::Float32 => encode_value(n as f32 + 0.125, out),
            Primitive::Float64 => encode_value(-f64::from(n) / 3.0, out),
            Primitive::String | Primitive::BoundedString(_) => {
                encode_value("é".repeat(n as usize % 5) + &n.to_string(), out)
            }
        }
    }
}

fn encode_value<T: Cdr + Into<Value>>(value: T, out: &mut Encoder) -> Value {
    value.encode(out);
    value.into()
}
