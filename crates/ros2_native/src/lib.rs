//! Backend of a ROS 2 node on the RMW of an installed ROS 2.
//!
//! The backend calls the C interface `rmw` and therefore uses the implementation that
//! `RMW_IMPLEMENTATION` selects. Messages pass as serialized bytes in both directions. Libraries of
//! ROS 2 are opened at run time; a program with this crate also starts where no ROS 2 is sourced.
//!
//! The calls are in `shim/rmw.c`, which the feature `rmw` compiles against the headers of the
//! sourced ROS 2. Without the feature the crate contains only the parts that need no ROS 2, so that
//! the workspace compiles everywhere.
//!
//! # Example
//! ```
//! # #[cfg(feature = "rmw")]
//! # fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use merrow_ros2::args::NodeOptions;
//! use merrow_ros2::node::Node;
//! use merrow_ros2_native::NativeBackend;
//! use std::sync::Arc;
//!
//! // a node on the RMW that `RMW_IMPLEMENTATION` selects
//! let options = NodeOptions::new("talker");
//! let backend = NativeBackend::join(&options)?;
//! println!("on {}", backend.implementation());
//! let node = Node::with_succession_on(&options, Arc::new(backend))?;
//! node.logger().info("connected");
//! # Ok(())
//! # }
//! ```

#![cfg_attr(
    not(feature = "rmw"),
    allow(dead_code, reason = "only the backend uses these modules")
)]

mod spin;
mod type_support;

#[cfg(feature = "rmw")]
mod backend;
#[cfg(feature = "rmw")]
mod endpoint;
#[cfg(feature = "rmw")]
mod ffi;
#[cfg(feature = "rmw")]
mod libraries;

#[cfg(feature = "rmw")]
pub use backend::NativeBackend;
