//! ROS 2 interface of Merrow: plan of topics, conversion of data to messages, commands, services,
//! actions, publishing and recording. The crate `merrow-ros2` contains the DDS node, the message
//! types and the bags; the simulation crates do not depend on ROS.

pub mod arm;
pub mod convert;
pub mod display;
pub mod input;
pub mod msg;
pub mod node;
pub mod publisher;
