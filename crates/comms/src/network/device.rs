//! Properties of a transceiver that the network uses.

use merrow_model::scene::comms::Transceiver;

/// Properties of a transceiver that the network uses.
#[derive(Clone, Debug)]
pub(super) struct Device {
    /// Data rates of frames [bit/s].
    pub(super) rates: Vec<f64>,
    /// Maximum transmit power [W].
    pub(super) max_power: f64,
    /// Power of the electronics while transmitting [W].
    pub(super) circuit_power: f64,
    /// Power while receiving [W].
    pub(super) receive_power: f64,
    /// Power while neither transmitting nor receiving [W].
    pub(super) idle_power: f64,
    /// Whether the modem cannot receive while it transmits.
    pub(super) is_half_duplex: bool,
    /// Ratio at which a stronger signal replaces the signal that is being received, linear;
    /// infinite: never.
    pub(super) capture: f64,
    /// Signal-to-noise ratio above which carrier sensing reports a signal, linear.
    pub(super) carrier_sense: f64,
    /// Whether any overlap of two signals destroys both.
    pub(super) is_overlap_destructive: bool,
    /// Probability that a frame that would be received is lost.
    pub(super) loss_probability: f64,
}

impl Device {
    /// Returns the properties of `transceiver`.
    ///
    /// # Errors
    /// The band, the rates or a number is invalid.
    pub(super) fn new(transceiver: &Transceiver) -> Result<Self, String> {
        let is_positive = |value: f64| value.is_finite() && value > 0.0;
        let band = transceiver.band;
        if !(band[0] >= 0.0 && band[0] < band[1] && band[1].is_finite()) {
            return Err(format!(
                "band from {} to {} Hz; expected two increasing frequencies from 0",
                band[0], band[1]
            ));
        }
        let rates: Vec<f64> = transceiver.rates().collect();
        if rates.is_empty() || !rates.iter().all(|rate| is_positive(*rate)) {
            return Err(format!(
                "data rates {rates:?} bit/s; expected at least one, all positive"
            ));
        }
        if !is_positive(transceiver.max_power) {
            return Err(format!(
                "maximum transmit power {} W; expected a positive number",
                transceiver.max_power
            ));
        }
        let powers = [
            transceiver.circuit_power,
            transceiver.receive_power,
            transceiver.idle_power,
            transceiver.carrier_sense,
        ];
        if !powers
            .iter()
            .all(|value| value.is_finite() && *value >= 0.0)
        {
            return Err(format!(
                "powers and carrier sense {powers:?}; expected numbers from 0"
            ));
        }
        let capture = transceiver.capture;
        if capture.is_some_and(|ratio| !is_positive(ratio)) {
            return Err(format!(
                "capture ratio {capture:?}; expected a positive number"
            ));
        }
        Ok(Self {
            rates,
            max_power: transceiver.max_power,
            circuit_power: transceiver.circuit_power,
            receive_power: transceiver.receive_power,
            idle_power: transceiver.idle_power,
            is_half_duplex: transceiver.is_half_duplex,
            capture: capture.unwrap_or(f64::INFINITY),
            carrier_sense: transceiver.carrier_sense,
            is_overlap_destructive: transceiver.is_overlap_destructive,
            loss_probability: transceiver.loss_probability,
        })
    }
}

/// Returns true if one transceiver can decode frames of the other.
pub(super) fn is_compatible(a: &Transceiver, b: &Transceiver) -> bool {
    a.is_same_medium(b) && a.band == b.band && a.rates().eq(b.rates())
}
