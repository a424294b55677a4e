//! `std_msgs`: the header, and single values for simple commands.

use crate::message::ros_message;
use crate::msg::builtin_interfaces::Time;

ros_message! {
    /// Time and frame of the data of a message.
    pub struct Header("std_msgs/msg/Header") {
        /// Time at which the data is valid.
        stamp: Time,
        /// TF frame of the data.
        frame_id: std::string::String,
    }

    /// A message with one text.
    pub struct String("std_msgs/msg/String") {
        /// Content of the text.
        data: std::string::String,
    }

    /// A message with one boolean.
    pub struct Bool("std_msgs/msg/Bool") {
        /// Value of the boolean.
        data: bool,
    }

    /// A number in single precision.
    pub struct Float32("std_msgs/msg/Float32") {
        /// Number in the unit of the topic.
        data: f32,
    }

    /// A number in double precision.
    pub struct Float64("std_msgs/msg/Float64") {
        /// Number in the unit of the topic.
        data: f64,
    }

    /// One dimension of a multi-dimensional array.
    pub struct MultiArrayDimension("std_msgs/msg/MultiArrayDimension") {
        /// Name of the dimension.
        label: std::string::String,
        /// Number of elements along it.
        size: u32,
        /// Number of elements from this dimension inwards.
        stride: u32,
    }

    /// Layout of a flat sequence as a multi-dimensional array.
    pub struct MultiArrayLayout("std_msgs/msg/MultiArrayLayout") {
        /// Dimensions, outermost first; empty for a plain vector.
        dim: Vec<MultiArrayDimension>,
        /// Number of elements before the first element of the array.
        data_offset: u32,
    }

    /// Sequence of numbers in double precision.
    pub struct Float64MultiArray("std_msgs/msg/Float64MultiArray") {
        /// Layout of the sequence.
        layout: MultiArrayLayout,
        /// Numbers in the unit of the topic.
        data: Vec<f64>,
    }
}
