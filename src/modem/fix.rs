//! Decoding of positions that arrive over bridges for the firmware of their receiver.

use crate::input::mailbox::{check_frame, read};
use merrow_math::Vec3;
use merrow_messages::convert::from_point;
use merrow_ros2::message::Message;
use merrow_ros2::msg::geometry_msgs::{
    Point, PointStamped, PoseStamped, PoseWithCovarianceStamped,
};
use merrow_ros2::msg::std_msgs::Header;

/// Decodes a message: returns the position in W [m] and the time of its measurement [ns].
pub(crate) type FixDecoder = fn(&[u8]) -> Result<(Vec3, u64), String>;

/// Returns the ROS name and the decoder of each type with a position.
fn decoders() -> [(&'static str, FixDecoder); 3] {
    [
        (PoseWithCovarianceStamped::info().name, |bytes| {
            let message: PoseWithCovarianceStamped = read(bytes)?;
            fix(&message.header, &message.pose.pose.position)
        }),
        (PoseStamped::info().name, |bytes| {
            let message: PoseStamped = read(bytes)?;
            fix(&message.header, &message.pose.position)
        }),
        (PointStamped::info().name, |bytes| {
            let message: PointStamped = read(bytes)?;
            fix(&message.header, &message.point)
        }),
    ]
}

/// Returns the ROS names of the types with a position.
pub(crate) fn type_names() -> [&'static str; 3] {
    decoders().map(|(name, _)| name)
}

/// Returns the decoder of the messages of a type; `None`: the type has no position.
pub(crate) fn decoder(type_name: &str) -> Option<FixDecoder> {
    let mut all = decoders().into_iter();
    all.find(|(name, _)| *name == type_name)
        .map(|(_, decode)| decode)
}

fn fix(header: &Header, position: &Point) -> Result<(Vec3, u64), String> {
    check_frame(None, &header.frame_id)?;
    Ok((from_point(position), header.stamp.to_nanos()))
}
