//! Contact problem of an island: impulses of contacts, limits, dry friction and couplings in
//! generalized coordinates.
//!
//! # Law
//! ```text
//!   v = v* + Y λ,   Y = H⁻¹ Jᵀ                                         (1)
//!   contact:  0 ≤ λ_n ⟂ J_n v - b ≥ 0                                  (2)
//!             |λ_t| ≤ μ λ_n,  λ_t = -μ λ_n s/|s| where it slides with s = J_t v  (3)  [Coulomb]
//!   box:      lo ≤ λ ≤ hi,  J v = b unless at a bound                  (4)
//!   equality: J v = b                                                  (5)  couplings
//!   (2) [Signorini, on velocities: Stewart 2000, eq. 4.9]
//!   (4) dry friction of a joint, a drive's limit
//! ```
//! The problem is solved from the impulses of the previous step
//! ([`crate::contact::solver::augmented_lagrangian`]).
//!
//! # Symbols
//! v free velocities of all robots of an island, v* without impulses, λ impulses [N s or N m s], b
//! target velocities, H inertia with added mass, J rows.
//!
//! # Frames
//! None: rows and velocities are in generalized coordinates.
//!
//! # Limits
//! Rigid surfaces, a circular friction cone, no torsional friction beyond the friction of several
//! contact points. If opposing contacts have no solution (a body pressed into a gap that is too
//! narrow), the last iterate is used.
//!
//! # Checked by
//! test/analytic/contacts/contact.rs, test/identity/contact.rs

use crate::contact::dofs::{from_unit_inertia, to_unit_inertia};
use crate::contact::solver::augmented_lagrangian::{AugmentedLagrangian, Outcome};
use crate::contact::solver::blocks::CoordinateRange;
use crate::contact::solver::rows::{Block, Constraints, Kind, Row, SLOP, dot_row};

/// Constraints of an island and their solution.
#[derive(Clone, Debug, Default)]
pub struct Problem {
    /// Index ranges of the coordinates of each robot in `v`.
    pub bodies: Vec<CoordinateRange>,
    /// Cholesky factors of the inertia of each robot, as computed by [`crate::contact::dofs`], in
    /// sequence.
    pub L: Vec<f64>,
    /// Velocities of the robots, in sequence: first the free velocities, then the solution.
    pub v: Vec<f64>,
    /// Coefficients of the rows: J during assembly, then `J L⁻ᵀ`.
    pub J: Vec<f64>,
    /// Scalar constraints of the island.
    pub rows: Vec<Row>,
    /// Groups of the rows.
    pub blocks: Vec<Block>,
    /// Position correction, in the order of `v`.
    pub x: Vec<f64>,
    /// Velocities, and later displacements, in coordinates of unit inertia.
    w: Vec<f64>,
    free: Vec<f64>,
    newton: AugmentedLagrangian,
}

/// Fraction of an overlap that is removed in a step.
const CORRECTION: f64 = 0.2;
/// Position error of a coupling that is not corrected [m or rad].
const COUPLING_TOLERANCE: f64 = 1e-9;
/// Maximum number of sweeps of the position correction.
const CORRECTION_SWEEPS: usize = 30;

impl Problem {
    /// Creates an empty problem with memory for the given number of rows.
    pub fn with_capacity(rows: usize) -> Self {
        Self {
            v: Vec::with_capacity(64),
            J: Vec::with_capacity(16 * rows),
            rows: Vec::with_capacity(rows),
            blocks: Vec::with_capacity(rows),
            x: Vec::with_capacity(64),
            w: Vec::with_capacity(64),
            free: Vec::with_capacity(64),
            newton: AugmentedLagrangian::with_capacity(rows),
            L: Vec::with_capacity(256),
            bodies: Vec::with_capacity(8),
        }
    }

    /// Returns true if the solution is finite.
    pub fn is_finite(&self) -> bool {
        self.v.iter().chain(&self.x).all(|x| x.is_finite())
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.L.clear();
        self.v.clear();
        self.J.clear();
        self.rows.clear();
        self.blocks.clear();
    }

    /// Solves (2)-(5): impulses into the rows, velocities into `v`.
    ///
    /// `previous_recomputed` is true if the previous step computed new impulses; the tolerance for
    /// accepting them unchanged is then smaller.
    pub fn solve(&mut self, previous_recomputed: bool) -> Outcome {
        let (w, free) = (&mut self.w, &mut self.free);
        free.clone_from(&self.v);
        transform_bodies(&self.bodies, &self.L, free, to_unit_inertia);
        w.clone_from(free);
        for row in &self.rows {
            apply_impulse(row, &self.J, w, row.impulse);
        }
        let constraints = Constraints {
            bodies: &self.bodies,
            Z: &self.J,
            blocks: &self.blocks,
        };
        let (newton, rows) = (&mut self.newton, &mut self.rows);
        let outcome = newton.solve(&constraints, rows, w, free, previous_recomputed);
        if outcome.is_solved {
            // impulses on the robots are equal and opposite to the last bit
            w.fill(0.0);
            for row in &self.rows {
                apply_impulse(row, &self.J, w, row.impulse);
            }
        } else {
            for (w, free) in w.iter_mut().zip(free.iter()) {
                *w -= free;
            }
        }
        transform_bodies(&self.bodies, &self.L, w, from_unit_inertia);
        for (v, change) in self.v.iter_mut().zip(w.iter()) {
            *v += change;
        }
        outcome
    }

    /// Computes displacements by the impulses over their durations, and out of overlaps, into `x`.
    pub(crate) fn compute_displacements(&mut self) {
        self.x.clear();
        self.x.resize(self.v.len(), 0.0);
        for block in &self.blocks {
            let rows = &self.rows[block.rows()];
            let duration = duration(&rows[0]);
            for row in rows {
                apply_impulse(row, &self.J, &mut self.x, row.impulse * duration);
            }
        }
        let mut overlaps = false;
        for block in &self.blocks {
            let is_equality = matches!(block.kind, Kind::Equality);
            for row in &mut self.rows[block.corrected_rows()] {
                let gap = row.gap + dot_row(row, &self.J, &self.x);
                row.push = 0.0;
                // remaining gap in this step, as a displacement that the correction must produce
                row.gap = if is_equality { gap } else { gap + SLOP };
                overlaps |= if is_equality {
                    gap.abs() > COUPLING_TOLERANCE
                } else {
                    row.gap < 0.0
                };
            }
        }
        if overlaps {
            self.correct_overlaps();
        }
        transform_bodies(&self.bodies, &self.L, &mut self.x, from_unit_inertia);
    }

    fn correct_overlaps(&mut self) {
        let (J, w) = (&self.J, &mut self.w);
        // displacement by the correction only
        w.fill(0.0);
        for _ in 0..CORRECTION_SWEEPS {
            let mut largest = 0.0_f64;
            for block in &self.blocks {
                let one_sided = !matches!(block.kind, Kind::Equality);
                for row in &mut self.rows[block.corrected_rows()] {
                    let target = if one_sided && row.gap > 0.0 {
                        -row.gap
                    } else {
                        -CORRECTION * row.gap
                    };
                    let new_push = row.push + (target - dot_row(row, J, w)) / row.inverse_mass;
                    let push = if one_sided {
                        new_push.max(0.0)
                    } else {
                        new_push
                    };
                    let change = push - row.push;
                    row.push = push;
                    apply_impulse(row, J, w, change);
                    largest = largest.max((change * row.inverse_mass).abs());
                }
            }
            if largest < 1e-3 * SLOP {
                break;
            }
        }
        for (x, correction) in self.x.iter_mut().zip(w.iter()) {
            *x += correction;
        }
    }
}

/// Transforms each robot's part of a vector with its own factor.
fn transform_bodies(
    bodies: &[CoordinateRange],
    L: &[f64],
    x: &mut [f64],
    transform: fn(&[f64], usize, &mut [f64]),
) {
    let mut at = 0;
    for body in bodies {
        let n = body.n as usize;
        transform(
            &L[at..at + n * n],
            n,
            &mut x[body.v as usize..body.v as usize + n],
        );
        at += n * n;
    }
}

/// Returns the effective duration of an impulse: the impact part acts from the impact on, the rest
/// evenly over the step.
fn duration(row: &Row) -> f64 {
    let impact_impulse = row.impact_velocity / row.inverse_mass;
    if impact_impulse <= 0.0 || row.impulse <= 0.0 {
        return row.duration;
    }
    let fraction = (impact_impulse / row.impulse).min(1.0);
    fraction * row.time_since_impact + (1.0 - fraction) * row.duration
}

/// Computes `w += Zᵀ k` of a row.
#[inline(always)]
fn apply_impulse(row: &Row, Z: &[f64], v: &mut [f64], k: f64) {
    if k == 0.0 {
        return;
    }
    for s in &row.segments {
        let (at, n) = (s.at as usize, s.n as usize);
        let (z, v) = (&Z[at..at + n], &mut v[s.v as usize..s.v as usize + n]);
        for (v, z) in v.iter_mut().zip(z) {
            *v += z * k;
        }
    }
}
