//! Sonars: keys of their files and conversion to the scene.

use crate::sensor::{BuildSensor, SensorContext, laser};
use merrow_model::sensor::sonar::{Aperture, ColumnBeams, Sonar, SonarKind, SonarSpec};
use merrow_model::sensor::tilt::Tilt;
use merrow_sensors::sonar::beam::{aperture, pattern, solid_angle};
use merrow_yaml::spec::spec;
use std::f64::consts::{PI, TAU};

spec! {
    /// A forward-looking sonar: one image over bearing and range per ping.
    pub struct ImagingSonarConfig {
        /// Full angle of the fan.
        sector_deg: f64 [in 1.0..=180.0],
        /// Number of beams in the fan.
        beams: u32 [in 2.0..=4096.0],
        /// Width of a beam across the fan.
        beam_width_deg: f64 [in 0.05..=60.0],
        /// Vertical width of the fan, for transmission and for reception.
        elevation_width_deg: f64 [in 0.1..=90.0],
        ..sounding: Sonar,
    }

    /// A downward-looking multibeam echo sounder that detects the seabed.
    pub struct MultibeamConfig {
        /// Full angle of the fan.
        sector_deg: f64 [in 1.0..=175.0],
        /// Number of beams in the fan.
        beams: u32 [in 2.0..=4096.0],
        /// Width of a beam across track.
        beam_width_deg: f64 [in 0.05..=60.0],
        /// Width of the fan along track.
        along_width_deg: f64 [in 0.05..=60.0],
        /// Signal-to-noise ratio at which a beam detects the seabed.
        threshold_db: f64 [in 0.0..=100.0] = 12.0,
        ..sounding: Sonar,
    }

    /// A side-scan sonar: one line of echoes over range to port and to starboard per ping.
    pub struct SideScanConfig {
        /// Width of the beams along track.
        beam_width_deg: f64 [in 0.05..=10.0],
        /// Vertical width of the beams.
        across_width_deg: f64 [in 1.0..=120.0] = 50.0,
        /// Angle of the beam axes below the horizontal.
        depression_deg: f64 [in 0.0..=90.0] = 30.0,
        ..sounding: Sonar,
    }

    /// A sonar whose head rotates one beam by a step between pings.
    pub struct ScanningSonarConfig {
        /// Full angle about the x axis that the head scans, back and forth; 360 for
        /// continuous rotation.
        sector_deg: f64 [in 1.0..=360.0] = 360.0,
        /// Rotation of the head between two pings.
        step_deg: f64 [in 0.05..=90.0],
        /// Width of the beam in the scan plane.
        beam_width_deg: f64 [in 0.05..=60.0],
        /// Width of the beam perpendicular to the scan plane.
        elevation_width_deg: f64 [in 0.1..=120.0],
        /// Whether it also outputs one range per bearing, as profiling sonars do.
        profiles: bool = false,
        /// Signal-to-noise ratio at which a bearing has a range, with `profiles`.
        threshold_db: f64 [in 0.0..=100.0] = 12.0,
        ..sounding: Sonar,
    }
}

/// Maximum number of rays, and of values, per ping, to limit the memory.
const MAX_PER_PING: usize = 16_000_000;
/// Relative power below which a column is ignored in a beam.
const MIN_BEAM_WEIGHT: f64 = 1e-5;
/// Half of the illuminated angle divided by the beam width: the main lobe, and the main lobe with
/// the first side lobes, of a shaded array.
const MAIN_LOBE: f64 = 1.3;
const WITH_SIDE_LOBES: f64 = 2.2;

/// Geometry of beams and rays of a type of sonar.
struct Layout {
    kind: SonarKind,
    steering: Vec<f64>,
    across: [Aperture; 2],
    along: [Aperture; 2],
    /// First and last angle of the rays [rad].
    columns: [f64; 2],
    rows: f64,
    rays: [usize; 2],
}

impl BuildSensor for ImagingSonarConfig {
    type Spec = SonarSpec;

    fn build(&self, cx: &SensorContext<'_>) -> SonarSpec {
        let sector = self.sector_deg.to_radians();
        let width = self.beam_width_deg.to_radians();
        let elevation = self.elevation_width_deg.to_radians();
        let shading = self.sounding.shading;
        let layout = Layout {
            kind: SonarKind::Imaging,
            steering: beam_angles(sector, self.beams),
            across: [aperture(width, shading), aperture(PI, shading)],
            along: [aperture(elevation, shading); 2],
            columns: [-0.5 * sector - width, 0.5 * sector + width],
            rows: WITH_SIDE_LOBES * elevation,
            rays: [column_count(sector, self.beams, width), 24],
        };
        build_spec(layout, &self.sounding, cx)
    }
}

impl BuildSensor for MultibeamConfig {
    type Spec = SonarSpec;

    fn build(&self, cx: &SensorContext<'_>) -> SonarSpec {
        let sector = self.sector_deg.to_radians();
        let width = self.beam_width_deg.to_radians();
        let along = self.along_width_deg.to_radians();
        let shading = self.sounding.shading;
        let layout = Layout {
            kind: SonarKind::Multibeam,
            steering: beam_angles(sector, self.beams),
            across: [aperture(width, shading), aperture(PI, shading)],
            along: [aperture(PI, shading), aperture(along, shading)],
            columns: [-0.5 * sector - width, 0.5 * sector + width],
            rows: MAIN_LOBE * along,
            rays: [2 * column_count(sector, self.beams, width), 5],
        };
        SonarSpec {
            threshold_db: self.threshold_db,
            ..build_spec(layout, &self.sounding, cx)
        }
    }
}

impl BuildSensor for SideScanConfig {
    type Spec = SonarSpec;

    fn build(&self, cx: &SensorContext<'_>) -> SonarSpec {
        let width = self.beam_width_deg.to_radians();
        let across = self.across_width_deg.to_radians();
        let axis = 0.5 * PI - self.depression_deg.to_radians();
        let shading = self.sounding.shading;
        // Each array transmits and receives on its own side: one pattern covers both paths.
        let both = aperture(across * std::f64::consts::FRAC_1_SQRT_2, shading);
        let reach = (axis + MAIN_LOBE * across).min(0.6 * PI);
        let layout = Layout {
            kind: SonarKind::SideScan,
            steering: vec![-axis, axis],
            across: [both, aperture(PI, shading)],
            along: [aperture(width, shading); 2],
            columns: [-reach, reach],
            rows: MAIN_LOBE * width,
            rays: [1600, 3],
        };
        build_spec(layout, &self.sounding, cx)
    }
}

impl BuildSensor for ScanningSonarConfig {
    type Spec = SonarSpec;

    fn build(&self, cx: &SensorContext<'_>) -> SonarSpec {
        let width = self.beam_width_deg.to_radians();
        let elevation = self.elevation_width_deg.to_radians();
        let shading = self.sounding.shading;
        if self.step_deg > self.sector_deg {
            let text = format!(
                "`step_deg` is {}; expected at most `sector_deg` {}",
                self.step_deg, self.sector_deg
            );
            cx.error(self.at.key_place("step_deg"), text);
        }
        let layout = Layout {
            kind: SonarKind::Scanning,
            steering: vec![0.0],
            across: [aperture(width, shading); 2],
            along: [aperture(elevation, shading); 2],
            columns: [-WITH_SIDE_LOBES * width, WITH_SIDE_LOBES * width],
            rows: WITH_SIDE_LOBES * elevation,
            rays: [32, 64],
        };
        cx.check_effect(&self.at, "threshold_db", "profiles");
        SonarSpec {
            threshold_db: self.threshold_db,
            head: [self.step_deg.to_radians(), self.sector_deg.to_radians()],
            profiles: self.profiles,
            ..build_spec(layout, &self.sounding, cx)
        }
    }
}

/// Returns the angles of beams evenly spaced over a sector [rad].
fn beam_angles(sector: f64, beams: u32) -> Vec<f64> {
    let step = sector / f64::from(beams - 1);
    (0..beams)
        .map(|k| f64::from(k) * step - 0.5 * sector)
        .collect()
}

/// Returns the number of ray columns that resolve the beams: two per beam width or beam spacing,
/// whichever is smaller.
fn column_count(sector: f64, beams: u32, width: f64) -> usize {
    let step = (sector / f64::from(beams - 1)).min(width);
    (2.0 * (sector + 2.0 * width) / step).ceil() as usize
}

fn build_spec(layout: Layout, file: &Sonar, cx: &SensorContext<'_>) -> SonarSpec {
    check_sounding(file, cx);
    let rays = file
        .rays
        .map_or(layout.rays, |rays| rays.map(|n| n as usize));
    let (n_rays, numbers) = (
        rays[0] * rays[1],
        layout.steering.len() * file.bins as usize,
    );
    let column_beams = rays[0] * layout.steering.len();
    let too_many = [
        (n_rays, "rays"),
        (numbers, "values"),
        (column_beams, "columns times beams"),
    ];
    let mut rays = rays;
    for (n, what) in too_many.into_iter().filter(|(n, _)| *n > MAX_PER_PING) {
        cx.error(
            &file.at.whole,
            format!("{n} {what} per ping; expected at most {MAX_PER_PING}"),
        );
        rays = [1, 1];
    }
    let rows = layout.rows.min(0.499 * PI);
    let even = |[first, last]: [f64; 2], n: usize| {
        let step = (last - first) / n as f64;
        (
            (0..n)
                .map(|k| first + (k as f64 + 0.5) * step)
                .collect::<Vec<f64>>(),
            step,
        )
    };
    let (columns, column_step) = even(layout.columns, rays[0]);
    let (rows, row_step) = even([-rows, rows], rays[1]);
    SonarSpec {
        kind: layout.kind,
        sonar: file.clone(),
        column_beams: beam_weights(&columns, &layout.steering, &layout.across[0]),
        solid_angle: solid_angle(&layout.across[0], &layout.along[0]),
        steering: layout.steering,
        across: layout.across,
        along: layout.along,
        columns,
        column_step,
        rows,
        row_step,
        threshold_db: 0.0,
        head: [0.0; 2],
        profiles: false,
        tilt: build_tilt(file, cx),
    }
}

/// Builds the tilt unit, if there is one.
fn build_tilt(file: &Sonar, cx: &SensorContext<'_>) -> Option<Tilt> {
    match (file.tilt_deg, file.tilt_period_s) {
        (Some(limits), Some(period)) => {
            let pings = period * cx.rate;
            if pings < 2.0 {
                let text = format!(
                    "`tilt_period_s` is {period}, which is {pings:.3} pings; expected at least 2"
                );
                cx.error(file.at.key_place("tilt_period_s"), text);
            }
            Some(laser::build_tilt(&file.at, limits, period, cx))
        }
        (None, None) => None,
        (limits, _) => {
            let key = if limits.is_some() {
                "tilt_deg"
            } else {
                "tilt_period_s"
            };
            cx.refuse(
                file.at.key_place(key),
                "`tilt_deg` and `tilt_period_s` require each other; expected both",
            )
        }
    }
}

fn check_sounding(file: &Sonar, cx: &SensorContext<'_>) {
    let (rate, far) = (cx.rate, file.max_range_m);
    cx.check_ranges(&file.at, file.min_range_m, far);
    if file.bits != 8 && file.bits != 16 {
        cx.error(
            file.at.key_place("bits"),
            format!("`bits` is {}; expected 8 or 16", file.bits),
        );
    }
    cx.check_ascending(&file.at, "levels_db", file.levels_db);
    if file.refraction && file.multipath {
        let text = "`refraction` and `multipath` cannot be combined; expected one of them";
        cx.error(file.at.key_place("refraction"), text);
    }
    let listening_time = 2.0 * far / file.sound_speed_m_s.unwrap_or(1500.0);
    if listening_time * rate > 1.02 {
        let text = format!(
            "{rate} pings per second, the echoes from {far} m take {listening_time:.3} s; expected at most {:.2}",
            1.0 / listening_time
        );
        cx.error(file.at.key_place("max_range_m"), text);
    }
}

/// Returns the beams that receive each column, with their weights.
fn beam_weights(columns: &[f64], steering: &[f64], across: &Aperture) -> Vec<ColumnBeams> {
    let weight = |column: f64, beam: usize| {
        let angle = (column - steering[beam] + PI).rem_euclid(TAU) - PI;
        pattern(across, angle)
    };
    // For each beam: the sum of its weights over all columns divided by that over the columns in
    // its main lobe.
    let share: Vec<f64> = (0..steering.len())
        .map(|beam| {
            let all: Vec<f64> = columns.iter().map(|c| weight(*c, beam)).collect();
            let main: f64 = all.iter().filter(|w| **w >= 0.5).sum();
            if main > 0.0 {
                all.iter().sum::<f64>() / main
            } else {
                0.0
            }
        })
        .collect();
    let of_column = |column: &f64| {
        let all: Vec<f64> = (0..steering.len())
            .map(|beam| weight(*column, beam))
            .collect();
        let first = all.iter().position(|w| *w >= MIN_BEAM_WEIGHT).unwrap_or(0);
        let last = all
            .iter()
            .rposition(|w| *w >= MIN_BEAM_WEIGHT)
            .map_or(first, |k| k + 1);
        let main = all.iter().enumerate().filter(|(_, w)| **w >= 0.5);
        ColumnBeams {
            first,
            weights: all[first..last].iter().map(|w| *w as f32).collect(),
            main: main
                .map(|(beam, w)| (beam, (w * share[beam]) as f32))
                .collect(),
        }
    };
    columns.iter().map(of_column).collect()
}
