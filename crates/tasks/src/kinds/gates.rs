//! Gates: pass through gates in their order and direction.
//!
//! # Law
//! ```text
//!   gate i is crossed:      before → after               S ← S + a
//!   after gate i - 1:                                    S ← S + b
//!   gate i is invalid:      after → before (not gate 0)
//!   last gate is crossed:                                S ← S + b, end
//!   a collision:                                         S ← max(0, S - penalty)
//! ```
//! A gate that is crossed or invalid closes all gates before it. Gates after gate 0 count once gate
//! 0 is crossed. At most one gate changes per tick.
//!
//! # Symbols
//! a `points_per_gate` · b `consecutive_bonus`.
//!
//! # Source
//! osrf/vrx at 93ae8d0, `vrx_gz/src/NavigationScoringPlugin.cc` (task "follow path"), with a = 10, b =
//! 1 and a penalty of 3.
//!
//! # Limits
//! A robot that passes a gate between two ticks from beside it is beside it. The width of a gate is
//! the distance of its ends in space.
//!
//! # Checked by
//! tests below, against the arithmetic of the plug-in

use crate::geometry::{Side, horizontal_distance, side_of_gate};
use crate::keys::AnchorKeys;
use crate::law::{
    Anchor, Better, Marker, Progress, Run, Shape, Site, TaskLaw, Tick, build_anchor,
    check_reachable, is_horizontal, start_position,
};
use merrow_persist::Persist;
use merrow_yaml::spec::spec;

/// Smallest width of a gate [m].
const MIN_WIDTH: f64 = 0.01;

spec! {
    /// Pass through gates in their order. Score: points; higher is better.
    pub struct GatesKeys {
        /// The gates, in their order.
        gates: Vec<GateKeys> [not_empty],
        /// Points per gate.
        points_per_gate: f64 [in 0.0..=1e9] = 10.0,
        /// Additional points for a gate directly after the gate before it, and for the last gate.
        consecutive_bonus: f64 [in 0.0..=1e9] = 1.0,
    }

    /// A gate, which is crossed with `left` on the left.
    pub struct GateKeys {
        /// Left end.
        left: AnchorKeys,
        /// Right end.
        right: AnchorKeys,
    }
}

/// Law of gates.
#[derive(Clone, Debug, PartialEq)]
pub struct Gates {
    /// Left and right end of each gate.
    pub gates: Vec<[Anchor; 2]>,
    /// Keys of the file.
    pub keys: GatesKeys,
}

/// State of one gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum GateState {
    /// Not crossed yet; where the robot was.
    Open(Side),
    /// Crossed in its direction.
    Crossed,
    /// Crossed against its direction.
    Invalid,
}

/// What a robot has done.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct State {
    /// One entry per gate.
    pub gates: Vec<GateState>,
    /// Number of gates up to the last one that is crossed or invalid.
    pub closed: u32,
    /// Whether the last of them is crossed.
    pub is_last_crossed: bool,
}

impl State {
    fn crossed(&self) -> usize {
        let crossed = |gate: &&GateState| **gate == GateState::Crossed;
        self.gates.iter().filter(crossed).count()
    }
}

/// What happened to a gate at a tick.
pub(crate) enum Passage {
    /// No gate changed.
    None,
    /// A gate was crossed.
    Crossed(usize),
    /// A gate was crossed directly after the gate before it.
    Following(usize),
    /// A gate was crossed against its direction.
    Invalid(usize),
}

/// Builds the ends of gates and reports gates that nothing can pass.
pub(crate) fn build_gates(keys: &[GateKeys], names: &Site<'_>) -> Option<Vec<[Anchor; 2]>> {
    let mut gates = Vec::new();
    for (k, gate) in keys.iter().enumerate() {
        let ends = [
            build_anchor(&gate.left, names)?,
            build_anchor(&gate.right, names)?,
        ];
        let [left, right] = ends.map(|end| start_position(end, names));
        let width = horizontal_distance(left, right);
        if width < MIN_WIDTH {
            let text = format!(
                "gate {k} is {width} m wide; expected at least {MIN_WIDTH} m between its ends"
            );
            names.error(&gate.at.whole, &text);
            return None;
        }
        let middle = (left + right).scale(0.5);
        let what = format!("the middle of gate {k}");
        check_reachable(
            middle,
            is_horizontal(None, names),
            &what,
            &gate.at.whole,
            names,
        );
        gates.push(ends);
    }
    Some(gates)
}

/// Returns the state of gates that the robot is beside.
pub(crate) fn open_gates(n: usize) -> State {
    State {
        gates: vec![GateState::Open(Side::Beside); n],
        closed: 0,
        is_last_crossed: false,
    }
}

/// Moves the state of the gates on by one tick.
pub(crate) fn pass_gates(gates: &[[Anchor; 2]], state: &mut State, tick: &Tick<'_>) -> Passage {
    for k in state.closed as usize..gates.len() {
        if k != 0 && state.gates[0] != GateState::Crossed {
            break;
        }
        let [left, right] = gates[k].map(|end| end.position(tick.truth));
        let side = side_of_gate(left, right, tick.motion.p_WB);
        let passage = match (state.gates[k], side) {
            (GateState::Open(Side::Before), Side::After) => GateState::Crossed,
            (GateState::Open(Side::After), Side::Before) if k != 0 => GateState::Invalid,
            (GateState::Open(_), _) => {
                state.gates[k] = GateState::Open(side);
                continue;
            }
            (GateState::Crossed | GateState::Invalid, _) => continue,
        };
        state.gates[k] = passage;
        let follows = state.is_last_crossed && k == state.closed as usize;
        state.closed = k as u32 + 1;
        state.is_last_crossed = passage == GateState::Crossed;
        return match (state.is_last_crossed, follows) {
            (true, true) => Passage::Following(k),
            (true, false) => Passage::Crossed(k),
            (false, _) => Passage::Invalid(k),
        };
    }
    Passage::None
}

/// Returns the markers of gates.
pub(crate) fn gate_markers(gates: &[[Anchor; 2]]) -> Vec<Marker> {
    let gates = gates.iter().enumerate();
    gates
        .map(|(k, ends)| Marker::new(Shape::Gate, format!("gate {k}"), ends.to_vec()))
        .collect()
}

/// Returns the progress through gates; the next part is the left end of the next gate.
pub(crate) fn gate_progress(gates: &[[Anchor; 2]], state: &State) -> Progress {
    Progress {
        done: state.crossed(),
        total: gates.len(),
        next: gates.get(state.closed as usize).map(|[left, _]| *left),
    }
}

impl TaskLaw for Gates {
    type Keys = GatesKeys;
    type State = State;
    const BETTER: Better = Better::Higher;

    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self> {
        Some(Self {
            gates: build_gates(&keys.gates, names)?,
            keys: keys.clone(),
        })
    }

    fn start(&self) -> State {
        open_gates(self.gates.len())
    }

    fn tick(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        let last = self.gates.len() - 1;
        let passage = pass_gates(&self.gates, state, tick);
        match passage {
            Passage::None => return,
            Passage::Crossed(k) | Passage::Following(k) => {
                run.event(format!("crossed gate {k}"));
                run.add(self.keys.points_per_gate);
                if matches!(passage, Passage::Following(_)) {
                    run.add(self.keys.consecutive_bonus);
                }
                if k == last {
                    run.add(self.keys.consecutive_bonus);
                }
            }
            Passage::Invalid(k) => run.event(format!("crossed gate {k} in the wrong direction")),
        }
        if state.closed as usize > last {
            run.finish("passed the last gate");
        }
    }

    fn fits(&self, state: &State) -> bool {
        state.gates.len() == self.gates.len()
    }

    fn progress(&self, state: &State) -> Progress {
        gate_progress(&self.gates, state)
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        visit("gates_crossed", state.crossed() as f64);
        let invalid = |gate: &&GateState| **gate == GateState::Invalid;
        visit(
            "gates_invalid",
            state.gates.iter().filter(invalid).count() as f64,
        );
    }

    fn markers(&self) -> Vec<Marker> {
        gate_markers(&self.gates)
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::testing::{Scenario, build, events, pose, run};

    /// Gates of the course of `crate::vrx`: crossed towards -x.
    const TASK: &str = "{kind: gates, rate_hz: 10, running_duration_s: 200, collisions: {penalty: 3, buffer_s: 10}, gates: [\
        {left: {position_m: [0, -10, 0]}, right: {position_m: [0, 10, 0]}}, \
        {left: {position_m: [-30, -10, 0.2]}, right: {position_m: [-30, 10, 0]}}, \
        {left: {position_m: [-60, -10, 0]}, right: {position_m: [-60, 10, 0]}}]}";

    #[test]
    fn scores_equal_those_of_vrx() {
        for (k, expected) in crate::vrx::GATES.iter().enumerate() {
            let task = build(TASK).unwrap();
            let state = run(&task, 200.0, |t| Scenario {
                touching: if crate::vrx::collides(t) {
                    vec!["pier".into()]
                } else {
                    vec![]
                },
                ..Scenario::of(&[crate::vrx::course(k, t)])
            });
            assert!(
                (task.score(&state) - expected).abs() < 1e-9,
                "course {k}: {}",
                task.score(&state)
            );
        }
    }

    #[test]
    fn gates_in_the_wrong_direction_are_invalid() {
        let task = build(TASK).unwrap();
        // through gate 0, around gate 1, back through it, then through gate 2
        let state = run(&task, 200.0, |t| {
            let (x, y) = match t {
                t if t < 20.0 => (10.0 - t, 0.0),
                t if t < 50.0 => (-10.0 - (t - 20.0), 20.0),
                t if t < 60.0 => (-40.0, 20.0 - 2.0 * (t - 50.0)),
                t if t < 80.0 => (-40.0 + (t - 60.0), 0.0),
                t if t < 90.0 => (-20.0, 2.0 * (t - 80.0)),
                t if t < 120.0 => (-20.0 - (t - 90.0), 20.0),
                t if t < 130.0 => (-50.0, 20.0 - 2.0 * (t - 120.0)),
                t => (-50.0 - (t - 130.0), 0.0),
            };
            Scenario::of(&[pose(x, y, 0.0, 0.0)])
        });
        let all = events(&state);
        assert!(
            all.contains(&"crossed gate 1 in the wrong direction"),
            "{all:?}"
        );
        // no bonus after an invalid gate; one for the last gate
        assert_eq!(task.score(&state), 10.0 + 10.0 + 1.0);
    }

    #[test]
    fn gates_of_no_width_are_refused() {
        let text = TASK.replace("[0, -10, 0]", "[0, 10, 5]");
        assert!(build(&text).unwrap_err().contains("gate 0 is 0 m wide"));
        let text = TASK.replace("left: {position_m: [0, -10, 0]}", "left: {object: red}");
        assert!(build(&text).unwrap_err().contains("no object red"));
    }
}
