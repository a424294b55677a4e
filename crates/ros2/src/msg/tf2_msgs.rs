//! `tf2_msgs`: the tree of frames.

use crate::message::ros_message;
use crate::msg::geometry_msgs::TransformStamped;

ros_message! {
    /// Frames and where they are, as published on `/tf` and `/tf_static`.
    pub struct TFMessage("tf2_msgs/msg/TFMessage") {
        /// One per frame.
        transforms: Vec<TransformStamped>,
    }
}
