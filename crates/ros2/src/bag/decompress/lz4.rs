//! LZ4 frames, as written by the C library.
//!
//! Source: LZ4 Frame Format Description, version 1.6.4. The blocks are decoded by `lz4_flex`, whose
//! reader of frames cannot continue when more bytes arrive. The checksums of frames are not
//! verified, because the chunk has a checksum of its own.

use lz4_flex::block::decompress_into_with_dict;
use mcap::McapError;
use mcap::sans_io::decompressor::{DecompressResult, Decompressor};

use super::{invalid_frame, is_skippable, read_u32};

const MAGIC: u32 = 0x184d_2204;
/// Bit of the length of a block that is stored without compression.
const STORED: u32 = 1 << 31;
/// Number of bytes before a block that it can refer to.
const WINDOW: usize = 64 << 10;

/// Decompressor of LZ4 frames.
#[derive(Default)]
pub(super) struct Lz4 {
    /// Frame that is being read; `None` between frames.
    frame: Option<Frame>,
    /// Up to [`WINDOW`] bytes of earlier blocks, followed by the last block.
    output: Vec<u8>,
    /// Number of bytes of `output` that have been returned.
    returned: usize,
    /// Number of bytes of a skippable frame or of checksums that are still to be skipped.
    skip: usize,
    /// Number of bytes that the next step needs.
    need: usize,
}

/// Properties of a frame.
#[derive(Clone, Copy)]
struct Frame {
    /// The blocks do not refer to each other.
    independent: bool,
    block_checksum: bool,
    content_checksum: bool,
    /// Maximum size of a decoded block [bytes].
    block_size: usize,
}

impl Lz4 {
    /// Reads the head of a frame. Returns the number of its bytes, 0 if there are too few.
    fn start_frame(&mut self, source: &[u8]) -> Result<usize, McapError> {
        let (Some(magic), Some(&flags)) = (read_u32(source), source.get(4)) else {
            self.need = 5;
            return Ok(0);
        };
        if is_skippable(magic) {
            let Some(length) = read_u32(&source[4..]) else {
                self.need = 8;
                return Ok(0);
            };
            self.skip = length as usize;
            return Ok(8);
        }
        if magic != MAGIC {
            return Err(invalid_frame("expected an LZ4 frame, found other bytes"));
        }
        let has = |bit: u8| flags >> bit & 1 == 1;
        if flags >> 6 != 1 || has(0) {
            return Err(invalid_frame(
                "LZ4 frame of another version or with a dictionary",
            ));
        }
        // magic, flags, block size, optional size of the content, checksum of the head
        let length = 7 + if has(3) { 8 } else { 0 };
        if source.len() < length {
            self.need = length;
            return Ok(0);
        }
        let block_size = match source[5] >> 4 & 7 {
            code @ 4..=7 => 1 << (8 + 2 * code),
            code => {
                return Err(invalid_frame(format!(
                    "LZ4 frame with the block size {code}; expected 4 to 7"
                )));
            }
        };
        self.output.clear();
        self.returned = 0;
        self.frame = Some(Frame {
            independent: has(5),
            block_checksum: has(4),
            content_checksum: has(2),
            block_size,
        });
        Ok(length)
    }

    /// Reads a block, or the end of the frame. Returns the number of its bytes, 0 if there are too
    /// few.
    fn read_block(&mut self, frame: Frame, source: &[u8]) -> Result<usize, McapError> {
        let Some(word) = read_u32(source) else {
            self.need = 4;
            return Ok(0);
        };
        if word == 0 {
            self.frame = None;
            self.skip = if frame.content_checksum { 4 } else { 0 };
            return Ok(4);
        }
        let length = (word & !STORED) as usize;
        if length > frame.block_size {
            return Err(invalid_frame(format!(
                "LZ4 block of {length} bytes; expected at most {}",
                frame.block_size
            )));
        }
        let Some(block) = source[4..].get(..length) else {
            self.need = 4 + length;
            return Ok(0);
        };
        self.decode(frame, block, word & STORED != 0)?;
        self.skip = if frame.block_checksum { 4 } else { 0 };
        Ok(4 + length)
    }

    /// Replaces the last block in `output` by the decoded `block`.
    fn decode(&mut self, frame: Frame, block: &[u8], stored: bool) -> Result<(), McapError> {
        let kept = if frame.independent { 0 } else { WINDOW };
        let excess = self.output.len().saturating_sub(kept);
        self.output.drain(..excess);
        let start = self.output.len();
        if stored {
            self.output.extend_from_slice(block);
        } else {
            self.output.resize(start + frame.block_size, 0);
            let (window, decoded) = self.output.split_at_mut(start);
            let length =
                decompress_into_with_dict(block, decoded, window).map_err(invalid_frame)?;
            self.output.truncate(start + length);
        }
        self.returned = start;
        Ok(())
    }
}

impl Decompressor for Lz4 {
    fn next_read_size(&self) -> usize {
        self.need
    }

    fn decompress(
        &mut self,
        source: &[u8],
        target: &mut [u8],
    ) -> Result<DecompressResult, McapError> {
        let rest = &self.output[self.returned..];
        if !rest.is_empty() {
            let wrote = rest.len().min(target.len());
            target[..wrote].copy_from_slice(&rest[..wrote]);
            self.returned += wrote;
            return Ok(DecompressResult { consumed: 0, wrote });
        }
        self.need = 0;
        let consumed = match (self.skip, self.frame) {
            (0, None) => self.start_frame(source)?,
            (0, Some(frame)) => self.read_block(frame, source)?,
            (skip, _) => {
                let skipped = skip.min(source.len());
                self.skip -= skipped;
                skipped
            }
        };
        Ok(DecompressResult { consumed, wrote: 0 })
    }

    fn reset(&mut self) -> Result<(), McapError> {
        *self = Self::default();
        Ok(())
    }

    fn name(&self) -> &'static str {
        "lz4"
    }
}
