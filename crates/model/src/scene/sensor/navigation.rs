//! Instruments that say where a robot is and how it lies, as built.

use crate::scene::sensor::{Errors, Noise};
use merrow_math::{Mat3, Vec3};

/// A satellite receiver.
#[derive(Clone, Debug)]
pub struct GnssSpec {
    /// Position noise under an open sky, horizontal (each axis) and vertical standard deviation [m].
    pub std: [f64; 2],
    /// Correlation time of the position error [s]; 0 white.
    pub tau: f64,
    /// Velocity noise, horizontal (each axis) and vertical standard deviation [m/s]; none: no velocity is given.
    pub velocity_std: Option<[f64; 2]>,
    /// What corrects it.
    pub augmentation: Augmentation,
    /// Whose satellites it uses, as bits.
    pub systems: u16,
    /// Depth of the antenna below which there is no fix [m].
    pub max_depth: f64,
    /// Seconds above water before the first fix returns.
    pub reacquisition: f64,
    /// Which satellites it may see; none: always enough of them.
    pub sky: Option<Sky>,
}

impl GnssSpec {
    /// Bit of the American satellites.
    pub const GPS: u16 = 1;
    /// Of the Russian.
    pub const GLONASS: u16 = 2;
    /// Of the Chinese.
    pub const BEIDOU: u16 = 4;
    /// Of the European.
    pub const GALILEO: u16 = 8;
}

/// What corrects a receiver's fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Augmentation {
    /// Nothing.
    None,
    /// Satellites.
    Satellites,
    /// Stations on the ground, as for RTK.
    Ground,
}

/// The satellites of a receiver, and how it takes echoes of their signals.
#[derive(Clone, Debug)]
pub struct Sky {
    /// Unit vectors to the satellites, in W.
    pub satellites: Vec<Vec3>,
    /// Dilution of precision if all are seen: horizontal and vertical.
    pub dilution: [f64; 2],
    /// Error of a range where every signal comes with an echo, standard deviation [m].
    pub multipath_std: f64,
    /// Correlation time of that error [s].
    pub multipath_tau: f64,
    /// Height over the water at which its echoes have fallen to 1/e [m].
    pub water_height: f64,
}

/// Two antennas that give a heading.
#[derive(Clone, Copy, Debug)]
pub struct HeadingSpec {
    /// Where they are, in S [m]; the heading is that of S, from the direction of the first to the second.
    pub antennas: [Vec3; 2],
    /// Standard deviation of each component of the second's place from the first [m].
    pub std: f64,
    /// Correlation time of that error [s]; 0 white.
    pub tau: f64,
    /// Depth of an antenna below which there is no heading [m].
    pub max_depth: f64,
    /// Seconds above water before the first heading returns.
    pub reacquisition: f64,
}

/// An attitude and heading reference system: a filter over its own gyro, accelerometer and magnetometer.
#[derive(Clone, Debug)]
pub struct AhrsSpec {
    /// Angular velocity [rad/s].
    pub gyro: Errors,
    /// Proper acceleration [m/s²].
    pub accelerometer: Errors,
    /// Magnetic field [T].
    pub magnetometer: Errors,
    /// Time constants of tilt, heading and gyro bias [s].
    pub times: [f64; 3],
    /// The accelerometer is left out while what it feels differs by more than this from gravity [m/s²].
    pub acceleration_gate: f64,
    /// The magnetometer is left out while the field's strength differs by more than this part from the Earth's.
    pub field_gate: f64,
    /// Field of the vehicle's iron, in S [T].
    pub iron: Vec3,
    /// True if the heading is from true north, false from magnetic north.
    pub true_north: bool,
    /// Standard deviations of the fixed errors: accelerometer bias [m/s²] and misalignment [rad], magnetometer bias [T], misalignment [rad] and scale.
    pub fixed: [f64; 5],
}

/// An inertial navigation system.
#[derive(Clone, Debug)]
pub struct InsSpec {
    /// Angular velocity [rad/s].
    pub gyro: Errors,
    /// Proper acceleration [m/s²].
    pub accelerometer: Errors,
    /// Standard deviation of the position it starts with, each axis [m].
    pub start_position: f64,
    /// Of the velocity, each axis [m/s].
    pub start_velocity: f64,
    /// Of the attitude about the world's horizontal axes and the vertical [rad].
    pub start_attitude: [f64; 3],
    /// What its filter knows of the gyro's noise.
    pub gyro_model: NoiseModel,
    /// And of the accelerometer's.
    pub accelerometer_model: NoiseModel,
    /// Innovations of more standard deviations than this are left out.
    pub gate: f64,
    /// What helps it.
    pub aids: Aids,
}

/// What a filter knows of the noise of a triad.
#[derive(Clone, Copy, Debug)]
pub struct NoiseModel {
    /// White noise, density squared [unit²/Hz].
    pub white: f64,
    /// Variance of the bias at the start [unit²].
    pub bias: f64,
    /// Growth of the bias' variance [unit²/s].
    pub walk: f64,
}

impl NoiseModel {
    /// Of a data sheet. A bias that wanders within bounds is taken to walk as fast as it does at first: right for times below its correlation time, and more
    /// than it does after that.
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

/// The sensors of the same robot that help an INS; each is an index among them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Aids {
    /// Velocity over the bottom.
    pub dvl: Option<DvlAid>,
    /// Position, and velocity if the receiver gives one.
    pub gnss: Option<GnssAid>,
    /// Depth.
    pub pressure: Option<PressureAid>,
}

/// A DVL.
#[derive(Clone, Copy, Debug)]
pub struct DvlAid {
    /// Which sensor.
    pub sensor: usize,
    /// Its place in the INS's frame S [m].
    pub p_SoD: Vec3,
    /// Its frame in S.
    pub R_SD: Mat3,
    /// Standard deviation of its scale.
    pub scale_std: f64,
}

/// A satellite receiver.
#[derive(Clone, Copy, Debug)]
pub struct GnssAid {
    /// Which sensor.
    pub sensor: usize,
    /// Its antenna in S [m].
    pub p_SoA: Vec3,
    /// Standard deviation of its position, horizontal and vertical [m].
    pub std: [f64; 2],
    /// Correlation time of that error [s]; 0 white.
    pub tau: f64,
}

/// A pressure sensor.
#[derive(Clone, Copy, Debug)]
pub struct PressureAid {
    /// Which sensor.
    pub sensor: usize,
    /// Its port in S [m].
    pub p_SoP: Vec3,
    /// Standard deviation of its bias [Pa].
    pub bias_std: f64,
}
