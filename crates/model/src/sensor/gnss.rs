//! Receivers of navigation satellites: parameters and readings.

use crate::persist::Persist;
use crate::sensor::StepSensor;
use merrow_math::Vec3;

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

impl StepSensor for GnssSpec {
    type Reading = Gnss;

    fn name(&self) -> &'static str {
        "gnss"
    }

    // one ray per satellite that can be visible
    fn rays(&self) -> usize {
        self.constellation.as_ref().map_or(0, |_| 32)
    }

    fn is_gnss_receiver(&self) -> bool {
        true
    }
}

/// Source of corrections for a GNSS receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
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

impl StepSensor for HeadingSpec {
    type Reading = Heading;

    fn name(&self) -> &'static str {
        "gnss_heading"
    }

    fn is_gnss_receiver(&self) -> bool {
        true
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
