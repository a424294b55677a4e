//! Division of messages into frames, and acknowledgement of frames.

use crate::scene::nanoseconds::nanoseconds;
use merrow_yaml::spec::spec;

spec! {
    /// Division of messages into frames.
    pub struct Framing {
        /// Duration of the preamble of a frame.
        preamble_s: f64 [in 0.0..=60.0] = 0.0,
        /// Bits of header, checksum and tail of a frame with data.
        overhead_bits: u32 = 112,
        /// Bits of a frame without data: acknowledgement, request of a range, poll.
        control_bits: u32 = 112,
        /// Maximum payload of a frame.
        max_payload_bytes: usize [in 1.0..=65535.0] = 1024,
        /// Maximum number of frames of a message.
        max_fragments: usize [in 1.0..=64.0] = 64,
    }
}

impl Framing {
    /// Returns the duration of the preamble of a frame [ns].
    pub fn preamble_ns(&self) -> u64 {
        nanoseconds(self.preamble_s)
    }

    /// Returns the maximum payload of a message [byte].
    pub fn max_message(&self) -> usize {
        self.max_payload_bytes.saturating_mul(self.max_fragments)
    }
}

spec! {
    /// Repetition of frames that are not acknowledged.
    pub struct Acknowledgement {
        /// Time from the end of a transmission to the end of the wait for its acknowledgement.
        timeout_s: f64 [in 1e-6..=1e6] = 5.0,
        /// Maximum number of repetitions of a frame.
        max_retries: u16 [in 0.0..=1000.0] = 3,
        /// Maximum random delay of the first repetition. It doubles with every further repetition,
        /// at most ten times.
        backoff_s: f64 [in 0.0..=1e6] = 1.0,
    }
}

impl Acknowledgement {
    /// Returns the time from the end of a transmission to the end of the wait for its
    /// acknowledgement [ns].
    pub fn timeout_ns(&self) -> u64 {
        nanoseconds(self.timeout_s)
    }

    /// Returns the maximum random delay of the first repetition [ns].
    pub fn backoff_ns(&self) -> u64 {
        nanoseconds(self.backoff_s)
    }
}
