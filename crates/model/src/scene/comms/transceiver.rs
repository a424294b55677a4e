//! Physical properties of a modem.

/// Medium of a transceiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Sound waves in water.
    Acoustic,
    /// Electromagnetic waves in water.
    Electromagnetic,
    /// Radio waves in air.
    Radio,
    /// Light waves in water.
    Optical,
    /// Link to a satellite.
    Satellite,
}

/// Transmitter and receiver of a modem.
#[derive(Clone, Debug, PartialEq)]
pub struct Transceiver {
    /// Medium of the signals.
    pub medium: Medium,
    /// Lowest and highest frequency [Hz].
    pub band: [f64; 2],
    /// Data rates of frames [bit/s].
    pub rates: Vec<f64>,
    /// Maximum transmit power [W].
    pub max_power: f64,
    /// Power of the electronics while transmitting, in addition to the transmit power [W].
    pub circuit_power: f64,
    /// Power while receiving [W].
    pub receive_power: f64,
    /// Power while neither transmitting nor receiving [W].
    pub idle_power: f64,
    /// Whether the modem cannot receive while it transmits.
    pub is_half_duplex: bool,
    /// Ratio of signal to interference and noise at which a stronger signal replaces the one that
    /// is being received, linear; `None`: never.
    pub capture: Option<f64>,
    /// Ratio of signal to noise above which carrier sensing reports the medium as busy, linear.
    pub carrier_sense: f64,
    /// Whether any overlap of two signals destroys both.
    pub is_overlap_destructive: bool,
}
