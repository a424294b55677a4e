//! Tables of the messages of a bag, in CSV.
//!
//! The bag is read twice: the first pass collects the columns of each topic, the second writes the
//! rows. Memory is bounded by the number of columns and the largest message.

use crate::{Undecoded, read, seconds};
use merrow_ros2::bag::topics::{BagContent, BagMessage, BagTopic};
use merrow_ros2::dynamic::value::{ArrayLimits, Leaf, Value};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

/// Maximum number of columns of a table.
const MAX_COLUMNS: usize = 4000;
/// Name of the first column.
const TIME: &str = "log_time_s";

/// Tables that were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Number of written tables.
    pub tables: usize,
    /// Number of rows of all tables.
    pub rows: u64,
    /// Lines about the bag, about messages that are not decoded, and about omitted fields.
    pub notes: Vec<String>,
}

/// Function that opens the file of a name for writing.
pub type Open<'o> = &'o mut dyn FnMut(&str) -> Result<Box<dyn Write>, String>;

/// Columns of the table of a topic, in the order of the definition.
#[derive(Debug, Default)]
struct Columns {
    names: Vec<String>,
    /// Index of each name in `names`.
    index: HashMap<String, usize>,
    /// Index of the following column, plus 1; 0: the last.
    next: Vec<usize>,
    /// Index of the first column, plus 1.
    first: usize,
    /// Arrays that are too long, and the greatest number of elements.
    long: BTreeMap<String, usize>,
    /// Fields beyond the maximum number of columns.
    excess: HashSet<String>,
    /// Position in the row of each name; `None` if it is omitted.
    positions: Vec<Option<usize>>,
    /// Number of columns of the row.
    width: usize,
}

impl Columns {
    /// Adds the fields of a message. A new field follows the field before it in the message.
    fn add(&mut self, value: &Value<'_>) {
        let mut before = None;
        value.visit_leaves(ArrayLimits::FIELDS, &mut |path, leaf| {
            if let Leaf::Long { len } = leaf {
                let max = self.long.entry(path.to_owned()).or_default();
                *max = len.max(*max);
                return;
            }
            let known = self.index.get(path).copied();
            let Some(k) = known.or_else(|| self.insert(path, before)) else {
                return;
            };
            before = Some(k);
        });
    }

    fn insert(&mut self, path: &str, before: Option<usize>) -> Option<usize> {
        if self.names.len() >= MAX_COLUMNS {
            if self.excess.len() < MAX_COLUMNS {
                self.excess.insert(path.to_owned());
            }
            return None;
        }
        let k = self.names.len();
        self.names.push(path.to_owned());
        self.index.insert(path.to_owned(), k);
        let link = match before {
            Some(before) => &mut self.next[before],
            None => &mut self.first,
        };
        let following = std::mem::replace(link, k + 1);
        self.next.push(following);
        Some(k)
    }

    /// Determines the positions of the columns and returns their names in order. An array that is
    /// too long in one message is omitted in all messages.
    fn arrange(&mut self) -> Vec<&str> {
        self.positions = vec![None; self.names.len()];
        let mut ordered = Vec::new();
        let mut link = self.first;
        while link > 0 {
            let name = &self.names[link - 1];
            let arrays = name.match_indices('[').map(|(end, _)| &name[..end]);
            if !arrays
                .into_iter()
                .any(|array| self.long.contains_key(array))
            {
                self.positions[link - 1] = Some(ordered.len());
                ordered.push(name.as_str());
            }
            link = self.next[link - 1];
        }
        self.width = ordered.len();
        ordered
    }

    /// Fills the cells of a row.
    fn fill(&self, value: &Value<'_>, cells: &mut Vec<String>) {
        cells.resize(self.width, String::new());
        cells.iter_mut().for_each(String::clear);
        value.visit_leaves(ArrayLimits::FIELDS, &mut |path, leaf| {
            let known = self.index.get(path).and_then(|k| self.positions[*k]);
            if let Some(cell) = known.and_then(|k| cells.get_mut(k)) {
                write_cell(leaf, cell);
            }
        });
    }

    /// Returns the line about omitted fields, if any.
    fn note(&self, topic: &str) -> Option<String> {
        let mut omitted: Vec<String> = self
            .long
            .iter()
            .map(|(path, len)| format!("{path} (up to {len} elements)"))
            .collect();
        if !self.excess.is_empty() {
            omitted.push(format!(
                "{} fields beyond {MAX_COLUMNS} columns",
                self.excess.len()
            ));
        }
        let omitted = omitted.join(", ");
        (!omitted.is_empty()).then(|| format!("{topic}: omitted {omitted}"))
    }
}

/// Writes one CSV table per topic of the bag. `open` opens the file of a table by its name, which
/// contains letters, digits and the characters `_.%~` only.
///
/// # Errors
/// One line: the bag cannot be read, or a file cannot be written.
pub fn export(bag: &Path, open: Open<'_>) -> Result<Exported, String> {
    let mut columns: Vec<Columns> = Vec::new();
    let mut undecoded = Undecoded::default();
    let content = read(bag, &mut |topic, message| {
        if columns.len() <= message.topic {
            columns.resize_with(message.topic + 1, Columns::default);
        }
        let own = &mut columns[message.topic];
        undecoded.decode(topic, message, |value| own.add(value));
        Ok(())
    })?;
    let mut exported = Exported {
        notes: content.notes.clone(),
        ..Exported::default()
    };
    exported.notes.extend(undecoded.notes(&content));
    let tables = content.topics.iter().zip(&columns);
    exported
        .notes
        .extend(tables.filter_map(|(topic, own)| own.note(&topic.name)));
    write_tables(bag, &content, &mut columns, open, &mut exported)?;
    Ok(exported)
}

/// Reads the bag again and writes the rows.
fn write_tables(
    bag: &Path,
    content: &BagContent,
    columns: &mut [Columns],
    open: Open<'_>,
    exported: &mut Exported,
) -> Result<(), String> {
    let mut files: Vec<Option<Box<dyn Write>>> = Vec::new();
    let mut used = HashSet::new();
    for (topic, own) in content.topics.iter().zip(columns.iter_mut()) {
        let header = own.arrange();
        if header.is_empty() {
            files.push(None);
            continue;
        }
        let mut file = open(&file_name(topic, &mut used))?;
        let header: Vec<String> = header.into_iter().map(quoted).collect();
        let line = format!("{TIME},{}\n", header.join(","));
        file.write_all(line.as_bytes()).map_err(|e| e.to_string())?;
        files.push(Some(file));
        exported.tables += 1;
    }
    let (mut cells, mut line) = (Vec::new(), String::new());
    let mut undecoded = Undecoded::default();
    let mut write = |topic: &BagTopic, message: &BagMessage<'_>| {
        let Some(Some(file)) = files.get_mut(message.topic) else {
            return Ok(());
        };
        let own = &columns[message.topic];
        let mut written = Ok(());
        undecoded.decode(topic, message, |value| {
            own.fill(value, &mut cells);
            line.clear();
            line.push_str(&seconds(i128::from(message.log_time_ns)));
            for cell in &cells {
                line.push(',');
                line.push_str(cell);
            }
            line.push('\n');
            written = file.write_all(line.as_bytes());
            exported.rows += 1;
        });
        written.map_err(|e| format!("{}: cannot write the table: {e}", topic.name))
    };
    read(bag, &mut write)?;
    for (file, topic) in files.iter_mut().zip(&content.topics) {
        let flushed = file.as_mut().map_or(Ok(()), |file| file.flush());
        flushed.map_err(|e| format!("{}: cannot write the table: {e}", topic.name))?;
    }
    Ok(())
}

/// Maximum length of the name of a topic in a file name [bytes]. File systems accept 255 bytes, of
/// which a number and the ending need some.
const NAME_MAX: usize = 200;

/// Returns the file name of a topic: `/rov/imu/data` becomes `rov.imu.data.csv`. Topic names have
/// no dots, so different topics have different files. Long names are cut and numbered.
fn file_name(topic: &BagTopic, used: &mut HashSet<String>) -> String {
    let mut name = String::new();
    for byte in topic.name.trim_start_matches('/').bytes() {
        match byte {
            b'/' => name.push('.'),
            b'_' | b'~' => name.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => name.push(char::from(byte)),
            // writing to a String does not fail
            _ => drop(write!(name, "%{byte:02x}")),
        }
    }
    name.truncate(NAME_MAX);
    // the same topic with another type, or the same start of a long name
    let mut unique = name.clone();
    let mut n = 2;
    while !used.insert(unique.clone()) {
        unique = format!("{name}~{n}");
        n += 1;
    }
    unique + ".csv"
}

/// Writes the text of a value.
fn write_cell(leaf: Leaf<'_>, cell: &mut String) {
    // writing to a String does not fail
    let _ = match leaf {
        Leaf::Bool(value) => write!(cell, "{}", u8::from(value)),
        Leaf::Int(value) => write!(cell, "{value}"),
        Leaf::Uint(value) => write!(cell, "{value}"),
        Leaf::Float32(value) => write!(cell, "{value}"),
        Leaf::Float64(value) => write!(cell, "{value}"),
        Leaf::Text(text) => write!(cell, "{}", quoted(text)),
        Leaf::Time { sec, nanosec } => {
            let ns = i128::from(sec) * 1_000_000_000 + i128::from(nanosec);
            write!(cell, "{}", seconds(ns))
        }
        Leaf::Long { .. } => Ok(()),
    };
}

/// Quotes a text if CSV requires it.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn topic(name: &str) -> BagTopic {
        BagTopic {
            name: name.to_owned(),
            type_name: String::new(),
            definition: Err(String::new()),
            text: String::new(),
            metadata: BTreeMap::new(),
            rate_hz: None,
            count: 0,
        }
    }

    #[test]
    fn names_of_files_are_unique_and_safe() {
        let mut used = HashSet::new();
        let mut name = |topic_name: &str| file_name(&topic(topic_name), &mut used);
        assert_eq!(name("/rov/imu/data"), "rov.imu.data.csv");
        assert_eq!(name("/rov/imu/data"), "rov.imu.data~2.csv");
        assert_eq!(name("/../etc"), "%2e%2e.etc.csv");
        assert_eq!(name("/rov_imu/data"), "rov_imu.data.csv");
        let long = "/x".repeat(150);
        assert_eq!(name(&long).len(), NAME_MAX + ".csv".len());
        assert_eq!(name(&(long + "/y")).len(), NAME_MAX + "~2.csv".len());
    }

    #[test]
    fn texts_are_quoted() {
        assert_eq!(quoted("a b"), "a b");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }

    #[test]
    fn columns_keep_the_order_of_the_definition() {
        use merrow_ros2::cdr::to_bytes;
        use merrow_ros2::dynamic::definition::Definition;
        use merrow_ros2::message::Message;
        use merrow_ros2::msg::sensor_msgs::JointState;
        let text = JointState::definition();
        let definition = Definition::parse(JointState::TYPE, text).expect("a definition");
        let mut columns = Columns::default();
        let mut add = |position: Vec<f64>, effort: Vec<f64>| {
            let message = JointState {
                position,
                effort,
                ..JointState::default()
            };
            let bytes = to_bytes(&message);
            columns.add(&definition.decode(&bytes).expect("a message"));
        };
        add(vec![1.0], vec![2.0]);
        add(vec![1.0, 2.0], vec![0.0; 65]);
        let expected = [
            "header.stamp",
            "header.frame_id",
            "position[0]",
            "position[1]",
        ];
        assert_eq!(columns.arrange(), expected);
        assert_eq!(
            columns.note("/joints").as_deref(),
            Some("/joints: omitted effort (up to 65 elements)")
        );
    }
}
