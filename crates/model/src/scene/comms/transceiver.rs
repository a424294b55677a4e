//! Type of a modem: transmitter, receiver and protocol of the link.

use crate::scene::comms::directivity::Directivity;
use crate::scene::comms::framing::{Acknowledgement, Framing};
use crate::scene::comms::medium::Medium;
use crate::scene::comms::scheme::{RateAdaptation, Scheme};
use crate::scene::nanoseconds::nanoseconds;
use merrow_math::decibels::ratio;
use merrow_yaml::spec::spec;

spec! {
    /// Type of a modem.
    pub struct Transceiver {
        /// Description of the modem.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Maximum electrical transmit power of the modem, to which the radiated power is
        /// proportional.
        max_power_w: f64 [positive],
        /// Power of the electronics while transmitting, in addition to the transmit power.
        circuit_power_w: f64 [non_negative] = 0.0,
        /// Electrical power while receiving.
        receive_power_w: f64 [non_negative] = 0.0,
        /// Electrical power while neither transmitting nor receiving.
        idle_power_w: f64 [non_negative] = 0.0,
        /// Whether the modem cannot receive while it transmits.
        half_duplex: bool = true,
        /// Distance beyond which no signal is received. Default: not limited.
        max_range_m: Option<f64> [positive],
        /// Whether terrain, structures and robots block the path.
        line_of_sight: bool = true,
        /// Ratio of signal to interference and noise at which a stronger signal replaces the signal
        /// that is being received. Default: never.
        capture_db: Option<f64> [in -100.0..=200.0],
        /// Signal-to-noise ratio above which carrier sensing reports the medium as busy.
        carrier_sense_db: f64 [in -100.0..=200.0] = 6.0,
        /// Whether any overlap of two signals destroys both.
        destructive_overlap: bool = false,
        /// Probability that a frame that would be received is lost, as in the network block of
        /// TrueTime; for all modems of this type.
        loss_probability: f64 [fraction] = 0.0,
        /// Condition for the reception of a frame.
        reception: Reception => "{kind: error_rate}",
        /// Random variation of the received power with time.
        fading: Fading => "{kind: none}",
        /// Gain of the transmitter over the direction.
        transmit_pattern: Directivity => "{kind: uniform}",
        /// Gain of the receiver over the direction.
        receive_pattern: Directivity => "{kind: uniform}",
        /// Rule of the scheme `adaptive`.
        adaptation: RateAdaptation => "{}",
        /// Modulation and coding schemes, slowest first.
        schemes: Vec<Scheme> [not_empty],
        /// Division of messages into frames.
        framing: Framing => "{}",
        /// Repetition of frames that are not acknowledged.
        acknowledgement: Acknowledgement => "{}",
        /// Delay between the end of a received frame and an immediate reply to it.
        turn_around_s: f64 [in 0.0..=60.0] = 0.0,
        /// Standard deviation of the measured direction of a range reply (USBL) at a large
        /// signal-to-noise ratio. Default: the modem measures no direction.
        bearing_std_deg: Option<f64> [in 0.0..=90.0],
        /// Standard deviation of a measured range.
        range_std_m: f64 [non_negative] = 0.0,
        ..medium: Medium,
    }

    /// Condition for the reception of a frame.
    pub enum Reception {
        /// The bit error rate of the scheme at the ratio of signal to noise and interference.
        ErrorRate = "error_rate",
        /// The received power exceeds a level; frames above it have no errors.
        Level = "level" {
            /// Level, re 1 uPa2 (acoustic), 1 mW (electromagnetic, radio, satellite) or 1 W
            /// (optical).
            threshold_db: f64 [in -300.0..=300.0],
        },
        /// The signal-to-noise ratio exceeds a threshold with and without directivity; frames above
        /// it have no errors. This is the rule of Thetis.
        SignalExcess = "signal_excess" {
            /// Threshold of the ratio.
            threshold_db: f64 [in -300.0..=300.0],
        },
    }

    /// Random variation of the received power with time, with mean 1.
    pub enum Fading {
        /// Received power does not vary.
        None = "none",
        /// Rayleigh distribution of the amplitude.
        Rayleigh = "rayleigh" {
            /// Time beyond which the amplitude is uncorrelated.
            coherence_s: f64 [positive],
        },
        /// Rice distribution of the amplitude.
        Rice = "rice" {
            /// Ratio of the power of the constant part to the random part.
            k_db: f64 [in -60.0..=60.0],
            /// Time beyond which the amplitude is uncorrelated.
            coherence_s: f64 [positive],
        },
    }
}

impl Transceiver {
    /// Returns true if signals of the two transceivers can reach each other: the media are the same
    /// and the bands overlap.
    pub fn is_same_medium(&self, other: &Self) -> bool {
        let (a, b) = (self.medium.band(), other.medium.band());
        self.medium.is_same(&other.medium) && a[0] < b[1] && b[0] < a[1]
    }

    /// Returns the centre of the band [Hz].
    pub fn frequency(&self) -> f64 {
        let [low, high] = self.medium.band();
        0.5 * (low + high)
    }

    /// Returns the width of the band [Hz].
    pub fn bandwidth(&self) -> f64 {
        let [low, high] = self.medium.band();
        high - low
    }

    /// Returns the ratio of signal to interference and noise at which a stronger signal replaces the
    /// signal that is being received, linear [-]; `None`: never.
    pub fn capture(&self) -> Option<f64> {
        self.capture_db.map(ratio)
    }

    /// Returns the delay between the end of a received frame and an immediate reply to it [ns].
    pub fn turn_around_ns(&self) -> u64 {
        nanoseconds(self.turn_around_s)
    }

    /// Iterates over the information rates of the schemes [bit/s], in the order of the schemes.
    pub fn rates(&self) -> impl Iterator<Item = f64> + '_ {
        self.schemes.iter().map(|scheme| scheme.rate_bit_s)
    }
}
