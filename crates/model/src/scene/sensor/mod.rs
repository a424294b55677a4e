//! Sensor parameters: pose, sample rate, latency and error model, and the type-specific parameters.

pub mod acoustic;
pub mod ais;
pub mod camera;
pub mod laser;
pub mod lens;
pub mod navigation;
pub mod obstacle;
pub mod on_board;
pub mod probe;
pub mod radar;
pub mod sonar;

use crate::scene::sensor::acoustic::{AcousticKind, AcousticSpec};
use crate::scene::sensor::ais::ReceiverSpec;
use crate::scene::sensor::camera::CameraSpec;
use crate::scene::sensor::laser::{LaserOutput, LaserSpec, Tilt};
use crate::scene::sensor::navigation::{AhrsSpec, GnssSpec, HeadingSpec, InsSpec};
use crate::scene::sensor::obstacle::DetectorSpec;
use crate::scene::sensor::on_board::{AnemometerSpec, MotorSpec, PowerSpec};
use crate::scene::sensor::probe::{CtdSpec, ProbeSpec, SamplerSpec};
use crate::scene::sensor::radar::RadarSpec;
use crate::scene::sensor::sonar::{SonarKind, SonarSpec};
use merrow_math::{Mat3, Vec3};
use std::sync::Arc;

/// Sensor mounted on a link.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Name; used in the topic and the frame id.
    pub name: String,
    /// Index of the link that carries it.
    pub link: usize,
    /// Position in the link frame L [m].
    pub p_LoS: Vec3,
    /// Rotation of the sensor frame S in L.
    pub R_LS: Mat3,
    /// Position in the user's link frame U, for `tf_static` [m].
    pub p_UoS_U: Vec3,
    /// Rotation of S in the user's link frame U.
    pub R_US: Mat3,
    /// Nominal sample rate [Hz].
    pub rate: f64,
    /// Latency from measurement to delivery [ns].
    pub latency_ns: u64,
    /// Time of the first sample [ns].
    pub start_ns: u64,
    /// Fraction of the samples that are lost, 0..1.
    pub loss_probability: f64,
    /// Maximum number of readings in flight.
    pub queue: usize,
    /// Electrical power consumption [W].
    pub power: f64,
    /// Random number stream of the sensor.
    pub stream: merrow_math::rng::Stream,
    /// True if outputs are computed only while in use; for exteroceptive sensors.
    pub lazy: bool,
    /// QoS of its publishers.
    pub qos: PublisherQos,
    /// Type of sensor and its parameters.
    pub kind: SensorKind,
}

/// QoS of a publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublisherQos {
    /// True for RELIABLE: lost messages are sent again.
    pub reliable: bool,
    /// History depth for slow subscribers [messages].
    pub depth: u32,
}

/// Type of sensor and its parameters.
#[derive(Clone, Debug)]
pub enum SensorKind {
    /// Gyro and accelerometer, optionally with attitude.
    Imu {
        /// Errors of the angular velocity [rad/s].
        gyro: Errors,
        /// Errors of the proper acceleration [m/s²].
        accelerometer: Errors,
        /// Standard deviation of roll, pitch and yaw [rad]; `None`: no attitude output.
        orientation_std: Option<[f64; 3]>,
    },
    /// Gyro, accelerometer and the attitude from a filter that also uses a magnetometer.
    Ahrs(Box<AhrsSpec>),
    /// Inertial navigation, with or without aiding sensors.
    Ins(Box<InsSpec>),
    /// GNSS receiver for position and velocity.
    Gnss(Box<GnssSpec>),
    /// Heading from two GNSS antennas.
    GnssHeading(HeadingSpec),
    /// Doppler velocity log (DVL).
    Dvl(Box<DvlSpec>),
    /// Absolute pressure sensor [Pa].
    Pressure(Errors),
    /// Three-axis magnetometer that measures the field [T].
    Magnetometer(Errors),
    /// Single-beam echo sounder along its x axis [m].
    Altimeter {
        /// Errors of the range [m].
        errors: Errors,
        /// Minimum and maximum range [m].
        limits: [f64; 2],
        /// Full beam width [rad].
        beam_width: f64,
    },
    /// Ground truth of pose and velocity.
    Odometry,
    /// Force and torque through the joint of the sensor's link, at So and expressed in S.
    Wrench {
        /// Errors of the force [N].
        force: Errors,
        /// Errors of the torque [N m].
        torque: Errors,
        /// True for the wrench of the child on the parent, false for that of the parent on the
        /// child.
        on_parent: bool,
    },
    /// Probe of one quantity of the water.
    Probe(Box<ProbeSpec>),
    /// Conductivity, temperature and pressure (CTD).
    Ctd(Box<CtdSpec>),
    /// Water sampler with bottles.
    WaterSampler(Box<SamplerSpec>),
    /// Barometer: air pressure [Pa].
    Barometer {
        /// Errors of the pressure [Pa].
        errors: Errors,
        /// Minimum and maximum reading [Pa].
        range: [f64; 2],
    },
    /// Wind speed and direction.
    Anemometer(Box<AnemometerSpec>),
    /// Detector of water in the hull.
    LeakDetector {
        /// Volume of water in its link that triggers it [m³]; `None`: it triggers where water
        /// reaches it.
        volume: Option<f64>,
    },
    /// Telemetry of a motor controller.
    Motor(Box<MotorSpec>),
    /// Voltage, current and charge of the battery.
    PowerMeter(Box<PowerSpec>),
    /// Exteroceptive sensor: sampled between steps and computed asynchronously.
    Exteroceptive(Arc<ExteroceptiveSpec>),
}

/// Exteroceptive sensor with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum ExteroceptiveSpec {
    /// Scanning laser, planar or multi-ring.
    Laser(LaserSpec),
    /// Camera with lens, exposure and noise.
    Camera(CameraSpec),
    /// Active sonar of any type.
    Sonar(SonarSpec),
    /// Acoustic positioning instrument (hydrophone, USBL, LBL, SBL).
    Acoustic(AcousticSpec),
    /// Obstacle detector, from the echoes of another sensor or from the obstacles of the world
    /// file.
    Obstacles(DetectorSpec),
    /// Receiver of AIS messages.
    Ais(ReceiverSpec),
    /// Navigation radar with rotating antenna.
    Radar(RadarSpec),
}

impl ExteroceptiveSpec {
    /// Returns true if the sensor outputs ranges or positions, to which a fault can add an offset.
    pub fn supports_offset_faults(&self) -> bool {
        match self {
            ExteroceptiveSpec::Laser(_)
            | ExteroceptiveSpec::Acoustic(_)
            | ExteroceptiveSpec::Obstacles(_) => true,
            ExteroceptiveSpec::Sonar(spec) => spec.kind == SonarKind::Multibeam || spec.profiles,
            ExteroceptiveSpec::Camera(_)
            | ExteroceptiveSpec::Ais(_)
            | ExteroceptiveSpec::Radar(_) => false,
        }
    }

    /// Returns the duration of a sample [ns].
    pub fn sample_duration_ns(&self) -> u64 {
        match self {
            ExteroceptiveSpec::Laser(spec) => (spec.sweep * 1e9) as u64,
            ExteroceptiveSpec::Camera(spec) => ((spec.readout + spec.exposure_time) * 1e9) as u64,
            ExteroceptiveSpec::Sonar(spec) => (spec.listens() * 1e9) as u64,
            ExteroceptiveSpec::Acoustic(spec) => (spec.listens * 1e9) as u64,
            ExteroceptiveSpec::Obstacles(spec) => spec.takes_ns,
            ExteroceptiveSpec::Ais(_) => 0,
            ExteroceptiveSpec::Radar(spec) => spec.takes_ns,
        }
    }
}

impl Sensor {
    /// Returns the time of sample `k` [ns]. It is computed from the count, so a rate that does not
    /// divide a second does not drift.
    pub fn sample_ns(&self, k: u64) -> u64 {
        // the simulated time may exceed the range of u64 nanoseconds
        self.start_ns
            .saturating_add((k as f64 * 1e9 / self.rate) as u64)
    }

    /// Returns the last sample at or before `time_ns`; 0 before the first sample.
    pub fn sample_index(&self, time_ns: u64) -> u64 {
        let k = (time_ns.saturating_sub(self.start_ns) as f64 * 1e-9 * self.rate) as u64;
        // corrects a rounding error of one sample
        if self.sample_ns(k + 1) <= time_ns {
            k + 1
        } else {
            k
        }
    }

    /// Returns the stamps [ns] of the samples before and after the sample stamped `stamp_ns`; the
    /// former is `None` for the first sample. An exteroceptive sensor samples at the first step of
    /// `dt_ns` that is not before the nominal time.
    pub fn adjacent_stamps(&self, stamp_ns: u64, dt_ns: u64) -> (Option<u64>, u64) {
        let k = self.sample_index(stamp_ns);
        let stamp = |k: u64| self.sample_ns(k).div_ceil(dt_ns).saturating_mul(dt_ns);
        (k.checked_sub(1).map(stamp), stamp(k + 1))
    }

    /// Returns the minimum sample rate [Hz]; lower than `rate` only for a sensor whose rate depends
    /// on its measurements.
    pub fn min_rate(&self) -> f64 {
        match self.ping_rates() {
            Some(pace) => pace.min_rate().min(self.rate),
            None => self.rate,
        }
    }

    /// Returns the rate table of a sensor whose rate depends on its measurements.
    pub fn ping_rates(&self) -> Option<&PingRates> {
        match &self.kind {
            SensorKind::Dvl(spec) => spec.ping_rates.as_ref(),
            _ => None,
        }
    }
}

impl SensorKind {
    /// Returns the tilt unit that carries the sensor, if any.
    pub fn tilt(&self) -> Option<&Tilt> {
        match &**self.exteroceptive()? {
            ExteroceptiveSpec::Laser(spec) => spec.tilt.as_ref(),
            ExteroceptiveSpec::Sonar(spec) => spec.tilt.as_ref(),
            _ => None,
        }
    }

    /// Returns the parameters of an exteroceptive sensor, if it is one.
    pub fn exteroceptive(&self) -> Option<&Arc<ExteroceptiveSpec>> {
        if let SensorKind::Exteroceptive(looks) = self {
            Some(looks)
        } else {
            None
        }
    }

    /// Returns the channels that can have separate faults.
    pub fn fault_channels(&self) -> &'static [&'static str] {
        match self {
            SensorKind::Imu { .. } | SensorKind::Ahrs(_) | SensorKind::Ins(_) => {
                &["gyro", "accelerometer"]
            }
            SensorKind::Ctd(_) => &["temperature", "conductivity", "pressure"],
            SensorKind::Anemometer(_) => &["speed", "direction"],
            SensorKind::Motor(_) => &["speed", "current", "voltage", "temperature"],
            SensorKind::PowerMeter(_) => &["voltage", "current"],
            _ => &[],
        }
    }

    /// Returns the type name as in world files and in `describe`.
    pub fn name(&self) -> &'static str {
        match self {
            SensorKind::Imu { .. } => "imu",
            SensorKind::Ahrs(_) => "ahrs",
            SensorKind::Ins(_) => "ins",
            SensorKind::Gnss(_) => "gnss",
            SensorKind::GnssHeading(_) => "gnss_heading",
            SensorKind::Dvl(_) => "dvl",
            SensorKind::Pressure(_) => "pressure",
            SensorKind::Magnetometer(_) => "magnetometer",
            SensorKind::Altimeter { .. } => "altimeter",
            SensorKind::Odometry => "odometry",
            SensorKind::Wrench { .. } => "wrench",
            SensorKind::Probe(_) => "probe",
            SensorKind::Ctd(_) => "ctd",
            SensorKind::WaterSampler(_) => "water_sampler",
            SensorKind::Barometer { .. } => "barometer",
            SensorKind::Anemometer(_) => "anemometer",
            SensorKind::LeakDetector { .. } => "leak_detector",
            SensorKind::Motor(_) => "motor_telemetry",
            SensorKind::PowerMeter(_) => "power_meter",
            SensorKind::Exteroceptive(looks) => match &**looks {
                ExteroceptiveSpec::Laser(LaserSpec { tilt: Some(_), .. }) => "tilting_laser",
                ExteroceptiveSpec::Laser(LaserSpec {
                    output: LaserOutput::Scan,
                    ..
                }) => "laser",
                ExteroceptiveSpec::Laser(LaserSpec {
                    output: LaserOutput::Cloud,
                    ..
                }) => "lidar",
                ExteroceptiveSpec::Camera(_) => "camera",
                ExteroceptiveSpec::Sonar(SonarSpec {
                    kind: SonarKind::Imaging,
                    ..
                }) => "imaging_sonar",
                ExteroceptiveSpec::Sonar(SonarSpec {
                    kind: SonarKind::Multibeam,
                    ..
                }) => "multibeam",
                ExteroceptiveSpec::Sonar(SonarSpec {
                    kind: SonarKind::SideScan,
                    ..
                }) => "side_scan",
                ExteroceptiveSpec::Sonar(SonarSpec {
                    kind: SonarKind::Scanning,
                    ..
                }) => "scanning_sonar",
                ExteroceptiveSpec::Obstacles(_) => "obstacle_detector",
                ExteroceptiveSpec::Ais(_) => "ais_receiver",
                ExteroceptiveSpec::Radar(_) => "radar",
                ExteroceptiveSpec::Acoustic(AcousticSpec {
                    kind: AcousticKind::Hydrophone { .. },
                    ..
                }) => "hydrophone",
                ExteroceptiveSpec::Acoustic(AcousticSpec {
                    kind: AcousticKind::Usbl { .. },
                    ..
                }) => "usbl",
                ExteroceptiveSpec::Acoustic(AcousticSpec {
                    kind: AcousticKind::Lbl { .. },
                    ..
                }) => "lbl",
                ExteroceptiveSpec::Acoustic(AcousticSpec {
                    kind: AcousticKind::Sbl { .. },
                    ..
                }) => "sbl",
            },
        }
    }
}

/// Doppler velocity log with four beams.
#[derive(Clone, Debug)]
pub struct DvlSpec {
    /// Unit beam directions in S, pointing away from the transducer.
    pub beams: [Vec3; 4],
    /// Standard deviation of the bottom-track velocity of a beam [m/s].
    pub bottom_std: f64,
    /// Standard deviation of the water-track velocity of a beam [m/s].
    pub water_std: f64,
    /// Standard deviation of the relative scale error of the velocity [-].
    pub scale_std: f64,
    /// Standard deviation of the range of a beam [m].
    pub range_std: f64,
    /// Minimum and maximum altitude for bottom lock [m].
    pub altitude: [f64; 2],
    /// Distances of the water-track layer below the transducer, start and end [m]; `None`: no water
    /// track.
    pub water_layer: Option<[f64; 2]>,
    /// Maximum speed along a beam [m/s].
    pub max_beam_speed: f64,
    /// Resolution of the velocity [m/s].
    pub resolution: f64,
    /// Fraction of the beams lost at maximum range, 0..1; proportional to the square of the range.
    pub beam_loss: f64,
    /// Ping rate as a function of altitude; `None`: the rate of the sensor.
    pub ping_rates: Option<PingRates>,
}

/// Ping rate of a DVL as a function of its last measurement [Hz].
#[derive(Clone, Debug)]
pub struct PingRates {
    /// Range modes: minimum altitude [m], ascending from 0, and ping rate [Hz].
    pub modes: Vec<[f64; 2]>,
    /// Ping rate during water track only [Hz].
    pub water: f64,
    /// Ping rate without bottom or water track [Hz].
    pub search: f64,
}

impl PingRates {
    /// Returns the ping rate [Hz] for the last measured `altitude` [m]. Without an altitude it is
    /// the water-track rate if `tracks_water` is true, otherwise the search rate.
    pub fn rate(&self, altitude: Option<f64>, tracks_water: bool) -> f64 {
        match altitude {
            Some(altitude) => {
                let mode = self.modes.iter().rfind(|[from, _]| *from <= altitude);
                mode.map_or(self.search, |[_, rate]| *rate)
            }
            None if tracks_water => self.water,
            None => self.search,
        }
    }

    /// Returns the minimum of all rates [Hz].
    pub fn min_rate(&self) -> f64 {
        self.modes
            .iter()
            .map(|[_, rate]| *rate)
            .fold(self.water.min(self.search), f64::min)
    }
}

/// Error model of a scalar or vector measurement in data-sheet terms. All values are per axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// White noise density [unit/√Hz]; the standard deviation of a sample is `density *
    /// sqrt(rate)`.
    pub density: f64,
    /// Bias instability B [unit]; the floor of the Allan deviation is 0.664 B.
    pub bias_instability: f64,
    /// Correlation time of the bias instability [s].
    pub bias_tau: f64,
    /// Rate random walk K [unit/√s].
    pub random_walk: f64,
    /// Standard deviation of the turn-on bias [unit].
    pub turn_on_bias: f64,
    /// Standard deviation of the scale error [-].
    pub scale_std: f64,
    /// Standard deviation of the misalignment of each axis [rad].
    pub misalignment_std: f64,
    /// Resolution of the reading [unit]; 0: continuous.
    pub resolution: f64,
    /// Full scale [unit]; infinite if unlimited.
    pub range: f64,
}

impl Noise {
    /// Returns the standard deviation of the Gauss-Markov process that models the bias instability
    /// [unit].
    pub fn markov_std(&self) -> f64 {
        self.bias_instability * Errors::ALLAN_FLOOR / Errors::ALLAN_PEAK
    }

    /// Error model of a perfect instrument.
    pub const NONE: Self = Self {
        density: 0.0,
        bias_instability: 0.0,
        bias_tau: 1.0,
        random_walk: 0.0,
        turn_on_bias: 0.0,
        scale_std: 0.0,
        misalignment_std: 0.0,
        resolution: 0.0,
        range: f64::INFINITY,
    };
}

/// Error model of one instrument at its sample rate: per-sample values from the data sheet, and its
/// fixed errors drawn at random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// Standard deviation of the white noise of a sample [unit].
    pub white: f64,
    /// Bias instability: factor on the bias per sample, 0..1.
    pub bias_keep: f64,
    /// Bias instability: standard deviation of the increment per sample [unit].
    pub bias_step: f64,
    /// Random walk: standard deviation of the increment per sample [unit].
    pub walk_step: f64,
    /// Scale and misalignment: measured = matrix * truth.
    pub matrix: Mat3,
    /// Turn-on bias per axis [unit].
    pub bias: Vec3,
    /// Resolution of the reading [unit]; 0: continuous.
    pub resolution: f64,
    /// Full scale of the reading [unit].
    pub range: f64,
}

impl Errors {
    /// Peak of the Allan deviation of a Gauss-Markov process relative to its standard deviation
    /// [IEEE 952-1997, C.1.1.4].
    const ALLAN_PEAK: f64 = 0.617;
    /// Floor of the Allan deviation relative to the bias instability B [IEEE 952-1997, eq. C.19].
    const ALLAN_FLOOR: f64 = 0.664;

    /// Creates the model from a data sheet for a sample `rate` [Hz]. The fixed errors are drawn
    /// from `stream`.
    pub fn new(noise: &Noise, rate: f64, stream: merrow_math::rng::Stream) -> Self {
        let dt = 1.0 / rate;
        let keep = libm::exp(-dt / noise.bias_tau);
        let bias_std = noise.markov_std();
        let mut draw = stream.draw(0);
        let mut triple = |std: f64| {
            Vec3::new(
                std * draw.normal(),
                std * draw.normal(),
                std * draw.normal(),
            )
        };
        let (scale, turn, bias) = (
            triple(noise.scale_std),
            triple(noise.misalignment_std),
            triple(noise.turn_on_bias),
        );
        let mut matrix = Mat3::identity() + Mat3::cross(turn);
        for i in 0..3 {
            matrix.r[i][i] = 1.0 + scale[i];
        }
        Self {
            white: noise.density * rate.sqrt(),
            bias_keep: keep,
            bias_step: bias_std * (1.0 - keep * keep).sqrt(),
            walk_step: noise.random_walk * dt.sqrt(),
            matrix,
            bias,
            resolution: noise.resolution,
            range: noise.range,
        }
    }

    /// Returns the variance of one sample without drift [unit²].
    pub fn variance(&self) -> f64 {
        self.white * self.white + self.resolution * self.resolution / 12.0
    }
}
