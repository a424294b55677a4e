//! Gymkhana: pass through a channel of gates, then hold a position.
//!
//! # Law
//! ```text
//!   S = S_0 before all gates are passed, then the mean distance (2) of `station_keeping`, over all
//!       ticks since the beginning of the task
//! ```
//! # Symbols
//! S_0 `unfinished_score`.
//!
//! # Source
//! osrf/vrx at 93ae8d0, `vrx_gz/src/GymkhanaScoringPlugin.cc` and `vrx_gz/worlds/gymkhana_task.sdf`,
//! with S_0 = 200 and a collision penalty of 1. The position is that of an acoustic beacon there.
//!
//! # Limits
//! Gates that are crossed in the wrong direction count as passed, as in the plug-in.
//!
//! # Checked by
//! tests below, against the arithmetic of the plug-ins

use crate::keys::GoalKeys;
use crate::kinds::gates::{
    self, GateKeys, Passage, build_gates, gate_markers, gate_progress, open_gates, pass_gates,
};
use crate::kinds::station_keeping::{self, goal_error};
use crate::law::{
    Anchor, Better, Goal, Marker, Progress, Run, Site, TaskLaw, Tick, build_goal, check_reachable,
};
use merrow_persist::Persist;
use merrow_yaml::spec::spec;

spec! {
    /// Pass through gates, then hold a position. Score: mean distance from the position once the
    /// gates are passed; lower is better.
    pub struct GymkhanaKeys {
        /// The gates, in their order.
        gates: Vec<GateKeys> [not_empty],
        /// Where to hold afterwards.
        goal: GoalKeys,
        /// Factor of the heading error per metre of distance, if the goal has a heading.
        heading_decay: f64 [fraction] = 0.75,
        /// Score while gates are left.
        unfinished_score: f64 [in 0.0..=1e9] = 200.0,
    }
}

/// Law of a gymkhana.
#[derive(Clone, Debug, PartialEq)]
pub struct Gymkhana {
    /// Left and right end of each gate.
    pub gates: Vec<[Anchor; 2]>,
    /// Where to hold.
    pub goal: Goal,
    /// Keys of the file.
    pub keys: GymkhanaKeys,
}

/// What a robot has done.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct State {
    /// State of the gates.
    pub gates: gates::State,
    /// Errors of the position.
    pub station: station_keeping::State,
}

impl Gymkhana {
    fn is_through(&self, state: &State) -> bool {
        state.gates.closed as usize >= self.gates.len()
    }
}

impl TaskLaw for Gymkhana {
    type Keys = GymkhanaKeys;
    type State = State;
    const BETTER: Better = Better::Lower;

    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self> {
        let goal = build_goal(&keys.goal, names)?;
        check_reachable(goal.p_W, true, "`goal`", &keys.goal.at.whole, names);
        Some(Self {
            gates: build_gates(&keys.gates, names)?,
            goal,
            keys: keys.clone(),
        })
    }

    fn start(&self) -> State {
        State {
            gates: open_gates(self.gates.len()),
            station: station_keeping::State::default(),
        }
    }

    fn tick(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        match pass_gates(&self.gates, &mut state.gates, tick) {
            Passage::None => {}
            Passage::Crossed(k) | Passage::Following(k) => run.event(format!("crossed gate {k}")),
            Passage::Invalid(k) => run.event(format!("crossed gate {k} in the wrong direction")),
        }
        let error = goal_error(&self.goal, &tick.motion, self.keys.heading_decay, true);
        state.station.add(error);
        run.set(match self.is_through(state) {
            true => state.station.mean(),
            false => self.keys.unfinished_score,
        });
    }

    fn fits(&self, state: &State) -> bool {
        state.gates.gates.len() == self.gates.len()
    }

    fn progress(&self, state: &State) -> Progress {
        let progress = gate_progress(&self.gates, &state.gates);
        let goal = Some(Anchor::Fixed(self.goal.p_W));
        Progress {
            next: progress.next.or(goal),
            ..progress
        }
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        visit("gates_passed", f64::from(state.gates.closed));
        visit("pose_error", state.station.error);
        visit("mean_pose_error", state.station.mean());
    }

    fn markers(&self) -> Vec<Marker> {
        let mut all = gate_markers(&self.gates);
        all.push(Marker::goal("goal", &self.goal));
        all
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::testing::{Scenario, build, run};

    #[test]
    fn scores_equal_those_of_vrx() {
        let text = "{kind: gymkhana, rate_hz: 10, running_duration_s: 200, collisions: {penalty: 1, buffer_s: 10}, \
            goal: {position_m: [-70, 5, 0]}, gates: [\
            {left: {position_m: [0, -10, 0]}, right: {position_m: [0, 10, 0]}}, \
            {left: {position_m: [-60, -10, 0]}, right: {position_m: [-60, 10, 0]}}]}";
        let task = build(text).unwrap();
        let at = |t| Scenario {
            touching: if crate::vrx::collides(t) {
                vec!["pier".into()]
            } else {
                vec![]
            },
            ..Scenario::of(&[crate::vrx::course(0, t)])
        };
        assert_eq!(task.score(&run(&task, 9.0, at)), 200.0);
        let score = task.score(&run(&task, 200.0, at));
        assert!((score - crate::vrx::GYMKHANA).abs() < 1e-9, "{score}");
    }
}
