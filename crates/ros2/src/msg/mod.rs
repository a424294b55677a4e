//! ROS messages and services that Merrow uses, one module per ROS package.
//!
//! The names and the order of the fields agree with ROS 2 Jazzy; the type hashes verify this
//! (`test/ros/messages.py`). The crate `merrow-messages` converts the simulator's own types.

pub mod action_msgs;
pub mod builtin_interfaces;
mod catalogue;
pub mod control_msgs;
pub mod diagnostic_msgs;
pub mod geometry_msgs;
pub mod nav_msgs;
pub mod rcl_interfaces;
mod rcl_services;
pub mod rmw_dds_common;
pub mod rosgraph_msgs;
mod sensor_images;
pub mod sensor_msgs;
pub mod service_msgs;
pub mod simulation_interfaces;
pub mod simulation_interfaces_v1;
pub mod simulation_services;
pub mod std_msgs;
pub mod std_srvs;
pub mod tf2_msgs;
pub mod trajectory_msgs;
pub mod type_description_interfaces;
pub mod unique_identifier_msgs;
pub mod vision_msgs;

pub use crate::msg::catalogue::{RoundTrip, TypeSample, catalogue, catalogue_json, services};
