//! End of a run with the task of its world: `--until-finished`.

use merrow::topics::STATUS_RATE;
use merrow_sim::{BlockLimit, Control, Observer, Simulation};
use merrow_tasks::TaskState;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Time from the end of the task to the end of the run [ns]: the topics and the recording contain
/// the result.
const AFTER_NS: u64 = (1e9 / STATUS_RATE) as u64;

/// Ends a run after its task.
pub(super) struct TaskEnd(Arc<AtomicBool>);

impl TaskEnd {
    /// Creates the observer, which sets `stop` at the end.
    ///
    /// # Errors
    /// The world has no task.
    pub(super) fn new(simulation: &Simulation, stop: &Arc<AtomicBool>) -> Result<Self, String> {
        match simulation.state.task.0 {
            Some(_) => Ok(Self(Arc::clone(stop))),
            None => Err(
                "--until-finished: the world has no task; remove the option, use --for, or add the \
                 key `task` to the world"
                    .to_string(),
            ),
        }
    }

    /// Returns the time at which the run can end next [ns].
    fn next_ns(task: &TaskState) -> u64 {
        task.finished_ns
            .map_or(task.next_ns, |finished| finished + AFTER_NS)
    }
}

impl Observer for TaskEnd {
    fn before_block(&mut self, simulation: &mut Simulation, _: Option<Instant>) -> BlockLimit {
        let Some(task) = &simulation.state.task.0 else {
            return BlockLimit::Steps(u64::MAX);
        };
        // the end does not depend on the lengths of the blocks, so that equal runs have equal states
        let left_ns = Self::next_ns(task).saturating_sub(simulation.time_ns());
        BlockLimit::Steps(left_ns.div_ceil(simulation.scene.dt_ns).max(1))
    }

    fn after_block(&mut self, simulation: &Simulation, _: &Control) {
        let Some(task) = &simulation.state.task.0 else {
            return;
        };
        if task.finished_ns.is_some() && simulation.time_ns() >= Self::next_ns(task) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}
