//! Keys of communication modems: component files, mounting and settings of one modem.

pub mod mac;
pub mod medium;

use crate::comms::mac::MacConfig;
use crate::comms::medium::{MediumConfig, ThrusterNoiseConfig};
use merrow_model::scene::comms::directivity::{AttitudeTable, AxialTable, Directivity};
use merrow_model::scene::comms::medium::ThrusterNoise;
use merrow_yaml::error::Problems;
use merrow_yaml::spec::{choice, fieldless_choice, spec};

spec! {
    /// Modem of a robot, or fixed modem: type, mounting and settings.
    pub struct ModemEntry {
        /// Type of the modem: a name in `params/modems`, a file, or a map.
        modem: ModemConfig,
        /// Address, unique among the modems that can communicate with this modem. The copies of a
        /// robot from `repeat` have this address and the following addresses. Default: the lowest
        /// free address, from 1.
        address: Option<u32> [in 0.0..=65534.0],
        /// Link that carries the modem. Default: the base link; without effect for a fixed modem.
        link: Option<String> [frame],
        /// Position on the link (forward, left, up), or in the world (east, north, up) for a fixed
        /// modem.
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Axis of the transducer or antenna, in the axes of the link, or of the world for a fixed
        /// modem. Patterns over azimuth and elevation are relative to it.
        axis: [f64; 3] = [1.0, 0.0, 0.0],
        /// Medium access protocol at the start of a run.
        mac: MacConfig => "{kind: aloha}",
        /// Error of the clock of the modem, which times slots and range measurements.
        clock: ClockConfig => "{}",
        /// Transmit power at the start of a run. Default: the maximum power.
        power_w: Option<f64> [positive],
        /// Name of the scheme at the start of a run, or `adaptive`: the receiver selects the scheme
        /// by the signal-to-noise ratio.
        scheme: String [not_empty] = "adaptive".to_string(),
        /// Limits of the transmit queue.
        queue: QueueConfig => "{}",
        /// Whether the modem also delivers messages with the address of another modem.
        promiscuous: bool = false,
        /// Adaptive power control: requests for a higher transmit power of a station whose messages
        /// do not arrive. Default: no requests.
        power_control: Option<PowerControlConfig>,
    }
}

impl ModemEntry {
    /// Returns the source of the parameter values, and which of them are estimated.
    pub fn sources(&self) -> (&str, &str) {
        (&self.modem.source, &self.modem.estimated)
    }
}

spec! {
    /// Type of a modem.
    pub struct ModemConfig {
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
        reception: ReceptionConfig => "{kind: error_rate}",
        /// Random variation of the received power with time.
        fading: FadingConfig => "{kind: none}",
        /// Gain of the transmitter over the direction.
        transmit_pattern: PatternConfig => "{kind: uniform}",
        /// Gain of the receiver over the direction.
        receive_pattern: PatternConfig => "{kind: uniform}",
        /// Rule of the scheme `adaptive`.
        adaptation: AdaptationConfig => "{}",
        /// Modulation and coding schemes, slowest first.
        schemes: Vec<SchemeConfig> [not_empty],
        /// Division of messages into frames.
        framing: FramingConfig => "{}",
        /// Repetition of frames that are not acknowledged.
        acknowledgement: AcknowledgementConfig => "{}",
        /// Delay between the end of a received frame and an immediate reply to it.
        turn_around_s: f64 [in 0.0..=60.0] = 0.0,
        /// Standard deviation of the measured direction of a range reply (USBL) at a large
        /// signal-to-noise ratio. Default: the modem measures no direction.
        bearing_std_deg: Option<f64> [in 0.0..=90.0],
        /// Standard deviation of a measured range.
        range_std_m: f64 [non_negative] = 0.0,
        ..medium: MediumConfig,
    }
}

choice! {
    /// Condition for the reception of a frame.
    pub enum ReceptionConfig {
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
}

choice! {
    /// Random variation of the received power with time, with mean 1.
    pub enum FadingConfig {
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

choice! {
    /// Gain over the direction.
    pub enum PatternConfig {
        /// The same gain in all directions.
        Uniform = "uniform" {
            /// Gain in all directions.
            gain_db: f64 [in -200.0..=200.0] = 0.0,
        },
        /// Gains over the angle from the axis.
        Axial = "axial" {
            /// Angles from the axis, increasing, 0 to 180.
            angles_deg: Vec<f64> [in 0.0..=180.0, not_empty],
            /// Gain at each angle; linear between them.
            gains_db: Vec<f64> [in -200.0..=200.0, not_empty],
        },
        /// Gains over azimuth and elevation relative to the axis.
        Attitude = "attitude" {
            /// Azimuths from the axis, counter-clockwise seen from above, increasing, within one
            /// turn.
            azimuths_deg: Vec<f64> [in -360.0..=360.0, not_empty],
            /// Elevations above the plane of the azimuths, increasing.
            elevations_deg: Vec<f64> [in -90.0..=90.0, not_empty],
            /// Gains: for each elevation, one gain for each azimuth.
            gains_db: Vec<f64> [in -200.0..=200.0, not_empty],
        },
    }
}

impl PatternConfig {
    /// Builds the gains. Invalid tables are reported.
    pub fn build(&self, problems: &mut Problems) -> Directivity {
        let radians = |degrees: &[f64]| degrees.iter().map(|a| a.to_radians()).collect::<Vec<_>>();
        let (pattern, at, expected) = match self {
            PatternConfig::Uniform { gain_db, .. } => return Directivity::Uniform(*gain_db),
            PatternConfig::Axial {
                angles_deg,
                gains_db,
                at,
            } => {
                let points = radians(angles_deg).into_iter().zip(gains_db);
                let table = (angles_deg.len() == gains_db.len())
                    .then(|| AxialTable::new(points.map(|(a, g)| [a, *g]).collect()))
                    .flatten();
                let expected = format!(
                    "expected increasing angles and one gain for each, found {} angles and {} gains",
                    angles_deg.len(),
                    gains_db.len()
                );
                (table.map(Directivity::Axial), at, expected)
            }
            PatternConfig::Attitude {
                azimuths_deg,
                elevations_deg,
                gains_db,
                at,
            } => {
                let (azimuths, elevations) = (radians(azimuths_deg), radians(elevations_deg));
                let table = AttitudeTable::new(azimuths, elevations, gains_db.clone());
                let expected = format!(
                    "expected increasing angles within one turn and, for each elevation, one gain for \
                     each azimuth, found {} azimuths, {} elevations and {} gains",
                    azimuths_deg.len(),
                    elevations_deg.len(),
                    gains_db.len()
                );
                (table.map(Directivity::Attitude), at, expected)
            }
        };
        pattern.unwrap_or_else(|| {
            problems.push(at.key_place("gains_db"), format!("`gains_db`: {expected}"));
            Directivity::Uniform(0.0)
        })
    }
}

spec! {
    /// Rule for the choice of the scheme from the signal-to-noise ratio.
    pub struct AdaptationConfig {
        /// Margin over `min_snr_db` for a change to a scheme.
        margin_db: f64 [non_negative] = 0.0,
        /// Additional margin for a change to a faster scheme.
        hysteresis_db: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// Modulation and coding scheme.
    pub struct SchemeConfig {
        /// Name of the scheme.
        name: String [name],
        /// Modulation: `bpsk`, `qpsk`, `dbpsk`, `fsk`, `coherent_fsk`, `ook`, `qam4` to `qam1024`,
        /// or `lora_sf5` to `lora_sf12`.
        modulation: String [not_empty],
        /// Rate of the information bits.
        rate_bit_s: f64 [in 1e-3..=1e12],
        /// Reduction, by the code, of the signal-to-noise ratio for the same bit error rate.
        coding_gain_db: f64 [in -100.0..=100.0] = 0.0,
        /// Signal-to-noise ratio above which `adaptive` selects this scheme.
        min_snr_db: f64 [in -200.0..=200.0] = 0.0,
    }
}

spec! {
    /// Division of messages into frames.
    pub struct FramingConfig {
        /// Duration of the preamble of a frame.
        preamble_s: f64 [in 0.0..=60.0] = 0.0,
        /// Bits of header, checksum and tail of a frame with data.
        overhead_bits: u32 = 112,
        /// Bits of a frame without data: acknowledgement, request of a range, poll.
        control_bits: u32 = 112,
        /// Maximum payload of a frame.
        max_payload_bytes: u32 [in 1.0..=65535.0] = 1024,
        /// Maximum number of frames of a message.
        max_fragments: u32 [in 1.0..=64.0] = 64,
    }
}

spec! {
    /// Repetition of frames that are not acknowledged.
    pub struct AcknowledgementConfig {
        /// Time from the end of a transmission to the end of the wait for its acknowledgement.
        timeout_s: f64 [in 1e-6..=1e6] = 5.0,
        /// Maximum number of repetitions of a frame.
        max_retries: u32 [in 0.0..=1000.0] = 3,
        /// Maximum random delay of the first repetition. It doubles with every further repetition,
        /// at most ten times.
        backoff_s: f64 [in 0.0..=1e6] = 1.0,
    }
}

spec! {
    /// Constant error of a clock.
    pub struct ClockConfig {
        /// Reading of the clock at the start of the run.
        offset_s: f64 [in -1e6..=1e6] = 0.0,
        /// Relative error of the rate of the clock; positive if it is fast.
        skew_ppm: f64 [in -1e4..=1e4] = 0.0,
    }
}

spec! {
    /// Limits of a transmit queue.
    pub struct QueueConfig {
        /// Maximum number of waiting messages.
        max_messages: u32 [in 1.0..=65536.0] = 64,
        /// Maximum sum of the payloads of the waiting messages.
        max_size_bytes: u32 [in 1.0..=1e9] = 65536,
        /// Time after which a waiting message is discarded. Default: never.
        max_age_s: Option<f64> [in 1e-6..=1e6],
        /// Message that is discarded if the queue is full.
        policy: DropPolicyConfig = DropPolicyConfig::Newest,
    }
}

fieldless_choice! {
    /// Message that is discarded if a queue is full.
    pub enum DropPolicyConfig {
        /// The new message is discarded.
        Newest = "newest",
        /// The message that has waited longest is discarded, regardless of its priority.
        Oldest = "oldest",
        /// The newest message of the lowest priority is discarded, or the new message if no waiting
        /// message has a lower priority.
        LowestPriority = "lowest_priority",
    }
}

spec! {
    /// Adaptive power control: if no message of a station arrives within a period, the modem
    /// requests a higher transmit power from it.
    pub struct PowerControlConfig {
        /// Address of the station.
        station: u32 [in 0.0..=65534.0],
        /// Period within which a message of the station is expected.
        period_s: f64 [in 1e-3..=1e6],
        /// Signal-to-noise ratio that the requested power restores.
        target_snr_db: f64 [in -100.0..=200.0],
        /// Minimum increase between two requested powers.
        step_db: f64 [in 0.0..=100.0] = 1.0,
        /// Payload of a request.
        payload_bytes: u32 [in 0.0..=65535.0] = 8,
    }
}

spec! {
    /// Topic or service that modems transmit between robots. The transmitting modem sends each
    /// message as a packet; the message is published at the receiver when the packet arrives.
    /// Requests and responses of a service are packets in both directions.
    pub struct BridgeEntry {
        /// Transmitting modem, such as `rov/acoustic`; for a service, the modem of the caller.
        from: String [not_empty],
        /// Receiving modem, such as `boat/acoustic`; for a service, the modem of the server. For a
        /// topic also `all`, for one transmission to all modems that can receive it.
        to: String [not_empty],
        /// Topic of the transmitted messages, such as `/rov/pressure/pose`.
        topic: Option<String> [not_empty],
        /// Service that the requests call, such as `/rov/arm`, instead of `topic`.
        service: Option<String> [not_empty],
        /// ROS name of the message type, such as `geometry_msgs/msg/PoseStamped`. Default: the type
        /// of the topic that the simulator publishes.
        message_type: Option<String> [not_empty],
        /// ROS name of the service type, such as `std_srvs/srv/SetBool`. Default: the type of the
        /// service that the simulator offers.
        service_type: Option<String> [not_empty],
        /// Topic of the received messages. Default: the name of the receiving robot or modem,
        /// followed by the topic. Not for `all`.
        received_as: Option<String> [not_empty],
        /// Name under which callers call the service. Default: the name of the robot or modem of
        /// the caller, followed by the service.
        offered_as: Option<String> [not_empty],
        /// Time after which a call without a response ends. The caller then receives no response.
        /// Default: 60 s.
        timeout_s: Option<f64> [in 1e-6..=1e6],
        /// Maximum rate of the transmitted messages or requests; further messages are discarded.
        /// Default: not limited.
        max_rate_hz: Option<f64> [positive],
        /// Priority of the messages; larger first.
        priority: u32 [in 0.0..=255.0] = 0,
        /// Whether a new message replaces a waiting one. Default: `true` for a topic, `false` for a
        /// service.
        newest_only: Option<bool>,
        /// Limits of the waiting messages, for `newest_only: false`, which they imply. Default: the
        /// limits of the queue of the modem.
        queue: Option<BridgeQueueConfig>,
        /// Whether every frame is repeated until it is acknowledged; not for `all`.
        acknowledge: bool = false,
        /// The messages are positions in the frame `world`, by which the firmware of the receiving
        /// robot corrects its position; it uses `feedback: sensors`. Not for `all` or a service.
        fix: Option<BridgeFixConfig>,
    }
}

spec! {
    /// Correction of the position that the firmware of the receiving robot estimates.
    pub struct BridgeFixConfig {
        /// Measured point on the base of the robot, such as its transponder (forward, left, up).
        position_m: [f64; 3] = [0.0, 0.0, 0.0],
        /// Time constant with which an error is corrected.
        correction_time_s: f64 [in 1e-3..=1e6] = 2.0,
    }
}

spec! {
    /// Limits of the waiting messages of a bridge; of a service, of the requests and of the
    /// responses.
    pub struct BridgeQueueConfig {
        /// Maximum number of waiting messages. Default: the limit of the queue of the modem.
        max_messages: Option<u32> [in 1.0..=65536.0],
        /// Time after which a waiting message is discarded. Default: the limit of the queue of the
        /// modem.
        max_age_s: Option<f64> [in 1e-6..=1e6],
        /// Message that is discarded if `max_messages` wait.
        policy: DropPolicyConfig = DropPolicyConfig::Oldest,
    }
}

impl ThrusterNoiseConfig {
    /// Builds the noise law.
    pub fn build(&self) -> ThrusterNoise {
        ThrusterNoise {
            level: self.level_db,
            speed: self.speed_rad_s,
            frequency: 1e3 * self.frequency_khz,
            speed_slope: self.speed_slope_db,
            frequency_slope: self.frequency_slope_db,
        }
    }
}
