//! Follow a target: stay at a distance from a moving object.
//!
//! # Law
//! ```text
//!   S = (1/n) Σ |d - D|
//! ```
//! # Symbols
//! d distance from the target, horizontal for robots at the surface [m] · D `distance_m` · n number
//! of ticks.
//!
//! # Source
//! osrf/vrx at 93ae8d0, `vrx_gz/src/AcousticTrackingScoringPlugin.cc`, with D = 0 and a collision
//! penalty of 1.
//!
//! # Limits
//! The direction from which the robot follows has no effect.
//!
//! # Checked by
//! tests below, against the arithmetic of the plug-in

use crate::geometry::distance;
use crate::law::{
    Anchor, Better, Marker, Progress, Run, Shape, Site, TaskLaw, Tick, find_others, is_horizontal,
};
use merrow_persist::Persist;
use merrow_yaml::spec::spec;

spec! {
    /// Follow a moving object. Score: mean error of the distance; lower is better.
    pub struct FollowTargetKeys {
        /// Name of the robot, prop or actor to follow.
        target: String [name],
        /// Distance to hold.
        distance_m: f64 [in 0.0..=1e9] = 0.0,
        /// Whether only horizontal distances count. Default: true for robots at the surface.
        horizontal: Option<bool>,
    }
}

/// Law of following a target.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowTarget {
    /// Target.
    pub target: Anchor,
    /// Whether only horizontal distances count.
    pub horizontal: bool,
    /// Keys of the file.
    pub keys: FollowTargetKeys,
}

/// What a robot has done.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct State {
    /// Last error [m].
    pub error: f64,
    /// Sum of the errors [m].
    pub sum: f64,
    /// Number of ticks.
    pub samples: u64,
}

impl State {
    fn mean(&self) -> f64 {
        self.sum / self.samples.max(1) as f64
    }
}

impl TaskLaw for FollowTarget {
    type Keys = FollowTargetKeys;
    type State = State;
    const BETTER: Better = Better::Lower;

    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self> {
        let place = keys.at.key_place("target");
        let target = find_others([(keys.target.as_str(), place)], "target", names)?;
        Some(Self {
            target: Anchor::Body(target[0]),
            horizontal: is_horizontal(keys.horizontal, names),
            keys: keys.clone(),
        })
    }

    fn start(&self) -> State {
        State::default()
    }

    fn tick(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        let (p, target) = (tick.motion.p_WB, self.target.position(tick.truth));
        if !target.is_finite() {
            return;
        }
        let distance = distance(target, p, self.horizontal);
        state.error = (distance - self.keys.distance_m).abs();
        state.sum += state.error;
        state.samples += 1;
        run.set(state.mean());
    }

    fn progress(&self, _: &State) -> Progress {
        Progress {
            next: Some(self.target),
            ..Progress::default()
        }
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        visit("pose_error", state.error);
        visit("mean_pose_error", state.mean());
    }

    fn markers(&self) -> Vec<Marker> {
        vec![Marker::new(
            Shape::Points,
            self.keys.target.clone(),
            vec![self.target],
        )]
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::testing::{Scenario, build, run};

    #[test]
    fn scores_equal_those_of_vrx() {
        let text = "{kind: follow_target, rate_hz: 10, running_duration_s: 60, target: other, \
            collisions: {penalty: 1, buffer_s: 3}}";
        let task = build(text).unwrap();
        let state = run(&task, 60.0, |t| Scenario {
            touching: if (30.0..31.0).contains(&t) {
                vec!["other".into()]
            } else {
                vec![]
            },
            ..Scenario::of(&[crate::vrx::trajectory(t), crate::vrx::trajectory(0.5 * t)])
        });
        let score = task.score(&state);
        assert!(
            (score - crate::vrx::ACOUSTIC_TRACKING).abs() < 1e-9,
            "{score}"
        );
    }

    #[test]
    fn structures_are_no_targets() {
        let error = build("{kind: follow_target, target: pier}").unwrap_err();
        assert!(error.contains("does not move"), "{error}");
    }
}
