//! Conversion of sonar pings to messages.

use crate::convert::exteroceptive;
use crate::convert::vector3;
use bytes::Bytes;
use merrow_math::{Mat3, Quat, Vec3};
use merrow_model::scene::sensor::sonar::{Aperture, SonarKind, SonarSpec};
use merrow_model::state::frames::ping::{Ping, Sounding};
use merrow_ros2::message::{Message, TypeInfo};
use merrow_ros2::msg::marine_acoustic_msgs::{
    DetectionFlag, PingInfo, ProjectedSonarImage, RawSonarImage, SonarDetections, SonarImageData,
    SonarRanges,
};
use merrow_ros2::msg::sensor_msgs::{Image, LaserScan, PointCloud2};
use merrow_ros2::msg::std_msgs::Header;
use merrow_sensors::sonar::beam;
use std::ops::Range;

/// Output of a sonar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SonarTopic {
    /// Echo strengths over bearing and range.
    Projected,
    /// Echo strengths over time of one array, selected by its index.
    Raw(usize),
    /// Seabed detections as travel times.
    Detections,
    /// Seabed detections as ranges.
    Ranges,
    /// Seabed detections as points.
    Points,
    /// Display image for users.
    Display,
    /// Echo strengths over time of all beams.
    Samples,
    /// Range at the bearing of one ping.
    Bearing,
    /// Ranges at all bearings of a turn, or of one pass through the sector.
    Sweep,
}

/// Lists the topic suffixes of a sonar and their content; the first is the main topic.
pub fn sonar_topics(spec: &SonarSpec) -> &'static [(&'static str, SonarTopic)] {
    match spec.kind {
        SonarKind::Imaging => &[
            ("/image_raw", SonarTopic::Projected),
            ("/image_display", SonarTopic::Display),
            ("/samples", SonarTopic::Samples),
        ],
        SonarKind::Multibeam => &[
            ("/detections", SonarTopic::Detections),
            ("/ranges", SonarTopic::Ranges),
            ("/points", SonarTopic::Points),
        ],
        SonarKind::SideScan => &[
            ("/port/image_raw", SonarTopic::Raw(0)),
            ("/starboard/image_raw", SonarTopic::Raw(1)),
            ("/image_display", SonarTopic::Display),
        ],
        SonarKind::Scanning if spec.profiles => &[
            ("/image_raw", SonarTopic::Raw(0)),
            ("/image_display", SonarTopic::Display),
            ("/bearing", SonarTopic::Bearing),
            ("/scan", SonarTopic::Sweep),
        ],
        SonarKind::Scanning => &[
            ("/image_raw", SonarTopic::Raw(0)),
            ("/image_display", SonarTopic::Display),
        ],
    }
}

/// Returns the message type of a part.
pub fn info(part: SonarTopic) -> &'static TypeInfo {
    match part {
        SonarTopic::Projected => ProjectedSonarImage::info(),
        SonarTopic::Raw(_) | SonarTopic::Samples => RawSonarImage::info(),
        SonarTopic::Detections => SonarDetections::info(),
        SonarTopic::Ranges => SonarRanges::info(),
        SonarTopic::Points => PointCloud2::info(),
        SonarTopic::Display => Image::info(),
        SonarTopic::Bearing | SonarTopic::Sweep => LaserScan::info(),
    }
}

/// Returns the orientation in the sensor frame of the frame of these messages: z out of the sonar,
/// x up or forward.
pub fn acoustic_frame(spec: &SonarSpec) -> Quat {
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
        frequency: spec.frequency as f32,
        sound_speed: ping.sound_speed as f32,
        tx_beamwidths: vec![width(&spec.along[1]); beams],
        rx_beamwidths: vec![width(&spec.across[0]); beams],
    }
}

/// Encodes the echo strengths of `beams` beams, starting with `first`.
fn image(spec: &SonarSpec, ping: &Ping, first: usize, beams: usize) -> SonarImageData {
    let rows = ping.levels.chunks_exact(spec.steering.len());
    let numbers = rows.flat_map(|row| &row[first..first + beams]);
    let (dtype, data) = if spec.bits > 8 {
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
        ranges: (0..spec.bins).map(|k| spec.range(k) as f32).collect(),
        image: image(spec, ping, 0, beams),
    }
}

/// Builds the image of echo strengths over time for a range of beams: those of one array, of a
/// rotating head, or all.
pub fn raw(spec: &SonarSpec, ping: &Ping, beams: Range<usize>, header: Header) -> RawSonarImage {
    let angle = |steering: &f64| (steering + ping.head) as f32;
    let n = beams.len();
    let rate = 0.5 * ping.sound_speed / spec.bin();
    // an integer, so sample positions are accurate to half a bin
    let first = (spec.range(0) / spec.bin()).round() as u32;
    RawSonarImage {
        header,
        ping_info: ping_info(spec, ping, n),
        sample_rate: rate as f32,
        samples_per_beam: spec.bins as u32,
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
pub fn points(spec: &SonarSpec, ping: &Ping, header: Header) -> PointCloud2 {
    let good = ping
        .soundings
        .iter()
        .enumerate()
        .filter(|(_, s)| s.range.is_finite());
    let bytes = |(beam, sounding): (usize, &Sounding)| {
        let (p, mut out) = (
            direction(spec.steering[beam]).scale(sounding.range),
            [0; 20],
        );
        for (k, number) in [p.x, p.y, p.z, sounding.level].into_iter().enumerate() {
            out[4 * k..4 * k + 4].copy_from_slice(&(number as f32).to_le_bytes());
        }
        out[16..18].copy_from_slice(&(beam as u16).to_le_bytes());
        out
    };
    exteroceptive::cloud(header, &["intensity"], "beam", good.map(bytes))
}
