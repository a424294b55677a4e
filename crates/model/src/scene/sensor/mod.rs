//! Sensors as built: where they sit, how often and how late they speak, how they err.

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

/// A sensor on a link.
#[derive(Clone, Debug)]
pub struct Sensor {
    /// Name; part of its topic and frame.
    pub name: String,
    /// Link it is mounted on.
    pub link: usize,
    /// Its place in the link frame L [m].
    pub p_LoS: Vec3,
    /// Its frame S in L.
    pub R_LS: Mat3,
    /// Place and attitude in the user's link frame, for `tf_static`.
    pub p_UoS_U: Vec3,
    /// Its frame in the user's link frame.
    pub R_US: Mat3,
    /// Samples per second.
    pub rate: f64,
    /// From measurement to delivery [ns].
    pub latency_ns: u64,
    /// First sample at this time [ns].
    pub start_ns: u64,
    /// Part of the samples that are lost, 0..1.
    pub drop_out: f64,
    /// Readings that can be in flight at once.
    pub queue: usize,
    /// Power that it draws [W].
    pub power: f64,
    /// Source of its random numbers.
    pub stream: merrow_math::rng::Stream,
    /// True if nothing is worked out that nobody wants; of sensors that look around.
    pub lazy: bool,
    /// How its messages are offered.
    pub offer: Offer,
    /// What it measures.
    pub kind: SensorKind,
}

/// How messages are offered to those who want them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Whether lost ones are sent again.
    pub reliable: bool,
    /// How many are kept for who is behind.
    pub depth: u32,
}

/// What a sensor measures, and its particulars.
#[derive(Clone, Debug)]
pub enum SensorKind {
    /// Gyro, accelerometer, optionally attitude.
    Imu {
        /// Angular velocity [rad/s].
        gyro: Errors,
        /// Proper acceleration [m/s²].
        accelerometer: Errors,
        /// Standard deviation of roll, pitch and yaw [rad]; none: the device has no attitude.
        orientation_std: Option<[f64; 3]>,
    },
    /// Gyro, accelerometer and the attitude that a filter makes of them and a magnetometer.
    Ahrs(Box<AhrsSpec>),
    /// Inertial navigation, with or without aids.
    Ins(Box<InsSpec>),
    /// Satellite position.
    Gnss(Box<GnssSpec>),
    /// Heading from two satellite antennas.
    GnssHeading(HeadingSpec),
    /// Doppler velocity log.
    Dvl(Box<DvlSpec>),
    /// Absolute pressure [Pa].
    Pressure(Errors),
    /// Magnetic field [T].
    Magnetometer(Errors),
    /// Echo sounder straight down its x axis [m].
    Altimeter {
        /// Range errors.
        errors: Errors,
        /// Least and largest range [m].
        limits: [f64; 2],
        /// Full beam width [rad].
        beam_width: f64,
    },
    /// Ground truth.
    Odometry,
    /// Force and torque through the joint of the sensor's link, at S in S.
    Wrench {
        /// Force [N].
        force: Errors,
        /// Torque [N m].
        torque: Errors,
        /// True for what the child exerts on the parent, false for what the parent exerts on the child.
        on_parent: bool,
    },
    /// One quantity of the water.
    Probe(Box<ProbeSpec>),
    /// Conductivity, temperature and pressure.
    Ctd(Box<CtdSpec>),
    /// Water in bottles.
    WaterSampler(Box<SamplerSpec>),
    /// Pressure of the air [Pa].
    Barometer {
        /// Errors.
        errors: Errors,
        /// Least and largest reading.
        range: [f64; 2],
    },
    /// Wind.
    Anemometer(Box<AnemometerSpec>),
    /// Water in the hull.
    LeakDetector {
        /// Volume of water in its link from which it trips [m³]; none: where water reaches it.
        volume: Option<f64>,
    },
    /// What a motor controller tells.
    Motor(Box<MotorSpec>),
    /// Voltage, current and charge of the battery.
    PowerMeter(Box<PowerSpec>),
    /// One that looks around: it is sampled between steps, and worked out beside them.
    Looks(Arc<Looks>),
}

/// A sensor that looks around.
#[derive(Clone, Debug, PartialEq)]
pub enum Looks {
    /// With a laser.
    Laser(LaserSpec),
    /// With a camera.
    Camera(CameraSpec),
    /// With sound.
    Sonar(SonarSpec),
    /// For the sound of beacons.
    Acoustic(AcousticSpec),
    /// For obstacles, through another sensor or by what the world lists.
    Obstacles(DetectorSpec),
    /// For what vessels tell of themselves by radio.
    Ais(ReceiverSpec),
    /// By radar.
    Radar(RadarSpec),
}

impl Looks {
    /// True if it brings ranges or places, which faults can set off.
    pub fn measures(&self) -> bool {
        match self {
            Looks::Laser(_) | Looks::Acoustic(_) | Looks::Obstacles(_) => true,
            Looks::Sonar(spec) => spec.kind == SonarKind::Multibeam || spec.profiles,
            Looks::Camera(_) | Looks::Ais(_) | Looks::Radar(_) => false,
        }
    }

    /// How long a sample takes [ns].
    pub fn takes_ns(&self) -> u64 {
        match self {
            Looks::Laser(spec) => (spec.sweep * 1e9) as u64,
            Looks::Camera(spec) => ((spec.readout + spec.open) * 1e9) as u64,
            Looks::Sonar(spec) => (spec.listens() * 1e9) as u64,
            Looks::Acoustic(spec) => (spec.listens * 1e9) as u64,
            Looks::Obstacles(spec) => spec.takes_ns,
            Looks::Ais(_) => 0,
            Looks::Radar(spec) => spec.takes_ns,
        }
    }
}

impl Sensor {
    /// Instant of sample `k` [ns]: computed from the count, so that a rate that does not divide a second never drifts.
    pub fn sample_ns(&self, k: u64) -> u64 {
        // a run may be longer than the count of nanoseconds
        self.start_ns
            .saturating_add((k as f64 * 1e9 / self.rate) as u64)
    }

    /// The last sample at an instant [ns] or before; the first before that.
    pub fn sample_at(&self, time_ns: u64) -> u64 {
        let k = (time_ns.saturating_sub(self.start_ns) as f64 * 1e-9 * self.rate) as u64;
        // what is rounded may be one off
        if self.sample_ns(k + 1) <= time_ns {
            k + 1
        } else {
            k
        }
    }

    /// Stamps of the samples before the one stamped `stamp_ns`, if it was not the first, and after it: a sensor that looks around takes each at the first step
    /// of `dt_ns` that is not before its instant [ns].
    pub fn stamps_about(&self, stamp_ns: u64, dt_ns: u64) -> (Option<u64>, u64) {
        let k = self.sample_at(stamp_ns);
        let stamp = |k: u64| self.sample_ns(k).div_ceil(dt_ns).saturating_mul(dt_ns);
        (k.checked_sub(1).map(stamp), stamp(k + 1))
    }

    /// Least samples a second; its rate, but for one whose rate depends on what it finds [Hz].
    pub fn least_rate(&self) -> f64 {
        match self.pace() {
            Some(pace) => pace.least().min(self.rate),
            None => self.rate,
        }
    }

    /// How its rate depends on what it finds, if it does.
    pub fn pace(&self) -> Option<&Pace> {
        match &self.kind {
            SensorKind::Dvl(spec) => spec.pace.as_ref(),
            _ => None,
        }
    }
}

impl SensorKind {
    /// The unit that nods it, if one does.
    pub fn tilt(&self) -> Option<&Tilt> {
        match &**self.looks()? {
            Looks::Laser(spec) => spec.tilt.as_ref(),
            Looks::Sonar(spec) => spec.tilt.as_ref(),
            _ => None,
        }
    }

    /// What it looks around with, if it does.
    pub fn looks(&self) -> Option<&Arc<Looks>> {
        if let SensorKind::Looks(looks) = self {
            Some(looks)
        } else {
            None
        }
    }

    /// What of it can have faults of its own.
    pub fn parts(&self) -> &'static [&'static str] {
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

    /// As written in world files and `describe`.
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
            SensorKind::Looks(looks) => match &**looks {
                Looks::Laser(LaserSpec { tilt: Some(_), .. }) => "tilting_laser",
                Looks::Laser(LaserSpec {
                    output: LaserOutput::Scan,
                    ..
                }) => "laser",
                Looks::Laser(LaserSpec {
                    output: LaserOutput::Cloud,
                    ..
                }) => "lidar",
                Looks::Camera(_) => "camera",
                Looks::Sonar(SonarSpec {
                    kind: SonarKind::Imaging,
                    ..
                }) => "imaging_sonar",
                Looks::Sonar(SonarSpec {
                    kind: SonarKind::Multibeam,
                    ..
                }) => "multibeam",
                Looks::Sonar(SonarSpec {
                    kind: SonarKind::SideScan,
                    ..
                }) => "side_scan",
                Looks::Sonar(SonarSpec {
                    kind: SonarKind::Scanning,
                    ..
                }) => "scanning_sonar",
                Looks::Obstacles(_) => "obstacle_detector",
                Looks::Ais(_) => "ais_receiver",
                Looks::Radar(_) => "radar",
                Looks::Acoustic(AcousticSpec {
                    kind: AcousticKind::Hydrophone { .. },
                    ..
                }) => "hydrophone",
                Looks::Acoustic(AcousticSpec {
                    kind: AcousticKind::Usbl { .. },
                    ..
                }) => "usbl",
                Looks::Acoustic(AcousticSpec {
                    kind: AcousticKind::Lbl { .. },
                    ..
                }) => "lbl",
                Looks::Acoustic(AcousticSpec {
                    kind: AcousticKind::Sbl { .. },
                    ..
                }) => "sbl",
            },
        }
    }
}

/// A Doppler velocity log of four beams.
#[derive(Clone, Debug)]
pub struct DvlSpec {
    /// Beam directions in S, unit, pointing out of the transducer.
    pub beams: [Vec3; 4],
    /// Standard deviation of a beam's velocity over the bottom [m/s].
    pub bottom_std: f64,
    /// Standard deviation of a beam's velocity through the water [m/s].
    pub water_std: f64,
    /// Scale error of the velocity, standard deviation over units.
    pub scale_std: f64,
    /// Standard deviation of a beam's range [m].
    pub range_std: f64,
    /// Least and largest altitude for bottom lock [m].
    pub altitude: [f64; 2],
    /// Distance of the water-track layer below the transducer [m]; none: no water track.
    pub water_layer: Option<[f64; 2]>,
    /// Largest speed along a beam [m/s].
    pub max_beam_speed: f64,
    /// Step of the velocity reading [m/s].
    pub resolution: f64,
    /// Beams are lost at this rate at the largest range, rising with the square of the range; 0..1.
    pub beam_loss: f64,
    /// How often it pings; none: at the sensor's rate.
    pub pace: Option<Pace>,
}

/// How often a DVL pings by what it found last [Hz].
#[derive(Clone, Debug)]
pub struct Pace {
    /// Altitude from which each of its range modes is used [m], rising from 0, and the mode's rate.
    pub modes: Vec<[f64; 2]>,
    /// While it tracks the water.
    pub water: f64,
    /// While it has neither.
    pub search: f64,
}

impl Pace {
    /// Its rate where it last found the bottom at an `altitude` [m]; without one that of the water, if it tracks that, or of a search.
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

    /// The lowest of its rates.
    pub fn least(&self) -> f64 {
        self.modes
            .iter()
            .map(|[_, rate]| *rate)
            .fold(self.water.min(self.search), f64::min)
    }
}

/// How a scalar or vector measurement errs, as a data sheet says it. All per axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// White noise density [unit/√Hz]; a sample's deviation is `density * sqrt(rate)`.
    pub density: f64,
    /// Bias instability B [unit]; the Allan deviation's floor is 0.664 B.
    pub bias_instability: f64,
    /// Correlation time of the bias instability [s].
    pub bias_tau: f64,
    /// Rate random walk K [unit/√s].
    pub random_walk: f64,
    /// Turn-on bias, standard deviation [unit].
    pub turn_on_bias: f64,
    /// Scale error, standard deviation [1].
    pub scale_std: f64,
    /// Misalignment of each axis, standard deviation [rad].
    pub misalignment_std: f64,
    /// Step of the reading [unit]; 0 continuous.
    pub resolution: f64,
    /// Full scale [unit]; infinite if unlimited.
    pub range: f64,
}

impl Noise {
    /// Standard deviation of the bias instability's Gauss-Markov process [unit].
    pub fn markov_std(&self) -> f64 {
        self.bias_instability * Errors::ALLAN_FLOOR / Errors::ALLAN_PEAK
    }

    /// A perfect instrument.
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

/// The errors of one instrument at its rate: the data sheet's densities made into steps, and its own fixed errors drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// Standard deviation of the white noise of a sample [unit].
    pub white: f64,
    /// Bias instability: what remains of it after one sample, 0..1.
    pub bias_keep: f64,
    /// Bias instability: standard deviation of what is added per sample [unit].
    pub bias_step: f64,
    /// Random walk: standard deviation of a step [unit].
    pub walk_step: f64,
    /// Scale and misalignment: measured = matrix * truth.
    pub matrix: Mat3,
    /// Turn-on bias [unit].
    pub bias: Vec3,
    /// Step of the reading [unit]; 0 continuous.
    pub resolution: f64,
    /// Full scale [unit].
    pub range: f64,
}

impl Errors {
    /// Peak of a Gauss-Markov process's Allan deviation over its standard deviation [IEEE 952-1997, C.1.1.4].
    const ALLAN_PEAK: f64 = 0.617;
    /// Allan deviation's floor over the bias instability B [IEEE 952-1997, eq. C.19].
    const ALLAN_FLOOR: f64 = 0.664;

    /// From a data sheet, at `rate` [Hz], the fixed errors drawn from `stream`.
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

    /// Variance of one sample, drift left out.
    pub fn variance(&self) -> f64 {
        self.white * self.white + self.resolution * self.resolution / 12.0
    }
}
