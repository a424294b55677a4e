//! Modems, channels and receivers for the tests.

#[path = "../common/keys.rs"]
mod keys;

pub(crate) use keys::{read, set_band};
use merrow_comms::network::Network;
use merrow_comms::propagation::{Channel, Propagation};
use merrow_math::Vec3;
use merrow_math::rng::Stream;
use merrow_model::scene::comms::scheme::Scheme;
use merrow_model::scene::comms::{MacProtocol, Modem, RateChoice};
use merrow_model::state::comms::LossCause;
use merrow_model::state::comms::NetworkState;

/// One second in nanoseconds [ns].
pub(crate) const SECOND: u64 = 1_000_000_000;

/// Returns a scheme with a data rate [bit/s].
pub(crate) fn scheme(name: &str, rate: f64) -> Scheme {
    read(&format!(
        "{{name: {name}, modulation: bpsk, rate_bit_s: {rate}}}"
    ))
}

/// Returns a modem of 10 kbit/s whose frames consist of their payload. It decodes all signals above
/// a ratio of -30 dB without errors; `adaptive` selects 20 kbit/s from 20 dB on.
pub(crate) fn modem(address: u16) -> Modem {
    let transceiver = "{source: test, kind: acoustic, band_khz: [18, 34], source_level_db: 180, \
                       absorption: none, max_power_w: 10, circuit_power_w: 1, \
                       receive_power_w: 0.5, idle_power_w: 0.1, carrier_sense_db: 10, \
                       destructive_overlap: true, turn_around_s: 0.001, \
                       schemes: [{name: slow, modulation: bpsk, rate_bit_s: 10000}, \
                       {name: fast, modulation: bpsk, rate_bit_s: 20000, min_snr_db: 20}], \
                       reception: {kind: signal_excess, threshold_db: -30}, \
                       framing: {overhead_bits: 0, control_bits: 100, max_payload_bytes: 250, \
                       max_fragments: 4}, acknowledgement: {timeout_s: 1}}";
    Modem {
        name: format!("m{address}"),
        on: None,
        p: Vec3::zero(),
        axis: Vec3::new(0.0, 0.0, -1.0),
        address,
        transceiver: read(transceiver),
        mac: MacProtocol::Aloha,
        clock: read("{}"),
        queue: read("{}"),
        power_w: 10.0,
        rate: RateChoice::Fixed(0),
        promiscuous: false,
        task: None,
        power_control: None,
    }
}

/// Returns the network of modems and its state at the start of a run.
pub(crate) fn network(modems: &[Modem], seed: u64) -> (Network, NetworkState) {
    let network = Network::new(modems, seed).expect("valid modems");
    let state = network.start();
    (network, state)
}

/// Returns a signal of this delay and signal-to-noise ratio.
pub(crate) fn signal(delay_ns: u64, snr: f64) -> Propagation {
    Propagation {
        delay_ns,
        mean_power: snr,
        power: snr,
        noise: 1.0,
        doppler: 0.0,
        obstruction: None,
    }
}

/// Channel with one delay and one signal-to-noise ratio for all pairs; the received power is
/// proportional to the transmit power.
pub(crate) struct Uniform {
    pub(crate) delay_ns: u64,
    pub(crate) snr: f64,
}

impl Channel for Uniform {
    fn propagate(&self, _from: usize, _to: usize, _t_ns: u64, power: f64) -> Propagation {
        signal(self.delay_ns, self.snr * power)
    }
}

/// Channel that is a function of the pair, the time and the power.
pub(crate) struct By<F>(pub(crate) F);

impl<F: Fn(usize, usize, u64, f64) -> Propagation> Channel for By<F> {
    fn propagate(&self, from: usize, to: usize, t_ns: u64, power: f64) -> Propagation {
        (self.0)(from, to, t_ns, power)
    }
}

/// Channel with delays up to 1 s, signal-to-noise ratios from -20 to 30 dB and obstructions, all
/// random by pair and time.
pub(crate) struct Random {
    pub(crate) stream: Stream,
}

impl Channel for Random {
    fn propagate(&self, from: usize, to: usize, t_ns: u64, power: f64) -> Propagation {
        let index = t_ns.wrapping_mul(1_000_003) ^ ((from as u64) << 32) ^ to as u64;
        let mut draw = self.stream.draw(index);
        let delay = (draw.uniform() * 1e9) as u64;
        let snr = libm::exp10(-2.0 + 5.0 * draw.uniform());
        let obstruction = match (draw.uniform() * 40.0) as u32 {
            0 => Some(LossCause::Terrain),
            1 => Some(LossCause::Structure),
            2 => Some(LossCause::Robot),
            3 => Some(LossCause::Surface),
            4 => Some(LossCause::ShadowZone),
            5 => Some(LossCause::OutOfView),
            8 => Some(LossCause::OutOfRange),
            6 => Some(LossCause::NoSatellite),
            _ => None,
        };
        Propagation {
            obstruction,
            doppler: 1e-4,
            ..signal(delay, snr * power)
        }
    }
}
