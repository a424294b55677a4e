//! Blocks and topics of one file: from its summary, or from a pass over its records.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use mcap::records::{ChunkIndex, Record, op};
use mcap::{McapError, parse_record};

use crate::bag::decompress::check_compression;
use crate::bag::file::{CHUNK_HEAD, MAGIC, RECORD_HEAD, Records};
use crate::bag::index::{BagIndex, Block, IndexedTopic, message_head};

/// Length of the record at the end of a file: head, two offsets, CRC [bytes].
const FOOTER: u64 = RECORD_HEAD as u64 + 20;

/// Blocks, channels and metadata of a file.
#[derive(Default)]
struct Found {
    /// Blocks with the channels of their messages.
    blocks: Vec<(Block, Vec<u16>)>,
    /// Name and `ros2msg` text of each type.
    schemas: HashMap<u16, (String, Arc<str>)>,
    /// Topic name and schema of each channel.
    channels: BTreeMap<u16, (String, u16)>,
    metadata: Vec<(String, BTreeMap<String, String>)>,
    /// Reason why the file is not complete.
    note: Option<String>,
}

impl Found {
    /// Adds the content of a record that describes messages.
    fn add(&mut self, opcode: u8, body: &[u8]) -> Result<(), McapError> {
        if !matches!(opcode, op::SCHEMA | op::CHANNEL | op::METADATA) {
            return Ok(());
        }
        match parse_record(opcode, body)? {
            Record::Schema { header, data } => {
                let is_known = header.encoding == "ros2msg";
                let text = is_known.then(|| String::from_utf8_lossy(&data).into());
                let schema = (header.name, text.unwrap_or_default());
                self.schemas.insert(header.id, schema);
            }
            Record::Channel(channel) => {
                let topic = (channel.topic, channel.schema_id);
                self.channels.insert(channel.id, topic);
            }
            Record::Metadata(metadata) => {
                self.metadata.push((metadata.name, metadata.metadata));
            }
            _ => {}
        }
        Ok(())
    }

    /// Adds the records of a chunk, or messages that are not in a chunk, at the place `block`.
    fn add_records(&mut self, block: Block, bytes: &[u8]) -> Result<(), McapError> {
        let mut channels: Vec<u16> = Vec::new();
        let (mut start_ns, mut end_ns, mut length) = (u64::MAX, 0, 0);
        for (at, opcode, body) in Records::new(bytes) {
            length = (at + RECORD_HEAD + body.len()) as u64;
            let Some((channel, time_ns)) = message_head(opcode, body) else {
                self.add(opcode, body)?;
                continue;
            };
            start_ns = start_ns.min(time_ns);
            end_ns = end_ns.max(time_ns);
            if !channels.contains(&channel) {
                channels.push(channel);
            }
        }
        if !channels.is_empty() {
            let length = if block.is_compressed {
                block.length
            } else {
                length
            };
            let block = Block {
                length,
                start_ns,
                end_ns,
                ..block
            };
            self.blocks.push((block, channels));
        }
        Ok(())
    }
}

impl BagIndex {
    /// Adds the content of the last file. Returns a note if the file is not complete.
    ///
    /// # Errors
    /// The file cannot be read or has chunks of an unknown compression.
    pub(super) fn add_file(&mut self) -> Result<Option<String>, String> {
        let file = self.files.len() - 1;
        let found = match self.summary(file)? {
            Some(found) => found,
            None => self.scan(file)?,
        };
        self.add_found(file, &found);
        for (name, metadata) in found.metadata {
            self.metadata.insert(name, metadata);
        }
        Ok(found.note)
    }

    fn add_found(&mut self, file: usize, found: &Found) {
        for (id, (name, schema)) in &found.channels {
            let (type_name, definition) = found.schemas.get(schema).cloned().unwrap_or_default();
            let is_same =
                |known: &IndexedTopic| known.name == *name && known.type_name == type_name;
            let known = self.topics.iter().position(is_same);
            let topic = known.unwrap_or_else(|| {
                self.topics.push(IndexedTopic {
                    name: name.clone(),
                    type_name: type_name.clone(),
                    definition: Arc::clone(&definition),
                    ..IndexedTopic::default()
                });
                self.topics.len() - 1
            });
            self.files[file].channels.insert(*id, topic);
        }
        for (block, channels) in &found.blocks {
            let number = self.blocks.len();
            self.blocks.push(*block);
            for channel in channels {
                let topic = self.files[file].channels.get(channel);
                if let Some(topic) = topic.and_then(|topic| self.topics.get_mut(*topic))
                    && topic.blocks.last() != Some(&number)
                {
                    topic.blocks.push(number);
                }
            }
        }
    }

    /// Reads the summary at the end of a file; `None` if it is missing or does not describe all
    /// messages.
    fn summary(&self, file: usize) -> Result<Option<Found>, String> {
        let content = &self.files[file].content;
        let Some(footer_at) = content
            .length
            .checked_sub(FOOTER + MAGIC)
            .filter(|at| *at >= MAGIC)
        else {
            return Ok(None);
        };
        let end = content.bytes(footer_at, (FOOTER + MAGIC) as usize)?;
        let is_end = end.ends_with(mcap::MAGIC) && end[0] == op::FOOTER;
        let start = end.get(RECORD_HEAD..RECORD_HEAD + 8);
        let start = start.and_then(|bytes| bytes.try_into().ok());
        let start = start.map_or(0, u64::from_le_bytes);
        if !is_end || start < MAGIC || start >= footer_at {
            return Ok(None);
        }
        let bytes = content.bytes(start, (footer_at - start) as usize)?;
        let mut found = Found::default();
        let mut messages = None;
        for (_, opcode, body) in Records::new(&bytes) {
            if found.add(opcode, body).is_err() {
                return Ok(None);
            }
            match parse_record(opcode, body) {
                Ok(Record::ChunkIndex(chunk)) => {
                    let Some(block) = block_of(file, &chunk)? else {
                        return Ok(None);
                    };
                    let channels = chunk.message_index_offsets.into_keys().collect();
                    found.blocks.push((block, channels));
                }
                Ok(Record::MetadataIndex(place)) => {
                    // damaged metadata is missing metadata
                    let record = content.bytes(place.offset, place.length as usize);
                    for (_, opcode, body) in Records::new(&record.unwrap_or_default()) {
                        let _ = found.add(opcode, body);
                    }
                }
                Ok(Record::Statistics(statistics)) => messages = Some(statistics.message_count),
                _ => {}
            }
        }
        let is_known = |channel: &u16| found.channels.contains_key(channel);
        let is_complete = |(_, channels): &(Block, Vec<u16>)| {
            !channels.is_empty() && channels.iter().all(is_known)
        };
        let has_blocks = messages == Some(0) || !found.blocks.is_empty();
        let is_usable = has_blocks && found.blocks.iter().all(is_complete);
        Ok(is_usable.then_some(found))
    }

    /// Reads all records of a file.
    fn scan(&self, file: usize) -> Result<Found, String> {
        let mut found = Found::default();
        let end = self.files[file].content.walk(&mut |run, records| {
            // a damaged chunk cannot be decompressed again
            if run.is_damaged && run.compressed.is_some() {
                return Ok(Ok(()));
            }
            let block = Block {
                length: run.compressed.unwrap_or(0),
                is_compressed: run.compressed.is_some(),
                ..Block::plain(file, run.offset)
            };
            Ok(found.add_records(block, records))
        })?;
        found.note = end.map(|end| end.to_string());
        Ok(found)
    }
}

impl Block {
    /// Returns a block of records without compression, without length and times.
    fn plain(file: usize, offset: u64) -> Self {
        Self {
            file,
            offset,
            length: 0,
            is_compressed: false,
            start_ns: 0,
            end_ns: 0,
        }
    }
}

/// Returns the records of a chunk that a summary lists; `None` for an entry that is not valid.
///
/// # Errors
/// The compression is unknown.
fn block_of(file: usize, chunk: &ChunkIndex) -> Result<Option<Block>, String> {
    let name = &chunk.compression;
    check_compression(name)?;
    let head = (RECORD_HEAD + CHUNK_HEAD + name.len()) as u64;
    if chunk.compressed_size.checked_add(head) != Some(chunk.chunk_length) {
        return Ok(None);
    }
    let (offset, length) = match name.is_empty() {
        true => (
            chunk.chunk_start_offset.saturating_add(head),
            chunk.compressed_size,
        ),
        false => (chunk.chunk_start_offset, chunk.chunk_length),
    };
    Ok(Some(Block {
        length,
        is_compressed: !name.is_empty(),
        start_ns: chunk.message_start_time,
        end_ns: chunk.message_end_time,
        ..Block::plain(file, offset)
    }))
}
