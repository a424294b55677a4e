//! Linear system of the Newton method of an island: interface, and sparse block form for many
//! robots.

use crate::contact::solver::blocks::{BlockMatrix, BlockPosition};
use crate::contact::solver::newton_matrix;
use crate::contact::solver::rows::{Constraints, Row, dot_row};

/// Rows of an island and `M = 1 + Zᵀ G Z`, in a form that suits its size.
pub(crate) trait System {
    /// Computes `Z x` of every row.
    fn products(&self, c: &Constraints<'_>, rows: &[Row], x: &[f64], out: &mut [f64]);
    /// Computes `x ← x - Zᵀ λ`.
    fn subtract_impulses(&self, c: &Constraints<'_>, rows: &[Row], x: &mut [f64]);
    /// Assembles `M` from the curvature of each group and the stiffness of each row, and factorises
    /// it.
    fn factor(&mut self, c: &Constraints<'_>, rows: &[Row], stiffness: &[f64], G: &[[f64; 6]]);
    /// Solves `M x = x`.
    fn solve(&self, x: &mut [f64]);
}

/// Sparse form with one block per robot and one per pair of robots that share a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sparse {
    matrix: BlockMatrix,
    pairs: Vec<[u32; 2]>,
    /// Position of the off-diagonal block of each group of rows.
    block_positions: Vec<BlockPosition>,
    /// Weighted rows `G Z`.
    weighted: Vec<f64>,
}

impl Sparse {
    /// Allocates memory for the given number of rows of a few robots.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        Self {
            matrix: BlockMatrix::with_capacity(rows.min(16)),
            pairs: Vec::with_capacity(rows),
            block_positions: Vec::with_capacity(rows),
            weighted: Vec::with_capacity(16 * rows),
        }
    }

    /// Computes the positions of the blocks of the rows.
    pub(crate) fn plan(&mut self, c: &Constraints<'_>, rows: &[Row]) {
        self.pairs.clear();
        for block in c.blocks {
            self.pairs.extend(robot_pair(&rows[block.first as usize]));
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        self.matrix.plan(c.bodies, &self.pairs);
        self.block_positions.clear();
        for block in c.blocks {
            let position =
                robot_pair(&rows[block.first as usize]).map(|p| self.matrix.pair_block(p));
            self.block_positions.push(position.unwrap_or_default());
        }
        self.weighted.clear();
        self.weighted.resize(c.Z.len(), 0.0);
    }
}

impl System for Sparse {
    #[inline(always)]
    fn products(&self, c: &Constraints<'_>, rows: &[Row], x: &[f64], out: &mut [f64]) {
        for (row, out) in rows.iter().zip(out) {
            *out = dot_row(row, c.Z, x);
        }
    }

    #[inline(always)]
    fn subtract_impulses(&self, c: &Constraints<'_>, rows: &[Row], x: &mut [f64]) {
        for row in rows.iter().filter(|row| row.impulse != 0.0) {
            for s in &row.segments {
                let (at, n) = (s.at as usize, s.n as usize);
                for (x, z) in x[s.v as usize..].iter_mut().zip(&c.Z[at..at + n]) {
                    *x -= z * row.impulse;
                }
            }
        }
    }

    #[inline(always)]
    fn factor(&mut self, c: &Constraints<'_>, rows: &[Row], stiffness: &[f64], G: &[[f64; 6]]) {
        let Self {
            matrix,
            weighted,
            block_positions,
            ..
        } = self;
        matrix.values.fill(0.0);
        for (k, body) in c.bodies.iter().enumerate() {
            let (n, at) = (body.n as usize, matrix.diagonal(k as u32));
            for i in 0..n {
                matrix.values[at + i * n + i] = 1.0;
            }
        }
        for ((block, position), g) in c.blocks.iter().zip(block_positions).zip(G) {
            if *g != [0.0; 6] {
                let (rows, stiffness) = (&rows[block.rows()], &stiffness[block.rows()]);
                newton_matrix::add_curvature(
                    block.kind,
                    (rows, stiffness),
                    c.Z,
                    g,
                    weighted,
                    (matrix, *position),
                );
            }
        }
        self.matrix.factor();
    }

    #[inline(always)]
    fn solve(&self, x: &mut [f64]) {
        self.matrix.solve(x);
    }
}

/// Returns the two robots of a row, in increasing order; `None` for a row with one robot.
#[inline(always)]
fn robot_pair(row: &Row) -> Option<[u32; 2]> {
    let [a, b] = &row.segments;
    (a.n > 0 && b.n > 0).then(|| [a.body.min(b.body), a.body.max(b.body)])
}
