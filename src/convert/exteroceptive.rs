//! Conversion of frames of exteroceptive sensors to messages.

use crate::convert::camera;
use crate::convert::positioning;
use crate::convert::sonar;
use bytes::Bytes;
use merrow_model::scene::sensor::ExteroceptiveSpec;
use merrow_model::scene::sensor::acoustic::AcousticOutput;
use merrow_model::scene::sensor::laser::{LaserOutput, LaserSpec};
use merrow_model::scene::sensor::radar::RadarSpec;
use merrow_model::state::frames::sweep::Sweep;
use merrow_model::state::frames::{Point, Scan};
use merrow_ros2::message::{Message, TypeInfo};
use merrow_ros2::msg::builtin_interfaces::Duration;
use merrow_ros2::msg::marine_sensor_msgs::{RadarEcho, RadarSector};
use merrow_ros2::msg::nmea_msgs::Sentence;
use merrow_ros2::msg::sensor_msgs::{Image, LaserScan, PointCloud2, PointField};
use merrow_ros2::msg::std_msgs::Header;
use merrow_ros2::msg::vision_msgs::Detection3DArray;
use std::borrow::Cow;

/// Content of a topic of an exteroceptive sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// Ranges in a plane.
    Scan,
    /// Points of a lidar.
    Cloud,
    /// Points of all scans of a tilting laser over one tilt period.
    TiltCloud,
    /// Output of a camera.
    Camera(camera::CameraTopic),
    /// Output of a sonar ping.
    Sonar(sonar::SonarTopic),
    /// Bounding boxes of obstacles.
    Boxes,
    /// Spokes of a radar.
    Sweep,
    /// Plan position display of a radar.
    PlanPosition,
    /// Sentences of the Automatic Identification System.
    Sentences,
    /// Output of an acoustic positioning instrument.
    Acoustic(AcousticOutput),
}

impl Topic {
    /// Returns the sensor outputs that the topic requires, as bits defined by the sensor.
    pub fn required_outputs(self) -> u8 {
        match self {
            Topic::Camera(form) => form.part() as u8,
            _ => u8::MAX,
        }
    }
}

/// Lists the suffix, type and content of every topic of a sensor.
pub fn topics(looks: &ExteroceptiveSpec) -> Vec<(Cow<'static, str>, &'static TypeInfo, Topic)> {
    match looks {
        ExteroceptiveSpec::Laser(LaserSpec {
            output: LaserOutput::Scan,
            tilt: Some(_),
            ..
        }) => {
            vec![
                ("/scan".into(), LaserScan::info(), Topic::Scan),
                ("/points".into(), PointCloud2::info(), Topic::TiltCloud),
            ]
        }
        ExteroceptiveSpec::Laser(LaserSpec {
            output: LaserOutput::Scan,
            ..
        }) => {
            vec![("/scan".into(), LaserScan::info(), Topic::Scan)]
        }
        ExteroceptiveSpec::Laser(LaserSpec {
            output: LaserOutput::Cloud,
            ..
        }) => {
            vec![("/points".into(), PointCloud2::info(), Topic::Cloud)]
        }
        ExteroceptiveSpec::Camera(spec) => {
            let of_form = |form: camera::CameraTopic| {
                let (suffix, info) = form.topic();
                (suffix.into(), info, Topic::Camera(form))
            };
            camera::camera_topics(spec).map(of_form).collect()
        }
        ExteroceptiveSpec::Sonar(spec) => {
            let of_part = |(suffix, part): &(&'static str, sonar::SonarTopic)| {
                ((*suffix).into(), sonar::info(*part), Topic::Sonar(*part))
            };
            sonar::sonar_topics(spec).iter().map(of_part).collect()
        }
        ExteroceptiveSpec::Radar(_) => vec![
            ("/data".into(), RadarSector::info(), Topic::Sweep),
            ("/image_display".into(), Image::info(), Topic::PlanPosition),
        ],
        ExteroceptiveSpec::Ais(_) => vec![("/nmea".into(), Sentence::info(), Topic::Sentences)],
        ExteroceptiveSpec::Obstacles(_) => {
            vec![("/detections".into(), Detection3DArray::info(), Topic::Boxes)]
        }
        ExteroceptiveSpec::Acoustic(spec) => {
            let outputs = spec.outputs().into_iter();
            outputs
                .map(|(end, o)| (end.into(), positioning::info(o), Topic::Acoustic(o)))
                .collect()
        }
    }
}

/// Returns the rate [Hz] of message `part` of a sensor with `rate` samples per second [Hz].
pub fn rate(looks: &ExteroceptiveSpec, part: usize, rate: f64) -> f64 {
    match (topics(looks).get(part).map(|topic| topic.2), looks) {
        // one message per tilt period
        (
            Some(Topic::TiltCloud),
            ExteroceptiveSpec::Laser(LaserSpec {
                tilt: Some(tilt), ..
            }),
        ) => 1e9 / tilt.period_ns as f64,
        (Some(Topic::Sonar(sonar::SonarTopic::Sweep)), ExteroceptiveSpec::Sonar(spec)) => {
            rate / spec.sweep_pings() as f64
        }
        _ => rate,
    }
}

/// Converts a planar scan; `rate` is the scan rate [Hz].
pub fn laser_scan(spec: &LaserSpec, rate: f64, scan: &Scan, header: Header) -> LaserScan {
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
        range_min: spec.limits[0] as f32,
        range_max: spec.limits[1] as f32,
        ranges: scan.ranges.clone(),
        intensities: scan.intensities.clone(),
    }
}

/// Converts the spokes of a radar, which rotates clockwise.
pub fn radar_sector(spec: &RadarSpec, sweep: &Sweep, header: Header) -> RadarSector {
    let duration = |seconds: f64| {
        let ns = (seconds * 1e9).round() as u64;
        Duration {
            sec: (ns / 1_000_000_000) as i32,
            nanosec: (ns % 1_000_000_000) as u32,
        }
    };
    let spokes = spec.spokes as u64;
    RadarSector {
        header,
        angle_start: (-((sweep.first % spokes) as f64) * spec.step()) as f32,
        angle_increment: -spec.step() as f32,
        time_increment: duration(1.0 / (spec.turns * spec.spokes as f64)),
        scan_time: duration(1.0 / spec.turns),
        range_min: spec.range(0) as f32,
        range_max: spec.range(spec.bins - 1) as f32,
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
    nod: Option<TiltPeriod>,
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
    /// sample, if any, and `after_ns` that of the next sample [ns]. Returns time stamp and points
    /// if this scan completes a tilt period whose first scan was received too.
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
            self.nod = Some(TiltPeriod {
                period,
                stamp_ns,
                last_ns: stamp_ns,
                scans: 0,
                points: Vec::new(),
            });
        }
        // a period that lacks its beginning or end, because of a lost scan, a late subscriber or a
        // reset, is incomplete
        self.nod = self
            .nod
            .take()
            .filter(|nod| nod.period == period && nod.last_ns <= stamp_ns);
        let nod = self.nod.as_mut()?;
        for (k, (range, intensity)) in scan.ranges.iter().zip(&scan.intensities).enumerate() {
            if range.is_finite() {
                let p = spec
                    .echo_position(k, f64::from(*range), stamp_ns)
                    .to_array()
                    .map(|x| x as f32);
                let time = ((stamp_ns - nod.stamp_ns) as f64 * 1e-9 + spec.firing_time(k)) as f32;
                nod.points.push(Point {
                    p,
                    intensity: *intensity,
                    time,
                    ring: nod.scans,
                });
            }
        }
        (nod.scans, nod.last_ns) = (nod.scans.saturating_add(1), stamp_ns);
        let ends = after_ns / length != period;
        self.nod
            .take_if(|_| ends)
            .map(|nod| (nod.stamp_ns, nod.points))
    }
}

/// Converts points to an unordered, dense point cloud.
pub fn point_cloud(points: &[Point], header: Header) -> PointCloud2 {
    let bytes = |point: &Point| {
        let ([x, y, z], mut out) = (point.p, [0; 24]);
        for (k, number) in [x, y, z, point.intensity, point.time]
            .into_iter()
            .enumerate()
        {
            out[4 * k..4 * k + 4].copy_from_slice(&number.to_le_bytes());
        }
        out[20..22].copy_from_slice(&point.ring.to_le_bytes());
        out
    };
    cloud(
        header,
        &["intensity", "time"],
        "ring",
        points.iter().map(bytes),
    )
}

/// Builds an unordered point cloud from encoded points: x, y, z and `numbers` as FLOAT32, `index`
/// as UINT16, and two bytes of padding to a multiple of 4.
pub fn cloud<const STEP: usize>(
    header: Header,
    numbers: &[&str],
    index: &str,
    points: impl Iterator<Item = [u8; STEP]>,
) -> PointCloud2 {
    let data: Vec<u8> = points.flatten().collect();
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
        width: row_step / STEP as u32,
        fields,
        is_bigendian: false,
        point_step: STEP as u32,
        row_step,
        data: Bytes::from(data),
        is_dense: true,
    }
}
