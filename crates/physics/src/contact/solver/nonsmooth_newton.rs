//! Nonsmooth Newton method for Coulomb's law, for the few coordinates of one or two robots.
//!
//! # Law
//! ```text
//!   p = λ - D u,   u = Z w - b                                            (1)
//!   λ_n⁺ = max(0, p_n),   λ_t⁺ = the nearest to p_t with |λ_t⁺| ≤ μ λ_n⁺  (2)  [Alart 1991]
//!   (1 + Zᵀ G Z) Δw = Zᵀ (λ⁺ - λ),   λ ← λ⁺ - G Z Δw,   G = ∂λ⁺/∂p · D    (3)
//! ```
//! (2)-(5) of `solve` hold if `λ⁺ = λ`. In (3) friction depends on the future normal impulse. This
//! makes the matrix unsymmetric and reduces the number of steps: once sticking and sliding contacts
//! are identified, each step reduces the error by the stiffness.
//!
//! # Symbols
//! As in `augmented_lagrangian`.
//!
//! # Limits
//! Convergence from a distant guess is not guaranteed. If the error no longer decreases, the rounds
//! of `augmented_lagrangian` start from the initial guess.
//!
//! # Checked by
//! test/analytic/contacts/contact.rs, test/identity/contact.rs

use crate::contact::solver::augmented_lagrangian::AugmentedLagrangian;
use crate::contact::solver::dense::{Dense, MAX_DENSE_SIZE, padded};
use crate::contact::solver::friction;
use crate::contact::solver::friction::FrictionBound;
use crate::contact::solver::rows::{Constraints, Kind, Row};

/// Stiffness relative to a row's own inertia: value of the first step, factor after each successful
/// step, maximum, and value after an unsuccessful step. A lower stiffness better distinguishes
/// opening and sliding contacts; a higher one converges faster.
const FIRST_STIFFNESS: f64 = 30.0;
const STIFFNESS_INCREASE: f64 = 10.0;
const MAX_STIFFNESS: f64 = 3e5;
const MIN_STIFFNESS: f64 = 3.0;
/// Factor on the tolerance below which an error that no longer decreases counts as rounding.
const ROUNDING_FACTOR: f64 = 10.0;
/// Maximum number of steps, and of steps without improvement.
const MAX_STEPS: usize = 16;
const PATIENCE: usize = 3;

/// Scratch memory of the method.
#[derive(Clone, Debug, Default)]
pub(crate) struct NonsmoothScratch {
    /// `G` of each group: nn, 1n, 2n, 11, 12, 22 of a contact, nn of a box.
    curvature: Vec<[f64; 6]>,
    /// Change of the row velocities `Z Δw`.
    du: Vec<f64>,
    /// Impulses before a step, and impulses of the initial guess.
    prior: Vec<f64>,
    initial: Vec<f64>,
}

impl NonsmoothScratch {
    /// Allocates memory for the given number of rows.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        let [du, prior, initial] = [rows; 3].map(Vec::with_capacity);
        Self {
            curvature: Vec::with_capacity(rows),
            du,
            prior,
            initial,
        }
    }
}

impl AugmentedLagrangian {
    /// Computes the impulses into `rows` and the velocities into `v`, starting from the guess in
    /// them.
    ///
    /// Returns false and restores the guess if the method does not converge.
    #[inline(always)]
    pub(crate) fn solve_nonsmooth(
        &mut self,
        dense: &mut Dense,
        c: &Constraints<'_>,
        rows: &mut [Row],
        v: &mut [f64],
        initial_error: f64,
    ) -> bool {
        let scratch = &mut self.coulomb;
        scratch.initial.clear();
        scratch.initial.extend(rows.iter().map(|row| row.impulse));
        scratch.du.resize(rows.len(), 0.0);
        let (mut best_error, mut steps_without_progress) = (initial_error, 0);
        let mut stiffness = FIRST_STIFFNESS;
        for _ in 0..MAX_STEPS {
            self.set_stiffness(c, rows, stiffness);
            let Some(w) = self.nonsmooth_step(dense, c, rows) else {
                break;
            };
            let error = self.max_error(c, rows).max(admissibility_error(c, rows));
            if error <= self.tolerance
                || (error <= ROUNDING_FACTOR * self.tolerance && error > 0.5 * best_error)
            {
                v.copy_from_slice(&w[..v.len()]);
                return true;
            }
            let is_halved = error < 0.5 * best_error;
            (best_error, steps_without_progress) = if is_halved {
                (error, 0)
            } else {
                (best_error, steps_without_progress + 1)
            };
            if steps_without_progress > PATIENCE {
                break;
            }
            stiffness = if is_halved {
                (stiffness * STIFFNESS_INCREASE).min(MAX_STIFFNESS)
            } else {
                MIN_STIFFNESS
            };
        }
        for (row, initial) in rows.iter_mut().zip(&self.coulomb.initial) {
            row.impulse = *initial;
        }
        self.update_velocities(dense, rows);
        false
    }

    /// Returns the step (3); returns the velocities after it, or `None` if they are not finite.
    #[inline(always)]
    fn nonsmooth_step(
        &mut self,
        dense: &mut Dense,
        c: &Constraints<'_>,
        rows: &mut [Row],
    ) -> Option<[f64; MAX_DENSE_SIZE]> {
        let Self {
            coulomb:
                NonsmoothScratch {
                    curvature,
                    du,
                    prior,
                    ..
                },
            u,
            stiffness,
            ..
        } = self;
        prior.clear();
        prior.extend(rows.iter().map(|row| row.impulse));
        curvature.clear();
        for block in c.blocks {
            let (rows, u) = (&mut rows[block.rows()], &u[block.rows()]);
            curvature.push(project_group(block.kind, rows, u, &stiffness[block.rows()]));
        }
        let mut step = [0.0; MAX_DENSE_SIZE];
        dense.add_transposed_product(
            rows.iter()
                .zip(prior.iter())
                .map(|(row, prior)| row.impulse - prior),
            &mut step,
        );
        if !dense.solve_once(c, stiffness, curvature, &mut step) {
            return None;
        }
        dense.multiply_rows(&step, du);
        for (block, g) in c.blocks.iter().zip(curvature.iter()) {
            let (rows, du) = (&mut rows[block.rows()], &du[block.rows()]);
            subtract_linear_change(block.kind, rows, du, &stiffness[block.rows()], g);
        }
        let w = self.update_velocities(dense, rows);
        w.iter().all(|x| x.is_finite()).then_some(w)
    }

    /// Computes the velocities due to the impulses, and `Z w - b` of each row.
    #[inline(always)]
    fn update_velocities(&mut self, dense: &Dense, rows: &[Row]) -> [f64; MAX_DENSE_SIZE] {
        let mut w = padded(&self.free);
        dense.add_transposed_product(rows.iter().map(|row| row.impulse), &mut w);
        dense.multiply_rows(&w, &mut self.u);
        for (u, row) in self.u.iter_mut().zip(rows) {
            *u -= row.target_velocity;
        }
        w
    }
}

/// Applies (2) of a group to its rows; returns its derivative with respect to u.
#[inline(always)]
fn project_group(kind: Kind, rows: &mut [Row], u: &[f64], stiffness: &[f64]) -> [f64; 6] {
    let d = stiffness[0];
    match (kind, rows) {
        (Kind::Contact { friction }, [n, s, t]) => {
            let p = [
                n.impulse - d * u[0],
                s.impulse - d * u[1],
                t.impulse - d * u[2],
            ];
            let radius = friction * p[0].max(0.0);
            let bound = FrictionBound::Disk(radius);
            let mut curvature = friction::projection_derivative(p, friction, bound, d);
            let found = friction::project(p, friction, bound, d);
            let size = (p[1] * p[1] + p[2] * p[2]).sqrt();
            if size > radius {
                // the disk grows with the normal impulse
                (curvature[1], curvature[2]) = (
                    curvature[0] * friction * p[1] / size,
                    curvature[0] * friction * p[2] / size,
                );
            }
            n.impulse = found[0];
            s.impulse = found[1];
            t.impulse = found[2];
            curvature
        }
        (Kind::Box { lo, hi, .. }, [row]) => {
            let p = row.impulse - d * u[0];
            row.impulse = p.clamp(lo, hi);
            [
                if p > lo && p < hi { d } else { 0.0 },
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
            ]
        }
        (_, rows) => {
            for ((row, u), d) in rows.iter_mut().zip(u).zip(stiffness) {
                row.impulse -= d * u;
            }
            [1.0; 6]
        }
    }
}

/// Subtracts `G du` from the impulses of a group. The result can be inadmissible; the next step
/// corrects this.
#[inline(always)]
fn subtract_linear_change(
    kind: Kind,
    rows: &mut [Row],
    du: &[f64],
    stiffness: &[f64],
    g: &[f64; 6],
) {
    match (kind, rows) {
        (Kind::Contact { .. }, [n, s, t]) => {
            let [nn, n1, n2, a, b, c] = g;
            n.impulse -= nn * du[0];
            s.impulse -= n1 * du[0] + a * du[1] + b * du[2];
            t.impulse -= n2 * du[0] + b * du[1] + c * du[2];
        }
        (Kind::Box { .. }, [row]) => row.impulse -= g[0] * du[0],
        (_, rows) => {
            for ((row, du), d) in rows.iter_mut().zip(du).zip(stiffness) {
                row.impulse -= d * du;
            }
        }
    }
}

/// Returns the distance of the impulses from the admissible set, as the velocity that it causes
/// [m/s or rad/s].
#[inline(always)]
fn admissibility_error(c: &Constraints<'_>, rows: &[Row]) -> f64 {
    let mut max_error = 0.0_f64;
    for block in c.blocks {
        let rows = &rows[block.rows()];
        let error = match (block.kind, rows) {
            (Kind::Contact { friction }, [n, s, t]) => {
                let size = (s.impulse * s.impulse + t.impulse * t.impulse).sqrt();
                let excess =
                    (size - friction * n.impulse.max(0.0)) * s.inverse_mass.max(t.inverse_mass);
                excess.max(-n.impulse * n.inverse_mass)
            }
            (Kind::Box { lo, hi, .. }, [row]) => {
                (lo - row.impulse).max(row.impulse - hi) * row.inverse_mass
            }
            _ => 0.0,
        };
        max_error = max_error.max(error);
    }
    max_error
}
