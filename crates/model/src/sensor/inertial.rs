//! Inertial sensors, magnetometers and inertial navigation: parameters and readings.

use crate::persist::Persist;
use crate::sensor::errors::instrument;
use crate::sensor::{Errors, Noise};
use merrow_math::{Mat3, Quat, Sym3, Vec3};
use merrow_yaml::spec::spec;

spec! {
    /// Angular velocity, proper acceleration, and attitude if `attitude_std_deg` is given.
    pub struct ImuKeys {
        /// Errors of the gyroscope [rad/s].
        gyro: Noise => "{}",
        /// Errors of the accelerometer [m/s2].
        accelerometer: Noise => "{}",
        /// Standard deviation of roll, pitch and yaw. Default: no attitude output.
        attitude_std_deg: Option<[f64; 3]> [non_negative],
    }
}

instrument! {
    /// Gyro and accelerometer, optionally with attitude.
    ImuSpec(ImuKeys) { gyro = "gyro", accelerometer = "accelerometer" }
}

/// Gyro, accelerometer and, for an AHRS, attitude.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Imu {
    /// Angular velocity w_WS_S [rad/s].
    pub angular_velocity: Vec3,
    /// Proper acceleration in S (+g upwards at rest) [m/s²].
    pub linear_acceleration: Vec3,
    /// Attitude of S in W, for sensors that estimate it.
    pub orientation: Option<Quat>,
    /// Variances of the components: gyro [rad²/s²], accelerometer [m²/s⁴], attitude about x, y, z
    /// [rad²].
    pub variances: [Vec3; 3],
}

spec! {
    /// An attitude and heading reference system (AHRS): a complementary filter of its own sensors.
    pub struct AhrsKeys {
        /// Errors of the gyroscope [rad/s].
        gyro: Noise => "{}",
        /// Errors of the accelerometer [m/s2].
        accelerometer: Noise => "{}",
        /// Errors of the magnetometer [T].
        magnetometer: Noise => "{}",
        /// Time constant with which the accelerometer corrects the tilt.
        tilt_time_constant_s: f64 [positive] = 10.0,
        /// Time constant with which the magnetometer corrects the heading.
        heading_time_constant_s: f64 [positive] = 10.0,
        /// Time constant of the gyroscope bias estimation.
        bias_time_constant_s: f64 [positive] = 100.0,
        /// Difference of the specific force from gravity above which the accelerometer is ignored.
        /// Default: never ignored.
        acceleration_gate_m_s2: Option<f64> [positive],
        /// Relative difference of the field from the Earth's field above which the magnetometer is
        /// ignored. Default: never ignored.
        field_gate_percent: Option<f64> [positive],
        /// Magnetic field of the vehicle's iron and currents at the sensor (forward, left, up).
        iron_nt: [f64; 3] = [0.0, 0.0, 0.0],
        /// Whether the heading is relative to true north; otherwise to magnetic north.
        true_north: bool = true,
        /// State of the filter at the start of the world.
        start: AhrsStart = AhrsStart::Aligned,
    }

    /// State of the filter of an AHRS at its start.
    pub enum AhrsStart words {
        /// As after a static phase in which the filter has settled, with its gyro bias estimated.
        Aligned = "aligned",
        /// Attitude from the first sample, gyro bias not estimated, as after switching on.
        Cold = "cold",
    }
}

impl AhrsKeys {
    /// Returns the difference of the specific force from gravity above which the accelerometer is
    /// ignored [m/s²].
    pub fn acceleration_gate(&self) -> f64 {
        self.acceleration_gate_m_s2.unwrap_or(f64::INFINITY)
    }

    /// Returns the relative difference of the field from the Earth's field above which the
    /// magnetometer is ignored [-].
    pub fn field_gate(&self) -> f64 {
        self.field_gate_percent.map_or(f64::INFINITY, |p| p / 100.0)
    }
}

instrument! {
    /// Attitude and heading reference system (AHRS): a filter over its own gyro, accelerometer and
    /// magnetometer.
    AhrsSpec(AhrsKeys) { gyro = "gyro", accelerometer = "accelerometer", magnetometer = "field" }
}

spec! {
    /// An inertial navigation system (INS).
    pub struct InsKeys {
        /// Errors of the gyroscope [rad/s].
        gyro: Noise => "{}",
        /// Errors of the accelerometer [m/s2].
        accelerometer: Noise => "{}",
        /// Standard deviation of each coordinate of the initial position.
        start_position_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of each component of the initial velocity.
        start_velocity_std_m_s: f64 [non_negative] = 0.0,
        /// Standard deviation of the initial attitude about east, north and up.
        start_attitude_std_deg: [f64; 3] [non_negative] = [0.0, 0.0, 0.0],
        /// Innovation gate: aiding measurements that deviate by more standard deviations than this
        /// are rejected.
        innovation_gate: f64 [positive] = 5.0,
    }
}

/// Inertial navigation system (INS).
#[derive(Clone, Debug)]
pub struct InsSpec {
    /// Keys of the system.
    pub keys: InsKeys,
    /// Errors of the angular velocity [rad/s].
    pub gyro: Errors,
    /// Errors of the proper acceleration [m/s²].
    pub accelerometer: Errors,
    /// Gyro noise model of the filter.
    pub gyro_model: NoiseModel,
    /// Accelerometer noise model of the filter.
    pub accelerometer_model: NoiseModel,
    /// Aiding sensors of the filter.
    pub aids: Aids,
}

impl InsSpec {
    /// Returns the standard deviation of the initial attitude about the horizontal axes and the
    /// vertical axis of W [rad].
    pub fn start_attitude_std(&self) -> [f64; 3] {
        self.keys.start_attitude_std_deg.map(f64::to_radians)
    }
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
    /// walk from zero with its initial growth rate. This is accurate for times below the
    /// correlation time and conservative for longer times.
    pub fn new(noise: &Noise) -> Self {
        let markov = noise.markov_std();
        let turn_on = noise.turn_on_bias_std;
        Self {
            white: noise.density * noise.density,
            bias: turn_on * turn_on,
            walk: 2.0 * markov * markov / noise.bias_correlation_time_s
                + noise.random_walk * noise.random_walk,
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
    pub correlation_time_s: f64,
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

/// Navigation solution of an INS with its covariances.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Navigation {
    /// Position of S in W [m].
    pub p_WS: Vec3,
    /// Attitude of S in W.
    pub q_WS: Quat,
    /// Linear velocity, expressed in S [m/s].
    pub v_WS_S: Vec3,
    /// Angular velocity, expressed in S [rad/s].
    pub w_WS_S: Vec3,
    /// Geodetic latitude and longitude [rad], height above the ellipsoid [m].
    pub position: [f64; 3],
    /// Covariance of the position in W [m²].
    pub position_covariance: Sym3,
    /// Cross-covariance of position (rows) and attitude error about the axes of W (columns) [m
    /// rad].
    pub cross_covariance: Mat3,
    /// Covariance of the attitude error about the axes of W [rad²].
    pub attitude_covariance: Sym3,
    /// Covariance of the linear velocity in S [m²/s²].
    pub velocity_covariance: Sym3,
    /// Variance of a component of the angular velocity [rad²/s²].
    pub rate_variance: f64,
}

spec! {
    /// Magnetic flux density [T].
    pub struct MagnetometerKeys {
        /// Errors of the flux density [T].
        errors: Noise => "{}",
    }
}

instrument! {
    /// Parameters of a three-axis magnetometer.
    MagnetometerSpec(MagnetometerKeys) { errors = "field" }
}

/// Reading of a magnetometer.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Magnetometer {
    /// Magnetic flux density in S [T].
    pub field: Vec3,
    /// Variances of the components [T²].
    pub variances: Vec3,
}
