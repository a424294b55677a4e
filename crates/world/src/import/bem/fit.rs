//! Converts tables by frequency into filters: fits the gains of the radiation memory.
//!
//! # Law
//! ```text
//!   A(ω) = A∞ + Σ Cₘ (ωₘ² - ω²)/|Dₘ|²,  B(ω)/ω = Σ Cₘ dₘ ω/|Dₘ|²,  Dₘ = ωₘ² - ω² + i dₘ ω          (1)
//! ```
//! The filter frequencies ωₘ and dampings dₘ are fixed in advance. The frequencies are spaced
//! evenly in log ω from a little below to a little above the table, and the width of each filter
//! follows the spacing. The remaining problem is linear: the same least squares problem for every
//! pair of axes, with a ridge of 1e-4 that keeps the gains small. Every filter is therefore stable,
//! whatever the tables contain.

use crate::import::bem::{BemTable, Matrix};

/// Ridge of the least squares problem.
const RIDGE: f64 = 1e-4;
/// Width of a filter divided by half the spacing to the next.
const WIDTH: f64 = 1.6;
/// Weight of the table's limits at zero and infinite frequency.
const LIMIT_WEIGHT: f64 = 3.0;

/// Filters, and the added mass at infinite frequency.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// Frequency [rad/s], damping [rad/s] and gain matrix of each filter.
    pub filters: Vec<(f64, f64, Matrix)>,
    /// Added mass at infinite frequency.
    pub(crate) added_infinite: Matrix,
    /// Largest error of A and B/ω over the table, relative to the largest entry of A of the same
    /// kind (translation, rotation, coupling).
    pub error: f64,
    /// Largest negative damping of a motion, relative to the largest damping of the table. A
    /// positive value means that the filters add energy. Zero if there is none.
    pub(crate) negative_damping: f64,
}

/// One equation of the least squares problem: the factors of the gains and of A∞, and the table
/// value on the right-hand side.
struct Row {
    factors: Vec<f64>,
    value: Box<dyn Fn(usize, usize) -> f64>,
}

/// Fits `n` filters to a table. `size` is the characteristic length of the body [m].
pub fn fit(table: &BemTable, n: usize, size: f64) -> Fit {
    let (low, high) = (
        0.8 * table.omega[0],
        1.6 * table.omega[table.omega.len() - 1],
    );
    let n = n.min(table.omega.len() + 2);
    let ratio = libm::pow(high / low, 1.0 / (n - 1) as f64);
    let width = 0.5 * WIDTH * (ratio - 1.0 / ratio);
    let poles: Vec<(f64, f64)> = (0..n)
        .map(|m| low * libm::pow(ratio, m as f64))
        .map(|omega| (omega, 2.0 * width * omega))
        .collect();
    let unit = (low * high).sqrt();
    let rows = rows(table, &poles, unit);
    let normal = normal(&rows, n);
    let mut gains = vec![[[0.0; 6]; 6]; n];
    let mut fast = [[0.0; 6]; 6];
    for i in 0..6 {
        for j in i..6 {
            let value = |row: &Row| 0.5 * ((row.value)(i, j) + (row.value)(j, i));
            let mut right: Vec<f64> = vec![0.0; n + 1];
            for row in &rows {
                let y = value(row);
                right
                    .iter_mut()
                    .zip(&row.factors)
                    .for_each(|(sum, f)| *sum += f * y);
            }
            let x = solve(&normal, right);
            for m in 0..n {
                (gains[m][i][j], gains[m][j][i]) = (x[m] * unit * unit, x[m] * unit * unit);
            }
            (fast[i][j], fast[j][i]) = (x[n], x[n]);
        }
    }
    let filters: Vec<_> = poles
        .iter()
        .zip(gains)
        .map(|((omega, damping), gain)| (*omega, *damping, gain))
        .collect();
    let mut fit = Fit {
        filters,
        added_infinite: fast,
        error: 0.0,
        negative_damping: 0.0,
    };
    fit.error = error(table, &fit, size);
    fit.negative_damping = feeds(table, &fit, size);
    fit
}

/// Real and imaginary part of s/(s² + d s + ωₘ²) at s = iω, divided by ω.
fn response((pole, damping): (f64, f64), omega: f64) -> (f64, f64) {
    let real = pole * pole - omega * omega;
    let imaginary = damping * omega;
    let square = real * real + imaginary * imaginary;
    (imaginary / square, real / square)
}

fn rows(table: &BemTable, poles: &[(f64, f64)], unit: f64) -> Vec<Row> {
    let mut rows = Vec::new();
    let factors = |omega: f64, imaginary: bool, weight: f64| -> Vec<f64> {
        let one = |p: &(f64, f64)| {
            let (re, im) = response(*p, omega);
            weight * unit * unit * if imaginary { im } else { re }
        };
        let fast = if imaginary { weight } else { 0.0 };
        poles.iter().map(one).chain([fast]).collect()
    };
    let mut add = |factors: Vec<f64>, matrix: Matrix, weight: f64| {
        rows.push(Row {
            factors,
            value: Box::new(move |i, j| weight * matrix[i][j]),
        });
    };
    for (k, omega) in table.omega.iter().enumerate() {
        add(factors(*omega, true, 1.0), table.added[k], 1.0);
        add(factors(*omega, false, 1.0), table.damping[k], 1.0 / omega);
    }
    // below the table the damping decays to zero
    let slowest = table.omega[0];
    for part in [0.5, 0.25] {
        let weight = 0.3;
        add(
            factors(part * slowest, false, weight),
            table.damping[0],
            weight * part * part / slowest,
        );
    }
    // above the table it decays steeply
    let last = table.omega.len() - 1;
    let fastest = table.omega[last];
    for times in [1.4_f64, 2.0, 3.0] {
        let left = 1.0 / (times * times * times * times * times * fastest);
        add(
            factors(times * fastest, false, 1.0),
            table.damping[last],
            left,
        );
    }
    if let Some(slow) = table.slow {
        add(factors(0.0, true, LIMIT_WEIGHT), slow, LIMIT_WEIGHT);
    }
    if let Some(fast) = table.fast {
        let mut only = vec![0.0; poles.len()];
        only.push(LIMIT_WEIGHT);
        add(only, fast, LIMIT_WEIGHT);
    }
    rows
}

/// Returns the normal matrix of the least squares problem with the ridge, factored as L Lᵀ.
fn normal(rows: &[Row], n: usize) -> Vec<Vec<f64>> {
    let size = n + 1;
    let mut a = vec![vec![0.0; size]; size];
    for row in rows {
        for (i, fi) in row.factors.iter().enumerate() {
            for (j, fj) in row.factors.iter().enumerate().take(i + 1) {
                a[i][j] += fi * fj;
            }
        }
    }
    for (i, row) in a.iter_mut().enumerate() {
        row[i] += if i < n { RIDGE * RIDGE } else { 1e-12 };
    }
    for j in 0..size {
        for i in j..size {
            let known: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            let left = a[i][j] - known;
            a[i][j] = if i == j {
                left.max(1e-300).sqrt()
            } else {
                left / a[j][j]
            };
        }
    }
    a
}

fn solve(factor: &[Vec<f64>], mut x: Vec<f64>) -> Vec<f64> {
    let n = x.len();
    for i in 0..n {
        let known: f64 = (0..i).map(|k| factor[i][k] * x[k]).sum();
        x[i] = (x[i] - known) / factor[i][i];
    }
    for i in (0..n).rev() {
        let known: f64 = (i + 1..n).map(|k| factor[k][i] * x[k]).sum();
        x[i] = (x[i] - known) / factor[i][i];
    }
    x
}

impl Fit {
    /// Computes added mass and damping at a frequency [rad/s].
    pub(crate) fn matrices_at(&self, omega: f64) -> (Matrix, Matrix) {
        let (mut added, mut damping) = (self.added_infinite, [[0.0; 6]; 6]);
        for (pole, width, gain) in &self.filters {
            let (re, im) = response((*pole, *width), omega);
            for i in 0..6 {
                for j in 0..6 {
                    added[i][j] += gain[i][j] * im;
                    damping[i][j] += gain[i][j] * re * omega;
                }
            }
        }
        (added, damping)
    }
}

/// Returns 0 for translation, 1 for coupling and 2 for rotation.
fn kind(i: usize, j: usize) -> usize {
    usize::from(i > 2) + usize::from(j > 2)
}

fn error(table: &BemTable, fit: &Fit, size: f64) -> f64 {
    let mut largest = [0.0_f64; 3];
    let mut worst = [0.0_f64; 3];
    for (k, omega) in table.omega.iter().enumerate() {
        let (added, damping) = fit.matrices_at(*omega);
        for i in 0..6 {
            for j in 0..6 {
                let kind = kind(i, j);
                largest[kind] = largest[kind].max(table.added[k][i][j].abs());
                let a = added[i][j] - 0.5 * (table.added[k][i][j] + table.added[k][j][i]);
                let b = damping[i][j] - 0.5 * (table.damping[k][i][j] + table.damping[k][j][i]);
                worst[kind] = worst[kind].max(a.abs()).max(b.abs() / omega);
            }
        }
    }
    // the moments of a sphere contain only errors: compare with the moments of the forces at the
    // size of the body
    largest[2] = largest[2].max(1e-2 * largest[0] * size * size);
    largest[1] = largest[1].max((largest[0] * largest[2]).sqrt());
    (0..3)
        .filter(|k| largest[*k] > 0.0)
        .map(|k| worst[k] / largest[k])
        .fold(0.0, f64::max)
}

fn feeds(table: &BemTable, fit: &Fit, length: f64) -> f64 {
    // scale each axis by its own size, so that translation and rotation are comparable
    let largest = |i: usize| table.damping.iter().map(|b| b[i][i]).fold(1e-300, f64::max);
    let push = (0..3).map(largest).fold(0.0, f64::max);
    let size: [f64; 6] = std::array::from_fn(|i| {
        let least = if i < 3 {
            1e-2 * push
        } else {
            1e-2 * push * length * length
        };
        largest(i).max(least).sqrt()
    });
    let (low, high) = (
        0.25 * table.omega[0],
        4.0 * table.omega[table.omega.len() - 1],
    );
    let mut worst = 0.0_f64;
    for k in 0..120 {
        let omega = low * libm::pow(high / low, f64::from(k) / 119.0);
        let (_, b) = fit.matrices_at(omega);
        let scaled =
            std::array::from_fn(|i| std::array::from_fn(|j| b[i][j] / (size[i] * size[j])));
        let least = merrow_model::scene::smallest_eigenvalue(
            &merrow_math::SpatialInertia::from_matrix(&scaled),
        );
        worst = worst.max(-least);
    }
    worst
}
