//! Commands to robots by keyboard and sliders: actuators and limits.

pub mod actuators;
pub mod limits;
