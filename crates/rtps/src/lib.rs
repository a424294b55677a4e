//! The DDS wire protocol RTPS 2.5 over UDP, with the parts that ROS 2 uses.

pub mod engine;
pub mod qos;
pub mod udp;
pub mod wire;
