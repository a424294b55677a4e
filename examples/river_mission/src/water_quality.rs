//! Water-quality samples of the boat, and the map that is made of them.
//!
//! # Law
//! Gaussian-process regression of y = ln(1 + c/c₀) with a Matérn kernel (Rasmussen and Williams
//! 2006, "Gaussian Processes for Machine Learning", equations 2.25, 2.26, 2.30 and 4.17):
//! ```text
//!   k(r) = s² (1 + √3 r/l) exp(-√3 r/l),   K = k(X, X) + σ² I                     (1)
//!   mean = m + k*ᵀ K⁻¹ (y - m),   variance = s² - k*ᵀ K⁻¹ k*                       (2)
//!   ln p = -½ (y - m)ᵀ K⁻¹ (y - m) - ½ ln |K| - ½ n ln 2π                        (3)
//! ```
//! The length l is the one of [`LENGTHS_M`] with the largest (3), the mean m that of the samples, and
//! s² their variance. The source is where the map has its largest mean.
//!
//! # Symbols
//! c concentration, c₀ scale at which it counts [unit of the sensor] · r distance [m] · σ noise of a
//! sample · X places of the samples.
//!
//! # Limits
//! The plume is steady during the survey. The kernel has the same length in all directions, and
//! knows no banks. Only what is near the track is mapped; the source is found if the boat passes it.
//!
//! # Checked by
//! The tests below.

use crate::clouds::{cloud_of, read_fields};
use crate::estimation::node::estimate_topic;
use crate::frames::{MAP_FRAME, header, point};
use crate::node::{Node, Outbox, Output, Ports};
use merrow_ros2::msg::geometry_msgs::{
    Pose, PoseWithCovariance, PoseWithCovarianceStamped, Quaternion,
};
use merrow_ros2::msg::nav_msgs::{MapMetaData, OccupancyGrid, Odometry};
use merrow_ros2::msg::sensor_msgs::PointCloud2;
use merrow_ros2::msg::std_msgs::Float64;
use merrow_ros2::qos::Qos;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Point3, Vector2};
use std::fmt::Write as _;

/// Lengths of the kernel that are compared [m].
pub const LENGTHS_M: [f64; 5] = [5.0, 10.0, 20.0, 40.0, 80.0];
/// Distance between two samples of the map [m]: readings between them are averaged.
const SPACING_M: f64 = 3.0;
/// Most samples; the spacing doubles when there are more.
const MAX_SAMPLES: usize = 400;
/// Standard deviation of the noise of ln(1 + c/c₀).
const NOISE: f64 = 0.05;
/// Edge of a cell of the map [m].
const EDGE_M: f64 = 2.0;
/// Distance from the track up to which there are cells [m].
const MARGIN_M: f64 = 20.0;
/// Part of the standard deviation of the samples up to which a cell counts as mapped.
const MAX_STD: f64 = 0.8;
/// Most cells of the map.
const MAX_CELLS: usize = 500_000;
/// Period of the map [s].
const PERIOD_S: f64 = 20.0;

/// A place and its concentration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// East and north [m].
    pub at: Vector2<f64>,
    /// Mean of the readings [unit of the sensor].
    pub concentration: f64,
    /// Number of readings.
    pub readings: u32,
}

/// Samples along a track.
#[derive(Debug, Clone, PartialEq)]
pub struct Samples {
    samples: Vec<Sample>,
    spacing_m: f64,
}

impl Default for Samples {
    fn default() -> Self {
        Self {
            samples: Vec::new(),
            spacing_m: SPACING_M,
        }
    }
}

impl Samples {
    /// Adds a reading at a place [m]. Values that are not finite are left out.
    pub fn add(&mut self, at: Vector2<f64>, concentration: f64) {
        if !(concentration.is_finite() && at.iter().all(|c| c.is_finite())) {
            return;
        }
        let concentration = concentration.max(0.0);
        match self.samples.last_mut() {
            Some(last) if (last.at - at).norm() < self.spacing_m => {
                last.readings = last.readings.saturating_add(1);
                last.concentration +=
                    (concentration - last.concentration) / f64::from(last.readings);
            }
            _ => self.samples.push(Sample {
                at,
                concentration,
                readings: 1,
            }),
        }
        if self.samples.len() > MAX_SAMPLES {
            self.spacing_m *= 2.0;
            let old = std::mem::take(&mut self.samples);
            for sample in old {
                match self.samples.last_mut() {
                    Some(last) if (last.at - sample.at).norm() < self.spacing_m => {
                        let all = last.readings.saturating_add(sample.readings);
                        last.concentration += (sample.concentration - last.concentration)
                            * f64::from(sample.readings)
                            / f64::from(all);
                        last.readings = all;
                    }
                    _ => self.samples.push(sample),
                }
            }
            // a boat that crosses its track for hours: the oldest give way
            let surplus = self.samples.len().saturating_sub(MAX_SAMPLES);
            self.samples.drain(..surplus);
        }
    }

    /// Returns the samples, in the order of the track.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }
}

/// Regression of a field.
pub struct Field {
    places: Vec<Vector2<f64>>,
    factor: Cholesky<f64, Dyn>,
    /// K⁻¹ (y - m).
    weights: DVector<f64>,
    mean: f64,
    variance: f64,
    scale: f64,
    /// Length of the kernel [m].
    pub length_m: f64,
}

fn kernel(distance: f64, length: f64) -> f64 {
    let r = 3.0_f64.sqrt() * distance / length;
    (1.0 + r) * (-r).exp()
}

impl Field {
    /// Fits the field; `scale` is c₀. `None` with less than three samples.
    #[must_use]
    pub fn fit(samples: &[Sample], scale: f64) -> Option<Self> {
        let n = samples.len();
        if n < 3 {
            return None;
        }
        let y = DVector::from_fn(n, |k, _| (samples[k].concentration / scale).ln_1p());
        let mean = y.mean();
        // a field without variation is known as well as its noise
        let variance = y.variance().max(NOISE * NOISE);
        let y = y.add_scalar(-mean);
        let mut best: Option<(f64, Self)> = None;
        for length_m in LENGTHS_M {
            let gram = DMatrix::from_fn(n, n, |i, j| {
                let noise = if i == j { NOISE * NOISE } else { 0.0 };
                variance * kernel((samples[i].at - samples[j].at).norm(), length_m) + noise
            });
            let Some(factor) = gram.cholesky() else {
                continue;
            };
            let weights = factor.solve(&y);
            let log_determinant = 2.0
                * factor
                    .l_dirty()
                    .diagonal()
                    .iter()
                    .map(|v| v.ln())
                    .sum::<f64>();
            let evidence = -0.5 * y.dot(&weights) - 0.5 * log_determinant; // (3)
            if best.as_ref().is_none_or(|(other, _)| evidence > *other) {
                let field = Self {
                    places: samples.iter().map(|s| s.at).collect(),
                    factor,
                    weights,
                    mean,
                    variance,
                    scale,
                    length_m,
                };
                best = Some((evidence, field));
            }
        }
        best.map(|(_, field)| field)
    }

    /// Returns mean and standard deviation of ln(1 + c/c₀) at a place [m], over all samples, and the
    /// standard deviation without samples is 1: (2).
    fn log_at(&self, at: Vector2<f64>) -> (f64, f64) {
        let k = DVector::from_fn(self.places.len(), |i, _| {
            self.variance * kernel((self.places[i] - at).norm(), self.length_m)
        });
        let mean = self.mean + k.dot(&self.weights);
        let explained = self
            .factor
            .l_dirty()
            .solve_lower_triangular(&k)
            .map_or(0.0, |v| v.norm_squared());
        let part = (1.0 - explained / self.variance).max(0.0).sqrt();
        (mean, part)
    }

    /// Returns the concentration at a place [m], and the part of the standard deviation of the
    /// samples that remains there, 0 to 1.
    #[must_use]
    pub fn at(&self, at: Vector2<f64>) -> (f64, f64) {
        let (mean, part) = self.log_at(at);
        ((mean.exp_m1() * self.scale).max(0.0), part)
    }

    /// Returns the field on a grid about the samples.
    #[must_use]
    pub fn map(&self) -> FieldMap {
        let low = self.places.iter().fold(self.places[0], |a, b| a.inf(b));
        let high = self.places.iter().fold(self.places[0], |a, b| a.sup(b));
        let low = ((low - Vector2::repeat(MARGIN_M)) / EDGE_M).map(f64::floor);
        let high = ((high + Vector2::repeat(MARGIN_M)) / EDGE_M).map(f64::ceil);
        let width = (high.x - low.x).max(1.0) as usize;
        let height = ((high.y - low.y).max(1.0) as usize).min(MAX_CELLS / width.max(1));
        let corner = low * EDGE_M;
        let cells = (0..width * height)
            .map(|k| {
                let at = corner
                    + Vector2::new((k % width) as f64 + 0.5, (k / width) as f64 + 0.5) * EDGE_M;
                let is_near = self.places.iter().any(|p| (p - at).norm() < MARGIN_M);
                let (value, part) = if is_near { self.at(at) } else { (0.0, 1.0) };
                (part <= MAX_STD).then_some(Cell { value, part })
            })
            .collect();
        FieldMap {
            corner,
            width,
            height,
            cells,
        }
    }
}

/// A cell of a map.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cell {
    /// Concentration [unit of the sensor].
    pub value: f64,
    /// Standard deviation of ln(1 + c/c₀) over that of the samples.
    pub part: f64,
}

/// Concentrations on a grid; `None` far from all samples.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldMap {
    /// Lower corner [m].
    pub corner: Vector2<f64>,
    /// Columns, to the east.
    pub width: usize,
    /// Rows, to the north.
    pub height: usize,
    /// Cells by rows.
    pub cells: Vec<Option<Cell>>,
}

impl FieldMap {
    fn center(&self, k: usize) -> Vector2<f64> {
        let index = Vector2::new((k % self.width) as f64, (k / self.width) as f64);
        self.corner + (index + Vector2::repeat(0.5)) * EDGE_M
    }

    /// Returns the ends [m] of the longest lines of cells of a row that a condition holds for.
    #[must_use]
    pub fn rows(&self, holds: impl Fn(&Cell) -> bool) -> Vec<Vec<[f64; 2]>> {
        let mut lines: Vec<Vec<[f64; 2]>> = Vec::new();
        let mut is_open = false;
        for (k, cell) in self.cells.iter().enumerate() {
            let [x, y] = self.center(k).into();
            is_open &= k % self.width > 0;
            if !cell.as_ref().is_some_and(&holds) {
                is_open = false;
                continue;
            }
            let end = [x + 0.5 * EDGE_M, y];
            match lines.last_mut().filter(|_| is_open) {
                Some(line) => line[1] = end,
                None => lines.push(vec![[x - 0.5 * EDGE_M, y], end]),
            }
            is_open = true;
        }
        lines
    }

    /// Returns the place [m] and value of the largest concentration, and the standard deviation [m]
    /// of the cells with more than 80 % of it about the place.
    #[must_use]
    pub fn source(&self) -> Option<(Vector2<f64>, f64, f64)> {
        let known = || {
            self.cells
                .iter()
                .enumerate()
                .filter_map(|(k, cell)| cell.map(|cell| (k, cell.value)))
        };
        let (k, most) = known().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let place = self.center(k);
        let (mut sum, mut count) = (0.0, 0);
        for (k, _) in known().filter(|(_, value)| *value > 0.8 * most) {
            sum += (self.center(k) - place).norm_squared();
            count += 1;
        }
        let spread = (sum / f64::from(count.max(1))).sqrt().max(0.5 * EDGE_M);
        Some((place, most, spread))
    }

    /// Returns the map as a message: 0 for no concentration, 100 for the largest, -1 far from the
    /// samples.
    #[must_use]
    pub fn message(&self, stamp_ns: u64) -> OccupancyGrid {
        let values = self.cells.iter().flatten().map(|cell| cell.value);
        let most = values.fold(f64::MIN_POSITIVE, f64::max);
        let percent =
            |cell: &Option<Cell>| cell.map_or(-1, |cell| (100.0 * cell.value / most).round() as i8);
        OccupancyGrid {
            header: header(MAP_FRAME, stamp_ns),
            info: MapMetaData {
                map_load_time: header(MAP_FRAME, stamp_ns).stamp,
                resolution: EDGE_M as f32,
                width: self.width as u32,
                height: self.height as u32,
                origin: Pose {
                    position: point(&Point3::new(self.corner.x, self.corner.y, 0.0)),
                    orientation: Quaternion {
                        w: 1.0,
                        ..Quaternion::default()
                    },
                },
            },
            data: self.cells.iter().map(percent).collect(),
        }
    }

    /// Returns the map as text: east and north of the centres of the cells [m], concentration, and
    /// the part of the standard deviation that remains.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut text = String::from("east_m,north_m,concentration,std_part\n");
        for (k, cell) in self.cells.iter().enumerate() {
            if let Some(cell) = cell {
                let at = self.center(k);
                let _ = writeln!(text, "{},{},{:.4},{:.3}", at.x, at.y, cell.value, cell.part);
            }
        }
        text
    }
}

/// Names of the boat and of its sensor.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Name of the boat.
    pub boat: String,
    /// Name of the sensor, whose readings are on `<boat>/<sensor>/data`.
    pub sensor: String,
    /// Concentration c₀ that counts [unit of the sensor].
    pub scale: f64,
}

/// Node that samples the water along the track, and publishes map and source.
pub struct WaterSampler {
    settings: Settings,
    samples: Samples,
    /// Place of the boat [m].
    place: Option<Vector2<f64>>,
    map: Output<OccupancyGrid>,
    source: Output<PoseWithCovarianceStamped>,
    cloud: Output<PointCloud2>,
}

/// Returns the topic of the map of the concentration.
#[must_use]
pub fn quality_topic(boat: &str) -> String {
    format!("/{boat}/mission/water_quality")
}

/// Returns the topic of the samples, a cloud with [`SAMPLE_FIELDS`].
#[must_use]
pub fn samples_topic(boat: &str) -> String {
    format!("/{boat}/mission/water_samples")
}

/// Fields of the cloud of samples: place [m], concentration [unit of the sensor], number of readings.
pub const SAMPLE_FIELDS: [&str; 5] = ["x", "y", "z", "concentration", "readings"];

/// Reads a cloud of samples.
///
/// # Errors
/// One line: the cloud has other fields.
pub fn read_samples(cloud: &PointCloud2) -> Result<Vec<Sample>, String> {
    let rows = read_fields(cloud, SAMPLE_FIELDS)?.into_iter();
    let samples = rows.map(|[x, y, _, concentration, readings]| Sample {
        at: Vector2::new(x, y),
        concentration,
        readings: readings as u32,
    });
    Ok(samples.collect())
}

/// Returns the samples of a boat as lines of a table, without a heading: boat, east and north [m],
/// concentration [unit of the sensor], number of readings.
#[must_use]
pub fn sample_lines(boat: &str, samples: &[Sample]) -> String {
    let mut text = String::new();
    for Sample {
        at,
        concentration,
        readings,
    } in samples
    {
        let _ = writeln!(
            text,
            "{boat},{:.2},{:.2},{concentration:.4},{readings}",
            at.x, at.y
        );
    }
    text
}

/// Returns the topic of the estimated source.
#[must_use]
pub fn source_topic(boat: &str) -> String {
    format!("/{boat}/mission/plume_source")
}

impl WaterSampler {
    /// Creates the node.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self {
            map: Output::new(quality_topic(&settings.boat), Qos::LATCHED),
            source: Output::new(source_topic(&settings.boat), Qos::LATCHED),
            cloud: Output::new(samples_topic(&settings.boat), Qos::LATCHED),
            settings,
            samples: Samples::default(),
            place: None,
        }
    }

    fn publish(&mut self, outbox: &mut Outbox) {
        let samples = self.samples.samples().iter();
        let rows = samples.map(|s| [s.at.x, s.at.y, 0.0, s.concentration, f64::from(s.readings)]);
        let cloud = cloud_of(outbox.now_ns(), SAMPLE_FIELDS, rows);
        outbox.publish(&self.cloud, &cloud);
        let Some(field) = Field::fit(self.samples.samples(), self.settings.scale) else {
            return;
        };
        let now = outbox.now_ns();
        let map = field.map();
        outbox.publish(&self.map, &map.message(now));
        if let Some((at, _, spread)) = map.source() {
            let mut covariance = [0.0; 36];
            (covariance[0], covariance[7]) = (spread * spread, spread * spread);
            let source = PoseWithCovarianceStamped {
                header: header(MAP_FRAME, now),
                pose: PoseWithCovariance {
                    pose: Pose {
                        position: point(&Point3::new(at.x, at.y, 0.0)),
                        orientation: Quaternion {
                            w: 1.0,
                            ..Quaternion::default()
                        },
                    },
                    covariance,
                },
            };
            outbox.publish(&self.source, &source);
        }
    }
}

impl Node for WaterSampler {
    fn declare(&self, ports: &mut Ports<Self>) {
        let Settings { boat, sensor, .. } = &self.settings;
        ports.subscribes(
            estimate_topic(boat),
            Qos::DEFAULT,
            |node: &mut Self, odometry: Odometry, _| {
                let p = &odometry.pose.pose.position;
                node.place = Some(Vector2::new(p.x, p.y));
            },
        );
        ports.subscribes(
            format!("/{boat}/{sensor}/data"),
            Qos::DEFAULT,
            |node: &mut Self, reading: Float64, _| {
                if let Some(place) = node.place {
                    node.samples.add(place, reading.data);
                }
            },
        );
        ports.publishes(&self.map);
        ports.publishes(&self.source);
        ports.publishes(&self.cloud);
        ports.every(PERIOD_S, Self::publish);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plume downstream (to the east) of a source at (30, 5).
    fn plume(at: Vector2<f64>) -> f64 {
        let (x, y) = (at.x - 30.0, at.y - 5.0);
        if x <= 0.0 {
            return 0.0;
        }
        let width = 2.0 + 0.1 * x;
        20.0 / (1.0 + 0.1 * x) * (-0.5 * (y / width).powi(2)).exp()
    }

    fn survey() -> Samples {
        let mut samples = Samples::default();
        // legs across the river, 0.5 m between readings
        for leg in 0..12 {
            for k in 0..60 {
                let y = if leg % 2 == 0 {
                    f64::from(k)
                } else {
                    f64::from(59 - k)
                };
                let at = Vector2::new(110.0 - 8.0 * f64::from(leg), -10.0 + 0.5 * y);
                samples.add(at, plume(at));
            }
        }
        samples
    }

    #[test]
    fn plumes_are_mapped_between_the_samples() {
        let samples = survey();
        assert!(samples.samples().len() < 150, "averaged over 3 m");
        let field = Field::fit(samples.samples(), 0.5).unwrap();
        let mut worst = 0.0_f64;
        for k in 0..40 {
            let at = Vector2::new(50.0 + f64::from(k), 2.0);
            worst = worst.max((field.at(at).0 - plume(at)).abs());
        }
        assert!(worst < 2.0, "{worst}");
        assert!(field.at(Vector2::new(60.0, 5.0)).1 < 0.5);
        assert!(field.at(Vector2::new(600.0, 5.0)).1 > 0.99);
    }

    #[test]
    fn sources_are_where_the_plume_begins() {
        let map = Field::fit(survey().samples(), 0.5).unwrap().map();
        let (place, most, spread) = map.source().unwrap();
        assert!(
            (place - Vector2::new(32.0, 5.0)).norm() < 8.0,
            "{place} {most}"
        );
        assert!(spread < 10.0);
        let message = map.message(7);
        assert_eq!(message.data.len(), map.width * map.height);
        assert_eq!(message.data.iter().max(), Some(&100));
        assert!(message.data.contains(&-1));
        let lines = map.csv().lines().count();
        assert_eq!(lines, 1 + map.cells.iter().flatten().count());
    }

    #[test]
    fn the_field_interpolates_its_samples() {
        let samples: Vec<Sample> = (0..6)
            .map(|k| Sample {
                at: Vector2::new(40.0 * f64::from(k), 0.0),
                concentration: f64::from(k % 3),
                readings: 1,
            })
            .collect();
        let field = Field::fit(&samples, 1.0).unwrap();
        for sample in &samples {
            let (value, part) = field.at(sample.at);
            assert!((value - sample.concentration).abs() < 0.05, "{value}");
            assert!(part < 0.2);
        }
    }

    #[test]
    fn samples_pass_through_their_topic() {
        let all = survey();
        let rows = all.samples().iter();
        let rows = rows.map(|s| [s.at.x, s.at.y, 0.0, s.concentration, f64::from(s.readings)]);
        let read = read_samples(&cloud_of(0, SAMPLE_FIELDS, rows)).unwrap();
        assert_eq!(read.len(), all.samples().len());
        for (a, b) in read.iter().zip(all.samples()) {
            let difference = (a.concentration - b.concentration).abs();
            assert!(difference < 1e-5 && (a.at - b.at).norm() < 1e-4);
            assert_eq!(a.readings, b.readings);
        }
        let lines = sample_lines("usv", &read[..1]);
        let values: Vec<&str> = lines.trim_end().split(',').collect();
        assert_eq!((values[0], values.len()), ("usv", 5));
    }

    #[test]
    fn hostile_readings_are_left_out_and_memory_is_bounded() {
        let mut samples = Samples::default();
        samples.add(Vector2::new(f64::NAN, 0.0), 1.0);
        samples.add(Vector2::zeros(), f64::INFINITY);
        assert!(samples.samples().is_empty());
        assert!(Field::fit(samples.samples(), 1.0).is_none());
        for k in 0..20_000 {
            samples.add(Vector2::new(5.0 * f64::from(k), 0.0), 1.0);
        }
        assert!(samples.samples().len() <= MAX_SAMPLES);
        assert!(Field::fit(samples.samples(), 1.0).is_some());
    }
}
