//! Simulation of a world: the step of a robot, blocks of steps, the run loop and its clock, robot
//! controllers and sensor scheduling.
//!
//! # Example
//! ```
//! use merrow_sim::Simulation;
//! use merrow_world::{Overrides, load_text};
//! use std::sync::Arc;
//!
//! let world = load_text(
//!     "sinking.yaml",
//!     "step: {dt_s: 0.01}
//! seabed: {depth_m: 100}
//! robots:
//!   stone:
//!     position_m: [0, 0, -5]
//!     model:
//!       source: example
//!       body:
//!         source: example
//!         axes: flu
//!         mass_kg: 10
//!         inertia_kg_m2: {xx: 0.1, yy: 0.1, zz: 0.1}
//!         net_buoyancy_n: -20
//! ",
//!     Overrides::default(),
//! )
//! .map_err(|problems| problems.to_string())?;
//!
//! let mut simulation = Simulation::new(Arc::new(world.scene), 1)?;
//! simulation.advance(50);
//! assert_eq!(simulation.time_ns(), 500_000_000);
//! // without damping and added mass the acceleration is 2 m/s²
//! let z = simulation.state.robots[0].motion.p_WB.z;
//! assert!((z + 5.0 + 0.5 * 2.0 * 0.5 * 0.5).abs() < 1e-6);
//! # Ok::<(), String>(())
//! ```

mod agenda;
pub mod bridge_source;
mod bridges;
pub mod checkpoint;
mod communication;
pub mod computers;
pub mod control;
mod environment_cache;
mod free_pose;
mod late_start;
mod modem_fix;
pub mod pace;
mod parallel;
mod replace;
pub mod report;
pub mod robot;
pub mod run;
pub mod sensors;
mod shaft_speeds;
pub mod simulation;
pub mod step;
mod task;
pub mod tethers;

pub use crate::bridges::{bridged_call, bridged_message};
pub use crate::pace::{Clock, Pace};
pub use crate::run::{
    Access, BLOCK_MAX_NS, BlockLimit, Control, InputMessage, Observer, Reply, Request, RunStatus,
    StepResult, Summary, run,
};
pub use crate::simulation::{Replay, SceneVersion, Simulation};
