//! Memory of faults, and what they do to a device in a step.

use crate::scene::Fault;

/// A fault that has been, is or will be.
#[derive(Clone, Debug, PartialEq)]
pub struct FaultState {
    /// The fault.
    pub fault: Fault,
    /// True while an intermittent fault fails.
    pub failing: bool,
    /// When it turns next [ns].
    pub turns_ns: u64,
    /// Turns so far: index of the next draw.
    pub turns: u64,
    /// Water that has come in through a leak [m³].
    pub water: f64,
}

impl FaultState {
    /// As a fault begins.
    pub fn new(fault: &Fault) -> Self {
        Self {
            fault: fault.clone(),
            failing: false,
            turns_ns: fault.start_ns,
            turns: 0,
            water: 0.0,
        }
    }

    /// True if it acts at `now_ns`. What came in through a leak stays when the leak has ended.
    pub fn is_active(&self, now_ns: u64) -> bool {
        self.fault.start_ns <= now_ns && now_ns < self.fault.end_ns
    }
}

/// What the faults of a device do to it in a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// It does nothing.
    pub dead: bool,
    /// It goes on with what it had.
    pub stuck: bool,
    /// Part that is left, 0..1.
    pub part: f64,
    /// What is added, in the unit of the device.
    pub offset: f64,
    /// Standard deviation of what is added to each sample of a sensor.
    pub noise: f64,
}

impl Effect {
    /// Nothing is wrong.
    pub const NONE: Self = Self {
        dead: false,
        stuck: false,
        part: 1.0,
        offset: 0.0,
        noise: 0.0,
    };
}
