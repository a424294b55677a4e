//! MAVLink messages of PX4's simulation in the loop: sensors, GNSS and true state.
//!
//! # Law
//! ```text
//!   y = x + σ n                                                             (1)
//! ```
//! # Symbols
//! x true value at the instant of the frame · n normal variate · σ standard deviation.
//!
//! # Frames
//! Forward, right, down; north, east, down.
//!
//! # Limits
//! The standard deviations are `estimated`: of the order of a MEMS inertial unit and a barometer,
//! so that the estimator of PX4 receives values that vary. Below the surface there is no GNSS fix,
//! and the barometer measures the pressure of the water at rest.
//!
//! # Checked by
//! test/ros/checks/vehicles/px4.py

use crate::history::MotionSample;
use crate::mavlink::fields::{centidegrees, centimetres_per_second, position};
use crate::ned::{attitude_in_ned, forward_right_down, north_east_down, specific_force};
use mavlink::dialects::common::{
    HIL_GPS_DATA, HIL_SENSOR_DATA, HIL_STATE_QUATERNION_DATA, HilSensorUpdatedFlags, MavMessage,
};
use merrow_environment::air::{self, STANDARD_GRAVITY};
use merrow_environment::geodesy::geodetic_from_world;
use merrow_math::Vec3;
use merrow_math::rng::Draw;
use merrow_model::scene::{Scene, Sea};
use merrow_model::sensor::gnss::{Augmentation, Gnss};

/// Standard deviation of the specific force [m/s²].
const ACCELERATION_STD: f64 = 0.02;
/// Standard deviation of the angular velocity [rad/s].
const ANGULAR_VELOCITY_STD: f64 = 0.001;
/// Standard deviation of the magnetic field [G].
const FIELD_STD: f64 = 0.002;
/// Standard deviation of the pressure [hPa].
const PRESSURE_STD: f64 = 0.02;
/// Number of gauss per tesla.
const GAUSS: f64 = 1e4;
/// Depth of the base below which there is no GNSS fix [m].
const FIX_DEPTH: f64 = 0.3;
/// Standard deviations of the GNSS position that PX4 assumes: east, north, up [m].
const ACCURACY: [f64; 3] = [0.3, 0.3, 0.4];
/// Number of satellites of the true position.
const SATELLITES: usize = 10;
/// Fields of accelerometer and gyro.
const INERTIAL: u32 = 0x3f;
/// Fields of the magnetometer, and of pressure, height and temperature.
const SLOW: u32 = 0x1c0 | 0x1a00;

/// Readings of sensors of the robot, which replace true values.
#[derive(Clone, Debug, Default)]
pub struct Readings {
    /// Angular velocity [rad/s] and specific force [m/s²] in forward, left, up.
    pub imu: Option<[Vec3; 2]>,
    /// Magnetic flux density in forward, left, up [T].
    pub field: Option<Vec3>,
    /// Absolute pressure at the sensor [Pa].
    pub pressure: Option<f64>,
    /// Fix of the receiver.
    pub gnss: Option<Gnss>,
}

/// World of the sensors.
#[derive(Clone, Copy, Debug)]
pub struct SimulatedSurroundings<'a> {
    /// Immutable description of the world.
    pub scene: &'a Scene,
    /// Current water and air.
    pub sea: &'a Sea,
}

/// Returns the readings of the inertial sensors; with `is_slow_due` also of magnetometer and
/// barometer. `noise` is the noise of the frame; readings of sensors of the robot have their own
/// noise.
pub fn sensors(
    motion: &MotionSample,
    around: SimulatedSurroundings<'_>,
    readings: &Readings,
    mut noise: Draw,
    is_slow_due: bool,
) -> MavMessage {
    let draw = &mut noise;
    let [rate, force] = match readings.imu {
        Some([rate, force]) => [rate, force].map(|v| components(forward_right_down(v))),
        None => [
            noisy(
                forward_right_down(motion.angular_velocity),
                ANGULAR_VELOCITY_STD,
                draw,
            ),
            noisy(
                specific_force(motion, around.scene.gravity),
                ACCELERATION_STD,
                draw,
            ),
        ],
    };
    let field = match readings.field {
        Some(field) => components(forward_right_down(field.scale(GAUSS))),
        None => {
            let field_W = around.scene.origin.magnetic_field.scale(GAUSS);
            let field = motion.attitude.matrix().tr_mul_vec(field_W);
            noisy(forward_right_down(field), FIELD_STD, draw)
        }
    };
    let pressure = match readings.pressure {
        Some(pressure) => 0.01 * pressure,
        None => {
            0.01 * motion.still_pressure(around.scene, around.sea) + PRESSURE_STD * draw.normal()
        }
    };
    let fields = INERTIAL | if is_slow_due { SLOW } else { 0 };
    MavMessage::HIL_SENSOR(HIL_SENSOR_DATA {
        time_usec: motion.time_ns / 1000,
        xacc: force[0],
        yacc: force[1],
        zacc: force[2],
        xgyro: rate[0],
        ygyro: rate[1],
        zgyro: rate[2],
        xmag: field[0],
        ymag: field[1],
        zmag: field[2],
        abs_pressure: pressure as f32,
        diff_pressure: 0.0,
        pressure_alt: (around.scene.origin.altitude + motion.position.z) as f32,
        temperature: air::temperature(around.sea.air.to.temperature_c, motion.position.z) as f32,
        fields_updated: HilSensorUpdatedFlags::from_bits_retain(fields),
    })
}

/// Applies (1) to each component.
fn noisy(x: Vec3, std: f64, draw: &mut Draw) -> [f32; 3] {
    [x.x, x.y, x.z].map(|x| (x + std * draw.normal()) as f32)
}

fn components(x: Vec3) -> [f32; 3] {
    [x.x, x.y, x.z].map(|x| x as f32)
}

/// Returns the fix of a GNSS receiver: the true position, or the reading of a receiver of the
/// robot.
pub fn gnss(
    motion: &MotionSample,
    around: SimulatedSurroundings<'_>,
    readings: &Readings,
) -> MavMessage {
    let truth = Gnss {
        fix: motion.height_above_water(around.sea) > -FIX_DEPTH,
        position: geodetic_from_world(&around.scene.origin, motion.position),
        velocity: motion.velocity,
        variances: ACCURACY.map(|std| std * std),
        velocity_variances: [0.0; 3],
        augmentation: Augmentation::None,
        satellites: Some(SATELLITES),
        dilution: None,
    };
    let fix = readings.gnss.unwrap_or(truth);
    let (lat, lon, alt) = position(fix.position);
    let v = north_east_down(fix.velocity);
    let [vn, ve, vd] = centimetres_per_second(v);
    let [east, north, up] = fix.variances;
    let centimetres = |variance: f64| (100.0 * variance.sqrt()).round() as u16;
    MavMessage::HIL_GPS(HIL_GPS_DATA {
        time_usec: motion.time_ns / 1000,
        lat,
        lon,
        alt,
        eph: centimetres(east.max(north)),
        epv: centimetres(up),
        vel: (100.0 * v.x.hypot(v.y)).round() as u16,
        vn,
        ve,
        vd,
        cog: centidegrees(v.y.atan2(v.x)),
        fix_type: if fix.fix { 3 } else { 0 },
        satellites_visible: match fix.satellites {
            _ if !fix.fix => 0,
            Some(satellites) => satellites as u8,
            None => SATELLITES as u8,
        },
    })
}

/// Returns the true state, which PX4 records.
pub(crate) fn true_state(motion: &MotionSample, around: SimulatedSurroundings<'_>) -> MavMessage {
    let geodetic = geodetic_from_world(&around.scene.origin, motion.position);
    let (lat, lon, alt) = position(geodetic);
    let rate = forward_right_down(motion.angular_velocity);
    let q = attitude_in_ned(motion.attitude);
    let [vx, vy, vz] = centimetres_per_second(north_east_down(motion.velocity));
    let acceleration = north_east_down(motion.acceleration);
    let speed = (100.0 * motion.velocity.norm()).round() as u16;
    let milli = |x: f64| (1000.0 * x / STANDARD_GRAVITY).round() as i16;
    MavMessage::HIL_STATE_QUATERNION(HIL_STATE_QUATERNION_DATA {
        time_usec: motion.time_ns / 1000,
        attitude_quaternion: [q.w, q.x, q.y, q.z].map(|x| x as f32),
        rollspeed: rate.x as f32,
        pitchspeed: rate.y as f32,
        yawspeed: rate.z as f32,
        lat,
        lon,
        alt,
        vx,
        vy,
        vz,
        ind_airspeed: speed,
        true_airspeed: speed,
        xacc: milli(acceleration.x),
        yacc: milli(acceleration.y),
        zacc: milli(acceleration.z),
    })
}
