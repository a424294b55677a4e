//! Interface between the network and modulation and coding: which signals a receiver decodes.

pub use crate::link::reception::ReceivedPowers as Powers;

/// Frame of one modem at another modem. Modems are numbered in the order of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// Index of the transmitting modem.
    pub from: usize,
    /// Index of the receiving modem.
    pub to: usize,
    /// Index of the data rate, in the order of the transmitting modem.
    pub rate: usize,
}

/// Receivers of the modems of a world.
pub trait Receiver {
    /// Returns the probability [-] that at least one of `bits` consecutive bits of a frame is
    /// damaged. `bits` [-] is not an integer if the interference changes within a bit.
    fn packet_error(&self, link: &Link, powers: &Powers, bits: f64) -> f64;

    /// Returns true if the receiver detects the start of a frame.
    fn detects(&self, link: &Link, powers: &Powers) -> bool;

    /// Returns the index of the data rate that modem `from` uses on a link with the
    /// signal-to-noise ratio `snr` [-]. `current` is the index of the rate of its last frame on
    /// this link, if any.
    fn select_rate(&self, from: usize, snr: f64, current: Option<usize>) -> usize;
}
