//! Acoustic positioning: parameters of the beacons that ping or reply, and of the instruments that
//! receive them.

use crate::persist::Persist;
use crate::scene::comms::directivity::{Directivity, Transducer};
use crate::scene::comms::medium::ThrusterNoise;
use crate::sensor::{ExteroceptiveProperties, ExteroceptiveSensor};
use merrow_math::{Mat3, Vec3};
use merrow_yaml::spec::spec;

/// Acoustic source for positioning.
#[derive(Clone, Debug, PartialEq)]
pub struct Beacon {
    /// Name of the beacon.
    pub name: String,
    /// Index of the robot and of the link that carry it; `None`: fixed in the world.
    pub on: Option<(usize, usize)>,
    /// Position in L, or in W if no link carries it [m].
    pub p: Vec3,
    /// Gains over the direction; the frame of the mount is L, or W if no link carries the beacon.
    pub transducer: Transducer,
    /// Time of the first ping of a pinger [s].
    pub start_s: f64,
    /// Keys of the type of the beacon.
    pub keys: BeaconKeys,
}

impl Beacon {
    /// Returns the transmit frequency of the beacon [Hz].
    pub fn frequency(&self) -> f64 {
        1e3 * self.keys.frequency_khz
    }
}

spec! {
    /// Type of a beacon.
    pub struct BeaconKeys {
        /// Description of the beacon.
        description: String = String::new(),
        /// Source of the parameter values.
        source: String [not_empty],
        /// Values that are unverified or estimated, and the reason.
        estimated: String = String::new(),
        /// Frequency of the transmitted sound.
        frequency_khz: f64 [in 1.0..=500.0],
        /// Source level at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=240.0],
        /// Gain of the transmitter over the direction.
        transmit_pattern: Directivity => "{kind: uniform}",
        ..sends: Transmission,
    }

    /// Event at which a beacon transmits.
    pub enum Transmission {
        /// Transmits by its own clock.
        Pinger = "pinger" {
            /// Time between two pings.
            period_s: f64 [in 0.01..=86400.0],
        },
        /// Replies to the interrogation of an instrument.
        Transponder = "transponder" (Transponder),
        /// Transmits when the positioning system that shares its clock samples.
        Locator = "locator",
    }

    /// Reply of a transponder.
    pub struct Transponder {
        /// Delay between the interrogation and the reply.
        turn_around_s: f64 [in 0.0..=60.0] = 0.0,
        /// Gain of the receiver over the direction.
        receive_pattern: Directivity => "{kind: uniform}",
        ..ear: Receiver,
    }

    /// Sensitivity of a receiver.
    pub struct Receiver {
        /// Bandwidth of the detector.
        bandwidth_khz: f64 [positive] = 1.0,
        /// Spectral level of the self noise, re 1 uPa2/Hz.
        self_noise_db: f64 [in -100.0..=200.0] = 30.0,
        /// Signal-to-noise ratio at which half of the signals are detected.
        threshold_db: f64 [in -60.0..=100.0] = 10.0,
        /// Standard deviation of received levels.
        fading_std_db: f64 [in 0.0..=40.0] = 3.0,
    }

    /// Reception of an instrument and its errors.
    pub struct Hearing {
        /// Minimum and maximum frequency of the reception band.
        band_khz: [f64; 2] [in 1.0..=500.0],
        /// Maximum range of the instrument.
        max_range_m: f64 [in 0.1..=20000.0],
        /// Standard deviation of each angle of a bearing, for strong signals.
        bearing_std_deg: f64 [in 0.0..=90.0] = 0.0,
        /// Standard deviation of the misalignment of the array about each axis, drawn once.
        alignment_std_deg: f64 [in 0.0..=90.0] = 0.0,
        /// Standard deviation of a range.
        range_std_m: f64 [non_negative] = 0.0,
        /// Resolution of a range; 0 for none.
        resolution_m: f64 [non_negative] = 0.0,
        /// Speed of sound for the conversion of time to range. Default: the speed of sound at the
        /// instrument.
        sound_speed_m_s: Option<f64> [in 1000.0..=2000.0],
        /// Whether sound propagates along rays bent by refraction; otherwise along straight lines.
        refraction: bool = false,
        ..ear: Receiver,
    }
}

/// Instrument that receives beacons.
#[derive(Clone, Debug, PartialEq)]
pub struct AcousticSpec {
    /// Kind of the instrument with its keys.
    pub kind: AcousticKind,
    /// Beacons that the instrument uses.
    pub targets: Vec<Target>,
    /// Error of the surveyed position of each beacon in W, in the order of the targets [m]; empty
    /// unless the instrument uses a survey.
    pub survey: Vec<Vec3>,
    /// Gains over the direction; the frame of the mount is S.
    pub transducer: Box<Transducer>,
    /// Rotation of the array relative to its nominal axes [rad].
    pub misaligned: Vec3,
    /// Listening time after a sample [s].
    pub listening_time: f64,
}

/// Reference to a beacon of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Name of the beacon.
    pub name: String,
    /// Index of the beacon in the scene.
    pub beacon: usize,
}

/// Kind of an acoustic positioning instrument.
#[derive(Clone, Debug, PartialEq)]
pub enum AcousticKind {
    /// Measures bearing and range of pingers.
    Hydrophone(HydrophoneKeys),
    /// Measures positions of transponders from range and bearing.
    Usbl(UsblKeys),
    /// Measures its own position from ranges to transponders.
    Lbl(LblKeys),
    /// Measures positions of locators from ranges to several receivers.
    Sbl(SblKeys),
}

impl AcousticKind {
    /// Returns the reception of the instrument.
    pub fn reception(&self) -> &Reception {
        match self {
            Self::Hydrophone(keys) => &keys.hearing,
            Self::Usbl(keys) => &keys.placing.hearing,
            Self::Lbl(keys) => &keys.hearing,
            Self::Sbl(keys) => &keys.placing.hearing,
        }
    }

    /// Returns the gain of the interrogation over the direction; `None` without an interrogation.
    pub fn transmit_pattern(&self) -> Option<&Directivity> {
        match self {
            Self::Usbl(keys) => Some(&keys.transmit_pattern),
            Self::Lbl(keys) => Some(&keys.transmit_pattern),
            Self::Hydrophone(_) | Self::Sbl(_) => None,
        }
    }

    /// Returns the names of the beacons to use; `None`: all in the band.
    pub fn target_names(&self) -> Option<&[String]> {
        match self {
            Self::Usbl(keys) => keys.targets.as_deref(),
            Self::Lbl(keys) => keys.targets.as_deref(),
            Self::Sbl(keys) => keys.targets.as_deref(),
            Self::Hydrophone(_) => None,
        }
    }
}

spec! {
    /// A small array that receives pingers.
    pub struct HydrophoneKeys {
        /// Whether the transmit times of the pings are known to the array, so that it measures the
        /// range.
        synchronised: bool = true,
        ..hearing: Reception,
    }

    /// A small array that interrogates transponders and measures their positions (USBL).
    pub struct UsblKeys {
        /// Frequency of the interrogation.
        frequency_khz: f64 [in 1.0..=500.0],
        /// Source level of the interrogation at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=240.0],
        /// Gain of the interrogation over the direction.
        transmit_pattern: Directivity => "{kind: uniform}",
        /// Names of the transponders to interrogate, one per sample. Default: all in its band.
        targets: Option<Vec<String>> [not_empty],
        ..placing: CarrierKeys,
    }

    /// An instrument that interrogates several transponders at once and computes its own position
    /// from their ranges (LBL).
    pub struct LblKeys {
        /// Frequency of the interrogation.
        frequency_khz: f64 [in 1.0..=500.0],
        /// Source level of the interrogation at 1 m, re 1 uPa.
        source_level_db: f64 [in 100.0..=240.0],
        /// Gain of the interrogation over the direction.
        transmit_pattern: Directivity => "{kind: uniform}",
        /// Names of the transponders to interrogate. Default: all in its band.
        targets: Option<Vec<String>> [not_empty],
        /// Standard deviation of each coordinate of a surveyed transponder position.
        survey_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of its own depth sensor. Default: the position is computed from only
        /// ranges.
        depth_std_m: Option<f64> [positive],
        ..hearing: Reception,
    }

    /// Receivers on a ship or a quay that measure the positions of locators (SBL).
    pub struct SblKeys {
        /// Positions of the receivers in the sensor frame (forward, left, up).
        receivers_m: Vec<[f64; 3]> [not_empty],
        /// Names of the locators. Default: all in its band.
        targets: Option<Vec<String>> [not_empty],
        /// Standard deviation of the depth that a locator transmits. Default: the position is
        /// computed from only ranges.
        depth_std_m: Option<f64> [positive],
        ..placing: CarrierKeys,
    }

    /// Position and attitude of the carrier of an instrument, for the transformation of
    /// measurements to the world.
    pub struct CarrierKeys {
        /// Standard deviations of roll, pitch and heading of the carrier. Default: positions are
        /// reported in the instrument frame only.
        carrier_attitude_std_deg: Option<[f64; 3]> [non_negative],
        /// Standard deviations of the position of the carrier: east, north and up.
        carrier_position_std_m: [f64; 3] [non_negative] = [0.0, 0.0, 0.0],
        ..hearing: Reception,
    }

    /// Transducers of an instrument, and the noise of thrusters at them.
    pub struct Reception {
        /// Gain of the receiver over the direction.
        receive_pattern: Directivity => "{kind: uniform}",
        /// Axis of the transducers in the axes of the sensor. Patterns over azimuth and elevation
        /// are relative to it.
        axis: [f64; 3] = [1.0, 0.0, 0.0],
        /// Noise of the thrusters of the same robot at the receiver. Default: none.
        thruster_noise: Option<ThrusterNoise>,
        ..hearing: Hearing,
    }
}

impl UsblKeys {
    /// Returns the transmitter of the interrogation.
    pub fn interrogator(&self) -> Interrogator {
        Interrogator::new(self.frequency_khz, self.source_level_db)
    }
}

impl LblKeys {
    /// Returns the transmitter of the interrogation.
    pub fn interrogator(&self) -> Interrogator {
        Interrogator::new(self.frequency_khz, self.source_level_db)
    }
}

impl CarrierKeys {
    /// Returns the standard deviations of the attitude about x, y and z of S [rad]; `None`:
    /// positions are output in S only.
    pub fn attitude_std(&self) -> Option<[f64; 3]> {
        Some(self.carrier_attitude_std_deg?.map(f64::to_radians))
    }
}

/// Transmitter of an interrogation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interrogator {
    /// Transmit frequency of the interrogation [Hz].
    pub frequency: f64,
    /// Source level [dB re 1 µPa at 1 m].
    pub source_level_db: f64,
}

impl Interrogator {
    fn new(frequency_khz: f64, source_level_db: f64) -> Self {
        Self {
            frequency: 1e3 * frequency_khz,
            source_level_db,
        }
    }
}

/// Quantity that an instrument publishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcousticOutput {
    /// All detections of a sample.
    Detections,
    /// Position of the target with this index in S.
    Pose(usize),
    /// Position of the target with this index in W.
    WorldPose(usize),
    /// Position of the instrument itself in W.
    OwnPose,
    /// Range between a target and a receiver, by their indices.
    Range(usize, usize),
}

impl AcousticSpec {
    /// Returns the reception of the instrument and its errors.
    pub fn hearing(&self) -> &Hearing {
        &self.kind.reception().hearing
    }

    /// Returns all outputs, each with the suffix of its topic.
    pub fn outputs(&self) -> Vec<(String, AcousticOutput)> {
        let mut all = Vec::new();
        let numbered = || self.targets.iter().enumerate();
        match &self.kind {
            AcousticKind::Hydrophone(_) => {
                all.push(("/detections".to_string(), AcousticOutput::Detections))
            }
            AcousticKind::Usbl(keys) => {
                numbered().for_each(|(k, t)| add_poses(k, t, &keys.placing, &mut all))
            }
            AcousticKind::Lbl(_) => {
                if !self.targets.is_empty() {
                    all.push(("/pose_world".to_string(), AcousticOutput::OwnPose));
                }
                all.extend(
                    numbered()
                        .map(|(k, t)| (format!("/{}/range", t.name), AcousticOutput::Range(k, 0))),
                );
            }
            AcousticKind::Sbl(keys) => {
                for (k, target) in numbered() {
                    add_poses(k, target, &keys.placing, &mut all);
                    let range = |n: usize| {
                        (
                            format!("/{}/range_{n}", target.name),
                            AcousticOutput::Range(k, n),
                        )
                    };
                    all.extend((0..keys.receivers_m.len()).map(range));
                }
            }
        }
        all
    }

    /// Returns true if `frequency` [Hz] is within the receive band.
    pub fn receives_frequency(&self, frequency: f64) -> bool {
        let [low, high] = self.hearing().band_khz;
        (1e3 * low..=1e3 * high).contains(&frequency)
    }
}

/// Adds the outputs of the positions of target number `k`.
fn add_poses(
    k: usize,
    target: &Target,
    carrier: &CarrierKeys,
    all: &mut Vec<(String, AcousticOutput)>,
) {
    all.push((format!("/{}/pose", target.name), AcousticOutput::Pose(k)));
    if carrier.carrier_attitude_std_deg.is_some() {
        all.push((
            format!("/{}/pose_world", target.name),
            AcousticOutput::WorldPose(k),
        ));
    }
}

impl ExteroceptiveSensor for AcousticSpec {
    fn properties(&self) -> ExteroceptiveProperties<'_> {
        let name = match self.kind {
            AcousticKind::Hydrophone(_) => "hydrophone",
            AcousticKind::Usbl(_) => "usbl",
            AcousticKind::Lbl(_) => "lbl",
            AcousticKind::Sbl(_) => "sbl",
        };
        ExteroceptiveProperties {
            supports_offset_faults: true,
            thruster_noise: self.kind.reception().thruster_noise.as_ref(),
            ..ExteroceptiveProperties::new(name, (self.listening_time * 1e9) as u64)
        }
    }
}

/// All observations of one sample.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct AcousticObservations {
    /// Position fixes of the sample.
    pub fixes: Vec<AcousticFix>,
    /// Ranges measured in the sample.
    pub ranges: Vec<AcousticRange>,
}

/// Position fix of one target or of the instrument itself.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct AcousticFix {
    /// Index of the target; 0 for its own position.
    pub target: usize,
    /// Time of validity [ns].
    pub stamp_ns: u64,
    /// Position in S [m].
    pub p_S: Vec3,
    /// Covariance of the position in S [m²].
    pub covariance: Mat3,
    /// Signal-to-noise ratio of the signal [dB].
    pub snr: f64,
    /// Position in W [m] with its covariance [m²], if the pose of the instrument is known.
    pub world: Option<(Vec3, Mat3)>,
}

/// Range measurement of one target.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct AcousticRange {
    /// Index of the target.
    pub target: usize,
    /// Index of the receiver.
    pub receiver: usize,
    /// Time of arrival of the signal [ns].
    pub stamp_ns: u64,
    /// Measured range to the target [m].
    pub range: f64,
    /// Variance of the range [m²].
    pub variance: f64,
}
