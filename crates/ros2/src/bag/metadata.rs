//! `metadata.yaml` of a bag, which `ros2 bag info` and `ros2 bag play` read before the recording
//! itself.
//!
//! The format is version 8, because rosbag2 of Humble and of all later distributions reads it.
//! Version 9, which Jazzy writes, has the QoS as a list; Humble reads it as a text and refuses a
//! list. The same text is stored in the MCAP file, for tools that receive only that file. This
//! module does not depend on MCAP.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::Value;

/// Name that rosbag2 expects in the folder of the bag.
pub(crate) const FILE_NAME: &str = "metadata.yaml";

const ROS_DISTRO: &str = "jazzy";

#[derive(Debug)]
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

/// Summary of the messages recorded so far.
#[derive(Debug)]
pub(crate) struct Metadata {
    /// Name of the MCAP file in the folder of the bag.
    pub(crate) file_name: String,
    pub(crate) topics: Vec<Topic>,
    /// Log times of the first and last message \[ns\].
    pub(crate) bounds_ns: Option<(u64, u64)>,
}

impl Metadata {
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
        let file = quoted(&self.file_name);
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
relative_file_paths:
  - {file}
files:
  - path: {file}
    starting_time:
      nanoseconds_since_epoch: {start}
    duration:
      nanoseconds: {duration}
    message_count: {messages}
custom_data: ~
ros_distro: {ROS_DISTRO}
"
        )
    }

    /// Writes `metadata.yaml` into `folder` atomically; a failed write leaves no temporary file.
    pub(crate) fn save(&self, folder: &Path) -> io::Result<()> {
        let new = folder.join(format!("{FILE_NAME}.new"));
        let text = format!(
            "rosbag2_bagfile_information:\n{}\n",
            indented(&self.to_yaml(), 2)
        );
        let written = fs::write(&new, text).and_then(|()| fs::rename(&new, folder.join(FILE_NAME)));
        written.inspect_err(|_| {
            // the error of the write is reported
            let _ = fs::remove_file(&new);
        })
    }
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
