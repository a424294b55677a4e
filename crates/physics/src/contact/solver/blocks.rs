//! Sparse symmetric positive definite matrix with one block row and column per robot, and its
//! Cholesky factor.
//!
//! # Law
//! ```text
//!   M = P L Lᵀ Pᵀ,   column by column, each updating those after it   (1)  [Davis 2006, §4.8]
//!   P: eliminate the robot with the fewest remaining neighbours next  (2)  [Davis 2006, §7.1]
//! ```
//! # Symbols
//! M matrix, P order of elimination, L factor. Neighbours: robots that share a block off the
//! diagonal.
//!
//! # Limits
//! The order is recomputed when the set of robots or the set of touching pairs changes; it depends
//! on these sets only.
//!
//! # Checked by
//! crates/physics/src/contact/solver/blocks_tests.rs

/// Makes a call in which the sizes `$n` are constants if all are 6, so that its loops are unrolled:
/// most robots have six coordinates.
macro_rules! unrolled {
    ($($n:ident),+ => $call:expr) => {
        if $($n == 6)&&+ {
            $(let $n = 6;)+
            $call
        } else {
            $call
        }
    };
}

/// Coordinates of one robot in the vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoordinateRange {
    /// Index of the first coordinate.
    pub v: u32,
    /// Number of coordinates of the robot.
    pub n: u32,
}

/// A column of blocks, in the order of elimination.
#[derive(Clone, Copy, Debug, Default)]
struct Column {
    body: CoordinateRange,
    /// Index of the first value of the diagonal block.
    diagonal: u32,
    /// Index range of the blocks below the diagonal.
    first: u32,
    last: u32,
}

/// A block below the diagonal.
#[derive(Clone, Copy, Debug, Default)]
struct OffDiagonalBlock {
    /// Position of its row in the order of elimination.
    row: u32,
    /// Index of the first value.
    at: u32,
}

/// Position of the block of a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockPosition {
    /// Index of the first value. The block is stored column by column: one column per coordinate of
    /// the earlier robot.
    pub at: u32,
    /// True if the second robot of the pair comes first.
    pub(crate) is_transposed: bool,
}

/// The matrix, and after [`BlockMatrix::factor`] its factor.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockMatrix {
    /// Elements of all blocks; after [`BlockMatrix::factor`] elements of the factor, with the
    /// inverse of the diagonal.
    pub values: Vec<f64>,
    bodies: Vec<CoordinateRange>,
    pairs: Vec<[u32; 2]>,
    position: Vec<u32>,
    columns: Vec<Column>,
    off_diagonal: Vec<OffDiagonalBlock>,
    neighbours: Vec<u64>,
}

impl BlockMatrix {
    /// Allocates memory for the given number of robots without joints.
    pub(crate) fn with_capacity(bodies: usize) -> Self {
        let blocks = bodies * (bodies + 1) / 2;
        Self {
            values: Vec::with_capacity(36 * blocks),
            bodies: Vec::with_capacity(bodies),
            pairs: Vec::with_capacity(blocks),
            position: Vec::with_capacity(bodies),
            columns: Vec::with_capacity(bodies),
            off_diagonal: Vec::with_capacity(blocks),
            neighbours: Vec::with_capacity(bodies),
        }
    }

    /// Plans the blocks of `bodies` and `pairs`; keeps an unchanged plan.
    ///
    /// Each pair is in increasing order; the list is sorted and has no duplicates.
    pub(crate) fn plan(&mut self, bodies: &[CoordinateRange], pairs: &[[u32; 2]]) {
        if self.bodies == bodies && self.pairs == pairs {
            return;
        }
        self.bodies.clear();
        self.bodies.extend_from_slice(bodies);
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        self.compute_elimination_order();
        self.assign_storage();
    }

    /// Computes the order (2), and for each column the robots of its blocks below the diagonal.
    fn compute_elimination_order(&mut self) {
        const NOT_ELIMINATED: u32 = u32::MAX;
        let n = self.bodies.len();
        let words = n.div_ceil(64);
        let bits = &mut self.neighbours;
        bits.clear();
        bits.resize(n * words, 0);
        for [a, b] in &self.pairs {
            let (a, b) = (*a as usize, *b as usize);
            bits[a * words + b / 64] |= 1 << (b % 64);
            bits[b * words + a / 64] |= 1 << (a % 64);
        }
        self.position.clear();
        self.position.resize(n, NOT_ELIMINATED);
        self.columns.clear();
        self.off_diagonal.clear();
        let degree = |bits: &[u64], k: usize| -> u32 {
            bits[k * words..(k + 1) * words]
                .iter()
                .map(|w| w.count_ones())
                .sum()
        };
        for at in 0..n as u32 {
            let remaining = (0..n).filter(|k| self.position[*k] == NOT_ELIMINATED);
            let Some(next) = remaining.min_by_key(|k| degree(bits, *k)) else {
                return;
            };
            self.position[next] = at;
            let first = self.off_diagonal.len();
            for w in 0..words {
                let mut word = bits[next * words + w];
                while word != 0 {
                    self.off_diagonal.push(OffDiagonalBlock {
                        row: (w * 64) as u32 + word.trailing_zeros(),
                        at: 0,
                    });
                    word &= word - 1;
                }
            }
            // the remaining neighbours of an eliminated robot become neighbours of each other
            for b in &self.off_diagonal[first..] {
                let k = b.row as usize;
                for w in 0..words {
                    bits[k * words + w] |= bits[next * words + w];
                }
                bits[k * words + k / 64] &= !(1 << (k % 64));
                bits[k * words + next / 64] &= !(1 << (next % 64));
            }
            let (first, last) = (first as u32, self.off_diagonal.len() as u32);
            self.columns.push(Column {
                body: self.bodies[next],
                diagonal: 0,
                first,
                last,
            });
        }
    }

    /// Assigns every block its position in the values.
    fn assign_storage(&mut self) {
        let mut at = 0;
        for c in &mut self.columns {
            c.diagonal = at;
            at += c.body.n * c.body.n;
            let off_diagonal = &mut self.off_diagonal[c.first as usize..c.last as usize];
            for b in off_diagonal.iter_mut() {
                b.row = self.position[b.row as usize];
            }
            off_diagonal.sort_unstable_by_key(|b| b.row);
        }
        for k in 0..self.columns.len() {
            let c = self.columns[k];
            for b in c.first..c.last {
                let m = self.columns[self.off_diagonal[b as usize].row as usize]
                    .body
                    .n;
                self.off_diagonal[b as usize].at = at;
                at += m * c.body.n;
            }
        }
        self.values.clear();
        self.values.resize(at as usize, 0.0);
    }

    /// Returns the index of the first value of a robot's diagonal block.
    pub(crate) fn diagonal(&self, body: u32) -> usize {
        self.columns[self.position[body as usize] as usize].diagonal as usize
    }

    /// Returns the position of the block of a planned pair.
    pub(crate) fn pair_block(&self, [a, b]: [u32; 2]) -> BlockPosition {
        let (a, b) = (self.position[a as usize], self.position[b as usize]);
        let (early, late) = (a.min(b), a.max(b));
        let c = self.columns[early as usize];
        let off_diagonal = &self.off_diagonal[c.first as usize..c.last as usize];
        let k = off_diagonal.partition_point(|x| x.row < late);
        BlockPosition {
            at: off_diagonal[k].at,
            is_transposed: b < a,
        }
    }

    /// Factorises the matrix by (1), in place.
    #[inline(always)]
    pub(crate) fn factor(&mut self) {
        let Self {
            values,
            columns,
            off_diagonal,
            ..
        } = self;
        for c in columns.iter() {
            let n = c.body.n as usize;
            let D = &mut values[c.diagonal as usize..][..n * n];
            unrolled!(n => cholesky(D, n));
            let own = &off_diagonal[c.first as usize..c.last as usize];
            for b in own {
                let m = columns[b.row as usize].body.n as usize;
                // diagonal blocks are stored before all others
                let (head, tail) = values.split_at_mut(b.at as usize);
                let (D, B) = (&head[c.diagonal as usize..][..n * n], &mut tail[..m * n]);
                unrolled!(n, m => solve_below_diagonal(D, n, B, m));
            }
            for (i, q) in own.iter().enumerate() {
                let target = columns[q.row as usize];
                let m_q = target.body.n as usize;
                let mut scan = target.first as usize;
                for p in &own[i..] {
                    let m_p = columns[p.row as usize].body.n as usize;
                    let at = if p.row == q.row {
                        target.diagonal as usize
                    } else {
                        while off_diagonal[scan].row < p.row {
                            scan += 1;
                        }
                        off_diagonal[scan].at as usize
                    };
                    subtract_outer_product(
                        values,
                        (q.at as usize, m_q),
                        (p.at as usize, m_p),
                        n,
                        at,
                    );
                }
            }
        }
    }

    /// Solves `M x = x` in place.
    #[inline(always)]
    pub(crate) fn solve(&self, x: &mut [f64]) {
        for c in &self.columns {
            let (n, at) = (c.body.n as usize, c.body.v as usize);
            let D = &self.values[c.diagonal as usize..][..n * n];
            unrolled!(n => forward(D, n, &mut x[at..at + n]));
            for b in &self.off_diagonal[c.first as usize..c.last as usize] {
                let to = self.columns[b.row as usize].body;
                let B = &self.values[b.at as usize..][..(to.n * c.body.n) as usize];
                let (m, (y, x)) = (to.n as usize, split_two(x, c.body, to));
                unrolled!(n, m => subtract_product(B, y, n, x, m));
            }
        }
        for c in self.columns.iter().rev() {
            let (n, at) = (c.body.n as usize, c.body.v as usize);
            for b in &self.off_diagonal[c.first as usize..c.last as usize] {
                let from = self.columns[b.row as usize].body;
                let B = &self.values[b.at as usize..][..(from.n * c.body.n) as usize];
                let (m, (x, y)) = (from.n as usize, split_two(x, c.body, from));
                unrolled!(n, m => subtract_transposed_product(B, y, m, x, n));
            }
            let D = &self.values[c.diagonal as usize..][..n * n];
            unrolled!(n => backward(D, n, &mut x[at..at + n]));
        }
    }
}

/// Returns the parts of a vector for two robots.
#[inline(always)]
fn split_two(x: &mut [f64], a: CoordinateRange, b: CoordinateRange) -> (&mut [f64], &mut [f64]) {
    let [a, b] = [a, b].map(|b| (b.v as usize, (b.v + b.n) as usize));
    if a.0 < b.0 {
        let (head, tail) = x.split_at_mut(b.0);
        (&mut head[a.0..a.1], &mut tail[..b.1 - b.0])
    } else {
        let (head, tail) = x.split_at_mut(a.0);
        (&mut tail[..a.1 - a.0], &mut head[b.0..b.1])
    }
}

/// Computes `x ← L⁻¹ x` for a diagonal block.
#[inline(always)]
fn forward(D: &[f64], n: usize, x: &mut [f64]) {
    let x = &mut x[..n];
    for k in 0..n {
        let y = x[k] * D[k * n + k];
        x[k] = y;
        for r in k + 1..n {
            x[r] -= D[k * n + r] * y;
        }
    }
}

/// Computes `x ← L⁻ᵀ x` for a diagonal block.
#[inline(always)]
fn backward(D: &[f64], n: usize, x: &mut [f64]) {
    let x = &mut x[..n];
    for k in (0..n).rev() {
        let mut sum = x[k];
        for r in k + 1..n {
            sum -= D[k * n + r] * x[r];
        }
        x[k] = sum * D[k * n + k];
    }
}

/// Computes `x ← x - B y` for a block of `m` rows and `n` columns.
#[inline(always)]
fn subtract_product(B: &[f64], y: &[f64], n: usize, x: &mut [f64], m: usize) {
    let (y, x) = (&y[..n], &mut x[..m]);
    for k in 0..n {
        for r in 0..m {
            x[r] -= B[k * m + r] * y[k];
        }
    }
}

/// Computes `x ← x - Bᵀ y` for a block of `m` rows and `n` columns.
#[inline(always)]
fn subtract_transposed_product(B: &[f64], y: &[f64], m: usize, x: &mut [f64], n: usize) {
    let (y, x) = (&y[..m], &mut x[..n]);
    for k in 0..n {
        let mut sum = 0.0;
        for r in 0..m {
            sum += B[k * m + r] * y[r];
        }
        x[k] -= sum;
    }
}

/// Factorises a diagonal block, column-major, with the inverse of the diagonal.
#[inline(always)]
fn cholesky(D: &mut [f64], n: usize) {
    for k in 0..n {
        let inverse = 1.0 / D[k * n + k].sqrt();
        D[k * n + k] = inverse;
        for r in k + 1..n {
            D[k * n + r] *= inverse;
        }
        for c in k + 1..n {
            let (head, tail) = D.split_at_mut(c * n);
            let (from, factor) = (&head[k * n..k * n + n], head[k * n + c]);
            for r in c..n {
                tail[r] -= factor * from[r];
            }
        }
    }
}

/// Computes `B ← B L⁻ᵀ` for a block of `m` rows below the diagonal block `D`.
#[inline(always)]
fn solve_below_diagonal(D: &[f64], n: usize, B: &mut [f64], m: usize) {
    for k in 0..n {
        let (head, tail) = B.split_at_mut((k + 1) * m);
        let X = &mut head[k * m..];
        for x in X.iter_mut() {
            *x *= D[k * n + k];
        }
        for c in k + 1..n {
            let factor = D[k * n + c];
            for (b, x) in tail[(c - k - 1) * m..(c - k) * m].iter_mut().zip(X.iter()) {
                *b -= factor * x;
            }
        }
    }
}

/// Computes `T ← T - P Qᵀ`; the blocks `Q` and `P` of a column are stored before their target.
#[inline(always)]
fn subtract_outer_product(
    values: &mut [f64],
    (Q, m_q): (usize, usize),
    (P, m_p): (usize, usize),
    n: usize,
    target: usize,
) {
    if n == 6 && m_q == 6 && m_p == 6 {
        return subtract_outer_product_6(values, Q, P, target);
    }
    for c in 0..m_q {
        for k in 0..n {
            let factor = values[Q + k * m_q + c];
            for r in 0..m_p {
                values[target + c * m_p + r] -= factor * values[P + k * m_p + r];
            }
        }
    }
}

/// Computes [`subtract_outer_product`] for floating bodies without joints, the most frequent case.
#[inline(always)]
fn subtract_outer_product_6(values: &mut [f64], Q: usize, P: usize, target: usize) {
    let (mut q, mut p) = ([0.0; 36], [0.0; 36]);
    q.copy_from_slice(&values[Q..Q + 36]);
    p.copy_from_slice(&values[P..P + 36]);
    let T = &mut values[target..target + 36];
    for c in 0..6 {
        let mut sum = [0.0; 6];
        sum.copy_from_slice(&T[c * 6..c * 6 + 6]);
        for k in 0..6 {
            let factor = q[k * 6 + c];
            for r in 0..6 {
                sum[r] -= factor * p[k * 6 + r];
            }
        }
        T[c * 6..c * 6 + 6].copy_from_slice(&sum);
    }
}

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
