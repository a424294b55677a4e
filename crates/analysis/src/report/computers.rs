//! Computers of robots: schedule, deadlines and response times of tasks.

use crate::report::page::{Cell, WIDTH, figures, paragraph, table};
use crate::report::{Item, Section, text};
use crate::schedule::{Interval, TASK_ACTIVITIES, draw_schedule, intervals};
use crate::type_name;
use merrow_ros2::dynamic::value::Value;
use std::collections::BTreeMap;

/// Maximum number of bars of the schedule.
const MAX_BARS: usize = 3000;

/// Data of all computers.
#[derive(Debug, Default)]
pub(super) struct Computers {
    intervals: Vec<Interval>,
    /// Number of intervals beyond the maximum.
    excess: usize,
    /// Rows of the last status of each computer, by topic.
    tasks: BTreeMap<String, Vec<Vec<Cell>>>,
}

impl Computers {
    /// Adds a message about a computer.
    pub(super) fn add(&mut self, item: &Item<'_>) {
        let list = |name: &str| item.value.field(name).map_or(&[][..], Value::elements);
        let topic = item.topic.name.as_str();
        let computer = topic
            .rsplit_once('/')
            .map_or(topic, |(computer, _)| computer);
        let computer = computer.trim_start_matches('/');
        if type_name(item.topic) == "merrow_msgs/msg/ComputerStatus" {
            let rows = list("tasks").iter().map(|task| task_row(computer, task));
            self.tasks.insert(computer.to_owned(), rows.collect());
            return;
        }
        for interval in intervals(topic, item.value) {
            if self.intervals.len() < MAX_BARS {
                self.intervals.push(interval);
            } else {
                self.excess += 1;
            }
        }
    }

    /// Returns the section of the computers; `None` without their messages.
    pub(super) fn section(self) -> Option<Section> {
        let title = "Schedule of the computers";
        let drawing = draw_schedule(title, &TASK_ACTIVITIES, &self.intervals, WIDTH);
        let mut html = figures(&drawing.into_iter().collect::<Vec<_>>());
        if self.excess > 0 {
            html += &paragraph(&format!(
                "The schedule ends before {} later intervals.",
                self.excess
            ));
        }
        let rows: Vec<Vec<Cell>> = self.tasks.into_values().flatten().collect();
        if !rows.is_empty() {
            let head = [
                "task",
                "released jobs",
                "completed jobs",
                "missed deadlines",
                "skipped releases",
                "dropped inputs",
                "mean response time [ms]",
                "longest response time [ms]",
                "load [%]",
            ];
            html += &table(&head, &rows);
        }
        (!html.is_empty()).then(|| Section {
            title: "Computers".to_owned(),
            html,
        })
    }
}

/// Returns the row of a task of `computer`.
fn task_row(computer: &str, task: &Value<'_>) -> Vec<Cell> {
    let number = |path| task.number_at(path).unwrap_or(f64::NAN);
    vec![
        Cell::Text(format!("{computer}/{}", text(task, "task"))),
        Cell::number(number("released"), 0),
        Cell::number(number("completed"), 0),
        Cell::number(number("missed_deadlines"), 0),
        Cell::number(number("skipped"), 0),
        Cell::number(number("dropped_inputs"), 0),
        Cell::number(1e3 * number("mean_response"), 2),
        Cell::number(1e3 * number("max_response"), 2),
        Cell::number(100.0 * number("load"), 1),
    ]
}
