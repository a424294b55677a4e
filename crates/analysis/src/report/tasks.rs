//! Section about the task of a run: the score over time, the result of each robot, the events.

use crate::report::page::{cells, curves, figures, paragraph, table};
use crate::report::{Item, Section, text};
use merrow_ros2::dynamic::value::Value;
use std::collections::BTreeMap;

/// Maximum number of events in the table.
const MAX_EVENTS: usize = 200;
/// Words for the phases, by their numbers.
const PHASES: [&str; 4] = ["initial", "ready", "running", "finished"];

/// State of a task over a run.
#[derive(Debug, Default)]
pub(super) struct Task {
    /// Time and score.
    scores: Vec<[f64; 2]>,
    /// Time [s] and score of each robot.
    robots: BTreeMap<String, Vec<[f64; 2]>>,
    last: Option<Last>,
}

/// The last message.
#[derive(Debug)]
struct Last {
    name: String,
    kind: String,
    phase: &'static str,
    elapsed: f64,
    is_timed_out: bool,
    is_higher_better: bool,
    /// Name, score, penalty, collisions, parts that are done and all parts, values by name.
    robots: Vec<(String, [f64; 5], String)>,
    /// Time [s], robot and text.
    events: Vec<(f64, String, String)>,
}

impl Task {
    pub(super) fn add(&mut self, item: &Item<'_>) {
        let value = item.value;
        let number = |value: &Value<'_>, field: &str| value.number_at(field).unwrap_or(f64::NAN);
        self.scores.push([item.time, number(value, "score")]);
        for robot in value.list("robots") {
            let scores = self
                .robots
                .entry(text(robot, "robot").to_owned())
                .or_default();
            scores.push([item.time, number(robot, "score")]);
        }
        let robots = value.list("robots").iter().map(|robot| {
            let fields = ["score", "penalty", "collisions", "done", "parts"];
            (
                text(robot, "robot").to_owned(),
                fields.map(|field| number(robot, field)),
                figures_text(robot),
            )
        });
        let events = value.list("events").iter().map(|event| {
            let time = number(event, "stamp");
            let [robot, what] = ["robot", "event"].map(|field| text(event, field).to_owned());
            (time, robot, what)
        });
        let phase = value.number_at("phase").map_or(0, |phase| phase as usize);
        self.last = Some(Last {
            name: text(value, "name").to_owned(),
            kind: text(value, "kind").to_owned(),
            phase: PHASES.get(phase).copied().unwrap_or("unknown"),
            elapsed: number(value, "elapsed_time"),
            is_timed_out: number(value, "timed_out") == 1.0,
            is_higher_better: number(value, "higher_is_better") == 1.0,
            robots: robots.collect(),
            events: events.collect(),
        });
    }

    pub(super) fn section(&self) -> Option<Section> {
        let last = self.last.as_ref()?;
        let [_, score] = *self.scores.last()?;
        let better = if last.is_higher_better {
            "higher"
        } else {
            "lower"
        };
        let over = if last.is_timed_out {
            ", the time was over"
        } else {
            ""
        };
        let mut html = paragraph(&format!(
            "{} ({}): score {score:.3}, {better} is better; {} after {:.1} s{over}.",
            last.name, last.kind, last.phase, last.elapsed
        ));
        let head = "robot | score | penalties | collisions | parts done | parts | values";
        let rows = last.robots.iter().map(|(name, numbers, values)| {
            let [score, penalty, collisions, done, parts] = *numbers;
            cells! {
                name; score, 3; penalty, 3; collisions, 0; done, 0; parts, 0; values;
            }
        });
        html += &table(head, rows);
        let series = match self.robots.len() {
            1 => vec![(String::new(), self.scores.clone())],
            _ => self
                .robots
                .iter()
                .map(|(name, scores)| (name.clone(), scores.clone()))
                .collect(),
        };
        html += &figures(curves("Task", vec![("score", series)]));
        let events = last.events.iter().take(MAX_EVENTS);
        html += &table(
            "time [s] | robot | event",
            events.map(|(time, robot, what)| cells! { *time, 2; robot; what; }),
        );
        if last.events.len() > MAX_EVENTS {
            let more = last.events.len() - MAX_EVENTS;
            html += &paragraph(&format!("{more} more events are omitted."));
        }
        Some(Section::new("Task", html))
    }
}

/// Returns the values that the score is computed from, with their names.
fn figures_text(robot: &Value<'_>) -> String {
    let Some(Value::Numbers(values)) = robot.field("values") else {
        return String::new();
    };
    let names = robot.list("figures").iter().filter_map(Value::text);
    let pairs = names.zip(values.iter()).map(|(name, value)| {
        let number = value.leaf().and_then(|leaf| leaf.number());
        format!("{name} {:.3}", number.unwrap_or(f64::NAN))
    });
    pairs.collect::<Vec<_>>().join(", ")
}
