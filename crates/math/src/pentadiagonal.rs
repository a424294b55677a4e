//! Block-pentadiagonal systems with 3x3 blocks, solved by elimination without memory allocation.
//!
//! A chain of points in which each point interacts with its neighbours up to second order gives
//! such a system. [Golub 2013, §4.3, 4.5.1]

use crate::tridiagonal::{BlockRow, divide};
use crate::{Mat3, Vec3};

/// One block row `P x_{i-2} + L x_{i-1} + D x_i + U x_{i+1} + Q x_{i+2} = b`; the solver overwrites
/// it.
#[derive(Clone, Copy, Debug, Default)]
pub struct PentadiagonalRow {
    /// Blocks L, D, U and the right-hand side `b`. The solver writes the solution to `b`.
    pub near: BlockRow,
    /// Block two columns left of the diagonal; not read in the first two rows.
    pub P: Mat3,
    /// Block two columns right of the diagonal; not read in the last two rows.
    pub Q: Mat3,
}

impl PentadiagonalRow {
    /// Creates a row from `near` with zero outer blocks.
    #[inline]
    pub fn from_tridiagonal(near: &BlockRow) -> Self {
        Self {
            near: *near,
            P: Mat3::zero(),
            Q: Mat3::zero(),
        }
    }

    /// Returns the block at column distance `offset` from the diagonal, -2 to 2.
    #[inline]
    pub fn block(&mut self, offset: isize) -> &mut Mat3 {
        match offset {
            -2 => &mut self.P,
            -1 => &mut self.near.L,
            0 => &mut self.near.D,
            1 => &mut self.near.U,
            _ => &mut self.Q,
        }
    }
}

/// Solves the system in place and writes the solution to `near.b` of each row.
pub fn solve(rows: &mut [PentadiagonalRow]) {
    for i in 0..rows.len() {
        if i > 1 {
            let before = rows[i - 2];
            let PentadiagonalRow { near, P, .. } = &mut rows[i];
            near.L = near.L - P.mul_mat(&before.near.U);
            near.D = near.D - P.mul_mat(&before.Q);
            near.b -= P.mul_vec(before.near.b);
        }
        if i > 0 {
            let before = rows[i - 1];
            let near = &mut rows[i].near;
            near.D = near.D - near.L.mul_mat(&before.near.U);
            near.U = near.U - near.L.mul_mat(&before.Q);
            near.b -= near.L.mul_vec(before.near.b);
        }
        let PentadiagonalRow { near, Q, .. } = &mut rows[i];
        let D = near.D;
        (near.U, near.b) = divide(&D, &near.U, near.b);
        (*Q, _) = divide(&D, Q, Vec3::zero());
    }
    let n = rows.len();
    for i in (0..n.saturating_sub(1)).rev() {
        let next = rows[i + 1].near.b;
        let after = if i + 2 < n {
            rows[i + 2].near.b
        } else {
            Vec3::zero()
        };
        let PentadiagonalRow { near, Q, .. } = &mut rows[i];
        near.b -= near.U.mul_vec(next) + Q.mul_vec(after);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    /// The solver recovers a random vector from its product with a random matrix, also for chains
    /// too short to have outer blocks. Elimination on well-conditioned blocks loses a few bits:
    /// 1e-12.
    #[test]
    fn solve_recovers_known_solution() {
        for n in [1, 2, 3, 9] {
            let mut draw = Stream::new(n as u64, "test").draw(0);
            let mut number = || draw.uniform() - 0.5;
            let mut vector = || Vec3::new(number(), number(), number());
            let mut rows = vec![PentadiagonalRow::default(); n];
            for row in &mut rows {
                for offset in -2..=2 {
                    *row.block(offset) = Mat3::from_rows(vector(), vector(), vector());
                }
                row.near.D = row.near.D + Mat3::identity().scale(4.0);
            }
            let x: Vec<Vec3> = (0..n).map(|_| vector()).collect();
            for (i, row) in rows.iter_mut().enumerate() {
                let mut b = Vec3::zero();
                for offset in -2..=2 {
                    let k = i as isize + offset;
                    if (0..n as isize).contains(&k) {
                        b += row.block(offset).mul_vec(x[k as usize]);
                    }
                }
                row.near.b = b;
            }
            solve(&mut rows);
            for (row, x) in rows.iter().zip(&x) {
                assert!(
                    (row.near.b - *x).norm() < 1e-12,
                    "{:?} instead of {x:?}",
                    row.near.b
                );
            }
        }
    }
}
