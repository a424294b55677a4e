//! Everything that is ROS, and nothing else: messages, the embedded DDS node, bags, and the bridge between the running
//! world and the ROS graph. The only place that names ROS.

pub mod arm;
pub mod convert;
pub mod display;
pub mod input;
pub mod msg;
pub mod node;
pub mod publisher;
