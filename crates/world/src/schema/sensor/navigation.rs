//! Keys of navigation instruments.

use crate::schema::NoiseConfig;
use merrow_yaml::spec::{fieldless_choice, spec};

spec! {
    /// A satellite navigation receiver (GNSS).
    pub struct GnssConfig {
        /// Standard deviation of each horizontal position coordinate.
        horizontal_std_m: f64 [non_negative],
        /// Standard deviation of the height.
        vertical_std_m: f64 [non_negative],
        /// Correlation time of the position error; 0 for white noise.
        correlation_time_s: f64 [non_negative] = 0.0,
        /// Standard deviation of the velocity: each horizontal component, and the vertical one.
        /// Default: no velocity output.
        velocity_std_m_s: Option<[f64; 2]> [non_negative],
        /// Source of the corrections.
        augmentation: AugmentationConfig = AugmentationConfig::None,
        /// Satellite systems that the receiver uses.
        systems: Vec<GnssSystemConfig> [not_empty] = vec![GnssSystemConfig::Gps],
        /// Depth of the antenna below which there is no fix.
        max_depth_m: f64 [non_negative] = 0.0,
        /// Time above water before the first fix.
        reacquisition_s: f64 [non_negative] = 0.0,
        /// Satellites that terrain and structures can occlude, and multipath. Default: always
        /// enough satellites, no multipath.
        sky: Option<GnssVisibilityConfig>,
    }
}

fieldless_choice! {
    /// Source of the corrections of a satellite navigation receiver.
    pub enum AugmentationConfig {
        /// No corrections are used.
        None = "none",
        /// Corrections from satellites (SBAS).
        Satellites = "satellites",
        /// Ground stations, as for RTK.
        Ground = "ground",
    }
}

fieldless_choice! {
    /// A satellite navigation system.
    pub enum GnssSystemConfig {
        /// GPS of the United States.
        Gps = "gps",
        /// GLONASS of the Russian Federation.
        Glonass = "glonass",
        /// BeiDou of the People's Republic of China.
        Beidou = "beidou",
        /// Galileo of the European Union.
        Galileo = "galileo",
    }
}

spec! {
    /// Satellites of a receiver and its multipath errors.
    pub struct GnssVisibilityConfig {
        /// Number of visible satellites under an open sky.
        satellites: u32 [in 6.0..=200.0] = 20,
        /// Minimum elevation of the satellites.
        elevation_mask_deg: f64 [in 0.0..=60.0] = 10.0,
        /// Standard deviation of the range error if every signal has an echo.
        multipath_std_m: f64 [non_negative] = 0.0,
        /// Correlation time of the multipath error.
        multipath_correlation_time_s: f64 [non_negative] = 30.0,
        /// Height above the water at which echoes from the water have decreased to 1/e; 0 for no
        /// such echoes.
        water_multipath_height_m: f64 [non_negative] = 1.0,
    }
}

spec! {
    /// Two antennas of satellite navigation receivers for heading.
    pub struct GnssHeadingConfig {
        /// Positions of the antennas in the sensor frame. The heading is computed from the
        /// direction of the first to the second.
        antennas_m: [[f64; 3]; 2],
        /// Standard deviation of each component of the position of the second antenna relative to
        /// the first.
        baseline_std_m: f64 [non_negative],
        /// Correlation time of that error; 0 for white noise.
        correlation_time_s: f64 [non_negative] = 0.0,
        /// Depth of an antenna below which there is no heading.
        max_depth_m: f64 [non_negative] = 0.0,
        /// Time above water before the first heading.
        reacquisition_s: f64 [non_negative] = 0.0,
    }
}

spec! {
    /// An attitude and heading reference system (AHRS): a complementary filter of its own sensors.
    pub struct AhrsConfig {
        /// Errors of the gyroscope [rad/s].
        gyro: NoiseConfig => "{}",
        /// Errors of the accelerometer [m/s2].
        accelerometer: NoiseConfig => "{}",
        /// Errors of the magnetometer [T].
        magnetometer: NoiseConfig => "{}",
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
    }
}

spec! {
    /// An inertial navigation system (INS).
    pub struct InsConfig {
        /// Errors of the gyroscope [rad/s].
        gyro: NoiseConfig => "{}",
        /// Errors of the accelerometer [m/s2].
        accelerometer: NoiseConfig => "{}",
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

spec! {
    /// Aiding sensors of a navigation system, on the same robot and link.
    pub struct AidsConfig {
        /// Name of a `dvl` sensor.
        dvl: Option<String> [not_empty],
        /// Name of a `gnss` sensor.
        gnss: Option<String> [not_empty],
        /// Name of a `pressure` sensor.
        pressure: Option<String> [not_empty],
    }
}
