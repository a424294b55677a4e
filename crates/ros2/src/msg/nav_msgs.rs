//! `nav_msgs`: where a vehicle is and how it moves.

use crate::message::ros_message;
use crate::msg::geometry_msgs::{PoseStamped, PoseWithCovariance, TwistWithCovariance};
use crate::msg::std_msgs::Header;

ros_message! {
    /// Pose of the frame `child_frame_id` in the frame of the header, and its velocity in itself.
    pub struct Odometry("nav_msgs/msg/Odometry") {
        /// When, and in which frame the pose is.
        header: Header,
        /// The frame that moves; the velocity is expressed in it.
        child_frame_id: String,
        /// Where it is.
        pose: PoseWithCovariance,
        /// How it moves.
        twist: TwistWithCovariance,
    }

    /// A chain of poses.
    pub struct Path("nav_msgs/msg/Path") {
        /// When, and in which frame the poses are.
        header: Header,
        /// The poses in their order.
        poses: Vec<PoseStamped>,
    }
}
