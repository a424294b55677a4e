//! Inspection: bring all parts of an object into the view of a sensor.
//!
//! # Law
//! ```text
//!   point q is seen  ⇔  |r| ≤ R,  r·v ≥ |r| cos β,  -r·n_q ≥ |r| cos γ   (1)   r = q - p
//!   S = 100 Σ_seen / N                                                   (2)
//! ```
//! A point is inspected once it is seen for `dwell_s` altogether.
//!
//! # Symbols
//! p position of the robot · R `range_m` · v `view` in W · β half of `view_angle_deg` · n_q outward
//! normal of the surface, if it has one · γ `incidence_deg` · N number of points.
//!
//! # Limits
//! Objects between the robot and a point do not hide it. The view is that of a cone at the origin of
//! the robot, not of one of its sensors.
//!
//! # Checked by
//! tests below

use crate::keys::ZoneKeys;
use crate::law::{Anchor, Better, Marker, Progress, Run, Shape, Site, TaskLaw, Tick, build_zone};
use merrow_math::Vec3;
use merrow_math::real::sin_cos;
use merrow_persist::Persist;
use merrow_yaml::spec::spec;

/// Maximum number of points.
const MAX_POINTS: f64 = 100_000.0;

spec! {
    /// Bring all parts of an object into view. Score: per cent of the parts; higher is better.
    pub struct InspectionKeys {
        /// What to inspect.
        object: InspectedKeys,
        /// Largest distance at which a part is seen.
        range_m: f64 [positive],
        /// Direction of the view in the axes of the robot (forward, left, up).
        view: [f64; 3] = [1.0, 0.0, 0.0],
        /// Full angle of the view.
        view_angle_deg: f64 [in 1.0..=360.0] = 60.0,
        /// Largest angle between the view of a part and its normal; only for boxes.
        incidence_deg: f64 [in 0.0..=180.0] = 70.0,
        /// Time for which a part must be seen.
        dwell_s: f64 [in 0.0..=1e9] = 0.0,
    }

    /// What to inspect.
    pub enum InspectedKeys {
        /// A line, such as a pipeline, with a part each `spacing_m`.
        Line = "line" {
            /// Corners of the line in the world (east, north, up).
            path_m: Vec<[f64; 3]> [not_empty],
            /// Distance of the parts.
            spacing_m: f64 [positive] = 1.0,
        },
        /// The four sides of a box, with a part for each square of `spacing_m`.
        Box = "box" {
            /// The box.
            zone: ZoneKeys,
            /// Size of the parts.
            spacing_m: f64 [positive] = 1.0,
        },
        /// The upper side of a box, or an area of the seabed, with a part for each square.
        Area = "area" {
            /// The box; a part on the seabed has the height of the seabed, if that is higher.
            zone: ZoneKeys,
            /// Size of the parts.
            spacing_m: f64 [positive] = 5.0,
        },
        /// Places.
        Points = "points" {
            /// The places in the world (east, north, up).
            points_m: Vec<[f64; 3]> [not_empty],
        },
    }
}

/// Law of an inspection.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// Points in W [m], and the outward normals of surfaces.
    pub points: Vec<(Vec3, Option<Vec3>)>,
    /// Unit vector of the view in B.
    pub view: Vec3,
    /// Cosines of half the angle of the view and of the largest incidence.
    pub cosines: [f64; 2],
    /// Keys of the file.
    pub keys: InspectionKeys,
}

/// What a robot has done.
#[derive(Clone, Debug, PartialEq, Persist)]
pub struct State {
    /// Time for which each point was seen [s].
    pub seen_s: Vec<f32>,
    /// Number of inspected points.
    pub inspected: u32,
}

impl Inspection {
    fn is_seen(&self, k: usize, p: Vec3, view: Vec3) -> bool {
        let (point, normal) = self.points[k];
        let r = point - p;
        let distance = r.norm();
        distance <= self.keys.range_m
            && r.dot(view) >= distance * self.cosines[0]
            && normal.is_none_or(|n| -r.dot(n) >= distance * self.cosines[1])
    }

    fn is_inspected(&self, seen_s: f32) -> bool {
        seen_s > 0.0 && f64::from(seen_s) >= self.keys.dwell_s
    }
}

/// Returns the middles of `n` parts of a length, from its beginning [m].
fn middles(length: f64, spacing: f64) -> impl Iterator<Item = f64> + Clone {
    let n = (length / spacing).ceil().max(1.0) as usize;
    (0..n).map(move |k| (k as f64 + 0.5) * length / n as f64)
}

/// Returns the number of points of an object.
fn number_of_points(object: &InspectedKeys) -> f64 {
    let parts = |length: f64, spacing: f64| (length / spacing).ceil().max(1.0);
    match object {
        InspectedKeys::Line {
            path_m, spacing_m, ..
        } => {
            let legs = path_m.windows(2);
            let lengths = legs.map(|leg| (Vec3::from(leg[1]) - Vec3::from(leg[0])).norm());
            // a leg without length has no parts
            let lengths = lengths.filter(|length| *length > 0.0);
            lengths.fold(0.0, |sum, length| sum + parts(length, *spacing_m))
        }
        InspectedKeys::Box {
            zone, spacing_m, ..
        } => {
            let [x, y, z] = zone.size_m.map(|size| parts(size, *spacing_m));
            2.0 * (x + y) * z
        }
        InspectedKeys::Area {
            zone, spacing_m, ..
        } => {
            let [x, y, _] = zone.size_m.map(|size| parts(size, *spacing_m));
            x * y
        }
        InspectedKeys::Points { points_m, .. } => points_m.len() as f64,
    }
}

fn points_of(object: &InspectedKeys, names: &Site<'_>) -> Vec<(Vec3, Option<Vec3>)> {
    let mut all = Vec::new();
    match object {
        InspectedKeys::Line {
            path_m, spacing_m, ..
        } => {
            for leg in path_m.windows(2) {
                let (a, b) = (Vec3::from(leg[0]), Vec3::from(leg[1]));
                let Some(unit) = (b - a).unit() else { continue };
                let along = middles((b - a).norm(), *spacing_m);
                all.extend(along.map(|s| (a + unit.scale(s), None)));
            }
        }
        InspectedKeys::Box {
            zone, spacing_m, ..
        } => {
            let zone = build_zone(zone);
            let (s, c) = sin_cos(zone.yaw);
            let to_world = |p: Vec3| Vec3::new(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
            let half = zone.size_m.scale(0.5);
            let sides = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
            for [i, j] in sides {
                let normal = Vec3::new(i, j, 0.0);
                let (depth, width) = if i == 0.0 {
                    (half.y, half.x)
                } else {
                    (half.x, half.y)
                };
                let across = Vec3::new(-j, i, 0.0);
                for u in middles(2.0 * width, *spacing_m) {
                    for v in middles(2.0 * half.z, *spacing_m) {
                        let own = normal.scale(depth) + across.scale(u - width);
                        let p = own + Vec3::new(0.0, 0.0, v - half.z);
                        all.push((zone.p_W + to_world(p), Some(to_world(normal))));
                    }
                }
            }
        }
        InspectedKeys::Area {
            zone, spacing_m, ..
        } => {
            let zone = build_zone(zone);
            let (s, c) = sin_cos(zone.yaw);
            let half = zone.size_m.scale(0.5);
            for u in middles(zone.size_m.x, *spacing_m) {
                for v in middles(zone.size_m.y, *spacing_m) {
                    let (u, v) = (u - half.x, v - half.y);
                    let mut p = zone.p_W + Vec3::new(c * u - s * v, s * u + c * v, half.z);
                    p.z = p.z.max(names.seabed(p.x, p.y));
                    all.push((p, Some(Vec3::new(0.0, 0.0, 1.0))));
                }
            }
        }
        InspectedKeys::Points { points_m, .. } => {
            all.extend(points_m.iter().map(|p| (Vec3::from(*p), None)));
        }
    }
    all
}

impl TaskLaw for Inspection {
    type Keys = InspectionKeys;
    type State = State;
    const BETTER: Better = Better::Higher;

    fn build(keys: &Self::Keys, names: &Site<'_>) -> Option<Self> {
        let place = keys.at.key_place("object");
        // before the points are built: they can be too many
        let n = number_of_points(&keys.object);
        if !(1.0..=MAX_POINTS).contains(&n) {
            let text = format!(
                "`object` has {n:.0} parts; expected 1 to {MAX_POINTS}; change `spacing_m`"
            );
            names.error(place, &text);
            return None;
        }
        let Some(view) = Vec3::from(keys.view).unit() else {
            let text = "`view` has no length; expected numbers that are not all 0";
            names.error(keys.at.key_place("view"), text);
            return None;
        };
        let points = points_of(&keys.object, names);
        if points.is_empty() {
            names.error(place, "`object` has no length; expected a longer line");
            return None;
        }
        let hidden = points
            .iter()
            .filter(|(p, _)| names.seabed(p.x, p.y) > p.z + 1e-6);
        let hidden = hidden.count();
        if hidden > 0 {
            let text = format!("{hidden} of {n} parts of `object` are in the seabed");
            names.note(place, &text);
        }
        let cosine = |degrees: f64| sin_cos(degrees.to_radians()).1;
        Some(Self {
            points,
            view,
            cosines: [
                cosine(0.5 * keys.view_angle_deg),
                cosine(keys.incidence_deg),
            ],
            keys: keys.clone(),
        })
    }

    fn start(&self) -> State {
        State {
            seen_s: vec![0.0; self.points.len()],
            inspected: 0,
        }
    }

    fn tick(&self, state: &mut State, tick: &Tick<'_>, run: &mut Run<'_>) {
        let p = tick.motion.p_WB;
        let view = tick.motion.q_WB.matrix().mul_vec(self.view);
        let quarter = |inspected: u32| 4 * inspected as usize / self.points.len();
        let (before, inspected_before) = (quarter(state.inspected), state.inspected);
        for k in 0..self.points.len() {
            let seen_s = state.seen_s[k];
            if !self.is_inspected(seen_s) && self.is_seen(k, p, view) {
                state.seen_s[k] = seen_s + tick.dt_s as f32;
                state.inspected += u32::from(self.is_inspected(state.seen_s[k]));
            }
        }
        let share = f64::from(state.inspected) / self.points.len() as f64;
        if quarter(state.inspected) > before {
            run.event(format!("inspected {:.0} %", 100.0 * share));
        }
        let gain = f64::from(state.inspected - inspected_before) / self.points.len() as f64;
        run.add(100.0 * gain);
        if state.inspected as usize == self.points.len() {
            run.finish("inspected everything");
        }
    }

    fn fits(&self, state: &State) -> bool {
        state.seen_s.len() == self.points.len()
    }

    fn progress(&self, state: &State) -> Progress {
        let open = |k: &usize| !self.is_inspected(state.seen_s[*k]);
        let next = (0..self.points.len()).find(open);
        Progress {
            done: state.inspected as usize,
            total: self.points.len(),
            next: next.map(|k| Anchor::Fixed(self.points[k].0)),
        }
    }

    fn figures(&self, state: &State, visit: &mut dyn FnMut(&str, f64)) {
        visit(
            "coverage",
            f64::from(state.inspected) / self.points.len() as f64,
        );
    }

    fn markers(&self) -> Vec<Marker> {
        match &self.keys.object {
            InspectedKeys::Line { path_m, .. } => {
                let corners = path_m.iter().map(|p| Anchor::Fixed(Vec3::from(*p)));
                vec![Marker::new(Shape::Line, "line", corners.collect())]
            }
            InspectedKeys::Box { zone, .. } | InspectedKeys::Area { zone, .. } => {
                let corners = build_zone(zone).outline().map(Anchor::Fixed);
                vec![Marker::new(Shape::Area, "object", corners.to_vec())]
            }
            InspectedKeys::Points { points_m, .. } => {
                let points = points_m.iter().map(|p| Anchor::Fixed(Vec3::from(*p)));
                vec![Marker::new(Shape::Points, "points", points.collect())]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::kinds::testing::{Scenario, build, pose, run};
    use std::f64::consts::PI;

    #[test]
    fn lines_are_inspected_along_their_length() {
        let text = "{kind: inspection, range_m: 4, view: [0, 0, -1], object: {kind: line, path_m: [[0, 0, -10], [10, 0, -10]]}}";
        let task = build(text).unwrap();
        let state = run(&task, 5.0, |t| Scenario::of(&[pose(t, 0.0, -8.0, 0.0)]));
        // seen within 2 tan 30° = 1.155 m ahead of x = 5: the middles up to 5.5
        assert_eq!(task.score(&state), 60.0);
        let high = run(&task, 5.0, |t| Scenario::of(&[pose(t, 0.0, -5.0, 0.0)]));
        assert_eq!(task.score(&high), 0.0);
    }

    #[test]
    fn boxes_are_inspected_from_all_sides() {
        let text = "{kind: inspection, range_m: 8, view_angle_deg: 90, incidence_deg: 60, dwell_s: 0.1, \
            object: {kind: box, zone: {position_m: [0, 0, -5], size_m: [2, 2, 2]}}}";
        let task = build(text).unwrap();
        let around = |turn: f64| {
            let state = run(&task, 40.0, |t| {
                let angle = turn * 2.0 * PI * t / 40.0;
                let (x, y) = (5.0 * angle.cos(), 5.0 * angle.sin());
                Scenario::of(&[pose(x, y, -5.0, angle + PI)])
            });
            task.score(&state)
        };
        assert_eq!(around(1.0), 100.0);
        let half = around(0.25);
        assert!((40.0..60.0).contains(&half), "{half}");
    }

    #[test]
    fn objects_without_parts_are_refused() {
        let text = "{kind: inspection, range_m: 4, object: {kind: line, path_m: [[0, 0, -1]]}}";
        assert!(build(text).unwrap_err().contains("has 0 parts"));
        let text = "{kind: inspection, range_m: 4, object: {kind: line, path_m: [[0, 0, -1], [0, 0, -1]]}}";
        assert!(build(text).unwrap_err().contains("has 0 parts"));
        let text = "{kind: inspection, range_m: 4, object: {kind: area, spacing_m: 0.001, \
            zone: {position_m: [0, 0, -5], size_m: [2, 2, 2]}}}";
        assert!(build(text).unwrap_err().contains("has 4000000 parts"));
        let text =
            "{kind: inspection, range_m: 4, object: {kind: points, points_m: [[0, 0, -20]]}}";
        assert!(build(text).unwrap_err().contains("are in the seabed"));
    }
}
