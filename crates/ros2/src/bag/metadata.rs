//! `metadata.yaml` of a bag, which `ros2 bag info` and `ros2 bag play` read before the recording
//! itself.
//!
//! The format is version 8, because rosbag2 of Humble and of all later distributions reads it.
//! Version 9, which Jazzy writes, has the QoS as a list; Humble reads it as a text and refuses a
//! list. The same text is stored in the MCAP file, for tools that receive only that file. This
//! module does not depend on MCAP.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use serde_json::Value;

/// Name that rosbag2 expects in the folder of the bag.
pub(crate) const FILE_NAME: &str = "metadata.yaml";

const ROS_DISTRO: &str = "jazzy";

#[derive(Clone, Debug)]
pub(crate) struct Topic {
    pub(crate) name: String,
    pub(crate) type_name: String,
    pub(crate) type_hash: String,
    /// QoS that the publisher offers, as a YAML list.
    pub(crate) qos_yaml: String,
    pub(crate) message_count: u64,
}

impl Topic {
    fn to_yaml(&self) -> String {
        format!(
            "- topic_metadata:
    name: {}
    type: {}
    serialization_format: cdr
    offered_qos_profiles: {}
    type_description_hash: {}
  message_count: {}",
            quoted(&self.name),
            self.type_name,
            quoted(&self.qos_yaml),
            self.type_hash,
            self.message_count,
        )
    }
}

/// Content of a file of a bag.
#[derive(Clone, Debug)]
pub(crate) struct FileSummary {
    /// Name of the MCAP file in the folder of the bag.
    name: String,
    /// Log times of the first and last message \[ns\].
    bounds_ns: Option<(u64, u64)>,
    message_count: u64,
}

/// Summary of the messages recorded so far, in one file or in all files of a bag.
#[derive(Clone, Debug, Default)]
pub(crate) struct Metadata {
    /// Names of the MCAP files. The other values of a file are current only in the sum of
    /// [`Metadata::add`].
    pub(crate) files: Vec<FileSummary>,
    pub(crate) topics: Vec<Topic>,
    /// Log times of the first and last message \[ns\].
    pub(crate) bounds_ns: Option<(u64, u64)>,
}

impl Metadata {
    /// Returns the metadata of an empty file.
    pub(crate) fn of_file(name: String) -> Self {
        Self {
            files: vec![FileSummary {
                name,
                bounds_ns: None,
                message_count: 0,
            }],
            ..Self::default()
        }
    }

    /// Returns the metadata of an empty file with the same topics.
    pub(crate) fn of_next_file(&self, name: String) -> Self {
        let mut topics = self.topics.clone();
        topics.iter_mut().for_each(|topic| topic.message_count = 0);
        Self {
            topics,
            ..Self::of_file(name)
        }
    }

    /// Adds the content of the next file, which has the same topics in the same order, and may have
    /// more. A file that was removed has no name and is left out.
    pub(crate) fn add(&mut self, next: &Self) {
        if let Some(file) = next.files.first() {
            self.files.push(FileSummary {
                name: file.name.clone(),
                bounds_ns: next.bounds_ns,
                message_count: next.message_count(),
            });
        }
        let known = self.topics.len();
        for (sum, topic) in self.topics.iter_mut().zip(&next.topics) {
            sum.message_count += topic.message_count;
        }
        self.topics.extend(next.topics.iter().skip(known).cloned());
        if let Some((start, end)) = next.bounds_ns {
            self.extend_bounds(start);
            self.extend_bounds(end);
        }
    }

    pub(crate) fn message_count(&self) -> u64 {
        self.topics.iter().map(|topic| topic.message_count).sum()
    }

    /// Extends the time bounds to include `log_time_ns` [ns].
    pub(crate) fn extend_bounds(&mut self, log_time_ns: u64) {
        let (start, end) = self.bounds_ns.unwrap_or((log_time_ns, log_time_ns));
        self.bounds_ns = Some((start.min(log_time_ns), end.max(log_time_ns)));
    }

    /// Returns the content of the bag as a YAML map. This text is also stored in the MCAP file.
    pub(crate) fn to_yaml(&self) -> String {
        let (start, end) = self.bounds_ns.unwrap_or((0, 0));
        let duration = end - start;
        let messages = self.message_count();
        let only = self.files.len() <= 1;
        let (mut names, mut files) = (String::new(), String::new());
        for file in &self.files {
            let name = quoted(&file.name);
            // the values of a single file are those of the bag
            let (bounds, count) = match only {
                true => (self.bounds_ns, messages),
                false => (file.bounds_ns, file.message_count),
            };
            let (start, end) = bounds.unwrap_or((0, 0));
            let duration = end - start;
            names.push_str(&format!("\n  - {name}"));
            files.push_str(&format!(
                "\n  - path: {name}
    starting_time:
      nanoseconds_since_epoch: {start}
    duration:
      nanoseconds: {duration}
    message_count: {count}"
            ));
        }
        let mut topics = String::new();
        for topic in &self.topics {
            topics.push('\n');
            topics.push_str(&indented(&topic.to_yaml(), 2));
        }
        if topics.is_empty() {
            topics.push_str(" []");
        }
        format!(
            "version: 8
storage_identifier: mcap
duration:
  nanoseconds: {duration}
starting_time:
  nanoseconds_since_epoch: {start}
message_count: {messages}
topics_with_message_count:{topics}
compression_format: \"\"
compression_mode: \"\"
relative_file_paths:{names}
files:{files}
custom_data: ~
ros_distro: {ROS_DISTRO}
"
        )
    }

    /// Writes `metadata.yaml` into `folder` atomically; a failed write leaves no temporary file. On a
    /// full disk a text that is not longer than the existing one replaces it in its place.
    pub(crate) fn save(&self, folder: &Path) -> io::Result<()> {
        let new = folder.join(format!("{FILE_NAME}.new"));
        let text = format!(
            "rosbag2_bagfile_information:\n{}\n",
            indented(&self.to_yaml(), 2)
        );
        let path = folder.join(FILE_NAME);
        let written = write_new(&new, &text).and_then(|()| fs::rename(&new, &path));
        written.or_else(|error| {
            // the error of the write is reported
            let _ = fs::remove_file(&new);
            replace_in_place(&path, &text).map_err(|_| error)
        })
    }
}

/// Writes a file that does not exist yet; what has its name, such as the rest of a killed run, is
/// removed, and a link is not followed.
fn write_new(path: &Path, text: &str) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    fs::File::create_new(path)?.write_all(text.as_bytes())
}

/// Replaces the text of a file by one that is not longer, which needs no space.
fn replace_in_place(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).open(path)?;
    let length = text.len() as u64;
    if length > file.metadata()?.len() {
        return Err(io::ErrorKind::StorageFull.into());
    }
    file.write_all(text.as_bytes())?;
    file.set_len(length)
}

/// Returns the files that the text of a `metadata.yaml` lists, relative to its folder.
///
/// Parses only the block style that rosbag2 and this module write; any other text lists no files.
pub(crate) fn listed_files(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim);
    let entries = lines.skip_while(|line| *line != "relative_file_paths:");
    let entries = entries.skip(1).map_while(|line| line.strip_prefix("- "));
    entries.map(unquoted).collect()
}

/// Returns the text of a YAML scalar in one line.
fn unquoted(scalar: &str) -> String {
    let quoted = |mark| scalar.strip_prefix(mark).and_then(|s| s.strip_suffix(mark));
    match (serde_json::from_str(scalar), quoted('\'')) {
        (Ok(Value::String(text)), _) => text,
        (_, Some(text)) => text.replace("''", "'"),
        _ => scalar.to_owned(),
    }
}

/// Quotes a YAML scalar as a JSON string, so that YAML does not interpret its content.
fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn indented(text: &str, columns: usize) -> String {
    let lines: Vec<String> = text
        .lines()
        .map(|line| format!("{:columns$}{line}", ""))
        .collect();
    lines.join("\n")
}
