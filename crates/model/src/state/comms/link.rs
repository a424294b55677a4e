//! Counters and last values of one pair of modems.

use crate::persist::Persist;

/// State of the link from one modem to another. Counters cover the time since the start of the run.
/// They include a frame as soon as it has ended at all receivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct LinkState {
    /// Mean signal-to-noise ratio of the last frame, linear; 0 before the first frame.
    pub mean_snr: f64,
    /// Travel time of the last frame [ns].
    pub delay_ns: u64,
    /// Number of frames that have ended at all receivers.
    pub frames: u64,
    /// Number of frames that were received without error.
    pub received: u64,
    /// Bits of the frames that were received without error, including overhead.
    pub bits: u64,
    /// Duration of all frames that have ended at all receivers [ns].
    pub airtime_ns: u64,
    /// Number of frames that were lost by the loss probability of the network.
    pub random_losses: u64,
}

impl LinkState {
    /// Returns the fraction of lost frames [-]; 0 without frames.
    pub fn loss_ratio(&self) -> f64 {
        match self.frames {
            0 => 0.0,
            frames => 1.0 - self.received as f64 / frames as f64,
        }
    }
}

/// Last frame that was received on a link, and the data rate of its transmitter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct LinkSignal {
    /// Signal-to-noise ratio, linear; 0 before the first frame.
    pub snr: f32,
    /// Transmit power, as a fraction of the maximum.
    pub power: f32,
    /// Index of the data rate of the last transmitted frame; `None` before the first frame.
    pub rate: Option<u32>,
}
