//! Compression of the chunks of a recording with LZ4, in Rust.
//!
//! The MCAP writer assembles a chunk in memory and passes it on in one call; the file compresses it
//! there. The writer asks the file for its position, so the offsets in its indexes are right. The
//! lengths of the chunks in its summary are not: [`correct_indexes`] replaces them when the file is
//! complete.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};
use mcap::records::op;
use parking_lot::Mutex;

use crate::bag::chunk_file::{CHUNK, CHUNK_HEADER, COMPRESSION_AT, RECORD_HEADER, read_u64};
use crate::bag::file::Records;

/// Name of the compression in chunks and indexes.
const NAME: &[u8] = b"lz4";
/// Length of the footer and of the magic bytes at the end of a file [bytes].
const FOOTER: usize = RECORD_HEADER + 20;
/// Position of the length of a chunk in the body of its index [bytes].
const LENGTH_AT: usize = 24;

/// Lengths of the compressed chunks of a file, by their positions [bytes]: record with its head,
/// and compressed records.
#[derive(Clone, Debug, Default)]
pub(crate) struct CompressedChunks(Arc<Mutex<BTreeMap<u64, [u64; 2]>>>);

impl CompressedChunks {
    /// Returns the compressed form of a chunk at the position `at` [bytes]; `None` for other bytes,
    /// and for a chunk that does not become shorter.
    pub(crate) fn compress(&self, at: u64, bytes: &[u8]) -> Option<Vec<u8>> {
        let is_chunk = bytes.len() > CHUNK_HEADER
            && bytes[0] == CHUNK
            && read_u64(&bytes[1..]) == (bytes.len() - RECORD_HEADER) as u64;
        if !is_chunk {
            return None;
        }
        let mut chunk = Vec::with_capacity(bytes.len() / 2);
        // times, length and CRC of the uncompressed records stay
        chunk.extend_from_slice(&bytes[..COMPRESSION_AT]);
        chunk.extend((NAME.len() as u32).to_le_bytes());
        chunk.extend_from_slice(NAME);
        let length_at = chunk.len();
        chunk.extend([0; 8]);
        let start = chunk.len();
        // independent blocks as long as a chunk: the decoder needs no memory of former blocks
        let info = FrameInfo::new().block_size(BlockSize::Max1MB);
        let mut encoder = FrameEncoder::with_frame_info(info, chunk);
        encoder.write_all(&bytes[CHUNK_HEADER..]).ok()?;
        let mut chunk = encoder.finish().ok()?;
        if chunk.len() >= bytes.len() {
            return None;
        }
        let compressed = (chunk.len() - start) as u64;
        chunk[length_at..start].copy_from_slice(&compressed.to_le_bytes());
        let body = (chunk.len() - RECORD_HEADER) as u64;
        chunk[1..RECORD_HEADER].copy_from_slice(&body.to_le_bytes());
        let lengths = [chunk.len() as u64, compressed];
        self.0.lock().insert(at, lengths);
        Some(chunk)
    }

    /// Returns the body of the index of a chunk with its compression and lengths.
    fn correct_index(&self, body: &[u8]) -> Option<Vec<u8>> {
        let at = read_u64(body.get(16..LENGTH_AT)?);
        let lengths = self.0.lock().get(&at).copied();
        let Some([length, compressed]) = lengths else {
            return Some(body.to_vec());
        };
        // the name of the compression, which is empty, and two lengths are last
        let end = body.len().checked_sub(4 + 16)?;
        let mut corrected = body.get(..end)?.to_vec();
        corrected[LENGTH_AT..LENGTH_AT + 8].copy_from_slice(&length.to_le_bytes());
        corrected.extend((NAME.len() as u32).to_le_bytes());
        corrected.extend_from_slice(NAME);
        corrected.extend(compressed.to_le_bytes());
        corrected.extend_from_slice(&body[end + 12..]);
        Some(corrected)
    }
}

/// Corrects the indexes of compressed chunks in the summary of a complete file.
///
/// # Errors
/// The file cannot be read or written, or has no summary.
pub(crate) fn correct_indexes(file: &mut File, chunks: &CompressedChunks) -> io::Result<()> {
    if chunks.0.lock().is_empty() {
        return Ok(());
    }
    let invalid = || io::Error::from(io::ErrorKind::InvalidData);
    let tail = FOOTER + mcap::MAGIC.len();
    let mut footer = vec![0; tail];
    file.seek(SeekFrom::End(-(tail as i64)))?;
    file.read_exact(&mut footer)?;
    let start = read_u64(&footer[RECORD_HEADER..]);
    let length = file.metadata()?.len();
    let mut old = vec![
        0;
        (length - tail as u64)
            .checked_sub(start)
            .ok_or_else(invalid)? as usize
    ];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut old)?;
    let mut summary: Vec<u8> = Vec::with_capacity(old.len());
    // opcode, position and length of each group of records
    let mut groups: Vec<(u8, u64, u64)> = Vec::new();
    for (_, opcode, body) in Records::new(&old) {
        if opcode == op::SUMMARY_OFFSET {
            continue;
        }
        let at = start + summary.len() as u64;
        match opcode {
            op::CHUNK_INDEX => {
                let corrected = chunks.correct_index(body).ok_or_else(invalid)?;
                add_record(&mut summary, opcode, &corrected);
            }
            _ => add_record(&mut summary, opcode, body),
        }
        let end = start + summary.len() as u64;
        match groups.last_mut() {
            Some((last, first, length)) if *last == opcode => *length = end - *first,
            _ => groups.push((opcode, at, end - at)),
        }
    }
    let offsets = start + summary.len() as u64;
    for (opcode, at, length) in groups {
        let body = [&[opcode][..], &at.to_le_bytes(), &length.to_le_bytes()].concat();
        add_record(&mut summary, op::SUMMARY_OFFSET, &body);
    }
    summary.push(op::FOOTER);
    summary.extend(20_u64.to_le_bytes());
    summary.extend(start.to_le_bytes());
    summary.extend(offsets.to_le_bytes());
    let crc = crc32fast::hash(&summary);
    summary.extend(crc.to_le_bytes());
    summary.extend_from_slice(mcap::MAGIC);
    file.seek(SeekFrom::Start(start))?;
    file.write_all(&summary)?;
    file.set_len(start + summary.len() as u64)
}

/// Adds a record: opcode, length of its body, body.
fn add_record(bytes: &mut Vec<u8>, opcode: u8, body: &[u8]) {
    bytes.push(opcode);
    bytes.extend((body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(body);
}
