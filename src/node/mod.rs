//! The ROS node of a world: plan of topics, bridge, parameters, diagnostics, frames.

pub mod batch;
pub mod bridge;
pub mod checkpoint;
pub mod diagnostics;
pub mod file_access;
pub mod interface;
pub(crate) mod losses;
pub(crate) mod map;
mod modem_health;
pub mod parameters;
pub mod plan;
pub mod states;
pub mod thrust_watch;
pub mod world_check;
pub mod world_editor;
mod world_topics;
