//! Pixels of `sensor_msgs/Image`.

use image::{GrayImage, RgbImage};
use merrow_ros2::msg::sensor_msgs::Image;
use merrow_ros2::msg::std_msgs::Header;

/// An image message that cannot be used.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ImageError {
    /// The pixels have another format.
    #[error("image: encoding `{0}`; expected rgb8, bgr8, rgba8, bgra8 or mono8")]
    Encoding(String),
    /// Size, step and data do not agree.
    #[error(
        "image: {width} x {height} px with rows of {step} bytes need {expected} bytes; found {found}"
    )]
    Size {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
        /// Bytes of a row.
        step: u32,
        /// Bytes that the description needs.
        expected: u64,
        /// Bytes in the message.
        found: usize,
    },
}

/// Largest image that is decoded [px]; a larger one does not come from a camera of this mission.
const MAX_PIXELS: u64 = 16_000_000;

/// Decodes a colour or grey image.
///
/// # Errors
/// If the encoding is another one, or size and data do not agree.
pub fn decode(message: &Image) -> Result<RgbImage, ImageError> {
    let (width, height, step) = (message.width, message.height, message.step);
    let (channels, depth): ([usize; 3], u64) = match message.encoding.as_str() {
        "rgb8" => ([0, 1, 2], 3),
        "bgr8" => ([2, 1, 0], 3),
        "rgba8" => ([0, 1, 2], 4),
        "bgra8" => ([2, 1, 0], 4),
        "mono8" => ([0, 0, 0], 1),
        other => return Err(ImageError::Encoding(other.chars().take(40).collect())),
    };
    let expected = u64::from(step) * u64::from(height);
    let is_consistent = width > 0
        && height > 0
        && u64::from(width) * u64::from(height) <= MAX_PIXELS
        && u64::from(step) >= u64::from(width) * depth
        && message.data.len() as u64 >= expected;
    if !is_consistent {
        return Err(ImageError::Size {
            width,
            height,
            step,
            expected,
            found: message.data.len(),
        });
    }
    let mut pixels = Vec::with_capacity(width as usize * height as usize * 3);
    for row in message
        .data
        .chunks_exact(step as usize)
        .take(height as usize)
    {
        for pixel in row.chunks_exact(depth as usize).take(width as usize) {
            pixels.extend(channels.map(|channel| pixel[channel]));
        }
    }
    Ok(RgbImage::from_raw(width, height, pixels).expect("three bytes per pixel"))
}

/// Returns a grey image as a message, `mono8`.
#[must_use]
pub fn mono_message(image: &GrayImage, header: Header) -> Image {
    Image {
        header,
        width: image.width(),
        height: image.height(),
        encoding: "mono8".into(),
        is_bigendian: 0,
        step: image.width(),
        data: image.as_raw().clone().into(),
    }
}

/// Returns the light of an sRGB value, 0 to 1 (IEC 61966-2-1).
#[must_use]
pub(crate) fn linear(value: u8) -> f64 {
    let v = f64::from(value) / 255.0;
    if v <= 0.04045 {
        v / 12.92
    } else {
        ((v + 0.055) / 1.055).powf(2.4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_ordered() {
        let message = Image {
            width: 1,
            height: 2,
            encoding: "bgr8".into(),
            step: 4,
            data: vec![1, 2, 3, 0, 4, 5, 6, 0].into(),
            ..Image::default()
        };
        assert_eq!(decode(&message).unwrap().into_raw(), [3, 2, 1, 6, 5, 4]);
    }

    #[test]
    fn hostile_images_are_refused() {
        let sized = |width, height, step, bytes: usize| Image {
            width,
            height,
            encoding: "rgb8".into(),
            step,
            data: vec![0; bytes].into(),
            ..Image::default()
        };
        for message in [
            sized(0, 0, 0, 0),
            sized(2, 2, 6, 11),
            sized(2, 2, 5, 100),
            sized(u32::MAX, u32::MAX, u32::MAX, 10),
        ] {
            assert!(matches!(decode(&message), Err(ImageError::Size { .. })));
        }
        let mut depth = sized(1, 1, 3, 3);
        depth.encoding = "32FC1".into();
        assert!(matches!(decode(&depth), Err(ImageError::Encoding(_))));
    }
}
