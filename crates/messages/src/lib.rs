//! ROS 2 messages of Merrow: message types, names of frames, robot descriptions, and the conversion
//! of sensor readings to messages and images. The crate `merrow-ros2` contains the DDS node and the
//! message types of ROS; this crate combines them with robots and sensors.
//!
//! # Example
//! ```
//! use merrow_messages::urdf::urdf;
//! use merrow_world::{Overrides, load_text};
//!
//! // the robot description that the node publishes for RViz
//! let text = "robots: {rov: {model: bluerov2_heavy}}";
//! let world = load_text("world.yaml", text, Overrides::default())?;
//! let description = urdf(&world.scene.robots[0]);
//! assert!(description.contains("<robot name=") && description.contains("base_link"));
//! # Ok::<(), merrow_world::Problems>(())
//! ```

#![forbid(unsafe_code)]

pub mod actuators;
pub mod convert;
pub mod frames;
pub mod msg;
pub mod snapshot;
pub mod urdf;
