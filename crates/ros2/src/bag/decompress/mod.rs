//! Decompression of chunks that other programs have compressed, in Rust.
//!
//! `mcap` can use the C libraries of LZ4 and Zstandard. They take longer to compile than this
//! crate, and Merrow only reads compressed chunks.

mod lz4;
mod zstd;

use mcap::McapError;
use mcap::sans_io::decompressor::{DecompressResult, Decompressor};
use mcap::sans_io::{LinearReader, LinearReaderOptions, MessageReader};

/// Returns a reader of messages that reads chunks of every compression.
pub(super) fn message_reader(options: LinearReaderOptions) -> Result<MessageReader, McapError> {
    let mut reader = MessageReader::new_with_options(options);
    reader.add_decompressor(Frames::<lz4::Lz4>::default())?;
    reader.add_decompressor(Frames::<zstd::Zstd>::default())?;
    Ok(reader)
}

/// Returns a reader of records that reads chunks of every compression.
pub(super) fn record_reader(options: LinearReaderOptions) -> Result<LinearReader, McapError> {
    let mut reader = LinearReader::new_with_options(options);
    reader.add_decompressor(Frames::<lz4::Lz4>::default())?;
    reader.add_decompressor(Frames::<zstd::Zstd>::default())?;
    Ok(reader)
}

/// Result of reading the head of a frame, or a block.
enum Step {
    /// This number of bytes is needed, counted from the start of the head or block.
    Needs(usize),
    /// `length` bytes were read. The following `skip` bytes have no content.
    Read { length: usize, skip: usize },
}

/// Frame format: a frame has a head and blocks. Blocks are decoded one at a time.
trait Format: Default + Send {
    /// Name of the compression in the head of a chunk.
    const NAME: &'static str;

    /// Ends the frame, so that the next bytes start another frame.
    fn reset(&mut self);

    /// Returns true between the head and the end of a frame.
    fn is_in_frame(&self) -> bool;

    /// Reads the head of a frame.
    fn start_frame(&mut self, source: &[u8]) -> Result<Step, McapError>;

    /// Decodes a block, or reads the end of the frame.
    fn read_block(&mut self, source: &[u8]) -> Result<Step, McapError>;

    /// Copies decoded bytes that were not copied before. Returns their number.
    fn copy_decoded(&mut self, target: &mut [u8]) -> Result<usize, McapError>;
}

/// Decompressor of frames of one format. It accepts the bytes of a frame in any parts.
#[derive(Default)]
struct Frames<F> {
    format: F,
    /// Number of bytes that are still to be skipped.
    skip: usize,
    /// Number of bytes that the next step needs.
    need: usize,
}

impl<F: Format> Decompressor for Frames<F> {
    fn next_read_size(&self) -> usize {
        self.need
    }

    fn decompress(
        &mut self,
        source: &[u8],
        target: &mut [u8],
    ) -> Result<DecompressResult, McapError> {
        let wrote = self.format.copy_decoded(target)?;
        if wrote > 0 {
            return Ok(DecompressResult { consumed: 0, wrote });
        }
        let step = if self.skip > 0 {
            let length = self.skip.min(source.len());
            let skip = self.skip - length;
            Step::Read { length, skip }
        } else if self.format.is_in_frame() {
            self.format.read_block(source)?
        } else if let Some(step) = skip_frame(source) {
            step
        } else {
            self.format.start_frame(source)?
        };
        let consumed = match step {
            Step::Needs(need) => {
                self.need = need;
                0
            }
            Step::Read { length, skip } => {
                (self.need, self.skip) = (0, skip);
                length
            }
        };
        Ok(DecompressResult { consumed, wrote })
    }

    fn reset(&mut self) -> Result<(), McapError> {
        self.format.reset();
        (self.skip, self.need) = (0, 0);
        Ok(())
    }

    fn name(&self) -> &'static str {
        F::NAME
    }
}

/// Reads the head of a skippable frame, which both formats share: a magic number, and the number of
/// bytes that follow. Returns `None` for other frames.
///
/// Source: LZ4 Frame Format 1.6.4, "Skippable Frames"; RFC 8878, section 3.1.2.
fn skip_frame(source: &[u8]) -> Option<Step> {
    let Some(magic) = read_u32(source) else {
        return Some(Step::Needs(4));
    };
    if magic & 0xffff_fff0 != 0x184d_2a50 {
        return None;
    }
    Some(match read_u32(&source[4..]) {
        Some(skip) => Step::Read {
            length: 8,
            skip: skip as usize,
        },
        None => Step::Needs(8),
    })
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
