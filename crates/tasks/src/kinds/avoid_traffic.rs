//! Avoiding traffic: reach a goal among other vessels by the rules of the road.
//!
//! # Law
//! An encounter with a vessel begins when both are nearer than the range R and approach to less than
//! the safe distance D. Its rule follows from the bearings at that time:
//! ```text
//!   |α| > 112.5° and faster than the vessel:  overtaking (13), keep clear
//!   |β| > 112.5°:                             overtaken (13), stand on
//!   |α|, |β| < h:                             head-on (14), pass with the vessel to port
//!   β > 0:                                    crossing (15), keep clear, do not pass ahead
//!   β < 0:                                    crossing (17), stand on
//! ```
//! ```text
//!   a_i = clamp((r_i - C) / (D - C), 0, 1)  times 1 if the rule was kept, 1/2 if not   (1)
//!   S = A f (1/n) Σ a_i + G [goal reached]                                             (2)
//! ```
//! # Symbols
//! β bearing of the vessel from the robot, positive to starboard · α bearing of the robot from the
//! vessel · h `head_on_deg` · r_i smallest distance in encounter i [m] · C `collision_distance_m` · D
//! `safe_distance_m` · R `encounter_range_m` · f largest part of the way to the goal so far · n number
//! of encounters, without any the mean is 1 · A `traffic_points` · G `goal_points`.
//!
//! # Source
//! Convention on the International Regulations for Preventing Collisions at Sea (1972), rules 13 to
//! 17. The division into a part for the distance and one for the manoeuvre follows Woerner, Benjamin,
//! Novitzky, Leonard: Quantifying protocol evaluation for autonomous collision avoidance, Autonomous
//! Robots 43 (2019).
//!
//! # Limits
//! Distances are those of the origins of the vessels. Standing on means a course and a speed within
//! `course_tolerance_deg` and `speed_tolerance` of those at the beginning, down to half of the safe
//! distance, where rule 17 allows any manoeuvre. Visibility, sound signals, vessels under sail and
//! narrow channels (rules 9, 12, 18, 19) are not considered.
//!
//! # Checked by
//! tests below

use crate::geometry::{heading_error, horizontal_distance};
use crate::keys::GoalKeys;
use crate::law::{
    Anchor, Better, Goal, Marker, Motion, Progress, Run, Shape, Site, TaskLaw, Tick, build_goal,
    check_reachable, find_others,
};
use merrow_math::Vec3;
use merrow_math::real::wrap_angle;
use merrow_persist::Persist;
use merrow_yaml::spec::spec;

/// Bearing of the end of the sector of the side lights, 22.5° abaft the beam [deg].
const SIDE_LIGHT: f64 = 112.5;
/// Slowest speed that has a course [m/s].
const MIN_SPEED: f64 = 0.1;

spec! {
    /// Reach a goal among other vessels by the rules of the road. Score: points; higher is better.
    pub struct AvoidTrafficKeys {
        /// Where to go.
        goal: GoalKeys,
        /// Distance at which the goal is reached.
        radius_m: f64 [positive] = 10.0,
        /// Names of the robots, props and actors that are the traffic.
        traffic: Vec<String> [name, not_empty],
        /// Distance at which an encounter begins.
        encounter_range_m: f64 [positive] = 150.0,
        /// Distance at which vessels pass safely.
        safe_distance_m: f64 [positive] = 40.0,
        /// Distance that scores as a collision.
        collision_distance_m: f64 [in 0.0..=1e9] = 10.0,
        /// Largest bearing of a vessel that is met head-on.
        head_on_deg: f64 [in 1.0..=45.0] = 15.0,
        /// Largest change of course of a vessel that stands on.
        course_tolerance_deg: f64 [in 1.0..=90.0] = 10.0,
        /// Largest relative change of speed of a vessel that stands on.
        speed_tolerance: f64 [fraction] = 0.2,
        /// Points for reaching the goal.
        goal_points: f64 [in 0.0..=1e9] = 50.0,
        /// Points for all encounters.
        traffic_points: f64 [in 0.0..=1e9] = 50.0,
    }
}

/// Law of avoiding traffic.
#[derive(Clone, Debug, PartialEq)]
pub struct AvoidTraffic {
    /// Where to go.
    pub goal: Goal,
    /// Indices of the vessels.
    pub traffic: Vec<usize>,
    /// Keys of the file.
    pub keys: AvoidTrafficKeys,
}

/// Rule of an encounter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub enum Rule {
    /// The robot overtakes.
    Overtaking,
    /// The robot is overtaken.
    Overtaken,
    /// Both meet head-on.
    HeadOn,
    /// The robot gives way to a vessel that crosses.
    GiveWay,
    /// A vessel that crosses gives way to the robot.
    StandOn,
}

impl Rule {
    /// Returns the words for the rule in events.
    fn keyword(self) -> &'static str {
        match self {
            Self::Overtaking => "overtaking",
            Self::Overtaken => "being overtaken",
            Self::HeadOn => "head-on",
            Self::GiveWay => "crossing, give way",
            Self::StandOn => "crossing, stand on",
        }
    }
}

/// An encounter.
#[derive(Clone, Copy, Debug, PartialEq, Persist)]
pub struct Encounter {
    /// Its rule.
    pub rule: Rule,
    /// Course [rad] and speed [m/s] of the robot at its beginning.
    pub course_speed: [f64; 2],
    /// Smallest distance [m].
    pub min_range: f64,
    /// Position of the robot in the axes of the vessel at the last tick [m].
    pub from_vessel: [f64; 2],
    /// Whether the vessels still approach.
    pub approaches: bool,
    /// Whether the rule was broken.
    pub is_broken: bool,
    /// Whether the vessels have passed.
    pub has_passed: bool,
}

/// What a robot has done.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct State {
    /// One entry per vessel: its last encounter.
    pub encounters: Vec<Option<Encounter>>,
    /// Sum of (1) over the encounters before these, and their number.
    pub earlier: [f64; 2],
    /// Distance from the goal at the start, and the smallest so far [m].
    pub distances: Option<[f64; 2]>,
    /// Whether the goal is reached.
    pub is_reached: bool,
}

/// Returns the course of a motion, or its heading if it is slow [rad].
fn course(motion: &Motion) -> f64 {
    let v = motion.v_WB;
    match speed(motion) < MIN_SPEED {
        true => motion.yaw(),
        false => libm::atan2(v.y, v.x),
    }
}

fn speed(motion: &Motion) -> f64 {
    horizontal_distance(motion.v_WB, Vec3::zero())
}

/// Returns the bearing of `to` from `from`, positive to starboard, -180..180 [deg].
fn bearing(from: &Motion, to: &Motion) -> f64 {
    let r = to.p_WB - from.p_WB;
    wrap_angle(course(from) - libm::atan2(r.y, r.x)).to_degrees()
}

/// Returns the position of `own` forward and left of the vessel, along its course [m].
fn in_axes_of(vessel: &Motion, own: &Motion) -> [f64; 2] {
    let r = own.p_WB - vessel.p_WB;
    let (s, c) = merrow_math::real::sin_cos(course(vessel));
    [c * r.x + s * r.y, c * r.y - s * r.x]
}

/// Returns the time to the closest point of approach [s], and the distance there [m].
fn closest_approach(own: &Motion, vessel: &Motion) -> (f64, f64) {
    let flat = |v: Vec3| Vec3::new(v.x, v.y, 0.0);
    let r = flat(vessel.p_WB - own.p_WB);
    let v = flat(vessel.v_WB - own.v_WB);
    let square = v.dot(v);
    let time = if square > 0.0 {
        -r.dot(v) / square
    } else {
        0.0
    };
    (time, (r + v.scale(time)).norm())
}

impl AvoidTraffic {
    fn rule(&self, own: &Motion, vessel: &Motion) -> Rule {
        let (beta, alpha) = (bearing(own, vessel), bearing(vessel, own));
        let head_on = self.keys.head_on_deg;
        if alpha.abs() > SIDE_LIGHT && speed(own) > speed(vessel) {
            Rule::Overtaking
        } else if beta.abs() > SIDE_LIGHT {
            Rule::Overtaken
        } else if alpha.abs() < head_on && beta.abs() < head_on {
            Rule::HeadOn
        } else if beta > 0.0 {
            Rule::GiveWay
        } else {
            Rule::StandOn
        }
    }

    /// Returns a new encounter, if there is one.
    fn begin(&self, own: &Motion, vessel: &Motion) -> Option<Encounter> {
        let range = horizontal_distance(own.p_WB, vessel.p_WB);
        let (time, distance) = closest_approach(own, vessel);
        let approaches = time > 0.0 && distance < self.keys.safe_distance_m;
        (range <= self.keys.encounter_range_m && approaches).then(|| Encounter {
            rule: self.rule(own, vessel),
            course_speed: [course(own), speed(own)],
            min_range: range,
            from_vessel: in_axes_of(vessel, own),
            approaches: true,
            is_broken: false,
            has_passed: false,
        })
    }

    /// Moves an encounter on by one tick. Returns what was done wrong.
    fn update(&self, e: &mut Encounter, own: &Motion, vessel: &Motion) -> Option<&'static str> {
        let range = horizontal_distance(own.p_WB, vessel.p_WB);
        e.min_range = e.min_range.min(range);
        let before = std::mem::replace(&mut e.from_vessel, in_axes_of(vessel, own));
        let (time, _) = closest_approach(own, vessel);
        let passes = time <= 0.0;
        let is_closest = std::mem::replace(&mut e.approaches, !passes) && passes;
        let wrong = match e.rule {
            Rule::Overtaking => None,
            Rule::HeadOn => (is_closest && bearing(own, vessel) > 0.0)
                .then_some("passed with the vessel to starboard"),
            Rule::GiveWay => {
                let crosses = before[1] * e.from_vessel[1] <= 0.0 && e.from_vessel[0] > 0.0;
                crosses.then_some("passed ahead of the vessel")
            }
            Rule::Overtaken | Rule::StandOn => {
                let [start, start_speed] = e.course_speed;
                let turn = heading_error(start, course(own)).to_degrees();
                let change = (speed(own) - start_speed).abs();
                let changes = turn > self.keys.course_tolerance_deg
                    || change > self.keys.speed_tolerance * start_speed;
                let must_stand_on = !passes && range > 0.5 * self.keys.safe_distance_m;
                (changes && must_stand_on).then_some("did not stand on")
            }
        };
        e.has_passed = passes && range > e.min_range + 1.0;
        let is_new = wrong.is_some() && !e.is_broken;
        e.is_broken |= wrong.is_some();
        wrong.filter(|_| is_new)
    }

    /// Returns (1).
    fn value(&self, e: &Encounter) -> f64 {
        let (collision, safe) = (self.keys.collision_distance_m, self.keys.safe_distance_m);
        let distance = ((e.min_range - collision) / (safe - collision)).clamp(0.0, 1.0);
        distance * if e.is_broken { 0.5 } else { 1.0 }
    }

    /// Returns the mean of (1) and the number of encounters.
    fn mean(&self, state: &State) -> (f64, f64) {
        let now = state.encounters.iter().flatten();
        let n = state.earlier[1] + now.clone().count() as f64;
        let sum = state.earlier[0] + now.map(|e| self.value(e)).sum::<f64>();
        (if n == 0.0 { 1.0 } else { sum / n }, n)
    }

    fn part_of_way(&self, state: &State) -> f64 {
        match state.distances {
            _ if state.is_reached => 1.0,
            Some([start, least]) if start > 0.0 => 1.0 - least / start,
            _ => 0.0,
        }
    }

    fn score(&self, state: &State) -> f64 {
        let reached = if state.is_reached {
            self.keys.goal_points
        } else {
            0.0
        };
        self.keys.traffic_points * self.part_of_way(state) * self.mean(state).0 + reached
    }
}

impl TaskLaw for AvoidTraffic {
    type Keys = AvoidTrafficKeys;
    type State = State;
    const BETTER: Better = Better::Higher;

    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self> {
        let goal = build_goal(&keys.goal, names)?;
        check_reachable(goal.p_W, true, "`goal`", &keys.goal.at.whole, names);
        let place = keys.at.key_place("traffic");
        let given = keys.traffic.iter().map(|name| (name.as_str(), place));
        let traffic = find_others(given, "traffic", names)?;
        for (key, low, high) in [
            (
                "safe_distance_m",
                keys.collision_distance_m,
                keys.safe_distance_m,
            ),
            (
                "encounter_range_m",
                keys.safe_distance_m,
                keys.encounter_range_m,
            ),
        ] {
            if low >= high {
                let text = format!("`{key}` is {high}; expected more than {low}");
                names.error(keys.at.key_place(key), &text);
                return None;
            }
        }
        Some(Self {
            goal,
            traffic,
            keys: keys.clone(),
        })
    }

    fn start(&self) -> State {
        State {
            encounters: vec![None; self.traffic.len()],
            earlier: [0.0; 2],
            distances: None,
            is_reached: false,
        }
    }

    fn tick(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        let own = &tick.motion;
        let before = self.score(state);
        for k in 0..self.traffic.len() {
            let vessel = tick.truth.motion(self.traffic[k]);
            let name = &self.keys.traffic[k];
            if !vessel.p_WB.is_finite() {
                continue;
            }
            if let Some(e) = &mut state.encounters[k] {
                if let Some(wrong) = self.update(e, own, &vessel) {
                    run.event(format!("{name}: {wrong}"));
                }
                if !e.has_passed {
                    continue;
                }
            }
            if let Some(next) = self.begin(own, &vessel) {
                run.event(format!("{name}: {}", next.rule.keyword()));
                if let Some(last) = state.encounters[k].replace(next) {
                    state.earlier[0] += self.value(&last);
                    state.earlier[1] += 1.0;
                }
            }
        }
        let distance = horizontal_distance(self.goal.p_W, own.p_WB);
        let [start, least] = state.distances.unwrap_or([distance; 2]);
        state.distances = Some([start, least.min(distance)]);
        state.is_reached |= distance <= self.keys.radius_m;
        // penalties are part of the score of the run
        run.set((run.score() + self.score(state) - before).max(0.0));
        if state.is_reached {
            run.finish("reached the goal");
        }
    }

    fn fits(&self, state: &State) -> bool {
        state.encounters.len() == self.traffic.len()
    }

    fn progress(&self, state: &State) -> Progress {
        Progress {
            done: usize::from(state.is_reached),
            total: 1,
            next: Some(Anchor::Fixed(self.goal.p_W)),
        }
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        let (mean, n) = self.mean(state);
        visit("encounters", n);
        visit("encounter_score", mean);
        visit("way_done", self.part_of_way(state));
        for e in state.encounters.iter().flatten() {
            visit("closest_approach", e.min_range);
        }
    }

    fn markers(&self) -> Vec<Marker> {
        let mut all = vec![Marker::goal("goal", &self.goal)];
        let traffic = self.traffic.iter().zip(&self.keys.traffic);
        all.extend(traffic.map(|(body, name)| {
            Marker::new(Shape::Points, name.clone(), vec![Anchor::Body(*body)])
        }));
        all
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::testing::{Scenario, build, events, figure, run};
    use crate::law::Motion;
    use merrow_math::{Quat, Vec3};
    use std::f64::consts::PI;

    const TASK: &str = "{kind: avoid_traffic, goal: {position_m: [200, 0, 0]}, traffic: [other]}";

    /// Returns the motion along a line from (x, y) with a speed and a course.
    fn along([x, y]: [f64; 2], speed: f64, course: f64, t: f64) -> Motion {
        let v = Vec3::new(speed * course.cos(), speed * course.sin(), 0.0);
        Motion {
            q_WB: Quat::from_rpy(0.0, 0.0, course),
            p_WB: Vec3::new(x, y, 0.0) + v.scale(t),
            v_WB: v,
        }
    }

    /// The robot goes east at 2 m/s; it is at `y` between x = 60 and x = 140.
    fn own(y: f64, t: f64) -> Motion {
        let x = 2.0 * t;
        let (side, slope) = match x {
            x if x < 30.0 => (0.0, 0.0),
            x if x < 60.0 => ((x - 30.0) / 30.0, y / 30.0),
            x if x < 140.0 => (1.0, 0.0),
            x if x < 170.0 => ((170.0 - x) / 30.0, -y / 30.0),
            _ => (0.0, 0.0),
        };
        let v = Vec3::new(2.0, 2.0 * slope, 0.0);
        Motion {
            q_WB: Quat::from_rpy(0.0, 0.0, slope.atan()),
            p_WB: Vec3::new(x, y * side, 0.0),
            v_WB: v,
        }
    }

    /// Returns the score and the events of a robot and a vessel.
    fn outcome(own: impl Fn(f64) -> Motion, other: impl Fn(f64) -> Motion) -> (f64, f64, String) {
        let task = build(TASK).unwrap();
        let state = run(&task, 120.0, |t| Scenario::of(&[own(t), other(t)]));
        let mean = figure(&task, &state, "encounter_score");
        (task.score(&state), mean, events(&state).join("; "))
    }

    #[test]
    fn head_on_vessels_pass_port_to_port() {
        let other = |t| along([200.0, 0.0], 2.0, PI, t);
        let (score, mean, all) = outcome(|t| own(-45.0, t), other);
        assert!(all.contains("other: head-on"), "{all}");
        assert_eq!(mean, 1.0);
        assert!((score - 100.0).abs() < 1e-9);
        let (score, mean, all) = outcome(|t| own(45.0, t), other);
        assert!(all.contains("passed with the vessel to starboard"), "{all}");
        assert_eq!(mean, 0.5);
        assert!((score - 75.0).abs() < 1e-9);
        let (score, _, _) = outcome(|t| own(0.0, t), other);
        assert!((score - 50.0).abs() < 1e-9);
    }

    #[test]
    fn crossing_from_starboard_has_the_right_of_way() {
        // towards north, from starboard, through (100, 0) at t = 50
        let other = |t| along([100.0, -100.0], 2.0, PI / 2.0, t);
        let (_, mean, all) = outcome(|t| along([0.0, 0.0], 2.4, 0.0, t), other);
        assert!(all.contains("crossing, give way"), "{all}");
        assert!(all.contains("passed ahead"), "{all}");
        assert!(mean < 0.5);
        let (_, mean, all) = outcome(|t| along([0.0, 0.0], 1.2, 0.0, t), other);
        assert!(!all.contains("passed ahead"), "{all}");
        assert!(mean > 0.5, "{mean} {all}");
    }

    #[test]
    fn the_robot_stands_on_for_a_vessel_from_port() {
        let other = |t: f64| match t {
            t if t < 20.0 => along([100.0, 100.0], 2.0, -PI / 2.0, t),
            // it slows down and passes astern
            t => along([100.0, 60.0], 0.6, -PI / 2.0, t - 20.0),
        };
        let (score, mean, all) = outcome(|t| along([0.0, 0.0], 2.0, 0.0, t), other);
        assert!(
            all.contains("crossing, stand on") && !all.contains("did not"),
            "{all}"
        );
        assert!(mean > 0.9 && score > 95.0, "{mean} {score}");
        let (_, _, all) = outcome(
            |t| own(-45.0, t),
            |t| along([100.0, 100.0], 2.0, -PI / 2.0, t),
        );
        assert!(all.contains("did not stand on"), "{all}");
    }

    #[test]
    fn overtaking_keeps_clear() {
        let other = |t| along([70.0, 0.0], 0.3, 0.0, t);
        let (_, mean, all) = outcome(|t| own(-45.0, t), other);
        assert!(all.contains("overtaking"), "{all}");
        assert!(mean > 0.9, "{mean}");
    }

    #[test]
    fn standing_still_scores_nothing() {
        let (score, _, _) = outcome(
            |_| along([0.0, 0.0], 0.0, 0.0, 0.0),
            |t| along([500.0, 0.0], 0.0, PI, t),
        );
        assert_eq!(score, 0.0);
        let text = TASK.replace("traffic:", "collision_distance_m: 50, traffic:");
        assert!(build(&text).unwrap_err().contains("expected more than 50"));
    }
}
