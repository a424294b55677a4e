//! Completion of a bag whose recorder was killed or could not write the end.
//!
//! A recorder writes the indexes of the messages last; without them programs refuse a recording, or
//! play it in the order of the file. The repaired bag is a copy, so that a failure leaves the
//! original as it is.

use std::path::{Path, PathBuf};

use crate::bag::index::BagIndex;
use crate::bag::topics::visit_messages;
use crate::bag::{Bag, Summary, is_mcap};

/// Name of the metadata record of rosbag2, which describes the original.
const ROSBAG2: &str = "rosbag2";

/// Result of a repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repaired {
    /// Summary of the new bag.
    pub summary: Summary,
    /// One line per file that is not complete, and per topic that is left out.
    pub notes: Vec<String>,
}

/// Copies all messages that can be read from the bag `from` to a new bag `to`, with their times,
/// types, QoS and metadata.
///
/// # Errors
/// One line: `from` is not a bag or has no messages, `to` exists, has not the ending `.mcap` or
/// cannot be written.
pub fn repair(from: &Path, to: &Path) -> Result<Repaired, String> {
    let metadata = BagIndex::open(from)?.metadata;
    if !is_mcap(to) {
        return Err(format!(
            "{}: wrong ending; expected the name of a new file FILE.mcap",
            to.display()
        ));
    }
    let mut bag = Bag::create(to).map_err(|e| e.to_string())?;
    let copied = copy(from, metadata, &mut bag);
    let done = copied.and_then(|notes| {
        let summary = bag.finish().map_err(|e| e.to_string())?;
        Ok(Repaired { summary, notes })
    });
    match done {
        Ok(repaired) if repaired.summary.messages == 0 => {
            remove(to);
            Err(format!("{}: found no messages", from.display()))
        }
        Err(why) => {
            remove(to);
            Err(why)
        }
        Ok(repaired) => Ok(repaired),
    }
}

fn copy(
    from: &Path,
    metadata: impl IntoIterator<Item = (String, std::collections::BTreeMap<String, String>)>,
    bag: &mut Bag,
) -> Result<Vec<String>, String> {
    for (name, record) in metadata {
        if name != ROSBAG2 {
            bag.write_metadata(&name, record)
                .map_err(|e| e.to_string())?;
        }
    }
    let mut channels = Vec::new();
    let content = visit_messages(from, &mut |topic, message| {
        if channels.len() <= message.topic {
            channels.resize(message.topic + 1, None);
        }
        if topic.definition.is_err() {
            return Ok(());
        }
        let channel = match channels[message.topic] {
            Some(channel) => channel,
            None => {
                let (text, metadata) = (&topic.text, topic.metadata.clone());
                let added = bag.add_topic(&topic.name, &topic.type_name, text, metadata);
                *channels[message.topic].insert(added.map_err(|e| e.to_string())?)
            }
        };
        let (log, publish) = (message.log_time_ns, message.publish_time_ns);
        bag.write(channel, log, publish, message.cdr)
            .map_err(|e| e.to_string())
    })?;
    let mut notes = content.notes;
    for topic in &content.topics {
        if let Err(why) = &topic.definition {
            notes.push(format!("left out {}: {why}", topic.name));
        }
    }
    Ok(notes)
}

/// Returns the path of the repaired bag of the bag `from`: `NAME_repaired.mcap` beside it.
pub fn default_output(from: &Path) -> PathBuf {
    let name = from.file_stem().unwrap_or(from.as_os_str());
    let name = format!("{}_repaired.mcap", name.to_string_lossy());
    from.with_file_name(name)
}

/// Removes the file of a repair that failed; an error is ignored, because the failure is reported.
fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bag::read::read_messages;
    use crate::bag::tests::{Folder, record};
    use std::collections::{BTreeMap, BTreeSet, HashSet};

    /// Lengths that end before, in and after the head of each record of a bag, and in its content.
    fn cuts(bytes: &[u8]) -> BTreeSet<usize> {
        const MAGIC: usize = 8;
        const HEAD: usize = 9;
        let mut found: BTreeSet<usize> = (0..=MAGIC).collect();
        let mut at = MAGIC;
        while let Some(head) = bytes.get(at..at + HEAD) {
            let size = u64::from_le_bytes(head[1..].try_into().unwrap()) as usize;
            let of_record = [
                1,
                4,
                HEAD,
                HEAD + 1,
                HEAD + size / 2,
                HEAD + size - 1,
                HEAD + size,
            ];
            found.extend(of_record.map(|length| (at + length).min(bytes.len())));
            at += HEAD + size;
        }
        found.insert(bytes.len());
        found
    }

    // A recording without its end is complete after the repair. Method: the first bytes of a bag
    // with a metadata record, cut in and around every record.
    #[test]
    fn cut_bags_are_complete_after_the_repair() {
        let folder = Folder::new("repair");
        let path = folder.0.join("run.mcap");
        let mut bag = record(&path, 10);
        let world = BTreeMap::from([("world".to_owned(), "pool".to_owned())]);
        bag.flush().unwrap();
        bag.write_metadata("merrow_world", world.clone()).unwrap();
        bag.flush().unwrap();
        let kept = std::fs::read(&path).unwrap().len();
        bag.finish().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let topics = HashSet::from(["/clock", "/name"].map(str::to_owned));
        let all = read_messages(&path, &topics).unwrap();
        let cut = folder.0.join("cut.mcap");
        let repaired = default_output(&cut);
        assert_eq!(repaired, folder.0.join("cut_repaired.mcap"));
        for length in cuts(&bytes) {
            std::fs::write(&cut, &bytes[..length]).unwrap();
            let Ok(done) = repair(&cut, &repaired) else {
                assert!(length < kept, "{length} of {kept} bytes");
                assert!(!repaired.exists(), "{length}");
                continue;
            };
            let found = read_messages(&repaired, &topics).unwrap();
            assert_eq!(found, all[..found.len()], "{length}");
            assert_eq!(done.summary.messages, found.len() as u64);
            let index = BagIndex::open(&repaired).unwrap();
            assert_eq!(index.notes, Vec::<String>::new());
            if length >= kept {
                assert_eq!(found.len(), all.len(), "{length}");
                assert_eq!(index.metadata["merrow_world"], world);
            }
            let read = std::fs::read(&repaired).unwrap();
            let summary = mcap::Summary::read(&read).unwrap().unwrap();
            let chunks = &summary.chunk_indexes;
            assert!(chunks.iter().all(|chunk| chunk.message_index_length > 0));
            let text = &index.metadata["rosbag2"]["serialized_metadata"];
            assert!(text.contains("\"cut_repaired.mcap\""), "{text}");
            std::fs::remove_file(&repaired).unwrap();
        }
        record(&repaired, 1).finish().unwrap();
        let error = repair(&cut, &repaired).unwrap_err();
        assert!(error.contains("exists and is not overwritten"), "{error}");
    }
}
