//! What changes during a task; a part of the state of a run.

use crate::law::Report;
use crate::registry::LawState;
use merrow_math::Vec3;
use merrow_persist::Persist;

/// Phases of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub enum Phase {
    /// Before the task.
    #[default]
    Initial,
    /// The goals are known.
    Ready,
    /// The robots are scored.
    Running,
    /// All robots have finished, or the time is over.
    Finished,
}

impl Phase {
    /// Returns the word for the phase.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Ready => "ready",
            Self::Running => "running",
            Self::Finished => "finished",
        }
    }
}

/// State of the task of a world.
#[derive(Clone, Debug, Persist)]
pub struct TaskState {
    /// Start of the task [ns].
    pub start_ns: u64,
    /// Time of the last tick [ns]; the start before the first one.
    pub last_ns: u64,
    /// Time of the next tick [ns].
    pub next_ns: u64,
    /// Current phase.
    pub phase: Phase,
    /// Whether the time was over before all robots finished.
    pub timed_out: bool,
    /// Time at which the task finished [ns].
    pub finished_ns: Option<u64>,
    /// One entry per robot of the task.
    pub robots: Vec<RobotRun>,
    /// Events, oldest first.
    pub events: Vec<Event>,
}

/// What one robot has done.
#[derive(Clone, Debug, Persist)]
pub struct RobotRun {
    /// State of the law.
    pub law: LawState,
    /// Score without the penalties that are added at the end.
    pub score: f64,
    /// Penalties that are added to a score of which lower values are better.
    pub penalty: f64,
    /// Penalty of the time.
    pub time_penalty: f64,
    /// What it has touched first since the last tick, if that is a collision.
    pub touched: Option<String>,
    /// Number of collisions.
    pub collisions: u32,
    /// Time of the last collision [ns].
    pub last_collision_ns: Option<u64>,
    /// Whether it is outside of the boundary.
    pub is_outside: bool,
    /// Time at which it finished [ns].
    pub finished_ns: Option<u64>,
    /// Reports since the last tick.
    pub reports: Vec<Report>,
    /// In a replay, the parts that the recording has as done; `None` in a run, where the law knows.
    pub recorded: Option<RecordedParts>,
}

/// Parts of a task in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct RecordedParts {
    /// Number of parts that are done.
    pub done: u32,
    /// Place of the next part in W [m], if it has one.
    pub next: Option<Vec3>,
}

impl RobotRun {
    /// Returns the sum of the penalties that are added to a score of which lower values are better, in
    /// the unit of the score.
    pub fn penalties(&self) -> f64 {
        self.penalty + self.time_penalty
    }
}

/// Something that happened during a task.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Event {
    /// Time [ns].
    pub time_ns: u64,
    /// Index of the robot among the robots of the task; `None` for the task itself.
    pub robot: Option<u32>,
    /// What happened.
    pub text: String,
}

impl Event {
    /// Maximum number of events that are kept.
    pub const MAX: usize = 1000;
}
