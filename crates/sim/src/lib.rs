//! Simulation of a world: the step of a robot, blocks of steps, the run loop and its clock, robot
//! controllers and sensor scheduling.

pub mod control;
mod instants;
pub mod pace;
pub mod report;
pub mod robot;
pub mod run;
pub mod sensors;
mod simd_batch;
pub mod simulation;
pub mod step;
pub mod tethers;

pub use crate::pace::{Clock, Pace};
pub use crate::run::{BLOCK_MAX_NS, Control, Observer, Reply, Request, Stepped, Summary, run};
pub use crate::simulation::Simulation;
