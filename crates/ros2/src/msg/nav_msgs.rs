//! `nav_msgs`: pose with velocity, and path.

use crate::message::ros_message;
use crate::msg::geometry_msgs::{PoseStamped, PoseWithCovariance, TwistWithCovariance};
use crate::msg::std_msgs::Header;

ros_message! {
    /// Pose of the frame `child_frame_id` in the frame of the header, and its velocity in
    /// `child_frame_id`.
    pub struct Odometry("nav_msgs/msg/Odometry") {
        /// Time of the data, and frame of the pose.
        header: Header,
        /// Moving frame, in which the velocity is expressed.
        child_frame_id: String,
        /// Pose with its covariance.
        pose: PoseWithCovariance,
        /// Velocity with its covariance.
        twist: TwistWithCovariance,
    }

    /// Sequence of poses along a path.
    pub struct Path("nav_msgs/msg/Path") {
        /// Time of the data, and frame of the poses.
        header: Header,
        /// Poses in path order.
        poses: Vec<PoseStamped>,
    }
}
