//! Acoustic positioning as built: beacons that ping or reply, and what hears them.

use merrow_math::Vec3;

/// A source of sound that positioning goes by.
#[derive(Clone, Debug, PartialEq)]
pub struct Beacon {
    /// Name.
    pub name: String,
    /// Robot and link that carry it; none: it is fixed in the world.
    pub on: Option<(usize, usize)>,
    /// Its place in L, or in W if nothing carries it [m].
    pub p: Vec3,
    /// Frequency that it sends [Hz].
    pub frequency: f64,
    /// Its source level [dB re 1 µPa at 1 m].
    pub source_level: f64,
    /// When it sends.
    pub kind: BeaconKind,
}

/// When a beacon sends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BeaconKind {
    /// By its own clock.
    Pinger {
        /// From ping to ping [s].
        period: f64,
        /// The first ping [s].
        start: f64,
    },
    /// When it is asked.
    Transponder {
        /// From the question to the reply [s].
        turn_around: f64,
        /// How it hears the question.
        ear: Ear,
    },
    /// When the system that knows its clock samples.
    Locator,
}

/// How well something hears.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ear {
    /// Bandwidth of the detector [Hz].
    pub bandwidth: f64,
    /// Spectral level of its own noise [dB re 1 µPa²/Hz].
    pub self_noise: f64,
    /// Level over the noise at which half of the signals are heard [dB].
    pub threshold: f64,
    /// Standard deviation of received levels [dB].
    pub fading: f64,
}

/// What hears beacons.
#[derive(Clone, Debug, PartialEq)]
pub struct AcousticSpec {
    /// What it makes of them.
    pub kind: AcousticKind,
    /// The beacons that it goes by.
    pub targets: Vec<Target>,
    /// Least and greatest frequency that it hears [Hz].
    pub band: [f64; 2],
    /// How well it hears.
    pub ear: Ear,
    /// Greatest range [m].
    pub max_range: f64,
    /// Standard deviation of a bearing, of strong signals [rad].
    pub bearing_std: f64,
    /// Standard deviation of a range [m].
    pub range_std: f64,
    /// Step of a range [m]; 0 continuous.
    pub resolution: f64,
    /// Turn of its array against what it takes for its axes [rad].
    pub misaligned: Vec3,
    /// Speed of sound by which times become ranges [m/s]; none: that at the instrument.
    pub sound_speed: Option<f64>,
    /// Whether sound goes along rays that the water bends.
    pub bent: bool,
    /// How long it listens after it was sampled [s].
    pub listens: f64,
}

/// A beacon by its name and its index in the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// Its index.
    pub beacon: usize,
}

/// What an instrument makes of what it hears.
#[derive(Clone, Debug, PartialEq)]
pub enum AcousticKind {
    /// Bearing and range of pingers.
    Hydrophone {
        /// Whether it knows when they ping.
        synchronised: bool,
    },
    /// Places of transponders, by range and bearing.
    Usbl {
        /// What it asks with.
        voice: Voice,
        /// What is known of the carrier; none: places are in S alone.
        carrier: Option<Carrier>,
    },
    /// Its own place, by ranges to transponders.
    Lbl {
        /// What it asks with.
        voice: Voice,
        /// Error of each beacon's surveyed place in W, in the order of the targets [m].
        survey: Vec<Vec3>,
        /// Standard deviation of a survey [m].
        survey_std: f64,
        /// Standard deviation of its own depth [m]; none: it has no gauge.
        depth_std: Option<f64>,
    },
    /// Places of locators, by ranges to several receivers.
    Sbl {
        /// Places of the receivers in S [m].
        receivers: Vec<Vec3>,
        /// Standard deviation of a locator's depth [m]; none: it tells none.
        depth_std: Option<f64>,
        /// What is known of the carrier; none: places are in S alone.
        carrier: Option<Carrier>,
    },
}

/// How an instrument asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voice {
    /// Frequency [Hz].
    pub frequency: f64,
    /// Source level [dB re 1 µPa at 1 m].
    pub source_level: f64,
}

/// How well the pose of the carrier is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carrier {
    /// Standard deviations of its attitude about x, y and z of S [rad].
    pub attitude_std: [f64; 3],
    /// Standard deviations of its place, east, north and up [m].
    pub position_std: [f64; 3],
}

/// What an instrument gives out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// All that it hears.
    Detections,
    /// Place of a target in S.
    Pose(usize),
    /// Place of a target in W.
    WorldPose(usize),
    /// Its own place in W.
    OwnPose,
    /// Range between a target and a receiver.
    Range(usize, usize),
}

impl AcousticSpec {
    /// What it gives out, each with the end of its topic.
    pub fn outputs(&self) -> Vec<(String, Output)> {
        let mut all = Vec::new();
        let numbered = || self.targets.iter().enumerate();
        match &self.kind {
            AcousticKind::Hydrophone { .. } => {
                all.push(("/detections".to_string(), Output::Detections))
            }
            AcousticKind::Usbl { carrier, .. } => {
                numbered().for_each(|(k, t)| self.poses(k, t, carrier, &mut all))
            }
            AcousticKind::Lbl { .. } => {
                if !self.targets.is_empty() {
                    all.push(("/pose_world".to_string(), Output::OwnPose));
                }
                all.extend(
                    numbered().map(|(k, t)| (format!("/{}/range", t.name), Output::Range(k, 0))),
                );
            }
            AcousticKind::Sbl {
                carrier, receivers, ..
            } => {
                for (k, target) in numbered() {
                    self.poses(k, target, carrier, &mut all);
                    let range =
                        |n: usize| (format!("/{}/range_{n}", target.name), Output::Range(k, n));
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
        all: &mut Vec<(String, Output)>,
    ) {
        all.push((format!("/{}/pose", target.name), Output::Pose(k)));
        if carrier.is_some() {
            all.push((format!("/{}/pose_world", target.name), Output::WorldPose(k)));
        }
    }

    /// True if it hears a frequency.
    pub fn hears(&self, frequency: f64) -> bool {
        (self.band[0]..=self.band[1]).contains(&frequency)
    }
}
