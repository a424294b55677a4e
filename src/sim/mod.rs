//! The step, the block of steps, and the clock that paces them.

pub mod afloat;
pub mod cost;
mod instants;
mod looker;
pub mod lookout;
pub mod pace;
pub mod robot;
pub mod run;
mod sight;
pub mod simulation;
mod squad;
pub mod step;
pub mod tethers;
pub mod watch;

pub use pace::{Clock, Pace};
pub use run::{BLOCK_MAX_NS, Control, Observer, Reply, Request, Stepped, Summary, run};
pub use simulation::Simulation;
