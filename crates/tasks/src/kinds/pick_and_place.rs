//! Pick and place: move objects to their places.
//!
//! # Law
//! ```text
//!   a coupling of `grippers` is engaged and the object is further than h from its start:  picked, S ← S + a
//!   picked, no coupling engaged, |p - g| ≤ r and |v| ≤ w for T:                           placed, S ← S + b
//! ```
//! # Symbols
//! p, v position and velocity of the object · g its place · h `lift_m` · r `radius_m` · w
//! `max_speed_m_s` · T `settle_time_s` · a `pick_points` · b `place_points`.
//!
//! # Limits
//! An object that is pushed to its place without a gripper is not picked, and counts only if
//! `grippers` is empty. A coupling counts for the object that moves with it.
//!
//! # Checked by
//! tests below

use crate::keys::GoalKeys;
use crate::law::{
    Anchor, Better, Goal, Marker, Progress, Run, Site, TaskLaw, Tick, build_goal, check_reachable,
    find_others,
};
use merrow_math::Vec3;
use merrow_persist::Persist;
use merrow_yaml::spec::spec;

spec! {
    /// Move objects to their places. Score: points; higher is better.
    pub struct PickAndPlaceKeys {
        /// The objects.
        objects: Vec<MovedKeys> [not_empty],
        /// Names of the couplings that can hold the objects. Empty: the objects may be pushed.
        grippers: Vec<String> [name] = Vec::new(),
        /// Distance from its start at which an object counts as picked.
        lift_m: f64 [positive] = 0.1,
        /// Time for which an object must rest at its place.
        settle_time_s: f64 [in 0.0..=1e9] = 1.0,
        /// Largest speed of an object that rests.
        max_speed_m_s: f64 [positive] = 0.05,
        /// Points per object that is picked.
        pick_points: f64 [in 0.0..=1e9] = 10.0,
        /// Points per object at its place.
        place_points: f64 [in 0.0..=1e9] = 20.0,
    }

    /// An object and its place.
    pub struct MovedKeys {
        /// Name of the prop or robot.
        object: String [name],
        /// Largest distance from the place.
        radius_m: f64 [positive] = 0.5,
        ..place: GoalKeys,
    }
}

/// Law of pick and place.
#[derive(Clone, Debug, PartialEq)]
pub struct PickAndPlace {
    /// Bodies, their starts in W [m] and their places.
    pub objects: Vec<(usize, Vec3, Goal)>,
    /// Indices of the couplings.
    pub grippers: Vec<usize>,
    /// Keys of the file.
    pub keys: PickAndPlaceKeys,
}

/// What happened to an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Persist)]
pub struct ObjectState {
    /// Whether it was picked.
    pub is_picked: bool,
    /// Time for which it rests at its place [s].
    pub rest_s: f64,
    /// Whether it is placed.
    pub is_placed: bool,
}

/// What a robot has done.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct State {
    /// One entry per object.
    pub objects: Vec<ObjectState>,
}

impl TaskLaw for PickAndPlace {
    type Keys = PickAndPlaceKeys;
    type State = State;
    const BETTER: Better = Better::Higher;

    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self> {
        let given = keys.objects.iter();
        let given = given.map(|moved| (moved.object.as_str(), moved.at.key_place("object")));
        let bodies = find_others(given, "object", names)?;
        let mut objects = Vec::new();
        for (moved, body) in keys.objects.iter().zip(bodies) {
            if names.has_route(body) {
                let text = format!(
                    "`object`: {} moves along a route; expected a prop",
                    moved.object
                );
                names.error(moved.at.key_place("object"), &text);
                return None;
            }
            let goal = build_goal(&moved.place, names)?;
            let what = format!("the place of {}", moved.object);
            // an object may lie on the ground
            let above = goal.p_W + Vec3::new(0.0, 0.0, moved.radius_m);
            check_reachable(above, false, &what, &moved.at.whole, names);
            objects.push((body, names.start(body), goal));
        }
        let place = keys.at.key_place("grippers");
        let grippers = keys.grippers.iter();
        let grippers: Option<_> = grippers
            .map(|name| names.find_coupling(name, place))
            .collect();
        Some(Self {
            objects,
            grippers: grippers?,
            keys: keys.clone(),
        })
    }

    fn start(&self) -> State {
        State {
            objects: vec![ObjectState::default(); self.objects.len()],
        }
    }

    fn tick(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        let holds = self.grippers.iter().any(|k| tick.truth.is_engaged(*k));
        for (k, (body, start, goal)) in self.objects.iter().enumerate() {
            let (object, keys) = (&mut state.objects[k], &self.keys.objects[k]);
            let motion = tick.truth.motion(*body);
            if object.is_placed || !motion.p_WB.is_finite() {
                continue;
            }
            let is_away = (motion.p_WB - *start).norm() > self.keys.lift_m;
            let is_held = holds || self.grippers.is_empty();
            if !object.is_picked && is_away && is_held {
                object.is_picked = true;
                run.add(self.keys.pick_points);
                run.event(format!("picked {}", keys.object));
            }
            let is_there = (motion.p_WB - goal.p_W).norm() <= keys.radius_m;
            let rests = motion.v_WB.norm() <= self.keys.max_speed_m_s;
            let is_free = !holds || self.grippers.is_empty();
            object.rest_s = match object.is_picked && is_there && rests && is_free {
                true => object.rest_s + tick.dt_s,
                false => 0.0,
            };
            if object.rest_s > 0.0 && object.rest_s >= self.keys.settle_time_s {
                object.is_placed = true;
                run.add(self.keys.place_points);
                run.event(format!("placed {}", keys.object));
            }
        }
        if state.objects.iter().all(|object| object.is_placed) {
            run.finish("placed all objects");
        }
    }

    fn fits(&self, state: &State) -> bool {
        state.objects.len() == self.objects.len()
    }

    fn progress(&self, state: &State) -> Progress {
        let next = state.objects.iter().position(|object| !object.is_placed);
        let next = next.map(|k| match (state.objects[k].is_picked, self.objects[k]) {
            (false, (body, ..)) => Anchor::Body(body),
            (true, (_, _, goal)) => Anchor::Fixed(goal.p_W),
        });
        Progress {
            done: state
                .objects
                .iter()
                .filter(|object| object.is_placed)
                .count(),
            total: self.objects.len(),
            next,
        }
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        let picked = state.objects.iter().filter(|object| object.is_picked);
        visit("objects_picked", picked.count() as f64);
        let placed = state.objects.iter().filter(|object| object.is_placed);
        visit("objects_placed", placed.count() as f64);
    }

    fn markers(&self) -> Vec<Marker> {
        let objects = self.objects.iter().zip(&self.keys.objects);
        objects
            .map(|((.., goal), keys)| Marker::goal(format!("place of {}", keys.object), goal))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::testing::{Scenario, build, events, pose, run};
    use merrow_math::Vec3;

    const TASK: &str = "{kind: pick_and_place, grippers: [gripper], \
        objects: [{object: other, position_m: [20, 0, -5], radius_m: 1}]}";

    fn scenario(t: f64, is_engaged: bool) -> Scenario {
        let x = 10.0 + (t - 2.0).clamp(0.0, 10.0);
        let mut object = pose(x, 0.0, -5.0, 0.0);
        object.v_WB = Vec3::new(if t > 2.0 && t < 12.0 { 1.0 } else { 0.0 }, 0.0, 0.0);
        Scenario {
            is_engaged,
            ..Scenario::of(&[pose(0.0, 0.0, 0.0, 0.0), object])
        }
    }

    #[test]
    fn carried_objects_are_picked_and_placed() {
        let task = build(TASK).unwrap();
        let state = run(&task, 20.0, |t| scenario(t, t > 1.0 && t < 13.0));
        assert_eq!(task.score(&state), 30.0);
        assert!(events(&state).contains(&"placed all objects"));
        let held = run(&task, 20.0, |t| scenario(t, t > 1.0));
        assert_eq!(task.score(&held), 10.0);
        let pushed = run(&task, 20.0, |t| scenario(t, false));
        assert_eq!(task.score(&pushed), 0.0);
        let pushable = build(&TASK.replace("[gripper]", "[]")).unwrap();
        assert_eq!(
            pushable.score(&run(&pushable, 20.0, |t| scenario(t, false))),
            30.0
        );
    }

    #[test]
    fn structures_cannot_be_moved() {
        let text = TASK.replace("other", "pier");
        assert!(build(&text).unwrap_err().contains("does not move"));
    }
}
