//! Interface between the network and modulation and coding: which signals a receiver decodes.

/// Receivers of the modems of a world. Modems are numbered in the order of the scene, data rates in
/// the order of the transmitting modem. Ratios are linear.
pub trait Receiver {
    /// Returns the probability [-] that at least one of `bits` consecutive bits of a frame is
    /// damaged, for a ratio `sinr` [-] of signal to interference and noise at modem `to`.
    /// `bits` [-] is not an integer if the interference changes within a bit.
    fn packet_error(&self, to: usize, sinr: f64, bits: f64, rate: usize) -> f64;

    /// Returns the smallest ratio [-] of signal to interference and noise at which modem `to`
    /// detects the start of a frame.
    fn detection_threshold(&self, to: usize, rate: usize) -> f64;

    /// Returns the index of the data rate that modem `from` uses on a link with the
    /// signal-to-noise ratio `snr` [-].
    fn select_rate(&self, from: usize, snr: f64) -> usize;
}
