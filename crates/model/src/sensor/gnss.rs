//! Receivers of navigation satellites: parameters and readings.

use crate::persist::Persist;
use merrow_math::Vec3;
use merrow_yaml::spec::spec;

spec! {
    /// A satellite navigation receiver (GNSS).
    pub struct GnssKeys {
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
        augmentation: Augmentation = Augmentation::None,
        /// Satellite systems that the receiver uses.
        systems: Vec<GnssSystem> [not_empty] = vec![GnssSystem::Gps],
        /// Depth of the antenna below which there is no fix.
        max_depth_m: f64 [non_negative] = 0.0,
        /// Time above water before the first fix.
        reacquisition_s: f64 [non_negative] = 0.0,
        /// Satellites that terrain and structures can occlude, and multipath. Default: always
        /// enough satellites, no multipath.
        sky: Option<GnssSky>,
    }

    /// Source of the corrections of a satellite navigation receiver.
    #[derive(Persist)]
    pub enum Augmentation words {
        /// No corrections are used.
        None = "none",
        /// Corrections from satellites (SBAS).
        Satellites = "satellites",
        /// Ground stations, as for RTK.
        Ground = "ground",
    }

    /// A satellite navigation system.
    pub enum GnssSystem words {
        /// GPS of the United States.
        Gps = "gps",
        /// GLONASS of the Russian Federation.
        Glonass = "glonass",
        /// BeiDou of the People's Republic of China.
        Beidou = "beidou",
        /// Galileo of the European Union.
        Galileo = "galileo",
    }

    /// Satellites of a receiver and its multipath errors.
    pub struct GnssSky {
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

/// GNSS receiver with its satellites.
#[derive(Clone, Debug)]
pub struct GnssSpec {
    /// Keys of the receiver.
    pub receiver: GnssKeys,
    /// Satellites of the key `sky`.
    pub constellation: Option<SatelliteConstellation>,
}

/// Satellites of a receiver.
#[derive(Clone, Debug)]
pub struct SatelliteConstellation {
    /// Unit vectors to the satellites, in W.
    pub satellites: Vec<Vec3>,
    /// Dilution of precision with all satellites visible: horizontal and vertical.
    pub dilution: [f64; 2],
}

/// Position fix of a GNSS receiver.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
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

spec! {
    /// Two antennas of satellite navigation receivers for heading.
    pub struct HeadingReceiver {
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

/// Heading of the sensor frame about the vertical.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Heading {
    /// Yaw from east, counter-clockwise [rad]; NaN if unavailable.
    pub yaw: f64,
    /// Variance of the yaw [rad²].
    pub variance: f64,
}
