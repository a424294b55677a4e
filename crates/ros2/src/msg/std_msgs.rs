//! `std_msgs`: the header, and single values for simple commands.

use crate::message::ros_message;
use crate::msg::builtin_interfaces::Time;

ros_message! {
    /// When and in which frame the data of a message is.
    pub struct Header("std_msgs/msg/Header") {
        /// When the data was true.
        stamp: Time,
        /// TF frame of the data.
        frame_id: std::string::String,
    }

    /// A text.
    pub struct String("std_msgs/msg/String") {
        /// The text.
        data: std::string::String,
    }

    /// A truth value.
    pub struct Bool("std_msgs/msg/Bool") {
        /// The value.
        data: bool,
    }

    /// A number in single precision.
    pub struct Float32("std_msgs/msg/Float32") {
        /// The number; its unit is the topic's.
        data: f32,
    }

    /// A number in double precision.
    pub struct Float64("std_msgs/msg/Float64") {
        /// The number; its unit is the topic's.
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

    /// How a flat sequence is to be read as an array.
    pub struct MultiArrayLayout("std_msgs/msg/MultiArrayLayout") {
        /// The dimensions, outermost first; empty for a plain vector.
        dim: Vec<MultiArrayDimension>,
        /// Number of elements before the first.
        data_offset: u32,
    }

    /// Numbers in double precision.
    pub struct Float64MultiArray("std_msgs/msg/Float64MultiArray") {
        /// How they are to be read.
        layout: MultiArrayLayout,
        /// The numbers; their unit is the topic's.
        data: Vec<f64>,
    }
}
