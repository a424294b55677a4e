//! Scheduling and execution of exteroceptive sensors.

pub(crate) mod cpu_meter;
pub mod current_frame;
pub(crate) mod dispatcher;
pub mod frame_recorder;
pub(crate) mod priority;
pub mod scheduler;
pub mod worker;
pub mod world_view;
