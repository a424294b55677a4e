//! ROS 2 interface of Merrow: plan of topics, conversion of data to messages, commands, services,
//! actions, publishing and recording. The crate `merrow-ros2` contains the DDS node, the message
//! types and the bags; the simulation crates do not depend on ROS.
//!
//! # Example
//! ```
//! use merrow::node::urdf::urdf;
//! use merrow_world::{Overrides, load_text};
//!
//! // the robot description that the node publishes for RViz
//! let text = "robots: {rov: {model: bluerov2_heavy}}";
//! let world = load_text("world.yaml", text, Overrides::default())?;
//! let description = urdf(&world.scene.robots[0]);
//! assert!(description.contains("<robot name=") && description.contains("base_link"));
//! # Ok::<(), merrow_world::Problems>(())
//! ```

pub mod arm;
pub mod convert;
pub mod display;
pub mod input;
pub mod modem;
pub mod msg;
pub mod node;
pub mod profile;
pub mod publisher;
pub mod simulation_interfaces;
