//! Modems, channels and receivers for the tests.

use merrow_comms::network::Network;
use merrow_comms::network::receiver::{Link, Powers, Receiver};
use merrow_comms::propagation::{Channel, Obstruction, Propagation};
use merrow_math::Vec3;
use merrow_math::rng::Stream;
use merrow_model::scene::comms::directivity::Directivity;
use merrow_model::scene::comms::medium::{AcousticMedium, Medium};
use merrow_model::scene::comms::scheme::{Modulation, RateAdaptation, Scheme};
use merrow_model::scene::comms::transceiver::{Fading, Reception};
use merrow_model::scene::comms::{
    Acknowledgement, ClockError, DropPolicy, Framing, MacProtocol, Modem, QueueLimits, RateChoice,
    Transceiver, UsblArray,
};
use merrow_model::scene::sea::water::AbsorptionLaw;
use merrow_model::state::comms::NetworkState;

/// Array of a modem that measures directions.
pub(crate) const ARRAY: UsblArray = UsblArray { bearing_std: 0.01 };

/// Times and repetitions of acknowledged frames.
const ACKNOWLEDGEMENT: Acknowledgement = Acknowledgement {
    time_out_ns: SECOND,
    max_retries: 3,
    backoff_ns: SECOND,
};

/// One second in nanoseconds [ns].
pub(crate) const SECOND: u64 = 1_000_000_000;

/// Returns a scheme with a data rate [bit/s].
pub(crate) fn scheme(name: &str, rate: f64) -> Scheme {
    Scheme {
        name: name.into(),
        modulation: Modulation::Bpsk,
        rate,
        coding_gain: 0.0,
        min_snr: 0.0,
    }
}

/// Returns a modem of 10 kbit/s whose frames consist of their payload.
pub(crate) fn modem(address: u16) -> Modem {
    Modem {
        name: format!("m{address}"),
        on: None,
        p: Vec3::zero(),
        axis: Vec3::new(0.0, 0.0, -1.0),
        address,
        transceiver: Transceiver {
            medium: Medium::Acoustic(AcousticMedium {
                source_level: 180.0,
                self_noise: 30.0,
                spreading: 2.0,
                absorption: AbsorptionLaw::None,
                refracts: false,
                shipping: 0.0,
                multipath: None,
                thruster_noise: None,
                doppler: None,
            }),
            band: [18e3, 34e3],
            schemes: vec![scheme("slow", 1e4), scheme("fast", 2e4)],
            adaptation: RateAdaptation {
                margin: 0.0,
                hysteresis: 0.0,
            },
            reception: Reception::ErrorRate,
            transmit_pattern: Directivity::Uniform(0.0),
            receive_pattern: Directivity::Uniform(0.0),
            fading: Fading::None,
            max_range: None,
            needs_line_of_sight: false,
            max_power: 10.0,
            circuit_power: 1.0,
            receive_power: 0.5,
            idle_power: 0.1,
            is_half_duplex: true,
            capture: None,
            carrier_sense: 10.0,
            is_overlap_destructive: true,
            loss_probability: 0.0,
        },
        framing: Framing {
            preamble_ns: 0,
            overhead_bits: 0,
            control_bits: 100,
            max_payload: 250,
            max_fragments: 4,
        },
        acknowledgement: ACKNOWLEDGEMENT,
        mac: MacProtocol::Aloha,
        clock: ClockError::default(),
        queue: QueueLimits {
            max_messages: 64,
            max_bytes: 1 << 16,
            max_age_ns: None,
            policy: DropPolicy::Newest,
        },
        power: 10.0,
        rate: RateChoice::Fixed(0),
        turn_around_ns: 1_000_000,
        array: None,
        range_std: 0.0,
        is_promiscuous: false,
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
            0 => Some(Obstruction::Terrain),
            1 => Some(Obstruction::Structure),
            2 => Some(Obstruction::Robot),
            3 => Some(Obstruction::Surface),
            4 => Some(Obstruction::ShadowZone),
            5 => Some(Obstruction::OutOfView),
            8 => Some(Obstruction::OutOfRange),
            6 => Some(Obstruction::NoSatellite),
            _ => None,
        };
        Propagation {
            obstruction,
            doppler: 1e-4,
            ..signal(delay, snr * power)
        }
    }
}

/// Receiver that decodes all signals above its threshold without errors.
pub(crate) struct Ideal;

impl Receiver for Ideal {
    fn packet_error(&self, _link: &Link, _powers: &Powers, _bits: f64) -> f64 {
        0.0
    }
    fn detects(&self, _link: &Link, powers: &Powers) -> bool {
        powers.sinr() > 1e-3
    }
    fn select_rate(&self, _from: usize, snr: f64, _current: Option<usize>) -> usize {
        usize::from(snr > 100.0)
    }
}

/// Coherent binary phase-shift keying without coding.
pub(crate) struct Bpsk;

impl Receiver for Bpsk {
    fn packet_error(&self, _link: &Link, powers: &Powers, bits: f64) -> f64 {
        let bit = 0.5 * libm::erfc(libm::sqrt(powers.sinr()));
        -libm::expm1(bits * libm::log1p(-bit))
    }
    fn detects(&self, _link: &Link, powers: &Powers) -> bool {
        powers.sinr() > 1.0
    }
    fn select_rate(&self, _from: usize, snr: f64, _current: Option<usize>) -> usize {
        usize::from(snr > 100.0)
    }
}
