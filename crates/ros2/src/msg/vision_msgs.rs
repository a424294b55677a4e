//! `vision_msgs`: what a detector found.

use crate::message::ros_message;
use crate::msg::geometry_msgs::{Pose, PoseWithCovariance, Vector3};
use crate::msg::std_msgs::Header;

ros_message! {
    /// What an object may be.
    pub struct ObjectHypothesis("vision_msgs/msg/ObjectHypothesis") {
        /// Its class.
        class_id: String,
        /// How probable that is, 0 to 1.
        score: f64,
    }

    /// What an object may be, and where that would be.
    pub struct ObjectHypothesisWithPose("vision_msgs/msg/ObjectHypothesisWithPose") {
        /// What.
        hypothesis: ObjectHypothesis,
        /// Pose of a fixed point of the object, in the frame of the detection.
        pose: PoseWithCovariance,
    }

    /// A box about an object.
    pub struct BoundingBox3D("vision_msgs/msg/BoundingBox3D") {
        /// Its middle and its axes.
        center: Pose,
        /// Its lengths along its axes \[m\].
        size: Vector3,
    }

    /// An object that a detector found, in the frame of the header.
    pub struct Detection3D("vision_msgs/msg/Detection3D") {
        /// That of the data it was found in.
        header: Header,
        /// What it may be; classes that are not listed have score 0.
        results: Vec<ObjectHypothesisWithPose>,
        /// The box about it.
        bbox: BoundingBox3D,
        /// The same text for the same object in every message; may be empty.
        id: String,
    }

    /// All that a detector found in the same data.
    pub struct Detection3DArray("vision_msgs/msg/Detection3DArray") {
        /// That of the data they were found in.
        header: Header,
        /// The objects.
        detections: Vec<Detection3D>,
    }

    /// A class, by the number that pictures of labels have for it.
    pub struct VisionClass("vision_msgs/msg/VisionClass") {
        /// The number.
        class_id: u16,
        /// The name.
        class_name: String,
    }

    /// What the numbers of a picture of labels are.
    pub struct LabelInfo("vision_msgs/msg/LabelInfo") {
        /// Since when that holds, and the frame of the pictures.
        header: Header,
        /// All classes.
        class_map: Vec<VisionClass>,
        /// Confidence over which a class is told, 0 to 1.
        threshold: f32,
    }
}
