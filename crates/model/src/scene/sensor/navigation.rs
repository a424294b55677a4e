//! Parameters of navigation instruments: GNSS, GNSS heading, AHRS and INS.

use crate::scene::sensor::{Errors, Noise};
use merrow_math::{Mat3, Vec3};

/// GNSS receiver with its error model.
#[derive(Clone, Debug)]
pub struct GnssSpec {
    /// Standard deviation of the position under an open sky: horizontal (each axis) and vertical
    /// [m].
    pub std: [f64; 2],
    /// Correlation time of the position error [s]; 0: white noise.
    pub tau: f64,
    /// Standard deviation of the velocity: horizontal (each axis) and vertical [m/s]; `None`: the
    /// receiver outputs no velocity.
    pub velocity_std: Option<[f64; 2]>,
    /// Source of corrections for the position.
    pub augmentation: Augmentation,
    /// Satellite systems in use, as bits.
    pub systems: u16,
    /// Maximum antenna depth for a fix [m].
    pub max_depth: f64,
    /// Time above water until the first fix [s].
    pub reacquisition: f64,
    /// Satellites and multipath; `None`: a full constellation is always visible.
    pub constellation: Option<SatelliteConstellation>,
}

impl GnssSpec {
    /// Bit of GPS in `systems`.
    pub const GPS: u16 = 1;
    /// Bit of GLONASS in `systems`.
    pub const GLONASS: u16 = 2;
    /// Bit of BeiDou in `systems`.
    pub const BEIDOU: u16 = 4;
    /// Bit of Galileo in `systems`.
    pub const GALILEO: u16 = 8;
}

/// Source of corrections for a GNSS receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Augmentation {
    /// No corrections (autonomous receiver).
    None,
    /// Satellite-based augmentation system (SBAS).
    Satellites,
    /// Ground-based augmentation, such as RTK.
    Ground,
}

/// Satellites of a receiver and its multipath errors.
#[derive(Clone, Debug)]
pub struct SatelliteConstellation {
    /// Unit vectors to the satellites, in W.
    pub satellites: Vec<Vec3>,
    /// Dilution of precision with all satellites visible: horizontal and vertical.
    pub dilution: [f64; 2],
    /// Standard deviation of a range error where every signal has a multipath echo [m].
    pub multipath_std: f64,
    /// Correlation time of the multipath error [s].
    pub multipath_tau: f64,
    /// Height above water at which multipath from the water surface has decayed to 1/e [m].
    pub water_height: f64,
}

/// GNSS heading receiver with two antennas.
#[derive(Clone, Copy, Debug)]
pub struct HeadingSpec {
    /// Antenna positions in S [m]. The heading of S follows from the direction of the vector from
    /// the first antenna to the second.
    pub antennas: [Vec3; 2],
    /// Standard deviation of each component of the baseline vector [m].
    pub std: f64,
    /// Correlation time of the baseline error [s]; 0: white noise.
    pub tau: f64,
    /// Maximum antenna depth for a heading [m].
    pub max_depth: f64,
    /// Time above water until the first heading [s].
    pub reacquisition: f64,
}

/// Attitude and heading reference system (AHRS): a filter over its own gyro, accelerometer and
/// magnetometer.
#[derive(Clone, Debug)]
pub struct AhrsSpec {
    /// Errors of the angular velocity [rad/s].
    pub gyro: Errors,
    /// Errors of the proper acceleration [m/s²].
    pub accelerometer: Errors,
    /// Errors of the magnetic field [T].
    pub magnetometer: Errors,
    /// Time constants of the tilt, heading and gyro bias corrections [s].
    pub times: [f64; 3],
    /// The filter ignores the accelerometer while the measured magnitude deviates from gravity by
    /// more than this [m/s²].
    pub acceleration_gate: f64,
    /// The filter ignores the magnetometer while the field magnitude deviates from that of the
    /// Earth by more than this fraction.
    pub field_gate: f64,
    /// Hard-iron field of the vehicle, in S [T].
    pub iron: Vec3,
    /// True if the heading is relative to true north, false for magnetic north.
    pub true_north: bool,
    /// Standard deviations of the fixed errors: accelerometer bias [m/s²] and misalignment [rad];
    /// magnetometer bias [T], misalignment [rad] and scale [-].
    pub fixed: [f64; 5],
}

/// Inertial navigation system (INS).
#[derive(Clone, Debug)]
pub struct InsSpec {
    /// Errors of the angular velocity [rad/s].
    pub gyro: Errors,
    /// Errors of the proper acceleration [m/s²].
    pub accelerometer: Errors,
    /// Standard deviation of the initial position, each axis [m].
    pub start_position: f64,
    /// Standard deviation of the initial velocity, each axis [m/s].
    pub start_velocity: f64,
    /// Standard deviation of the initial attitude about the horizontal axes and the vertical axis
    /// of W [rad].
    pub start_attitude: [f64; 3],
    /// Gyro noise model of the filter.
    pub gyro_model: NoiseModel,
    /// Accelerometer noise model of the filter.
    pub accelerometer_model: NoiseModel,
    /// Innovation gate [standard deviations]; the filter rejects larger innovations.
    pub gate: f64,
    /// Aiding sensors of the filter.
    pub aids: Aids,
}

/// Noise model of a sensor triad, as used by the filter.
#[derive(Clone, Copy, Debug)]
pub struct NoiseModel {
    /// White noise: squared density [unit²/Hz].
    pub white: f64,
    /// Initial variance of the bias [unit²].
    pub bias: f64,
    /// Growth rate of the bias variance [unit²/s].
    pub walk: f64,
}

impl NoiseModel {
    /// Derives the model from a data sheet. The bounded Gauss-Markov bias is modelled as a random
    /// walk with its initial growth rate. This is accurate for times below the correlation time and
    /// conservative for longer times.
    pub fn new(noise: &Noise) -> Self {
        let markov = noise.markov_std();
        let turn_on = noise.turn_on_bias;
        Self {
            white: noise.density * noise.density,
            bias: turn_on * turn_on + markov * markov,
            walk: 2.0 * markov * markov / noise.bias_tau + noise.random_walk * noise.random_walk,
        }
    }
}

/// Aiding sensors of an INS on the same robot. Each aid refers to a sensor by its index.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aids {
    /// Velocity over ground from a DVL.
    pub dvl: Option<DvlAid>,
    /// Position, and velocity if the receiver outputs it.
    pub gnss: Option<GnssAid>,
    /// Depth from a pressure sensor.
    pub pressure: Option<PressureAid>,
}

/// DVL as an aiding sensor.
#[derive(Clone, Copy, Debug)]
pub struct DvlAid {
    /// Index of the sensor on the robot.
    pub sensor: usize,
    /// Position of the DVL in the INS frame S [m].
    pub p_SoD: Vec3,
    /// Rotation of the DVL frame in S.
    pub R_SD: Mat3,
    /// Standard deviation of the scale error [-].
    pub scale_std: f64,
}

/// GNSS receiver as an aiding sensor.
#[derive(Clone, Copy, Debug)]
pub struct GnssAid {
    /// Index of the sensor on the robot.
    pub sensor: usize,
    /// Position of the antenna in S [m].
    pub p_SoA: Vec3,
    /// Standard deviation of the position: horizontal and vertical [m].
    pub std: [f64; 2],
    /// Correlation time of the position error [s]; 0: white noise.
    pub tau: f64,
}

/// Pressure sensor as an aiding sensor.
#[derive(Clone, Copy, Debug)]
pub struct PressureAid {
    /// Index of the sensor on the robot.
    pub sensor: usize,
    /// Position of the pressure port in S [m].
    pub p_SoP: Vec3,
    /// Standard deviation of the bias [Pa].
    pub bias_std: f64,
}
