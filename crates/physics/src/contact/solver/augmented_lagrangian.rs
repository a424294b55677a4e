//! Newton's method on the constraints of an island, made smooth around the impulses last found.
//!
//! # Law
//! ```text
//!   λ(w) = Π(λ° - D (Z w - b)),   D = stiffness/(Z Zᵀ)                                 (1)  [Rockafellar 1976] the method of multipliers
//!   w - w* = Zᵀ λ(w)   where a convex function is least                                (2)
//!   λ° ← λ, bounds of friction ← λ, until (2)-(5) of `solve` hold                       (3)
//! ```
//! (2) is solved by steps of `(1 + Zᵀ G Z) Δw = Zᵀ λ(w) - (w - w*)`, `G = -∂λ/∂(Z w)`, each as long as the least along it
//! asks. Impulses that still fit from the step before cost no step at all.
//!
//! # Symbols
//! As in `solve`; w velocities in coordinates whose inertia is 1, w* without impulses, Z rows there, λ° impulses last found,
//! D stiffness of each row, Π projection on what each kind of row allows, for contacts as in [`crate::contact::solver::friction`].
//!
//! # Frames
//! None.
//!
//! # Limits
//! Where contacts oppose each other without a solution, or friction has none with the normals (Painlevé), the last round
//! stands. Problems of many rows get fewer rounds.
//!
//! # Checked by
//! test/analytic/contact.rs, test/identity/contact.rs

use crate::contact::solver::blocks::Body;
use crate::contact::solver::dense::{Dense, FEW};
use crate::contact::solver::friction::{Bound, change, nearest, slip_error};
use crate::contact::solver::nonsmooth_newton::Coulomb;
use crate::contact::solver::solve::{Block, Kind, NOTHING, Row, dot};
use crate::contact::solver::system::{Sparse, System};

/// How the rounds go on: a problem of few rows, and a heap, whose rounds cost steps by how hard and how exact they are.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// Stiffness of a row against its own inertia: each round brings the error of its velocity down by this. Much more, and a
    /// step (2) sees little of what lies beyond the next contact that begins to slide.
    stiffness: f64,
    /// So it is raised by this after a round that left less than this part of the error.
    harder: f64,
    well: f64,
    /// What it falls by after another, down to where it began.
    softer: f64,
    /// Error of (2) that is let stand, as part of that before the round.
    exact: f64,
    /// Rounds without half the error after which no more are made.
    patience: usize,
}

/// Few rows are solved to rounding.
const SMALL_PROBLEM: Pace = Pace {
    stiffness: 300.0,
    harder: 10.0,
    well: 0.1,
    softer: f64::INFINITY,
    exact: 1e-3,
    patience: 30,
};
/// Against [`SMALL_PROBLEM`] on the 378 large problems of a falling heap: a third fewer steps; the median error is 7e-7 m/s and not 3e-7,
/// the largest tenth begins at 3e-4 and not 4e-4.
const HEAP: Pace = Pace {
    stiffness: 100.0,
    harder: 5.0,
    well: 0.2,
    softer: 3.0,
    exact: 0.3,
    patience: 5,
};
/// Highest stiffness.
const HARDEST: f64 = 3e5;
/// Errors of a row's velocity with which the impulses of the step before are taken as they are, at which the rounds end,
/// and which count as solved where the rounds come no further [m/s or rad/s, and as part of the velocities]. What is small is
/// solved to rounding, a heap to where it rests.
const SMALL: [f64; 3] = [1e-13, 1e-13, 5e-7];
const LARGE: [f64; 3] = [5e-7, 1e-8, 5e-7];
/// The first of them, as part of the second, after a step that found impulses anew: these hold what stopped the velocities that
/// were left before, which would now come back, be left, and be stopped again for ever.
const AFTER: f64 = 3.0;
/// Rows up to which a problem is small.
const SMALL_ROWS: usize = 256;
/// Error of (2) that is let stand, as part of the tolerance.
const EXACTER: f64 = 0.1;
/// Rounds (3): as many as `ROUND_ROWS` by the number of rows, between these.
const ROUNDS: [usize; 2] = [6, 30];
const ROUND_ROWS: usize = 12_000;
/// Rounds at the start in which friction is bounded by the impulses of the round before wherever there are some.
const FIRST_ROUNDS: usize = 3;
/// Steps (2) in a round.
const STEPS: usize = 40;
/// Slope that is left along a step, as part of that at its start, and trials to find its length.
const LENGTH: f64 = 0.1;
const HALVINGS: usize = 30;
/// Part of the stiffness times the velocities that is rounding in the gradient, and how much more may be, if it no longer falls.
const ROUNDING: f64 = 1e-15;
const NEARLY: f64 = 30.0;
/// Slip from which a contact slides [m/s].
const SLIDES: f64 = 1e-4;
/// How near curvatures must be to those of a factor that is used again.
const NEAR: f64 = 0.1;

/// Scratch of the method.
#[derive(Clone, Debug, Default)]
pub struct Newton {
    sparse: Sparse,
    dense: Dense,
    pub(crate) coulomb: Coulomb,
    /// `J v - b` of each row, and how it changes along a step.
    pub(crate) u: Vec<f64>,
    du: Vec<f64>,
    prior: Vec<f64>,
    pub(crate) stiffness: Vec<f64>,
    /// What friction is bounded by in each contact; nothing in other groups.
    bounds: Vec<Bound>,
    /// `G` of each group: nn, n1, n2, 11, 12, 22 of a contact, nn of a box.
    curvature: Vec<[f64; 6]>,
    /// That of the factor at hand.
    factored: Vec<[f64; 6]>,
    pub(crate) free: Vec<f64>,
    gradient: Vec<f64>,
    step: Vec<f64>,
    /// Fastest row before [m/s or rad/s], and most that a unit of the coordinates moves one.
    fastest: f64,
    reach: f64,
    /// Errors at which the rounds end and that are let stand, of this problem.
    pub(crate) tolerance: f64,
    stand: f64,
    /// Error of (2) that is let stand in this round, and that is rounding [m/s or rad/s].
    exact: f64,
    rounding: f64,
}

/// What became of the impulses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// They fit.
    pub fits: bool,
    /// They are no longer the first guess.
    pub is_anew: bool,
}

/// The constraints of an island.
pub struct Constraints<'a> {
    /// Their coordinates.
    pub bodies: &'a [Body],
    /// Rows' coefficients.
    pub Z: &'a [f64],
    /// Groups of rows.
    pub blocks: &'a [Block],
}

impl Newton {
    /// With memory for this many rows of a few robots.
    pub fn with_room(rows: usize) -> Self {
        Self {
            sparse: Sparse::with_room(rows),
            dense: Dense::with_room(rows),
            coulomb: Coulomb::with_room(rows),
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

    /// Impulses into `rows` and velocities into `v`, which come in with the first guess in them. `after` a step that found
    /// impulses anew less is let stand.
    pub fn solve(
        &mut self,
        c: &Constraints<'_>,
        rows: &mut [Row],
        v: &mut [f64],
        free: &[f64],
        after: bool,
    ) -> Outcome {
        self.free.clear();
        self.free.extend_from_slice(free);
        self.residuals(c, rows, v);
        let fastest: f64 = rows
            .iter()
            .zip(&self.u)
            .fold(0.0, |m, (row, u)| m.max((u + row.wanted).abs()));
        self.reach = rows.iter().fold(0.0_f64, |m, row| m.max(row.effect)).sqrt();
        let limits = if rows.len() <= SMALL_ROWS {
            SMALL
        } else {
            LARGE
        };
        let [as_it_is, tolerance, stand] = limits.map(|x| x * (1.0 + fastest));
        (self.tolerance, self.stand) = (tolerance, stand);
        self.fastest = fastest;
        let misfit = self.misfit(c, rows);
        if misfit
            <= if after {
                as_it_is.min(AFTER * tolerance)
            } else {
                as_it_is
            }
        {
            return Outcome {
                fits: true,
                is_anew: false,
            };
        }
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions
            return Outcome {
                fits: unsafe { self.search_wide(c, rows, v, misfit) },
                is_anew: true,
            };
        }
        Outcome {
            fits: self.search(c, rows, v, misfit),
            is_anew: true,
        }
    }

    /// The search, compiled for processors that have wider registers; the same bits.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn search_wide(
        &mut self,
        c: &Constraints<'_>,
        rows: &mut [Row],
        v: &mut [f64],
        misfit: f64,
    ) -> bool {
        self.search(c, rows, v, misfit)
    }

    /// From a guess that does not fit; returns whether the impulses found do.
    #[inline(always)]
    fn search(
        &mut self,
        c: &Constraints<'_>,
        rows: &mut [Row],
        v: &mut [f64],
        misfit: f64,
    ) -> bool {
        if v.len() > FEW {
            let mut sparse = std::mem::take(&mut self.sparse);
            sparse.plan(c, rows);
            let fits = self.rounds(&mut sparse, c, rows, v, misfit);
            self.sparse = sparse;
            return fits;
        }
        let mut dense = std::mem::take(&mut self.dense);
        dense.spread(c, rows, v.len());
        let slides = self.slides(c, rows);
        let fits = slides && self.coulomb(&mut dense, c, rows, v, misfit)
            || self.rounds(&mut dense, c, rows, v, misfit);
        self.dense = dense;
        fits
    }

    /// (3); returns whether the impulses fit.
    #[inline(always)]
    fn rounds<S: System>(
        &mut self,
        system: &mut S,
        c: &Constraints<'_>,
        rows: &mut [Row],
        v: &mut [f64],
        misfit: f64,
    ) -> bool {
        self.prepare(c, rows);
        let rounds = (ROUND_ROWS / rows.len().max(1)).clamp(ROUNDS[0], ROUNDS[1]);
        let pace = if rows.len() <= SMALL_ROWS {
            SMALL_PROBLEM
        } else {
            HEAP
        };
        let (mut misfit, mut stiffness) = (misfit, pace.stiffness);
        let (mut best, mut waits) = (misfit, 0);
        for round in 0..rounds {
            for (row, prior) in rows.iter().zip(&mut self.prior) {
                *prior = row.impulse;
            }
            self.stiffen(c, rows, stiffness);
            self.bound(c, rows, round < FIRST_ROUNDS);
            self.rounding = ROUNDING * stiffness * self.fastest;
            self.exact = (EXACTER * self.tolerance).max(pace.exact * misfit);
            self.descend(system, c, rows, v);
            self.project(c, rows);
            let now = self.misfit(c, rows);
            (best, waits) = if now < 0.5 * best {
                (now, 0)
            } else {
                (best, waits + 1)
            };
            let stalls = now > 0.9 * misfit && now <= self.stand || waits >= pace.patience;
            let next = if now < pace.well * misfit {
                (pace.harder * stiffness).min(HARDEST)
            } else {
                (stiffness / pace.softer).max(pace.stiffness)
            };
            if next != stiffness {
                // another stiffness has another factor, which the curvatures of equalities do not tell
                self.factored.clear();
                stiffness = next;
            }
            misfit = now;
            if misfit <= self.tolerance || stalls {
                break;
            }
        }
        misfit <= self.stand
    }

    /// True if a contact that bears slides.
    #[inline(always)]
    fn slides(&self, c: &Constraints<'_>, rows: &[Row]) -> bool {
        let mut contacts = c
            .blocks
            .iter()
            .filter(|b| matches!(b.kind, Kind::Contact { .. }));
        contacts.any(|block| {
            let k = block.first as usize;
            let slip = (self.u[k + 1] * self.u[k + 1] + self.u[k + 2] * self.u[k + 2]).sqrt();
            rows[k].impulse > 0.0 && slip > SLIDES
        })
    }

    /// `J v - b`.
    #[inline(always)]
    fn residuals(&mut self, c: &Constraints<'_>, rows: &[Row], v: &[f64]) {
        self.u.clear();
        self.u
            .extend(rows.iter().map(|row| dot(row, c.Z, v) - row.wanted));
    }

    /// Largest error of (2)-(5) in `solve` [m/s or rad/s].
    #[inline(always)]
    pub(crate) fn misfit(&self, c: &Constraints<'_>, rows: &[Row]) -> f64 {
        let mut largest = 0.0_f64;
        for block in c.blocks {
            let first = block.first as usize;
            let (rows, u) = (
                &rows[first..first + block.n as usize],
                &self.u[first..first + block.n as usize],
            );
            let error = match block.kind {
                Kind::Contact { friction } if rows[0].effect > NOTHING => {
                    let normal = if rows[0].impulse > 0.0 {
                        u[0].abs()
                    } else {
                        -u[0]
                    };
                    normal.max(slip_error(rows, u, friction, self.tolerance))
                }
                Kind::Box { lo, hi, .. } if rows[0].effect > NOTHING => {
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
                    let errors = rows.iter().zip(u).filter(|(row, _)| row.effect > NOTHING);
                    errors.fold(0.0, |e: f64, (_, u)| e.max(u.abs()))
                }
            };
            // a number that is none must not pass for a fit
            largest = if error > largest || error.is_nan() {
                error
            } else {
                largest
            };
        }
        largest
    }

    /// Gives each row this stiffness against its own inertia.
    pub(crate) fn stiffen(&mut self, c: &Constraints<'_>, rows: &[Row], stiffness: f64) {
        self.stiffness.clear();
        for block in c.blocks {
            let rows = &rows[block.first as usize..(block.first + block.n) as usize];
            let stiff = |effect: f64| {
                if effect > NOTHING {
                    stiffness / effect
                } else {
                    0.0
                }
            };
            match block.kind {
                Kind::Contact { .. } => {
                    let all = rows[0].effect.max(rows[1].effect).max(rows[2].effect);
                    self.stiffness.extend([stiff(all); 3]);
                }
                _ => self
                    .stiffness
                    .extend(rows.iter().map(|row| stiff(row.effect))),
            }
        }
    }

    /// Scratch of the rounds.
    #[inline(always)]
    fn prepare(&mut self, c: &Constraints<'_>, rows: &[Row]) {
        for list in [&mut self.prior, &mut self.du] {
            list.clear();
            list.resize(rows.len(), 0.0);
        }
        self.factored.clear();
        self.bounds.clear();
        self.bounds.resize(c.blocks.len(), Bound::None);
        for list in [&mut self.gradient, &mut self.step] {
            list.clear();
            list.resize(self.free.len(), 0.0);
        }
    }

    /// What friction is bounded by in the coming round: where it slides, and in the first rounds wherever there is a load, a
    /// disk of the impulse last found; elsewhere the cone, which knows the normal impulse to come, but has what slips rise.
    #[inline(always)]
    fn bound(&mut self, c: &Constraints<'_>, rows: &[Row], disks: bool) {
        for (block, bound) in c.blocks.iter().zip(&mut self.bounds) {
            let Kind::Contact { friction } = block.kind else {
                continue;
            };
            let first = block.first as usize;
            let normal = rows[first].impulse;
            let slip = (self.u[first + 1] * self.u[first + 1]
                + self.u[first + 2] * self.u[first + 2])
                .sqrt();
            let loaded = disks && normal > 0.0;
            *bound = if slip > SLIDES || loaded {
                Bound::Disk(friction * normal)
            } else {
                Bound::Cone(friction * slip)
            };
        }
    }

    /// (2) for the λ° and the bounds as they are.
    #[inline(always)]
    fn descend<S: System>(
        &mut self,
        system: &mut S,
        c: &Constraints<'_>,
        rows: &mut [Row],
        v: &mut [f64],
    ) {
        self.project(c, rows);
        let mut before = f64::INFINITY;
        for _ in 0..STEPS {
            let error = self.slope(system, c, rows, v);
            let is_rounding = error < NEARLY * self.rounding && error > 0.5 * before;
            if error <= self.exact + self.rounding || is_rounding {
                return;
            }
            before = error;
            self.curvatures(c);
            if !self.is_factored() {
                self.factored.clone_from(&self.curvature);
                system.factor(c, rows, &self.stiffness, &self.factored);
            }
            self.step.clear();
            self.step.extend(self.gradient.iter().map(|g| -g));
            system.solve(&mut self.step);
            system.products(c, rows, &self.step, &mut self.du);
            let falls = -product(&self.gradient, &self.step);
            self.go(v, 1.0);
            self.project(c, rows);
            if self.slope_here(rows, v) > LENGTH * falls {
                self.go(v, -1.0);
                let length = self.line_search(c, v, falls);
                self.go(v, length);
                self.project(c, rows);
            }
        }
    }

    /// Moves on along the step.
    #[inline(always)]
    fn go(&mut self, v: &mut [f64], length: f64) {
        for (v, step) in v.iter_mut().zip(&self.step) {
            *v += length * step;
        }
        for (u, du) in self.u.iter_mut().zip(&self.du) {
            *u += length * du;
        }
    }

    /// Slope of the function along the step where it is now.
    #[inline(always)]
    fn slope_here(&self, rows: &[Row], v: &[f64]) -> f64 {
        let mut sum = 0.0;
        for ((v, free), step) in v.iter().zip(&self.free).zip(&self.step) {
            sum += (v - free) * step;
        }
        for (row, du) in rows.iter().zip(&self.du) {
            sum -= row.impulse * du;
        }
        sum
    }

    /// (1)
    #[inline(always)]
    fn project(&self, c: &Constraints<'_>, rows: &mut [Row]) {
        for (k, block) in c.blocks.iter().enumerate() {
            let first = block.first as usize;
            let wanted = |i: usize| self.prior[i] - self.stiffness[i] * self.u[i];
            match block.kind {
                Kind::Contact { friction } => {
                    let p = [wanted(first), wanted(first + 1), wanted(first + 2)];
                    let found = nearest(p, friction, self.bounds[k], self.stiffness[first]);
                    for (row, x) in rows[first..].iter_mut().zip(found) {
                        row.impulse = x;
                    }
                }
                Kind::Box { lo, hi, .. } => rows[first].impulse = wanted(first).clamp(lo, hi),
                Kind::Equality => {
                    for i in first..first + block.n as usize {
                        rows[i].impulse = wanted(i);
                    }
                }
            }
        }
    }

    /// Gradient of the function whose least is (2); returns its size as a velocity [m/s or rad/s].
    #[inline(always)]
    fn slope<S: System>(
        &mut self,
        system: &S,
        c: &Constraints<'_>,
        rows: &[Row],
        v: &[f64],
    ) -> f64 {
        let Self { gradient, free, .. } = self;
        gradient.clear();
        gradient.extend(v.iter().zip(free.iter()).map(|(v, f)| v - f));
        system.take(c, rows, gradient);
        let size = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        size(gradient) * self.reach
    }

    /// `G` where the impulses are now.
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
                Kind::Contact { friction } => change([p(0), p(1), p(2)], friction, bounds[k], d),
                Kind::Box { lo, hi, .. } if p(0) > lo && p(0) < hi => [d, 0.0, 0.0, 0.0, 0.0, 0.0],
                Kind::Box { .. } => [0.0; 6],
                Kind::Equality => [1.0; 6],
            });
        }
    }

    /// True if the factor at hand is that of these curvatures, near enough for a step.
    #[inline(always)]
    fn is_factored(&self) -> bool {
        let near = |(new, old): (&[f64; 6], &[f64; 6])| {
            let size = old[0].max(old[3]).max(old[5]).max(new[3]).max(new[5]);
            new.iter()
                .zip(old)
                .all(|(new, old)| (new - old).abs() <= NEAR * size)
        };
        self.factored.len() == self.curvature.len()
            && self.curvature.iter().zip(&self.factored).all(near)
    }

    /// Where along the step the function is least, to a part of its slope at the start, which is `-falls`.
    #[inline(always)]
    fn line_search(&self, c: &Constraints<'_>, v: &[f64], falls: f64) -> f64 {
        let (mut low, mut high) = ((0.0, -falls), (1.0, self.slope_along(c, v, 1.0)));
        for k in 0..HALVINGS {
            // a chord's root and the middle in turn: the slope jumps where a contact begins to slide
            let part = if k % 2 == 0 {
                (low.1 / (low.1 - high.1)).clamp(0.05, 0.95)
            } else {
                0.5
            };
            let along = low.0 + (high.0 - low.0) * part;
            let slope = self.slope_along(c, v, along);
            if slope.abs() <= LENGTH * falls {
                return along;
            }
            if slope < 0.0 {
                low = (along, slope);
            } else {
                high = (along, slope);
            }
        }
        low.0
    }

    /// Slope of the function at `along` of the step.
    #[inline(always)]
    fn slope_along(&self, c: &Constraints<'_>, v: &[f64], along: f64) -> f64 {
        let mut sum = 0.0;
        for ((v, free), step) in v.iter().zip(&self.free).zip(&self.step) {
            sum += (v - free + along * step) * step;
        }
        sum - self.work(c, along)
    }

    /// `Δu · λ` at `along` of the step.
    #[inline(always)]
    fn work(&self, c: &Constraints<'_>, along: f64) -> f64 {
        let mut sum = 0.0;
        for (k, block) in c.blocks.iter().enumerate() {
            let first = block.first as usize;
            let wanted =
                |i: usize| self.prior[i] - self.stiffness[i] * (self.u[i] + along * self.du[i]);
            match block.kind {
                Kind::Contact { friction } => {
                    let p = [wanted(first), wanted(first + 1), wanted(first + 2)];
                    let found = nearest(p, friction, self.bounds[k], self.stiffness[first]);
                    sum += found
                        .iter()
                        .zip(&self.du[first..])
                        .map(|(x, du)| x * du)
                        .sum::<f64>();
                }
                Kind::Box { lo, hi, .. } => sum += self.du[first] * wanted(first).clamp(lo, hi),
                Kind::Equality => {
                    sum += (first..first + block.n as usize)
                        .map(|i| self.du[i] * wanted(i))
                        .sum::<f64>();
                }
            }
        }
        sum
    }
}

/// `x · y`.
#[inline(always)]
fn product(x: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (x, y) in x.iter().zip(y) {
        sum += x * y;
    }
    sum
}
