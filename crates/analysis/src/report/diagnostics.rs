//! Faults and events: changes of the levels of `/diagnostics`, and warnings of `/rosout`.

use crate::report::page::{cells, paragraph, table};
use crate::report::{Item, Section, text};
use std::collections::{BTreeMap, BTreeSet};

/// Maximum number of events in the table.
const MAX_EVENTS: usize = 300;
/// Maximum number of names whose state is stored.
const MAX_NAMES: usize = 10_000;
/// Level of warnings of `rcl_interfaces/Log`.
const LOG_WARN: f64 = 30.0;
/// Status that every message of the diagnostics of Merrow contains.
const RUN: &str = "merrow: run";

/// Change of a status.
#[derive(Clone, Debug, PartialEq)]
struct Event {
    time: f64,
    name: String,
    level: &'static str,
    message: String,
}

/// Statuses and their changes.
#[derive(Debug, Default)]
pub(super) struct Diagnostics {
    /// Level and message of each name.
    states: BTreeMap<String, (u64, String)>,
    events: Vec<Event>,
    /// Number of events beyond the maximum.
    excess: u64,
}

/// Returns the name of a level of `diagnostic_msgs/DiagnosticStatus`.
fn level_name(level: u64) -> &'static str {
    match level {
        0 => "ok",
        1 => "warning",
        2 => "error",
        3 => "stale",
        _ => "unknown",
    }
}

impl Diagnostics {
    /// Adds a message of diagnostics.
    pub(super) fn add(&mut self, item: &Item<'_>) {
        let mut present = BTreeSet::new();
        for status in item.value.list("status") {
            let name = text(status, "name");
            let level = status.number_at("level").unwrap_or(0.0) as u64;
            present.insert(name);
            self.update(item.time, name, level, text(status, "message"));
        }
        if present.contains(RUN) {
            // Merrow publishes a fault while it is active
            let is_over =
                |name: &&String| name.contains(": fault ") && !present.contains(name.as_str());
            let ended: Vec<String> = self.states.keys().filter(is_over).cloned().collect();
            for name in ended {
                self.states.remove(&name);
                self.push(item.time, &name, level_name(0), "ended");
            }
        }
    }

    /// Adds a warning or an error of a log.
    pub(super) fn add_log(&mut self, item: &Item<'_>) {
        let level = item.value.number_at("level").unwrap_or(0.0);
        if level >= LOG_WARN {
            let level = if level > LOG_WARN { "error" } else { "warning" };
            let (name, message) = (text(item.value, "name"), text(item.value, "msg"));
            self.push(item.time, &format!("log of {name}"), level, message);
        }
    }

    /// Compares a status with the status before. The first status is an event unless it is ok, and
    /// so is a change of the level, or of the message of a warning or an error.
    fn update(&mut self, time: f64, name: &str, level: u64, message: &str) {
        let before = self.states.get(name);
        let is_event = match before {
            None => level > 0,
            Some((old, text)) => *old != level || level > 0 && text != message,
        };
        let is_known = before.is_some();
        if is_event {
            self.push(time, name, level_name(level), message);
        }
        if is_known || self.states.len() < MAX_NAMES {
            self.states
                .insert(name.to_owned(), (level, message.to_owned()));
        }
    }

    fn push(&mut self, time: f64, name: &str, level: &'static str, message: &str) {
        if self.events.len() >= MAX_EVENTS {
            self.excess += 1;
            return;
        }
        self.events.push(Event {
            time,
            name: name.to_owned(),
            level,
            message: message.to_owned(),
        });
    }

    /// Returns the section of the events; `None` without diagnostics.
    pub(super) fn section(&self) -> Option<Section> {
        if self.states.is_empty() && self.events.is_empty() {
            return None;
        }
        let count = |of: u64| {
            self.states
                .values()
                .filter(|(level, _)| *level == of)
                .count()
        };
        let mut html = paragraph(&format!(
            "{} statuses at the end: {} ok, {} warnings, {} errors.",
            self.states.len(),
            count(0),
            count(1),
            count(2) + count(3)
        ));
        let row = |e: &Event| cells! { e.time, 3; e.level; &e.name; &e.message; };
        html += &table(
            "time [s] | level | status | message",
            self.events.iter().map(row),
        );
        if self.excess > 0 {
            html += &paragraph(&format!("{} later events are omitted.", self.excess));
        }
        Some(Section::new("Faults and events", html))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // One event per change. Method: a status that is ok, fails, repeats, and recovers.
    #[test]
    fn changes_of_levels_are_events() {
        let mut diagnostics = Diagnostics::default();
        for (time, level, message) in [
            (0.0, 0, "100 %"),
            (1.0, 0, "99 %"),
            (2.0, 2, "empty"),
            (3.0, 2, "empty"),
            (4.0, 2, "cut off"),
            (5.0, 0, "50 %"),
        ] {
            diagnostics.update(time, "rov: battery", level, message);
        }
        let times: Vec<f64> = diagnostics.events.iter().map(|event| event.time).collect();
        assert_eq!(times, [2.0, 4.0, 5.0]);
        assert_eq!(diagnostics.events[0].level, "error");
    }
}
