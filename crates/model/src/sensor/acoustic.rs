//! Acoustic positioning: parameters of the beacons that ping or reply, and of the instruments that
//! receive them.

use crate::persist::Persist;
use crate::scene::comms::directivity::Transducer;
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
    /// Transmit frequency of the beacon [Hz].
    pub frequency: f64,
    /// Source level [dB re 1 µPa at 1 m].
    pub source_level_db: f64,
    /// Gains over the direction; the frame of the mount is L, or W if no link carries the beacon.
    pub transducer: Transducer,
    /// Condition that triggers a transmission.
    pub kind: BeaconKind,
}

/// Condition that triggers a transmission of a beacon.
#[derive(Clone, Debug, PartialEq)]
pub enum BeaconKind {
    /// Transmits periodically by its own clock.
    Pinger {
        /// Interval between pings [s].
        period_s: f64,
        /// Time of the first ping [s].
        start_s: f64,
    },
    /// Replies to an interrogation.
    Transponder {
        /// Delay from interrogation to reply [s].
        turn_around_s: f64,
        /// Receiver for the interrogation.
        ear: Receiver,
    },
    /// Transmits when the synchronised positioning system takes a sample.
    Locator,
}

spec! {
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
}

spec! {
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
    /// Type of instrument with its parameters.
    pub kind: AcousticKind,
    /// Reception of the instrument and its errors.
    pub hearing: Hearing,
    /// Beacons that the instrument uses.
    pub targets: Vec<Target>,
    /// Minimum and maximum frequency that it receives [Hz].
    pub band: [f64; 2],
    /// Gains over the direction; the frame of the mount is S.
    pub transducer: Box<Transducer>,
    /// Noise of the thrusters of the same robot at the receiver; `None`: no noise.
    pub thruster_noise: Option<ThrusterNoise>,
    /// Standard deviation of a bearing at high signal-to-noise ratio [rad].
    pub bearing_std: f64,
    /// Rotation of the array relative to its nominal axes [rad].
    pub misaligned: Vec3,
    /// Standard deviation of each component of the misalignment [rad].
    pub misalignment_std: f64,
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

/// Type of acoustic positioning instrument.
#[derive(Clone, Debug, PartialEq)]
pub enum AcousticKind {
    /// Measures bearing and range of pingers.
    Hydrophone {
        /// Whether the ping times are known, so that ranges can be measured.
        synchronised: bool,
    },
    /// Measures positions of transponders from range and bearing.
    Usbl {
        /// Transmitter of the interrogation.
        interrogator: Interrogator,
        /// Uncertainty of the carrier pose; `None`: positions are output in S only.
        carrier: Option<Carrier>,
    },
    /// Measures its own position from ranges to transponders.
    Lbl {
        /// Transmitter of the interrogation.
        interrogator: Interrogator,
        /// Error of the surveyed position of each beacon in W, in the order of the targets [m].
        survey: Vec<Vec3>,
        /// Standard deviation of a surveyed position [m].
        survey_std_m: f64,
        /// Standard deviation of its own depth [m]; `None`: no depth sensor.
        depth_std_m: Option<f64>,
    },
    /// Measures positions of locators from ranges to several receivers.
    Sbl {
        /// Positions of the receivers in S [m].
        receivers: Vec<Vec3>,
        /// Standard deviation of the depth that a locator transmits [m]; `None`: it transmits no
        /// depth.
        depth_std_m: Option<f64>,
        /// Uncertainty of the carrier pose; `None`: positions are output in S only.
        carrier: Option<Carrier>,
    },
}

/// Transmitter of an interrogation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interrogator {
    /// Transmit frequency of the interrogation [Hz].
    pub frequency: f64,
    /// Source level [dB re 1 µPa at 1 m].
    pub source_level_db: f64,
}

/// Uncertainty of the pose of the carrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carrier {
    /// Standard deviations of the attitude about x, y and z of S [rad].
    pub attitude_std: [f64; 3],
    /// Standard deviations of the position: east, north and up [m].
    pub position_std: [f64; 3],
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
    /// Returns all outputs, each with the suffix of its topic.
    pub fn outputs(&self) -> Vec<(String, AcousticOutput)> {
        let mut all = Vec::new();
        let numbered = || self.targets.iter().enumerate();
        match &self.kind {
            AcousticKind::Hydrophone { .. } => {
                all.push(("/detections".to_string(), AcousticOutput::Detections))
            }
            AcousticKind::Usbl { carrier, .. } => {
                numbered().for_each(|(k, t)| self.poses(k, t, carrier, &mut all))
            }
            AcousticKind::Lbl { .. } => {
                if !self.targets.is_empty() {
                    all.push(("/pose_world".to_string(), AcousticOutput::OwnPose));
                }
                all.extend(
                    numbered()
                        .map(|(k, t)| (format!("/{}/range", t.name), AcousticOutput::Range(k, 0))),
                );
            }
            AcousticKind::Sbl {
                carrier, receivers, ..
            } => {
                for (k, target) in numbered() {
                    self.poses(k, target, carrier, &mut all);
                    let range = |n: usize| {
                        (
                            format!("/{}/range_{n}", target.name),
                            AcousticOutput::Range(k, n),
                        )
                    };
                    all.extend((0..receivers.len()).map(range));
                }
            }
        }
        all
    }

    fn poses(
        &self,
        k: usize,
        target: &Target,
        carrier: &Option<Carrier>,
        all: &mut Vec<(String, AcousticOutput)>,
    ) {
        all.push((format!("/{}/pose", target.name), AcousticOutput::Pose(k)));
        if carrier.is_some() {
            all.push((
                format!("/{}/pose_world", target.name),
                AcousticOutput::WorldPose(k),
            ));
        }
    }

    /// Returns true if `frequency` [Hz] is within the receive band.
    pub fn receives_frequency(&self, frequency: f64) -> bool {
        (self.band[0]..=self.band[1]).contains(&frequency)
    }
}

impl ExteroceptiveSensor for AcousticSpec {
    fn properties(&self) -> ExteroceptiveProperties<'_> {
        ExteroceptiveProperties {
            name: match self.kind {
                AcousticKind::Hydrophone { .. } => "hydrophone",
                AcousticKind::Usbl { .. } => "usbl",
                AcousticKind::Lbl { .. } => "lbl",
                AcousticKind::Sbl { .. } => "sbl",
            },
            sample_duration_ns: (self.listening_time * 1e9) as u64,
            supports_offset_faults: true,
            thruster_noise: self.thruster_noise.as_ref(),
            ..ExteroceptiveProperties::default()
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
