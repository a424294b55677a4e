//! Reading of recorded bags.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Message of a bag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedMessage {
    /// Absolute name of the topic.
    pub topic: String,
    /// ROS name of its type, such as `geometry_msgs/msg/Twist`.
    pub type_name: String,
    /// Time at which it was recorded [ns].
    pub log_time_ns: u64,
    /// Encapsulated CDR bytes of the message.
    pub cdr: Vec<u8>,
}

/// Reads the messages of the `topics` from an MCAP file, or from all MCAP files in the folder of a
/// bag, in the order in which they were recorded.
///
/// # Errors
/// One line: a file cannot be read, is not an MCAP file, or has chunks of an unknown compression.
pub fn read_messages(
    path: &Path,
    topics: &HashSet<String>,
) -> Result<Vec<RecordedMessage>, String> {
    let mut messages = Vec::new();
    for file in mcap_files(path)? {
        let located = |why: String| format!("{}: {why}", file.display());
        let bytes = std::fs::read(&file).map_err(|e| located(e.to_string()))?;
        let options = mcap::read::Options::IgnoreEndMagic;
        let stream = mcap::MessageStream::new_with_options(&bytes, options.into())
            .map_err(|e| located(e.to_string()))?;
        for message in stream {
            let message = message.map_err(|e| located(e.to_string()))?;
            if !topics.contains(&message.channel.topic) {
                continue;
            }
            let schema = message.channel.schema.as_ref();
            messages.push(RecordedMessage {
                topic: message.channel.topic.clone(),
                type_name: schema.map_or(String::new(), |schema| schema.name.clone()),
                log_time_ns: message.log_time,
                cdr: message.data.to_vec(),
            });
        }
    }
    // stable: messages of the same time keep their order
    messages.sort_by_key(|message| message.log_time_ns);
    Ok(messages)
}

/// Returns the file itself, or the MCAP files in a folder, in the order in which rosbag2 splits.
pub(crate) fn mcap_files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let located = |e: std::io::Error| format!("{}: {e}", path.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(located)? {
        let file = entry.map_err(located)?.path();
        if file
            .extension()
            .is_some_and(|extension| extension == "mcap")
        {
            files.push(file);
        }
    }
    if files.is_empty() {
        return Err(format!("{}: found no MCAP file", path.display()));
    }
    files.sort_by_key(|file| split_order(file));
    Ok(files)
}

/// Returns the order of the files of a bag: by name, and numbers at the end of names by value.
fn split_order(file: &Path) -> (String, u64, PathBuf) {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let start = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name[start.len()..].parse().unwrap_or(0);
    (start.to_owned(), number, file.to_path_buf())
}
