//! What sensors say: one value type per kind, with its covariance, stamped with the instant it was measured at.

use crate::scene::sensor::navigation::Augmentation;
use crate::state::bottle::Bottle;
use merrow_math::{Mat3, Quat, Sym3, Vec3};

/// A reading and the instant of its measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stamped {
    /// Instant of measurement [ns].
    pub stamp_ns: u64,
    /// The reading.
    pub reading: Reading,
}

/// A reading of any sensor. Vectors are in the sensor's frame S unless they say otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // readings live in preallocated queues; boxing would allocate in the step
pub enum Reading {
    /// Inertial measurement.
    Imu(Imu),
    /// Position fix.
    Gnss(Gnss),
    /// Heading from two antennas.
    Heading(Heading),
    /// Position, velocity and attitude.
    Navigation(Navigation),
    /// Velocity over ground or through the water.
    Dvl(Dvl),
    /// Absolute pressure.
    Pressure(Pressure),
    /// Magnetic field.
    Magnetometer(Magnetometer),
    /// Height over the bottom.
    Altimeter(Altimeter),
    /// Ground truth.
    Odometry(Odometry),
    /// Force and torque through a joint.
    Wrench(Wrench),
    /// One quantity of the water.
    Probe(Probe),
    /// Conductivity, temperature and pressure.
    Ctd(Ctd),
    /// A bottle of a water sampler.
    Bottle(Bottle),
    /// Wind.
    Wind(Wind),
    /// Water in the hull.
    Leak(Leak),
    /// What a motor controller tells.
    Motor(Motor),
    /// Voltage, current and charge of the battery.
    Power(Power),
}

/// Gyro, accelerometer and, for an AHRS, attitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Imu {
    /// Angular velocity w_WS_S [rad/s].
    pub angular_velocity: Vec3,
    /// Proper acceleration (at rest +g upwards) in S [m/s²].
    pub linear_acceleration: Vec3,
    /// Attitude of S in W, for sensors that estimate it.
    pub orientation: Option<Quat>,
    /// Variances: gyro [rad²/s²], accelerometer [m²/s⁴], attitude [rad²] about x, y, z.
    pub variances: [f64; 5],
}

/// A GNSS fix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gnss {
    /// True with a fix; without one the position is NaN.
    pub fix: bool,
    /// Geodetic latitude, longitude [rad], height above the ellipsoid [m].
    pub position: [f64; 3],
    /// Velocity east, north, up [m/s]; NaN without a fix or from a receiver that gives none.
    pub velocity: Vec3,
    /// Variances east, north, up [m²].
    pub variances: [f64; 3],
    /// Variances of the velocity [m²/s²].
    pub velocity_variances: [f64; 3],
    /// What corrects it.
    pub augmentation: Augmentation,
    /// Satellites that are heard; none from a receiver without a sky.
    pub satellites: Option<usize>,
    /// Dilution of precision, horizontal and vertical; none without a sky or without a fix.
    pub dilution: Option<[f64; 2]>,
}

/// Heading of a sensor's frame about the vertical.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heading {
    /// From east, counter-clockwise [rad]; NaN where there is none.
    pub yaw: f64,
    /// Variance [rad²].
    pub variance: f64,
}

/// What an INS has found, with its covariances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Navigation {
    /// Position of S in W [m].
    pub p_WS: Vec3,
    /// Attitude of S in W.
    pub q_WS: Quat,
    /// Linear velocity in S [m/s].
    pub v_WS_S: Vec3,
    /// Angular velocity in S [rad/s].
    pub w_WS_S: Vec3,
    /// Latitude, longitude [rad], height above the ellipsoid [m].
    pub position: [f64; 3],
    /// Covariance of the position in W [m²].
    pub position_covariance: Sym3,
    /// Of position (rows) and attitude, as a turn about the axes of W (columns) [m rad].
    pub cross_covariance: Mat3,
    /// Of the attitude [rad²].
    pub attitude_covariance: Sym3,
    /// Of the linear velocity in S [m²/s²].
    pub velocity_covariance: Sym3,
    /// Variance of a component of the angular velocity [rad²/s²].
    pub rate_variance: f64,
}

/// What the DVL's velocity is measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DvlLock {
    /// The bottom.
    Bottom,
    /// The water below the vehicle.
    Water,
    /// Nothing: too few beams.
    None,
}

/// One acoustic beam of a DVL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DvlBeam {
    /// Unit vector out of the transducer, in S.
    pub direction: Vec3,
    /// True if the beam has an echo of the bottom.
    pub bottom: bool,
    /// Slant range to the bottom [m]; NaN without an echo.
    pub range: f64,
    /// Velocity along the beam, positive out of the transducer [m/s]; NaN if invalid.
    pub velocity: f64,
}

/// A Doppler velocity log's ping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dvl {
    /// What the velocity is relative to.
    pub lock: DvlLock,
    /// Velocity of S, expressed in S [m/s]; NaN without lock.
    pub velocity: Vec3,
    /// Covariance of the velocity [m²/s²], row-major.
    pub covariance: [f64; 9],
    /// Height over the bottom [m]; NaN without bottom lock.
    pub altitude: f64,
    /// The beams.
    pub beams: [DvlBeam; 4],
    /// Variances of a beam's velocity [m²/s²] and range [m²].
    pub beam_variances: [f64; 2],
    /// Sound speed that the instrument uses [m/s].
    pub sound_speed: f64,
}

/// Absolute pressure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressure {
    /// Absolute pressure [Pa].
    pub pressure: f64,
    /// Variance [Pa²].
    pub variance: f64,
}

/// Magnetic field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Magnetometer {
    /// Flux density in S [T].
    pub field: Vec3,
    /// Variance of a component [T²].
    pub variance: f64,
}

/// Distance to the bottom along the beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Altimeter {
    /// Range [m]; +inf beyond the range, -inf below the least range (REP-117).
    pub range: f64,
    /// Least and largest range [m].
    pub limits: [f64; 2],
    /// Full beam width [rad].
    pub beam_width: f64,
    /// Variance [m²].
    pub variance: f64,
}

/// Pose in W, velocity in S.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odometry {
    /// Position of S in W [m].
    pub p_WS: Vec3,
    /// Attitude of S in W.
    pub q_WS: Quat,
    /// Linear velocity in S [m/s].
    pub v_WS_S: Vec3,
    /// Angular velocity in S [rad/s].
    pub w_WS_S: Vec3,
}

/// Force and torque through a joint, at the sensor, in S.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench {
    /// Force [N].
    pub force: Vec3,
    /// Torque [N m].
    pub torque: Vec3,
    /// Variances of a component of force [N²] and torque [N² m²].
    pub variances: [f64; 2],
}

/// One quantity of the water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Its value, in the unit of the quantity; NaN where there is none.
    pub value: f64,
    /// Its variance.
    pub variance: f64,
}

/// What a CTD measures, and what it makes of that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ctd {
    /// Temperature (ITS-90) [°C].
    pub temperature: f64,
    /// Conductivity [S/m].
    pub conductivity: f64,
    /// Absolute pressure [Pa].
    pub pressure: f64,
    /// Practical salinity.
    pub salinity: f64,
    /// Depth [m].
    pub depth: f64,
    /// Speed of sound [m/s].
    pub sound_speed: f64,
    /// Variances of temperature [K²], conductivity [S²/m²] and pressure [Pa²].
    pub variances: [f64; 3],
}

/// Apparent wind across the mast; NaN where there is none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// Speed [m/s].
    pub speed: f64,
    /// Where it comes from, clockwise from x of the sensor as seen from above [rad].
    pub from: f64,
    /// Velocity of the air relative to the sensor, that both make, in S [m/s].
    pub velocity: Vec3,
    /// Variances of speed [m²/s²] and direction [deg²].
    pub variances: [f64; 2],
}

/// What a leak detector says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leak {
    /// 1 wet, 0 dry.
    pub signal: f64,
}

impl Leak {
    /// True if it says that it is wet.
    pub fn is_wet(&self) -> bool {
        self.signal >= 0.5
    }
}

/// What a motor controller tells; NaN where that is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Shaft speed [rad/s].
    pub speed: f64,
    /// Current that it draws [A].
    pub current: f64,
    /// Voltage at its terminals [V].
    pub voltage: f64,
    /// Temperature of the motor [°C].
    pub temperature: f64,
    /// Torque at the shaft [N m].
    pub torque: f64,
    /// Electrical power [W].
    pub power: f64,
}

/// Voltage, current and charge of the battery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// Voltage [V].
    pub voltage: f64,
    /// Current, positive while drawn [A].
    pub current: f64,
    /// Charge left by counting [A h].
    pub charge: f64,
    /// Capacity of the pack [A h].
    pub capacity: f64,
}
