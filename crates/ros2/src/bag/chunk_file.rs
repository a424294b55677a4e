//! File of a recording: counts the bytes that it accepts, and can be ended after a failed write.

use crate::bag::compress::CompressedChunks;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Opcodes of the records "message", "chunk" and "metadata".
const MESSAGE: u8 = 0x05;
pub(super) const CHUNK: u8 = 0x06;
const METADATA: u8 = 0x0c;
/// Length of the opcode and the length of a record [bytes].
pub(super) const RECORD_HEADER: usize = 9;
/// Length of a chunk without compression up to its records [bytes].
pub(super) const CHUNK_HEADER: usize = RECORD_HEADER + 40;
/// Position of the length of the name of the compression in a chunk [bytes].
pub(super) const COMPRESSION_AT: usize = RECORD_HEADER + 28;
/// Record that ends the data section: opcode, length, and the CRC 0, which means that there is
/// none.
const DATA_END: [u8; 13] = [0x0f, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// Footer of a file without a summary: opcode, length, two offsets and a CRC, all 0.
const FOOTER: [u8; 29] = {
    let mut record = [0; 29];
    record[0] = 0x02;
    record[1] = 20;
    record
};

/// A buffered file that counts the bytes passed to it.
pub(crate) struct ChunkFile {
    file: BufWriter<File>,
    accepted: Arc<AtomicU64>,
    /// `None` without compression.
    compressed: Option<CompressedChunks>,
}

impl ChunkFile {
    /// Returns the file and the counter of accepted bytes, which include the bytes in the buffer.
    /// Chunks are compressed, and noted in `compressed`, unless it is `None`.
    pub(crate) fn new(file: File, compressed: Option<CompressedChunks>) -> (Self, Arc<AtomicU64>) {
        let accepted = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&accepted);
        let this = Self {
            file: BufWriter::new(file),
            accepted,
            compressed,
        };
        (this, counted)
    }

    /// Writes the buffer and returns the file.
    ///
    /// # Errors
    /// The buffer cannot be written; the file is returned without it.
    pub(crate) fn into_file(self) -> Result<File, (File, io::Error)> {
        self.file.into_inner().map_err(|error| {
            let (error, buffered) = error.into_parts();
            (buffered.into_parts().0, error)
        })
    }

    /// Returns the file without writing the buffer.
    pub(crate) fn discard_buffer(self) -> File {
        self.file.into_parts().0
    }
}

impl Write for ChunkFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(chunks) = &self.compressed {
            let at = self.accepted.load(Ordering::Relaxed);
            if let Some(chunk) = chunks.compress(at, bytes) {
                self.file.write_all(&chunk)?;
                self.accepted
                    .fetch_add(chunk.len() as u64, Ordering::Relaxed);
                return Ok(bytes.len());
            }
        }
        let n = self.file.write(bytes)?;
        self.accepted.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for ChunkFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Messages of a chunk whose end is missing.
pub(crate) struct ShortenedChunk {
    /// Position of the end of the chunk [bytes].
    pub(crate) end: u64,
    /// Channel and log time [ns] of each message.
    pub(crate) messages: Vec<(u16, u64)>,
}

/// Rewrites the header of the chunk without compression at `start` [bytes], so that the chunk
/// contains only the records that are complete before `end` [bytes]. Returns `None` if no message
/// is complete, or the chunk is compressed.
///
/// # Errors
/// The file cannot be read or written.
pub(crate) fn shorten_chunk(
    file: &mut File,
    start: u64,
    end: u64,
) -> io::Result<Option<ShortenedChunk>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    Read::by_ref(file)
        .take(end.saturating_sub(start))
        .read_to_end(&mut bytes)?;
    let is_plain = |head: &[u8]| head[0] == CHUNK && head[COMPRESSION_AT..][..4] == [0; 4];
    if bytes.len() < CHUNK_HEADER || !is_plain(&bytes) {
        return Ok(None);
    }
    // indexes of messages follow a complete chunk
    let declared = RECORD_HEADER as u64 + read_u64(&bytes[1..]);
    bytes.truncate(usize::try_from(declared).unwrap_or(usize::MAX));
    let mut messages = Vec::new();
    let mut position = CHUNK_HEADER;
    while let Some(record) = bytes.get(position..).filter(|r| r.len() >= RECORD_HEADER) {
        let length = usize::try_from(read_u64(&record[1..])).unwrap_or(usize::MAX);
        let Some(content) = record[RECORD_HEADER..].get(..length) else {
            break;
        };
        if record[0] == MESSAGE && length >= 14 {
            let channel = u16::from_le_bytes([content[0], content[1]]);
            messages.push((channel, read_u64(&content[6..])));
        }
        position += RECORD_HEADER + length;
    }
    let times = || messages.iter().map(|(_, time)| *time);
    let (Some(first), Some(last)) = (times().min(), times().max()) else {
        return Ok(None);
    };
    let length = (position - CHUNK_HEADER) as u64;
    let mut header = vec![CHUNK];
    for field in [40 + length, first, last, length] {
        header.extend(field.to_le_bytes());
    }
    // no CRC, no name of a compression
    header.extend([0; 8]);
    header.extend(length.to_le_bytes());
    file.seek(SeekFrom::Start(start))?;
    file.write_all(&header)?;
    Ok(Some(ShortenedChunk {
        end: start + position as u64,
        messages,
    }))
}

/// Returns the number in the first eight bytes.
pub(super) fn read_u64(bytes: &[u8]) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[..8]);
    u64::from_le_bytes(number)
}

/// Cuts an MCAP file after `bytes` bytes, which must be the end of a record, and ends it with a
/// metadata record `rosbag2` and without a summary. If the end cannot be written, the cut file
/// remains, which streaming readers can read.
///
/// # Errors
/// The file cannot be cut.
pub(crate) fn end_after(file: &mut File, bytes: u64, metadata_yaml: &str) -> io::Result<()> {
    file.set_len(bytes)?;
    file.seek(SeekFrom::Start(bytes))?;
    let metadata = metadata_record("rosbag2", "serialized_metadata", metadata_yaml);
    let end = [&metadata[..], &DATA_END, &FOOTER, mcap::MAGIC].concat();
    if file.write_all(&end).is_err() {
        file.set_len(bytes)?;
    }
    Ok(())
}

/// Returns a metadata record with one key and its value.
fn metadata_record(name: &str, key: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat();
    let entry = [text(key), text(value)].concat();
    let content = [
        text(name),
        (entry.len() as u32).to_le_bytes().to_vec(),
        entry,
    ];
    let content = content.concat();
    let length = (content.len() as u64).to_le_bytes();
    [&[METADATA], &length[..], &content].concat()
}
