//! Computers of robots: schedule, deadlines and response times of tasks.

use crate::report::page::{Bars, Cell, cells, figures, table};
use crate::report::{Item, Section, text};
use crate::schedule::{TASK_ACTIVITIES, intervals};
use crate::type_name;
use merrow_ros2::dynamic::value::Value;
use std::collections::BTreeMap;

/// Data of all computers.
#[derive(Debug, Default)]
pub(super) struct Computers {
    bars: Bars,
    /// Rows of the last status of each computer, by topic.
    tasks: BTreeMap<String, Vec<Vec<Cell>>>,
}

impl Computers {
    /// Adds a message about a computer.
    pub(super) fn add(&mut self, item: &Item<'_>) {
        let topic = item.topic.name.as_str();
        let computer = topic
            .rsplit_once('/')
            .map_or(topic, |(computer, _)| computer);
        let computer = computer.trim_start_matches('/');
        if type_name(item.topic) == "merrow_msgs/msg/ComputerStatus" {
            let rows = item
                .value
                .list("tasks")
                .iter()
                .map(|task| task_row(computer, task));
            self.tasks.insert(computer.to_owned(), rows.collect());
            return;
        }
        for interval in intervals(topic, item.value) {
            self.bars.add(interval);
        }
    }

    /// Returns the section of the computers; `None` without their messages.
    pub(super) fn section(self) -> Option<Section> {
        let title = "Schedule of the computers";
        let mut html = figures(self.bars.draw(title, &TASK_ACTIVITIES)) + &self.bars.note();
        let head = "task | released jobs | completed jobs | missed deadlines | skipped releases | \
            dropped inputs | mean response time [ms] | longest response time [ms] | load [%]";
        html += &table(head, self.tasks.into_values().flatten());
        (!html.is_empty()).then(|| Section::new("Computers", html))
    }
}

/// Returns the row of a task of `computer`.
fn task_row(computer: &str, task: &Value<'_>) -> Vec<Cell> {
    let number = |path| task.number_at(path).unwrap_or(f64::NAN);
    cells! {
        format!("{computer}/{}", text(task, "task"));
        number("released"), 0;
        number("completed"), 0;
        number("missed_deadlines"), 0;
        number("skipped"), 0;
        number("dropped_inputs"), 0;
        1e3 * number("mean_response"), 2;
        1e3 * number("max_response"), 2;
        100.0 * number("load"), 1;
    }
}
