//! Conversion of camera images to messages.

use crate::convert::image;
use crate::convert::image::{DepthScale, Pixels};
use merrow_model::scene::sensor::ExteroceptiveSpec;
use merrow_model::scene::sensor::camera::{CameraOutput, CameraSpec};
use merrow_model::scene::sensor::lens::Distortion;
use merrow_model::scene::{Scene, SensorKind};
use merrow_model::state::frames::CameraImages;
use merrow_ros2::message::{Message, TypeInfo};
use merrow_ros2::msg::sensor_msgs::{CameraInfo, CompressedImage, Image, RegionOfInterest};
use merrow_ros2::msg::std_msgs::Header;
use merrow_ros2::msg::vision_msgs::{LabelInfo, VisionClass};
use merrow_sensors::camera::shading::{OPEN_WATER, SURFACE};

/// A message of a camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CameraTopic {
    /// Colour image with raw pixels.
    Rgb,
    /// Colour image as JPEG.
    Jpeg,
    /// Depth image with raw pixels.
    Depth,
    /// Depth image as PNG.
    DepthFile,
    /// Camera info of the depth image, on the topic where its subscribers expect it.
    DepthInfo,
    /// Label image with raw pixels.
    Labels,
    /// Camera info of the colour image.
    Info,
}

/// Returns the messages that a camera publishes.
pub fn camera_topics(spec: &CameraSpec) -> impl Iterator<Item = CameraTopic> {
    const ALL: [CameraTopic; 7] = [
        CameraTopic::Rgb,
        CameraTopic::Jpeg,
        CameraTopic::Depth,
        CameraTopic::DepthFile,
        CameraTopic::DepthInfo,
        CameraTopic::Labels,
        CameraTopic::Info,
    ];
    let parts = spec.outputs;
    let has = move |form: &CameraTopic| {
        form.part().is_enabled_in(parts)
            && (*form != CameraTopic::DepthInfo || CameraOutput::Depth.is_enabled_in(parts))
    };
    ALL.into_iter().filter(has)
}

impl CameraTopic {
    /// Returns the camera output that the message requires.
    pub fn part(self) -> CameraOutput {
        match self {
            CameraTopic::Rgb => CameraOutput::Rgb,
            CameraTopic::Jpeg => CameraOutput::Jpeg,
            CameraTopic::Depth | CameraTopic::DepthFile => CameraOutput::Depth,
            CameraTopic::Labels => CameraOutput::Labels,
            CameraTopic::DepthInfo | CameraTopic::Info => CameraOutput::Info,
        }
    }

    /// Returns the suffix of the topic and its message type.
    pub fn topic(self) -> (&'static str, &'static TypeInfo) {
        match self {
            CameraTopic::Rgb => ("/image_raw", Image::info()),
            CameraTopic::Jpeg => ("/image_raw/compressed", CompressedImage::info()),
            CameraTopic::Depth => ("/depth/image_raw", Image::info()),
            CameraTopic::DepthFile => ("/depth/image_raw/compressedDepth", CompressedImage::info()),
            CameraTopic::DepthInfo => ("/depth/camera_info", CameraInfo::info()),
            CameraTopic::Labels => ("/labels/image_raw", Image::info()),
            CameraTopic::Info => ("/camera_info", CameraInfo::info()),
        }
    }
}

/// A converted message of a camera.
pub enum CameraMessage {
    /// Message with the camera calibration.
    Info(Box<CameraInfo>),
    /// Message with raw pixels.
    Raw(Image),
    /// Message with a compressed image file.
    File(CompressedImage),
}

/// Converts a camera image to a message of `form`; `None` if the image does not contain the
/// required output.
pub fn convert_image(
    form: CameraTopic,
    spec: &CameraSpec,
    picture: &CameraImages,
    header: Header,
) -> Option<CameraMessage> {
    let [width, height] = spec.size.map(|n| n as u32);
    let of = |pixels| image::ImageView {
        width,
        height,
        pixels,
    };
    let rgb = || picture.rgb.as_ref().map(|rgb| of(Pixels::Rgb8(rgb)));
    let depth = || picture.depth.as_ref().map(|depth| of(Pixels::Depth(depth)));
    let labels = || {
        picture
            .labels
            .as_ref()
            .map(|labels| of(Pixels::Uint16(labels)))
    };
    match form {
        CameraTopic::Info | CameraTopic::DepthInfo => {
            Some(CameraMessage::Info(Box::new(camera_info(spec, header))))
        }
        CameraTopic::Rgb => rgb()?.raw(header).ok().map(CameraMessage::Raw),
        CameraTopic::Depth => depth()?.raw(header).ok().map(CameraMessage::Raw),
        CameraTopic::Labels => labels()?.raw(header).ok().map(CameraMessage::Raw),
        CameraTopic::Jpeg => rgb()?
            .jpeg(header, spec.jpeg_quality)
            .ok()
            .map(CameraMessage::File),
        CameraTopic::DepthFile => {
            let scale = DepthScale {
                max: spec.range[1] as f32,
                ..DepthScale::default()
            };
            depth()?
                .compressed_depth(header, scale)
                .ok()
                .map(CameraMessage::File)
        }
    }
}

/// Builds the camera info message from focal lengths, principal point, distortion and baseline.
pub fn camera_info(spec: &CameraSpec, header: Header) -> CameraInfo {
    let ([fx, fy], [cx, cy]) = (spec.lens.focal, spec.lens.center);
    let (model, d) = match &spec.lens.distortion {
        Distortion::BrownConrady(k) => ("plumb_bob", k.to_vec()),
        Distortion::FishEye(k) => ("equidistant", k.to_vec()),
    };
    CameraInfo {
        header,
        height: spec.size[1] as u32,
        width: spec.size[0] as u32,
        distortion_model: model.to_string(),
        d,
        k: [fx, 0.0, cx, 0.0, fy, cy, 0.0, 0.0, 1.0],
        r: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        p: [
            fx,
            0.0,
            cx,
            spec.baseline.map_or(0.0, |b| -fx * b),
            0.0,
            fy,
            cy,
            0.0,
            0.0,
            0.0,
            1.0,
            0.0,
        ],
        binning_x: 0,
        binning_y: 0,
        roi: RegionOfInterest {
            x_offset: 0,
            y_offset: 0,
            height: 0,
            width: 0,
            do_rectify: false,
        },
    }
}

/// Whether a sensor is a camera with a label output.
pub fn has_labels(kind: &SensorKind) -> bool {
    matches!(kind.exteroceptive().map(|looks| &**looks), Some(ExteroceptiveSpec::Camera(spec)) if CameraOutput::Labels.is_enabled_in(spec.outputs))
}

/// Builds the map from label numbers to names. The number 65535, which the message reserves for "no
/// class", is the water surface.
pub fn labels(scene: &Scene, header: Header) -> LabelInfo {
    let structures = scene
        .structures
        .iter()
        .map(|structure| structure.name.as_str());
    let robots = scene.robots.iter().map(|robot| robot.name.as_str());
    let numbered = ["sky", "bottom"]
        .into_iter()
        .chain(structures)
        .chain(robots);
    let water = [(OPEN_WATER, "open_water"), (SURFACE, "water_surface")];
    let all = numbered
        .enumerate()
        .map(|(k, name)| (k as u16, name))
        .chain(water);
    let class = |(class_id, name): (u16, &str)| VisionClass {
        class_id,
        class_name: name.to_string(),
    };
    LabelInfo {
        header,
        class_map: all.map(class).collect(),
        threshold: 0.0,
    }
}
