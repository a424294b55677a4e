//! Scheduling and execution of exteroceptive sensors.

pub mod frame_recorder;
pub mod scheduler;
pub mod worker;
pub mod world_view;
