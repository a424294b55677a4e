//! Assembly of the Newton matrix of the contact solver: adds `Zᵀ G Z` block by block.

use crate::contact::solver::blocks::{BlockMatrix, BlockPosition};
use crate::contact::solver::rows::{Kind, Row};

/// Adds a group of rows with its curvature `g` to the matrix.
///
/// `stiffness` is the stiffness of each row. `weighted` is scratch memory with the length of `Z`.
#[inline(always)]
pub(crate) fn add_curvature(
    kind: Kind,
    (rows, stiffness): (&[Row], &[f64]),
    Z: &[f64],
    g: &[f64; 6],
    weighted: &mut [f64],
    (matrix, position): (&mut BlockMatrix, BlockPosition),
) {
    match kind {
        Kind::Contact { .. } => weight_contact_rows(rows, Z, g, weighted),
        Kind::Box { .. } => weight_row(&rows[0], Z, g[0], weighted),
        Kind::Equality => {
            for (row, stiffness) in rows.iter().zip(stiffness) {
                weight_row(row, Z, *stiffness, weighted);
            }
        }
    }
    outer_products(rows, Z, weighted, matrix, position);
}

/// Computes `g Z` of a row.
#[inline(always)]
fn weight_row(row: &Row, Z: &[f64], g: f64, out: &mut [f64]) {
    for s in &row.segments {
        for i in s.at as usize..(s.at + s.n) as usize {
            out[i] = g * Z[i];
        }
    }
}

/// Computes `G Z` of the three rows of a contact.
#[inline(always)]
fn weight_contact_rows(rows: &[Row], Z: &[f64], [nn, n1, n2, a, b, c]: &[f64; 6], out: &mut [f64]) {
    for k in 0..2 {
        let [n, s, t] = [0, 1, 2].map(|row: usize| rows[row].segments[k].at as usize);
        for i in 0..rows[0].segments[k].n as usize {
            let (x, y, z) = (Z[n + i], Z[s + i], Z[t + i]);
            out[n + i] = nn * x + n1 * y + n2 * z;
            out[s + i] = n1 * x + a * y + b * z;
            out[t + i] = n2 * x + b * y + c * z;
        }
    }
}

/// Adds `Zᵀ G Z` of a group to the matrix.
#[inline(always)]
fn outer_products(
    rows: &[Row],
    Z: &[f64],
    weighted: &[f64],
    matrix: &mut BlockMatrix,
    position: BlockPosition,
) {
    let [a, b] = rows[0].segments;
    if let ([n, s, t], 6, 0 | 6) = (rows, a.n, b.n) {
        return add_outer_products_6([n, s, t], Z, weighted, matrix, position);
    }
    for (k, s) in [a, b].into_iter().enumerate().filter(|(_, s)| s.n > 0) {
        let n = s.n as usize;
        let to = matrix.diagonal(s.body);
        for row in rows {
            let at = row.segments[k].at as usize;
            add_outer_product(
                &Z[at..at + n],
                &weighted[at..at + n],
                &mut matrix.values[to..to + n * n],
            );
        }
    }
    if a.n > 0 && b.n > 0 {
        // the coordinates of the earlier robot are the columns
        let (early, late) = match (position.is_transposed, a.body < b.body) {
            (false, true) | (true, false) => (0, 1),
            _ => (1, 0),
        };
        let size = (a.n * b.n) as usize;
        for row in rows {
            let [e, l] = [row.segments[early], row.segments[late]];
            let (e_at, l_at) = (e.at as usize, l.at as usize);
            add_outer_product(
                &Z[e_at..e_at + e.n as usize],
                &weighted[l_at..l_at + l.n as usize],
                &mut matrix.values[position.at as usize..position.at as usize + size],
            );
        }
    }
}

/// Computes [`outer_products`] for contacts of floating bodies without joints, the most frequent
/// case.
#[inline(always)]
fn add_outer_products_6(
    rows: [&Row; 3],
    Z: &[f64],
    weighted: &[f64],
    matrix: &mut BlockMatrix,
    position: BlockPosition,
) {
    let [a, b] = rows[0].segments;
    let at = matrix.diagonal(a.body);
    add_three_outer_products(
        columns(rows, 0),
        columns(rows, 0),
        Z,
        weighted,
        &mut matrix.values[at..at + 36],
    );
    if b.n > 0 {
        let at = matrix.diagonal(b.body);
        add_three_outer_products(
            columns(rows, 1),
            columns(rows, 1),
            Z,
            weighted,
            &mut matrix.values[at..at + 36],
        );
        let early = usize::from(position.is_transposed == (a.body < b.body));
        let at = position.at as usize;
        add_three_outer_products(
            columns(rows, early),
            columns(rows, 1 - early),
            Z,
            weighted,
            &mut matrix.values[at..at + 36],
        );
    }
}

/// Returns the first coefficients of three rows for one of their robots.
#[inline(always)]
fn columns(rows: [&Row; 3], side: usize) -> [u32; 3] {
    [
        rows[0].segments[side].at,
        rows[1].segments[side].at,
        rows[2].segments[side].at,
    ]
}

/// Computes `out += Σ x yᵀ` over three rows of six.
#[inline(always)]
fn add_three_outer_products(x: [u32; 3], y: [u32; 3], X: &[f64], Y: &[f64], out: &mut [f64]) {
    let [x0, x1, x2] = [read_six(X, x[0]), read_six(X, x[1]), read_six(X, x[2])];
    let [y0, y1, y2] = [read_six(Y, y[0]), read_six(Y, y[1]), read_six(Y, y[2])];
    let out = &mut out[..36];
    for c in 0..6 {
        for r in 0..6 {
            out[c * 6 + r] += x0[c] * y0[r] + x1[c] * y1[r] + x2[c] * y2[r];
        }
    }
}

/// Returns six consecutive numbers of a list.
#[inline(always)]
fn read_six(list: &[f64], at: u32) -> [f64; 6] {
    let mut out = [0.0; 6];
    out.copy_from_slice(&list[at as usize..at as usize + 6]);
    out
}

/// Computes `out += x yᵀ`.
#[inline(always)]
fn add_outer_product(x: &[f64], y: &[f64], out: &mut [f64]) {
    if let (Ok(x), Ok(y)) = (<&[f64; 6]>::try_from(x), <&[f64; 6]>::try_from(y)) {
        for (x, out) in x.iter().zip(out.chunks_exact_mut(6)) {
            for k in 0..6 {
                out[k] += x * y[k];
            }
        }
        return;
    }
    for (x, out) in x.iter().zip(out.chunks_exact_mut(y.len())) {
        for (out, y) in out.iter_mut().zip(y) {
            *out += x * y;
        }
    }
}
