//! Modulation and coding schemes of a modem.

/// Modulation with its error law (`crates/comms/src/link/modulation.rs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// Binary phase-shift keying, coherent.
    Bpsk,
    /// Quaternary phase-shift keying, coherent.
    Qpsk,
    /// Binary phase-shift keying, differential.
    Dbpsk,
    /// Binary frequency-shift keying with orthogonal tones.
    Fsk {
        /// Whether the receiver detects the phase.
        is_coherent: bool,
    },
    /// Square quadrature amplitude modulation, also of the subcarriers of OFDM.
    Qam {
        /// Number of points: 4, 16, 64, 256 or 1024.
        order: u16,
    },
    /// Chirp spread spectrum of LoRa.
    LoRa {
        /// Spreading factor: bits per symbol, 5 to 12.
        spreading_factor: u8,
    },
    /// On-off keying of light, direct detection.
    Ook,
}

/// Modulation and coding scheme.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// Name of the scheme.
    pub name: String,
    /// Modulation of the signal.
    pub modulation: Modulation,
    /// Rate of the information bits [bit/s].
    pub rate: f64,
    /// Coding gain: reduction by the code of the signal-to-noise ratio for the same bit error rate
    /// [dB].
    pub coding_gain: f64,
    /// Signal-to-noise ratio above which rate adaptation selects the scheme [dB].
    pub min_snr: f64,
}

/// Rule for the choice of the scheme from the signal-to-noise ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateAdaptation {
    /// Margin over `min_snr` for a change to a scheme [dB].
    pub margin: f64,
    /// Additional margin for a change to a faster scheme [dB].
    pub hysteresis: f64,
}
