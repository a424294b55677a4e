//! ROS 2 node without a ROS installation: DDS transport, messages, services, actions, parameters
//! and rosbag2 recording.
//!
//! The crate does not depend on the simulator. `message.rs` contains the macros that declare
//! message types, `msg/` contains the types.
//!
//! # Example
//! ```
//! use merrow_ros2::cdr::{from_bytes, to_bytes};
//! use merrow_ros2::message::Message;
//! use merrow_ros2::msg::geometry_msgs::Vector3;
//!
//! // the bytes that a subscriber in any language receives: 4 bytes of header and three doubles
//! let sent = Vector3 { x: 1.0, y: -2.0, z: 0.5 };
//! let bytes = to_bytes(&sent);
//! assert_eq!(bytes.len(), 4 + 3 * 8);
//! let received: Vector3 = from_bytes(&bytes)?;
//! assert_eq!(received.y, -2.0);
//!
//! // name and type hash as in ROS 2 Jazzy
//! assert_eq!(Vector3::info().dds_name, "geometry_msgs::msg::dds_::Vector3_");
//! assert_eq!(
//!     Vector3::info().hash,
//!     "RIHS01_cc12fe83e4c02719f1ce8070bfd14aecd40f75a96696a67a2a1f37f7dbb0765d"
//! );
//! # Ok::<(), merrow_ros2::cdr::CdrError>(())
//! ```

#![forbid(unsafe_code)]

pub mod action_type;
pub mod args;
pub mod backend;
pub mod bag;
pub mod cdr;
pub mod dynamic;
pub mod embedded;
pub mod goals;
pub mod installed;
pub mod message;
pub mod msg;
pub mod names;
pub mod node;
pub mod parameters;
pub mod qos;
mod succession;

#[cfg(test)]
extern crate self as merrow_ros2;
#[cfg(test)]
#[path = "../tests/common/samples.rs"]
mod samples;
