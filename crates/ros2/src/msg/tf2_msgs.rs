//! `tf2_msgs`: transforms between frames.

use crate::message::ros_message;
use crate::msg::geometry_msgs::TransformStamped;

ros_message! {
    /// Transforms of frames, as published on `/tf` and `/tf_static`.
    pub struct TFMessage("tf2_msgs/msg/TFMessage") {
        /// Transform of each frame.
        transforms: Vec<TransformStamped>,
    }
}
