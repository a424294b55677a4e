//! Receivers of navigation satellites: keys of their files and conversion to the scene.

use crate::sensor::{BuildSensor, SensorContext};
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_math::rng::Stream;
use merrow_model::scene::SensorKind;
use merrow_model::sensor::gnss::{Augmentation, GnssSpec, HeadingSpec, SatelliteConstellation};
use merrow_sensors::gnss::visibility::dilution;
use merrow_yaml::error::Problems;
use merrow_yaml::spec::{fieldless_choice, spec};

/// Minimum horizontal baseline of two antennas [m].
const MIN_BASELINE: f64 = 0.01;

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

impl BuildSensor for GnssConfig {
    fn build(&self, context: &SensorContext<'_>, _problems: &mut Problems) -> SensorKind {
        SensorKind::Gnss(gnss(self, context.stream("sky")))
    }
}

fieldless_choice! {
    /// Source of the corrections of a satellite navigation receiver.
    pub(crate) enum AugmentationConfig {
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
    pub(crate) enum GnssSystemConfig {
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
    pub(crate) struct GnssVisibilityConfig {
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

impl BuildSensor for GnssHeadingConfig {
    fn build(&self, _context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        SensorKind::GnssHeading(heading(self, problems))
    }
}

/// Builds a satellite receiver; `stream` draws the orientation of its constellation.
pub fn gnss(file: &GnssConfig, stream: Stream) -> GnssSpec {
    GnssSpec {
        std: [file.horizontal_std_m, file.vertical_std_m],
        tau: file.correlation_time_s,
        velocity_std: file.velocity_std_m_s,
        augmentation: match file.augmentation {
            AugmentationConfig::None => Augmentation::None,
            AugmentationConfig::Satellites => Augmentation::Satellites,
            AugmentationConfig::Ground => Augmentation::Ground,
        },
        systems: file.systems.iter().fold(0, |all, system| {
            all | match system {
                GnssSystemConfig::Gps => GnssSpec::GPS,
                GnssSystemConfig::Glonass => GnssSpec::GLONASS,
                GnssSystemConfig::Beidou => GnssSpec::BEIDOU,
                GnssSystemConfig::Galileo => GnssSpec::GALILEO,
            }
        }),
        max_depth: file.max_depth_m,
        reacquisition: file.reacquisition_s,
        constellation: file
            .sky
            .as_ref()
            .map(|sky| build_constellation(sky, stream)),
    }
}

/// Distributes satellites evenly over the sky above the mask, on a golden-angle spiral with a
/// random start.
fn build_constellation(file: &GnssVisibilityConfig, stream: Stream) -> SatelliteConstellation {
    let n = file.satellites;
    let lowest = sin_cos(file.elevation_mask_deg.to_radians()).0;
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let start = std::f64::consts::TAU * stream.draw(0).uniform();
    let satellite = |k: u32| {
        let up = lowest + (1.0 - lowest) * (f64::from(k) + 0.5) / f64::from(n);
        let (s, c) = sin_cos(start + golden * f64::from(k));
        let level = (1.0 - up * up).sqrt();
        Vec3::new(level * c, level * s, up)
    };
    let satellites: Vec<Vec3> = (0..n).map(satellite).collect();
    // Six or more satellites on a spiral never lie on a cone.
    let dilution = dilution(satellites.iter().copied()).unwrap_or([1.0; 2]);
    SatelliteConstellation {
        satellites,
        dilution,
        multipath_std: file.multipath_std_m,
        multipath_tau: file.multipath_correlation_time_s,
        water_height: file.water_multipath_height_m,
    }
}

/// Builds a GNSS heading sensor with two antennas.
pub fn heading(file: &GnssHeadingConfig, problems: &mut Problems) -> HeadingSpec {
    let antennas = file.antennas_m.map(Vec3::from);
    let b = antennas[1] - antennas[0];
    if b.x * b.x + b.y * b.y < MIN_BASELINE * MIN_BASELINE {
        let text = format!(
            "the horizontal distance of the antennas is {} m; expected at least {MIN_BASELINE} m",
            libm::hypot(b.x, b.y)
        );
        problems.push(file.at.key_place("antennas_m"), text);
    }
    HeadingSpec {
        antennas,
        std: file.baseline_std_m,
        tau: file.correlation_time_s,
        max_depth: file.max_depth_m,
        reacquisition: file.reacquisition_s,
    }
}
