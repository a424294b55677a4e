//! What a file of an instrument for navigation may say.

use crate::schema::NoiseFile;
use merrow_yaml::spec::{fieldless_choice, spec};

spec! {
    /// A satellite receiver.
    pub struct GnssFile {
        /// Standard deviation of each horizontal axis.
        horizontal_std_m: f64 [non_negative],
        /// Standard deviation of the height.
        vertical_std_m: f64 [non_negative],
        /// Correlation time of the position error; 0 for white noise.
        correlation_time_s: f64 [non_negative] = 0.0,
        /// Standard deviation of the velocity, each horizontal axis and vertical; without it none is given.
        velocity_std_m_s: Option<[f64; 2]> [non_negative],
        /// What corrects the fixes.
        augmentation: AugmentationFile = AugmentationFile::None,
        /// Whose satellites it uses.
        systems: Vec<SystemFile> [not_empty] = vec![SystemFile::Gps],
        /// Depth of the antenna below which there is no fix.
        max_depth_m: f64 [non_negative] = 0.0,
        /// Seconds above water before the first fix.
        reacquisition_s: f64 [non_negative] = 0.0,
        /// Satellites that ground and structures can hide, and echoes; without it always enough of them, and no echoes.
        sky: Option<SkyFile>,
    }
}

fieldless_choice! {
    /// What corrects the fixes of a satellite receiver.
    pub enum AugmentationFile {
        /// Nothing.
        None = "none",
        /// Satellites.
        Satellites = "satellites",
        /// Stations on the ground, as for RTK.
        Ground = "ground",
    }
}

fieldless_choice! {
    /// Satellites for navigation.
    pub enum SystemFile {
        /// Those of the United States.
        Gps = "gps",
        /// Those of Russia.
        Glonass = "glonass",
        /// Those of China.
        Beidou = "beidou",
        /// Those of Europe.
        Galileo = "galileo",
    }
}

spec! {
    /// Satellites of a receiver, and how it takes their echoes.
    pub struct SkyFile {
        /// How many stand in an open sky.
        satellites: u32 [in 6.0..=200.0] = 20,
        /// Lowest elevation.
        mask_deg: f64 [in 0.0..=60.0] = 10.0,
        /// Standard deviation of the error of a range where every signal comes with an echo.
        multipath_std_m: f64 [non_negative] = 0.0,
        /// Its correlation time.
        multipath_correlation_time_s: f64 [non_negative] = 30.0,
        /// Height over the water at which the water's echoes have fallen to 1/e; 0 for none.
        water_height_m: f64 [non_negative] = 1.0,
    }
}

spec! {
    /// Two antennas of satellite receivers.
    pub struct GnssHeadingFile {
        /// Places of the antennas in the sensor's frame; the heading follows from the direction of the first to the second.
        antennas_m: [[f64; 3]; 2],
        /// Standard deviation of each component of the second's place from the first.
        baseline_std_m: f64 [non_negative],
        /// Correlation time of that error; 0 for white noise.
        correlation_time_s: f64 [non_negative] = 0.0,
        /// Depth of an antenna below which there is no heading.
        max_depth_m: f64 [non_negative] = 0.0,
        /// Seconds above water before the first heading.
        reacquisition_s: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// An attitude and heading reference system: a complementary filter over its own sensors.
    pub struct AhrsFile {
        /// Gyro [rad/s].
        gyro: NoiseFile => "{}",
        /// Accelerometer [m/s2].
        accelerometer: NoiseFile => "{}",
        /// Magnetometer [T].
        magnetometer: NoiseFile => "{}",
        /// Time in which the accelerometer corrects the tilt.
        tilt_time_s: f64 [positive] = 10.0,
        /// Time in which the magnetometer corrects the heading.
        heading_time_s: f64 [positive] = 10.0,
        /// Time in which the gyro's bias is found.
        bias_time_s: f64 [positive] = 100.0,
        /// The accelerometer is left out while it differs by more than this from gravity; without it never.
        acceleration_gate_m_s2: Option<f64> [positive],
        /// The magnetometer is left out while the field differs by more than this part from the Earth's; without it never.
        field_gate_percent: Option<f64> [positive],
        /// Field of the vehicle's iron and currents at the sensor (forward, left, up).
        iron_nt: [f64; 3] = [0.0, 0.0, 0.0],
        /// Whether the heading is from true north; else from magnetic north.
        true_north: bool = true,
    }
}

spec! {
    /// An inertial navigation system.
    pub struct InsFile {
        /// Gyro [rad/s].
        gyro: NoiseFile => "{}",
        /// Accelerometer [m/s2].
        accelerometer: NoiseFile => "{}",
        /// Standard deviation of the position it starts with, each axis.
        start_position_std_m: f64 [non_negative] = 0.0,
        /// Standard deviation of the velocity it starts with, each axis.
        start_velocity_std_m_s: f64 [non_negative] = 0.0,
        /// Standard deviation of the attitude it starts with, about east, north and up.
        start_attitude_std_deg: [f64; 3] [non_negative] = [0.0, 0.0, 0.0],
        /// Readings of its aids that are off by more than so many standard deviations are left out.
        gate: f64 [positive] = 5.0,
    }
}

spec! {
    /// Sensors of the same robot, on the same link, that help a navigation system.
    pub struct AidsFile {
        /// A DVL.
        dvl: Option<String> [not_empty],
        /// A satellite receiver.
        gnss: Option<String> [not_empty],
        /// A pressure sensor.
        pressure: Option<String> [not_empty],
    }
}
