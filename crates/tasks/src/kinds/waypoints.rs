//! Waypoints: reach places in their order.
//!
//! # Law
//! ```text
//!   |p - p_i| ≤ r_i and, with a heading, |ψ - ψ_i| ≤ δ  ⇒  waypoint i is reached   (1)
//!   S = a n + b [n = N]                                                            (2)
//! ```
//! # Symbols
//! p position · p_i, r_i waypoint i and `radius_m` [m] · ψ, ψ_i headings, δ `yaw_tolerance_deg` [rad]
//! · n number of waypoints reached, N of all · a `points_per_waypoint` · b `completion_points`.
//!
//! # Limits
//! Distances are horizontal for a robot that stays at the surface. The waypoints that the robot is
//! at are reached at one tick, also those at its start.
//!
//! # Checked by
//! tests below

use crate::geometry::{distance, heading_error};
use crate::keys::GoalKeys;
use crate::law::{
    Anchor, Better, Goal, Marker, Progress, Run, Site, TaskLaw, Tick, build_waypoints,
    is_horizontal,
};
use merrow_persist::Persist;
use merrow_yaml::spec::spec;

spec! {
    /// Reach places in their order. Score: points; higher is better.
    pub struct WaypointsKeys {
        /// The places, in their order.
        waypoints: Vec<GoalKeys> [not_empty],
        /// Distance at which a waypoint is reached.
        radius_m: f64 [positive] = 2.0,
        /// Largest difference from the heading of a waypoint that has one.
        yaw_tolerance_deg: f64 [in 0.0..=180.0] = 20.0,
        /// Whether only horizontal distances count. Default: true for robots at the surface.
        horizontal: Option<bool>,
        /// Points per waypoint.
        points_per_waypoint: f64 [in 0.0..=1e9] = 10.0,
        /// Points for reaching all waypoints.
        completion_points: f64 [in 0.0..=1e9] = 0.0,
    }
}

/// Law of waypoints.
#[derive(Clone, Debug, PartialEq)]
pub struct Waypoints {
    /// The places.
    pub waypoints: Vec<Goal>,
    /// Whether only horizontal distances count.
    pub horizontal: bool,
    /// Keys of the file.
    pub keys: WaypointsKeys,
}

/// What a robot has done.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct State {
    /// Number of waypoints reached.
    pub reached: u32,
    /// Distance from the next waypoint [m].
    pub distance: f64,
}

impl TaskLaw for Waypoints {
    type Keys = WaypointsKeys;
    type State = State;
    const BETTER: Better = Better::Higher;

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
        let p = tick.motion.p_WB;
        while let Some(goal) = self.waypoints.get(state.reached as usize) {
            state.distance = distance(goal.p_W, p, self.horizontal);
            let turn = goal
                .yaw
                .map_or(0.0, |yaw| heading_error(yaw, tick.motion.yaw()));
            let is_turned = turn <= self.keys.yaw_tolerance_deg.to_radians();
            if state.distance > self.keys.radius_m || !is_turned {
                return;
            }
            run.event(format!("reached waypoint {}", state.reached));
            run.add(self.keys.points_per_waypoint);
            state.reached += 1;
        }
        run.add(self.keys.completion_points);
        run.finish("reached all waypoints");
    }

    fn progress(&self, state: &State) -> Progress {
        let next = self.waypoints.get(state.reached as usize);
        Progress {
            done: state.reached as usize,
            total: self.waypoints.len(),
            next: next.map(|goal| Anchor::Fixed(goal.p_W)),
        }
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        visit("waypoints_reached", f64::from(state.reached));
        visit("distance_to_waypoint", state.distance);
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
    use crate::state::Phase;

    const TASK: &str = "{kind: waypoints, initial_duration_s: 1, ready_duration_s: 1, running_duration_s: 20, \
        waypoints: [{position_m: [0, 0, 0]}, {position_m: [10, 0, 0], yaw_deg: 0}], radius_m: 1, completion_points: 5}";

    #[test]
    fn waypoints_are_reached_in_their_order() {
        let task = build(TASK).unwrap();
        let state = run(&task, 15.0, |t| {
            Scenario::of(&[pose(t - 2.0, 0.0, 0.0, 0.0)])
        });
        assert_eq!(state.phase, Phase::Finished);
        assert_eq!(task.score(&state), 25.0);
        assert!(!state.timed_out);
        let [elapsed, left] = task.times(&state, 15_000_000_000);
        assert!((elapsed - 9.0).abs() < 0.03 && (elapsed + left - 20.0).abs() < 1e-9);
        let all = events(&state);
        assert_eq!(all[..3], ["ready", "running", "reached waypoint 0"]);
    }

    #[test]
    fn headings_of_waypoints_are_required() {
        let task = build(TASK).unwrap();
        let state = run(&task, 30.0, |t| {
            Scenario::of(&[pose(t - 2.0, 0.0, 0.0, 2.0)])
        });
        assert_eq!(task.score(&state), 10.0);
        assert!(state.timed_out);
    }

    #[test]
    fn penalties_stop_at_zero() {
        let text = TASK.replace(
            "radius_m",
            "collisions: {penalty: 25, buffer_s: 2}, radius_m",
        );
        let task = build(&text).unwrap();
        let state = run(&task, 12.5, |t| Scenario {
            touching: if t > 3.0 && t < 6.9 {
                vec!["pier".into()]
            } else {
                vec![]
            },
            ..Scenario::of(&[pose(t - 2.0, 0.0, 0.0, 0.0)])
        });
        // 10 - 25 → 0, again 0, then 10 + 5
        assert_eq!(state.robots[0].collisions, 2);
        assert_eq!(task.score(&state), 15.0);
    }

    #[test]
    fn boundaries_and_start_zones_are_checked() {
        let text = TASK.replace(
            "radius_m",
            "boundary: {polygon_m: [[-5, -5], [5, -5], [5, 5], [-5, 5]], penalty: 4, ends: true}, \
             start: {position_m: [3, 0, 0], radius_m: 1, penalty: 1}, radius_m",
        );
        let task = build(&text).unwrap();
        let state = run(&task, 15.0, |t| {
            Scenario::of(&[pose(t - 2.0, 0.0, 0.0, 0.0)])
        });
        assert_eq!(task.score(&state), 6.0);
        assert!(events(&state).contains(&"ended outside of the area"));
        let flat = TASK.replace(
            "radius_m",
            "boundary: {polygon_m: [[0, 0], [1, 1], [2, 2]]}, radius_m",
        );
        assert!(build(&flat).unwrap_err().contains("has no area"));
    }
}
