//! Zstandard frames.
//!
//! Source: RFC 8878, sections 3.1.1 and 3.1.2. `ruzstd` decodes the blocks. They are passed to it
//! one at a time, because a few hundred bytes can describe gigabytes of repeated bytes.

use mcap::McapError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{Format, Step, invalid_frame};

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
    /// The decoder contains a frame of this chunk.
    has_frame: bool,
    /// The frame ends with a checksum.
    has_checksum: bool,
}

impl Format for Zstd {
    const NAME: &'static str = "zstd";

    fn reset(&mut self) {
        // the buffers of the decoder are kept
        self.has_frame = false;
    }

    fn is_in_frame(&self) -> bool {
        self.has_frame && !self.decoder.is_finished()
    }

    fn start_frame(&mut self, source: &[u8]) -> Result<Step, McapError> {
        let mut rest = source;
        match self.decoder.reset(&mut rest) {
            Ok(()) => {
                self.has_frame = true;
                self.has_checksum = source[4] & 4 != 0;
                Ok(Step::Read {
                    length: source.len() - rest.len(),
                    skip: 0,
                })
            }
            Err(_) if source.len() < FRAME_HEAD => Ok(Step::Needs(FRAME_HEAD)),
            Err(error) => Err(invalid_frame(error)),
        }
    }

    fn read_block(&mut self, source: &[u8]) -> Result<Step, McapError> {
        let Some(&[a, b, c]) = source.first_chunk::<BLOCK_HEAD>() else {
            return Ok(Step::Needs(BLOCK_HEAD));
        };
        let head = u32::from_le_bytes([a, b, c, 0]);
        let (is_last, is_repeated) = (head & 1 == 1, head >> 1 & 3 == 1);
        let content = if is_repeated { 1 } else { head as usize >> 3 };
        let has_checksum = is_last && self.has_checksum;
        let length = BLOCK_HEAD + content + if has_checksum { CHECKSUM } else { 0 };
        let Some(mut block) = source.get(..length) else {
            return Ok(Step::Needs(length));
        };
        self.decoder
            .decode_blocks(&mut block, BlockDecodingStrategy::UptoBlocks(1))
            .map_err(invalid_frame)?;
        Ok(Step::Read {
            length: length - block.len(),
            skip: 0,
        })
    }

    fn copy_decoded(&mut self, target: &mut [u8]) -> Result<usize, McapError> {
        if !self.has_frame {
            return Ok(0);
        }
        Ok(std::io::Read::read(&mut self.decoder, target)?)
    }
}
