//! Decompression of chunks.

use mcap::McapError;
use mcap::sans_io::{LinearReadEvent, LinearReaderOptions};

use crate::bag::decompress::record_reader;

/// Maximum length of the records of a compressed chunk [bytes]. A damaged or hostile length must
/// not reserve more memory.
const MAX_UNPACKED: usize = 1 << 30;

/// Returns the records in a chunk, which is given as a record with its head. A chunk that was cut
/// gives its complete records.
///
/// # Errors
/// The compression is unknown, or the chunk is damaged or too large.
pub(super) fn unpack(chunk: &[u8]) -> Result<Vec<u8>, McapError> {
    let options = LinearReaderOptions::default()
        .with_skip_start_magic(true)
        .with_skip_end_magic(true)
        .with_validate_chunk_crcs(true)
        .with_record_length_limit(MAX_UNPACKED);
    let mut reader = record_reader(options)?;
    let (mut rest, mut records) = (chunk, Vec::new());
    while let Some(event) = reader.next_event() {
        match event? {
            LinearReadEvent::ReadRequest(_) if rest.is_empty() => break,
            LinearReadEvent::ReadRequest(n) => {
                let (next, later) = rest.split_at(n.clamp(1, rest.len()));
                reader.insert(next.len()).copy_from_slice(next);
                reader.notify_read(next.len());
                rest = later;
            }
            LinearReadEvent::Record { data, opcode } => {
                if records.len() + data.len() > MAX_UNPACKED {
                    return Err(McapError::ChunkTooLarge(records.len() as u64));
                }
                records.push(opcode);
                records.extend((data.len() as u64).to_le_bytes());
                records.extend_from_slice(data);
            }
        }
    }
    Ok(records)
}

/// Returns the reason why a chunk cannot be unpacked.
pub(super) fn explain(error: &McapError) -> String {
    match error {
        McapError::UnsupportedCompression(name) => format!(
            "chunks are compressed with {name}; expected lz4, zstd or none; convert the file with \
             `mcap compress --compression zstd`"
        ),
        error => format!("a compressed chunk cannot be read: {error}"),
    }
}
