//! ROS messages and services that Merrow uses, one module per ROS package.
//!
//! The build script generates them from the files in `interfaces/`, which have the names and the
//! order of the fields of ROS 2 Jazzy; the type hashes verify this (`test/ros/messages.py`). A
//! module `package_variant` has the types of another release under the same type names:
//! `simulation_interfaces_v1` those of Humble and Jazzy (1.4 and 1.5), `rmw_dds_common_humble` the
//! identifiers of 24 bytes up to Humble. Pixels and points are `bytes::Bytes`: a message shares
//! them with their source.
//!
//! In the messages, linear components precede angular components, quaternions have the order
//! x y z w, and all values are in SI units and radians unless the package says otherwise.

mod outcome;
mod time;

pub use crate::msg::outcome::Outcome;

include!(concat!(env!("OUT_DIR"), "/interfaces.rs"));
