//! Messages of the computers of robots.

use merrow_ros2::message::ros_message;
use merrow_ros2::msg::builtin_interfaces::Time;
use merrow_ros2::msg::std_msgs::Header;

ros_message! {
    /// State of a task of a computer. Counts are since the start of the run.
    pub struct TaskStatus("merrow_msgs/msg/TaskStatus") {
        /// Name of the task.
        task: String,
        /// Activity: idle, ready, running.
        activity: String,
        /// Number of released jobs.
        released: u64,
        /// Number of completed jobs.
        completed: u64,
        /// Number of jobs that were not completed at their deadline.
        missed_deadlines: u64,
        /// Number of releases without a job, because too many jobs were not completed.
        skipped: u64,
        /// Number of inputs that were discarded, because too many waited.
        dropped_inputs: u64,
        /// Mean time from release to completion \[s\].
        mean_response: f64,
        /// Longest time from release to completion \[s\].
        max_response: f64,
        /// Processor time that the jobs need over the time since the start of the run.
        load: f64,
    }

    /// State of a computer of a robot.
    pub struct ComputerStatus("merrow_msgs/msg/ComputerStatus") {
        /// Time of the status.
        header: Header,
        /// Processor time that all jobs need over the processor time since the start of the run.
        load: f64,
        /// States of the tasks.
        tasks: Vec<TaskStatus>,
        /// Kinds of the active faults, separated by commas; empty: none.
        fault: String,
    }

    /// Interval in which a task waits for a processor or runs.
    pub struct TaskInterval("merrow_msgs/msg/TaskInterval") {
        /// Name of the task.
        task: String,
        /// Activity of the task: ready, running.
        activity: String,
        /// Start of the interval.
        start: Time,
        /// End of the interval.
        end: Time,
    }

    /// Intervals that ended since the last message.
    pub struct TaskSchedule("merrow_msgs/msg/TaskSchedule") {
        /// Time of the message.
        header: Header,
        /// The intervals, by their end.
        intervals: Vec<TaskInterval>,
    }
}
