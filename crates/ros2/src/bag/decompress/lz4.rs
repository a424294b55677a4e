//! LZ4 frames, as written by the C library.
//!
//! Source: LZ4 Frame Format Description, version 1.6.4. The blocks are decoded by `lz4_flex`, whose
//! reader of frames cannot continue when more bytes arrive. The checksums of frames are not
//! verified, because the chunk has a checksum of its own.

use lz4_flex::block::decompress_into_with_dict;
use mcap::McapError;

use super::{Format, Step, invalid_frame, read_u32};

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

impl Format for Lz4 {
    const NAME: &'static str = "lz4";

    fn reset(&mut self) {
        *self = Self::default();
    }

    fn is_in_frame(&self) -> bool {
        self.frame.is_some()
    }

    fn start_frame(&mut self, source: &[u8]) -> Result<Step, McapError> {
        let (Some(magic), Some(&flags)) = (read_u32(source), source.get(4)) else {
            return Ok(Step::Needs(5));
        };
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
            return Ok(Step::Needs(length));
        }
        let block_size = match source[5] >> 4 & 7 {
            code @ 4..=7 => 1 << (8 + 2 * code),
            code => {
                return Err(invalid_frame(format!(
                    "block size of an LZ4 frame: expected 4 to 7, found {code}"
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
        Ok(Step::Read { length, skip: 0 })
    }

    fn read_block(&mut self, source: &[u8]) -> Result<Step, McapError> {
        let Some(frame) = self.frame else {
            return self.start_frame(source);
        };
        let Some(word) = read_u32(source) else {
            return Ok(Step::Needs(4));
        };
        let checksum = |is_present: bool| if is_present { 4 } else { 0 };
        if word == 0 {
            self.frame = None;
            return Ok(Step::Read {
                length: 4,
                skip: checksum(frame.content_checksum),
            });
        }
        let length = (word & !STORED) as usize;
        if length > frame.block_size {
            return Err(invalid_frame(format!(
                "LZ4 block: expected at most {} bytes, found {length}",
                frame.block_size
            )));
        }
        let Some(block) = source[4..].get(..length) else {
            return Ok(Step::Needs(4 + length));
        };
        self.decode(frame, block, word & STORED != 0)?;
        Ok(Step::Read {
            length: 4 + length,
            skip: checksum(frame.block_checksum),
        })
    }

    fn copy_decoded(&mut self, target: &mut [u8]) -> Result<usize, McapError> {
        let decoded = &self.output[self.returned..];
        let n = decoded.len().min(target.len());
        target[..n].copy_from_slice(&decoded[..n]);
        self.returned += n;
        Ok(n)
    }
}
