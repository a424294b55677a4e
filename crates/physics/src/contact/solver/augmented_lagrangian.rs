//! Augmented-Lagrangian solver for the constraints of an island, with a semismooth Newton method in
//! each round.
//!
//! # Law
//! ```text
//!   λ(w) = Π(λ° - D (Z w - b)),   D = stiffness/(Z Zᵀ)          (1)
//!   w - w* = Zᵀ λ(w)   at the minimum of a convex function      (2)
//!   λ° ← λ, friction bounds ← λ, until (2)-(5) of `solve` hold  (3)
//!   (1) [Rockafellar 1976] method of multipliers
//! ```
//! (2) is solved by steps of `(1 + Zᵀ G Z) Δw = Zᵀ λ(w) - (w - w*)`, `G = -∂λ/∂(Z w)`, each with a
//! line search for the minimum along the step. Impulses of the previous step that still satisfy the
//! constraints are accepted without any step.
//!
//! # Symbols
//! As in `solve`; w velocities in coordinates of unit inertia, w* without impulses, Z rows in these
//! coordinates, λ° impulses of the previous round, D stiffness of each row, Π projection on the
//! admissible set of each kind of row, for contacts as in [`crate::contact::solver::friction`].
//!
//! # Limits
//! If opposing contacts, or friction together with normal forces (Painlevé), have no solution, the
//! result of the last round is used. Problems with many rows have fewer rounds.
//!
//! # Checked by
//! test/analytic/contacts/contact.rs, test/identity/contact.rs

use crate::contact::solver::dense::{Dense, MAX_DENSE_SIZE};
use crate::contact::solver::friction::{FrictionBound, project, projection_derivative, slip_error};
use crate::contact::solver::nonsmooth_newton::NonsmoothScratch;
use crate::contact::solver::rows::{Constraints, Kind, MIN_EFFECT, Row, dot_row};
use crate::contact::solver::system::{Sparse, System};

/// Parameters of the outer rounds, for small and large problems. In a large problem the number of
/// steps per round increases with stiffness and accuracy.
#[derive(Clone, Copy, Debug)]
struct RoundParameters {
    /// Stiffness of a row relative to its own inertia: each round reduces the error of the row's
    /// velocity by this factor. With a much larger value a step (2) contains little information
    /// beyond the next contact that begins to slide.
    stiffness: f64,
    /// Factor on the stiffness after a round that left less than the fraction
    /// `convergence_threshold` of the error.
    stiffness_growth: f64,
    convergence_threshold: f64,
    /// Divisor of the stiffness after other rounds, down to the initial stiffness.
    stiffness_decay: f64,
    /// Tolerated error of (2), as a fraction of the error before the round.
    inner_tolerance: f64,
    /// Number of rounds without halving of the error after which the solver stops.
    patience: usize,
}

/// Problems with few rows are solved to rounding.
const SMALL_PROBLEM: RoundParameters = RoundParameters {
    stiffness: 300.0,
    stiffness_growth: 10.0,
    convergence_threshold: 0.1,
    stiffness_decay: f64::INFINITY,
    inner_tolerance: 1e-3,
    patience: 30,
};
/// Compared with [`SMALL_PROBLEM`] on the 378 large problems of a falling heap: a third fewer
/// steps; the median error is 7e-7 m/s instead of 3e-7, and the largest tenth of the errors starts
/// at 3e-4 instead of 4e-4.
const LARGE_PROBLEM: RoundParameters = RoundParameters {
    stiffness: 100.0,
    stiffness_growth: 5.0,
    convergence_threshold: 0.2,
    stiffness_decay: 3.0,
    inner_tolerance: 0.3,
    patience: 5,
};
/// Maximum stiffness of a row.
const MAX_STIFFNESS: f64 = 3e5;
/// Velocity errors of a row [m/s or rad/s, and relative to the velocities] for small problems and
/// for large systems.
///
/// In order: the error below which the impulses of the previous step are accepted unchanged, the
/// error at which the rounds end, and the error that counts as solved if further rounds make no
/// progress. Small problems are solved to rounding, heaps until they rest.
const SMALL_TOLERANCES: [f64; 3] = [1e-13, 1e-13, 5e-7];
const LARGE_TOLERANCES: [f64; 3] = [5e-7, 1e-8, 5e-7];
/// Upper limit of the first error, as a multiple of the second, after a step that computed new
/// impulses.
///
/// Those impulses removed the residual velocities of the step before. If they were accepted again,
/// the residual velocities would return and would have to be removed again, without end.
const REUSE_LIMIT: f64 = 3.0;
/// Maximum number of rows of a small problem.
const SMALL_ROWS: usize = 256;
/// Tolerated error of (2), as a fraction of the tolerance.
const INNER_TOLERANCE: f64 = 0.1;
/// Minimum and maximum number of rounds (3); in between it is `ROUND_ROWS` divided by the number of
/// rows.
const ROUNDS: [usize; 2] = [6, 30];
const ROUND_ROWS: usize = 12_000;
/// Number of initial rounds in which friction of loaded contacts is bounded by the impulses of the
/// previous round.
const DISK_ROUNDS: usize = 3;
/// Maximum number of steps (2) in a round.
const MAX_STEPS: usize = 40;
/// Remaining slope at the end of a line search, as a fraction of the initial slope, and maximum
/// number of trials.
const LINE_SEARCH_TOLERANCE: f64 = 0.1;
const MAX_TRIALS: usize = 30;
/// Rounding error of the gradient relative to stiffness times velocity, and the factor on it that
/// is tolerated if the gradient no longer decreases.
const ROUNDING: f64 = 1e-15;
const ROUNDING_FACTOR: f64 = 30.0;
/// Minimum slip of a sliding contact [m/s].
const MIN_SLIP: f64 = 1e-4;
/// Maximum relative difference of curvatures for which a factor is reused.
const CURVATURE_TOLERANCE: f64 = 0.1;

/// Scratch memory of the solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct AugmentedLagrangian {
    sparse: Sparse,
    dense: Dense,
    pub(crate) coulomb: NonsmoothScratch,
    /// `J v - b` of each row, and its change along a step.
    pub(crate) u: Vec<f64>,
    du: Vec<f64>,
    prior: Vec<f64>,
    pub(crate) stiffness: Vec<f64>,
    /// Friction bound of each contact; `FrictionBound::None` for other groups.
    bounds: Vec<FrictionBound>,
    /// `G` of each group: nn, n1, n2, 11, 12, 22 of a contact, nn of a box.
    curvature: Vec<[f64; 6]>,
    /// Curvatures of the current factor.
    factored: Vec<[f64; 6]>,
    pub(crate) free: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    /// Maximum row velocity before the solution [m/s or rad/s], and maximum row velocity per unit
    /// of the coordinates.
    max_row_velocity: f64,
    velocity_scale: f64,
    /// Errors at which the rounds end, and that count as solved, for this problem.
    pub(crate) tolerance: f64,
    accepted_error: f64,
    /// Tolerated error of (2) in this round, and its part due to rounding [m/s or rad/s].
    inner_tolerance: f64,
    rounding: f64,
}

/// Result of the iterations of the solver for one island.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// True if the impulses satisfy the constraints.
    pub(crate) is_solved: bool,
    /// True if the impulses differ from the initial guess.
    pub is_recomputed: bool,
}

impl AugmentedLagrangian {
    /// Allocates memory for the given number of rows of a few robots.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        Self {
            sparse: Sparse::with_capacity(rows),
            dense: Dense::with_capacity(rows),
            coulomb: NonsmoothScratch::with_capacity(rows),
            u: Vec::with_capacity(rows),
            du: Vec::with_capacity(rows),
            prior: Vec::with_capacity(rows),
            stiffness: Vec::with_capacity(rows),
            bounds: Vec::with_capacity(rows),
            curvature: Vec::with_capacity(rows),
            factored: Vec::with_capacity(rows),
            free: Vec::with_capacity(rows),
            gradient: Vec::with_capacity(rows),
            step: Vec::with_capacity(rows),
            ..Self::default()
        }
    }

    /// Computes the impulses into `rows` and the velocities into `v`; both contain the initial
    /// guess on entry.
    ///
    /// `previous_recomputed` is true if the previous step computed new impulses; the tolerance for
    /// accepting the guess is then smaller.
    pub(crate) fn solve(
        &mut self,
        c: &Constraints<'_>,
        rows: &mut [Row],
        v: &mut [f64],
        free: &[f64],
        previous_recomputed: bool,
    ) -> Outcome {
        self.free.clear();
        self.free.extend_from_slice(free);
        self.residuals(c, rows, v);
        let max_row_velocity: f64 = rows
            .iter()
            .zip(&self.u)
            .fold(0.0, |m, (row, u)| m.max((u + row.target_velocity).abs()));
        self.velocity_scale = rows
            .iter()
            .fold(0.0_f64, |m, row| m.max(row.inverse_mass))
            .sqrt();
        let limits = if rows.len() <= SMALL_ROWS {
            SMALL_TOLERANCES
        } else {
            LARGE_TOLERANCES
        };
        let [reuse_tolerance, tolerance, accepted_error] =
            limits.map(|x| x * (1.0 + max_row_velocity));
        (self.tolerance, self.accepted_error) = (tolerance, accepted_error);
        self.max_row_velocity = max_row_velocity;
        let misfit = self.max_error(c, rows);
        if misfit
            <= if previous_recomputed {
                reuse_tolerance.min(REUSE_LIMIT * tolerance)
            } else {
                reuse_tolerance
            }
        {
            return Outcome {
                is_solved: true,
                is_recomputed: false,
            };
        }
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions
            return Outcome {
                is_solved: unsafe { self.solve_from_guess_avx2(c, rows, v, misfit) },
                is_recomputed: true,
            };
        }
        Outcome {
            is_solved: self.solve_from_guess(c, rows, v, misfit),
            is_recomputed: true,
        }
    }

    /// Returns [`Self::solve_from_guess`] compiled for processors with wider registers;
    /// bit-identical results.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn solve_from_guess_avx2(
        &mut self,
        c: &Constraints<'_>,
        rows: &mut [Row],
        v: &mut [f64],
        misfit: f64,
    ) -> bool {
        self.solve_from_guess(c, rows, v, misfit)
    }

    /// Solves from a guess that does not satisfy the constraints; returns true if the result does.
    #[inline(always)]
    fn solve_from_guess(
        &mut self,
        c: &Constraints<'_>,
        rows: &mut [Row],
        v: &mut [f64],
        misfit: f64,
    ) -> bool {
        if v.len() > MAX_DENSE_SIZE {
            let mut sparse = std::mem::take(&mut self.sparse);
            sparse.plan(c, rows);
            let is_solved = self.outer_rounds(&mut sparse, c, rows, v, misfit);
            self.sparse = sparse;
            return is_solved;
        }
        let mut dense = std::mem::take(&mut self.dense);
        dense.load_rows(c, rows, v.len());
        let has_sliding = self.has_sliding_contact(c, rows);
        let is_solved = has_sliding && self.solve_nonsmooth(&mut dense, c, rows, v, misfit)
            || self.outer_rounds(&mut dense, c, rows, v, misfit);
        self.dense = dense;
        is_solved
    }

    /// Rounds (3); returns true if the impulses satisfy the constraints.
    #[inline(always)]
    fn outer_rounds<S: System>(
        &mut self,
        system: &mut S,
        c: &Constraints<'_>,
        rows: &mut [Row],
        v: &mut [f64],
        misfit: f64,
    ) -> bool {
        self.prepare(c, rows);
        let rounds = (ROUND_ROWS / rows.len().max(1)).clamp(ROUNDS[0], ROUNDS[1]);
        let parameters = if rows.len() <= SMALL_ROWS {
            SMALL_PROBLEM
        } else {
            LARGE_PROBLEM
        };
        let (mut misfit, mut stiffness) = (misfit, parameters.stiffness);
        let (mut best_error, mut rounds_without_progress) = (misfit, 0);
        for round in 0..rounds {
            for (row, prior) in rows.iter().zip(&mut self.prior) {
                *prior = row.impulse;
            }
            self.set_stiffness(c, rows, stiffness);
            self.set_friction_bounds(c, rows, round < DISK_ROUNDS);
            self.rounding = ROUNDING * stiffness * self.max_row_velocity;
            self.inner_tolerance =
                (INNER_TOLERANCE * self.tolerance).max(parameters.inner_tolerance * misfit);
            self.minimize(system, c, rows, v);
            self.project(c, rows);
            let error = self.max_error(c, rows);
            (best_error, rounds_without_progress) = if error < 0.5 * best_error {
                (error, 0)
            } else {
                (best_error, rounds_without_progress + 1)
            };
            let is_stalled = error > 0.9 * misfit && error <= self.accepted_error
                || rounds_without_progress >= parameters.patience;
            let next_stiffness = if error < parameters.convergence_threshold * misfit {
                (parameters.stiffness_growth * stiffness).min(MAX_STIFFNESS)
            } else {
                (stiffness / parameters.stiffness_decay).max(parameters.stiffness)
            };
            if next_stiffness != stiffness {
                // a changed stiffness needs a new factor; the curvatures of equalities do not show
                // the change
                self.factored.clear();
                stiffness = next_stiffness;
            }
            misfit = error;
            if misfit <= self.tolerance || is_stalled {
                break;
            }
        }
        misfit <= self.accepted_error
    }

    /// Returns true if a loaded contact slides.
    #[inline(always)]
    fn has_sliding_contact(&self, c: &Constraints<'_>, rows: &[Row]) -> bool {
        let mut contacts = c
            .blocks
            .iter()
            .filter(|b| matches!(b.kind, Kind::Contact { .. }));
        contacts.any(|block| {
            rows[block.first as usize].impulse > 0.0 && slip(&self.u[block.rows()]) > MIN_SLIP
        })
    }

    /// Computes `J v - b`.
    #[inline(always)]
    fn residuals(&mut self, c: &Constraints<'_>, rows: &[Row], v: &[f64]) {
        self.u.clear();
        self.u.extend(
            rows.iter()
                .map(|row| dot_row(row, c.Z, v) - row.target_velocity),
        );
    }

    /// Returns the maximum error of (2)-(5) in `solve` [m/s or rad/s].
    #[inline(always)]
    pub(crate) fn max_error(&self, c: &Constraints<'_>, rows: &[Row]) -> f64 {
        let mut largest = 0.0_f64;
        for block in c.blocks {
            let (rows, u) = (&rows[block.rows()], &self.u[block.rows()]);
            let error = match block.kind {
                Kind::Contact { friction } if rows[0].inverse_mass > MIN_EFFECT => {
                    let normal = if rows[0].impulse > 0.0 {
                        u[0].abs()
                    } else {
                        -u[0]
                    };
                    normal.max(slip_error(rows, u, friction, self.tolerance))
                }
                Kind::Box { lo, hi, .. } if rows[0].inverse_mass > MIN_EFFECT => {
                    let (x, u) = (rows[0].impulse, u[0]);
                    if x <= lo {
                        -u
                    } else if x >= hi {
                        u
                    } else {
                        u.abs()
                    }
                }
                Kind::Contact { .. } | Kind::Box { .. } => 0.0,
                Kind::Equality => {
                    let errors = rows
                        .iter()
                        .zip(u)
                        .filter(|(row, _)| row.inverse_mass > MIN_EFFECT);
                    errors.fold(0.0, |e: f64, (_, u)| e.max(u.abs()))
                }
            };
            // NaN must not count as a solution
            largest = if error > largest || error.is_nan() {
                error
            } else {
                largest
            };
        }
        largest
    }

    /// Sets the stiffness of each row relative to its own inertia.
    pub(crate) fn set_stiffness(&mut self, c: &Constraints<'_>, rows: &[Row], stiffness: f64) {
        self.stiffness.clear();
        for block in c.blocks {
            let rows = &rows[block.rows()];
            let row_stiffness = |effect: f64| {
                if effect > MIN_EFFECT {
                    stiffness / effect
                } else {
                    0.0
                }
            };
            match block.kind {
                Kind::Contact { .. } => {
                    let max_inverse_mass = rows[0]
                        .inverse_mass
                        .max(rows[1].inverse_mass)
                        .max(rows[2].inverse_mass);
                    self.stiffness.extend([row_stiffness(max_inverse_mass); 3]);
                }
                _ => self
                    .stiffness
                    .extend(rows.iter().map(|row| row_stiffness(row.inverse_mass))),
            }
        }
    }

    /// Initialises the scratch memory of the rounds.
    #[inline(always)]
    fn prepare(&mut self, c: &Constraints<'_>, rows: &[Row]) {
        for list in [&mut self.prior, &mut self.du] {
            list.clear();
            list.resize(rows.len(), 0.0);
        }
        self.factored.clear();
        self.bounds.clear();
        self.bounds.resize(c.blocks.len(), FrictionBound::None);
        for list in [&mut self.gradient, &mut self.step] {
            list.clear();
            list.resize(self.free.len(), 0.0);
        }
    }

    /// Sets the friction bounds for the coming round.
    ///
    /// For sliding contacts, and in the first rounds for all loaded contacts, the bound is a disk
    /// given by the last impulse. For other contacts it is the cone. The cone includes the future
    /// normal impulse, but makes slipping contacts separate.
    #[inline(always)]
    fn set_friction_bounds(&mut self, c: &Constraints<'_>, rows: &[Row], use_disks: bool) {
        for (block, bound) in c.blocks.iter().zip(&mut self.bounds) {
            let Kind::Contact { friction } = block.kind else {
                continue;
            };
            let normal = rows[block.first as usize].impulse;
            let slip = slip(&self.u[block.rows()]);
            let loaded = use_disks && normal > 0.0;
            *bound = if slip > MIN_SLIP || loaded {
                FrictionBound::Disk(friction * normal)
            } else {
                FrictionBound::Cone(friction * slip)
            };
        }
    }

    /// Solves (2) for fixed λ° and friction bounds.
    #[inline(always)]
    fn minimize<S: System>(
        &mut self,
        system: &mut S,
        c: &Constraints<'_>,
        rows: &mut [Row],
        v: &mut [f64],
    ) {
        self.project(c, rows);
        let mut previous_error = f64::INFINITY;
        for _ in 0..MAX_STEPS {
            let error = self.update_gradient(system, c, rows, v);
            let is_rounding =
                error < ROUNDING_FACTOR * self.rounding && error > 0.5 * previous_error;
            if error <= self.inner_tolerance + self.rounding || is_rounding {
                return;
            }
            previous_error = error;
            self.curvatures(c);
            if !self.is_factored() {
                self.factored.clone_from(&self.curvature);
                system.factor(c, rows, &self.stiffness, &self.factored);
            }
            self.step.clear();
            self.step.extend(self.gradient.iter().map(|g| -g));
            system.solve(&mut self.step);
            system.products(c, rows, &self.step, &mut self.du);
            let initial_descent = -product(&self.gradient, &self.step);
            self.advance(v, 1.0);
            self.project(c, rows);
            if self.current_slope(rows, v) > LINE_SEARCH_TOLERANCE * initial_descent {
                self.advance(v, -1.0);
                let length = self.line_search(c, v, initial_descent);
                self.advance(v, length);
                self.project(c, rows);
            }
        }
    }

    /// Advances along the step.
    #[inline(always)]
    fn advance(&mut self, v: &mut [f64], length: f64) {
        for (v, step) in v.iter_mut().zip(&self.step) {
            *v += length * step;
        }
        for (u, du) in self.u.iter_mut().zip(&self.du) {
            *u += length * du;
        }
    }

    /// Returns the slope of the objective along the step at the current point.
    #[inline(always)]
    fn current_slope(&self, rows: &[Row], v: &[f64]) -> f64 {
        let mut sum = 0.0;
        for ((v, free), step) in v.iter().zip(&self.free).zip(&self.step) {
            sum += (v - free) * step;
        }
        for (row, du) in rows.iter().zip(&self.du) {
            sum -= row.impulse * du;
        }
        sum
    }

    /// Computes the impulses by (1).
    #[inline(always)]
    fn project(&self, c: &Constraints<'_>, rows: &mut [Row]) {
        for (k, block) in c.blocks.iter().enumerate() {
            let first = block.first as usize;
            let trial_impulse = |i: usize| self.prior[i] - self.stiffness[i] * self.u[i];
            match block.kind {
                Kind::Contact { friction } => {
                    let p = [
                        trial_impulse(first),
                        trial_impulse(first + 1),
                        trial_impulse(first + 2),
                    ];
                    let found = project(p, friction, self.bounds[k], self.stiffness[first]);
                    for (row, x) in rows[first..].iter_mut().zip(found) {
                        row.impulse = x;
                    }
                }
                Kind::Box { lo, hi, .. } => {
                    rows[first].impulse = trial_impulse(first).clamp(lo, hi)
                }
                Kind::Equality => {
                    for i in block.rows() {
                        rows[i].impulse = trial_impulse(i);
                    }
                }
            }
        }
    }

    /// Computes the gradient of the objective of (2); returns its magnitude as a velocity [m/s or
    /// rad/s].
    #[inline(always)]
    fn update_gradient<S: System>(
        &mut self,
        system: &S,
        c: &Constraints<'_>,
        rows: &[Row],
        v: &[f64],
    ) -> f64 {
        let Self { gradient, free, .. } = self;
        gradient.clear();
        gradient.extend(v.iter().zip(free.iter()).map(|(v, f)| v - f));
        system.subtract_impulses(c, rows, gradient);
        let size = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        size(gradient) * self.velocity_scale
    }

    /// Computes `G` at the current impulses.
    #[inline(always)]
    fn curvatures(&mut self, c: &Constraints<'_>) {
        let Self {
            curvature,
            bounds,
            stiffness,
            prior,
            u,
            ..
        } = self;
        curvature.clear();
        for (k, block) in c.blocks.iter().enumerate() {
            let first = block.first as usize;
            let p = |i: usize| prior[first + i] - stiffness[first + i] * u[first + i];
            let d = stiffness[first];
            curvature.push(match block.kind {
                Kind::Contact { friction } => {
                    projection_derivative([p(0), p(1), p(2)], friction, bounds[k], d)
                }
                Kind::Box { lo, hi, .. } if p(0) > lo && p(0) < hi => [d, 0.0, 0.0, 0.0, 0.0, 0.0],
                Kind::Box { .. } => [0.0; 6],
                Kind::Equality => [1.0; 6],
            });
        }
    }

    /// Returns true if the current factor is close enough to these curvatures for a step.
    #[inline(always)]
    fn is_factored(&self) -> bool {
        let is_close = |(new, old): (&[f64; 6], &[f64; 6])| {
            let size = old[0].max(old[3]).max(old[5]).max(new[3]).max(new[5]);
            new.iter()
                .zip(old)
                .all(|(new, old)| (new - old).abs() <= CURVATURE_TOLERANCE * size)
        };
        self.factored.len() == self.curvature.len()
            && self.curvature.iter().zip(&self.factored).all(is_close)
    }

    /// Returns the position of the minimum along the step, to a fraction of the initial slope,
    /// which is `-initial_descent`.
    #[inline(always)]
    fn line_search(&self, c: &Constraints<'_>, v: &[f64], initial_descent: f64) -> f64 {
        let (mut low, mut high) = ((0.0, -initial_descent), (1.0, self.slope_along(c, v, 1.0)));
        for k in 0..MAX_TRIALS {
            // alternates false position and bisection: the slope jumps where a contact begins to
            // slide
            let fraction = if k % 2 == 0 {
                (low.1 / (low.1 - high.1)).clamp(0.05, 0.95)
            } else {
                0.5
            };
            let position = low.0 + (high.0 - low.0) * fraction;
            let slope = self.slope_along(c, v, position);
            if slope.abs() <= LINE_SEARCH_TOLERANCE * initial_descent {
                return position;
            }
            if slope < 0.0 {
                low = (position, slope);
            } else {
                high = (position, slope);
            }
        }
        low.0
    }

    /// Returns the slope of the objective at `position` of the step.
    #[inline(always)]
    fn slope_along(&self, c: &Constraints<'_>, v: &[f64], position: f64) -> f64 {
        let mut sum = 0.0;
        for ((v, free), step) in v.iter().zip(&self.free).zip(&self.step) {
            sum += (v - free + position * step) * step;
        }
        sum - self.impulse_work(c, position)
    }

    /// Computes `Δu · λ` at `position` of the step.
    #[inline(always)]
    fn impulse_work(&self, c: &Constraints<'_>, position: f64) -> f64 {
        let mut sum = 0.0;
        for (k, block) in c.blocks.iter().enumerate() {
            let first = block.first as usize;
            let trial_impulse =
                |i: usize| self.prior[i] - self.stiffness[i] * (self.u[i] + position * self.du[i]);
            match block.kind {
                Kind::Contact { friction } => {
                    let p = [
                        trial_impulse(first),
                        trial_impulse(first + 1),
                        trial_impulse(first + 2),
                    ];
                    let found = project(p, friction, self.bounds[k], self.stiffness[first]);
                    sum += found
                        .iter()
                        .zip(&self.du[first..])
                        .map(|(x, du)| x * du)
                        .sum::<f64>();
                }
                Kind::Box { lo, hi, .. } => {
                    sum += self.du[first] * trial_impulse(first).clamp(lo, hi)
                }
                Kind::Equality => {
                    let work = block.rows().map(|i| self.du[i] * trial_impulse(i));
                    sum += work.sum::<f64>();
                }
            }
        }
        sum
    }
}

/// Returns the slip of a contact [m/s] from the velocities of its rows.
#[inline(always)]
fn slip(u: &[f64]) -> f64 {
    (u[1] * u[1] + u[2] * u[2]).sqrt()
}

/// Returns the scalar product `x · y`.
#[inline(always)]
fn product(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (x, y) in x.iter().zip(y) {
        sum += x * y;
    }
    sum
}
