//! A quasi-static line as a spring between its ends, implicit in their motion.
//!
//! # Law
//! ```text
//!   F_U = F_U(d) - K h (w_U - w_L)  ,   w = v + h (a + W (F - F⁰))        (1)
//! ```
//! The pulls are those of the catenary (`forces/catenary.rs`) at the distance that the ends will have; K is its stiffness. With
//! it a light robot on a taut line is as stable as on a lumped one.
//!
//! # Symbols
//! d from the lower end L to the upper end U · v, a, W, F⁰ as in `dynamics/tether.rs`.
//!
//! # Frames
//! World.
//!
//! # Limits
//! A line that has parted goes on as a lumped one. The line has neither inertia nor drag nor damping. Its weight acts, its stretching waves do not.
//!
//! # Checked by
//! test/analytic/tether_catenary.rs, test/analytic/tether_robot.rs

use crate::dynamics::tether::{Hold, LineWork, Pace};
use crate::forces::lines::catenary::{Hanging, Span};
use crate::forces::lines::tether::depth_in_bottom;
use merrow_environment::Instant;
use merrow_math::tridiagonal;
use merrow_math::tridiagonal::BlockRow;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Tether;
use merrow_model::state::TetherState;

/// Least weight in water for which the catenary is computed [N/m].
const LEAST_WEIGHT: f64 = 1e-4;
/// How near the bottom an end lies on it [m]; chosen.
const LYING: f64 = 0.05;

/// A line as it hangs between two places.
struct Line {
    span: Span,
    hanging: Hanging,
    /// Index of the lower end; of the upper one for a line that floats.
    lower: usize,
    /// Place of that end [m].
    from: Vec3,
    /// Horizontal unit vector from it to the other end.
    along: Vec3,
    /// 1, or -1 for a line lighter than water, whose up is down.
    up: f64,
}

impl Line {
    fn new(tether: &Tether, length: f64, ends: [Vec3; 2], at: &Instant<'_>) -> Self {
        let weight = tether.line.weight_in_water(at.sea.density, at.gravity);
        let up = if weight < 0.0 { -1.0 } else { 1.0 };
        let lower = usize::from(up * ends[1].z < up * ends[0].z);
        let d = ends[1 - lower] - ends[lower];
        let across = Vec3::new(d.x, d.y, 0.0);
        let lies = up > 0.0 && depth_in_bottom(at, ends[lower]).0 > -LYING;
        let span = Span {
            x: across.norm(),
            z: up * d.z,
            length,
            weight: weight.abs().max(LEAST_WEIGHT),
            stiffness: tether.line.stiffness,
            bottom: lies.then_some(tether.line.seabed_friction),
        };
        let along = across.unit().unwrap_or(Vec3::new(1.0, 0.0, 0.0));
        Self {
            hanging: span.solve(),
            span,
            lower,
            from: ends[lower],
            along,
            up,
        }
    }

    /// Force of the line on what holds its first and second end [N].
    fn pulls(&self) -> [Vec3; 2] {
        let vertical = |V: f64| Vec3::new(0.0, 0.0, self.up * V);
        let Hanging { H, V, .. } = self.hanging;
        let [H_low, V_low] = self.span.lower(H, V);
        let low = self.along.scale(H_low) + vertical(V_low);
        let high = -(self.along.scale(H) + vertical(V));
        if self.lower == 0 {
            [low, high]
        } else {
            [high, low]
        }
    }

    /// How the pull on the upper end falls when it moves away from the lower one [N/m].
    fn stiffness(&self) -> Mat3 {
        let [[a, b], [c, d]] = self.hanging.flexibility;
        let det = a * d - b * c;
        let e = self.along;
        let up = Vec3::new(0.0, 0.0, self.up);
        let side = up.cross(e);
        let outer = |u: Vec3, v: Vec3, k: f64| Mat3 {
            r: u.to_array().map(|x| v.scale(k * x)),
        };
        // a line that hangs straight down is held sideways by its tension over its length
        let sideways = self.hanging.H / self.span.x.max(1e-4 * self.span.length);
        outer(e, e, d / det)
            + outer(e, up, -b / det)
            + outer(up, e, -c / det)
            + outer(up, up, a / det)
            + outer(side, side, sideways)
    }
}

/// A step of `tether`; the outcome is left in `work`. (1)
pub fn hang(
    tether: &Tether,
    state: &TetherState,
    holds: &[Hold; 2],
    at: &Instant<'_>,
    pace: Pace,
    work: &mut LineWork,
) {
    let n = tether.n_segments();
    // nothing damps a spring without mass but the rule itself: implicit Euler
    let lead = pace.h;
    let length = state.length + pace.rate * lead;
    let line = Line::new(tether, length, [state.p[0], state.p[n]], at);
    let pulls = line.pulls();
    let upper = 1 - line.lower;
    // where the ends go under the pulls at their places, and how much further by each newton more
    let motion = |e: usize| match &holds[e] {
        Hold::Point { v, a, W, pull, .. } => {
            (*v + (*a + W.mul_vec(pulls[e] - *pull)).scale(lead), *W)
        }
        _ => (Vec3::zero(), Mat3::zero()),
    };
    let ((w_U, W_U), (w_L, W_L)) = (motion(upper), motion(line.lower));
    let K = line.stiffness();
    let both = (W_U + W_L).mul_mat(&K);
    let mut row = BlockRow {
        D: Mat3::identity(),
        b: w_U - w_L,
        ..BlockRow::zero()
    };
    row.D = row.D
        + Mat3 {
            r: both.r.map(|r| r.scale(lead * lead)),
        };
    let mut rows = [row];
    tridiagonal::solve(&mut rows);
    let change = K.mul_vec(rows[0].b).scale(lead);
    work.pull[upper] = pulls[upper] - change;
    work.pull[line.lower] = pulls[line.lower] + change;
    for i in 0..=n {
        let s = length * i as f64 / n as f64;
        let s = if line.lower == 0 { s } else { length - s };
        let [x, z] = line.span.point(&line.hanging, s);
        work.p[i] = line.from + line.along.scale(x) + Vec3::new(0.0, 0.0, line.up * z);
        work.v[i] = Vec3::zero();
    }
    work.finite = work.p.iter().chain(&work.pull).all(|x| x.is_finite());
    // the tension is largest at one of the ends
    let [from, to] = work.pull.map(Vec3::norm);
    let (at, tension) = if to > from { (n - 1, to) } else { (0, from) };
    work.strain(tether, state, at, tension);
}
