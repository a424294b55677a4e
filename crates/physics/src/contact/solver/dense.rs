//! Dense rows and matrices of an island with few coordinates, padded to whole registers.

use crate::contact::solver::rows::{Constraints, Kind, Row};
use crate::contact::solver::system::System;

/// Maximum number of coordinates for which a dense factor is cheaper.
pub(crate) const MAX_DENSE_SIZE: usize = 32;
/// Number of values in a register: sums are accumulated in as many parts.
const REGISTER_WIDTH: usize = 4;

/// Calls a function with the row width as a constant, so that its loops are unrolled.
macro_rules! sized {
    ($width:expr, $of:ident $(, $symmetric:ident)?; $($with:expr),*) => {
        match $width {
            8 => $of::<8 $(, $symmetric)?>($($with),*),
            12 => $of::<12 $(, $symmetric)?>($($with),*),
            16 => $of::<16 $(, $symmetric)?>($($with),*),
            24 => $of::<24 $(, $symmetric)?>($($with),*),
            _ => $of::<MAX_DENSE_SIZE $(, $symmetric)?>($($with),*),
        }
    };
}

/// Constraint rows and `M = 1 + Zᵀ G Z`, padded with zeros to `width`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dense {
    /// Width of a padded row.
    width: usize,
    /// Z and `G Z`, one padded row per constraint row.
    Z: Vec<f64>,
    weighted: Vec<f64>,
    /// `M`, one padded row per coordinate. If G is symmetric, only the part from the diagonal on is
    /// set; after [`System::factor`] it is the factor with the inverse of its diagonal.
    matrix: Vec<f64>,
}

impl Dense {
    /// Allocates memory for the given number of constraint rows.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        let matrix = Vec::with_capacity(MAX_DENSE_SIZE * MAX_DENSE_SIZE);
        Self {
            width: 0,
            Z: Vec::with_capacity(12 * rows),
            weighted: Vec::with_capacity(12 * rows),
            matrix,
        }
    }

    /// Copies the constraint rows to padded rows of `n` coordinates.
    #[inline(always)]
    pub(crate) fn load_rows(&mut self, c: &Constraints<'_>, rows: &[Row], n: usize) {
        self.width = [8, 12, 16, 24]
            .into_iter()
            .find(|width| n <= *width)
            .unwrap_or(MAX_DENSE_SIZE);
        for list in [&mut self.Z, &mut self.weighted] {
            list.clear();
            list.resize(rows.len() * self.width, 0.0);
        }
        for (row, line) in rows.iter().zip(self.Z.chunks_exact_mut(self.width)) {
            for s in &row.segments {
                let (at, to, n) = (s.at as usize, s.v as usize, s.n as usize);
                line[to..to + n].copy_from_slice(&c.Z[at..at + n]);
            }
        }
    }

    /// Computes `Z x` of every row.
    #[inline(always)]
    pub(crate) fn multiply_rows(&self, x: &[f64; MAX_DENSE_SIZE], out: &mut [f64]) {
        sized!(self.width, products; &self.Z, x, out);
    }

    /// Computes `x ← x + Zᵀ k`.
    #[inline(always)]
    pub(crate) fn add_transposed_product(
        &self,
        k: impl Iterator<Item = f64>,
        x: &mut [f64; MAX_DENSE_SIZE],
    ) {
        sized!(self.width, add_transposed_rows; &self.Z, k, x);
    }

    /// Assembles `M`. If G is not `SYMMETRIC`, its elements nn, n1, n2, 11, 12, 22 have n1 and n2
    /// in the first column only.
    #[inline(always)]
    fn assemble<const SYMMETRIC: bool>(
        &mut self,
        c: &Constraints<'_>,
        stiffness: &[f64],
        G: &[[f64; 6]],
    ) {
        let Self {
            width,
            Z,
            weighted,
            matrix,
        } = self;
        matrix.clear();
        matrix.resize(*width * *width, 0.0);
        sized!(*width, assemble_matrix, SYMMETRIC; c, (stiffness, G), Z, weighted, matrix);
    }

    /// Assembles `M` from an unsymmetric G and solves `M x = x`; returns false if `M` is singular.
    #[inline(always)]
    pub(crate) fn solve_once(
        &mut self,
        c: &Constraints<'_>,
        stiffness: &[f64],
        G: &[[f64; 6]],
        x: &mut [f64; MAX_DENSE_SIZE],
    ) -> bool {
        self.assemble::<false>(c, stiffness, G);
        sized!(self.width, solve_by_elimination; &mut self.matrix, x)
    }
}

impl System for Dense {
    #[inline(always)]
    fn products(&self, _: &Constraints<'_>, _: &[Row], x: &[f64], out: &mut [f64]) {
        self.multiply_rows(&padded(x), out);
    }

    #[inline(always)]
    fn subtract_impulses(&self, _: &Constraints<'_>, rows: &[Row], x: &mut [f64]) {
        let mut y = padded(x);
        self.add_transposed_product(rows.iter().map(|row| -row.impulse), &mut y);
        x.copy_from_slice(&y[..x.len()]);
    }

    #[inline(always)]
    fn factor(&mut self, c: &Constraints<'_>, _: &[Row], stiffness: &[f64], G: &[[f64; 6]]) {
        self.assemble::<true>(c, stiffness, G);
        sized!(self.width, cholesky; &mut self.matrix);
    }

    #[inline(always)]
    fn solve(&self, x: &mut [f64]) {
        let mut y = padded(x);
        sized!(self.width, forward_and_back; &self.matrix, &mut y);
        x.copy_from_slice(&y[..x.len()]);
    }
}

/// Returns the vector padded with zeros.
#[inline(always)]
pub(crate) fn padded(x: &[f64]) -> [f64; MAX_DENSE_SIZE] {
    let mut out = [0.0; MAX_DENSE_SIZE];
    out[..x.len()].copy_from_slice(x);
    out
}

/// Returns the first elements of a vector.
#[inline(always)]
fn first_elements<const N: usize>(x: &[f64; MAX_DENSE_SIZE]) -> [f64; N] {
    std::array::from_fn(|i| x[i])
}

/// Computes `Z x` with one partial sum per register element.
#[inline(always)]
fn products<const N: usize>(Z: &[f64], x: &[f64; MAX_DENSE_SIZE], out: &mut [f64]) {
    let x: [f64; N] = first_elements(x);
    for (z, out) in Z.as_chunks::<N>().0.iter().zip(out) {
        let mut sums = [0.0; REGISTER_WIDTH];
        for i in (0..N).step_by(REGISTER_WIDTH) {
            for k in 0..REGISTER_WIDTH {
                sums[k] += z[i + k] * x[i + k];
            }
        }
        *out = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
}

/// Computes `x ← x + Zᵀ k` for a constant width.
#[inline(always)]
fn add_transposed_rows<const N: usize>(
    Z: &[f64],
    k: impl Iterator<Item = f64>,
    x: &mut [f64; MAX_DENSE_SIZE],
) {
    let mut y: [f64; N] = first_elements(x);
    for (z, k) in Z.as_chunks::<N>().0.iter().zip(k) {
        for i in 0..N {
            y[i] += k * z[i];
        }
    }
    x[..N].copy_from_slice(&y);
}

/// Computes `M += 1 + Zᵀ G Z`; `M` must be zero.
#[inline(always)]
fn assemble_matrix<const N: usize, const SYMMETRIC: bool>(
    c: &Constraints<'_>,
    (stiffness, G): (&[f64], &[[f64; 6]]),
    Z: &[f64],
    weighted: &mut [f64],
    matrix: &mut [f64],
) {
    let (Z, weighted) = (Z.as_chunks::<N>().0, weighted.as_chunks_mut::<N>().0);
    let matrix = matrix.as_chunks_mut::<N>().0;
    for (i, line) in matrix.iter_mut().enumerate() {
        line[i] = 1.0;
    }
    for (block, g) in c.blocks.iter().zip(G) {
        if *g == [0.0; 6] {
            continue;
        }
        let (Z, W) = (&Z[block.rows()], &mut weighted[block.rows()]);
        weight_rows::<N, SYMMETRIC>(block.kind, Z, &stiffness[block.rows()], g, W);
        if let (Kind::Contact { .. }, [a, b, c], [x, y, z]) = (block.kind, Z, &*W) {
            for (i, line) in matrix.iter_mut().enumerate() {
                let from = if SYMMETRIC {
                    i / REGISTER_WIDTH * REGISTER_WIDTH
                } else {
                    0
                };
                let (a, b, c) = (a[i], b[i], c[i]);
                for k in from..N {
                    line[k] += a * x[k] + b * y[k] + c * z[k];
                }
            }
            continue;
        }
        for (z, w) in Z.iter().zip(W.iter()) {
            for (i, line) in matrix.iter_mut().enumerate() {
                for k in 0..N {
                    line[k] += z[i] * w[k];
                }
            }
        }
    }
}

/// Computes `G Z` of a group, one padded row per constraint row.
#[inline(always)]
fn weight_rows<const N: usize, const SYMMETRIC: bool>(
    kind: Kind,
    Z: &[[f64; N]],
    stiffness: &[f64],
    g: &[f64; 6],
    out: &mut [[f64; N]],
) {
    match (kind, Z, out) {
        (Kind::Contact { .. }, [n, s, t], [out_n, out_s, out_t]) => {
            let [nn, n1, n2, a, b, c] = g;
            for i in 0..N {
                let (x, y, z) = (n[i], s[i], t[i]);
                out_n[i] = if SYMMETRIC {
                    nn * x + n1 * y + n2 * z
                } else {
                    nn * x
                };
                out_s[i] = n1 * x + a * y + b * z;
                out_t[i] = n2 * x + b * y + c * z;
            }
        }
        (kind, Z, out) => {
            for ((out, z), d) in out.iter_mut().zip(Z).zip(stiffness) {
                let d = if let Kind::Equality = kind { *d } else { g[0] };
                for i in 0..N {
                    out[i] = d * z[i];
                }
            }
        }
    }
}

/// Computes the factor `U` of `M = Uᵀ U` in the upper triangle, with the inverse of its diagonal.
#[inline(always)]
fn cholesky<const N: usize>(M: &mut [f64]) {
    let M = M.as_chunks_mut::<N>().0;
    for k in 0..N {
        let (head, tail) = M.split_at_mut(k + 1);
        let pivot_row = &mut head[k];
        let inverse = 1.0 / pivot_row[k].sqrt();
        for x in &mut pivot_row[k..] {
            *x *= inverse;
        }
        pivot_row[k] = inverse;
        for (i, other) in tail.iter_mut().enumerate() {
            // whole registers: elements before the diagonal are not used
            let (factor, from) = (
                pivot_row[k + 1 + i],
                (k + 1 + i) / REGISTER_WIDTH * REGISTER_WIDTH,
            );
            for j in from..N {
                other[j] -= factor * pivot_row[j];
            }
        }
    }
}

/// Solves `Uᵀ U x = x`.
#[inline(always)]
fn forward_and_back<const N: usize>(U: &[f64], x: &mut [f64; MAX_DENSE_SIZE]) {
    let U = U.as_chunks::<N>().0;
    let mut y: [f64; N] = first_elements(x);
    for (k, line) in U.iter().enumerate() {
        y[k] *= line[k];
        for j in k + 1..N {
            y[j] -= line[j] * y[k];
        }
    }
    for (k, line) in U.iter().enumerate().rev() {
        let mut sum = y[k];
        for j in k + 1..N {
            sum -= line[j] * y[j];
        }
        y[k] = sum * line[k];
    }
    x[..N].copy_from_slice(&y);
}

/// Solves `M x = x` by elimination with partial pivoting; returns false if `M` is singular.
#[inline(always)]
fn solve_by_elimination<const N: usize>(M: &mut [f64], x: &mut [f64; MAX_DENSE_SIZE]) -> bool {
    let M = M.as_chunks_mut::<N>().0;
    for k in 0..N {
        let mut pivot = k;
        for i in k + 1..N {
            if M[i][k].abs() > M[pivot][k].abs() {
                pivot = i;
            }
        }
        if pivot != k {
            M.swap(k, pivot);
            x.swap(k, pivot);
        }
        let (head, tail) = M.split_at_mut(k + 1);
        let pivot_row = &head[k];
        let inverse = 1.0 / pivot_row[k];
        if !inverse.is_finite() {
            return false;
        }
        for (i, other) in tail.iter_mut().enumerate() {
            let (factor, from) = (other[k] * inverse, k / REGISTER_WIDTH * REGISTER_WIDTH);
            if factor != 0.0 {
                for j in from..N {
                    other[j] -= factor * pivot_row[j];
                }
                x[k + 1 + i] -= factor * x[k];
            }
        }
    }
    for k in (0..N).rev() {
        let mut sum = x[k];
        for j in k + 1..N {
            sum -= M[k][j] * x[j];
        }
        x[k] = sum / M[k][k];
    }
    true
}
