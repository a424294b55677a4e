//! Perception: report classes and positions of objects.
//!
//! # Law
//! ```text
//!   e_i = e_0,  e_i ← min(e_max, e_i, |p - p_i|)  for a report (class_i, p) while object i is open   (1)
//!   S = (1/N) Σ_i e_i                                                                                (2)
//! ```
//! An object is open from `from_s` for `duration_s`. Each object that opens gives one attempt, an
//! object that closes takes an unused one back, and each report uses one. The task ends when all
//! objects are closed.
//!
//! # Symbols
//! p, p_i reported and true position, horizontal [m] · e_0 `missed_error_m` · e_max `max_error_m`.
//!
//! # Source
//! osrf/vrx at 93ae8d0, `vrx_gz/src/PerceptionScoringPlugin.cc`, with e_0 = 10 m and e_max = 2 m.
//!
//! # Limits
//! The plug-in moves its objects into view and away; here they are objects of the world that stay
//! where they are. The plug-in divides by N at the end of the task only.
//!
//! # Checked by
//! tests below, against the arithmetic of the plug-in

use crate::geometry::horizontal_distance;
use crate::keys::AnchorKeys;
use crate::law::{
    Anchor, Better, Marker, Progress, Report, Reports, Run, Site, TaskLaw, Tick, build_anchor,
};
use merrow_persist::Persist;
use merrow_yaml::spec::spec;

spec! {
    /// Report classes and positions of objects. Score: mean of the position errors; lower is better.
    pub struct PerceptionKeys {
        /// The objects.
        objects: Vec<PerceivedKeys> [not_empty],
        /// Error of an object that is not reported.
        missed_error_m: f64 [positive] = 10.0,
        /// Largest error of an object that is reported.
        max_error_m: f64 [positive] = 2.0,
    }

    /// An object to report.
    pub struct PerceivedKeys {
        /// Class that the report must name.
        class: String [not_empty],
        /// Time in the phase `running` from which reports count.
        from_s: f64 [in 0.0..=1e9] = 0.0,
        /// Time for which reports count. Default: to the end of the task.
        duration_s: Option<f64> [positive],
        ..anchor: AnchorKeys,
    }
}

/// Law of perception.
#[derive(Clone, Debug, PartialEq)]
pub struct Perception {
    /// Where the objects are.
    pub anchors: Vec<Anchor>,
    /// Keys of the file.
    pub keys: PerceptionKeys,
}

/// Whether reports of an object count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Attention {
    /// Not yet.
    Waiting,
    /// Now.
    Open,
    /// No longer.
    Closed,
}

/// What a robot has done.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct State {
    /// Whether reports of each object count.
    pub attention: Vec<Attention>,
    /// Error of each object [m].
    pub errors: Vec<f64>,
    /// Number of reports that count now.
    pub attempts: u32,
    /// Number of reports without an attempt.
    pub ignored: u32,
}

impl Perception {
    /// Returns the time at which object `k` closes [s].
    fn end_s(&self, k: usize) -> f64 {
        let object = &self.keys.objects[k];
        object
            .duration_s
            .map_or(f64::INFINITY, |duration| object.from_s + duration)
    }

    fn read_report(&self, state: &mut State, report: &Report, tick: &Tick<'_>, run: &mut Run<'_>) {
        let Report::Object { class, p_W } = report else {
            return;
        };
        if state.attempts == 0 {
            state.ignored += 1;
            if state.ignored == 1 {
                run.event("ignored a report without an open object");
            }
            return;
        }
        state.attempts -= 1;
        let mut best: Option<f64> = None;
        for (k, object) in self.keys.objects.iter().enumerate() {
            if object.class == *class && state.attention[k] == Attention::Open {
                let error = horizontal_distance(*p_W, self.anchors[k].position(tick.truth));
                let own = &mut state.errors[k];
                *own = self.keys.max_error_m.min(own.min(error));
                best = Some(best.map_or(error, |best| best.min(error)));
            }
        }
        run.event(match best {
            Some(error) => format!("reported {class} with an error of {error:.2} m"),
            None => format!("reported {class}, which no open object is"),
        });
    }

    fn score(&self, state: &State) -> f64 {
        state.errors.iter().sum::<f64>() / self.anchors.len() as f64
    }
}

impl TaskLaw for Perception {
    type Keys = PerceptionKeys;
    type State = State;
    const BETTER: Better = Better::Lower;

    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self> {
        let anchors = keys.objects.iter();
        let anchors: Option<_> = anchors
            .map(|object| build_anchor(&object.anchor, names))
            .collect();
        Some(Self {
            anchors: anchors?,
            keys: keys.clone(),
        })
    }

    fn start(&self) -> State {
        State {
            attention: vec![Attention::Waiting; self.anchors.len()],
            errors: vec![self.keys.missed_error_m; self.anchors.len()],
            attempts: 0,
            ignored: 0,
        }
    }

    fn tick(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        for k in 0..self.anchors.len() {
            let (from, end) = (self.keys.objects[k].from_s, self.end_s(k));
            let is_open = tick.elapsed_s >= from && tick.elapsed_s < end;
            match (state.attention[k], is_open) {
                (Attention::Waiting, true) => {
                    state.attention[k] = Attention::Open;
                    state.attempts += 1;
                }
                (Attention::Open, false) => {
                    state.attention[k] = Attention::Closed;
                    state.attempts = state.attempts.saturating_sub(1);
                }
                (Attention::Waiting, false) if tick.elapsed_s >= end => {
                    // shorter than a tick
                    state.attention[k] = Attention::Closed;
                }
                (Attention::Waiting, false) | (Attention::Open, true) | (Attention::Closed, _) => {}
            }
        }
        for report in tick.reports {
            self.read_report(state, report, tick, run);
        }
        run.set(self.score(state));
        if state.attention.iter().all(|own| *own == Attention::Closed) {
            run.finish("all objects are closed");
        }
    }

    fn fits(&self, state: &State) -> bool {
        [state.attention.len(), state.errors.len()] == [self.anchors.len(); 2]
    }

    fn progress(&self, state: &State) -> Progress {
        let limit = self.keys.max_error_m;
        Progress {
            done: state.errors.iter().filter(|error| **error <= limit).count(),
            total: self.anchors.len(),
            next: None,
        }
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        visit("attempts_left", f64::from(state.attempts));
        visit("reports_ignored", f64::from(state.ignored));
        for error in &state.errors {
            visit("object_error", *error);
        }
    }

    fn markers(&self) -> Vec<Marker> {
        // the places are what the task asks for
        Vec::new()
    }

    fn reports(&self) -> Reports {
        let objects = self.keys.objects.iter();
        let mut classes: Vec<String> = objects.map(|object| object.class.clone()).collect();
        classes.sort_unstable();
        classes.dedup();
        Reports::Objects(classes)
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::testing::{Scenario, build, events, pose, run};
    use crate::law::Report;
    use crate::task::MAX_REPORTS;
    use merrow_math::Vec3;

    const TASK: &str = "{kind: perception, rate_hz: 10, objects: [\
        {object: other, class: buoy, from_s: 1, duration_s: 4}, \
        {position_m: [5, 5, 0], class: duck, from_s: 3, duration_s: 4}, \
        {position_m: [-5, 5, 0], class: duck, from_s: 10, duration_s: 5}]}";

    fn report(class: &str, x: f64, y: f64) -> Report {
        let p_W = Vec3::new(x, y, 0.0);
        Report::Object {
            class: class.into(),
            p_W,
        }
    }

    /// The reports of `crate::vrx::REPORTS` at their times.
    fn reports(t: f64) -> Vec<Report> {
        let all = crate::vrx::REPORTS.iter();
        let now = all.filter(|(time, ..)| (time - t).abs() < 1e-6);
        now.map(|(_, class, x, y)| report(class, *x, *y)).collect()
    }

    #[test]
    fn scores_equal_those_of_vrx() {
        let task = build(TASK).unwrap();
        let bodies = [pose(0.0, 0.0, 0.0, 0.0), pose(10.0, 0.0, 0.0, 0.0)];
        let state = run(&task, 20.0, |t| Scenario {
            reports: reports(t),
            ..Scenario::of(&bodies)
        });
        let score = task.score(&state);
        assert!(
            (score - crate::vrx::PERCEPTION).abs() < 1e-9,
            "{score} {:?}",
            events(&state)
        );
        assert!(events(&state).contains(&"all objects are closed"));
    }

    #[test]
    fn hostile_reports_are_refused() {
        let task = build(TASK).unwrap();
        let mut state = task.initial_state(0);
        let scenario = Scenario::of(&[pose(0.0, 0.0, 0.0, 0.0), pose(10.0, 0.0, 0.0, 0.0)]);
        let early = task
            .report(&mut state, 0, &report("duck", 0.0, 0.0))
            .unwrap_err();
        assert!(early.contains("phase initial"), "{early}");
        task.advance(&mut state, 0, &scenario, &|_| false);
        let mut refused =
            |body, report: Report| task.report(&mut state, body, &report).unwrap_err();
        assert!(refused(0, report("duck", f64::NAN, 0.0)).contains("not finite"));
        assert!(refused(0, report("whale\n", 0.0, 0.0)).contains("expected one of buoy, duck"));
        assert!(refused(0, report(&"x".repeat(9999), 0.0, 0.0)).contains("more than 256 bytes"));
        assert!(refused(1, report("duck", 0.0, 0.0)).contains("no part in the task"));
        assert!(refused(0, Report::Words(vec![])).contains("takes no words"));
        for _ in 0..MAX_REPORTS {
            task.report(&mut state, 0, &report("duck", 1e300, 0.0))
                .unwrap();
        }
        let flood = task
            .report(&mut state, 0, &report("duck", 0.0, 0.0))
            .unwrap_err();
        assert!(
            flood.contains("more than 64 reports within 0.1 s"),
            "{flood}"
        );
        task.advance(&mut state, 100_000_000, &scenario, &|_| false);
        assert_eq!(task.score(&state), 10.0);
    }
}
