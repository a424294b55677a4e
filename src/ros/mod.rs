//! Everything that is ROS, and nothing else: messages, the embedded DDS node, bags, and the bridge between the running
//! world and the ROS graph. The only place that names ROS.

pub mod action_type;
pub mod args;
pub mod arm;
pub mod bag;
pub mod bridge;
pub mod camera;
pub mod cdr;
pub mod contacts;
pub mod convert;
pub mod dds;
pub mod description;
pub mod diagnostics;
pub mod faults;
pub mod firmware;
pub mod frames;
pub mod goals;
pub mod inputs;
pub mod live_parameters;
pub mod looks;
pub mod message;
pub mod msg;
pub mod names;
pub mod outlet;
pub mod parameter_range;
pub mod parameter_value;
pub mod parameter_yaml;
pub mod parameters;
pub mod picture;
pub mod plan;
pub mod qos;
pub mod services;
pub mod sonar;
pub mod sonar_display;
pub mod urdf;
pub mod weather;
