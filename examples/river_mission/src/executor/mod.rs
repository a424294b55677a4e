//! Executors, which connect nodes to the network and pass them messages, times and responses.
//!
//! [`lock_step`] runs all nodes of a mission in one process, in step with a simulated world, with the
//! same bits in every run. [`real_time`] runs any of the nodes on any ROS machine.

use std::fmt;
use std::time::Duration;

mod dispatch;
pub mod lock_step;
mod network;
pub mod real_time;
pub mod signals;

/// Reason why a mission could not start or continue: one line for the user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExecutorError(pub String);

impl ExecutorError {
    /// Returns an error with this text.
    pub fn new(text: impl fmt::Display) -> Self {
        Self(text.to_string())
    }
}

/// Longest wall time in which other nodes have to appear.
pub(crate) const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(20);

/// What an executor asks and tells its caller.
pub trait Supervisor {
    /// Returns whether the mission has ended, after the inputs of a time [ns] were handled.
    fn is_done(&mut self, now_ns: u64) -> bool;

    /// Checks what the mission depends on, such as the process of the simulator. It is called
    /// several times a second, also while the executor waits.
    ///
    /// # Errors
    /// One line: the mission cannot continue.
    fn check(&mut self) -> Result<(), String>;

    /// Takes a line that a node reports, with the time [ns] and the name of the node.
    fn report(&mut self, now_ns: u64, node: &str, line: &str);
}
