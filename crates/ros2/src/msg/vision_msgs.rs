//! `vision_msgs`: results of object detectors.

use crate::message::ros_message;
use crate::msg::geometry_msgs::{Pose, PoseWithCovariance, Vector3};
use crate::msg::std_msgs::Header;

ros_message! {
    /// Hypothesis on the class of an object.
    pub struct ObjectHypothesis("vision_msgs/msg/ObjectHypothesis") {
        /// Class of the object.
        class_id: String,
        /// Probability of the class, 0 to 1.
        score: f64,
    }

    /// Hypothesis on the class and pose of an object.
    pub struct ObjectHypothesisWithPose("vision_msgs/msg/ObjectHypothesisWithPose") {
        /// Class of the object and its probability.
        hypothesis: ObjectHypothesis,
        /// Pose of a fixed point of the object, in the frame of the detection.
        pose: PoseWithCovariance,
    }

    /// Bounding box of an object.
    pub struct BoundingBox3D("vision_msgs/msg/BoundingBox3D") {
        /// Centre and orientation of the box.
        center: Pose,
        /// Side lengths of the box \[m\].
        size: Vector3,
    }

    /// An object detected in the frame of the header.
    pub struct Detection3D("vision_msgs/msg/Detection3D") {
        /// Header of the data in which the object was detected.
        header: Header,
        /// Hypotheses on the object; classes that are not listed have score 0.
        results: Vec<ObjectHypothesisWithPose>,
        /// Bounding box of the object.
        bbox: BoundingBox3D,
        /// Identifier that stays the same for an object in all messages; may be empty.
        id: String,
    }

    /// All objects detected in the same data.
    pub struct Detection3DArray("vision_msgs/msg/Detection3DArray") {
        /// Header of the data in which the objects were detected.
        header: Header,
        /// List of the detected objects.
        detections: Vec<Detection3D>,
    }

    /// A class and its number in label images.
    pub struct VisionClass("vision_msgs/msg/VisionClass") {
        /// Number of the class.
        class_id: u16,
        /// Name of the class.
        class_name: String,
    }

    /// Meaning of the numbers in a label image.
    pub struct LabelInfo("vision_msgs/msg/LabelInfo") {
        /// Time from which the map is valid, and frame of the images.
        header: Header,
        /// Numbers and names of all classes.
        class_map: Vec<VisionClass>,
        /// Minimum confidence with which a class is reported, 0 to 1.
        threshold: f32,
    }
}
