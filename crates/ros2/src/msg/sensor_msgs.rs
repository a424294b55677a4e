//! `sensor_msgs`: readings of common sensors, and the state of joints and batteries. Images, point
//! clouds and scans are in `sensor_images.rs`.
//!
//! Covariances are row-major 3x3 about x, y, z. All zeros mean unknown; -1 in the first element
//! means that the reading does not exist.

pub use crate::msg::sensor_images::*;

use crate::message::ros_message;
use crate::msg::geometry_msgs::{Quaternion, Vector3};
use crate::msg::std_msgs::Header;

ros_message! {
    /// Reading of an inertial measurement unit, in the frame of the header.
    pub struct Imu("sensor_msgs/msg/Imu") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Orientation of the frame in the world (ENU).
        orientation: Quaternion,
        /// Covariance of the orientation \[rad^2\].
        orientation_covariance: [f64; 9],
        /// Angular velocity vector \[rad/s\].
        angular_velocity: Vector3,
        /// Covariance of the angular velocity \[rad^2/s^2\].
        angular_velocity_covariance: [f64; 9],
        /// Specific force \[m/s^2\]; +g upwards at rest.
        linear_acceleration: Vector3,
        /// Covariance of the specific force \[m^2/s^4\].
        linear_acceleration_covariance: [f64; 9],
    }

    /// Status of a satellite receiver.
    pub struct NavSatStatus("sensor_msgs/msg/NavSatStatus") {
        /// Kind of fix, a `STATUS_` constant.
        status: i8 = -2,
        /// Satellite systems in use, a sum of `SERVICE_` constants.
        service: u16,
    } consts {
        STATUS_UNKNOWN: i8 = -2,
        STATUS_NO_FIX: i8 = -1,
        STATUS_FIX: i8 = 0,
        STATUS_SBAS_FIX: i8 = 1,
        STATUS_GBAS_FIX: i8 = 2,
        SERVICE_UNKNOWN: u16 = 0,
        SERVICE_GPS: u16 = 1,
        SERVICE_GLONASS: u16 = 2,
        SERVICE_COMPASS: u16 = 4,
        SERVICE_GALILEO: u16 = 8,
    }

    /// Position fix of a satellite receiver, on the WGS 84 ellipsoid.
    pub struct NavSatFix("sensor_msgs/msg/NavSatFix") {
        /// Measurement time, and frame of the antenna.
        header: Header,
        /// Kind of the position fix.
        status: NavSatStatus,
        /// Latitude \[deg\], north positive.
        latitude: f64,
        /// Longitude \[deg\], east positive.
        longitude: f64,
        /// Height above the ellipsoid \[m\]; NaN if unknown.
        altitude: f64,
        /// Covariance, row-major 3x3 of east, north, up \[m^2\].
        position_covariance: [f64; 9],
        /// Origin of the covariance, one of the constants.
        position_covariance_type: u8,
    } consts {
        COVARIANCE_TYPE_UNKNOWN: u8 = 0,
        COVARIANCE_TYPE_APPROXIMATED: u8 = 1,
        COVARIANCE_TYPE_DIAGONAL_KNOWN: u8 = 2,
        COVARIANCE_TYPE_KNOWN: u8 = 3,
    }

    /// Magnetic field in the frame of the header.
    pub struct MagneticField("sensor_msgs/msg/MagneticField") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Magnetic flux density \[T\]; NaN for components that are not measured.
        magnetic_field: Vector3,
        /// Covariance of the field \[T^2\].
        magnetic_field_covariance: [f64; 9],
    }

    /// Absolute pressure of a fluid.
    pub struct FluidPressure("sensor_msgs/msg/FluidPressure") {
        /// Measurement time, and frame of the sensor.
        header: Header,
        /// Measured absolute pressure \[Pa\].
        fluid_pressure: f64,
        /// Variance of the pressure \[Pa^2\]; 0 if unknown.
        variance: f64,
    }

    /// Temperature of the medium.
    pub struct Temperature("sensor_msgs/msg/Temperature") {
        /// Measurement time, and frame of the sensor.
        header: Header,
        /// Measured temperature \[deg C\].
        temperature: f64,
        /// Variance of the temperature \[deg C^2\]; 0 if unknown.
        variance: f64,
    }

    /// Relative humidity of the air.
    pub struct RelativeHumidity("sensor_msgs/msg/RelativeHumidity") {
        /// Measurement time, and frame of the sensor.
        header: Header,
        /// Ratio of the vapour's partial pressure to its saturation pressure, 0 to 1.
        relative_humidity: f64,
        /// Variance of the humidity; 0 if unknown.
        variance: f64,
    }

    /// Distance along x of the frame of the header.
    pub struct Range("sensor_msgs/msg/Range") {
        /// Measurement time, and frame of the data.
        header: Header,
        /// Kind of radiation, one of the constants.
        radiation_type: u8,
        /// Full angle of the beam \[rad\].
        field_of_view: f32,
        /// Minimum measurable distance \[m\].
        min_range: f32,
        /// Maximum measurable distance \[m\].
        max_range: f32,
        /// Distance \[m\]; +inf if no target is within range, -inf if a target is too near.
        range: f32,
        /// Variance of the distance \[m^2\]; 0 if unknown.
        variance: f32,
    } consts {
        ULTRASOUND: u8 = 0,
        INFRARED: u8 = 1,
    }

    /// State of joints, or a command to them. Each list has one entry per name, or none.
    pub struct JointState("sensor_msgs/msg/JointState") {
        /// Time of the data.
        header: Header,
        /// Names of the joints.
        name: Vec<String>,
        /// Positions \[rad or m\].
        position: Vec<f64>,
        /// Velocities \[rad/s or m/s\].
        velocity: Vec<f64>,
        /// Efforts \[N m or N\].
        effort: Vec<f64>,
    }

    /// Axes and buttons of a joystick.
    pub struct Joy("sensor_msgs/msg/Joy") {
        /// Time of the data.
        header: Header,
        /// Deflections of the axes, -1 to 1; left and up are positive.
        axes: Vec<f32>,
        /// State of the buttons; 1: pressed.
        buttons: Vec<i32>,
    }

    /// State of a battery; NaN for unknown values.
    pub struct BatteryState("sensor_msgs/msg/BatteryState") {
        /// Measurement time, and name of the battery.
        header: Header,
        /// Voltage of the battery \[V\].
        voltage: f32,
        /// Temperature of the battery \[deg C\].
        temperature: f32,
        /// Current of the battery \[A\], negative while discharging.
        current: f32,
        /// Remaining charge \[A h\].
        charge: f32,
        /// Charge when full \[A h\].
        capacity: f32,
        /// Charge when full and new \[A h\].
        design_capacity: f32,
        /// State of charge, 0 to 1.
        percentage: f32,
        /// Charging state, a `POWER_SUPPLY_STATUS_` constant.
        power_supply_status: u8,
        /// Health, a `POWER_SUPPLY_HEALTH_` constant.
        power_supply_health: u8,
        /// Cell chemistry, a `POWER_SUPPLY_TECHNOLOGY_` constant.
        power_supply_technology: u8,
        /// Whether a battery is present.
        present: bool,
        /// Voltage of each cell \[V\].
        cell_voltage: Vec<f32>,
        /// Temperature of each cell \[deg C\].
        cell_temperature: Vec<f32>,
        /// Location or slot of the battery.
        location: String,
        /// Serial number of the battery.
        serial_number: String,
    } consts {
        POWER_SUPPLY_STATUS_UNKNOWN: u8 = 0,
        POWER_SUPPLY_STATUS_CHARGING: u8 = 1,
        POWER_SUPPLY_STATUS_DISCHARGING: u8 = 2,
        POWER_SUPPLY_STATUS_NOT_CHARGING: u8 = 3,
        POWER_SUPPLY_STATUS_FULL: u8 = 4,
        POWER_SUPPLY_HEALTH_UNKNOWN: u8 = 0,
        POWER_SUPPLY_HEALTH_GOOD: u8 = 1,
        POWER_SUPPLY_HEALTH_OVERHEAT: u8 = 2,
        POWER_SUPPLY_HEALTH_DEAD: u8 = 3,
        POWER_SUPPLY_HEALTH_OVERVOLTAGE: u8 = 4,
        POWER_SUPPLY_HEALTH_UNSPEC_FAILURE: u8 = 5,
        POWER_SUPPLY_HEALTH_COLD: u8 = 6,
        POWER_SUPPLY_HEALTH_WATCHDOG_TIMER_EXPIRE: u8 = 7,
        POWER_SUPPLY_HEALTH_SAFETY_TIMER_EXPIRE: u8 = 8,
        POWER_SUPPLY_TECHNOLOGY_UNKNOWN: u8 = 0,
        POWER_SUPPLY_TECHNOLOGY_NIMH: u8 = 1,
        POWER_SUPPLY_TECHNOLOGY_LION: u8 = 2,
        POWER_SUPPLY_TECHNOLOGY_LIPO: u8 = 3,
        POWER_SUPPLY_TECHNOLOGY_LIFE: u8 = 4,
        POWER_SUPPLY_TECHNOLOGY_NICD: u8 = 5,
        POWER_SUPPLY_TECHNOLOGY_LIMN: u8 = 6,
        POWER_SUPPLY_TECHNOLOGY_TERNARY: u8 = 7,
        POWER_SUPPLY_TECHNOLOGY_VRLA: u8 = 8,
    }
}
