//! The recorder: a rosbag2 bag in an MCAP file, with `metadata.yaml` beside it.
//!
//! What is recorded must survive: every half second of wall time the open chunk is closed and handed to the operating
//! system, so a recorder that is killed loses less than a second, and a full disk is an error for the caller, never a
//! panic. Messages come as the CDR bytes that were published; nothing here encodes, throttles or picks topics.

mod metadata;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mcap::McapError;
use mcap::records::MessageHeader;
use mcap::write::{WriteOptions, Writer};

use crate::bag::metadata::{Metadata, Topic};
use crate::message::TypeInfo;
use crate::qos::Qos;

/// Wall time between hand-overs to the operating system; half of the second that is promised, for a late caller.
const FLUSH_PERIOD: Duration = Duration::from_millis(500);

/// Why a bag cannot be written.
#[derive(Debug)]
pub enum BagError {
    /// The path is no usable name for a bag.
    Name(PathBuf),
    /// There is a file of that name; a bag never overwrites a recording.
    Exists(PathBuf),
    /// The folder has the `metadata.yaml` of another bag.
    ForeignMetadata(PathBuf),
    /// A file or folder could not be made or written.
    Io(PathBuf, io::Error),
    /// The recording could not be written.
    Mcap(PathBuf, McapError),
    /// An earlier write failed; nothing is recorded any more.
    Failed,
}

impl fmt::Display for BagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(path) => {
                write!(
                    f,
                    "{} cannot name a bag: expected FILE.mcap or a folder, in UTF-8",
                    path.display()
                )
            }
            Self::Exists(path) => write!(
                f,
                "{} exists and is not overwritten: name another file, or move it away",
                path.display()
            ),
            Self::ForeignMetadata(path) => write!(
                f,
                "{} belongs to another bag: record into a folder of its own, as run_2/run_2.mcap",
                path.display()
            ),
            Self::Io(path, error) => write!(f, "cannot write {}: {error}", path.display()),
            Self::Mcap(path, error) => write!(f, "cannot write {}: {error}", path.display()),
            Self::Failed => write!(f, "the bag failed at an earlier write and records no more"),
        }
    }
}

impl std::error::Error for BagError {}

/// A topic of a bag, as [`Bag::channel`] returned it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChannelId(usize);

/// What was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The MCAP file.
    pub path: PathBuf,
    /// Number of messages in it.
    pub messages: u64,
    /// Log time from the first to the last message \[ns\].
    pub duration_ns: u64,
}

/// A bag that is being recorded. Dropped without [`Bag::finish`], it is finished and errors are lost.
pub struct Bag {
    path: PathBuf,
    folder: PathBuf,
    /// `None` once finished or failed.
    writer: Option<Writer<BufWriter<File>>>,
    /// MCAP's number of each topic, in the order of `metadata.topics`.
    mcap_ids: Vec<u16>,
    metadata: Metadata,
    flushed_at: Instant,
    /// Whether anything came since `flushed_at`.
    is_dirty: bool,
}

impl Bag {
    /// Starts a bag. `FILE.mcap` is written exactly there, `metadata.yaml` in the same folder; any other path is a
    /// folder, whose file gets rosbag2's name `FOLDER/FOLDER_0.mcap`. Missing folders are made.
    ///
    /// # Errors
    /// The path is not usable, a recording of that name exists, the folder has the `metadata.yaml` of another bag, or
    /// the file system refuses.
    pub fn create(path: &Path) -> Result<Self, BagError> {
        let path = file_of(path)?;
        let (Some(folder), Some(file_name)) = (
            path.parent(),
            path.file_name().and_then(|name| name.to_str()),
        ) else {
            return Err(BagError::Name(path));
        };
        // the parent of a bare file name is the empty path
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        fs::create_dir_all(folder).map_err(|error| BagError::Io(folder.to_owned(), error))?;
        refuse_foreign_metadata(folder, file_name)?;
        let file = File::create_new(&path).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => BagError::Exists(path.clone()),
            _ => BagError::Io(path.clone(), error),
        })?;
        Self::start(file, path.clone(), folder.to_owned(), file_name.to_owned()).inspect_err(|_| {
            // what could not be begun must not stand in the way of the next try
            let _ = fs::remove_file(&path);
        })
    }

    fn start(
        file: File,
        path: PathBuf,
        folder: PathBuf,
        file_name: String,
    ) -> Result<Self, BagError> {
        // chunks are put together in memory and written whole: a chunk that is open when the process dies leaves no
        // half-written header in the file
        let options = WriteOptions::new()
            .profile("ros2")
            .library(concat!("merrow ", env!("CARGO_PKG_VERSION")))
            .compression(None)
            .disable_seeking(true);
        let writer = options
            .create(BufWriter::new(file))
            .map_err(|error| BagError::Mcap(path.clone(), error))?;
        let mut bag = Self {
            path,
            folder,
            writer: Some(writer),
            mcap_ids: Vec::new(),
            metadata: Metadata {
                file_name,
                topics: Vec::new(),
                bounds_ns: None,
            },
            flushed_at: Instant::now(),
            is_dirty: false,
        };
        bag.flush()?;
        Ok(bag)
    }

    /// Adds a topic; the same topic, type and QoS again give the same channel.
    ///
    /// # Errors
    /// The bag failed before, now, or has more than 65535 topics.
    pub fn channel(
        &mut self,
        topic: &str,
        info: &TypeInfo,
        qos: &Qos,
    ) -> Result<ChannelId, BagError> {
        let qos_yaml = qos.to_bag_yaml();
        let channel_metadata = BTreeMap::from([
            ("offered_qos_profiles".to_owned(), qos_yaml.clone()),
            ("topic_type_hash".to_owned(), info.hash.clone()),
        ]);
        let mcap_id = self.with_writer(|writer| {
            let schema_id = writer.add_schema(info.name, "ros2msg", info.definition.as_bytes())?;
            writer.add_channel(schema_id, topic, "cdr", &channel_metadata)
        })?;
        if let Some(known) = self.mcap_ids.iter().position(|id| *id == mcap_id) {
            return Ok(ChannelId(known));
        }
        self.mcap_ids.push(mcap_id);
        self.metadata.topics.push(Topic {
            name: topic.to_owned(),
            type_name: info.name,
            type_hash: info.hash.clone(),
            qos_yaml,
            message_count: 0,
        });
        self.is_dirty = true;
        Ok(ChannelId(self.metadata.topics.len() - 1))
    }

    /// Records one message: encapsulated CDR bytes, when it was received and when it was published \[ns\].
    ///
    /// # Errors
    /// The bag failed before or now; `channel` is of another bag.
    pub fn write(
        &mut self,
        channel: ChannelId,
        log_time_ns: u64,
        publish_time_ns: u64,
        cdr: &[u8],
    ) -> Result<(), BagError> {
        let (Some(&channel_id), Some(topic)) = (
            self.mcap_ids.get(channel.0),
            self.metadata.topics.get(channel.0),
        ) else {
            return Err(BagError::Mcap(
                self.path.clone(),
                McapError::UnknownChannel(0, u16::MAX),
            ));
        };
        let number_in_topic = topic.message_count + 1;
        let header = MessageHeader {
            channel_id,
            // readers only look for gaps, so it may wrap
            sequence: number_in_topic as u32,
            log_time: log_time_ns,
            publish_time: publish_time_ns,
        };
        self.with_writer(|writer| writer.write_to_known_channel(&header, cdr))?;
        self.metadata.topics[channel.0].message_count = number_in_topic;
        self.metadata.include(log_time_ns);
        self.is_dirty = true;
        self.flush_due()
    }

    /// Hands over to the operating system what was recorded, if that is due. [`Bag::write`] does it too; call this at
    /// least twice a second while no messages come.
    ///
    /// # Errors
    /// The bag failed before or now.
    pub fn flush_due(&mut self) -> Result<(), BagError> {
        if self.writer.is_none() {
            return Err(BagError::Failed);
        }
        if self.is_dirty && self.flushed_at.elapsed() >= FLUSH_PERIOD {
            self.flush()?;
        }
        Ok(())
    }

    /// Completes the bag and says what is in it.
    ///
    /// # Errors
    /// The bag failed before or now; what was flushed before can still be read by a streaming reader.
    pub fn finish(mut self) -> Result<Summary, BagError> {
        self.close()
    }

    fn close(&mut self) -> Result<Summary, BagError> {
        let yaml = self.metadata.to_yaml();
        self.with_writer(|writer| {
            writer.write_metadata(&mcap::records::Metadata {
                name: "rosbag2".to_owned(),
                metadata: BTreeMap::from([("serialized_metadata".to_owned(), yaml)]),
            })?;
            writer.finish()
        })?;
        // takes the file out of the MCAP writer to see the error of the last write, which a drop would hide
        let Some(writer) = self.writer.take() else {
            return Err(BagError::Failed);
        };
        writer
            .into_inner()
            .into_inner()
            .map_err(|error| BagError::Io(self.path.clone(), error.into_error()))?;
        self.save_metadata()?;
        let (start, end) = self.metadata.bounds_ns.unwrap_or((0, 0));
        Ok(Summary {
            path: self.path.clone(),
            messages: self.metadata.message_count(),
            duration_ns: end - start,
        })
    }

    fn flush(&mut self) -> Result<(), BagError> {
        self.with_writer(Writer::flush)?;
        if let Err(error) = self.save_metadata() {
            self.abandon();
            return Err(error);
        }
        self.flushed_at = Instant::now();
        self.is_dirty = false;
        Ok(())
    }

    fn save_metadata(&self) -> Result<(), BagError> {
        let path = || self.folder.join(crate::bag::metadata::FILE_NAME);
        self.metadata
            .save(&self.folder)
            .map_err(|error| BagError::Io(path(), error))
    }

    /// Runs `action` on the MCAP writer; an error puts the bag into the failed state.
    fn with_writer<T>(
        &mut self,
        action: impl FnOnce(&mut Writer<BufWriter<File>>) -> Result<T, McapError>,
    ) -> Result<T, BagError> {
        let Some(writer) = &mut self.writer else {
            return Err(BagError::Failed);
        };
        action(writer).map_err(|error| {
            self.abandon();
            BagError::Mcap(self.path.clone(), error)
        })
    }

    /// Leaves the file as it is: after a failed write, more bytes would only make it harder to recover.
    fn abandon(&mut self) {
        if let Some(writer) = self.writer.take() {
            let (_file, _unwritten) = writer.into_inner().into_parts();
        }
    }
}

impl Drop for Bag {
    fn drop(&mut self) {
        if self.writer.is_some() {
            // nobody is left to tell
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

/// The MCAP file that the user's path means.
fn file_of(path: &Path) -> Result<PathBuf, BagError> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Err(BagError::Name(path.to_owned()));
    };
    if path
        .extension()
        .is_some_and(|extension| extension == "mcap")
    {
        return Ok(path.to_owned());
    }
    Ok(path.join(format!("{name}_0.mcap")))
}

fn refuse_foreign_metadata(folder: &Path, file_name: &str) -> Result<(), BagError> {
    let path = folder.join(crate::bag::metadata::FILE_NAME);
    match fs::read_to_string(&path) {
        Ok(text) if crate::bag::metadata::describes_only(&text, file_name) => Ok(()),
        Ok(_) => Err(BagError::ForeignMetadata(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(BagError::Io(path, error)),
    }
}

#[cfg(test)]
mod tests;
