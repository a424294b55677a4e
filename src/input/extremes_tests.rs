//! Tests of the extreme values of every field of every input topic and of every service that
//! becomes a command.

use super::own_services;
use crate::arm::progress::Progress;
use crate::node::diagnostics::Rejections;
use crate::node::parameters::live::RecordedParameters;
use crate::topics::Arrival;
use crate::topics::Plan;
use merrow_model::scene::Scene;
use merrow_model::state::Command;
use merrow_ros2::dynamic::definition::{Count, Definition, Element, Field, MessageType, Primitive};
use merrow_sim::Simulation;
use merrow_world::{Overrides, load_world};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// Number of values in [`Encoder::number`] and of lengths in [`Encoder::field`].
const VALUES: usize = 10;

/// Encoder of messages in CDR in which one field has an extreme value.
struct Encoder<'a> {
    definition: &'a Definition,
    bytes: Vec<u8>,
    /// Number of fields so far.
    fields: usize,
    /// Field with the extreme value; `None`: all fields.
    extreme: Option<usize>,
    /// Number of the extreme value.
    value: usize,
    /// Value of the other numbers, 0 or 1.
    usual: u8,
    /// Text of the other strings.
    word: &'a str,
}

impl Encoder<'_> {
    fn is_extreme(&mut self) -> bool {
        self.fields += 1;
        self.extreme.is_none_or(|k| k == self.fields - 1)
    }

    /// Adds a number of a size, which is also its alignment.
    fn put(&mut self, bytes: &[u8]) {
        let offset = (self.bytes.len() - 4) % bytes.len();
        if offset > 0 {
            self.bytes
                .resize(self.bytes.len() + bytes.len() - offset, 0);
        }
        self.bytes.extend_from_slice(bytes);
    }

    fn number(&mut self, primitive: Primitive) {
        let is_extreme = self.is_extreme();
        let floats = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::MAX,
            f64::MIN,
            5e-324,
            -0.0,
            1e9,
            -1.0,
            f64::from(f32::MAX),
        ];
        let integers = [
            0,
            1,
            2,
            u64::MAX,
            u64::MAX >> 1,
            1 << 63,
            0x8000_0000,
            0x7fff_ffff,
            0x80,
            0x7fff,
        ];
        let float = match is_extreme {
            true => floats[self.value],
            false => f64::from(self.usual),
        };
        let integer = match is_extreme {
            true => integers[self.value],
            false => u64::from(self.usual),
        };
        match primitive {
            Primitive::Float64 => self.put(&float.to_le_bytes()),
            Primitive::Float32 => self.put(&(float as f32).to_le_bytes()),
            Primitive::Bool => self.put(&[integer as u8 & 1]),
            Primitive::Byte | Primitive::Char | Primitive::Int8 | Primitive::Uint8 => {
                self.put(&[integer as u8]);
            }
            Primitive::Int16 | Primitive::Uint16 => self.put(&(integer as u16).to_le_bytes()),
            Primitive::Int32 | Primitive::Uint32 => self.put(&(integer as u32).to_le_bytes()),
            Primitive::Int64 | Primitive::Uint64 => self.put(&integer.to_le_bytes()),
            Primitive::String | Primitive::BoundedString(_) => {
                let long = "x".repeat(100_000);
                let words = [
                    "",
                    "/",
                    "../..",
                    "world",
                    "base_link",
                    "\n\u{1b}[2J",
                    "{kind: tdma}",
                    "[[[[",
                    "\u{10ffff}",
                    &long,
                ];
                let text = if is_extreme {
                    words[self.value]
                } else {
                    self.word
                };
                self.put(&(text.len() as u32 + 1).to_le_bytes());
                self.bytes.extend_from_slice(text.as_bytes());
                self.bytes.push(0);
            }
        }
    }

    fn field(&mut self, field: &Field) {
        let lengths = [0, 1, 2, 3, 6, 8, 64, 65, 255, 1000];
        let n = match field.count {
            Count::One => 1,
            Count::Array(n) => n,
            Count::AtMost(_) | Count::Any => {
                let n = if self.is_extreme() {
                    lengths[self.value]
                } else {
                    1
                };
                self.put(&(n as u32).to_le_bytes());
                n
            }
        };
        for _ in 0..n {
            match field.element {
                Element::Primitive(primitive) => self.number(primitive),
                Element::Message(inner) => self.message(self.definition.message(inner)),
            }
        }
    }

    fn message(&mut self, message: &MessageType) {
        message.fields.iter().for_each(|field| self.field(field));
    }
}

/// Calls `check` with messages in which each field, and all fields together, have extreme values.
fn for_extremes(definition: &Definition, words: &[&str], mut check: impl FnMut(&[u8])) {
    for word in words {
        for usual in [0, 1] {
            let mut encode = |extreme, value| {
                let mut encoder = Encoder {
                    definition,
                    bytes: vec![0, 1, 0, 0],
                    fields: 0,
                    extreme,
                    value,
                    usual,
                    word,
                };
                encoder.message(definition.root());
                check(&encoder.bytes);
                encoder.fields
            };
            let fields = encode(Some(usize::MAX), 0);
            for value in 0..VALUES {
                encode(None, value);
                // a trajectory or a map has fields without end
                (0..fields.min(60)).for_each(|field| {
                    encode(Some(field), value);
                });
            }
        }
    }
}

/// Function that decodes a message to commands.
type Convert<'a> = &'a dyn Fn(&[u8]) -> Result<Vec<Command>, String>;

/// Applies the commands of extreme messages of one type to a new simulation, which then runs.
fn apply_extremes(scene: &Arc<Scene>, name: &str, definition: &Definition, convert: Convert<'_>) {
    let mut simulation = Simulation::new(Arc::clone(scene), 1).expect("a simulation");
    let robot = scene.robots.first();
    let link = robot.and_then(|robot| robot.links.last());
    let words = [
        Some(""),
        robot.map(|robot| robot.name.as_str()),
        link.map(|link| link.name.as_str()),
    ];
    let words: BTreeSet<&str> = words.into_iter().flatten().collect();
    let words: Vec<&str> = words.into_iter().collect();
    for_extremes(definition, &words, |bytes| match convert(bytes) {
        Ok(commands) => {
            for command in commands {
                if let Err(refused) = simulation.apply(&command) {
                    check_reason(name, &refused.reason);
                }
            }
        }
        Err(why) => check_reason(name, &why),
    });
    simulation.advance(3);
}

/// Checks that the log line of a rejection is one line of a limited length.
fn check_reason(name: &str, why: &str) {
    let line = Rejections::default().count(None, why).unwrap_or_default();
    let is_line = !why.is_empty() && !line.contains(['\n', '\u{1b}']);
    assert!(is_line && line.chars().count() < 1100, "{name}: {line}");
}

// No value of a field of an input ends the run or is refused without a line. Method: all input
// topics and all services with commands of all shipped worlds, except copies of robots; each field
// by itself and all fields together; 3 steps after the messages of each input.
#[test]
fn extreme_fields_are_refused_or_applied() {
    let folder = format!("{}/worlds", env!("CARGO_MANIFEST_DIR"));
    let mut seen = BTreeSet::new();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("worlds")
        .flatten()
        .collect();
    files.sort_by_key(|file| file.path());
    for file in files {
        let path = file.path();
        if path.extension().is_none_or(|end| end != "yaml") {
            continue;
        }
        let world = load_world(Path::new(&path), Overrides::default()).expect("a valid world");
        let scene = Arc::new(world.scene);
        let parameters = RecordedParameters::new(&scene).expect("parameters");
        let progress = Progress::default();
        let mut is_new = |name: &str, kind: &str| {
            let model = name.split('/').skip(1).collect::<Vec<_>>().join("/");
            seen.insert(format!("{model} {kind}"))
        };
        for input in Plan::new(&scene).inputs {
            let label = format!("{}: {}", path.display(), input.topic);
            if is_new(&input.topic, input.info.name) {
                apply_extremes(&scene, &label, &input.info.structure, &|bytes| {
                    let arrival = Arrival {
                        scene: &scene,
                        progress: &progress,
                    };
                    (input.decode)(arrival, bytes)
                });
            }
        }
        for service in own_services::all(&scene) {
            let label = format!("{}: {}", path.display(), service.name);
            let Some(convert) = service.convert else {
                continue;
            };
            if is_new(&service.name, service.info.name) {
                let definition = &service.info.request.structure;
                apply_extremes(&scene, &label, definition, &|bytes| {
                    convert(&scene, parameters.server(), bytes).map(|command| vec![command])
                });
            }
        }
    }
    assert!(seen.len() > 80, "{}", seen.len());
}
