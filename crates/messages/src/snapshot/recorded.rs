//! Frames of sensors from their recorded messages.

use crate::convert::header;
use crate::convert::image::{ImageView, Pixels};
use crate::msg::marine_acoustic_msgs::{ProjectedSonarImage, SonarImageData, SonarRanges};
use bytes::Bytes;
use merrow_model::sensor::camera::CameraImages;
use merrow_model::sensor::laser::{Point, Scan};
use merrow_model::sensor::sonar::{Ping, Sounding};
use merrow_model::state::frames::FrameData;
use merrow_ros2::cdr::{Cdr, from_bytes};
use merrow_ros2::message::Message;
use merrow_ros2::msg::sensor_msgs::{CompressedImage, Image, LaserScan, PointCloud2};

/// Quality of JPEG images, 1..100.
const QUALITY: u8 = 82;

/// Form of the messages of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Colour image without compression.
    Color,
    /// Colour image as a JPEG file.
    Jpeg,
    /// Depths in 32-bit numbers.
    Depth,
    /// Echoes of a sonar by beam and range.
    Projected,
    /// Ranges of the beams of a sonar.
    Ranges,
    /// Image of a display in grey.
    Display,
    /// Scan of a laser in a plane.
    Scan,
    /// Cloud of points with intensities.
    Cloud,
}

impl Form {
    /// Returns how images show the messages of a topic, by its type and name; `None`: they are not
    /// shown.
    pub fn from_topic(type_name: &str, topic: &str) -> Option<Self> {
        let is = |name: &str| type_name == name;
        if is(Image::TYPE) {
            return match () {
                () if topic.ends_with("/depth/image_raw") => Some(Self::Depth),
                () if topic.ends_with("/labels/image_raw") => None,
                () if topic.ends_with("/image_display") => Some(Self::Display),
                () => Some(Self::Color),
            };
        }
        match () {
            () if is(CompressedImage::TYPE) => topic.ends_with("/compressed").then_some(Self::Jpeg),
            () if is(ProjectedSonarImage::TYPE) => Some(Self::Projected),
            () if is(SonarRanges::TYPE) => Some(Self::Ranges),
            () if is(LaserScan::TYPE) => Some(Self::Scan),
            () if is(PointCloud2::TYPE) => Some(Self::Cloud),
            () => None,
        }
    }
}

/// Returns the data of a message, or an image file; `None` for a malformed message.
pub fn decode(form: Form, bytes: &[u8]) -> Option<(FrameData, Option<Bytes>)> {
    let none = || FrameData::Cloud(Vec::new());
    Some(match form {
        Form::Color => (FrameData::CameraImages(color(read(bytes)?)?), None),
        Form::Depth => (FrameData::CameraImages(depth(&read(bytes)?)?), None),
        Form::Jpeg => (none(), Some(read::<CompressedImage>(bytes)?.data)),
        Form::Display => (none(), Some(grey(&read(bytes)?)?)),
        Form::Projected => (FrameData::Ping(echoes(&read(bytes)?)), None),
        Form::Ranges => (FrameData::Ping(soundings(&read(bytes)?)), None),
        Form::Scan => {
            let message = read::<LaserScan>(bytes)?;
            let scan = Scan {
                ranges: message.ranges,
                intensities: message.intensities,
            };
            (FrameData::Scan(scan), None)
        }
        Form::Cloud => (FrameData::Cloud(points(&read(bytes)?)?), None),
    })
}

fn read<M: Cdr>(bytes: &[u8]) -> Option<M> {
    from_bytes(bytes).ok()
}

fn color(message: Image) -> Option<CameraImages> {
    (message.encoding == "rgb8").then(|| CameraImages {
        rgb: Some(message.data),
        ..CameraImages::default()
    })
}

fn depth(message: &Image) -> Option<CameraImages> {
    let (numbers, _) = message.data.as_chunks::<4>();
    (message.encoding == "32FC1").then(|| CameraImages {
        depth: Some(numbers.iter().map(|n| f32::from_le_bytes(*n)).collect()),
        ..CameraImages::default()
    })
}

/// Encodes a greyscale image as JPEG.
fn grey(message: &Image) -> Option<Bytes> {
    let image = ImageView {
        width: message.width,
        height: message.height,
        pixels: Pixels::Mono8(&message.data),
    };
    Some(image.jpeg(header(0, ""), QUALITY).ok()?.data)
}

fn echoes(message: &ProjectedSonarImage) -> Ping {
    let data = &message.image.data;
    let levels = match message.image.dtype {
        SonarImageData::DTYPE_UINT16 => {
            let (numbers, _) = data.as_chunks::<2>();
            numbers.iter().map(|n| u16::from_le_bytes(*n)).collect()
        }
        _ => data.iter().map(|n| u16::from(*n)).collect(),
    };
    Ping {
        sound_speed: f64::from(message.ping_info.sound_speed),
        head: 0.0,
        number: 0,
        levels,
        soundings: Vec::new(),
    }
}

fn soundings(message: &SonarRanges) -> Ping {
    let beams = message.ranges.iter().zip(&message.intensities);
    let sounding = |(range, level): (&f32, &f32)| Sounding {
        range: f64::from(*range),
        level: f64::from(*level),
    };
    Ping {
        sound_speed: f64::from(message.ping_info.sound_speed),
        head: 0.0,
        number: 0,
        levels: Vec::new(),
        soundings: beams.map(sounding).collect(),
    }
}

/// Returns the points of a cloud whose first fields are x, y, z and intensity.
fn points(message: &PointCloud2) -> Option<Vec<Point>> {
    let names = message.fields.iter().map(|field| field.name.as_str());
    if !names.take(4).eq(["x", "y", "z", "intensity"]) || message.point_step < 16 {
        return None;
    }
    let number = |point: &[u8], k: usize| {
        let bytes = point[4 * k..4 * k + 4].try_into();
        bytes.map_or(f32::NAN, f32::from_le_bytes)
    };
    let all = message.data.chunks_exact(message.point_step as usize);
    let point = |bytes: &[u8]| Point {
        p: [0, 1, 2].map(|k| number(bytes, k)),
        intensity: number(bytes, 3),
        time: 0.0,
        ring: 0,
    };
    Some(all.map(point).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_ros2::cdr::to_bytes;
    use merrow_ros2::msg::sensor_msgs::PointField;

    #[test]
    fn forms_follow_types_and_names() {
        let image = Image::TYPE;
        assert_eq!(
            Form::from_topic(image, "rov/camera/image_raw"),
            Some(Form::Color)
        );
        let depth = Form::from_topic(image, "rov/camera/depth/image_raw");
        assert_eq!(depth, Some(Form::Depth));
        assert_eq!(Form::from_topic(image, "rov/camera/labels/image_raw"), None);
        let radar = Form::from_topic(image, "boat/radar/image_display");
        assert_eq!(radar, Some(Form::Display));
        let depth = Form::from_topic(CompressedImage::TYPE, "c/depth/image_raw/compressedDepth");
        assert_eq!(depth, None);
    }

    #[test]
    fn depths_and_points_are_decoded() {
        let image = Image {
            encoding: "32FC1".to_string(),
            data: [1.5_f32.to_le_bytes(), f32::INFINITY.to_le_bytes()]
                .concat()
                .into(),
            ..Image::default()
        };
        let (data, _) = decode(Form::Depth, &to_bytes(&image)).expect("an image");
        let FrameData::CameraImages(images) = data else {
            panic!("{data:?}");
        };
        assert_eq!(images.depth, Some(vec![1.5, f32::INFINITY]));
        let field = |name: &str| PointField {
            name: name.to_string(),
            ..PointField::default()
        };
        let numbers = [1.0_f32, 2.0, 3.0, 0.5].map(f32::to_le_bytes).concat();
        let mut cloud = PointCloud2 {
            fields: ["x", "y", "z", "intensity"].map(field).into(),
            point_step: 16,
            data: numbers.into(),
            ..PointCloud2::default()
        };
        let found = points(&cloud).expect("points");
        assert_eq!((found.len(), found[0].p), (1, [1.0, 2.0, 3.0]));
        cloud.point_step = 3;
        assert!(points(&cloud).is_none());
    }
}
