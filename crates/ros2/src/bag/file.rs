//! Records of an MCAP file, with the content of its chunks.
//!
//! A file is read up to its end, also one that was cut.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use mcap::McapError;
use mcap::records::op;

use crate::bag::decompress::decompress;

/// Length of the magic bytes at both ends of a file.
pub(super) const MAGIC: u64 = mcap::MAGIC.len() as u64;
/// Length of the head of a record: opcode and length of the body [bytes].
pub(super) const RECORD_HEAD: usize = 9;
/// Length of the body of a chunk before its records, without the name of a compression [bytes].
pub(super) const CHUNK_HEAD: usize = 40;
/// Maximum length of a run of records that are not in a chunk [bytes].
const MAX_RUN: u64 = 1 << 20;

/// An MCAP file.
#[derive(Debug)]
pub(super) struct McapFile {
    file: File,
    /// Length of the file when it was opened [bytes].
    pub(super) length: u64,
}

/// Place of adjacent records in a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// Place of the records, or of the compressed chunk with its head [bytes].
    pub(super) offset: u64,
    /// Length of the compressed chunk with its head [bytes].
    pub(super) compressed: Option<u64>,
    /// The chunk is damaged after these records.
    pub(super) is_damaged: bool,
}

/// Reason why a file is not complete.
#[derive(Debug)]
pub(super) enum End {
    NotCompleted,
    InsideRecord,
    Damaged(McapError),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotCompleted => f.write_str("the recording was not completed"),
            Self::InsideRecord => f.write_str("the file ends inside a record"),
            Self::Damaged(error) => write!(f, "stopped at a damaged record: {error}"),
        }
    }
}

/// Function that receives the records of a chunk, or records that are not in a chunk. The outer
/// error ends the walk, the inner error states that a record is damaged.
type Visitor<'v> = &'v mut dyn FnMut(&Run, &[u8]) -> Result<Result<(), McapError>, String>;

impl McapFile {
    /// Opens a file.
    ///
    /// # Errors
    /// The file cannot be opened or is not an MCAP file.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
        let (length, file) = opened.map_err(|e| match e.kind() {
            ErrorKind::NotFound => {
                "does not exist; expected an MCAP file or the folder of a bag".to_string()
            }
            _ => e.to_string(),
        })?;
        if length < MAGIC {
            return Err(format!("expected an MCAP file, found {length} bytes"));
        }
        let opened = Self { file, length };
        if opened.bytes(0, MAGIC as usize)? != mcap::MAGIC {
            return Err(
                "expected an MCAP file, found another format; convert it with `ros2 bag convert`"
                    .to_string(),
            );
        }
        Ok(opened)
    }

    /// Reads `length` bytes at `offset`.
    pub(super) fn bytes(&self, offset: u64, length: usize) -> Result<Vec<u8>, String> {
        // a damaged length must not reserve memory
        if offset.saturating_add(length as u64) > self.length {
            return Err(std::io::Error::from(ErrorKind::UnexpectedEof).to_string());
        }
        let mut bytes = vec![0; length];
        let mut file = &self.file;
        let read = file.seek(SeekFrom::Start(offset));
        read.and_then(|_| file.read_exact(&mut bytes))
            .map_err(|e| e.to_string())?;
        Ok(bytes)
    }

    /// Calls `visit` for all schemas, channels, messages and metadata before the summary, in the
    /// order of the file. Returns the reason if the file is not complete.
    ///
    /// # Errors
    /// The file cannot be read, a compression is unknown, or the error of `visit`.
    pub(super) fn walk(&self, visit: Visitor<'_>) -> Result<Option<End>, String> {
        let mut at = MAGIC;
        // records that are not in a chunk: first byte and end
        let mut loose = (at, at);
        loop {
            let head_length = (self.length - at).min(RECORD_HEAD as u64);
            let head = record_head(&self.bytes(at, head_length as usize)?);
            let (opcode, size) = head.unwrap_or_default();
            let end = (at + RECORD_HEAD as u64).saturating_add(size);
            let is_used = matches!(
                opcode,
                op::MESSAGE | op::SCHEMA | op::CHANNEL | op::METADATA
            );
            let is_loose = is_used && end <= self.length;
            if loose.1 > loose.0 && (!is_loose || end - loose.0 > MAX_RUN) {
                let run = Run {
                    offset: loose.0,
                    compressed: None,
                    is_damaged: false,
                };
                let records = self.bytes(loose.0, (loose.1 - loose.0) as usize)?;
                if let Err(error) = visit(&run, &records)? {
                    return Ok(Some(End::Damaged(error)));
                }
                loose = (at, at);
            }
            if is_loose {
                loose.1 = end;
                at = end;
                continue;
            }
            if matches!(opcode, op::DATA_END | op::FOOTER) {
                return Ok(None);
            }
            if opcode == op::CHUNK {
                let chunk = self.bytes(at, (end.min(self.length) - at) as usize)?;
                if let Err(error) = visit_chunk(at, &chunk, visit)? {
                    return Ok(Some(End::Damaged(error)));
                }
            }
            if at == self.length {
                return Ok(Some(End::NotCompleted));
            }
            if head.is_none() || end > self.length {
                return Ok(Some(End::InsideRecord));
            }
            at = end;
            loose = (at, at);
        }
    }
}

/// Calls `visit` for the records of a chunk at `offset`.
fn visit_chunk(
    offset: u64,
    chunk: &[u8],
    visit: Visitor<'_>,
) -> Result<Result<(), McapError>, String> {
    let (records, error) = unpack(chunk)?;
    let (offset, compressed) = match &records {
        Cow::Borrowed(_) => (offset + (RECORD_HEAD + CHUNK_HEAD) as u64, None),
        Cow::Owned(_) => (offset, Some(chunk.len() as u64)),
    };
    let run = Run {
        offset,
        compressed,
        is_damaged: error.is_some(),
    };
    let visited = visit(&run, &records)?;
    Ok(visited.and(error.map_or(Ok(()), Err)))
}

/// Returns the records in a chunk, which is given as a record with its head, and the reason if it
/// is damaged after them. A chunk that was cut gives the records before the cut.
///
/// # Errors
/// The compression is unknown.
pub(super) fn unpack(chunk: &[u8]) -> Result<(Cow<'_, [u8]>, Option<McapError>), String> {
    let number = |at: usize| {
        let bytes = chunk.get(at..)?.first_chunk();
        bytes.map(|bytes| u32::from_le_bytes(*bytes))
    };
    let crc = number(RECORD_HEAD + 24).unwrap_or(0);
    let name_length = number(RECORD_HEAD + 28).unwrap_or(0) as usize;
    let name = chunk.get(RECORD_HEAD + 32..).unwrap_or_default();
    let name = name.get(..name_length).unwrap_or_default();
    let start = (RECORD_HEAD + CHUNK_HEAD).saturating_add(name_length);
    let source = chunk.get(start..).unwrap_or_default();
    let (records, mut error) = match name {
        b"" => (Cow::Borrowed(source), None),
        name => {
            let (records, error) = decompress(name, source)?;
            (Cow::Owned(records), error)
        }
    };
    let end = record_head(chunk).map_or(u64::MAX, |(_, length)| length);
    let is_cut = end > (chunk.len() as u64).saturating_sub(RECORD_HEAD as u64);
    if is_cut {
        error = None;
    } else if error.is_none() && crc != 0 {
        let calculated = crc32fast::hash(&records);
        let saved = crc;
        error = (calculated != saved).then_some(McapError::BadChunkCrc { saved, calculated });
    }
    Ok((records, error))
}

/// Iterator over the complete records in a run of bytes: offset, opcode and body.
pub(super) struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Records<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = (usize, u8, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.at..)?;
        let (opcode, length) = record_head(rest)?;
        let length = usize::try_from(length).ok()?;
        let body = rest.get(RECORD_HEAD..RECORD_HEAD.checked_add(length)?)?;
        let at = self.at;
        self.at += RECORD_HEAD + length;
        Some((at, opcode, body))
    }
}

/// Returns the opcode of a record and the length of its body [bytes].
fn record_head(bytes: &[u8]) -> Option<(u8, u64)> {
    let length = bytes.get(1..RECORD_HEAD)?;
    Some((bytes[0], u64::from_le_bytes(length.try_into().ok()?)))
}
