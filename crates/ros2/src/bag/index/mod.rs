//! Random access to the messages of a bag by topic and time.
//!
//! The index lists the chunks of all files with their times and topics. A complete recording
//! contains them in its summary; any other recording is read once. Messages are read on demand, so
//! the memory does not grow with the length of their content.

mod scan;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcap::records::op;

use crate::bag::file::{McapFile, RECORD_HEAD, Records, unpack};
use crate::bag::read::mcap_files;

/// Maximum number of messages whose places are kept in memory.
const MAX_CACHED: usize = 400_000;
/// Maximum length of the unpacked chunks that are kept in memory [bytes].
const MAX_UNPACKED: usize = 64 << 20;
/// Length of the head of a message in the body of its record [bytes].
const MESSAGE_HEAD: usize = 22;

/// Topic of a bag with the places of its messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexedTopic {
    /// Name of the topic.
    pub name: String,
    /// ROS name of its type; empty if the bag has none.
    pub type_name: String,
    /// `ros2msg` definition of its type; empty for another encoding.
    pub definition: Arc<str>,
    /// Blocks with its messages, sorted by their start.
    blocks: Vec<usize>,
    /// Latest end of each block and the blocks before it [ns].
    latest_ends: Vec<u64>,
}

/// Place of a message in a bag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessagePlace {
    /// Time at which it was recorded [ns].
    pub log_time_ns: u64,
    source: Source,
    offset: u64,
    length: usize,
}

/// Bytes to which the offset of a message refers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A file of the bag.
    File(usize),
    /// The unpacked records of a block.
    Block(usize),
}

/// Adjacent records of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    file: usize,
    /// Place of the records, or of the compressed chunk with its head, in the file [bytes].
    offset: u64,
    length: u64,
    is_compressed: bool,
    /// Log times of the first and of the last message [ns].
    start_ns: u64,
    end_ns: u64,
}

/// Places of the messages of a block, by topic, sorted by time.
type BlockMessages = HashMap<usize, Vec<MessagePlace>>;

/// File of a bag.
#[derive(Debug)]
struct BagFile {
    path: PathBuf,
    content: McapFile,
    /// Topic of each channel, by its identifier.
    channels: HashMap<u16, usize>,
}

/// Index of a bag: an MCAP file, or all MCAP files in the folder of a bag.
#[derive(Debug)]
pub struct BagIndex {
    /// Topics, in the order in which the index contains them.
    pub topics: Vec<IndexedTopic>,
    /// Metadata records by name; the last of each name.
    pub metadata: BTreeMap<String, BTreeMap<String, String>>,
    /// One line per file that is not complete.
    pub notes: Vec<String>,
    files: Vec<BagFile>,
    blocks: Vec<Block>,
    /// Messages of the blocks that were used last.
    cache: Recent<BlockMessages>,
    /// Records of the compressed blocks that were used last.
    unpacked: Recent<Vec<u8>>,
}

/// Contents of the blocks that were used last, the newest first.
#[derive(Debug)]
struct Recent<T>(VecDeque<(usize, Arc<T>)>);

impl<T> Recent<T> {
    /// Returns the content of a block, if it is kept.
    fn get(&mut self, block: usize) -> Option<Arc<T>> {
        let known = self.0.iter().position(|(known, _)| *known == block)?;
        let entry = self.0.remove(known)?;
        let content = Arc::clone(&entry.1);
        self.0.push_front(entry);
        Some(content)
    }

    /// Adds the content of a block. The contents used last are kept as far as the sum of their
    /// sizes is at most `max`, but at least one.
    fn add(&mut self, block: usize, content: T, max: usize, size: fn(&T) -> usize) -> Arc<T> {
        let content = Arc::new(content);
        self.0.push_front((block, Arc::clone(&content)));
        let mut sum = 0;
        let kept = self.0.iter().take_while(|(_, content)| {
            sum += size(content);
            sum <= max
        });
        let kept = kept.count().max(1);
        self.0.truncate(kept);
        content
    }
}

impl BagIndex {
    /// Opens a bag.
    ///
    /// # Errors
    /// One line: a file cannot be opened, is not an MCAP file, or has chunks of an unknown
    /// compression. A file that ends early or is damaged gives a note instead.
    pub fn open(path: &Path) -> Result<Self, String> {
        let mut index = Self {
            topics: Vec::new(),
            metadata: BTreeMap::new(),
            notes: Vec::new(),
            files: Vec::new(),
            blocks: Vec::new(),
            cache: Recent(VecDeque::new()),
            unpacked: Recent(VecDeque::new()),
        };
        for path in mcap_files(path)? {
            let located = |why: String| format!("{}: {why}", path.display());
            index.files.push(BagFile {
                content: McapFile::open(&path).map_err(located)?,
                path: path.clone(),
                channels: HashMap::new(),
            });
            let note = index.add_file().map_err(located)?;
            index.notes.extend(note.map(located));
        }
        index.sort();
        Ok(index)
    }

    /// Returns the log times of the first and of the last message [ns]; `None` without messages.
    pub fn bounds_ns(&self) -> Option<[u64; 2]> {
        let start = self.blocks.iter().map(|block| block.start_ns).min()?;
        let end = self.blocks.iter().map(|block| block.end_ns).max()?;
        Some([start, end])
    }

    /// Returns the index of a topic by its name, with or without the leading slash.
    pub fn topic(&self, name: &str) -> Option<usize> {
        let plain = name.trim_start_matches('/');
        let is_same = |topic: &IndexedTopic| topic.name.trim_start_matches('/') == plain;
        self.topics.iter().position(is_same)
    }

    /// Returns the place of the newest message of a topic that was recorded up to `time_ns` [ns].
    ///
    /// # Errors
    /// One line: the file cannot be read.
    pub fn latest(&mut self, topic: usize, time_ns: u64) -> Result<Option<MessagePlace>, String> {
        let Some(own) = self.topics.get(topic) else {
            return Ok(None);
        };
        let starts_before = |block: &usize| self.blocks[*block].start_ns <= time_ns;
        let mut k = own.blocks.partition_point(starts_before);
        let mut best: Option<MessagePlace> = None;
        while k > 0 {
            k -= 1;
            let own = &self.topics[topic];
            let (block, latest_end) = (own.blocks[k], own.latest_ends[k]);
            if best.is_some_and(|best| best.log_time_ns >= latest_end) {
                break;
            }
            let messages = self.messages(block)?;
            let places = messages.get(&topic).map_or(&[][..], Vec::as_slice);
            let n = places.partition_point(|place| place.log_time_ns <= time_ns);
            let found = n.checked_sub(1).map(|last| places[last]);
            let is_newer =
                |place: &MessagePlace| best.is_none_or(|best| place.log_time_ns > best.log_time_ns);
            best = found.filter(is_newer).or(best);
        }
        Ok(best)
    }

    /// Returns the place of the first message of a topic that was recorded after `time_ns` [ns].
    ///
    /// # Errors
    /// One line: the file cannot be read.
    pub fn next(&mut self, topic: usize, time_ns: u64) -> Result<Option<MessagePlace>, String> {
        let Some(own) = self.topics.get(topic) else {
            return Ok(None);
        };
        let mut k = own.latest_ends.partition_point(|end| *end <= time_ns);
        let mut best: Option<MessagePlace> = None;
        while let Some(&block) = self.topics[topic].blocks.get(k) {
            k += 1;
            let start_ns = self.blocks[block].start_ns;
            if best.is_some_and(|best| best.log_time_ns <= start_ns) {
                break;
            }
            let messages = self.messages(block)?;
            let places = messages.get(&topic).map_or(&[][..], Vec::as_slice);
            let n = places.partition_point(|place| place.log_time_ns <= time_ns);
            let is_earlier = |place: &&MessagePlace| {
                best.is_none_or(|best| place.log_time_ns < best.log_time_ns)
            };
            best = places.get(n).filter(is_earlier).copied().or(best);
        }
        Ok(best)
    }

    /// Returns the places of the messages of a topic that were recorded after `after_ns` and up to
    /// `until_ns` [ns], sorted by time.
    ///
    /// # Errors
    /// One line: the file cannot be read.
    pub fn between(
        &mut self,
        topic: usize,
        after_ns: u64,
        until_ns: u64,
    ) -> Result<Vec<MessagePlace>, String> {
        let Some(own) = self.topics.get(topic) else {
            return Ok(Vec::new());
        };
        let first = own.latest_ends.partition_point(|end| *end <= after_ns);
        let blocks = own.blocks[first..].iter().copied();
        let blocks: Vec<usize> = blocks
            .take_while(|block| self.blocks[*block].start_ns <= until_ns)
            .collect();
        let mut found = Vec::new();
        for block in blocks {
            let messages = self.messages(block)?;
            let places = messages.get(&topic).map_or(&[][..], Vec::as_slice);
            let start = places.partition_point(|place| place.log_time_ns <= after_ns);
            let end = places.partition_point(|place| place.log_time_ns <= until_ns);
            found.extend_from_slice(places.get(start..end).unwrap_or_default());
        }
        found.sort_by_key(|place| place.log_time_ns);
        Ok(found)
    }

    /// Reads the encapsulated CDR bytes of a message.
    ///
    /// # Errors
    /// One line: the file cannot be read.
    pub fn read(&mut self, place: &MessagePlace) -> Result<Vec<u8>, String> {
        match place.source {
            Source::File(file) => self.bytes(file, place.offset, place.length),
            Source::Block(block) => {
                let records = self.unpacked(block)?;
                let start = place.offset as usize;
                let bytes = records.get(start..start.saturating_add(place.length));
                Ok(bytes.unwrap_or_default().to_vec())
            }
        }
    }

    /// Returns the records of a compressed block, from the cache or from the file.
    fn unpacked(&mut self, block: usize) -> Result<Arc<Vec<u8>>, String> {
        if let Some(records) = self.unpacked.get(block) {
            return Ok(records);
        }
        let own = self.blocks[block];
        let chunk = self.bytes(own.file, own.offset, own.length as usize)?;
        let located = |why| format!("{}: {why}", self.files[own.file].path.display());
        let (records, error) = unpack(&chunk).map_err(located)?;
        if let Some(error) = error {
            return Err(located(format!(
                "a compressed chunk cannot be read: {error}"
            )));
        }
        let records = records.into_owned();
        Ok(self.unpacked.add(block, records, MAX_UNPACKED, Vec::len))
    }

    fn bytes(&self, file: usize, offset: u64, length: usize) -> Result<Vec<u8>, String> {
        let file = &self.files[file];
        let located = |why| format!("{}: {why}", file.path.display());
        file.content.bytes(offset, length).map_err(located)
    }

    /// Returns the places of the messages of a block, from the cache or from the file.
    fn messages(&mut self, block: usize) -> Result<Arc<BlockMessages>, String> {
        if let Some(messages) = self.cache.get(block) {
            return Ok(messages);
        }
        let Block {
            file,
            offset,
            length,
            is_compressed,
            ..
        } = self.blocks[block];
        let (source, offset, bytes) = match is_compressed {
            true => (Source::Block(block), 0, self.unpacked(block)?),
            false => {
                let bytes = self.bytes(file, offset, length as usize)?;
                (Source::File(file), offset, Arc::new(bytes))
            }
        };
        let mut messages = BlockMessages::new();
        let channels = &self.files[file].channels;
        for (at, opcode, body) in Records::new(&bytes) {
            let Some((channel, log_time_ns)) = message_head(opcode, body) else {
                continue;
            };
            let Some(topic) = channels.get(&channel) else {
                continue;
            };
            messages.entry(*topic).or_default().push(MessagePlace {
                log_time_ns,
                source,
                offset: offset + (at + RECORD_HEAD + MESSAGE_HEAD) as u64,
                length: body.len() - MESSAGE_HEAD,
            });
        }
        for places in messages.values_mut() {
            // stable: messages of the same time keep their order
            places.sort_by_key(|place| place.log_time_ns);
        }
        let count = |messages: &BlockMessages| messages.values().map(Vec::len).sum();
        Ok(self.cache.add(block, messages, MAX_CACHED, count))
    }

    /// Sorts the blocks of each topic by their start.
    fn sort(&mut self) {
        for topic in &mut self.topics {
            topic
                .blocks
                .sort_by_key(|block| self.blocks[*block].start_ns);
            let mut latest = 0;
            let ends = topic.blocks.iter().map(|block| {
                latest = self.blocks[*block].end_ns.max(latest);
                latest
            });
            topic.latest_ends = ends.collect();
        }
    }
}

/// Returns the channel and the log time [ns] of a record if it is a message.
fn message_head(opcode: u8, body: &[u8]) -> Option<(u16, u64)> {
    if opcode != op::MESSAGE || body.len() < MESSAGE_HEAD {
        return None;
    }
    let channel = u16::from_le_bytes(body[..2].try_into().ok()?);
    Some((channel, u64::from_le_bytes(body[6..14].try_into().ok()?)))
}

#[cfg(test)]
mod tests;
