//! Scanning lasers: keys of their files and conversion to the scene.

use crate::sensor::{BuildSensor, SensorContext, exteroceptive};
use merrow_model::scene::SensorKind;
use merrow_model::sensor::ExteroceptiveSpec;
use merrow_model::sensor::laser::{LaserOutput, LaserRanging, LaserSpec};
use merrow_model::sensor::tilt::Tilt;
use merrow_yaml::error::Problems;
use merrow_yaml::read::Places;
use merrow_yaml::spec::spec;

spec! {
    /// A laser that scans in a plane.
    pub struct LaserConfig {
        /// Azimuths of the first and the last beam, from the x axis, counter-clockwise.
        azimuth_deg: [f64; 2] [in -360.0..=360.0],
        /// Number of beams from the first to the last.
        beams: u32 [in 1.0..=1000000.0],
        ..ranging: LaserRanging,
    }
}

spec! {
    /// A planar scanning laser on a unit that tilts it about y at a constant speed, back and forth.
    pub struct TiltingLaserConfig {
        /// Minimum and maximum angle of the tilt unit, positive downwards.
        tilt_deg: [f64; 2] [in -180.0..=180.0],
        /// Period of the tilt motion, back and forth.
        tilt_period_s: f64 [positive],
        ..laser: LaserConfig,
    }
}

spec! {
    /// A laser that scans on several cones.
    pub struct LidarConfig {
        /// Elevations of the lowest and the highest ring above the sensor's xy plane; the rings are
        /// evenly spaced. Give either this or `elevations_deg`.
        elevation_deg: Option<[f64; 2]> [in -90.0..=90.0],
        /// Number of rings, with `elevation_deg`.
        rings: Option<u32> [in 1.0..=1024.0],
        /// Elevation of each ring, the lowest first.
        elevations_deg: Option<Vec<f64>> [not_empty, in -90.0..=90.0],
        /// Azimuths at which a scan begins and ends, from the x axis, counter-clockwise. The scan
        /// is clockwise if the second is smaller.
        azimuth_deg: [f64; 2] [in -360.0..=360.0] = [180.0, -180.0],
        /// Number of columns of a scan.
        columns: u32 [in 1.0..=100000.0],
        ..ranging: LaserRanging,
    }
}

impl BuildSensor for LaserConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        exteroceptive(ExteroceptiveSpec::Laser(laser(
            self,
            context.rate,
            problems,
        )))
    }
}

impl BuildSensor for TiltingLaserConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        exteroceptive(ExteroceptiveSpec::Laser(tilting(
            self,
            context.rate,
            problems,
        )))
    }
}

impl BuildSensor for LidarConfig {
    fn build(&self, context: &SensorContext<'_>, problems: &mut Problems) -> SensorKind {
        exteroceptive(ExteroceptiveSpec::Laser(lidar(
            self,
            context.rate,
            problems,
        )))
    }
}

/// Builds a planar scanning laser with `rate` scans per second [Hz].
pub fn laser(file: &LaserConfig, rate: f64, problems: &mut Problems) -> LaserSpec {
    let [first, last] = file.azimuth_deg.map(f64::to_radians);
    let beams = file.beams as usize;
    if beams > 1 && first == last {
        problems.push(
            file.at.key_place("azimuth_deg"),
            format!(
                "`azimuth_deg` begins and ends at {}; expected two angles",
                file.azimuth_deg[0]
            ),
        );
    }
    let step = if beams > 1 {
        (last - first) / (beams - 1) as f64
    } else {
        0.0
    };
    let turns = (last - first).abs() / std::f64::consts::TAU;
    build_spec(
        LaserOutput::Scan,
        vec![0.0],
        (first, step, beams),
        &file.ranging,
        (turns, rate),
        problems,
    )
}

/// Builds a planar scanning laser on a tilt unit with `rate` scans per second [Hz].
pub(crate) fn tilting(file: &TiltingLaserConfig, rate: f64, problems: &mut Problems) -> LaserSpec {
    let (period, beams) = (file.tilt_period_s, f64::from(file.laser.beams));
    if period * rate < 2.0 || period * rate * beams > BEAMS_MAX as f64 {
        let max_scans = BEAMS_MAX as f64 / beams;
        let text = format!(
            "`tilt_period_s` is {period}, which is {:.3} scans; expected 2 to {max_scans:.0}",
            period * rate
        );
        problems.push(file.at.key_place("tilt_period_s"), text);
    }
    let tilt = build_tilt(&file.at, file.tilt_deg, period, problems);
    LaserSpec {
        tilt: Some(tilt),
        ..laser(&file.laser, rate, problems)
    }
}

/// Builds a tilt unit that moves a sensor between two angles [deg], back and forth in `period` [s].
/// `places` holds the positions of the keys.
pub(crate) fn build_tilt(
    places: &Places,
    [low, high]: [f64; 2],
    period: f64,
    problems: &mut Problems,
) -> Tilt {
    if low >= high {
        let text = format!("`tilt_deg` is [{low}, {high}]; expected the smaller value first");
        problems.push(places.key_place("tilt_deg"), text);
    }
    // At least a nanosecond, so that a rejected value causes no division by zero.
    let period_ns = (period * 1e9).clamp(1.0, 1e18) as u64;
    Tilt {
        limits: [low, high].map(f64::to_radians),
        period_ns,
    }
}

/// Builds a laser that scans on several cones, with `rate` scans per second [Hz].
pub fn lidar(file: &LidarConfig, rate: f64, problems: &mut Problems) -> LaserSpec {
    let elevations: Vec<f64> = ring_elevations(file, problems)
        .into_iter()
        .map(f64::to_radians)
        .collect();
    let [first, last] = file.azimuth_deg.map(f64::to_radians);
    let columns = file.columns as usize;
    if columns > 1 && first == last {
        problems.push(
            file.at.key_place("azimuth_deg"),
            format!(
                "`azimuth_deg` begins and ends at {}; expected two angles",
                file.azimuth_deg[0]
            ),
        );
    }
    // The last column of a full turn is one step before the first.
    let step = (last - first) / columns as f64;
    let turns = (step * (columns - 1) as f64).abs() / std::f64::consts::TAU;
    build_spec(
        LaserOutput::Cloud,
        elevations,
        (first, step, columns),
        &file.ranging,
        (turns, rate),
        problems,
    )
}

/// Returns the elevations of the rings [deg].
fn ring_elevations(file: &LidarConfig, problems: &mut Problems) -> Vec<f64> {
    match (&file.elevations_deg, file.elevation_deg, file.rings) {
        (Some(list), None, None) => {
            if !list.is_sorted_by(|a, b| a < b) {
                problems.push(
                    file.at.key_place("elevations_deg"),
                    "`elevations_deg`: expected increasing values",
                );
            }
            list.clone()
        }
        (None, Some([low, high]), Some(n)) => {
            if n > 1 && low >= high {
                let text =
                    format!("`elevation_deg` is [{low}, {high}]; expected the smaller value first");
                problems.push(file.at.key_place("elevation_deg"), text);
            }
            let step = if n > 1 {
                (high - low) / f64::from(n - 1)
            } else {
                0.0
            };
            (0..n).map(|k| low + f64::from(k) * step).collect()
        }
        _ => {
            let text = "expected either `elevation_deg` with `rings`, or `elevations_deg`";
            problems.push(&file.at.whole, text);
            vec![0.0]
        }
    }
}

/// Builds a laser from its columns (azimuth of the first [rad], step [rad], count). Its head makes
/// `turns` turns per scan and `rate` scans per second [Hz].
fn build_spec(
    output: LaserOutput,
    elevations: Vec<f64>,
    (first_azimuth, azimuth_step, columns): (f64, f64, usize),
    file: &LaserRanging,
    (turns, rate): (f64, f64),
    problems: &mut Problems,
) -> LaserSpec {
    if file.min_range_m >= file.max_range_m {
        let text = format!(
            "`min_range_m` is {}; expected less than `max_range_m` {}",
            file.min_range_m, file.max_range_m
        );
        problems.push(file.at.key_place("min_range_m"), text);
    }
    if let Some(sweep) = file.sweep_s.filter(|sweep| sweep * rate > 1.0 + 1e-9) {
        let max_sweep = (1e6 / rate).round() * 1e-6;
        let text =
            format!("`sweep_s` is {sweep}; expected at most the scan period of {max_sweep} s");
        problems.push(file.at.key_place("sweep_s"), text);
    }
    file.at
        .report_ineffective_key("pulse_length_m", "divergence_mrad", problems);
    let beams = columns * elevations.len();
    if beams > BEAMS_MAX {
        problems.push(
            &file.at.whole,
            format!("{beams} beams per scan; expected at most {BEAMS_MAX}"),
        );
    }
    let columns = if beams > BEAMS_MAX { 1 } else { columns };
    LaserSpec {
        output,
        directions: LaserSpec::beam_directions(&elevations, first_azimuth, azimuth_step, columns),
        elevations,
        first_azimuth,
        azimuth_step,
        columns,
        sweep: file.sweep_s.unwrap_or(turns / rate),
        ranging: file.clone(),
        divergence: file.divergence_mrad * 1e-3,
        wavelength: file.wavelength_um * 1e-6,
        tilt: None,
    }
}

/// Maximum number of beams of a scan, to limit the memory.
const BEAMS_MAX: usize = 4_000_000;
