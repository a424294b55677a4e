//! Zstandard frames.
//!
//! Source: RFC 8878, sections 3.1.1 and 3.1.2. `ruzstd` decodes the blocks. They are passed to it
//! one at a time, because a few hundred bytes can describe gigabytes of repeated bytes.

use mcap::McapError;
use mcap::sans_io::decompressor::{DecompressResult, Decompressor};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{invalid_frame, is_skippable, read_u32};

/// Maximum number of bytes of the head of a frame.
const FRAME_HEAD: usize = 18;
/// Number of bytes of the head of a block.
const BLOCK_HEAD: usize = 3;
/// Number of bytes of the checksum after the last block.
const CHECKSUM: usize = 4;

/// Decompressor of Zstandard frames.
#[derive(Default)]
pub(super) struct Zstd {
    decoder: FrameDecoder,
    /// A frame is being read.
    in_frame: bool,
    /// The frame ends with a checksum.
    has_checksum: bool,
    /// Number of bytes of a skippable frame that are still to be skipped.
    skip: usize,
    /// Number of bytes that the next step needs.
    need: usize,
}

impl Zstd {
    /// Reads the head of a frame. Returns the number of its bytes, 0 if there are too few.
    fn start_frame(&mut self, source: &[u8]) -> Result<usize, McapError> {
        let (Some(magic), Some(flags)) = (read_u32(source), source.get(4)) else {
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
        let mut rest = source;
        match self.decoder.reset(&mut rest) {
            Ok(()) => {
                self.in_frame = true;
                self.has_checksum = flags & 4 != 0;
                Ok(source.len() - rest.len())
            }
            Err(_) if source.len() < FRAME_HEAD => {
                self.need = FRAME_HEAD;
                Ok(0)
            }
            Err(error) => Err(invalid_frame(error)),
        }
    }

    /// Decodes a block. Returns the number of its bytes, 0 if there are too few.
    fn read_block(&mut self, source: &[u8]) -> Result<usize, McapError> {
        let Some(&[a, b, c]) = source.first_chunk::<BLOCK_HEAD>() else {
            self.need = BLOCK_HEAD;
            return Ok(0);
        };
        let head = u32::from_le_bytes([a, b, c, 0]);
        let (is_last, is_repeated) = (head & 1 == 1, head >> 1 & 3 == 1);
        let content = if is_repeated { 1 } else { head as usize >> 3 };
        let checksum = if is_last && self.has_checksum {
            CHECKSUM
        } else {
            0
        };
        let length = BLOCK_HEAD + content + checksum;
        let Some(mut block) = source.get(..length) else {
            self.need = length;
            return Ok(0);
        };
        self.decoder
            .decode_blocks(&mut block, BlockDecodingStrategy::UptoBlocks(1))
            .map_err(invalid_frame)?;
        Ok(length - block.len())
    }
}

impl Decompressor for Zstd {
    fn next_read_size(&self) -> usize {
        self.need
    }

    fn decompress(
        &mut self,
        source: &[u8],
        target: &mut [u8],
    ) -> Result<DecompressResult, McapError> {
        if self.in_frame && self.decoder.can_collect() > 0 {
            let wrote = std::io::Read::read(&mut self.decoder, target)?;
            return Ok(DecompressResult { consumed: 0, wrote });
        }
        self.need = 0;
        let consumed = if self.skip > 0 {
            let skipped = self.skip.min(source.len());
            self.skip -= skipped;
            skipped
        } else if self.in_frame && !self.decoder.is_finished() {
            self.read_block(source)?
        } else {
            self.start_frame(source)?
        };
        Ok(DecompressResult { consumed, wrote: 0 })
    }

    fn reset(&mut self) -> Result<(), McapError> {
        // the buffers of the decoder are kept
        (self.in_frame, self.skip, self.need) = (false, 0, 0);
        Ok(())
    }

    fn name(&self) -> &'static str {
        "zstd"
    }
}
