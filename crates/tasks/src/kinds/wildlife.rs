//! Wildlife: go around some objects and stay away from others.
//!
//! # Law
//! ```text
//!   S = min(t, T) - b n                                              (1)
//! ```
//! Around an object to circle are eight gates from it to the distance D, crossed along the circle. In
//! D of the object, each gate that is crossed in the direction adds 1 to a count; a gate in the other
//! direction, a collision and leaving D reset the count. At 8 the object is circled. The task ends
//! when all objects to circle are.
//!
//! # Symbols
//! t time in the phase `running`, T its maximum [s] · n number of circled objects and of objects to
//! avoid that the robot was never within D of · b `bonus_s` · D `engagement_distance_m`.
//!
//! # Source
//! osrf/vrx at 93ae8d0, `vrx_gz/src/WildlifeScoringPlugin.cc`, with b = 30 s and D = 10 m.
//!
//! # Limits
//! At the end of the time the plug-in leaves the bonus out if (1) would not be positive.
//!
//! # Checked by
//! tests below, against the arithmetic of the plug-in

use crate::geometry::{Side, side_of_gate};
use crate::keys::AnchorKeys;
use crate::law::{Anchor, Better, Marker, Progress, Run, Shape, Site, TaskLaw, Tick, build_anchor};
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_persist::Persist;
use merrow_yaml::spec::spec;
use std::f64::consts::PI;

/// Number of gates around an object.
const GATES: usize = 8;

spec! {
    /// Go around some objects and stay away from others. Score: time less the bonuses; lower is
    /// better.
    pub struct WildlifeKeys {
        /// The objects.
        objects: Vec<CircledKeys> [not_empty],
        /// Distance within which an object is engaged.
        engagement_distance_m: f64 [positive] = 10.0,
        /// Bonus for each object that is circled or avoided.
        bonus_s: f64 [in 0.0..=1e9] = 30.0,
    }

    /// An object and what to do with it.
    pub struct CircledKeys {
        /// What to do.
        conduct: Conduct,
        ..anchor: AnchorKeys,
    }

    /// What to do with an object.
    pub enum Conduct words {
        /// Stay away.
        Avoid = "avoid",
        /// Go around it clockwise, seen from above.
        Clockwise = "clockwise",
        /// Go around it counter-clockwise, seen from above.
        CounterClockwise = "counterclockwise",
    }
}

/// Law of wildlife.
#[derive(Clone, Debug, PartialEq)]
pub struct Wildlife {
    /// Where the objects are.
    pub anchors: Vec<Anchor>,
    /// Directions of the gates.
    pub directions: [Vec3; GATES],
    /// Keys of the file.
    pub keys: WildlifeKeys,
}

/// Whether a robot is near an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
pub enum Contact {
    /// It never was.
    #[default]
    Never,
    /// It was.
    Left,
    /// It is.
    Engaged,
    /// It has circled it.
    Circled,
}

/// Progress around one object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct ObjectState {
    /// Whether the robot is near.
    pub contact: Contact,
    /// Side of each gate at the last tick; `None` directly after it was crossed.
    pub sides: [Option<Side>; GATES],
    /// Number of gates crossed in a row.
    pub crossed: u8,
}

/// What a robot has done.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct State {
    /// One entry per object.
    pub objects: Vec<ObjectState>,
    /// Number of collisions at the last tick.
    pub collisions: u32,
    /// Time in the phase `running` [s].
    pub time_s: f64,
}

impl Wildlife {
    fn conduct(&self, k: usize) -> Conduct {
        self.keys.objects[k].conduct
    }

    fn update(&self, k: usize, object: &mut ObjectState, p: Vec3, at: Vec3, run: &mut Run<'_>) {
        let reach = self.keys.engagement_distance_m;
        let is_near = (p - at).norm() <= reach;
        match (object.contact, is_near) {
            (Contact::Circled, _) | (Contact::Never | Contact::Left, false) => return,
            (Contact::Never | Contact::Left, true) => {
                object.contact = Contact::Engaged;
                if self.conduct(k) == Conduct::Avoid {
                    run.event(format!("too near to object {k}"));
                }
                return;
            }
            (Contact::Engaged, false) => {
                object.contact = Contact::Left;
                object.crossed = 0;
                return;
            }
            (Contact::Engaged, true) => {}
        }
        if self.conduct(k) == Conduct::Avoid {
            return;
        }
        for (gate, direction) in self.directions.iter().enumerate() {
            // counter-clockwise: the object is on the left
            let end = at + direction.scale(reach);
            let side = side_of_gate(at, end, p);
            let turned = match (object.sides[gate], side) {
                (Some(Side::Before), Side::After) => Some(Conduct::CounterClockwise),
                (Some(Side::After), Side::Before) => Some(Conduct::Clockwise),
                _ => None,
            };
            object.sides[gate] = turned.is_none().then_some(side);
            if let Some(turned) = turned {
                let is_right = turned == self.conduct(k);
                object.crossed = if is_right {
                    object.crossed.saturating_add(1)
                } else {
                    0
                };
            }
            if usize::from(object.crossed) == GATES {
                object.contact = Contact::Circled;
                run.event(format!("circled object {k}"));
                return;
            }
        }
    }

    fn score(&self, state: &State) -> f64 {
        let objects = state.objects.iter().enumerate();
        let earned = objects.filter(|(k, object)| match self.conduct(*k) {
            Conduct::Avoid => object.contact == Contact::Never,
            Conduct::Clockwise | Conduct::CounterClockwise => object.contact == Contact::Circled,
        });
        state.time_s - self.keys.bonus_s * earned.count() as f64
    }

    fn is_open(&self, state: &State, k: usize) -> bool {
        self.conduct(k) != Conduct::Avoid && state.objects[k].contact != Contact::Circled
    }
}

impl TaskLaw for Wildlife {
    type Keys = WildlifeKeys;
    type State = State;
    const BETTER: Better = Better::Lower;

    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self> {
        let anchors = keys.objects.iter();
        let anchors: Option<_> = anchors
            .map(|object| build_anchor(&object.anchor, names))
            .collect();
        if keys
            .objects
            .iter()
            .all(|object| object.conduct == Conduct::Avoid)
        {
            let text = "no object to go around, so that the task ends at once; expected an object with another `conduct` than avoid";
            names.error(keys.at.key_place("objects"), text);
            return None;
        }
        Some(Self {
            anchors: anchors?,
            directions: std::array::from_fn(|k| {
                let (s, c) = sin_cos(2.0 * PI / GATES as f64 * k as f64);
                Vec3::new(c, s, 0.0)
            }),
            keys: keys.clone(),
        })
    }

    fn start(&self) -> State {
        State {
            objects: vec![
                ObjectState {
                    sides: [Some(Side::Beside); GATES],
                    ..ObjectState::default()
                };
                self.anchors.len()
            ],
            collisions: 0,
            time_s: 0.0,
        }
    }

    fn tick(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        state.time_s = tick.elapsed_s;
        let collides =
            std::mem::replace(&mut state.collisions, run.collisions()) != run.collisions();
        for (k, anchor) in self.anchors.iter().enumerate() {
            let object = &mut state.objects[k];
            if collides {
                object.crossed = 0;
            }
            self.update(
                k,
                object,
                tick.motion.p_WB,
                anchor.position(tick.truth),
                run,
            );
        }
        run.set(self.score(state));
        if !(0..self.anchors.len()).any(|k| self.is_open(state, k)) {
            run.finish("circled all objects");
        }
    }

    fn fits(&self, state: &State) -> bool {
        state.objects.len() == self.anchors.len()
    }

    fn progress(&self, state: &State) -> Progress {
        let circled = |k: &usize| self.conduct(*k) != Conduct::Avoid;
        let open = |k: &usize| self.is_open(state, *k);
        let all = 0..self.anchors.len();
        let total = all.clone().filter(circled).count();
        Progress {
            done: total - all.clone().filter(open).count(),
            total,
            next: all.clone().find(open).map(|k| self.anchors[k]),
        }
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        visit("time", state.time_s);
        visit("bonus", state.time_s - self.score(state));
        for object in &state.objects {
            visit("gates_around_object", f64::from(object.crossed));
        }
    }

    fn markers(&self) -> Vec<Marker> {
        let anchors = self.anchors.iter().enumerate();
        anchors
            .map(|(k, anchor)| Marker::new(Shape::Points, format!("object {k}"), vec![*anchor]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::testing::{Scenario, build, events, pose, run};

    const TASK: &str = "{kind: wildlife, rate_hz: 10, running_duration_s: 200, objects: [\
        {object: other, conduct: clockwise}, {position_m: [40, 0, 0], conduct: counterclockwise}, \
        {position_m: [0, 60, 0], conduct: avoid}, {position_m: [20, 0, 0], conduct: avoid}]}";

    #[test]
    fn scores_equal_those_of_vrx() {
        let task = build(TASK).unwrap();
        let at = |t: f64| Scenario::of(&[crate::vrx::circles(t), pose(10.0, 0.0, 0.0, 0.0)]);
        let state = run(&task, 200.0, at);
        let score = task.score(&state);
        assert!(
            (score - crate::vrx::WILDLIFE[0]).abs() < 1e-9,
            "{score} {:?}",
            events(&state)
        );
        // a collision during the first circle: it ends with the time
        let state = run(&task, 200.0, |t| Scenario {
            touching: if (39.95..40.05).contains(&t) {
                vec!["pier".into()]
            } else {
                vec![]
            },
            ..at(t)
        });
        let score = task.score(&state);
        assert!(
            (score - crate::vrx::WILDLIFE[1]).abs() < 1e-9,
            "{score} {:?}",
            events(&state)
        );
    }

    #[test]
    fn tasks_that_end_at_once_are_refused() {
        let text = "{kind: wildlife, objects: [{object: other, conduct: avoid}]}";
        assert!(build(text).unwrap_err().contains("ends at once"));
    }
}
