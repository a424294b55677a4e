//! Quasi-static line as a spring between its ends, integrated implicitly with their motion.
//!
//! # Law
//! ```text
//!   F_U = F_U(d) - K h (w_U - w_L)  ,   w = v + h (a + W (F - F⁰))        (1)
//! ```
//! The end forces follow from the catenary (`crates/physics/src/forces/lines/catenary.rs`) at the
//! distance that the ends will have at the end of the step; K is its stiffness. The implicit rule
//! keeps a light robot on a taut line as stable as a lumped line does.
//!
//! # Symbols
//! d from the lower end L to the upper end U · v, a, W, F⁰ as in
//! `crates/physics/src/dynamics/tether.rs`.
//!
//! # Frames
//! World.
//!
//! # Limits
//! A line that has broken continues as a lumped line. The line has no inertia, drag or damping. Its
//! weight is modelled; elastic waves along it are not.
//!
//! # Checked by
//! test/analytic/tethers/catenary.rs, test/analytic/tethers/robot.rs

use crate::dynamics::tether::{EndCondition, LineWork, StepParameters};
use crate::forces::lines::catenary::{CatenarySolution, Span};
use crate::forces::lines::tether::depth_below_seabed;
use merrow_environment::EnvironmentState;
use merrow_math::tridiagonal;
use merrow_math::tridiagonal::BlockRow;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::Tether;
use merrow_model::state::TetherState;

/// Minimum weight in water for which the catenary is computed [N/m].
const MIN_WEIGHT: f64 = 1e-4;
/// Maximum height over the seabed at which an end counts as lying on it [m]; chosen.
const SEABED_TOLERANCE: f64 = 0.05;

/// Shape of a line that hangs between two positions.
struct HangingLine {
    span: Span,
    solution: CatenarySolution,
    /// Index of the lower end; of the upper end if the line floats.
    lower: usize,
    /// Position of that end [m].
    lower_end: Vec3,
    /// Horizontal unit vector from it to the other end.
    direction: Vec3,
    /// 1, or -1 for a line lighter than water, which is computed upside down.
    up: f64,
}

impl HangingLine {
    fn new(
        tether: &Tether,
        length: f64,
        ends: [Vec3; 2],
        environment: &EnvironmentState<'_>,
    ) -> Self {
        let weight = tether
            .line
            .weight_in_water(environment.sea.density, environment.gravity);
        let up = if weight < 0.0 { -1.0 } else { 1.0 };
        let lower = usize::from(up * ends[1].z < up * ends[0].z);
        let d = ends[1 - lower] - ends[lower];
        let horizontal = Vec3::new(d.x, d.y, 0.0);
        let lies_on_seabed =
            up > 0.0 && depth_below_seabed(environment, ends[lower]).0 > -SEABED_TOLERANCE;
        let span = Span {
            x: horizontal.norm(),
            z: up * d.z,
            length,
            weight: weight.abs().max(MIN_WEIGHT),
            stiffness: tether.line.axial_stiffness_n,
            seabed_friction: lies_on_seabed.then_some(tether.line.seabed_friction),
        };
        let direction = horizontal.unit().unwrap_or(Vec3::new(1.0, 0.0, 0.0));
        Self {
            solution: span.solve(),
            span,
            lower,
            lower_end: ends[lower],
            direction,
            up,
        }
    }

    /// Returns the force of the line on its first and second end [N], W.
    fn end_forces(&self) -> [Vec3; 2] {
        let vertical = |V: f64| Vec3::new(0.0, 0.0, self.up * V);
        let CatenarySolution { H, V, .. } = self.solution;
        let [H_low, V_low] = self.span.lower_tension(H, V);
        let low = self.direction.scale(H_low) + vertical(V_low);
        let high = -(self.direction.scale(H) + vertical(V));
        if self.lower == 0 {
            [low, high]
        } else {
            [high, low]
        }
    }

    /// Returns the decrease of the pull on the upper end per displacement away from the lower end
    /// [N/m], W.
    fn stiffness(&self) -> Mat3 {
        let [[a, b], [c, d]] = self.solution.flexibility;
        let det = a * d - b * c;
        let e = self.direction;
        let up = Vec3::new(0.0, 0.0, self.up);
        let lateral = up.cross(e);
        let outer = |u: Vec3, v: Vec3, k: f64| Mat3 {
            r: u.to_array().map(|x| v.scale(k * x)),
        };
        // the lateral stiffness of a line that hangs straight down is its tension over its length
        let lateral_stiffness = self.solution.H / self.span.x.max(1e-4 * self.span.length);
        outer(e, e, d / det)
            + outer(e, up, -b / det)
            + outer(up, e, -c / det)
            + outer(up, up, a / det)
            + outer(lateral, lateral, lateral_stiffness)
    }
}

/// Steps a quasi-static `tether` by (1). `end_conditions` are the conditions at its ends. The
/// function stores the result in `work`.
pub fn step_quasi_static(
    tether: &Tether,
    state: &TetherState,
    end_conditions: &[EndCondition; 2],
    environment: &EnvironmentState<'_>,
    parameters: StepParameters,
    work: &mut LineWork,
) {
    let n = tether.n_segments();
    // a massless spring is damped by the integration rule only: implicit Euler
    let lead = parameters.h;
    let length = state.length + parameters.rate * lead;
    let line = HangingLine::new(tether, length, [state.p[0], state.p[n]], environment);
    let pulls = line.end_forces();
    let upper = 1 - line.lower;
    // displacement rate of an end under the forces at its current position, and its derivative with
    // respect to the force
    let motion = |e: usize| match &end_conditions[e] {
        EndCondition::Point { v, a, W, pull, .. } => {
            (*v + (*a + W.mul_vec(pulls[e] - *pull)).scale(lead), *W)
        }
        _ => (Vec3::zero(), Mat3::zero()),
    };
    let ((w_U, W_U), (w_L, W_L)) = (motion(upper), motion(line.lower));
    let K = line.stiffness();
    let combined = (W_U + W_L).mul_mat(&K);
    let mut row = BlockRow {
        D: Mat3::identity(),
        b: w_U - w_L,
        ..BlockRow::default()
    };
    row.D = row.D + combined.scale(lead * lead);
    let mut rows = [row];
    tridiagonal::solve(&mut rows);
    let change = K.mul_vec(rows[0].b).scale(lead);
    work.pull[upper] = pulls[upper] - change;
    work.pull[line.lower] = pulls[line.lower] + change;
    for i in 0..=n {
        let s = length * i as f64 / n as f64;
        let s = if line.lower == 0 { s } else { length - s };
        let [x, z] = line.span.point(&line.solution, s);
        work.p[i] = line.lower_end + line.direction.scale(x) + Vec3::new(0.0, 0.0, line.up * z);
        work.v[i] = Vec3::zero();
    }
    work.finite = work.p.iter().chain(&work.pull).all(|x| x.is_finite());
    // the tension is greatest at an end
    let [first, last] = work.pull.map(Vec3::norm);
    let (environment, tension) = if last > first {
        (n - 1, last)
    } else {
        (0, first)
    };
    work.record_break(tether, state, environment, tension);
}
