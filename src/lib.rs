//! Merrow as a library. A program with a force, a controller, a sensor or a robot of its own starts
//! with `use merrow::prelude::*` (`examples/`).
//!
//! The modules of this crate are the ROS 2 interface: plan of topics, commands, services, actions,
//! publishing, recording and replay. The crate `merrow-ros2` contains the DDS node and the bags,
//! `merrow-messages` the conversion of data to messages; the simulation crates do not depend on
//! ROS.
//!
//! # Example
//! ```
//! use merrow::topics::Plan;
//! use merrow_world::{Overrides, load_text};
//!
//! // the topics that the node publishes
//! let text = "robots: {rov: {model: bluerov2_heavy}}";
//! let world = load_text("world.yaml", text, Overrides::default())?;
//! let plan = Plan::new(&world.scene);
//! assert!(plan.outputs.iter().any(|output| output.topic == "rov/odometry"));
//! # Ok::<(), merrow_world::Problems>(())
//! ```

#![forbid(unsafe_code)]

pub mod arm;
pub mod computer;
pub mod input;
pub mod layout;
pub mod modem;
pub mod node;
pub mod prelude;
pub mod profile;
pub mod publisher;
pub mod replay;
pub mod simulation_interfaces;
mod tasks;
pub mod terminal;
pub mod topics;

pub use merrow_view::picture;
