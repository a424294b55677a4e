//! Computers of a robot, their tasks, and what passes through the tasks.

use crate::scene::comms::ClockError;
use crate::scene::nanoseconds::Nanoseconds;
use merrow_math::rng::Stream;
use merrow_yaml::spec::spec;

/// Maximum number of tasks of a computer.
pub const MAX_TASKS: usize = 64;

/// Computers of a robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OnboardComputers {
    /// The computers, in the order of the file.
    pub computers: Vec<Computer>,
    /// Task that runs the firmware; `None`: the firmware runs at its rate without delay.
    pub firmware: Option<TaskIndex>,
    /// Task that the commands of other programs pass through; `None`: they take effect at once.
    pub commands: Option<TaskIndex>,
    /// For each sensor of the robot, the task that its readings pass through.
    pub sensors: Vec<Option<TaskIndex>>,
}

/// Indices that select a task of a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskIndex {
    /// Index of the computer on its robot.
    pub computer: usize,
    /// Index of the task on its computer.
    pub task: usize,
}

/// Computer with a real-time kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Computer {
    /// Name, unique on its robot.
    pub name: String,
    /// Number of processors that share the tasks.
    pub processors: usize,
    /// Rule for the choice of the jobs that run.
    pub scheduling: Scheduling,
    /// Whether a job interrupts a running job that is less urgent.
    pub preemptive: bool,
    /// Error of the clock that releases periodic tasks.
    pub clock: ClockError,
    /// The tasks, in the order of the file.
    pub tasks: Vec<Task>,
}

spec! {
    /// Rule for the choice of the jobs that run.
    pub enum Scheduling words {
        /// The task with the largest priority first.
        FixedPriority = "fixed_priority",
        /// The task with the shortest relative deadline first.
        DeadlineMonotonic = "deadline_monotonic",
        /// The job with the earliest absolute deadline first.
        EarliestDeadlineFirst = "earliest_deadline_first",
    }
}

/// Task of a computer. Each release of the task is a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Name, unique on its computer.
    pub name: String,
    /// Rule for the releases.
    pub activation: Activation,
    /// Time from the release to the deadline [ns]; `None`: no deadline.
    pub deadline_ns: Option<u64>,
    /// Priority for [`Scheduling::FixedPriority`]; larger first.
    pub priority: i32,
    /// Processor time of a job.
    pub execution: ExecutionTime,
    /// Maximum number of jobs that are not completed.
    pub max_jobs: usize,
    /// Random numbers of the execution times.
    pub stream: Stream,
}

/// Rule for the releases of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// Released at `offset_ns + k period_ns` of the clock of the computer.
    Periodic {
        /// Interval between two releases [ns].
        period_ns: u64,
        /// Reading of the clock at the first release [ns].
        offset_ns: u64,
    },
    /// Released by each reading, command or message that passes through the task.
    Message,
    /// Released by each completed job of another task of the computer.
    After {
        /// Index of the other task.
        task: usize,
    },
}

spec! {
    /// Processor time of a job.
    pub enum ExecutionTime plain {
        /// The same time for every job.
        Constant = "constant" {
            /// Processor time of a job.
            time_s: Nanoseconds [in 0.0..=1e5],
        },
        /// Uniform distribution between two times.
        Uniform = "uniform" {
            /// Minimum and maximum of the distribution.
            range_s: [Nanoseconds; 2] [in 0.0..=1e5],
        },
        /// Normal distribution, limited from below.
        Normal = "normal" {
            /// Mean of the distribution before the limit.
            mean_s: f64 [in 0.0..=1e5],
            /// Standard deviation of the distribution.
            std_s: f64 [in 0.0..=1e5],
            /// Minimum; shorter times become this time.
            min_s: Nanoseconds [in 0.0..=1e5] = Nanoseconds(0),
        },
        /// Exponential distribution above a minimum.
        Exponential = "exponential" {
            /// Mean, including the minimum.
            mean_s: f64 [in 0.0..=1e5],
            /// Minimum of the distribution.
            min_s: Nanoseconds [in 0.0..=1e5] = Nanoseconds(0),
        },
        /// Measured times, one after the other, from the first again after the last.
        Trace = "trace" {
            /// Processor times of successive jobs.
            times_s: Vec<Nanoseconds> [in 0.0..=1e5, not_empty],
        },
    }
}

impl ExecutionTime {
    /// Returns the shortest processor time of a job [ns].
    pub fn min_ns(&self) -> u64 {
        match self {
            Self::Constant { time_s } => time_s.0,
            Self::Uniform { range_s: [min, _] } => min.0,
            Self::Normal { min_s, .. } | Self::Exponential { min_s, .. } => min_s.0,
            Self::Trace { times_s } => times_s.iter().min().map_or(0, |time| time.0),
        }
    }
}

impl Activation {
    /// Returns the number of the first periodic release at or after the reading `clock_ns` [ns] of
    /// the clock.
    pub fn first_release(&self, clock_ns: i64) -> u64 {
        match *self {
            Self::Periodic {
                period_ns,
                offset_ns,
            } => {
                let since = clock_ns.saturating_sub(offset_ns.cast_signed());
                since.max(0).cast_unsigned().div_ceil(period_ns)
            }
            _ => 0,
        }
    }
}

impl OnboardComputers {
    /// Returns the task that the indices select. Panics if the robot has no such task.
    pub fn task(&self, index: TaskIndex) -> &Task {
        &self.computers[index.computer].tasks[index.task]
    }
}
