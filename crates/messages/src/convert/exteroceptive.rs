//! Conversion of frames of lasers, radars and AIS receivers to messages, and their images.

use crate::convert::header;
use crate::convert::image::grey_image;
use crate::convert::topic::{Publish, Topic};
use crate::frames;
use crate::msg::marine_sensor_msgs::{RadarEcho, RadarSector};
use crate::msg::nmea_msgs::Sentence;
use crate::snapshot::cloud as cloud_image;
use crate::snapshot::cloud::RangeGrid;
use crate::snapshot::{
    ImageBuilder, LatestImage, Plot, Points, Samples, SensorImage, Snapshot, SnapshotOutput,
};
use bytes::Bytes;
use merrow_model::scene::Sensor;
use merrow_model::sensor::ais;
use merrow_model::sensor::ais::AisReceiver;
use merrow_model::sensor::laser::Point;
use merrow_model::sensor::laser::Scan;
use merrow_model::sensor::laser::{LaserOutput, LaserSpec};
use merrow_model::sensor::radar::RadarSpec;
use merrow_model::sensor::radar::Sweep;
use merrow_model::state::frames::FrameData;
use merrow_ros2::msg::builtin_interfaces::Duration;
use merrow_ros2::msg::sensor_msgs::{LaserScan, PointCloud2, PointField};
use merrow_ros2::msg::std_msgs::Header;
use merrow_sensors::laser::scan_points;
use merrow_sensors::radar::display::PlanPositionDisplay;
use merrow_sensors::sample::Pose;

impl Publish for LaserSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        let scan = || {
            Topic::of_frame::<Self, Scan, _>("/scan", |s| {
                Some(laser_scan(s.spec, s.sensor().rate, s.data, s.header()))
            })
        };
        match (self.output, self.tilt) {
            // one cloud per tilt period
            (LaserOutput::Scan, Some(tilt)) => {
                let rate = 1e9 / tilt.period_ns as f64;
                vec![scan(), tilt_cloud_topic().with_rate(rate)]
            }
            (LaserOutput::Scan, None) => vec![scan()],
            (LaserOutput::Cloud, _) => {
                vec![Topic::of_frame::<Self, Vec<Point>, _>("/points", |s| {
                    Some(point_cloud(s.data, s.header()))
                })]
            }
        }
    }
}

/// Creates the topic with the points of all scans of a tilting laser over one tilt period.
fn tilt_cloud_topic() -> Topic {
    let mut swept = TiltAccumulator::default();
    Topic::of_frame::<LaserSpec, Scan, _>("/points", move |s| {
        let about = s.sensor().adjacent_stamps(s.stamp_ns, s.scene.dt_ns);
        let (stamp_ns, points) = swept.add(s.spec, s.data, s.stamp_ns, about)?;
        let header = header(stamp_ns, &frames::mount_frame(s.model(), s.index));
        Some(point_cloud(&points, header))
    })
}

impl Snapshot for LaserSpec {
    fn output<'a>(&'a self, _: &'a Sensor) -> SnapshotOutput<'a> {
        if let Some(tilt) = self.tilt {
            // one full set of tilt angles
            let run = Samples::Run(0.5e-9 * tilt.period_ns as f64);
            let (spec, scans, points) = (self, 0, Vec::new());
            return SnapshotOutput::Image(
                run,
                Box::new(TiltedScans {
                    spec,
                    scans,
                    points,
                }),
            );
        }
        let grid = RangeGrid {
            rings: self.elevations.len(),
            columns: self.columns,
            first_azimuth: self.first_azimuth,
            azimuth_step: self.azimuth_step,
        };
        let image = move |data: &FrameData, _| match data {
            FrameData::Cloud(points) => {
                Some(SensorImage::Colored(cloud_image::lidar(&grid, points)))
            }
            FrameData::Scan(scan) => {
                let points = scan_points(self, scan, 0, 0);
                Some(SensorImage::Colored(cloud_image::scan(&points)))
            }
            _ => None,
        };
        SnapshotOutput::Image(Samples::Instant(1), Box::new(LatestImage::new(image)))
    }

    fn points(&self, data: &FrameData, stamp_ns: u64) -> Option<Points> {
        if self.tilt.is_some() {
            // the points are in the axes of the mount
            return None;
        }
        let positions = |points: &[Point]| points.iter().map(|point| point.p).collect();
        match data {
            FrameData::Cloud(points) => Some(positions(points)),
            FrameData::Scan(scan) => Some(positions(&scan_points(self, scan, stamp_ns, 0))),
            _ => None,
        }
    }
}

/// Builder of the image of a tilting laser.
struct TiltedScans<'a> {
    spec: &'a LaserSpec,
    scans: u16,
    points: Vec<Point>,
}

impl ImageBuilder for TiltedScans<'_> {
    fn add(&mut self, data: &FrameData, _: &Pose, stamp_ns: u64) {
        if let FrameData::Scan(scan) = data {
            let points = scan_points(self.spec, scan, stamp_ns, self.scans);
            self.points.extend(points);
        }
        self.scans = self.scans.saturating_add(1);
    }

    fn finish(self: Box<Self>) -> Option<SensorImage> {
        Some(SensorImage::Colored(cloud_image::tilted_scan(&self.points)))
    }
}

impl Publish for RadarSpec {
    fn topics(&self, _: f64) -> Vec<Topic> {
        let mut display = PlanPositionDisplay::default();
        vec![
            Topic::of_frame::<Self, Sweep, _>("/data", |s| {
                Some(radar_sector(s.spec, s.data, s.header()))
            }),
            Topic::of_frame::<Self, Sweep, _>("/image_display", move |s| {
                let shown = display.add_sector(s.spec, s.data);
                Some(grey_image(shown, s.header()))
            }),
        ]
    }
}

impl Snapshot for RadarSpec {
    fn output<'a>(&'a self, sensor: &'a Sensor) -> SnapshotOutput<'a> {
        let mut display = PlanPositionDisplay::default();
        let image = move |data: &FrameData, _| match data {
            FrameData::Sweep(sweep) => {
                let shown = display.add_sector(self, sweep);
                Some(SensorImage::Grey(grey_image(shown, Header::default())))
            }
            _ => None,
        };
        let turn = Samples::Instant((sensor.rate / self.turns()).ceil() as u64);
        SnapshotOutput::Image(turn, Box::new(LatestImage::new(image)))
    }
}

impl Publish for AisReceiver {
    fn topics(&self, _: f64) -> Vec<Topic> {
        vec![Topic::of_frame::<Self, Vec<ais::Sentence>, _>(
            "/nmea",
            |s| {
                let frame = s.frame();
                let message = |sentence: &ais::Sentence| Sentence {
                    header: header(sentence.stamp_ns, &frame),
                    sentence: sentence.text.clone(),
                };
                s.data.iter().map(message).collect::<Vec<_>>()
            },
        )]
    }
}

impl Snapshot for AisReceiver {
    fn output<'a>(&'a self, _: &'a Sensor) -> SnapshotOutput<'a> {
        SnapshotOutput::Plot(Box::new(|frames| {
            let mut lines = Vec::new();
            for frame in frames {
                if let FrameData::Sentences(sentences) = &*frame.data {
                    let to_line = |s: &ais::Sentence| {
                        format!("{:9.3} s  {}", s.stamp_ns as f64 * 1e-9, s.text)
                    };
                    lines.extend(sentences.iter().map(to_line));
                }
            }
            Some(Plot::Text(lines))
        }))
    }
}

/// Converts a planar scan; `rate` is the scan rate [Hz].
fn laser_scan(spec: &LaserSpec, rate: f64, scan: &Scan, header: Header) -> LaserScan {
    let last = spec.columns.saturating_sub(1) as f64;
    LaserScan {
        header,
        angle_min: spec.first_azimuth as f32,
        angle_max: (spec.first_azimuth + last * spec.azimuth_step) as f32,
        angle_increment: spec.azimuth_step as f32,
        time_increment: if last > 0.0 {
            (spec.sweep / last) as f32
        } else {
            0.0
        },
        scan_time: (1.0 / rate) as f32,
        range_min: spec.ranging.min_range_m as f32,
        range_max: spec.ranging.max_range_m as f32,
        ranges: scan.ranges.clone(),
        intensities: scan.intensities.clone(),
    }
}

/// Converts the spokes of a radar, which rotates clockwise.
fn radar_sector(spec: &RadarSpec, sweep: &Sweep, header: Header) -> RadarSector {
    let duration = |seconds: f64| {
        let ns = (seconds * 1e9).round() as u64;
        Duration {
            sec: (ns / 1_000_000_000) as i32,
            nanosec: (ns % 1_000_000_000) as u32,
        }
    };
    let spokes = spec.spokes() as u64;
    RadarSector {
        header,
        angle_start: (-((sweep.first % spokes) as f64) * spec.step()) as f32,
        angle_increment: -spec.step() as f32,
        time_increment: duration(1.0 / (spec.turns() * spec.spokes() as f64)),
        scan_time: duration(1.0 / spec.turns()),
        range_min: spec.range(0) as f32,
        range_max: spec.range(spec.bins() - 1) as f32,
        intensities: sweep
            .spokes
            .iter()
            .map(|echoes| RadarEcho {
                echoes: echoes.clone(),
            })
            .collect(),
    }
}

/// Accumulator of the points of a tilting laser since the tilt angle was last at its minimum.
#[derive(Clone, Debug, Default)]
pub struct TiltAccumulator {
    /// Current tilt period; `None` if its beginning was missed.
    tilt_period: Option<TiltPeriod>,
}

/// A tilt period in progress.
#[derive(Clone, Debug)]
struct TiltPeriod {
    /// Number of the period since the start.
    period: u64,
    /// Times of its first scan and of its latest scan [ns].
    stamp_ns: u64,
    last_ns: u64,
    /// Number of scans, and their points in the axes of the tilt mount at the time of each scan.
    /// `ring` is the number of the scan.
    scans: u16,
    points: Vec<Point>,
}

impl TiltAccumulator {
    /// Adds the points of a scan taken at `stamp_ns` [ns]. `before_ns` is the time of the previous
    /// sample, if any, and `after_ns` the time of the next sample [ns]. Returns time stamp and
    /// points if this scan completes a tilt period whose first scan was received too.
    pub fn add(
        &mut self,
        spec: &LaserSpec,
        scan: &Scan,
        stamp_ns: u64,
        (before_ns, after_ns): (Option<u64>, u64),
    ) -> Option<(u64, Vec<Point>)> {
        let length = spec.tilt?.period_ns;
        let period = stamp_ns / length;
        let first = || stamp_ns % length < after_ns.saturating_sub(stamp_ns);
        if before_ns.map_or_else(first, |before| before / length != period) {
            self.tilt_period = Some(TiltPeriod {
                period,
                stamp_ns,
                last_ns: stamp_ns,
                scans: 0,
                points: Vec::new(),
            });
        }
        // a period that lacks its beginning or end, because of a lost scan, a late subscriber or a
        // reset, is incomplete
        self.tilt_period = self
            .tilt_period
            .take()
            .filter(|tilt_period| tilt_period.period == period && tilt_period.last_ns <= stamp_ns);
        let tilt_period = self.tilt_period.as_mut()?;
        for (k, (range, intensity)) in scan.ranges.iter().zip(&scan.intensities).enumerate() {
            if range.is_finite() {
                let p = spec
                    .echo_position(k, f64::from(*range), stamp_ns)
                    .to_array()
                    .map(|x| x as f32);
                let time =
                    ((stamp_ns - tilt_period.stamp_ns) as f64 * 1e-9 + spec.firing_time(k)) as f32;
                tilt_period.points.push(Point {
                    p,
                    intensity: *intensity,
                    time,
                    ring: tilt_period.scans,
                });
            }
        }
        (tilt_period.scans, tilt_period.last_ns) = (tilt_period.scans.saturating_add(1), stamp_ns);
        let ends = after_ns / length != period;
        self.tilt_period
            .take_if(|_| ends)
            .map(|tilt_period| (tilt_period.stamp_ns, tilt_period.points))
    }
}

/// Converts points to an unordered, dense point cloud.
fn point_cloud(points: &[Point], header: Header) -> PointCloud2 {
    let values = |point: &Point| {
        let [x, y, z] = point.p;
        ([x, y, z, point.intensity, point.time], point.ring)
    };
    let points = points.iter().map(values);
    cloud(header, &["intensity", "time"], "ring", points)
}

/// Builds an unordered point cloud: x, y, z [m] and `numbers` as FLOAT32, `index` as UINT16, and
/// two bytes of padding to a multiple of 4.
pub fn cloud<const N: usize>(
    header: Header,
    numbers: &[&str],
    index: &str,
    points: impl Iterator<Item = ([f32; N], u16)>,
) -> PointCloud2 {
    let step = 4 * N + 4;
    let mut data = Vec::with_capacity(points.size_hint().0 * step);
    for (values, index) in points {
        data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        data.extend(index.to_le_bytes());
        data.extend([0; 2]);
    }
    let mut fields = Vec::new();
    for (name, datatype) in ["x", "y", "z"]
        .iter()
        .chain(numbers)
        .map(|name| (*name, PointField::FLOAT32))
        .chain([(index, PointField::UINT16)])
    {
        fields.push(PointField {
            name: name.into(),
            offset: 4 * fields.len() as u32,
            datatype,
            count: 1,
        });
    }
    let row_step = data.len() as u32;
    PointCloud2 {
        header,
        height: 1,
        width: row_step / step as u32,
        fields,
        is_bigendian: false,
        point_step: step as u32,
        row_step,
        data: Bytes::from(data),
        is_dense: true,
    }
}
