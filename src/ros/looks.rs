//! Frames of sensors that look around, as messages.

use super::message::{Message, TypeInfo};
use super::msg::sensor_msgs::{Image, LaserScan, PointCloud2, PointField};
use super::msg::std_msgs::Header;
use super::sonar;
use crate::scene::laser::{LaserOutput, LaserSpec};
use crate::scene::sensor::Looks;
use crate::state::frame::{Point, Scan};
use bytes::Bytes;

/// Bytes of a point: x, y, z, intensity and time as FLOAT32, ring as UINT16, and two to the next whole word.
const POINT_STEP: u32 = 24;

/// Topic suffix and type of a sensor's message.
pub fn topic(looks: &Looks) -> (&'static str, &'static TypeInfo) {
    match looks {
        Looks::Laser(LaserSpec { output: LaserOutput::Scan, .. }) => ("/scan", LaserScan::info()),
        Looks::Laser(LaserSpec { output: LaserOutput::Cloud, .. }) => ("/points", PointCloud2::info()),
        // its topics are listed by `camera::topic`
        Looks::Camera(_) => ("/image_raw", Image::info()),
        Looks::Sonar(spec) => {
            let (suffix, part) = sonar::parts(spec.kind)[0];
            (suffix, sonar::info(part))
        }
    }
}

/// A scan in a plane, taken `rate` times a second [Hz].
pub fn laser_scan(spec: &LaserSpec, rate: f64, scan: &Scan, header: Header) -> LaserScan {
    let last = spec.columns.saturating_sub(1) as f64;
    LaserScan {
        header,
        angle_min: spec.first_azimuth as f32,
        angle_max: (spec.first_azimuth + last * spec.azimuth_step) as f32,
        angle_increment: spec.azimuth_step as f32,
        time_increment: if last > 0.0 { (spec.sweep / last) as f32 } else { 0.0 },
        scan_time: (1.0 / rate) as f32,
        range_min: spec.limits[0] as f32,
        range_max: spec.limits[1] as f32,
        ranges: scan.ranges.clone(),
        intensities: scan.intensities.clone(),
    }
}

/// Points, unordered, all of them echoes.
pub fn point_cloud(points: &[Point], header: Header) -> PointCloud2 {
    let field = |name: &str, offset, datatype| PointField { name: name.into(), offset, datatype, count: 1 };
    let mut data = Vec::with_capacity(points.len() * POINT_STEP as usize);
    for point in points {
        let [x, y, z] = point.p;
        for number in [x, y, z, point.intensity, point.time] {
            data.extend_from_slice(&number.to_le_bytes());
        }
        data.extend_from_slice(&u32::from(point.ring).to_le_bytes());
    }
    let width = points.len() as u32;
    PointCloud2 {
        header,
        height: 1,
        width,
        fields: vec![
            field("x", 0, PointField::FLOAT32),
            field("y", 4, PointField::FLOAT32),
            field("z", 8, PointField::FLOAT32),
            field("intensity", 12, PointField::FLOAT32),
            field("time", 16, PointField::FLOAT32),
            field("ring", 20, PointField::UINT16),
        ],
        is_bigendian: false,
        point_step: POINT_STEP,
        row_step: width * POINT_STEP,
        data: Bytes::from(data),
        is_dense: true,
    }
}
