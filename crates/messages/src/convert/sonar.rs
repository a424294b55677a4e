//! Conversion of sonar pings to messages, and images of sonars.

use crate::convert::image::grey_image;
use crate::convert::topic::{FrameName, Publish, Sample, Topic};
use crate::convert::{exteroceptive, header, vector3};
use crate::frames;
use crate::msg::marine_acoustic_msgs::{
    DetectionFlag, PingInfo, ProjectedSonarImage, RawSonarImage, SonarDetections, SonarImageData,
    SonarRanges,
};
use crate::snapshot::cloud::{SWATH_LINES, SwathPoint, swath};
use crate::snapshot::{
    FieldOfView, ImageBuilder, LatestImage, Samples, SensorImage, Snapshot, SnapshotOutput,
};
use bytes::Bytes;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::scene::Sensor;
use merrow_model::sensor::sonar::{Aperture, SonarKind, SonarSpec};
use merrow_model::sensor::sonar::{Ping, Sounding};
use merrow_model::state::frames::FrameData;
use merrow_ros2::message::Message;
use merrow_ros2::msg::sensor_msgs::{LaserScan, PointCloud2};
use merrow_ros2::msg::std_msgs::Header;
use merrow_sensors::sample::Pose;
use merrow_sensors::sonar::beam;
use merrow_sensors::sonar::products::display::SonarDisplay;
use std::ops::Range;

impl Publish for SonarSpec {
    fn topics(&self, rate: f64) -> Vec<Topic> {
        match self.kind {
            SonarKind::Imaging => vec![
                frame_topic("/image_raw", projected),
                display_topic(),
                ping_topic("/samples", |s| {
                    let beams = 0..s.spec.steering.len();
                    Some(raw_sonar_image(s.spec, s.data, beams, acoustic_header(s)))
                }),
            ],
            SonarKind::Multibeam => vec![
                frame_topic("/detections", detections),
                frame_topic("/ranges", ranges),
                frame_topic("/points", point_cloud),
            ],
            SonarKind::SideScan => vec![
                beam_topic("/port/image_raw", 0),
                beam_topic("/starboard/image_raw", 1),
                display_topic(),
            ],
            SonarKind::Scanning => {
                let mut all = vec![beam_topic("/image_raw", 0), display_topic()];
                if self.profiles {
                    let period = self.sweep_pings() as f64;
                    all.push(ping_topic("/bearing", |s| {
                        Some(bearing(s.spec, s.data, s.sensor().rate, s.header()))
                    }));
                    all.push(profile_topic().with_rate(rate / period));
                }
                all
            }
        }
    }

    fn message_frame(&self) -> Option<(FrameName, Quat)> {
        Some((frames::acoustic_frame, acoustic_frame(self)))
    }
}

type SonarSample<'a> = Sample<'a, SonarSpec, Ping>;

fn acoustic_header(s: &SonarSample<'_>) -> Header {
    s.header_in(frames::acoustic_frame)
}

/// Creates a topic whose message `build` builds from a ping.
fn ping_topic<M: Message>(
    suffix: &'static str,
    build: impl FnMut(&SonarSample<'_>) -> Option<M> + Send + 'static,
) -> Topic {
    Topic::of_frame::<SonarSpec, Ping, _>(suffix, build)
}

/// Creates a topic in the acoustic frame whose message `build` builds from a ping.
fn frame_topic<M: Message>(
    suffix: &'static str,
    build: fn(&SonarSpec, &Ping, Header) -> M,
) -> Topic {
    ping_topic(suffix, move |s| {
        Some(build(s.spec, s.data, acoustic_header(s)))
    })
}

/// Creates the topic of the echoes of one beam.
fn beam_topic(suffix: &'static str, beam: usize) -> Topic {
    ping_topic(suffix, move |s| {
        Some(raw_sonar_image(
            s.spec,
            s.data,
            beam..beam + 1,
            acoustic_header(s),
        ))
    })
}

fn display_topic() -> Topic {
    let mut display = SonarDisplay::default();
    ping_topic("/image_display", move |s| {
        Some(grey_image(
            display.add_ping(s.spec, s.data),
            acoustic_header(s),
        ))
    })
}

/// Creates the topic of the scans over one turn of the head or one pass through the sector.
fn profile_topic() -> Topic {
    let mut profile = Profile::default();
    ping_topic("/scan", move |s| {
        let (stamp_ns, scan) = profile.add(s.spec, s.data, s.stamp_ns, s.sensor().rate)?;
        let header = header(stamp_ns, &s.frame());
        Some(LaserScan { header, ..scan })
    })
}

impl Snapshot for SonarSpec {
    fn output<'a>(&'a self, sensor: &'a Sensor) -> SnapshotOutput<'a> {
        let mut display = SonarDisplay::default();
        let image = move |data: &FrameData, _| match data {
            FrameData::Ping(ping) => {
                let shown = display.add_ping(self, ping);
                Some(SensorImage::Grey(grey_image(shown, Header::default())))
            }
            _ => None,
        };
        // two more, because the last lines have not been received completely at the end
        let run = Samples::Run((SWATH_LINES + 2) as f64 / sensor.rate);
        match self.kind {
            SonarKind::SideScan => SnapshotOutput::Image(run, Box::new(LatestImage::new(image))),
            SonarKind::Multibeam => {
                let (spec, lines) = (self, Vec::new());
                SnapshotOutput::Image(run, Box::new(Swath { spec, lines }))
            }
            SonarKind::Imaging | SonarKind::Scanning => {
                let turn = Samples::Instant(self.sweep_pings());
                SnapshotOutput::Image(turn, Box::new(LatestImage::new(image)))
            }
        }
    }

    fn field_of_view(&self) -> Option<FieldOfView> {
        let (first, last) = (*self.columns.first()?, *self.columns.last()?);
        let step = (last - first) / (FAN_POINTS - 1) as f64;
        let edge = (0..FAN_POINTS).map(|k| self.direction(first + step * k as f64, 0.0));
        Some(FieldOfView {
            edge: edge.map(|d| d.to_array()).collect(),
            is_closed: false,
            range: self.sonar.max_range_m,
        })
    }
}

/// Number of directions along the fan of a sonar.
const FAN_POINTS: usize = 25;

/// Builder of the image of the soundings of a multibeam sonar.
struct Swath<'a> {
    spec: &'a SonarSpec,
    lines: Vec<Vec<SwathPoint>>,
}

impl ImageBuilder for Swath<'_> {
    fn add(&mut self, data: &FrameData, pose: &Pose, _: u64) {
        if let FrameData::Ping(ping) = data {
            self.lines.push(swath_line(self.spec, ping, pose));
        }
    }

    fn finish(self: Box<Self>) -> Option<SensorImage> {
        (!self.lines.is_empty()).then(|| SensorImage::Colored(swath(&self.lines)))
    }
}

/// Returns the seabed detections of the beams of a ping.
fn swath_line(spec: &SonarSpec, ping: &Ping, pose: &Pose) -> Vec<SwathPoint> {
    let port = pose.R_WS.col(1);
    let level = (port.x * port.x + port.y * port.y).sqrt().max(1e-9);
    let detected = spec
        .steering
        .iter()
        .zip(&ping.soundings)
        .filter(|(_, sounding)| sounding.range.is_finite());
    let point = |(angle, sounding): (&f64, &Sounding)| {
        let d_S = spec.direction(*angle, 0.0).scale(sounding.range);
        let d_W = pose.R_WS.mul_vec(d_S);
        SwathPoint {
            across: -(d_W.x * port.x + d_W.y * port.y) / level,
            depth: -(pose.p_WS.z + d_W.z),
        }
    };
    detected.map(point).collect()
}

/// Returns the orientation in the sensor frame of the frame of these messages: z out of the sonar,
/// x up or forward.
pub(crate) fn acoustic_frame(spec: &SonarSpec) -> Quat {
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        .map(|a| spec.acoustic_to_sensor(Vec3::from(a)));
    Quat::from_matrix(&Mat3::from_rows(x, y, z).transpose())
}

fn width(aperture: &Aperture) -> f32 {
    beam::width(aperture) as f32
}

/// Builds the settings of a ping, with the width of every beam along x and across it.
fn ping_info(spec: &SonarSpec, ping: &Ping, beams: usize) -> PingInfo {
    PingInfo {
        frequency: spec.frequency() as f32,
        sound_speed: ping.sound_speed as f32,
        tx_beamwidths: vec![width(&spec.along[1]); beams],
        rx_beamwidths: vec![width(&spec.across[0]); beams],
    }
}

/// Encodes the echo strengths of `beams` beams, starting with `first`.
fn image(spec: &SonarSpec, ping: &Ping, first: usize, beams: usize) -> SonarImageData {
    let rows = ping.levels.chunks_exact(spec.steering.len());
    let numbers = rows.flat_map(|row| &row[first..first + beams]);
    let (dtype, data) = if spec.sonar.bits > 8 {
        (
            SonarImageData::DTYPE_UINT16,
            numbers.flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>(),
        )
    } else {
        (
            SonarImageData::DTYPE_UINT8,
            numbers.map(|n| *n as u8).collect(),
        )
    };
    SonarImageData {
        is_bigendian: false,
        dtype,
        beam_count: beams as u32,
        data: Bytes::from(data),
    }
}

/// Returns the unit vector of a steering angle [rad] in the acoustic frame.
fn direction(angle: f64) -> Vec3 {
    let (s, c) = merrow_math::real::sin_cos(angle);
    Vec3::new(0.0, s, c)
}

/// Builds the image of echo strengths over bearing and range.
pub fn projected(spec: &SonarSpec, ping: &Ping, header: Header) -> ProjectedSonarImage {
    let beams = spec.steering.len();
    ProjectedSonarImage {
        header,
        ping_info: ping_info(spec, ping, beams),
        beam_directions: spec
            .steering
            .iter()
            .map(|angle| vector3(direction(*angle)))
            .collect(),
        ranges: (0..spec.bins()).map(|k| spec.range(k) as f32).collect(),
        image: image(spec, ping, 0, beams),
    }
}

/// Builds the image of echo strengths over time for a range of beams: the beams of one array, of a
/// rotating head, or all.
pub fn raw_sonar_image(
    spec: &SonarSpec,
    ping: &Ping,
    beams: Range<usize>,
    header: Header,
) -> RawSonarImage {
    let angle = |steering: &f64| (steering + ping.head) as f32;
    let n = beams.len();
    let rate = 0.5 * ping.sound_speed / spec.bin();
    // an integer, so sample positions are accurate to half a bin
    let first = (spec.range(0) / spec.bin()).round() as u32;
    RawSonarImage {
        header,
        ping_info: ping_info(spec, ping, n),
        sample_rate: rate as f32,
        samples_per_beam: spec.bins() as u32,
        sample0: first,
        tx_delays: vec![0.0; n],
        tx_angles: vec![0.0; n],
        image: image(spec, ping, beams.start, n),
        rx_angles: spec.steering[beams].iter().map(angle).collect(),
    }
}

fn flag(sounding: &Sounding) -> DetectionFlag {
    let good = sounding.range.is_finite();
    DetectionFlag {
        flag: if good {
            DetectionFlag::DETECT_OK
        } else {
            DetectionFlag::DETECT_BAD_SONAR
        },
    }
}

/// Converts a level for a message: 0 without a return.
fn finite_level(level: f64) -> f32 {
    if level.is_finite() { level as f32 } else { 0.0 }
}

/// Builds the seabed detections as travel times.
pub fn detections(spec: &SonarSpec, ping: &Ping, header: Header) -> SonarDetections {
    let (found, beams) = (&ping.soundings, spec.steering.len());
    let time = |s: &Sounding| {
        if s.range.is_finite() {
            (2.0 * s.range / ping.sound_speed) as f32
        } else {
            0.0
        }
    };
    SonarDetections {
        header,
        ping_info: ping_info(spec, ping, beams),
        flags: found.iter().map(flag).collect(),
        two_way_travel_times: found.iter().map(time).collect(),
        tx_delays: vec![0.0; beams],
        intensities: found.iter().map(|s| finite_level(s.level)).collect(),
        tx_angles: vec![0.0; beams],
        rx_angles: spec.steering.iter().map(|a| *a as f32).collect(),
    }
}

/// Builds the seabed detections as ranges along beams.
pub fn ranges(spec: &SonarSpec, ping: &Ping, header: Header) -> SonarRanges {
    let (found, beams) = (&ping.soundings, spec.steering.len());
    SonarRanges {
        header,
        ping_info: ping_info(spec, ping, beams),
        flags: found.iter().map(flag).collect(),
        transmit_delays: vec![0.0; beams],
        intensities: found.iter().map(|s| finite_level(s.level)).collect(),
        beam_unit_vec: spec
            .steering
            .iter()
            .map(|angle| vector3(direction(*angle)))
            .collect(),
        ranges: found.iter().map(|s| s.range as f32).collect(),
    }
}

/// Builds the valid seabed detections as points in the acoustic frame.
pub(crate) fn point_cloud(spec: &SonarSpec, ping: &Ping, header: Header) -> PointCloud2 {
    let good = ping
        .soundings
        .iter()
        .enumerate()
        .filter(|(_, s)| s.range.is_finite());
    let values = |(beam, sounding): (usize, &Sounding)| {
        let p = direction(spec.steering[beam]).scale(sounding.range);
        let numbers = [p.x, p.y, p.z, sounding.level].map(|number| number as f32);
        (numbers, beam as u16)
    };
    exteroceptive::cloud(header, &["intensity"], "beam", good.map(values))
}

/// Accumulator of the ranges of one turn of the head, or of one pass through the sector. Bearings
/// are in the sensor frame: about z, counter-clockwise.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Number of the latest received ping. A restart resets the numbers.
    last: u64,
    /// Start time of the sweep, computed from its first received ping [ns].
    stamp_ns: u64,
    ranges: Vec<f32>,
    intensities: Vec<f32>,
}

/// Returns range [m] and level of a ping.
fn range_and_level(ping: &Ping) -> (f32, f32) {
    let Some(sounding) = ping.soundings.first() else {
        return (f32::NAN, 0.0);
    };
    (sounding.range as f32, finite_level(sounding.level))
}

/// Builds a scan that starts at the bearing of the ping `first`; `rate` is the ping rate [Hz].
fn scan(
    spec: &SonarSpec,
    first: u64,
    rate: f64,
    header: Header,
    [ranges, intensities]: [Vec<f32>; 2],
) -> LaserScan {
    let (a, n) = (spec.head_angle(first), ranges.len());
    // a full-circle head returns by one turn after the last ping
    let from =
        if first % spec.sweep_pings() + 1 == spec.sweep_pings() && spec.rotates_continuously() {
            first - 1
        } else {
            first
        };
    let step = spec.head_angle(from + 1) - spec.head_angle(from);
    LaserScan {
        header,
        angle_min: -a as f32,
        angle_max: -(a + step * (n - 1) as f64) as f32,
        angle_increment: -step as f32,
        time_increment: (1.0 / rate) as f32,
        scan_time: (n as f64 / rate) as f32,
        range_min: spec.sonar.min_range_m as f32,
        range_max: spec.sonar.max_range_m as f32,
        ranges,
        intensities,
    }
}

/// Builds the scan with the single bearing of a ping; `rate` is the ping rate [Hz].
pub fn bearing(spec: &SonarSpec, ping: &Ping, rate: f64, header: Header) -> LaserScan {
    let (range, level) = range_and_level(ping);
    scan(spec, ping.number, rate, header, [vec![range], vec![level]])
}

impl Profile {
    /// Adds a ping of time `stamp_ns` [ns]; `rate` is the ping rate [Hz]. Returns time stamp and
    /// scan if the ping completes a sweep. Missed bearings are NaN.
    pub fn add(
        &mut self,
        spec: &SonarSpec,
        ping: &Ping,
        stamp_ns: u64,
        rate: f64,
    ) -> Option<(u64, LaserScan)> {
        let n = spec.sweep_pings();
        let (sweep, k) = (ping.number / n, ping.number % n);
        if self.ranges.is_empty() || sweep != self.last / n || ping.number <= self.last {
            let before = (k as f64 * 1e9 / rate) as u64;
            *self = Self {
                last: ping.number,
                stamp_ns: stamp_ns.saturating_sub(before),
                ranges: vec![f32::NAN; n as usize],
                intensities: vec![0.0; n as usize],
            };
        }
        self.last = ping.number;
        (self.ranges[k as usize], self.intensities[k as usize]) = range_and_level(ping);
        (k + 1 == n).then(|| {
            let values = [&mut self.ranges, &mut self.intensities].map(std::mem::take);
            let scan = scan(spec, sweep * n, rate, Header::default(), values);
            (self.stamp_ns, scan)
        })
    }
}
