//! Merrow simulates many marine robots at once and speaks ROS 2.
//!
//! Data flows one way: world file -> scene -> state -> forces -> dynamics -> sensors -> ROS. A module names
//! only modules above it in this list; `test/tidy.rs` enforces that.

pub mod contact;
pub mod control;
pub mod dynamics;
pub mod environment;
pub mod forces;
pub mod kinematics;
pub mod math;
pub mod river;
pub mod ros;
pub mod scene;
pub mod sensors;
pub mod sim;
pub mod sites;
pub mod state;
pub mod validate;
pub mod world;
