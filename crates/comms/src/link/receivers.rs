//! Receivers of the modems of a scene: detection, errors and rate adaptation by their transceivers.
//!
//! # Law
//! ```text
//!   detected: P(S/(N + I)) ≤ P_0                            error rate     (1)
//!   detected: the rule of `reception.rs`                    level, signal excess
//! ```
//! # Symbols
//! P bit error rate (`modulation.rs`) · P_0 = 0.1 bit error rate up to which a receiver
//! synchronises (estimated) · S, N, I powers of signal, noise and interference.
//!
//! # Limits
//! Synchronisation adds no errors. A receiver decodes each frame with the scheme of the
//! transmitter, without a delay for the detection of the scheme.
//!
//! # Checked by
//! crates/comms/tests/link.rs

use crate::link::modulation::bit_error_rate;
use crate::link::rate::select_scheme;
use crate::link::reception::{ReceivedPowers, frame_success};
use crate::network::receiver::{Link, Receiver};
use merrow_math::decibels::level;
use merrow_model::scene::comms::transceiver::Reception;
use merrow_model::scene::comms::{Modem, Transceiver};

/// Bit error rate up to which a receiver synchronises to a frame [-].
const SYNCHRONISING: f64 = 0.1;

/// Receiver models of the modems of a scene, in the order of the modems.
#[derive(Clone, Debug)]
pub struct SceneReceivers {
    receivers: Vec<SceneReceiver>,
}

#[derive(Clone, Debug)]
struct SceneReceiver {
    transceiver: Transceiver,
    /// For each scheme, the minimum ratio of signal to interference and noise by (1).
    thresholds: Vec<f64>,
}

impl SceneReceivers {
    /// Computes by (1), for each scheme of each modem, the minimum ratio at which its receiver
    /// synchronises.
    pub fn new(modems: &[Modem]) -> Self {
        let prepare = |modem: &Modem| {
            let transceiver = modem.transceiver.clone();
            let band = transceiver.bandwidth();
            let schemes = transceiver.schemes.iter();
            let thresholds = schemes
                .map(|scheme| synchronising_ratio(|snr| bit_error_rate(scheme, snr, band)))
                .collect();
            SceneReceiver {
                transceiver,
                thresholds,
            }
        };
        Self {
            receivers: modems.iter().map(prepare).collect(),
        }
    }
}

/// Returns the ratio [-] at which the decreasing function `error` has the value
/// [`SYNCHRONISING`], to 0.01 dB.
fn synchronising_ratio(error: impl Fn(f64) -> f64) -> f64 {
    let ratio = |db: f64| merrow_math::decibels::power(db);
    let [mut low, mut high] = [-100.0, 100.0];
    while high - low > 0.01 {
        let midpoint = 0.5 * (low + high);
        if error(ratio(midpoint)) > SYNCHRONISING {
            low = midpoint;
        } else {
            high = midpoint;
        }
    }
    ratio(high)
}

impl Receiver for SceneReceivers {
    fn packet_error(&self, link: &Link, powers: &ReceivedPowers, bits: f64) -> f64 {
        let receiver = &self.receivers[link.to];
        match receiver.transceiver.schemes.get(link.rate) {
            Some(scheme) => 1.0 - frame_success(&receiver.transceiver, scheme, powers, bits),
            None => 1.0,
        }
    }

    fn detects(&self, link: &Link, powers: &ReceivedPowers) -> bool {
        let receiver = &self.receivers[link.to];
        let (Some(threshold), Some(scheme)) = (
            receiver.thresholds.get(link.rate),
            receiver.transceiver.schemes.get(link.rate),
        ) else {
            return false;
        };
        match receiver.transceiver.reception {
            Reception::ErrorRate => powers.sinr() >= *threshold,
            Reception::Level { .. } | Reception::SignalExcess { .. } => {
                frame_success(&receiver.transceiver, scheme, powers, 0.0) > 0.0
            }
        }
    }

    fn select_rate(&self, from: usize, snr: f64, current: Option<usize>) -> usize {
        let transceiver = &self.receivers[from].transceiver;
        select_scheme(
            &transceiver.schemes,
            &transceiver.adaptation,
            level(snr),
            current,
        )
    }
}
