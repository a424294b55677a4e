//! Recorder that writes a rosbag2 bag: an MCAP file, or a folder with `metadata.yaml` and one or
//! several MCAP files.
//!
//! Every half second of wall time the recorder closes the open chunk and passes it to the operating
//! system. A recorder that is killed therefore loses less than one second. Every five seconds a
//! second thread has the data written to the disk, so a power cut loses what was recorded after
//! that, as far as the disk keeps its promises. A full disk causes an
//! error for the caller, not a panic; the file is then cut after its last complete message and
//! ended, and its metadata counts the messages that remain. The recorder receives the CDR bytes
//! that were published; it does not encode messages, limit their rate or select topics.
//!
//! A bag in a folder continues in a new file when a file reaches the size or the duration of
//! [`BagOptions`]. Every file has the schemas, channels and metadata records of the bag, and its own
//! indexes; a message is in one file only.

mod chunk_file;
mod compress;
mod decompress;
mod file;
pub mod index;
mod metadata;
pub mod read;
pub mod repair;
mod sync;
pub mod topics;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mcap::McapError;
use mcap::records::MessageHeader;
use mcap::write::{WriteOptions, Writer};

use crate::bag::chunk_file::ChunkFile;
use crate::bag::compress::CompressedChunks;
use crate::bag::metadata::{Metadata, Topic};
use crate::bag::sync::SyncThread;
use crate::message::TypeInfo;
use crate::qos::Qos;

/// Wall time between flushes to the operating system. It is half of the guaranteed second, so that
/// a late caller still meets the guarantee.
const FLUSH_PERIOD: Duration = Duration::from_millis(500);

/// Space that a failed recording leaves for the end of its file and for `metadata.yaml` [bytes].
const END_RESERVE: u64 = 64 * 1024;

/// Program and version in the header of a file.
const LIBRARY: &str = concat!("merrow ", env!("CARGO_PKG_VERSION"));

/// Keys of the QoS and of the type hash in the metadata of a channel.
const QOS_KEY: &str = "offered_qos_profiles";
const HASH_KEY: &str = "topic_type_hash";

/// Key of the requested rate [Hz] in the metadata of a channel. Other readers ignore it.
const RATE_KEY: &str = "merrow_rate_hz";

/// Reason why a bag cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum BagError {
    /// The path has no file name in UTF-8 that can name a bag.
    #[error("{} cannot name a bag; expected FILE.mcap or a folder, in UTF-8", .0.display())]
    Name(PathBuf),
    /// A file of that name exists; a bag never overwrites a recording.
    #[error("{} exists and is not overwritten; choose another file name, or move the file away", .0.display())]
    Exists(PathBuf),
    /// The folder of the bag does not exist.
    #[error("no folder {}; create it, or choose another file name", .0.display())]
    NoFolder(PathBuf),
    /// A single file cannot be split.
    #[error("{} is one file, which cannot be split; name a folder, such as {}", .0.display(), .0.with_extension("").display())]
    SplitFile(PathBuf),
    /// The folder contains the `metadata.yaml` of another bag.
    #[error("{} belongs to another bag: record into another folder, or into a file, such as run_2.mcap", .0.display())]
    ForeignMetadata(PathBuf),
    /// A file or folder could not be created or written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
    /// The MCAP recording could not be written.
    #[error("cannot write {}: {}", .0.display(), .1)]
    Mcap(PathBuf, McapError),
    /// An earlier write failed, so the bag accepts no more messages.
    #[error("an earlier write of the bag failed, so it records no more messages")]
    Failed,
}

/// Compression of the messages of a bag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    #[default]
    None,
    /// Chunks in the LZ4 frame format, which every reader of MCAP files knows.
    Lz4,
}

/// Division of a bag into files, and their compression.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BagOptions {
    /// Size above which a bag in a folder continues in a new file \[bytes\]; `None`: no limit.
    pub max_bytes: Option<u64>,
    /// Log time after the first message of a file at which a bag in a folder continues in a new
    /// file \[ns\]; `None`: no limit.
    pub max_duration_ns: Option<u64>,
    /// Compression of the messages.
    pub compression: Compression,
}

impl BagOptions {
    fn is_split(&self) -> bool {
        self.max_bytes.is_some() || self.max_duration_ns.is_some()
    }
}

/// Identifies a topic of a bag, as returned by [`Bag::channel`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChannelId(usize);

/// Summary of a finished recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Path of the MCAP file, or of the folder of a bag with several files.
    pub path: PathBuf,
    /// Number of MCAP files.
    pub files: usize,
    /// Number of messages in the bag.
    pub messages: u64,
    /// Log time from the first to the last message \[ns\].
    pub duration_ns: u64,
}

/// Content of the file at the end of a chunk.
#[derive(Clone, Default)]
struct Checkpoint {
    /// Length of the file [bytes].
    bytes: u64,
    /// Number of messages of each topic.
    counts: Vec<u64>,
    /// Log times of the first and last message [ns].
    bounds_ns: Option<(u64, u64)>,
}

/// MCAP channel of a topic.
struct Channel {
    definition: String,
    metadata: BTreeMap<String, String>,
    /// Id in the file; `None` until the schema and the channel are written.
    mcap_id: Option<u16>,
}

/// A bag that is being recorded. Dropping it without [`Bag::finish`] completes the bag but discards
/// errors.
pub struct Bag {
    options: BagOptions,
    /// Path of the current file.
    path: PathBuf,
    /// Folder of the bag, which contains `metadata.yaml`; `None` for a single file, whose metadata
    /// is at its end.
    folder: Option<PathBuf>,
    sync: SyncThread,
    /// Thread of the preceding file, which ends after its last write to the disk.
    ending_sync: Option<SyncThread>,
    /// `None` once finished or failed.
    writer: Option<Writer<ChunkFile>>,
    /// Number of bytes that the MCAP writer has passed to its file.
    accepted: Arc<AtomicU64>,
    /// Contents of the file after its last two complete chunks, the newest last. The end of the
    /// newest can still be in the buffer of the file.
    complete: [Checkpoint; 2],
    /// MCAP channel of each topic, in the order of `metadata.topics`.
    channels: Vec<Channel>,
    /// Topics that are not in the file yet.
    waiting: Vec<usize>,
    /// Whether the open chunk contains a message.
    has_messages: bool,
    /// Length of the messages of the open chunk with their indexes [bytes].
    open_bytes: u64,
    /// Length of the schemas and channels of the current file, which its end repeats [bytes].
    described_bytes: u64,
    /// Number of schemas in the current file.
    schemas: u16,
    /// Compressed chunks of the current file; `None` without compression.
    compressed: Option<CompressedChunks>,
    /// Metadata records, which every file has.
    records: BTreeMap<String, BTreeMap<String, String>>,
    /// Content of the preceding files.
    closed: Metadata,
    /// Content of the current file.
    metadata: Metadata,
    flushed_at: Instant,
    /// Whether data was written since `flushed_at`.
    is_dirty: bool,
}

impl Bag {
    /// Creates a bag in one file, without compression. A path `FILE.mcap` names a single file, which
    /// contains its metadata. Any other path is a folder, which is created, with the file
    /// `FOLDER/FOLDER_0.mcap` and `metadata.yaml`, as in rosbag2.
    ///
    /// # Errors
    /// The path is not usable, the folder of the bag does not exist, a recording of that name
    /// exists, the folder contains the `metadata.yaml` of another bag, or the file system returns
    /// an error.
    pub fn create(path: &Path) -> Result<Self, BagError> {
        Self::create_with(path, BagOptions::default())
    }

    /// Creates a bag with options. The further files of a bag that is split are
    /// `FOLDER/FOLDER_1.mcap` and so on.
    ///
    /// # Errors
    /// The errors of [`Self::create`], or the path names a single file and the bag is to be split.
    pub fn create_with(path: &Path, options: BagOptions) -> Result<Self, BagError> {
        Self::check_path(path, &options)?;
        let Place {
            path,
            folder,
            file_name,
            is_folder,
        } = Place::of(path)?;
        let is_new = is_folder && !folder.is_dir();
        if is_new {
            fs::create_dir(&folder).map_err(|error| BagError::Io(folder.clone(), error))?;
        }
        let bag_folder = is_folder.then(|| folder.clone());
        OpenFile::create(&path, options.compression)
            .and_then(|opened| {
                Self::start(opened, path.clone(), bag_folder, file_name, options).inspect_err(
                    |_| {
                        // a failed start must not block the next attempt
                        let _ = fs::remove_file(&path);
                    },
                )
            })
            .inspect_err(|_| {
                if is_new {
                    let _ = fs::remove_dir(&folder);
                }
            })
    }

    fn start(
        opened: OpenFile,
        path: PathBuf,
        folder: Option<PathBuf>,
        file_name: String,
        options: BagOptions,
    ) -> Result<Self, BagError> {
        let mut bag = Self {
            options,
            folder,
            sync: opened.sync,
            ending_sync: None,
            writer: Some(opened.writer),
            accepted: opened.accepted,
            complete: Default::default(),
            channels: Vec::new(),
            waiting: Vec::new(),
            has_messages: false,
            open_bytes: 0,
            described_bytes: 0,
            schemas: 0,
            compressed: opened.compressed,
            records: BTreeMap::new(),
            closed: Metadata::default(),
            metadata: Metadata::of_file(file_name),
            flushed_at: Instant::now(),
            is_dirty: false,
            path,
        };
        bag.flush()?;
        Ok(bag)
    }

    /// Checks that a recording can be created, as far as this is known before.
    ///
    /// # Errors
    /// The errors of [`Self::create_with`].
    pub fn check_path(given: &Path, options: &BagOptions) -> Result<(), BagError> {
        let place = Place::of(given)?;
        let folder = &place.folder;
        if !place.is_folder && options.is_split() {
            return Err(BagError::SplitFile(place.path));
        }
        if place.is_folder && !folder.is_dir() {
            // something else than a folder has this name
            if folder.exists() {
                return Err(BagError::Exists(folder.clone()));
            }
            return require_folder(non_empty(folder.parent().unwrap_or(folder)));
        }
        require_folder(folder)?;
        if place.is_folder {
            refuse_foreign_metadata(folder, &place.file_name)?;
            refuse_other_parts(folder, &place.file_name)?;
        }
        match place.path.exists() {
            true => Err(BagError::Exists(place.path)),
            false => Ok(()),
        }
    }

    /// Adds a topic. Repeated calls with the same topic, type and QoS return the same channel.
    ///
    /// The MCAP file describes the topic with the next message of any topic. If none follows, only
    /// the metadata names the topic.
    ///
    /// # Errors
    /// The bag failed before or fails now, or has more than 65535 topics.
    pub fn channel(
        &mut self,
        topic: &str,
        info: &TypeInfo,
        qos: &Qos,
    ) -> Result<ChannelId, BagError> {
        self.channel_with_rate(topic, info, qos, None)
    }

    /// Adds a topic as [`Bag::channel`], with the requested rate of its messages [Hz], which
    /// [`topics::visit_messages`] returns.
    ///
    /// # Errors
    /// As [`Bag::channel`].
    pub fn channel_with_rate(
        &mut self,
        topic: &str,
        info: &TypeInfo,
        qos: &Qos,
        rate_hz: Option<f64>,
    ) -> Result<ChannelId, BagError> {
        let mut metadata = BTreeMap::from([
            (QOS_KEY.to_owned(), qos.to_bag_yaml()),
            (HASH_KEY.to_owned(), info.hash.clone()),
        ]);
        if let Some(rate_hz) = rate_hz {
            metadata.insert(RATE_KEY.to_owned(), rate_hz.to_string());
        }
        self.add_topic(topic, info.name, &info.definition, metadata)
    }

    /// Adds a topic with the metadata of its MCAP channel.
    fn add_topic(
        &mut self,
        topic: &str,
        type_name: &str,
        definition: &str,
        metadata: BTreeMap<String, String>,
    ) -> Result<ChannelId, BagError> {
        if self.writer.is_none() {
            return Err(BagError::Failed);
        }
        let mut known = self.metadata.topics.iter().zip(&self.channels);
        let known = known.position(|(known, channel)| {
            known.name == topic && known.type_name == type_name && channel.metadata == metadata
        });
        if let Some(known) = known {
            return Ok(ChannelId(known));
        }
        let new = self.channels.len();
        if new >= usize::from(u16::MAX) {
            return Err(BagError::Mcap(
                self.path.clone(),
                McapError::TooManyChannels,
            ));
        }
        let value = |key| metadata.get(key).cloned().unwrap_or_default();
        self.metadata.topics.push(Topic {
            name: topic.to_owned(),
            type_name: type_name.to_owned(),
            type_hash: value(HASH_KEY),
            qos_yaml: value(QOS_KEY),
            message_count: 0,
        });
        // written with a message: rosbag2 does not play a file with a chunk that has none
        self.waiting.push(new);
        self.channels.push(Channel {
            definition: definition.to_owned(),
            metadata,
            mcap_id: None,
        });
        self.is_dirty = true;
        Ok(ChannelId(new))
    }

    /// Records one message: its encapsulated CDR bytes, its log time and its publish time \[ns\].
    ///
    /// # Errors
    /// The bag failed before or fails now, or `channel` belongs to another bag.
    pub fn write(
        &mut self,
        channel: ChannelId,
        log_time_ns: u64,
        publish_time_ns: u64,
        cdr: &[u8],
    ) -> Result<(), BagError> {
        let length = MESSAGE_OVERHEAD + cdr.len() as u64;
        if channel.0 < self.channels.len() && self.is_full(log_time_ns, length) {
            if self.compressed.is_some() && self.open_bytes > MIN_CHUNK {
                // its compressed length is not known before
                self.flush_chunk()?;
            }
            if self.is_full(log_time_ns, length) {
                self.split()?;
            }
        }
        let Some(topic) = self.metadata.topics.get(channel.0) else {
            return Err(BagError::Mcap(
                self.path.clone(),
                McapError::UnknownChannel(0, u16::MAX),
            ));
        };
        let number_in_topic = topic.message_count + 1;
        let before = self.accepted.load(Ordering::Relaxed);
        let channel_id = self.add_to_file(channel.0)?;
        let header = MessageHeader {
            channel_id,
            // readers only check for gaps, so the number may wrap
            sequence: number_in_topic as u32,
            log_time: log_time_ns,
            publish_time: publish_time_ns,
        };
        self.with_writer(|writer| writer.write_to_known_channel(&header, cdr))?;
        if self.accepted.load(Ordering::Relaxed) > before {
            // the writer completed a chunk before it started the chunk with this message
            self.add_checkpoint();
        }
        self.metadata.topics[channel.0].message_count = number_in_topic;
        self.metadata.extend_bounds(log_time_ns);
        self.open_bytes += length;
        self.is_dirty = true;
        self.has_messages = true;
        self.add_waiting()?;
        self.flush_due()
    }

    /// Returns true if a message of `length` bytes belongs to the next file.
    fn is_full(&self, log_time_ns: u64, length: u64) -> bool {
        let Some((start_ns, _)) = self.metadata.bounds_ns else {
            return false;
        };
        let is_long = |limit: u64| log_time_ns.saturating_sub(start_ns) >= limit;
        let is_large = |limit: u64| {
            let written = self.accepted.load(Ordering::Relaxed) + self.open_bytes;
            // descriptions longer than the limit must not cause one file per message
            written + self.described_bytes + length > limit.max(4 * self.described_bytes)
        };
        self.options.max_duration_ns.is_some_and(is_long)
            || self.options.max_bytes.is_some_and(is_large)
    }

    /// Completes the current file, and continues in the next one with the same topics and metadata
    /// records.
    fn split(&mut self) -> Result<(), BagError> {
        let Some(folder) = self.folder.clone() else {
            return Ok(());
        };
        self.complete_file()?;
        let part = self.closed.files.len() + 1;
        let file_name = part_name(&folder, part)?;
        let next = self.metadata.of_next_file(file_name.clone());
        self.closed
            .add(&std::mem::replace(&mut self.metadata, next));
        self.path = folder.join(file_name);
        let opened = OpenFile::create(&self.path, self.options.compression);
        let opened = opened.inspect_err(|_| {
            // the bag consists of the complete files
            self.metadata.files.clear();
            let _ = self.save_metadata();
        })?;
        self.sync.end();
        let preceding = std::mem::replace(&mut self.sync, opened.sync);
        self.ending_sync = Some(preceding);
        (self.writer, self.accepted) = (Some(opened.writer), opened.accepted);
        self.compressed = opened.compressed;
        self.complete = Default::default();
        (self.open_bytes, self.described_bytes, self.schemas) = (0, 0, 0);
        self.has_messages = false;
        for channel in &mut self.channels {
            channel.mcap_id = None;
        }
        self.waiting = (0..self.channels.len()).collect();
        for (name, metadata) in self.records.clone() {
            self.with_writer(|writer| {
                writer.write_metadata(&mcap::records::Metadata { name, metadata })
            })?;
        }
        self.flush()
    }

    /// Writes the schema and the channel of a topic to the open chunk, unless they are in the file,
    /// and returns the id of the channel.
    fn add_to_file(&mut self, topic: usize) -> Result<u16, BagError> {
        if let Some(id) = self.channels[topic].mcap_id {
            return Ok(id);
        }
        let Some(writer) = &mut self.writer else {
            return Err(BagError::Failed);
        };
        let (channel, described) = (&mut self.channels[topic], &self.metadata.topics[topic]);
        let added = writer
            .add_schema(
                &described.type_name,
                "ros2msg",
                channel.definition.as_bytes(),
            )
            .and_then(|schema| {
                let id = writer.add_channel(schema, &described.name, "cdr", &channel.metadata)?;
                Ok((schema, id))
            });
        match added {
            Ok((schema, id)) => {
                channel.mcap_id = Some(id);
                let texts = channel.metadata.iter().map(|(k, v)| k.len() + v.len());
                let mut length = described.name.len() + texts.sum::<usize>();
                // the writer numbers the schemas from 1 and reuses equal ones
                if schema > self.schemas {
                    self.schemas = schema;
                    length += described.type_name.len() + channel.definition.len();
                }
                self.described_bytes += length as u64;
                Ok(id)
            }
            Err(error) => {
                self.abandon();
                Err(write_error(&self.path, error))
            }
        }
    }

    /// Writes the schemas and channels of all topics, if the open chunk contains a message.
    fn add_waiting(&mut self) -> Result<(), BagError> {
        if !self.has_messages {
            return Ok(());
        }
        for topic in std::mem::take(&mut self.waiting) {
            self.add_to_file(topic)?;
        }
        Ok(())
    }

    /// Writes a metadata record, which [`index::BagIndex`] returns. Other readers ignore it.
    ///
    /// # Errors
    /// The bag failed before or fails now.
    pub fn write_metadata(
        &mut self,
        name: &str,
        metadata: BTreeMap<String, String>,
    ) -> Result<(), BagError> {
        self.records.insert(name.to_owned(), metadata.clone());
        let name = name.to_owned();
        self.add_waiting()?;
        self.with_writer(|writer| {
            writer.write_metadata(&mcap::records::Metadata { name, metadata })
        })?;
        self.has_messages = false;
        self.add_checkpoint();
        self.is_dirty = true;
        Ok(())
    }

    /// Flushes recorded messages to the operating system if the flush period has passed.
    /// [`Bag::write`] does the same. Call this function at least twice per second while no messages
    /// arrive.
    ///
    /// # Errors
    /// The bag failed before or fails now.
    pub fn flush_due(&mut self) -> Result<(), BagError> {
        if self.writer.is_none() {
            return Err(BagError::Failed);
        }
        if self.is_dirty && self.flushed_at.elapsed() >= FLUSH_PERIOD {
            self.flush()?;
        }
        Ok(())
    }

    /// Completes the bag and returns its summary.
    ///
    /// # Errors
    /// The bag failed before or fails now. A streaming reader can still read the data that was
    /// flushed before the failure.
    pub fn finish(mut self) -> Result<Summary, BagError> {
        self.close()
    }

    fn close(&mut self) -> Result<Summary, BagError> {
        self.complete_file()?;
        self.save_metadata()?;
        self.sync.finish();
        self.ending_sync = None;
        let all = self.all_metadata();
        let (start, end) = all.bounds_ns.unwrap_or((0, 0));
        let path = match &self.folder {
            Some(folder) if all.files.len() > 1 => folder,
            Some(_) | None => &self.path,
        };
        Ok(Summary {
            path: path.clone(),
            files: all.files.len(),
            messages: all.message_count(),
            duration_ns: end - start,
        })
    }

    /// Writes the end of the current file.
    fn complete_file(&mut self) -> Result<(), BagError> {
        self.flush_chunk()?;
        let yaml = self.metadata.to_yaml();
        self.with_writer(|writer| {
            writer.write_metadata(&mcap::records::Metadata {
                name: "rosbag2".to_owned(),
                metadata: BTreeMap::from([("serialized_metadata".to_owned(), yaml)]),
            })?;
            writer.finish()
        })?;
        // takes the file out of the MCAP writer, because a drop would hide the error of the last
        // write
        let Some(writer) = self.writer.take() else {
            return Err(BagError::Failed);
        };
        let (mut file, completed) = match writer.into_inner().into_file() {
            Ok(mut file) => {
                let indexed = match &self.compressed {
                    Some(chunks) => compress::correct_indexes(&mut file, chunks),
                    None => Ok(()),
                };
                (file, indexed)
            }
            Err((file, error)) => (file, Err(error)),
        };
        completed.map_err(|error| {
            self.end_after_checkpoint(&mut file);
            BagError::Io(self.path.clone(), error)
        })
    }

    /// Completes the open chunk and passes it to the operating system.
    fn flush_chunk(&mut self) -> Result<(), BagError> {
        self.add_waiting()?;
        self.with_writer(Writer::flush)?;
        self.has_messages = false;
        self.add_checkpoint();
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BagError> {
        self.flush_chunk()?;
        if let Err(error) = self.save_metadata() {
            self.abandon();
            return Err(error);
        }
        self.flushed_at = Instant::now();
        self.is_dirty = false;
        Ok(())
    }

    /// Notes that the file contains all messages counted so far.
    fn add_checkpoint(&mut self) {
        self.complete.swap(0, 1);
        let newest = &mut self.complete[1];
        newest.bytes = self.accepted.load(Ordering::Relaxed);
        newest.counts.clear();
        let counts = self.metadata.topics.iter().map(|t| t.message_count);
        newest.counts.extend(counts);
        newest.bounds_ns = self.metadata.bounds_ns;
        self.open_bytes = 0;
    }

    /// Returns the content of all files.
    fn all_metadata(&self) -> Metadata {
        let mut all = self.closed.clone();
        all.add(&self.metadata);
        all
    }

    /// Writes `metadata.yaml`, if the bag is a folder.
    fn save_metadata(&self) -> Result<(), BagError> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        self.all_metadata()
            .save(folder)
            .map_err(|error| BagError::Io(folder.join(crate::bag::metadata::FILE_NAME), error))
    }

    /// Runs `action` on the MCAP writer. An error sets the bag to the failed state.
    fn with_writer<T>(
        &mut self,
        action: impl FnOnce(&mut Writer<ChunkFile>) -> Result<T, McapError>,
    ) -> Result<T, BagError> {
        let Some(writer) = &mut self.writer else {
            return Err(BagError::Failed);
        };
        action(writer).map_err(|error| {
            self.abandon();
            write_error(&self.path, error)
        })
    }

    /// Ends the file after its last complete message and counts the messages up to there. Errors
    /// are ignored, because the cause of the failure is reported.
    fn abandon(&mut self) {
        let Some(writer) = self.writer.take() else {
            return;
        };
        self.end_after_checkpoint(&mut writer.into_inner().discard_buffer());
    }

    /// Ends `file`, which is the current file of the bag, after its last complete message. A further
    /// file of the bag without messages is removed.
    fn end_after_checkpoint(&mut self, file: &mut File) {
        let length = file.metadata().map_or(0, |m| m.len());
        let complete = std::mem::take(&mut self.complete);
        for checkpoint in complete.iter().rev() {
            if checkpoint.bytes == 0 || checkpoint.bytes > length {
                continue;
            }
            let end = length.saturating_sub(END_RESERVE);
            let checkpoint = self.extend_checkpoint(file, checkpoint, end);
            for (k, topic) in self.metadata.topics.iter_mut().enumerate() {
                topic.message_count = checkpoint.counts.get(k).copied().unwrap_or(0);
            }
            self.metadata.bounds_ns = checkpoint.bounds_ns;
            if checkpoint.bounds_ns.is_none() && !self.closed.files.is_empty() {
                break;
            }
            let yaml = self.metadata.to_yaml();
            if chunk_file::end_after(file, checkpoint.bytes, &yaml).is_err() {
                return;
            }
            if self.save_metadata().is_ok() {
                return;
            }
            // no space for metadata.yaml: the file is cut at an earlier chunk
        }
        if self.metadata.bounds_ns.is_none() && !self.closed.files.is_empty() {
            let file = std::mem::take(&mut self.metadata.files);
            match self.save_metadata() {
                Ok(()) => drop(fs::remove_file(&self.path)),
                // the existing text lists the file
                Err(_) => self.metadata.files = file,
            }
        }
    }

    /// Returns the checkpoint after the messages that are complete in the chunk at `checkpoint`,
    /// before the position `end` [bytes].
    fn extend_checkpoint(&self, file: &mut File, checkpoint: &Checkpoint, end: u64) -> Checkpoint {
        let mut extended = checkpoint.clone();
        let shortened = chunk_file::shorten_chunk(file, checkpoint.bytes, end);
        let Ok(Some(chunk)) = shortened else {
            return extended;
        };
        extended.bytes = chunk.end;
        extended.counts.resize(self.channels.len(), 0);
        for (channel, time) in chunk.messages {
            let mut channels = self.channels.iter();
            let topic = channels.position(|known| known.mcap_id == Some(channel));
            if let Some(topic) = topic {
                extended.counts[topic] += 1;
            }
            let (first, last) = extended.bounds_ns.unwrap_or((time, time));
            extended.bounds_ns = Some((first.min(time), last.max(time)));
        }
        extended
    }
}

impl Drop for Bag {
    fn drop(&mut self) {
        if self.writer.is_some() {
            // an error in `drop` has no receiver
            let _ = self.close();
        }
    }
}

impl fmt::Debug for Bag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bag")
            .field("path", &self.path)
            .field("metadata", &self.metadata)
            .finish_non_exhaustive()
    }
}

/// Returns the error for a failed write to the recording at `path`. The reason of the operating
/// system replaces the text of [`McapError`], which hides it.
fn write_error(path: &Path, error: McapError) -> BagError {
    match error {
        McapError::Io(error) => BagError::Io(path.to_owned(), error),
        error => BagError::Mcap(path.to_owned(), error),
    }
}

/// Length of a message in a file beside its bytes: record head, message header, entry of the index
/// [bytes].
const MESSAGE_OVERHEAD: u64 = 9 + 22 + 16;

/// Length of an open chunk that is completed in order to know its compressed length [bytes].
const MIN_CHUNK: u64 = 64 * 1024;

/// A new file of a bag.
struct OpenFile {
    sync: SyncThread,
    writer: Writer<ChunkFile>,
    accepted: Arc<AtomicU64>,
    compressed: Option<CompressedChunks>,
}

impl OpenFile {
    /// Creates the file at `path`. If this fails, no file remains.
    fn create(path: &Path, compression: Compression) -> Result<Self, BagError> {
        let file = File::create_new(path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => BagError::Exists(path.to_owned()),
            _ => BagError::Io(path.to_owned(), error),
        })?;
        Self::start(file, path, compression).inspect_err(|_| {
            let _ = fs::remove_file(path);
        })
    }

    fn start(file: File, path: &Path, compression: Compression) -> Result<Self, BagError> {
        let sync =
            SyncThread::start(&file, path).map_err(|error| BagError::Io(path.to_owned(), error))?;
        let compressed = match compression {
            Compression::None => None,
            Compression::Lz4 => Some(CompressedChunks::default()),
        };
        // chunks are assembled in memory and written as a whole, so a process that dies with an
        // open chunk leaves no half-written header in the file; the file compresses them, because
        // the writer would need the C libraries of LZ4 and Zstandard
        let options = WriteOptions::new()
            .profile("ros2")
            .library(LIBRARY)
            .compression(None)
            .calculate_data_section_crc(compressed.is_none())
            .disable_seeking(true);
        let (file, accepted) = ChunkFile::new(file, compressed.clone());
        let writer = options
            .create(file)
            .map_err(|error| write_error(path, error))?;
        Ok(Self {
            sync,
            writer,
            accepted,
            compressed,
        })
    }
}

/// Place of a bag for the path that the user gave.
struct Place {
    /// Path of the MCAP file, its folder and its name.
    path: PathBuf,
    folder: PathBuf,
    file_name: String,
    /// Whether the bag is the folder, otherwise the file.
    is_folder: bool,
}

impl Place {
    fn of(given: &Path) -> Result<Self, BagError> {
        let name = given.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| BagError::Name(given.to_owned()))?;
        let is_folder = !is_mcap(given);
        let file_name = match is_folder {
            true => format!("{name}_0.mcap"),
            false => name.to_owned(),
        };
        let path = match is_folder {
            true => given.join(&file_name),
            false => given.to_owned(),
        };
        Ok(Self {
            // not `given`, which can end with a separator
            folder: non_empty(path.parent().unwrap_or(given)).to_owned(),
            path,
            file_name,
            is_folder,
        })
    }
}

/// Returns true for the name of an MCAP file.
fn is_mcap(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "mcap")
}

/// Returns the current folder for the empty path, which is the parent of a bare file name.
fn non_empty(folder: &Path) -> &Path {
    if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    }
}

fn require_folder(folder: &Path) -> Result<(), BagError> {
    if folder.is_dir() {
        Ok(())
    } else {
        Err(BagError::NoFolder(folder.to_owned()))
    }
}

/// Returns the name of the file with this number of the bag in a folder.
fn part_name(folder: &Path, part: usize) -> Result<String, BagError> {
    let name = folder.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| BagError::Name(folder.to_owned()))?;
    Ok(format!("{name}_{part}.mcap"))
}

/// Returns true if `file` is a file of the bag whose first file is `first`, which ends with
/// `_0.mcap`.
fn is_part(file: &str, first: &str) -> bool {
    let number = first
        .strip_suffix("0.mcap")
        .and_then(|start| file.strip_prefix(start))
        .and_then(|rest| rest.strip_suffix(".mcap"));
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|digit| digit.is_ascii_digit()))
}

fn refuse_foreign_metadata(folder: &Path, file_name: &str) -> Result<(), BagError> {
    let path = folder.join(crate::bag::metadata::FILE_NAME);
    let is_own = |text: &str| {
        let files = crate::bag::metadata::listed_files(text);
        !files.is_empty() && files.iter().all(|file| is_part(file, file_name))
    };
    // reading a pipe would wait for its writer
    if fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
        return Err(BagError::ForeignMetadata(path));
    }
    match fs::read_to_string(&path) {
        Ok(text) if is_own(&text) => Ok(()),
        Ok(_) => Err(BagError::ForeignMetadata(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(BagError::Io(path, error)),
    }
}

/// Refuses a folder with another file of a bag of this name, which a split would reach.
fn refuse_other_parts(folder: &Path, file_name: &str) -> Result<(), BagError> {
    let entries = fs::read_dir(folder).map_err(|error| BagError::Io(folder.to_owned(), error))?;
    for entry in entries.flatten() {
        if entry
            .file_name()
            .to_str()
            .is_some_and(|name| is_part(name, file_name))
        {
            return Err(BagError::Exists(entry.path()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
