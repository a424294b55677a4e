//! Pictures of cameras, as messages.

use super::message::{Message, TypeInfo};
use super::msg::sensor_msgs::{CameraInfo, CompressedImage, Image, RegionOfInterest};
use super::msg::std_msgs::Header;
use super::picture::{self, Pixels};
use crate::scene::camera::{CameraSpec, Part};
use crate::scene::lens::Distortion;
use crate::state::frame::Picture;

/// Topic suffix and type of what a camera gives.
pub fn topic(part: Part) -> (&'static str, &'static TypeInfo) {
    match part {
        Part::Rgb => ("/image_raw", Image::info()),
        Part::Jpeg => ("/image_raw/compressed", CompressedImage::info()),
        Part::Depth => ("/depth/image_raw", Image::info()),
        Part::Labels => ("/labels/image_raw", Image::info()),
        Part::Info => ("/camera_info", CameraInfo::info()),
    }
}

/// What there is to publish.
pub enum Shown<'a> {
    /// How the camera maps.
    Info,
    /// Pixels as they are.
    Raw(picture::Picture<'a>),
    /// Pixels as a file.
    File(picture::Picture<'a>),
}

/// What there is of `part` in a picture, if anything.
pub fn show<'a>(part: Part, spec: &CameraSpec, picture: &'a Picture) -> Option<Shown<'a>> {
    let [width, height] = spec.size.map(|n| n as u32);
    let of = |pixels| picture::Picture { width, height, pixels };
    match part {
        Part::Info => Some(Shown::Info),
        Part::Rgb => picture.rgb.as_ref().map(|rgb| Shown::Raw(of(Pixels::Rgb8(rgb)))),
        Part::Jpeg => picture.rgb.as_ref().map(|rgb| Shown::File(of(Pixels::Rgb8(rgb)))),
        Part::Depth => picture.depth.as_ref().map(|depth| Shown::Raw(of(Pixels::Depth(depth)))),
        Part::Labels => picture.labels.as_ref().map(|labels| Shown::Raw(of(Pixels::Uint16(labels)))),
    }
}

/// How a camera maps.
pub fn info(spec: &CameraSpec, header: Header) -> CameraInfo {
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
        p: [fx, 0.0, cx, spec.baseline.map_or(0.0, |b| -fx * b), 0.0, fy, cy, 0.0, 0.0, 0.0, 1.0, 0.0],
        binning_x: 0,
        binning_y: 0,
        roi: RegionOfInterest { x_offset: 0, y_offset: 0, height: 0, width: 0, do_rectify: false },
    }
}
