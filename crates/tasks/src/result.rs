//! Result of a task as JSON, for `merrow run --json` and `merrow describe`.

use crate::law::Better;
use crate::state::{RobotRun, TaskState};
use crate::task::Task;
use serde_json::{Map, Value, json};

impl Task {
    /// Returns the result at `now_ns` [ns] as JSON. Times are in seconds of the run.
    pub fn result(&self, state: &TaskState, now_ns: u64) -> Value {
        let [elapsed, remaining] = self.times(state, now_ns);
        let events = state.events.iter().map(|event| {
            let robot = event.robot.map(|k| self.robots[k as usize].0.as_str());
            json!({"time_s": seconds(event.time_ns), "robot": robot, "event": event.text})
        });
        let robots = self.robots.iter().zip(&state.robots);
        let robots = robots.map(|((name, _), run)| (name.clone(), self.robot_result(run)));
        json!({
            "name": self.name,
            "kind": self.law.kind(),
            "phase": state.phase.keyword(),
            "elapsed_s": elapsed,
            "remaining_s": remaining,
            "timed_out": state.timed_out,
            "score": self.score(state),
            "better": self.better_word(),
            "robots": robots.collect::<Map<_, _>>(),
            "events": events.collect::<Vec<_>>(),
        })
    }

    fn robot_result(&self, run: &RobotRun) -> Value {
        let progress = self.progress(run);
        json!({
            "score": self.robot_score(run),
            "penalty": run.penalties(),
            "collisions": run.collisions,
            "finished_s": run.finished_ns.map(seconds),
            "done": progress.done,
            "parts": progress.total,
            "figures": self.figures(run),
        })
    }

    /// Returns the values that the score is computed from by name; values with one name as a list.
    fn figures(&self, run: &RobotRun) -> Value {
        let mut all: Map<String, Value> = Map::new();
        self.law
            .figures(&run.law, &mut |name, value| match all.get_mut(name) {
                Some(Value::Array(list)) => list.push(json!(value)),
                Some(first) => *first = json!([first.clone(), value]),
                None => {
                    all.insert(name.to_string(), json!(value));
                }
            });
        Value::Object(all)
    }

    /// Returns the word for the better scores.
    pub fn better_word(&self) -> &'static str {
        match self.law.better() {
            Better::Lower => "lower",
            Better::Higher => "higher",
        }
    }

    /// Returns the score in one line.
    pub fn summary(&self, state: &TaskState) -> String {
        let mut line = format!(
            "task {} ({}): {}, score {:.3} ({} is better)",
            self.name,
            self.law.kind(),
            state.phase.keyword(),
            self.score(state),
            self.better_word()
        );
        for ((name, _), run) in self.robots.iter().zip(&state.robots) {
            let progress = self.progress(run);
            if self.robots.len() > 1 {
                line += &format!("; {name} {:.3}", self.robot_score(run));
            }
            if progress.total > 0 {
                line += &format!(", {} of {} done", progress.done, progress.total);
            }
            if run.collisions > 0 {
                line += &format!(", {} collisions", run.collisions);
            }
        }
        line
    }

    /// Returns the description of the task before a run.
    pub fn describe(&self) -> Value {
        let [ready, running, finished] = self.phases_ns.map(seconds);
        json!({
            "name": self.name,
            "kind": self.law.kind(),
            "description": self.description,
            "robots": self.robots.iter().map(|(name, _)| name).collect::<Vec<_>>(),
            "ready_s": ready,
            "running_s": running,
            "finished_s": finished,
            "better": self.better_word(),
            "parts": self.markers().iter().map(|marker| &marker.name).collect::<Vec<_>>(),
        })
    }
}

fn seconds(ns: u64) -> f64 {
    // the nearest number, which prints with its own digits
    ns as f64 / 1e9
}
