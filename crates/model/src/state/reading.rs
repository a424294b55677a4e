//! Sensor readings: one value type per kind of sensor, with its covariance and the time of
//! measurement.

use crate::scene::sensor::navigation::Augmentation;
use crate::state::bottle::Bottle;
use merrow_math::{Mat3, Quat, Sym3, Vec3};

/// Reading with the time of its measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stamped {
    /// Time of measurement [ns].
    pub stamp_ns: u64,
    /// Values measured by the sensor.
    pub reading: Reading,
}

/// Reading of any sensor. Vectors are in the sensor frame S unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // readings are stored in preallocated queues; boxing would allocate in every step
pub enum Reading {
    /// Inertial measurement (IMU or AHRS).
    Imu(Imu),
    /// Position fix of a GNSS receiver.
    Gnss(Gnss),
    /// Heading from two GNSS antennas.
    Heading(Heading),
    /// Position, velocity and attitude of an INS.
    Navigation(Navigation),
    /// Velocity over ground or through the water.
    Dvl(Dvl),
    /// Absolute pressure of the water.
    Pressure(Pressure),
    /// Magnetic field in S.
    Magnetometer(Magnetometer),
    /// Range to the seabed.
    Altimeter(Altimeter),
    /// Ground truth pose and velocity.
    Odometry(Odometry),
    /// Force and torque through a joint.
    Wrench(Wrench),
    /// One quantity of the water.
    Probe(Probe),
    /// Conductivity, temperature and pressure.
    Ctd(Ctd),
    /// Bottle of a water sampler.
    Bottle(Bottle),
    /// Apparent wind at the sensor.
    Wind(Wind),
    /// Leak detection in the hull.
    Leak(Leak),
    /// Telemetry of a motor controller.
    Motor(Motor),
    /// Voltage, current and charge of the battery.
    Power(Power),
}

/// Gyro, accelerometer and, for an AHRS, attitude.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Imu {
    /// Angular velocity w_WS_S [rad/s].
    pub angular_velocity: Vec3,
    /// Proper acceleration in S (+g upwards at rest) [m/s²].
    pub linear_acceleration: Vec3,
    /// Attitude of S in W, for sensors that estimate it.
    pub orientation: Option<Quat>,
    /// Variances: gyro [rad²/s²], accelerometer [m²/s⁴], attitude [rad²] about x, y, z.
    pub variances: [f64; 5],
}

/// Position fix of a GNSS receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gnss {
    /// True with a fix; without a fix the position is NaN.
    pub fix: bool,
    /// Geodetic latitude and longitude [rad], height above the ellipsoid [m].
    pub position: [f64; 3],
    /// Velocity east, north, up [m/s]; NaN without a fix or from a receiver without velocity
    /// output.
    pub velocity: Vec3,
    /// Position variances east, north, up [m²].
    pub variances: [f64; 3],
    /// Velocity variances east, north, up [m²/s²].
    pub velocity_variances: [f64; 3],
    /// Source of corrections for the position.
    pub augmentation: Augmentation,
    /// Number of received satellites; `None` for a receiver without a satellite model.
    pub satellites: Option<usize>,
    /// Dilution of precision, horizontal and vertical; `None` without a satellite model or without
    /// a fix.
    pub dilution: Option<[f64; 2]>,
}

/// Heading of the sensor frame about the vertical.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heading {
    /// Yaw from east, counter-clockwise [rad]; NaN if unavailable.
    pub yaw: f64,
    /// Variance of the yaw [rad²].
    pub variance: f64,
}

/// Navigation solution of an INS with its covariances.
#[derive(Clone, Copy, Debug, PartialEq)]
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

/// Reference of the DVL velocity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DvlLock {
    /// Seabed: the DVL has bottom track.
    Bottom,
    /// Water below the vehicle (water track).
    Water,
    /// No lock: too few valid beams.
    None,
}

/// One acoustic beam of a DVL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DvlBeam {
    /// Unit vector pointing away from the transducer, in S.
    pub direction: Vec3,
    /// True if the beam has an echo from the seabed.
    pub bottom: bool,
    /// Slant range to the seabed [m]; NaN without an echo.
    pub range: f64,
    /// Velocity along the beam, positive away from the transducer [m/s]; NaN if invalid.
    pub velocity: f64,
}

/// Ping of a Doppler velocity log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dvl {
    /// Reference of the velocity.
    pub lock: DvlLock,
    /// Velocity of S, expressed in S [m/s]; NaN without lock.
    pub velocity: Vec3,
    /// Covariance of the velocity [m²/s²], row-major.
    pub covariance: [f64; 9],
    /// Altitude above the seabed [m]; NaN without bottom lock.
    pub altitude: f64,
    /// Measurements of the four beams.
    pub beams: [DvlBeam; 4],
    /// Variances of a beam's velocity [m²/s²] and range [m²].
    pub beam_variances: [f64; 2],
    /// Sound speed that the instrument uses [m/s].
    pub sound_speed: f64,
}

/// Reading of an absolute pressure sensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pressure {
    /// Measured absolute pressure [Pa].
    pub pressure: f64,
    /// Variance of the pressure [Pa²].
    pub variance: f64,
}

/// Reading of a magnetometer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Magnetometer {
    /// Magnetic flux density in S [T].
    pub field: Vec3,
    /// Variance of a component [T²].
    pub variance: f64,
}

/// Range to the seabed along the beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Altimeter {
    /// Range [m]; +inf beyond the maximum range, -inf below the minimum range (REP-117).
    pub range: f64,
    /// Minimum and maximum range [m].
    pub limits: [f64; 2],
    /// Full beam width [rad].
    pub beam_width: f64,
    /// Variance of the range [m²].
    pub variance: f64,
}

/// Ground truth: pose in W, velocity in S.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odometry {
    /// Position of S in W [m].
    pub p_WS: Vec3,
    /// Attitude of S in W.
    pub q_WS: Quat,
    /// Linear velocity, expressed in S [m/s].
    pub v_WS_S: Vec3,
    /// Angular velocity, expressed in S [rad/s].
    pub w_WS_S: Vec3,
}

/// Force and torque through a joint, at So and expressed in S.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench {
    /// Force, expressed in S [N].
    pub force: Vec3,
    /// Torque about So, expressed in S [N m].
    pub torque: Vec3,
    /// Variances of a component of force [N²] and torque [N² m²].
    pub variances: [f64; 2],
}

/// Reading of a probe for one quantity of the water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Value in the unit of the quantity; NaN where undefined.
    pub value: f64,
    /// Variance, in the squared unit of the quantity.
    pub variance: f64,
}

/// Measured and derived quantities of a CTD.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ctd {
    /// Water temperature on the ITS-90 scale [°C].
    pub temperature: f64,
    /// Conductivity of the water [S/m].
    pub conductivity: f64,
    /// Absolute pressure of the water [Pa].
    pub pressure: f64,
    /// Practical salinity, derived [psu].
    pub salinity: f64,
    /// Depth, derived from the pressure [m].
    pub depth: f64,
    /// Sound speed, derived [m/s].
    pub sound_speed: f64,
    /// Variances of temperature [K²], conductivity [S²/m²] and pressure [Pa²].
    pub variances: [f64; 3],
}

/// Apparent wind perpendicular to the mast; NaN if unavailable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wind {
    /// Speed of the apparent wind [m/s].
    pub speed: f64,
    /// Direction that the wind comes from, clockwise from x of the sensor seen from above [rad].
    pub from: f64,
    /// Air velocity relative to the sensor that corresponds to speed and direction, in S [m/s].
    pub velocity: Vec3,
    /// Variances of speed [m²/s²] and direction [deg²].
    pub variances: [f64; 2],
}

/// Reading of a leak detector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leak {
    /// Signal: 1 wet, 0 dry.
    pub signal: f64,
}

impl Leak {
    /// Returns true if the detector reports water.
    pub fn is_wet(&self) -> bool {
        self.signal >= 0.5
    }
}

/// Telemetry of a motor controller; NaN where unknown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Speed of the motor shaft [rad/s].
    pub speed: f64,
    /// Current of the motor [A].
    pub current: f64,
    /// Terminal voltage of the motor [V].
    pub voltage: f64,
    /// Temperature of the motor [°C].
    pub temperature: f64,
    /// Shaft torque [N m].
    pub torque: f64,
    /// Electrical power of the motor [W].
    pub power: f64,
}

/// Voltage, current and charge of the battery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Power {
    /// Terminal voltage of the battery [V].
    pub voltage: f64,
    /// Current, positive for discharge [A].
    pub current: f64,
    /// Remaining charge from coulomb counting [A h].
    pub charge: f64,
    /// Capacity of the pack [A h].
    pub capacity: f64,
}
