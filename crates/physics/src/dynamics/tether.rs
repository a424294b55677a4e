//! One implicit step of a lumped line, whose springs are far too stiff for an explicit step.
//!
//! # Law
//! ```text
//!   M (w - v) = θh F(x + θh w, w),   x' = x + h w,   v' = v + h M⁻¹ F  (1)  [Hairer 1996, ch. IV]
//!   (w_b - v_b) = θh (a_b + W (F_b - F_b⁰))                            (2)
//! ```
//! (1) is the implicit Euler step of length θh, extrapolated to h. θ = ½ is the midpoint rule and θ
//! = 1 implicit Euler; all values between are stable for every stiffness. Newton's method solves
//! (1) with a block-tridiagonal matrix. θ is slightly above ½. It is 1 in a step in which a segment
//! becomes slack or taut, rotates far under compression, or a node touches the seabed:
//! extrapolation over such a kink would create energy. Bending
//! (`crates/physics/src/forces/lines/bending.rs`) couples nodes two apart; the matrix is then
//! block-pentadiagonal. A line that has broken continues as two lines, without force in the segment
//! between them.
//!
//! (2) is the condition at an end on a robot: the end moves as the robot would under the force. A
//! light robot on a stiff line is therefore as stable as the line. The force `F_b` on the robot is
//! constant over the robot's own step. The forces on line and robot are equal and opposite to
//! rounding.
//!
//! # Symbols
//! x, v nodes at the start, x', v' at the end of the step · h step · M inertia of a node with added
//! mass · F its force · a_b acceleration of the robot's point under the forces of the last step,
//! including F_b⁰ · W its acceleration per force.
//!
//! # Frames
//! World.
//!
//! # Limits
//! M and the tangents are taken at the start of the step. The half segments at attached ends belong
//! to the next node, so the ends have no separate mass. The numerical damping ratio is (θ-½) ωh for
//! a mode ω, and at most 0.1 ωh while no kink occurs.
//!
//! # Checked by
//! test/analytic/tethers/fixed_ends.rs, test/analytic/tethers/robot.rs,
//! test/analytic/tethers/bending.rs, test/analytic/tethers/breaking.rs, test/convergence/tether.rs

use crate::forces::lines::bending::{NodeBending, direction_and_derivative};
use crate::forces::lines::tether as law;
use crate::forces::lines::tether::{ForceWithDerivative, NodeEnvironment};
use merrow_environment::EnvironmentState;
use merrow_math::pentadiagonal;
use merrow_math::pentadiagonal::PentadiagonalRow;
use merrow_math::tridiagonal;
use merrow_math::tridiagonal::BlockRow;
use merrow_math::{Mat3, Vec3};
use merrow_model::scene::{Tether, TetherEnd};
use merrow_model::state::TetherState;

/// Boundary condition of an end of a line during a step.
#[derive(Clone, Copy, Debug)]
pub enum EndCondition {
    /// Unattached end, which exerts no force on a body.
    Free,
    /// The end is fixed at a position in W [m].
    World(Vec3),
    /// The end is fixed to a point of a robot, which moves by (2).
    Point {
        /// Position of the point, W [m].
        p: Vec3,
        /// Velocity of the point, W [m/s].
        v: Vec3,
        /// Acceleration of the point under the pull of the last step, W [m/s²].
        a: Vec3,
        /// Acceleration of the point per force on it, W [1/kg].
        W: Mat3,
        /// Pull of the last step on the point, W [N].
        pull: Vec3,
    },
}

/// Time step and numerical parameters of one step of a line.
#[derive(Clone, Copy, Debug)]
pub struct StepParameters {
    /// Length of the step [s].
    pub h: f64,
    /// Rate of the unstretched length over the step [m/s].
    pub rate: f64,
    /// Maximum θ - ½ in a step without a kink; ½ for robots with a first-order integrator, whose
    /// points move with the new velocity.
    pub damping: f64,
}

/// Scratch memory of one line and the result of its step. It holds no state that the next step
/// needs.
#[derive(Clone, Debug)]
pub struct LineWork {
    /// Node positions at the end of the step, W [m].
    pub p: Vec<Vec3>,
    /// Node velocities at the end of the step, W [m/s].
    pub v: Vec<Vec3>,
    /// Force of the line on its two ends over the step, W [N].
    pub pull: [Vec3; 2],
    /// True if all results are finite.
    pub finite: bool,
    /// Segment whose tension exceeded the breaking strength of the line.
    pub breaking_segment: Option<usize>,
    w: Vec<Vec3>,
    environments: Vec<NodeEnvironment>,
    nodes: Vec<ForceWithDerivative>,
    segments: Vec<ForceWithDerivative>,
    rows: Vec<BlockRow>,
    /// For a line with bending stiffness: bending at each node, the total bending force on each
    /// node, and the matrix.
    bendings: Vec<NodeBending>,
    bending_forces: Vec<Vec3>,
    pentadiagonal_rows: Vec<PentadiagonalRow>,
}

/// Newton's method ends if no velocity changes by more than this [m/s]. It converges quadratically,
/// so the velocities are then accurate to about 1e-10 m/s.
const VELOCITY_TOLERANCE: f64 = 1e-6;
/// Maximum number of Newton iterations. Further iterations do not improve a step whose kinks have
/// not settled by then.
const MAX_ITERATIONS: usize = 8;
/// Cosine of the rotation of a segment in one step beyond which a line that bears compression
/// counts as kinked.
const KINK_COSINE: f64 = 0.98;
/// θ - ½ of a line whose fastest wave is not resolved by the step.
pub const DAMPING: f64 = 0.1;

impl LineWork {
    /// Allocates the scratch memory for `tether`. Steps allocate no memory.
    pub fn new(tether: &Tether) -> Self {
        let n = tether.start.len();
        let is_stiff = tether.line.bending_stiffness_nm2 > 0.0;
        let n_bending = if is_stiff { n } else { 0 };
        Self {
            p: tether.start.clone(),
            v: vec![Vec3::zero(); n],
            pull: [Vec3::zero(); 2],
            finite: true,
            w: vec![Vec3::zero(); n],
            environments: vec![NodeEnvironment::default(); n],
            nodes: vec![ForceWithDerivative::default(); n],
            segments: vec![ForceWithDerivative::default(); n - 1],
            rows: vec![BlockRow::default(); n],
            breaking_segment: None,
            bendings: vec![NodeBending::default(); n_bending],
            bending_forces: vec![Vec3::zero(); n],
            pentadiagonal_rows: vec![PentadiagonalRow::default(); n_bending],
        }
    }

    /// Records a break if the maximum `tension` [N], in segment `at`, exceeds the breaking
    /// strength.
    pub(crate) fn record_break(
        &mut self,
        tether: &Tether,
        state: &TetherState,
        at: usize,
        tension: f64,
    ) {
        let is_broken = state.line_break.is_none() && tension > tether.line.breaking_load();
        self.breaking_segment = is_broken.then_some(at);
    }
}

/// Steps `tether` from `state` and stores the result in `work`. The end nodes in `state` must be at
/// the positions of the `end_conditions`.
pub fn step(
    tether: &Tether,
    state: &TetherState,
    end_conditions: &[EndCondition; 2],
    environment: &EnvironmentState<'_>,
    parameters: StepParameters,
    work: &mut LineWork,
) {
    let n = tether.n_segments();
    update_environments(tether, state, end_conditions, environment, work);
    let line = LineStep {
        tether,
        state,
        end_conditions,
        environment,
        parameters,
        rest_length: state.length / n as f64,
    };
    let theta = 0.5 + line.damping(work);
    line.solve_newton(theta, work);
    if theta < 1.0 && line.has_kink(work) {
        line.solve_newton(1.0, work);
    }
    line.store_result(work);
}

/// Computes tangent, water and assigned line length of every node.
fn update_environments(
    tether: &Tether,
    state: &TetherState,
    end_conditions: &[EndCondition; 2],
    environment: &EnvironmentState<'_>,
    work: &mut LineWork,
) {
    let n = tether.n_segments();
    let rest_length = state.length / n as f64;
    for i in 0..=n {
        let first = if i > 0 && !state.is_broken_at(i - 1) {
            i - 1
        } else {
            i
        };
        let last = if i < n && !state.is_broken_at(i) {
            i + 1
        } else {
            i
        };
        let chord = state.p[last] - state.p[first];
        let tangent = chord.unit().unwrap_or_default();
        let length = rest_length * node_segment_count(i, n, end_conditions);
        work.environments[i] =
            NodeEnvironment::new(&tether.line, environment, state.p[i], tangent, length);
    }
}

/// Returns the number of segment lengths assigned to node `i` of a line of `n` segments, n at least
/// two.
fn node_segment_count(i: usize, n: usize, end_conditions: &[EndCondition; 2]) -> f64 {
    let is_free = end_conditions.map(|h| matches!(h, EndCondition::Free));
    let is_end = [i == 0, i == n];
    let mut count = 1.0;
    for k in 0..2 {
        if is_end[k] {
            count = if is_free[k] { 0.5 } else { 0.0 };
        }
    }
    // the half segment of an attached end
    if i == 1 && !is_free[0] {
        count += 0.5;
    }
    if i + 1 == n && !is_free[1] {
        count += 0.5;
    }
    count
}

/// State of a line during its step.
struct LineStep<'a> {
    tether: &'a Tether,
    state: &'a TetherState,
    end_conditions: &'a [EndCondition; 2],
    environment: &'a EnvironmentState<'a>,
    parameters: StepParameters,
    /// Unstretched length of a segment at the start of the step [m].
    rest_length: f64,
}

impl LineStep<'_> {
    /// Returns θ - ½: zero for a line whose waves the step resolves, so that the rule is of second
    /// order.
    fn damping(&self, work: &LineWork) -> f64 {
        let h = self.parameters.h;
        let line = &self.tether.line;
        let k = line.axial_stiffness_n / self.rest_length
            + 4.0 * line.bending_stiffness_nm2
                / (self.rest_length * self.rest_length * self.rest_length);
        let mut min_mass = self.tether.line.mass_kg_per_m * self.rest_length;
        for a in &work.environments {
            if a.length > 0.0 {
                min_mass = min_mass.min(self.tether.line.mass_kg_per_m * a.length);
            }
        }
        let mut max_mobility = 4.0 / min_mass;
        for condition in self.end_conditions {
            if let EndCondition::Point { W, .. } = condition {
                max_mobility = max_mobility.max(W.r[0].x + W.r[1].y + W.r[2].z);
            }
        }
        let z = h * h * k * max_mobility;
        if self.parameters.damping > DAMPING {
            self.parameters.damping
        } else {
            self.parameters.damping * z / (1.0 + z)
        }
    }

    /// Solves (1) and (2) for `work.w` and stores the corresponding forces in `work`.
    fn solve_newton(&self, theta: f64, work: &mut LineWork) {
        work.w.copy_from_slice(&self.state.v);
        let lead = theta * self.parameters.h;
        for round in 1..=MAX_ITERATIONS {
            self.compute_forces(lead, work);
            self.assemble(lead, work);
            if work.bendings.is_empty() {
                tridiagonal::solve(&mut work.rows);
            } else {
                self.add_bending(lead, work);
            }
            let mut max_change: f64 = 0.0;
            for (w, row) in work.w.iter_mut().zip(&work.rows) {
                *w += row.b;
                max_change = row
                    .b
                    .to_array()
                    .iter()
                    .fold(max_change, |m, x| m.max(x.abs()));
            }
            self.update_forces(lead, work);
            if max_change <= VELOCITY_TOLERANCE && round > 1 {
                break;
            }
        }
    }

    /// Computes the forces at the velocities `work.w`.
    fn compute_forces(&self, lead: f64, work: &mut LineWork) {
        let line = &self.tether.line;
        let n = self.tether.n_segments();
        let rate = self.parameters.rate / n as f64;
        let rest_length = self.rest_length + lead * rate;
        let position = |i: usize, w: &[Vec3]| self.state.p[i] + w[i].scale(lead);
        for s in 0..n {
            let d = position(s + 1, &work.w) - position(s, &work.w);
            work.segments[s] = match self.state.is_broken_at(s) {
                true => ForceWithDerivative::default(),
                false => law::tension(line, rest_length, rate, d, work.w[s + 1] - work.w[s], lead),
            };
        }
        for i in 0..=n {
            if work.environments[i].length > 0.0 {
                let p = position(i, &work.w);
                let node = &work.environments[i];
                work.nodes[i] =
                    law::node_force(self.tether, self.environment, node, p, work.w[i], lead);
            }
        }
    }

    /// Adds bending to the Newton equations and solves them.
    fn add_bending(&self, lead: f64, work: &mut LineWork) {
        let n = self.tether.n_segments();
        let k = self.tether.line.bending_stiffness_nm2 / self.rest_length;
        let d = |s: usize, w: &[Vec3]| {
            self.state.p[s + 1] - self.state.p[s] + (w[s + 1] - w[s]).scale(lead)
        };
        let is_loaded = |s: usize| s < n && !self.state.is_broken_at(s);
        for i in 0..=n {
            let (before, after) = (i > 0 && is_loaded(i - 1), is_loaded(i));
            let segment = |s: usize| direction_and_derivative(d(s, &work.w));
            let clamp = |t: Vec3| (t, Mat3::zero());
            work.bendings[i] = match (self.clamp_direction(i), before, after) {
                (None, true, true) => NodeBending::new(k, segment(i - 1), segment(i)),
                (Some(t), false, true) => NodeBending::new(2.0 * k, clamp(t), segment(i)),
                (Some(t), true, false) => NodeBending::new(2.0 * k, segment(i - 1), clamp(t)),
                _ => NodeBending::default(),
            };
        }
        for (wide_row, row) in work.pentadiagonal_rows.iter_mut().zip(&work.rows) {
            *wide_row = PentadiagonalRow::from_tridiagonal(row);
        }
        for (i, bending) in work.bendings.iter().enumerate() {
            for (p, f) in bending.forces().into_iter().enumerate() {
                let Some(a) = (i + p).checked_sub(1).filter(|a| *a <= n) else {
                    continue;
                };
                let W = match self.end_condition(a) {
                    None | Some(EndCondition::Free) => Mat3::identity(),
                    Some(EndCondition::World(_)) => continue,
                    Some(EndCondition::Point { W, .. }) => *W,
                };
                work.pentadiagonal_rows[a].near.b += W.mul_vec(f).scale(lead);
                for q in 0..3 {
                    let Some(b) = (i + q).checked_sub(1).filter(|b| *b <= n) else {
                        continue;
                    };
                    let K = W.mul_mat(&bending.tangent(p, q, lead));
                    let block = work.pentadiagonal_rows[a].block(b as isize - a as isize);
                    *block = *block + K.scale(lead);
                }
            }
        }
        pentadiagonal::solve(&mut work.pentadiagonal_rows);
        for (row, wide_row) in work.rows.iter_mut().zip(&work.pentadiagonal_rows) {
            row.b = wide_row.near.b;
        }
    }

    /// Returns the direction in which an end is clamped.
    fn clamp_direction(&self, i: usize) -> Option<Vec3> {
        let n = self.tether.n_segments();
        let clamp = |k: usize| self.tether.clamps[k];
        if i == 0 {
            clamp(0)
        } else {
            clamp(1).filter(|_| i == n)
        }
    }

    /// Assembles the Newton equations for the change of `work.w`.
    fn assemble(&self, lead: f64, work: &mut LineWork) {
        let n = self.tether.n_segments();
        for i in 0..=n {
            let [before, after] = neighbours(&work.segments, i);
            let (w, v) = (work.w[i], self.state.v[i]);
            let springs = before.D + after.D;
            let row = &mut work.rows[i];
            match self.end_condition(i) {
                None | Some(EndCondition::Free) => {
                    let (node, environment) = (&work.nodes[i], &work.environments[i]);
                    let [along, across] =
                        environment.mass(&self.tether.line, self.environment.sea.density);
                    let M = Mat3::axial(environment.tangent, along, across);
                    row.D = M + (springs + node.D).scale(lead);
                    row.L = before.D.scale(-lead);
                    row.U = after.D.scale(-lead);
                    row.b = (after.f - before.f + node.f).scale(lead) - M.mul_vec(w - v);
                }
                Some(EndCondition::World(_)) => {
                    *row = BlockRow {
                        D: Mat3::identity(),
                        b: -w,
                        ..BlockRow::default()
                    };
                }
                Some(EndCondition::Point { v, a, W, pull, .. }) => {
                    let W_springs = W.mul_mat(&springs).scale(lead);
                    row.D = Mat3::identity() + W_springs;
                    row.L = W_springs.scale(-1.0);
                    row.U = row.L;
                    let F = after.f - before.f;
                    row.b = (*a + W.mul_vec(F - *pull)).scale(lead) - (w - *v);
                }
            }
        }
    }

    /// Updates the forces for the last change of `work.w`, so that (1) holds exactly.
    fn update_forces(&self, lead: f64, work: &mut LineWork) {
        for (s, segment) in work.segments.iter_mut().enumerate() {
            segment.f += segment.D.mul_vec(work.rows[s + 1].b - work.rows[s].b);
        }
        for (i, node) in work.nodes.iter_mut().enumerate() {
            if work.environments[i].length > 0.0 {
                node.f -= node.D.mul_vec(work.rows[i].b);
            }
        }
        if !work.bendings.is_empty() {
            self.update_bending_forces(lead, work);
        }
    }

    /// Computes the bending part of [`Self::update_forces`].
    fn update_bending_forces(&self, lead: f64, work: &mut LineWork) {
        let n = self.tether.n_segments();
        work.bending_forces.fill(Vec3::zero());
        for (i, bending) in work.bendings.iter_mut().enumerate() {
            let nodes = [i.saturating_sub(1), i, (i + 1).min(n)];
            bending.update(nodes.map(|a| work.rows[a].b), lead);
            for (p, f) in bending.forces().into_iter().enumerate() {
                if let Some(a) = (i + p).checked_sub(1).filter(|a| *a <= n) {
                    work.bending_forces[a] += f;
                }
            }
        }
    }

    fn end_condition(&self, i: usize) -> Option<&EndCondition> {
        if i == 0 {
            return Some(&self.end_conditions[0]);
        }
        (i == self.tether.n_segments()).then_some(&self.end_conditions[1])
    }

    /// Returns true if a segment becomes slack or taut, or a node touches or leaves the seabed,
    /// during the step.
    fn has_kink(&self, work: &LineWork) -> bool {
        let h = self.parameters.h;
        let n = self.tether.n_segments();
        let end_position = |i: usize| self.state.p[i] + work.w[i].scale(h);
        let rest_length = self.rest_length + h * self.parameters.rate / n as f64;
        let is_rope = self.tether.line.bending_stiffness_nm2 == 0.0;
        (0..n).filter(|s| !self.state.is_broken_at(*s)).any(|s| {
            if !is_rope {
                // its chord at the midpoint of the step would be too short
                let unit = |d: Vec3| d.unit().unwrap_or_default();
                let (from, to) = (
                    self.state.p[s + 1] - self.state.p[s],
                    end_position(s + 1) - end_position(s),
                );
                return unit(from).dot(unit(to)) < KINK_COSINE;
            }
            let before = (self.state.p[s + 1] - self.state.p[s]).norm() > self.rest_length;
            let after = (end_position(s + 1) - end_position(s)).norm() > rest_length;
            before != after
        }) || (0..=n).any(|i| {
            let inside = |p: Vec3| law::depth_below_seabed(self.environment, p).0 > 0.0;
            work.environments[i].length > 0.0 && inside(self.state.p[i]) != inside(end_position(i))
        })
    }

    /// Computes positions and velocities at the end of the step, and the pulls.
    fn store_result(&self, work: &mut LineWork) {
        let n = self.tether.n_segments();
        let h = self.parameters.h;
        for i in 0..=n {
            let [before, after] = neighbours(&work.segments, i);
            work.p[i] = self.state.p[i] + work.w[i].scale(h);
            let F = after.f - before.f + work.bending_forces[i];
            work.v[i] = match self.end_condition(i) {
                None | Some(EndCondition::Free) => {
                    let environment = &work.environments[i];
                    let [along, across] =
                        environment.mass(&self.tether.line, self.environment.sea.density);
                    let dv = Mat3::axial(environment.tangent, 1.0 / along, 1.0 / across);
                    self.state.v[i] + dv.mul_vec(F + work.nodes[i].f).scale(h)
                }
                Some(EndCondition::World(_)) => Vec3::zero(),
                Some(EndCondition::Point { v, a, W, pull, .. }) => {
                    *v + (*a + W.mul_vec(F - *pull)).scale(h)
                }
            };
        }
        let free = |k: usize| matches!(self.tether.ends[k], TetherEnd::Free(_));
        work.pull[0] = if free(0) {
            Vec3::zero()
        } else {
            work.segments[0].f + work.bending_forces[0]
        };
        work.pull[1] = if free(1) {
            Vec3::zero()
        } else {
            work.bending_forces[n] - work.segments[n - 1].f
        };
        work.finite = work
            .p
            .iter()
            .chain(&work.v)
            .chain(&work.pull)
            .all(|x| x.is_finite());
        self.check_breaking(work);
    }

    /// Checks the segment with the greatest tension against the breaking strength.
    fn check_breaking(&self, work: &mut LineWork) {
        let mut max_tension = (0, 0.0);
        if self.tether.line.breaking_load_n.is_some() {
            for (s, segment) in work.segments.iter().enumerate() {
                let tension = (work.p[s + 1] - work.p[s])
                    .unit()
                    .map_or(0.0, |t| segment.f.dot(t));
                if tension > max_tension.1 {
                    max_tension = (s, tension);
                }
            }
        }
        work.record_break(self.tether, self.state, max_tension.0, max_tension.1);
    }
}

/// Returns the forces of the segments before and after node `i`; zero beyond the ends.
fn neighbours(segments: &[ForceWithDerivative], i: usize) -> [ForceWithDerivative; 2] {
    [i.wrapping_sub(1), i].map(|s| segments.get(s).copied().unwrap_or_default())
}
