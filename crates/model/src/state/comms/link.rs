//! Counters and last values of one pair of modems.

/// State of the link from one modem to another. Counters start at the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkState {
    /// Mean signal-to-noise ratio of the last frame, linear; 0 before the first frame.
    pub mean_snr: f64,
    /// Signal-to-noise ratio of the last frame that was received, linear; 0 before it.
    pub snr: f64,
    /// Transmit power of the last frame that was received, as a fraction of the maximum.
    pub power: f64,
    /// Travel time of the last frame [ns].
    pub delay_ns: u64,
    /// Number of frames that were transmitted.
    pub frames: u64,
    /// Number of frames that were received without error.
    pub received: u64,
    /// Number of frames that were lost.
    pub lost: u64,
    /// Bits of the frames that were received without error, including overhead.
    pub bits: u64,
}

impl LinkState {
    /// Returns the fraction of lost frames among those whose reception has ended [-]; 0 without
    /// frames.
    pub fn loss_ratio(&self) -> f64 {
        match self.received + self.lost {
            0 => 0.0,
            ended => self.lost as f64 / ended as f64,
        }
    }
}
