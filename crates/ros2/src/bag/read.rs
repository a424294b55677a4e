//! Reading of recorded bags.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::bag::metadata::{FILE_NAME, listed_files};
use crate::bag::topics::visit_messages;
use crate::bag::{LIBRARY, is_mcap};

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
/// One line: a file cannot be read, is not an MCAP file, is damaged, or has chunks of an unknown
/// compression.
pub fn read_messages(
    path: &Path,
    topics: &HashSet<String>,
) -> Result<Vec<RecordedMessage>, String> {
    let mut messages = Vec::new();
    let content = visit_messages(path, &mut |topic, message| {
        if topics.contains(&topic.name) {
            messages.push(RecordedMessage {
                topic: topic.name.clone(),
                type_name: topic.type_name.clone(),
                log_time_ns: message.log_time_ns,
                cdr: message.cdr.to_vec(),
            });
        }
        Ok(())
    })?;
    if content.is_damaged {
        return Err(content.notes.join("; "));
    }
    // stable: messages of the same time keep their order
    messages.sort_by_key(|message| message.log_time_ns);
    Ok(messages)
}

/// Returns the file itself, or the files of a bag in a folder: the files that its `metadata.yaml`
/// lists, or without one all MCAP files, if they are parts of a bag that rosbag2 has split.
pub(crate) fn mcap_files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let located = |e: std::io::Error| format!("{}: {e}", path.display());
    let metadata = path.join(FILE_NAME);
    if metadata.is_file() {
        let text = std::fs::read_to_string(&metadata)
            .map_err(|e| format!("{}: {e}", metadata.display()))?;
        let listed = listed_files(&text);
        let is_inside = |file: &String| {
            let mut components = Path::new(file).components();
            components.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        if listed.is_empty() || !listed.iter().all(is_inside) {
            return Err(format!(
                "{}: expected the names of the files of the bag in `relative_file_paths`; name an \
                 MCAP file instead of the folder",
                metadata.display()
            ));
        }
        return Ok(listed.iter().map(|file| path.join(file)).collect());
    }
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(located)? {
        let file = entry.map_err(located)?.path();
        if is_mcap(&file) {
            files.push(file);
        }
    }
    files.sort_by_key(|file| split_order(file));
    let Some(first) = files.first() else {
        return Err(format!("{}: found no MCAP file", path.display()));
    };
    let name = |file: &Path| split_order(file).0;
    let are_parts = files
        .iter()
        .all(|file| name(file) == name(first) && !is_whole(file));
    if files.len() > 1 && !are_parts {
        return Err(format!(
            "{}: found {} bags and no {FILE_NAME}; name an MCAP file",
            path.display(),
            files.len()
        ));
    }
    Ok(files)
}

/// Returns true if a file was recorded by Merrow, whose split bags have a `metadata.yaml`.
fn is_whole(file: &Path) -> bool {
    let mut start = Vec::new();
    let read = std::fs::File::open(file).and_then(|f| f.take(64).read_to_end(&mut start));
    let mark = LIBRARY.as_bytes();
    read.is_ok() && start.windows(mark.len()).any(|found| found == mark)
}

/// Returns the order of the files of a bag: by name, and numbers at the end of names by value.
fn split_order(file: &Path) -> (String, u64, PathBuf) {
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    let start = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = name[start.len()..].parse().unwrap_or(0);
    (start.to_owned(), number, file.to_path_buf())
}
