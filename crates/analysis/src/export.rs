//! Tables of the messages of a bag, in CSV.
//!
//! The bag is read twice: the first pass collects the columns of each topic, the second writes the
//! rows. Memory is bounded by the number of columns and the largest message. Arrays and fields that
//! are not columns are written to further files (`arrays.rs`).

use crate::arrays::{self, Form};
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
    /// Number of files with images, point clouds and other bytes.
    pub files: u64,
    /// Lines about the bag, about messages that are not decoded, and about the arrays and fields
    /// that are not columns.
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
    /// Arrays that are too long: the greatest number of elements, and their form.
    long: BTreeMap<String, (usize, Form)>,
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
        let mut next = 0;
        value.visit_leaves(ArrayLimits::FIELDS, &mut |path, leaf| {
            if let Leaf::Long { len } = leaf {
                let form =
                    || arrays::at(value, path).map_or(Form::Values, |(_, a)| arrays::form(a));
                match self.long.get_mut(path) {
                    Some((max, _)) => *max = len.max(*max),
                    None => drop(self.long.insert(path.to_owned(), (len, form()))),
                }
                return;
            }
            let known = self.index.get(path).copied();
            next = known
                .or_else(|| self.insert(path, next))
                .map_or(next, |k| k + 1);
        });
    }

    /// Inserts a column at the index `at` and returns it; `None` beyond the maximum number.
    fn insert(&mut self, path: &str, at: usize) -> Option<usize> {
        if self.names.len() >= MAX_COLUMNS {
            if self.excess.len() < MAX_COLUMNS {
                self.excess.insert(path.to_owned());
            }
            return None;
        }
        let later = self.index.values_mut().filter(|k| **k >= at);
        later.for_each(|k| *k += 1);
        self.names.insert(at, path.to_owned());
        self.index.insert(path.to_owned(), at);
        Some(at)
    }

    /// Determines the positions of the columns and returns their names in order. An array that is
    /// too long in one message is not a column of any message; the column of an array of bytes has
    /// the names of its files.
    fn arrange(&mut self) -> Vec<&str> {
        let mut positions = vec![None; self.names.len()];
        let mut ordered = Vec::new();
        for (name, position) in self.names.iter().zip(&mut positions) {
            if !self.is_in_long_array(name) {
                *position = Some(ordered.len());
                ordered.push(name.as_str());
            }
        }
        for (path, (_, form)) in &self.long {
            if *form == Form::File && !self.is_in_long_array(path) {
                ordered.push(path.as_str());
            }
        }
        (self.width, self.positions) = (ordered.len(), positions);
        ordered
    }

    /// Returns true for the path of an element of a long array, or of a part of it.
    fn is_in_long_array(&self, path: &str) -> bool {
        let mut arrays = path.match_indices('[').map(|(end, _)| &path[..end]);
        arrays.any(|array| self.long.contains_key(array))
    }

    /// Returns the paths and forms of the long arrays that are in no other long array.
    fn outer_arrays(&self) -> impl Iterator<Item = (&str, Form)> {
        let all = self
            .long
            .iter()
            .map(|(path, (_, form))| (path.as_str(), *form));
        all.filter(|(path, _)| !self.is_in_long_array(path))
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

    /// Returns the line about arrays and fields that are not columns, if any.
    fn note(&self, topic: &str) -> Option<String> {
        let mut parts: BTreeMap<String, (usize, Form)> = BTreeMap::new();
        for (path, form) in self.outer_arrays() {
            let len = self.long[path].0;
            let part = parts.entry(arrays::without_indices(path).0);
            let part = part.or_insert((len, form));
            part.0 = part.0.max(len);
        }
        let mut parts: Vec<String> = parts
            .into_iter()
            .map(|(path, (len, form))| match form {
                Form::File => format!("{path} (up to {len} bytes, one file per message)"),
                _ => format!("{path} (up to {len} elements, one row per element)"),
            })
            .collect();
        if !self.excess.is_empty() {
            let n = self.excess.len();
            parts.push(format!("{n} fields beyond {MAX_COLUMNS} columns"));
        }
        let parts = parts.join(", ");
        (!parts.is_empty()).then(|| format!("{topic}: in further files: {parts}"))
    }
}

/// Files of a topic.
#[derive(Default)]
struct Files {
    /// Start of the names of all files of the topic.
    stem: String,
    /// Table with one row per message.
    table: Option<Box<dyn Write>>,
    /// Tables with one row per element, by the path without indices.
    long: BTreeMap<String, Box<dyn Write>>,
    /// Table of the fields beyond the maximum number of columns.
    excess: Option<Box<dyn Write>>,
    /// Folders of the arrays of bytes, by the path without indices, and numbers of files in them.
    folders: BTreeMap<String, (String, u64)>,
}

impl Files {
    /// Opens the files of a topic and writes their headers.
    fn open(
        topic: &BagTopic,
        own: &mut Columns,
        used: &mut HashSet<String>,
        open: Open<'_>,
    ) -> Result<Self, String> {
        let mut files = Self::default();
        let header: Vec<String> = own.arrange().into_iter().map(quoted).collect();
        if header.is_empty() && own.long.is_empty() {
            return Ok(files);
        }
        files.stem = file_stem(&topic.name, used);
        let mut start = |name: String, columns: &str| -> Result<Box<dyn Write>, String> {
            let mut file = open(&(name + ".csv"))?;
            let comma = if columns.is_empty() { "" } else { "," };
            let line = format!("{TIME}{comma}{columns}\n");
            file.write_all(line.as_bytes()).map_err(|e| e.to_string())?;
            Ok(file)
        };
        files.table = Some(start(files.stem.clone(), &header.join(","))?);
        for (path, form) in own.outer_arrays() {
            let (plain, _) = arrays::without_indices(path);
            if files.long.contains_key(&plain) || files.folders.contains_key(&plain) {
                continue;
            }
            let name = file_stem(&format!("{}/{}", topic.name, plain.replace('.', "/")), used);
            let columns = match form {
                Form::File => {
                    files.folders.insert(plain, (name, 0));
                    continue;
                }
                Form::Values => "index,value",
                Form::Fields => "index,field,value",
            };
            files.long.insert(plain, start(name, columns)?);
        }
        if !own.excess.is_empty() {
            let name = file_stem(&format!("{}/more_fields", topic.name), used);
            files.excess = Some(start(name, "field,value")?);
        }
        Ok(files)
    }

    /// Returns the number of tables.
    fn tables(&self) -> usize {
        self.long.len() + usize::from(self.table.is_some()) + usize::from(self.excess.is_some())
    }

    /// Writes the parts of a message that are not columns, and fills the cells with file names.
    fn write_further(
        &mut self,
        own: &Columns,
        (time, value): (&str, &Value<'_>),
        cells: &mut [String],
        open: Open<'_>,
    ) -> Result<(), String> {
        let is_file = |(_, form): &(&str, Form)| *form == Form::File;
        let mut cell = own.width - own.outer_arrays().filter(is_file).count();
        let mut text = String::new();
        for (path, form) in own.outer_arrays() {
            let found = arrays::at(value, path);
            let (plain, indices) = arrays::without_indices(path);
            if let (Form::File, Some((folder, n))) = (form, self.folders.get_mut(&plain)) {
                if let Some((parent, array)) = found {
                    let (ending, content) = arrays::file(parent, array);
                    cells[cell] = format!("{folder}/{n:06}.{ending}");
                    let mut file = open(&cells[cell])?;
                    let written = file.write_all(&content).and_then(|()| file.flush());
                    written.map_err(|e| e.to_string())?;
                    *n += 1;
                }
                cell += 1;
            }
            let (Some(file), Some((_, array))) = (self.long.get_mut(&plain), found) else {
                continue;
            };
            text.clear();
            arrays::visit(array, &mut |k, field, leaf| {
                // writing to a String does not fail
                let _ = write!(text, "{time},{indices}{k},");
                if form == Form::Fields {
                    text.push_str(&quoted(field));
                    text.push(',');
                }
                write_cell(leaf, &mut text);
                text.push('\n');
            });
            file.write_all(text.as_bytes()).map_err(|e| e.to_string())?;
        }
        let Some(file) = &mut self.excess else {
            return Ok(());
        };
        text.clear();
        value.visit_leaves(ArrayLimits::FIELDS, &mut |path, leaf| {
            let is_long = matches!(leaf, Leaf::Long { .. }) || own.is_in_long_array(path);
            if !is_long && !own.index.contains_key(path) {
                let _ = write!(text, "{time},{},", quoted(path));
                write_cell(leaf, &mut text);
                text.push('\n');
            }
        });
        file.write_all(text.as_bytes()).map_err(|e| e.to_string())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        let long = self.long.values_mut();
        let mut all = self.table.iter_mut().chain(long).chain(&mut self.excess);
        all.try_for_each(|file| file.flush())
    }
}

/// Writes one CSV table per topic of the bag. `open` opens the file of a table by its name, which
/// contains letters, digits and the characters `_.%~` only, or the file of an array by the name of
/// a folder, a slash and the name in it.
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
    let mut files: Vec<Files> = Vec::new();
    let mut used = HashSet::new();
    for (topic, own) in content.topics.iter().zip(columns.iter_mut()) {
        files.push(Files::open(topic, own, &mut used, open)?);
        exported.tables += files.last().map_or(0, Files::tables);
    }
    let (mut cells, mut line) = (Vec::new(), String::new());
    let mut undecoded = Undecoded::default();
    let mut write = |topic: &BagTopic, message: &BagMessage<'_>| {
        let Some(files) = files.get_mut(message.topic) else {
            return Ok(());
        };
        let own = &columns[message.topic];
        let mut written = Ok(());
        undecoded.decode(topic, message, |value| {
            own.fill(value, &mut cells);
            let time = seconds(i128::from(message.log_time_ns));
            written = files.write_further(own, (&time, value), &mut cells, open);
            line.clear();
            line.push_str(&time);
            for cell in &cells {
                line.push(',');
                line.push_str(cell);
            }
            line.push('\n');
            if let (Ok(()), Some(table)) = (&written, &mut files.table) {
                written = table.write_all(line.as_bytes()).map_err(|e| e.to_string());
                exported.rows += 1;
            }
        });
        written.map_err(|e| format!("{}: cannot write the table: {e}", topic.name))
    };
    read(bag, &mut write)?;
    for (files, topic) in files.iter_mut().zip(&content.topics) {
        let flushed = files.flush();
        flushed.map_err(|e| format!("{}: cannot write the table: {e}", topic.name))?;
        exported.files += files.folders.values().map(|(_, n)| n).sum::<u64>();
    }
    Ok(())
}

/// Maximum length of the name of a topic in a file name [bytes]. File systems accept 255 bytes, of
/// which a number and the ending need some.
const NAME_MAX: usize = 200;

/// Returns the file name of a topic without its ending: `/rov/imu/data` becomes `rov.imu.data`.
/// Topic names have no dots, so different topics have different files. Long names are cut and
/// numbered.
fn file_stem(topic: &str, used: &mut HashSet<String>) -> String {
    let mut name = String::new();
    for byte in topic.trim_start_matches('/').bytes() {
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
    unique
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

    #[test]
    fn names_of_files_are_unique_and_safe() {
        let mut used = HashSet::new();
        let mut name = |topic: &str| file_stem(topic, &mut used);
        assert_eq!(name("/rov/imu/data"), "rov.imu.data");
        assert_eq!(name("/rov/imu/data"), "rov.imu.data~2");
        assert_eq!(name("/../etc"), "%2e%2e.etc");
        assert_eq!(name("/rov_imu/data"), "rov_imu.data");
        let long = "/x".repeat(150);
        assert_eq!(name(&long).len(), NAME_MAX);
        assert_eq!(name(&(long + "/y")).len(), NAME_MAX + "~2".len());
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
        let text = &JointState::info().definition;
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
            Some("/joints: in further files: effort (up to 65 elements, one row per element)")
        );
    }
}
