//! `tf2_msgs`: the tree of frames.

use super::geometry_msgs::TransformStamped;
use crate::ros::message::ros_message;

ros_message! {
    /// Frames and where they are, as published on `/tf` and `/tf_static`.
    pub struct TFMessage("tf2_msgs/msg/TFMessage") {
        /// One per frame.
        transforms: Vec<TransformStamped>,
    }
}
