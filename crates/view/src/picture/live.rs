//! Images of sensors for the live view, drawn from their recent frames.

use crate::picture::colors::viridis;
use crate::picture::{Samples, SensorImage, SnapshotOutput, output};
use crate::{ColorScale, DrawnImage, ImageSource, WatchedFrame};
use bytes::Bytes;
use merrow_messages::convert::header;
use merrow_messages::convert::image::{ImageView, Pixels};
use merrow_model::scene::Sensor;
use merrow_model::sensor::camera::{CameraImages, CameraOutput};
use merrow_model::state::frames::FrameData;

/// Name of the only image of a sensor that is not a camera.
pub const IMAGE: &str = "image";
/// Name of the colour image of a camera.
pub const COLOR: &str = "color";
/// Name of the depth image of a camera.
pub const DEPTH: &str = "depth";
/// Quality of JPEG images, 1..100.
const QUALITY: u8 = 82;
/// Maximum number of frames from which an image is drawn.
const MAX_FRAMES: usize = 600;

/// Returns the images that a sensor can show; `None` without images.
pub fn source(sensor: &Sensor) -> Option<ImageSource> {
    let one = |frames: usize| ImageSource {
        kinds: vec![(IMAGE.to_string(), u8::MAX)],
        frames: frames.clamp(1, MAX_FRAMES),
    };
    match output(sensor)? {
        SnapshotOutput::Camera(_, outputs) => {
            let kinds = [(COLOR, CameraOutput::Rgb), (DEPTH, CameraOutput::Depth)];
            let provided = kinds.into_iter();
            let provided = provided.filter(|(_, output)| output.is_enabled_in(outputs));
            Some(ImageSource {
                kinds: provided
                    .map(|(name, output)| (name.to_string(), output as u8))
                    .collect(),
                frames: 1,
            })
        }
        SnapshotOutput::Image(Samples::Instant(n), _) => Some(one(n as usize)),
        SnapshotOutput::Image(Samples::Run(seconds), _) => {
            Some(one((seconds * sensor.rate).ceil() as usize))
        }
        SnapshotOutput::Plot(_) => None,
    }
}

/// Draws the image `kind` of a sensor from its recent frames as JPEG; `None` without data.
pub fn image(sensor: &Sensor, kind: &str, frames: &[WatchedFrame]) -> Option<DrawnImage> {
    match output(sensor)? {
        SnapshotOutput::Camera([width, height], _) => {
            let FrameData::CameraImages(images) = &*frames.last()?.frame.data else {
                return None;
            };
            let (rgb, scale) = camera_pixels(images, kind)?;
            let file = jpeg(width, height, Pixels::Rgb8(&rgb))?;
            Some(DrawnImage { file, scale })
        }
        SnapshotOutput::Image(_, mut builder) => {
            for WatchedFrame { frame, pose, .. } in frames {
                builder.add(&frame.data, pose, frame.stamp_ns);
            }
            let (file, scale) = match builder.finish()? {
                SensorImage::Grey(grey) => {
                    let pixels = Pixels::Mono8(&grey.data);
                    let file = jpeg(grey.width as usize, grey.height as usize, pixels)?;
                    (file, ColorScale::Level)
                }
                SensorImage::Colored(shown) => {
                    let rgb = Bytes::from(shown.rgb);
                    let file = jpeg(shown.width, shown.height, Pixels::Rgb8(&rgb))?;
                    (file, ColorScale::None)
                }
            };
            Some(DrawnImage { file, scale })
        }
        SnapshotOutput::Plot(_) => None,
    }
}

fn jpeg(width: usize, height: usize, pixels: Pixels<'_>) -> Option<Vec<u8>> {
    let shown = ImageView {
        width: width as u32,
        height: height as u32,
        pixels,
    };
    Some(shown.jpeg(header(0, ""), QUALITY).ok()?.data.to_vec())
}

/// Returns red, green and blue of each pixel, and what the colours show.
fn camera_pixels(images: &CameraImages, kind: &str) -> Option<(Bytes, ColorScale)> {
    if kind == DEPTH {
        return images.depth.as_ref().map(|depth| depth_colors(depth));
    }
    Some((images.rgb.clone()?, ColorScale::None))
}

/// Converts depths [m] to colours on a logarithmic scale; near is bright, no surface is black.
fn depth_colors(depths: &[f32]) -> (Bytes, ColorScale) {
    let is_shown = |d: f64| d.is_finite() && d > 0.0;
    let all = || {
        depths
            .iter()
            .map(|d| f64::from(*d))
            .filter(|d| is_shown(*d))
    };
    let (low, high) = (
        all().fold(f64::INFINITY, f64::min),
        all().fold(0.0, f64::max),
    );
    let span = libm::log(high / low).max(1e-6);
    let color = |d: &f32| match f64::from(*d) {
        d if is_shown(d) => viridis(1.0 - libm::log(d / low) / span, 1.0),
        _ => [0; 3],
    };
    let scale = if high > 0.0 {
        ColorScale::Depth([low as f32, high as f32])
    } else {
        ColorScale::None
    };
    (depths.iter().flat_map(color).collect(), scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_bright_and_no_surface_is_black() {
        let (colors, scale) = depth_colors(&[1.0, 10.0, f32::INFINITY]);
        assert_eq!(scale, ColorScale::Depth([1.0, 10.0]));
        assert_eq!(depth_colors(&[f32::INFINITY]).1, ColorScale::None);
        let sum = |k: usize| colors[3 * k..3 * k + 3].iter().map(|c| u32::from(*c)).sum();
        let [near, far, none]: [u32; 3] = [sum(0), sum(1), sum(2)];
        assert!(near > far && far > none && none == 0, "{near} {far} {none}");
    }

    #[test]
    fn camera_images_select_color_or_depth() {
        let images = CameraImages {
            parts: 3,
            rgb: Some(Bytes::from_static(&[1, 2, 3])),
            depth: Some(vec![2.0]),
            labels: None,
        };
        assert_eq!(camera_pixels(&images, COLOR).unwrap().0[..], [1, 2, 3]);
        assert_ne!(camera_pixels(&images, DEPTH).unwrap().0[..], [1, 2, 3]);
    }
}
