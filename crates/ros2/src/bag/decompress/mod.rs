//! Decompression of chunks that other programs have compressed, in Rust.
//!
//! `mcap` can use the C libraries of LZ4 and Zstandard. They take longer to compile than this
//! crate, and Merrow only reads compressed chunks.

mod lz4;
mod zstd;

use mcap::McapError;
use mcap::sans_io::{LinearReader, LinearReaderOptions, MessageReader};

/// Returns a reader of messages that reads chunks of every compression.
pub(super) fn message_reader(options: LinearReaderOptions) -> Result<MessageReader, McapError> {
    let mut reader = MessageReader::new_with_options(options);
    reader.add_decompressor(lz4::Lz4::default())?;
    reader.add_decompressor(zstd::Zstd::default())?;
    Ok(reader)
}

/// Returns a reader of records that reads chunks of every compression.
pub(super) fn record_reader(options: LinearReaderOptions) -> Result<LinearReader, McapError> {
    let mut reader = LinearReader::new_with_options(options);
    reader.add_decompressor(lz4::Lz4::default())?;
    reader.add_decompressor(zstd::Zstd::default())?;
    Ok(reader)
}

/// Returns the error of a frame that cannot be read.
fn invalid_frame(what: impl std::fmt::Display) -> McapError {
    McapError::DecompressionError(what.to_string())
}

/// Returns the first four bytes of `source` as a number, or `None` if there are fewer.
fn read_u32(source: &[u8]) -> Option<u32> {
    let bytes = source.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*bytes))
}

/// Returns true if a frame with this magic number is skipped. The number of its bytes follows.
///
/// Both formats share it: LZ4 Frame Format 1.6.4, "Skippable Frames"; RFC 8878, section 3.1.2.
fn is_skippable(magic: u32) -> bool {
    magic & 0xffff_fff0 == 0x184d_2a50
}
