//! Block-tridiagonal systems with 3x3 blocks, solved by elimination without memory allocation.
//!
//! A chain of points in which each point interacts only with its neighbours gives such a system.
//! [Golub 2013, §4.5.1]

use crate::{Mat3, Vec3};

/// One block row `L x_{i-1} + D x_i + U x_{i+1} = b`; the solver overwrites it.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockRow {
    /// Block left of the diagonal; not read in the first row.
    pub L: Mat3,
    /// Block on the diagonal.
    pub D: Mat3,
    /// Block right of the diagonal; not read in the last row.
    pub U: Mat3,
    /// Right-hand side; the solver writes the solution here.
    pub b: Vec3,
}

/// Solves the system in place and writes the solution to `b` of each row.
pub fn solve(rows: &mut [BlockRow]) {
    for i in 0..rows.len() {
        if i > 0 {
            let before = rows[i - 1];
            let row = &mut rows[i];
            row.D = row.D - row.L.mul_mat(&before.U);
            row.b -= row.L.mul_vec(before.b);
        }
        let row = &mut rows[i];
        (row.U, row.b) = divide(&row.D, &row.U, row.b);
    }
    for i in (0..rows.len().saturating_sub(1)).rev() {
        let next = rows[i + 1].b;
        let row = &mut rows[i];
        row.b -= row.U.mul_vec(next);
    }
}

/// Computes `A⁻¹ B` and `A⁻¹ b` by elimination with partial pivoting.
pub(crate) fn divide(A: &Mat3, B: &Mat3, b: Vec3) -> (Mat3, Vec3) {
    let row = |i: usize| {
        [
            A.r[i].x, A.r[i].y, A.r[i].z, B.r[i].x, B.r[i].y, B.r[i].z, b[i],
        ]
    };
    let mut m = [row(0), row(1), row(2)];
    for k in 0..3 {
        let mut pivot = k;
        for i in k + 1..3 {
            if m[i][k].abs() > m[pivot][k].abs() {
                pivot = i;
            }
        }
        m.swap(k, pivot);
        let inverse = 1.0 / m[k][k];
        for i in k + 1..3 {
            let factor = m[i][k] * inverse;
            for j in k + 1..7 {
                m[i][j] -= factor * m[k][j];
            }
        }
    }
    for j in 3..7 {
        for k in (0..3).rev() {
            let mut x = m[k][j];
            for i in k + 1..3 {
                x -= m[k][i] * m[i][j];
            }
            m[k][j] = x / m[k][k];
        }
    }
    let part = |i: usize| Vec3::new(m[i][3], m[i][4], m[i][5]);
    (
        Mat3::from_rows(part(0), part(1), part(2)),
        Vec3::new(m[0][6], m[1][6], m[2][6]),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    /// The solver recovers a random vector from its product with a random matrix. The diagonal
    /// blocks are not symmetric and need pivoting. Elimination on well-conditioned blocks loses a
    /// few bits: 1e-12.
    #[test]
    fn solve_recovers_known_solution() {
        let mut draw = Stream::new(3, "test").draw(0);
        let mut number = || draw.uniform() - 0.5;
        let mut vector = || Vec3::new(number(), number(), number());
        let mut rows: Vec<BlockRow> = (0..9)
            .map(|_| {
                let mut block = || Mat3::from_rows(vector(), vector(), vector());
                let cyclic = Mat3::from_rows(
                    Vec3::new(0.0, 3.0, 0.0),
                    Vec3::new(0.0, 0.0, 3.0),
                    Vec3::new(3.0, 0.0, 0.0),
                );
                BlockRow {
                    L: block(),
                    D: block() + cyclic,
                    U: block(),
                    b: Vec3::zero(),
                }
            })
            .collect();
        let x: Vec<Vec3> = rows.iter().map(|_| vector()).collect();
        for i in 0..9 {
            let mut b = rows[i].D.mul_vec(x[i]);
            if i > 0 {
                b += rows[i].L.mul_vec(x[i - 1]);
            }
            if i < 8 {
                b += rows[i].U.mul_vec(x[i + 1]);
            }
            rows[i].b = b;
        }
        solve(&mut rows);
        for (row, x) in rows.iter().zip(&x) {
            assert!((row.b - *x).norm() < 1e-12, "{:?} instead of {x:?}", row.b);
        }
    }
}
