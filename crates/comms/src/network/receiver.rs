//! Interface between the network and modulation and coding: which signals a receiver decodes.

use crate::link::reception::ReceivedPowers;

/// Receivers of the modems of a world. Modems are numbered in the order of the scene, data rates in
/// the order of the transmitting modem. Powers are linear, in the unit of the medium.
pub trait Receiver {
    /// Returns the probability [-] that at least one of `bits` consecutive bits of a frame is
    /// damaged at modem `to`. `bits` [-] is not an integer if the interference changes within a
    /// bit.
    fn packet_error(&self, to: usize, powers: ReceivedPowers, bits: f64, rate: usize) -> f64;

    /// Returns true if modem `to` detects the start of a frame.
    fn detects(&self, to: usize, powers: ReceivedPowers, rate: usize) -> bool;

    /// Returns the index of the data rate that modem `from` uses on a link with the
    /// signal-to-noise ratio `snr` [-].
    fn select_rate(&self, from: usize, snr: f64) -> usize;
}
