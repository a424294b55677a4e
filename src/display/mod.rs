//! Images of point clouds for snapshots, and of greyscale displays as messages.

pub mod cloud;
pub mod colors;

use bytes::Bytes;
use merrow_ros2::msg::sensor_msgs::Image;
use merrow_ros2::msg::std_msgs::Header;
use merrow_sensors::display::GreyImage;

/// Converts a greyscale image to its message.
pub fn grey_image(shown: &GreyImage<'_>, header: Header) -> Image {
    Image {
        header,
        height: shown.height as u32,
        width: shown.width as u32,
        encoding: "mono8".into(),
        is_bigendian: 0,
        step: shown.width as u32,
        data: Bytes::copy_from_slice(shown.pixels),
    }
}
