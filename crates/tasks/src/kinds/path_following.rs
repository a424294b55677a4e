//! Path following: stay on a path from its beginning to its end.
//!
//! # Law
//! ```text
//!   s ← max(s, s*)  while d ≤ c                   (1)  progress along the path
//!   S = √(Σ d² / n) + w (1 - s / L)               (2)
//! ```
//! # Symbols
//! d distance from the nearest point of the path within the reach of s [m] · s* distance along the
//! path of that point [m] · c `corridor_m` · L length of the path [m] · n number of ticks since the
//! robot has entered the corridor · w `unfinished_m`.
//!
//! # Limits
//! The nearest point is searched from s - c to s + c, so that a path may cross itself; a robot that
//! leaves the corridor continues where it left. Before it enters the corridor, only the second term
//! of (2) counts.
//!
//! # Checked by
//! tests below

use crate::geometry::distance_to_segment;
use crate::law::{
    Anchor, Better, Marker, Progress, Run, Shape, Site, TaskLaw, Tick, check_reachable,
    is_horizontal,
};
use merrow_math::Vec3;
use merrow_persist::Persist;
use merrow_yaml::spec::spec;

spec! {
    /// Follow a path from its beginning to its end. Score: root mean square of the distance from the
    /// path, and a part for what is left of it; lower is better.
    pub struct PathFollowingKeys {
        /// Corners of the path in the world (east, north, up).
        path_m: Vec<[f64; 3]> [not_empty],
        /// Distance from the path within which the robot makes progress.
        corridor_m: f64 [positive] = 10.0,
        /// Part of the score for a path of which nothing is done.
        unfinished_m: f64 [in 0.0..=1e9] = 100.0,
        /// Whether only horizontal distances count. Default: true for robots at the surface.
        horizontal: Option<bool>,
    }
}

/// Law of path following.
#[derive(Clone, Debug, PartialEq)]
pub struct PathFollowing {
    /// Corners of the path in W [m].
    pub path: Vec<Vec3>,
    /// Length of the path up to each corner [m].
    pub lengths: Vec<f64>,
    /// Whether only horizontal distances count.
    pub horizontal: bool,
    /// Keys of the file.
    pub keys: PathFollowingKeys,
}

/// What a robot has done.
#[derive(Clone, Debug, Default, PartialEq, Persist)]
pub struct State {
    /// Progress along the path [m].
    pub progress: f64,
    /// Distance from the path [m]; infinite before the first tick.
    pub distance: f64,
    /// Sum of the squares of the distances [m²].
    pub sum: f64,
    /// Number of ticks since the robot has entered the corridor.
    pub samples: u64,
}

impl PathFollowing {
    fn length(&self) -> f64 {
        self.lengths[self.lengths.len() - 1]
    }

    /// Returns the distance from the path near the progress `s`, and the distance along the path of
    /// the nearest point [m].
    fn nearest(&self, s: f64, p: Vec3) -> (f64, f64) {
        let corridor = self.keys.corridor_m;
        let flat = |p: Vec3| match self.horizontal {
            true => Vec3::new(p.x, p.y, 0.0),
            false => p,
        };
        let mut best = (f64::INFINITY, s);
        for k in 1..self.path.len() {
            if self.lengths[k] < s - corridor || self.lengths[k - 1] > s + corridor {
                continue;
            }
            let (a, b) = (flat(self.path[k - 1]), flat(self.path[k]));
            let (distance, along) = distance_to_segment(a, b, flat(p));
            if distance < best.0 {
                best = (distance, self.lengths[k - 1] + along);
            }
        }
        best
    }

    fn score(&self, state: &State) -> f64 {
        let rms = (state.sum / state.samples.max(1) as f64).sqrt();
        rms + self.keys.unfinished_m * (1.0 - state.progress / self.length())
    }
}

impl TaskLaw for PathFollowing {
    type Keys = PathFollowingKeys;
    type State = State;
    const BETTER: Better = Better::Lower;

    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self> {
        let horizontal = is_horizontal(keys.horizontal, names);
        let path: Vec<Vec3> = keys.path_m.iter().map(|p| Vec3::from(*p)).collect();
        let place = keys.at.key_place("path_m");
        let mut lengths = vec![0.0];
        for (k, pair) in path.windows(2).enumerate() {
            let mut leg = pair[1] - pair[0];
            leg.z *= if horizontal { 0.0 } else { 1.0 };
            if leg.norm() == 0.0 {
                let text = format!(
                    "the corners {k} and {} of `path_m` are at one place; remove one",
                    k + 1
                );
                names.error(place, &text);
                return None;
            }
            lengths.push(lengths[k] + leg.norm());
        }
        if path.len() < 2 {
            names.error(place, "`path_m`: expected at least 2 corners, found 1");
            return None;
        }
        for (k, p) in path.iter().enumerate() {
            check_reachable(
                *p,
                horizontal,
                &format!("corner {k} of `path_m`"),
                place,
                names,
            );
        }
        Some(Self {
            path,
            lengths,
            horizontal,
            keys: keys.clone(),
        })
    }

    fn start(&self) -> State {
        State {
            distance: f64::INFINITY,
            ..State::default()
        }
    }

    fn tick(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        let (distance, along) = self.nearest(state.progress, tick.motion.p_WB);
        let was_inside = state.distance <= self.keys.corridor_m;
        let is_inside = distance <= self.keys.corridor_m;
        state.distance = distance;
        if is_inside {
            state.progress = state.progress.max(along).min(self.length());
        }
        if is_inside != was_inside && (is_inside || state.samples > 0) {
            run.event(if is_inside {
                "entered the corridor"
            } else {
                "left the corridor"
            });
        }
        if is_inside || state.samples > 0 {
            state.sum += distance * distance;
            state.samples += 1;
        }
        run.set(self.score(state));
        if state.progress >= self.length() {
            run.finish("reached the end of the path");
        }
    }

    fn progress(&self, state: &State) -> Progress {
        let done = self
            .lengths
            .iter()
            .filter(|s| **s <= state.progress)
            .count();
        let done = if state.samples == 0 { 0 } else { done };
        Progress {
            done,
            total: self.path.len(),
            next: self.path.get(done).map(|p| Anchor::Fixed(*p)),
        }
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        if state.distance.is_finite() {
            visit("cross_track_error", state.distance);
        }
        let rms = (state.sum / state.samples.max(1) as f64).sqrt();
        visit("rms_cross_track_error", rms);
        visit("path_fraction", state.progress / self.length());
    }

    fn markers(&self) -> Vec<Marker> {
        let corners = self.path.iter().map(|p| Anchor::Fixed(*p));
        vec![Marker::new(Shape::Line, "path", corners.collect())]
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::testing::{Scenario, build, events, figure, pose, run};

    const TASK: &str = "{kind: path_following, path_m: [[0, 0, 0], [20, 0, 0], [20, 20, 0]], corridor_m: 5, \
        running_duration_s: 100}";

    #[test]
    fn offsets_score_their_distance() {
        let task = build(TASK).unwrap();
        // along the path, 1 m to its left
        let state = run(&task, 60.0, |t| {
            let (x, y) = if t < 19.0 { (t, 1.0) } else { (19.0, t - 18.0) };
            Scenario::of(&[pose(x, y, 0.0, 0.0)])
        });
        assert!(events(&state).contains(&"reached the end of the path"));
        assert!(
            (task.score(&state) - 1.0).abs() < 1e-12,
            "{}",
            task.score(&state)
        );
    }

    #[test]
    fn unfinished_paths_score_their_rest() {
        let task = build(TASK).unwrap();
        let state = run(&task, 10.0, |t| Scenario::of(&[pose(t, 0.0, 0.0, 0.0)]));
        assert!((task.score(&state) - 75.0).abs() < 1e-9);
        assert!((figure(&task, &state, "path_fraction") - 0.25).abs() < 1e-12);
        // a robot that goes to the end directly makes no progress
        let state = run(&task, 10.0, |t| {
            Scenario::of(&[pose(2.0 * t, 2.0 * t, 0.0, 0.0)])
        });
        assert!(task.score(&state) > 80.0);
    }

    #[test]
    fn short_paths_are_refused() {
        let one = TASK.replace("[0, 0, 0], [20, 0, 0], [20, 20, 0]", "[0, 0, 0]");
        assert!(build(&one).unwrap_err().contains("at least 2 corners"));
        let two = TASK.replace("[20, 20, 0]", "[20, 0, 0]");
        assert!(build(&two).unwrap_err().contains("at one place"));
    }
}
