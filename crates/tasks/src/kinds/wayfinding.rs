//! Wayfinding: come as near as possible to each of several poses, in any order.
//!
//! # Law
//! ```text
//!   e_i = d_i + k^d_i ψ_i           (1)  pose error of waypoint i, e_i = d_i without a heading
//!   S = (1/n) Σ_i min_t e_i(t)      (2)
//! ```
//! # Symbols
//! d_i distance from waypoint i, horizontal for robots at the surface [m] · ψ_i difference of the headings, 0..π [rad] · k
//! `heading_decay` · n number of waypoints · t ticks so far.
//!
//! # Source
//! osrf/vrx at 93ae8d0, `vrx_gz/src/WayfindingScoringPlugin.cc`, with k = 0.75.
//!
//! # Limits
//! A waypoint at the start of the robot counts from the first tick. The task ends early only with
//! `acceptance_error`.
//!
//! # Checked by
//! tests below, against the arithmetic of the plug-in

use crate::keys::GoalKeys;
use crate::kinds::station_keeping::goal_error;
use crate::law::{
    Anchor, Better, Goal, Marker, Progress, Run, Site, TaskLaw, Tick, build_waypoints,
    is_horizontal,
};
use merrow_persist::Persist;
use merrow_yaml::spec::spec;

spec! {
    /// Come as near as possible to each of several poses. Score: mean over the waypoints of the
    /// smallest pose error so far; lower is better.
    pub struct WayfindingKeys {
        /// The poses, in any order.
        waypoints: Vec<GoalKeys> [not_empty],
        /// Factor of the heading error per metre of distance, in `distance + heading_decay^distance
        /// * heading error`.
        heading_decay: f64 [fraction] = 0.75,
        /// Pose error below which a waypoint counts as reached; the task ends when all are. Default:
        /// it ends with its time.
        acceptance_error: Option<f64> [positive],
        /// Whether only horizontal distances count. Default: true for robots at the surface.
        horizontal: Option<bool>,
    }
}

/// Law of wayfinding.
#[derive(Clone, Debug, PartialEq)]
pub struct Wayfinding {
    /// The poses.
    pub waypoints: Vec<Goal>,
    /// Whether only horizontal distances count.
    pub horizontal: bool,
    /// Keys of the file.
    pub keys: WayfindingKeys,
}

/// What a robot has done.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct State {
    /// Smallest pose error of each waypoint [m]; empty before the first tick.
    pub min_errors: Vec<f64>,
}

impl Wayfinding {
    fn is_reached(&self, error: f64) -> bool {
        self.keys
            .acceptance_error
            .is_some_and(|limit| error <= limit)
    }
}

impl TaskLaw for Wayfinding {
    type Keys = WayfindingKeys;
    type State = State;
    const BETTER: Better = Better::Lower;

    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self> {
        let horizontal = is_horizontal(keys.horizontal, names);
        Some(Self {
            waypoints: build_waypoints(&keys.waypoints, horizontal, names)?,
            horizontal,
            keys: keys.clone(),
        })
    }

    fn start(&self) -> State {
        State::default()
    }

    fn tick(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        let is_first = state.min_errors.is_empty();
        let mut sum = 0.0;
        for (k, waypoint) in self.waypoints.iter().enumerate() {
            let decay = self.keys.heading_decay;
            let error = goal_error(waypoint, &tick.motion, decay, self.horizontal);
            if is_first {
                state.min_errors.push(f64::INFINITY);
            }
            let best = &mut state.min_errors[k];
            let before = std::mem::replace(best, best.min(error));
            sum += *best;
            if self.is_reached(*best) && !self.is_reached(before) {
                run.event(format!("reached waypoint {k}"));
            }
        }
        run.set(sum / self.waypoints.len() as f64);
        if state.min_errors.iter().all(|error| self.is_reached(*error)) {
            run.finish("reached all waypoints");
        }
    }

    fn fits(&self, state: &State) -> bool {
        [0, self.waypoints.len()].contains(&state.min_errors.len())
    }

    fn progress(&self, state: &State) -> Progress {
        let reached = |k: &usize| {
            state
                .min_errors
                .get(*k)
                .is_some_and(|e| self.is_reached(*e))
        };
        let next = (0..self.waypoints.len()).find(|k| !reached(k));
        Progress {
            done: (0..self.waypoints.len()).filter(reached).count(),
            total: self.waypoints.len(),
            next: next.map(|k| Anchor::Fixed(self.waypoints[k].p_W)),
        }
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        let n = state.min_errors.len().max(1) as f64;
        visit("mean_error", state.min_errors.iter().sum::<f64>() / n);
        for error in &state.min_errors {
            visit("min_error", *error);
        }
    }

    fn markers(&self) -> Vec<Marker> {
        let waypoints = self.waypoints.iter().enumerate();
        waypoints
            .map(|(k, goal)| Marker::goal(format!("waypoint {k}"), goal))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::testing::{Scenario, build, events, pose, run};

    #[test]
    fn scores_equal_those_of_vrx() {
        let text = "{kind: wayfinding, rate_hz: 10, running_duration_s: 60, waypoints: [\
            {position_m: [3, 2, 0], yaw_deg: 60}, {position_m: [-8, 5, 0], yaw_deg: -170}, \
            {position_m: [30, -20, 0], yaw_deg: 0}]}";
        let task = build(text).unwrap();
        let state = run(&task, 60.0, |t| Scenario::of(&[crate::vrx::trajectory(t)]));
        let mut errors = Vec::new();
        task.law.figures(&state.robots[0].law, &mut |name, value| {
            if name == "min_error" {
                errors.push(value);
            }
        });
        let expected = crate::vrx::WAYFINDING;
        assert!(
            (task.score(&state) - expected[0]).abs() < 1e-9,
            "{}",
            task.score(&state)
        );
        for (found, expected) in errors.iter().zip(&expected[1..]) {
            assert!((found - expected).abs() < 1e-9, "{errors:?}");
        }
    }

    #[test]
    fn waypoints_at_the_start_count_at_once() {
        let text =
            "{kind: wayfinding, waypoints: [{position_m: [0, 0, 0]}], acceptance_error: 0.5}";
        let task = build(text).unwrap();
        let state = run(&task, 0.1, |_| Scenario::of(&[pose(0.0, 0.3, 0.0, 1.0)]));
        assert!((task.score(&state) - 0.3).abs() < 1e-15);
        assert!(
            events(&state).contains(&"reached all waypoints"),
            "{state:?}"
        );
    }
}
