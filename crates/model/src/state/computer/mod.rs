//! State of the computers of a robot.

pub mod command;

use crate::persist::Persist;
use crate::scene::Robot;
use crate::scene::computer::{Computer, Task, TaskIndex};
use crate::state::comms::Delivery;
use crate::state::comms::modem::ClockState;
use crate::state::computer::command::TaskCommand;
use crate::state::firmware::FirmwareInput;
use crate::state::frames::Frame;
use crate::state::reading::Stamped;
use std::collections::VecDeque;

/// State of a computer.
#[derive(Clone, Debug, Persist)]
pub struct ComputerState {
    /// Time of the last event [ns].
    pub time_ns: u64,
    /// Clock that releases periodic tasks.
    pub clock: ClockState,
    /// One entry per task.
    pub tasks: Vec<TaskState>,
}

/// State of a task.
#[derive(Clone, Debug, Default, Persist)]
pub struct TaskState {
    /// Index of the next periodic release.
    pub next_release: u64,
    /// Jobs that are not completed, in the order of their release. Only the first job runs.
    pub jobs: VecDeque<Job>,
    /// Inputs that the task has not completed, in the order of their arrival.
    pub inputs: VecDeque<Input>,
    /// Number of inputs, from the first, whose releases were processed.
    pub seen: usize,
    /// Number of inputs, from the first, that the running job has taken.
    pub taken: usize,
    /// Input of the firmware that the running job has taken.
    pub firmware: Option<Box<FirmwareInput>>,
    /// Activity of the task since `since_ns`.
    pub activity: TaskActivity,
    /// Time since which the activity has not changed [ns].
    pub since_ns: u64,
    /// Counts since the start of the run.
    pub counts: TaskCounts,
}

/// One execution of a task, from its release to its completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub struct Job {
    /// Simulated time at which the task was released [ns].
    pub release_ns: u64,
    /// Deadline [ns]; `u64::MAX`: none.
    pub deadline_ns: u64,
    /// Remaining processor time at the time of the last event [ns].
    pub remaining_ns: u64,
    /// True from the time that the job first runs, also while it is interrupted.
    pub is_started: bool,
    /// Whether the deadline was counted as missed.
    pub is_late: bool,
}

/// Counts of a task since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub struct TaskCounts {
    /// Number of released jobs.
    pub released: u64,
    /// Number of completed jobs.
    pub completed: u64,
    /// Number of jobs that were not completed at their deadline.
    pub missed: u64,
    /// Number of releases without a job, because too many jobs were not completed.
    pub skipped: u64,
    /// Number of inputs that were discarded, because too many waited.
    pub dropped: u64,
    /// Sum of the times from release to completion [ns].
    pub response_ns: u64,
    /// Longest time from release to completion [ns].
    pub max_response_ns: u64,
    /// Processor time that the released jobs need [ns].
    pub busy_ns: u64,
}

/// Activity of a task in the schedule trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub enum TaskActivity {
    /// The task has no job.
    #[default]
    Idle,
    /// A job waits for a processor, before its start or after an interruption.
    Ready,
    /// A job runs on a processor.
    Running,
}

/// Interval of the schedule trace of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskInterval {
    /// Index of the robot that carries the computer.
    pub robot: usize,
    /// Indices of the computer and of its task.
    pub task: TaskIndex,
    /// Activity of the task during the whole interval.
    pub activity: TaskActivity,
    /// Simulated time at which the activity began [ns].
    pub start_ns: u64,
    /// Simulated time at which the activity ended [ns].
    pub end_ns: u64,
}

/// Data that passes through a task, with the time of its arrival at the task [ns].
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct Input {
    /// Time of the arrival [ns].
    pub arrival_ns: u64,
    /// Content of the input.
    pub data: InputData,
}

/// Content of an input.
#[derive(Clone, Debug, PartialEq, Persist)]
// readings are stored in preallocated queues; boxing would allocate in every step
#[allow(clippy::large_enum_variant)]
pub enum InputData {
    /// Reading of the sensor with this index.
    Reading(usize, Stamped),
    /// Frame of an exteroceptive sensor.
    Frame(Frame),
    /// Command of another program.
    Command(TaskCommand),
    /// Message that a modem received, and its payload.
    Message(Delivery, Vec<u8>),
}

impl ComputerState {
    /// Creates the state of a computer at the start of a run.
    pub fn new(computer: &Computer) -> Self {
        let offset_ns = computer.clock.offset_ns();
        let tasks = computer.tasks.iter();
        Self {
            time_ns: 0,
            clock: ClockState {
                since_ns: 0,
                offset_ns,
                skew: computer.clock.skew(),
            },
            tasks: tasks.map(|task| TaskState::new(task, offset_ns)).collect(),
        }
    }
}

impl TaskState {
    /// Creates the state at the start of a run, when the clock has the reading `clock_ns` [ns].
    fn new(task: &Task, clock_ns: i64) -> Self {
        Self {
            next_release: task.activation.first_release(clock_ns),
            jobs: VecDeque::with_capacity(task.max_jobs),
            ..Self::default()
        }
    }
}

/// Creates the states of the computers of a robot at the start of a run.
pub(crate) fn start_states(robot: &Robot) -> Vec<ComputerState> {
    let computers = robot.onboard.iter().flat_map(|onboard| &onboard.computers);
    computers.map(ComputerState::new).collect()
}
