//! Progress of a run, shared by the action servers and the run.

use merrow_model::state::State;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Progress of the run, shared by the action servers and the run.
#[derive(Debug, Default)]
pub struct Progress {
    /// Simulation time of the state [ns].
    pub now_ns: Arc<AtomicU64>,
    /// Newest goal number that was assigned.
    pub newest: AtomicU64,
    /// Newest number of a client's goal that the run has processed.
    pub applied: AtomicU64,
}

impl Progress {
    /// Returns the progress of a run that starts with `state`. New goals have higher numbers than
    /// the goals of the state.
    pub fn from_state(state: &State) -> Self {
        let groups = state.robots.iter().flat_map(|robot| &robot.groups);
        let goals = groups.flat_map(|group| [group.goal, group.previous_goal]);
        let newest = goals.flatten().map(|goal| goal.id).max().unwrap_or(0);
        Self {
            now_ns: Arc::new(AtomicU64::new(state.time_ns)),
            newest: AtomicU64::new(newest),
            applied: AtomicU64::new(newest),
        }
    }
}
