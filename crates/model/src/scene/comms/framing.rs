//! Division of messages into frames, and acknowledgement of frames.

/// Maximum number of frames of one message.
pub const MAX_FRAGMENTS: usize = 64;

/// Bits and times that a modem adds to the payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Framing {
    /// Duration of the preamble that precedes every frame [ns].
    pub preamble_ns: u64,
    /// Bits of header, checksum and tail of a frame with data.
    pub overhead_bits: u32,
    /// Bits of a frame without data: acknowledgement, request of a range, poll.
    pub control_bits: u32,
    /// Maximum payload of one frame [byte].
    pub max_payload: usize,
    /// Maximum number of frames of one message, 1 to [`MAX_FRAGMENTS`].
    pub max_fragments: usize,
}

impl Framing {
    /// Returns the maximum payload of a message [byte].
    pub fn max_message(&self) -> usize {
        self.max_payload.saturating_mul(self.max_fragments)
    }
}

/// Repetition of frames whose acknowledgement does not arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// Time from the end of a transmission to the end of the wait for its acknowledgement [ns].
    pub time_out_ns: u64,
    /// Maximum number of repetitions of a frame.
    pub max_retries: u16,
    /// Upper limit of the random delay of the first repetition [ns]; it doubles with every further
    /// repetition, at most ten times.
    pub backoff_ns: u64,
}
