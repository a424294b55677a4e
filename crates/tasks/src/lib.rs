//! Tasks of a world and their scores: what a robot has to do, when, and how well it did.
//!
//! A world file declares one task. [`task::Task`] has what all kinds share: phases, start zone,
//! collisions, boundary, time limits, several robots and events. A kind of task is one file of
//! [`kinds`] with its keys, its state, its law and its tests; `each_task!` lists the kinds.
//!
//! A task reads true poses and contacts and has no effect on the motion. Its state is a part of the
//! state of a run, so that a checkpoint resumes it.
//!
//! The crate knows neither the scene nor the state of a simulation: names are resolved through
//! [`law::Names`], and a law sees the world through [`law::Truth`]. A law can therefore be evaluated
//! on any trajectory.
//!
//! # Example
//! ```
//! use merrow_tasks::geometry::pose_error;
//!
//! // 2 m beside the goal with a heading error of 0.5 rad
//! let error = pose_error(2.0, Some(0.5), 0.75);
//! assert_eq!(error, 2.0 + 0.75 * 0.75 * 0.5);
//! ```

#![forbid(unsafe_code)]

pub mod geometry;
pub mod keys;
pub mod kinds;
pub mod law;
pub mod registry;
pub mod result;
pub mod state;
pub mod task;
#[cfg(test)]
mod vrx;

pub use crate::law::{Report, TaskLaw, Tick, Truth};
pub use crate::registry::{Law, LawState, TaskKind};
pub use crate::state::{Event, Phase, RecordedParts, RobotRun, TaskState};
pub use crate::task::Task;
