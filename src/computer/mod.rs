//! Topics of the computers of robots: `<robot>/<computer>/status` and `schedule`.

use crate::node::states::ComputerCondition;
use crate::topics::{Content, Output, STATUS_RATE, encoder};
use merrow_messages::convert::{header, time};
use merrow_messages::msg::{ComputerStatus, TaskInterval, TaskSchedule, TaskStatus};
use merrow_model::scene::Robot;
use merrow_model::scene::computer::Computer;
use merrow_model::state::computer::{TaskActivity, TaskInterval as Interval};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::message::Message;
use merrow_sim::Simulation;
use std::sync::Arc;

/// Schedule traces of one block of steps, and the states of tasks.
#[derive(Debug, Default)]
pub struct ComputerBatch {
    /// Ended intervals of all computers.
    pub intervals: Vec<Interval>,
    /// For each robot and computer, its condition, if due.
    pub states: Option<Vec<Vec<ComputerCondition>>>,
}

impl ComputerBatch {
    /// Reads the traces of a simulation; `has_status`: also the states. `None` without data.
    pub fn read(simulation: &Simulation, has_status: bool) -> Option<Box<Self>> {
        let robots = &simulation.state.robots;
        let has_status = has_status && robots.iter().any(|robot| !robot.computers.is_empty());
        if simulation.task_intervals.is_empty() && !has_status {
            return None;
        }
        Some(Box::new(Self {
            intervals: simulation.task_intervals.clone(),
            states: has_status.then(|| ComputerCondition::read(simulation)),
        }))
    }
}

/// Adds the topics of the computers of robot `i`, relative to its namespace.
pub(crate) fn add_topics(i: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    let computers = robot.onboard.iter().flat_map(|onboard| &onboard.computers);
    for (k, computer) in computers.enumerate() {
        let topic = |what: &str| format!("{}/{}/{what}", robot.name, computer.name);
        let own = computer.clone();
        let content = Content::Computers(encoder(move |moment, all: &[Vec<_>]| {
            status(&own, &all[i][k], moment.now_ns)
        }));
        let states = Output::new(topic("status"), ComputerStatus::info(), content);
        outputs.push(states.at_rate(STATUS_RATE).local());
        let own = computer.clone();
        let content = Content::Intervals(Arc::new(move |moment, all| {
            let trace = schedule(&own, [i, k], all, moment.now_ns);
            let trace = trace.map(|trace| (moment.now_ns, to_bytes(&trace)));
            trace.into_iter().collect()
        }));
        outputs.push(Output::new(topic("schedule"), TaskSchedule::info(), content).local());
    }
}

/// Builds the status of a computer at `now_ns` [ns]; the load is the mean since the start.
pub(crate) fn status(
    computer: &Computer,
    condition: &ComputerCondition,
    now_ns: u64,
) -> ComputerStatus {
    let states = &condition.tasks;
    let load = |busy_ns: u64, processors: usize| {
        busy_ns as f64 / (now_ns.max(1) as f64 * processors as f64)
    };
    let busy_ns = states.iter().map(|(_, counts)| counts.busy_ns).sum();
    let tasks = computer.tasks.iter().zip(states);
    ComputerStatus {
        header: header(now_ns, ""),
        load: load(busy_ns, computer.processors),
        fault: condition.fault.clone(),
        tasks: tasks
            .map(|(task, (activity, counts))| TaskStatus {
                task: task.name.clone(),
                activity: activity_name(*activity).to_string(),
                released: counts.released,
                completed: counts.completed,
                missed_deadlines: counts.missed,
                skipped: counts.skipped,
                dropped_inputs: counts.dropped,
                mean_response: 1e-9 * counts.response_ns as f64 / counts.completed.max(1) as f64,
                max_response: 1e-9 * counts.max_response_ns as f64,
                load: load(counts.busy_ns, 1),
            })
            .collect(),
    }
}

/// Builds the schedule trace of a computer from the `intervals` of all; `None` without intervals.
pub(crate) fn schedule(
    computer: &Computer,
    [robot, index]: [usize; 2],
    intervals: &[Interval],
    now_ns: u64,
) -> Option<TaskSchedule> {
    let is_own = |i: &&Interval| i.robot == robot && i.task.computer == index;
    let own: Vec<TaskInterval> = intervals
        .iter()
        .filter(is_own)
        .map(|interval| TaskInterval {
            task: computer.tasks[interval.task.task].name.clone(),
            activity: activity_name(interval.activity).to_string(),
            start: time(interval.start_ns),
            end: time(interval.end_ns),
        })
        .collect();
    (!own.is_empty()).then(|| TaskSchedule {
        header: header(now_ns, ""),
        intervals: own,
    })
}

/// Returns the name of an activity in messages.
fn activity_name(activity: TaskActivity) -> &'static str {
    match activity {
        TaskActivity::Idle => "idle",
        TaskActivity::Ready => "ready",
        TaskActivity::Running => "running",
    }
}
