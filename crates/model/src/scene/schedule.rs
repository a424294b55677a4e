//! Commands that the world file schedules.

use crate::state::commands::Command;
use std::sync::Arc;

/// Command at a given time.
#[derive(Clone, Debug)]
pub struct ScheduledCommand {
    /// Name of the entry in the world file.
    pub name: Arc<str>,
    /// Time at which it is applied, at the start of the next step [ns].
    pub time_ns: u64,
    /// Command that is applied.
    pub command: Command,
}
