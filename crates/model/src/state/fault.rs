//! State of faults, and their effect on a device in a step.

use crate::persist::Persist;
use crate::scene::fault::Fault;

/// Past, present or future fault.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct FaultState {
    /// Device, kind and schedule of the fault.
    pub fault: Fault,
    /// True while an intermittent fault is in its failing phase.
    pub failing: bool,
    /// Time of the next change of phase [ns].
    pub turns_ns: u64,
    /// Number of changes of phase so far; index of the next random draw.
    pub turns: u64,
    /// Water volume that has entered through a leak [m³].
    pub water: f64,
}

impl FaultState {
    /// Creates the state before the start of the fault.
    pub fn new(fault: &Fault) -> Self {
        Self {
            fault: fault.clone(),
            failing: false,
            turns_ns: fault.start_ns,
            turns: 0,
            water: 0.0,
        }
    }

    /// Returns true if the fault is active at `now_ns` [ns]. The water of a leak remains after the
    /// end of the leak.
    #[inline]
    pub fn is_active(&self, now_ns: u64) -> bool {
        self.fault.start_ns <= now_ns && now_ns < self.fault.end_ns
    }
}
