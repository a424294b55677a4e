//! Keys of the computers of a robot and their tasks.

use merrow_model::scene::comms::ClockError;
use merrow_model::scene::computer::{ExecutionTime, Scheduling};
use merrow_yaml::read::NamedMap;
use merrow_yaml::spec::spec;

spec! {
    /// Computer of a robot with a real-time kernel.
    pub struct ComputerConfig {
        /// Number of processors that share the tasks.
        processors: u32 [in 1.0..=64.0] = 1,
        /// Rule for the choice of the jobs that run.
        scheduling: Scheduling = Scheduling::FixedPriority,
        /// Whether a job interrupts a running job that is less urgent.
        preemptive: bool = true,
        /// Error of the clock that releases periodic tasks.
        clock: ClockError => "{}",
        /// Tasks of the computer, by name.
        tasks: NamedMap<TaskConfig>,
    }

    /// Task of a computer, and what passes through it.
    pub struct TaskConfig {
        /// Rule for the releases of the task.
        activation: ActivationConfig,
        /// Time from the release to the deadline. Default: the period of a periodic task; no
        /// deadline for other tasks.
        deadline_s: Option<f64> [positive],
        /// Priority for `fixed_priority`; larger first.
        priority: u32 [in 0.0..=1000000.0] = 0,
        /// Processor time of a job.
        execution: ExecutionTime,
        /// Maximum number of jobs that are not completed. Further releases of a periodic task are
        /// skipped; a further input replaces the oldest waiting one. Default: 10 for inputs, 1
        /// otherwise.
        max_jobs: Option<u32> [in 1.0..=1000.0],
        /// Whether a job runs the firmware of the robot: it reads the motion at its start and sets
        /// the actuators at its end.
        runs_firmware: bool = false,
        /// Whether the commands of other programs to actuators and firmware pass through the task.
        commands: bool = false,
        /// Names of the sensors whose readings pass through the task.
        sensors: Vec<String> = Vec::new(),
        /// Names of the modems of the robot whose received messages pass through the task.
        modems: Vec<String> = Vec::new(),
    }

    /// Rule for the releases of a task.
    pub enum ActivationConfig {
        /// Released in equal intervals of the clock of the computer.
        Periodic = "periodic" {
            /// Interval between two releases. Default for a task that runs the firmware: the period
            /// of the firmware.
            period_s: Option<f64> [in 1e-5..=1e5],
            /// Reading of the clock at the first release.
            offset_s: f64 [in 0.0..=1e6] = 0.0,
        },
        /// Released by each reading, command or message that passes through the task.
        Message = "message",
        /// Released by each completed job of another task of the computer.
        After = "after" {
            /// Name of the other task.
            task: String [not_empty],
        },
    }
}
