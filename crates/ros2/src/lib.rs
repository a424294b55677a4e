//! ROS 2 node without a ROS installation: DDS transport, messages, services, actions, parameters
//! and rosbag2 recording.

pub mod action_type;
pub mod args;
pub mod bag;
pub mod cdr;
pub mod dds;
pub mod description;
pub mod goals;
pub mod message;
pub mod msg;
pub mod names;
pub mod parameters;
pub mod qos;
