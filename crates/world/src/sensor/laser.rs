//! Scanning lasers: keys of their files and conversion to the scene.

use crate::sensor::{BuildSensor, SensorContext};
use merrow_model::sensor::laser::{LaserOutput, LaserRanging, LaserSpec};
use merrow_model::sensor::tilt::Tilt;
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

    /// A planar scanning laser on a unit that tilts it about y at a constant speed, back and forth.
    pub struct TiltingLaserConfig {
        /// Minimum and maximum angle of the tilt unit, positive downwards.
        tilt_deg: [f64; 2] [in -180.0..=180.0],
        /// Period of the tilt motion, back and forth.
        tilt_period_s: f64 [positive],
        ..laser: LaserConfig,
    }

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
    type Spec = LaserSpec;

    fn build(&self, cx: &SensorContext<'_>) -> LaserSpec {
        let beams = self.beams as usize;
        let [first, last] = scanned_angles(&self.at, self.azimuth_deg, beams, cx);
        let step = if beams > 1 {
            (last - first) / (beams - 1) as f64
        } else {
            0.0
        };
        let turns = (last - first).abs() / std::f64::consts::TAU;
        let columns = (first, step, beams);
        build_spec(
            LaserOutput::Scan,
            vec![0.0],
            columns,
            &self.ranging,
            turns,
            cx,
        )
    }
}

impl BuildSensor for TiltingLaserConfig {
    type Spec = LaserSpec;

    fn build(&self, cx: &SensorContext<'_>) -> LaserSpec {
        let (period, beams) = (self.tilt_period_s, f64::from(self.laser.beams));
        let scans = period * cx.rate;
        if scans < 2.0 || scans * beams > BEAMS_MAX as f64 {
            let max_scans = BEAMS_MAX as f64 / beams;
            let text = format!(
                "`tilt_period_s` is {period}, which is {scans:.3} scans; expected 2 to {max_scans:.0}"
            );
            cx.error(self.at.key_place("tilt_period_s"), text);
        }
        LaserSpec {
            tilt: Some(build_tilt(&self.at, self.tilt_deg, period, cx)),
            ..self.laser.build(cx)
        }
    }
}

impl BuildSensor for LidarConfig {
    type Spec = LaserSpec;

    fn build(&self, cx: &SensorContext<'_>) -> LaserSpec {
        let elevations = ring_elevations(self, cx).into_iter();
        let columns = self.columns as usize;
        let [first, last] = scanned_angles(&self.at, self.azimuth_deg, columns, cx);
        // The last column of a full turn is one step before the first.
        let step = (last - first) / columns as f64;
        let turns = (step * (columns - 1) as f64).abs() / std::f64::consts::TAU;
        build_spec(
            LaserOutput::Cloud,
            elevations.map(f64::to_radians).collect(),
            (first, step, columns),
            &self.ranging,
            turns,
            cx,
        )
    }
}

/// Returns the first and the last azimuth of a scan of `n` beams [rad]; reports equal ones.
fn scanned_angles(
    at: &Places,
    azimuth_deg: [f64; 2],
    n: usize,
    cx: &SensorContext<'_>,
) -> [f64; 2] {
    let [first, last] = azimuth_deg.map(f64::to_radians);
    if n > 1 && first == last {
        let text = format!(
            "`azimuth_deg` begins and ends at {}; expected two angles",
            azimuth_deg[0]
        );
        cx.error(at.key_place("azimuth_deg"), text);
    }
    [first, last]
}

/// Builds a tilt unit that moves a sensor between two angles [deg], back and forth in `period` [s].
pub(crate) fn build_tilt(
    at: &Places,
    limits_deg: [f64; 2],
    period: f64,
    cx: &SensorContext<'_>,
) -> Tilt {
    cx.check_ascending(at, "tilt_deg", limits_deg);
    // At least a nanosecond, so that a rejected value causes no division by zero.
    let period_ns = (period * 1e9).clamp(1.0, 1e18) as u64;
    Tilt {
        limits: limits_deg.map(f64::to_radians),
        period_ns,
    }
}

/// Returns the elevations of the rings [deg].
fn ring_elevations(file: &LidarConfig, cx: &SensorContext<'_>) -> Vec<f64> {
    match (&file.elevations_deg, file.elevation_deg, file.rings) {
        (Some(list), None, None) => {
            if !list.is_sorted_by(|a, b| a < b) {
                cx.error(
                    file.at.key_place("elevations_deg"),
                    "`elevations_deg`: expected increasing values",
                );
            }
            list.clone()
        }
        (None, Some([low, high]), Some(n)) => {
            if n > 1 {
                cx.check_ascending(&file.at, "elevation_deg", [low, high]);
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
            cx.error(&file.at.whole, text);
            vec![0.0]
        }
    }
}

/// Builds a laser from its columns (azimuth of the first [rad], step [rad], count). Its head makes
/// `turns` turns per scan.
fn build_spec(
    output: LaserOutput,
    elevations: Vec<f64>,
    (first_azimuth, azimuth_step, columns): (f64, f64, usize),
    file: &LaserRanging,
    turns: f64,
    cx: &SensorContext<'_>,
) -> LaserSpec {
    let rate = cx.rate;
    cx.check_ranges(&file.at, file.min_range_m, file.max_range_m);
    if let Some(sweep) = file.sweep_s.filter(|sweep| sweep * rate > 1.0 + 1e-9) {
        let max_sweep = (1e6 / rate).round() * 1e-6;
        let text =
            format!("`sweep_s` is {sweep}; expected at most the scan period of {max_sweep} s");
        cx.error(file.at.key_place("sweep_s"), text);
    }
    cx.check_effect(&file.at, "pulse_length_m", "divergence_mrad");
    let beams = columns * elevations.len();
    if beams > BEAMS_MAX {
        cx.error(
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
        tilt: None,
    }
}

/// Maximum number of beams of a scan, to limit the memory.
const BEAMS_MAX: usize = 4_000_000;
