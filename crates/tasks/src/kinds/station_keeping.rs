//! Station keeping: hold a position and a heading.
//!
//! # Law
//! ```text
//!   e = d + k^d ψ          (1)  pose error, e = d without a goal heading
//!   S = Σ e / n            (2)  measure: mean
//!   S = √(Σ e² / n)        (3)  measure: rms
//! ```
//! # Symbols
//! d distance from the goal, horizontal for robots at the surface [m] · ψ difference of the headings, 0..π [rad] · k
//! `heading_decay` · n number of ticks.
//!
//! # Source
//! (1), (2) with k = 0.75: osrf/vrx at 93ae8d0, `vrx_gz/src/StationkeepingScoringPlugin.cc`. (3): the
//! Virtual RobotX competition of 2019.
//!
//! # Limits
//! (1) adds metres and radians. The plug-in sums over the steps of its simulator, this law over the
//! ticks of the task.
//!
//! # Checked by
//! tests below, against the arithmetic of the plug-in

use crate::geometry::{distance, heading_error, pose_error};
use crate::keys::GoalKeys;
use crate::law::{
    Anchor, Better, Goal, Marker, Motion, Progress, Run, Site, TaskLaw, Tick, build_goal,
    check_reachable, is_horizontal,
};
use merrow_persist::Persist;
use merrow_yaml::spec::spec;

spec! {
    /// Hold a position and a heading. Score: mean of the pose error; lower is better.
    pub struct StationKeepingKeys {
        /// Where to hold.
        goal: GoalKeys,
        /// Factor of the heading error per metre of distance, in `distance + heading_decay^distance
        /// * heading error`.
        heading_decay: f64 [fraction] = 0.75,
        /// How the errors of all ticks are combined.
        measure: Measure = Measure::Mean,
        /// Whether only horizontal distances count. Default: true for robots at the surface.
        horizontal: Option<bool>,
    }

    /// How the errors of all ticks are combined.
    pub enum Measure words {
        /// Mean of the errors.
        Mean = "mean",
        /// Root of the mean square of the errors.
        Rms = "rms",
    }
}

/// Law of station keeping.
#[derive(Clone, Debug, PartialEq)]
pub struct StationKeeping {
    /// Where to hold.
    pub goal: Goal,
    /// Whether only horizontal distances count.
    pub horizontal: bool,
    /// Keys of the file.
    pub keys: StationKeepingKeys,
}

/// What a robot has done.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct State {
    /// Last pose error [m].
    pub error: f64,
    /// Sum of the errors, and of their squares.
    pub sums: [f64; 2],
    /// Number of ticks.
    pub samples: u64,
}

/// Returns the pose error (1) of a motion.
pub(crate) fn goal_error(
    goal: &Goal,
    motion: &Motion,
    heading_decay: f64,
    horizontal: bool,
) -> f64 {
    let distance = distance(goal.p_W, motion.p_WB, horizontal);
    let heading = goal.yaw.map(|yaw| heading_error(yaw, motion.yaw()));
    pose_error(distance, heading, heading_decay)
}

impl State {
    /// Adds an error.
    pub(crate) fn add(&mut self, error: f64) {
        self.error = error;
        self.sums[0] += error;
        self.sums[1] += error * error;
        self.samples += 1;
    }

    /// Returns (2) [m]; 0 before the first tick.
    pub fn mean(&self) -> f64 {
        self.sums[0] / self.samples.max(1) as f64
    }

    /// Returns (3) [m]; 0 before the first tick.
    pub fn rms(&self) -> f64 {
        (self.sums[1] / self.samples.max(1) as f64).sqrt()
    }
}

impl TaskLaw for StationKeeping {
    type Keys = StationKeepingKeys;
    type State = State;
    const BETTER: Better = Better::Lower;

    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self> {
        let goal = build_goal(&keys.goal, names)?;
        let horizontal = is_horizontal(keys.horizontal, names);
        check_reachable(goal.p_W, horizontal, "`goal`", &keys.goal.at.whole, names);
        Some(Self {
            goal,
            horizontal,
            keys: keys.clone(),
        })
    }

    fn start(&self) -> State {
        State::default()
    }

    fn tick(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        let decay = self.keys.heading_decay;
        state.add(goal_error(&self.goal, &tick.motion, decay, self.horizontal));
        run.set(match self.keys.measure {
            Measure::Mean => state.mean(),
            Measure::Rms => state.rms(),
        });
    }

    fn progress(&self, _: &State) -> Progress {
        Progress {
            next: Some(Anchor::Fixed(self.goal.p_W)),
            ..Progress::default()
        }
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        visit("pose_error", state.error);
        visit("mean_pose_error", state.mean());
        visit("rms_pose_error", state.rms());
    }

    fn markers(&self) -> Vec<Marker> {
        vec![Marker::goal("goal", &self.goal)]
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::testing::{Scenario, build, figure, pose, run};

    const TASK: &str = "{kind: station_keeping, rate_hz: 10, running_duration_s: 60, goal: {position_m: [3, 2, 0], yaw_deg: 60}}";

    // the trajectory of `crate::vrx` and the score of the plug-in on it
    #[test]
    fn scores_equal_those_of_vrx() {
        let task = build(TASK).unwrap();
        let state = run(&task, 60.0, |t| Scenario::of(&[crate::vrx::trajectory(t)]));
        let expected = crate::vrx::STATION_KEEPING;
        assert!(
            (task.score(&state) - expected[0]).abs() < 1e-9,
            "{}",
            task.score(&state)
        );
        assert!((figure(&task, &state, "pose_error") - expected[1]).abs() < 1e-9);
    }

    #[test]
    fn goals_without_a_heading_score_the_distance() {
        let task = build("{kind: station_keeping, goal: {position_m: [3, 4, 0]}}").unwrap();
        let state = run(&task, 1.0, |_| Scenario::of(&[pose(0.0, 0.0, 0.0, 2.0)]));
        assert_eq!(task.score(&state), 5.0);
    }

    #[test]
    fn rms_exceeds_the_mean() {
        let rms = TASK.replace("goal:", "measure: rms, goal:");
        let [mean, rms] = [TASK, rms.as_str()].map(|text| {
            let task = build(text).unwrap();
            task.score(&run(&task, 60.0, |t| {
                Scenario::of(&[crate::vrx::trajectory(t)])
            }))
        });
        assert!(rms > mean * 1.001, "{rms} {mean}");
    }

    #[test]
    fn goals_on_land_are_refused() {
        let text = TASK.replace("[3, 2, 0]", "[2000, 2, 0]");
        assert!(build(&text).unwrap_err().contains("is on land"));
        let text = TASK.replace("[3, 2, 0]", "[50, 0.5, 0]");
        assert!(build(&text).unwrap_err().contains("is inside pier"));
        let text = TASK.replace("position_m: [3, 2, 0]", "latitude_deg: 3");
        assert!(build(&text).unwrap_err().contains("expected `position_m`"));
    }
}
