//! Decompression of chunks that other programs have compressed, in Rust.
//!
//! `mcap` can use the C libraries of LZ4 and Zstandard. They take longer to compile than this
//! crate, and Merrow only reads compressed chunks.

use std::io::{Error, Read};

use lz4_flex::frame::FrameDecoder;
use mcap::McapError;
use ruzstd::decoding::StreamingDecoder;

/// Maximum length of the records of a compressed chunk [bytes]. A damaged or hostile length must
/// not reserve more memory.
const MAX_UNPACKED: usize = 1 << 30;

/// Decompresses the frames of a chunk. Returns the bytes before the first damaged or incomplete
/// block, and the reason if there is one.
///
/// # Errors
/// The compression is unknown.
pub(super) fn decompress(
    name: &[u8],
    mut source: &[u8],
) -> Result<(Vec<u8>, Option<McapError>), String> {
    let is_lz4 = check_compression(&String::from_utf8_lossy(name))? == "lz4";
    let mut records = Vec::new();
    while !source.is_empty() {
        if let Some(rest) = skip_frame(source) {
            source = rest;
            continue;
        }
        let room = (MAX_UNPACKED + 1 - records.len()) as u64;
        let read = if is_lz4 {
            let frame = FrameDecoder::new(&mut source);
            frame.take(room).read_to_end(&mut records)
        } else {
            StreamingDecoder::new(&mut source)
                .map_err(Error::other)
                .and_then(|frame| frame.take(room).read_to_end(&mut records))
        };
        if let Err(error) = read {
            let error = McapError::DecompressionError(error.to_string());
            return Ok((records, Some(error)));
        }
        if records.len() > MAX_UNPACKED {
            let error = McapError::ChunkTooLarge(records.len() as u64);
            return Ok((Vec::new(), Some(error)));
        }
    }
    Ok((records, None))
}

/// Returns the name of a compression if it is known.
///
/// # Errors
/// The compression is unknown.
pub(super) fn check_compression(name: &str) -> Result<&str, String> {
    if ["", "lz4", "zstd"].contains(&name) {
        return Ok(name);
    }
    Err(format!(
        "chunks are compressed with {name}; expected lz4, zstd or none; convert the file with \
         `mcap compress --compression zstd`"
    ))
}

/// Returns the bytes after a skippable frame, which both formats share: a magic number, and the
/// number of bytes that follow. Returns `None` for other frames.
///
/// Source: LZ4 Frame Format 1.6.4, "Skippable Frames"; RFC 8878, section 3.1.2.
fn skip_frame(source: &[u8]) -> Option<&[u8]> {
    let number = |at: usize| source.get(at..)?.first_chunk().copied();
    if u32::from_le_bytes(number(0)?) & 0xffff_fff0 != 0x184d_2a50 {
        return None;
    }
    let length = u32::from_le_bytes(number(4)?) as usize;
    Some(source.get(8..)?.get(length..).unwrap_or_default())
}
