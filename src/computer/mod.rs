//! Topics of the computers of robots: `<robot>/<computer>/status` and `schedule`.

use crate::topics::{Content, Output};
use merrow_messages::convert::{header, time};
use merrow_messages::msg::{ComputerStatus, TaskInterval, TaskSchedule, TaskStatus};
use merrow_model::scene::Robot;
use merrow_model::scene::computer::Computer;
use merrow_model::state::computer::{
    ComputerState, TaskActivity, TaskInterval as Interval, TaskState,
};
use merrow_ros2::cdr::to_bytes;
use merrow_ros2::message::Message;
use std::sync::Arc;

/// Adds the topics of the computers of robot `i`, relative to its namespace.
pub(crate) fn add_topics(i: usize, robot: &Robot, outputs: &mut Vec<Output>) {
    let computers = robot.onboard.iter().flat_map(|onboard| &onboard.computers);
    for (k, computer) in computers.enumerate() {
        let topic = |what: &str| format!("{}/{}/{what}", robot.name, computer.name);
        let own = computer.clone();
        let states = Output::status(topic("status"), move |moment, all| {
            let fault = &all.computer_faults[i][k];
            status(
                &own,
                &all.state.robots[i].computers[k],
                fault,
                moment.now_ns,
            )
        });
        outputs.push(states.local());
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
    state: &ComputerState,
    fault: &str,
    now_ns: u64,
) -> ComputerStatus {
    let load = |busy_ns: u64, processors: usize| {
        busy_ns as f64 / (now_ns.max(1) as f64 * processors as f64)
    };
    let busy_ns = state.tasks.iter().map(|task| task.counts.busy_ns).sum();
    let tasks = computer.tasks.iter().zip(&state.tasks);
    ComputerStatus {
        header: header(now_ns, ""),
        load: load(busy_ns, computer.processors),
        fault: fault.to_string(),
        tasks: tasks
            .map(
                |(
                    task,
                    TaskState {
                        activity, counts, ..
                    },
                )| TaskStatus {
                    task: task.name.clone(),
                    activity: activity_name(*activity).to_string(),
                    released: counts.released,
                    completed: counts.completed,
                    missed_deadlines: counts.missed,
                    skipped: counts.skipped,
                    dropped_inputs: counts.dropped,
                    mean_response: 1e-9 * counts.response_ns as f64
                        / counts.completed.max(1) as f64,
                    max_response: 1e-9 * counts.max_response_ns as f64,
                    load: load(counts.busy_ns, 1),
                },
            )
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
