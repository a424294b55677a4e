//! Converts tables by frequency into filters: fits the gains of the radiation memory.
//!
//! # Law
//! ```text
//!   A(ω) = A∞ + Σ Cₘ (ωₘ² - ω²)/|Dₘ|²,  B(ω)/ω = Σ Cₘ dₘ ω/|Dₘ|²,  Dₘ = ωₘ² - ω² + i dₘ ω  (1)
//! ```
//! The filter frequencies ωₘ and dampings dₘ are fixed in advance. The frequencies are spaced
//! evenly in log ω from a little below to a little above the table, and the width of each filter
//! follows the spacing. The remaining problem is linear: the same least squares problem for every
//! pair of axes, with a ridge of 1e-4 that keeps the gains small. Every filter is therefore stable
//! for any tables.
//!
//! Filters that oscillate between and beyond the frequencies of the table can add energy, although
//! the damping of the table is positive. The fit is then made passive (positive real, B(ω) >= 0)
//! by the smallest change in the metric of the least squares problem:
//! ```text
//!   min Σ |ΔC|²_N  subject to  v_k' B(ω_k) v_k >= 0                      (2)
//!   ΔC = Σ λ_k N⁻¹ρ(ω_k) v_k v_k',  λ_k >= 0                             (3)
//!   (2) [Grivet-Talocia 2004]
//! ```
//! with the normal matrix N and the responses ρ of the filters. The eigenvectors v_k of negative
//! damping at the frequencies ω_k are added to the constraints until there are none. Finally the
//! gains are averaged over the symmetries of the table, because eigenvectors of equal damping are
//! arbitrary; the mean of passive filters is passive. A small increase of all gains, whose
//! responses are positive, removes what negative damping is left between the checked frequencies.
//!
//! # Checked by
//! test/identity/radiation.rs

use crate::import::bem::{BemTable, Matrix};
use nalgebra::{Cholesky, DMatrix, DVector, Dyn, Matrix6, SymmetricEigen, Vector6};

/// Ridge of the least squares problem.
const RIDGE: f64 = 1e-4;
/// Width of a filter divided by half the spacing to the next.
const WIDTH: f64 = 1.6;
/// Weight of the table's limits at zero and infinite frequency.
const LIMIT_WEIGHT: f64 = 3.0;
/// Lowest and highest filter frequency, relative to the ends of the table.
const FILTER_RANGE: [f64; 2] = [0.8, 1.6];
/// Frequencies of the equations below the table, relative to its lowest frequency. The damping is
/// continued by B ~ ω³, which has the limit zero of B/ω.
const LOW_FREQUENCIES: [f64; 2] = [0.5, 0.25];
/// Weight of these equations: small, because only the limit is known.
const LOW_FREQUENCY_WEIGHT: f64 = 0.3;
/// Frequencies of the equations above the table, relative to its highest frequency. They keep the
/// filters from leaving damping there.
const HIGH_FREQUENCIES: [f64; 3] = [1.4, 2.0, 3.0];
/// Exponent of the assumed decay of B/ω above the table: B ~ ω⁻⁴.
const HIGH_FREQUENCY_DECAY: usize = 5;
/// Addition to the diagonal for A∞, whose equations can be missing.
const ADDED_MASS_RIDGE: f64 = 1e-12;
/// Minimum pivot of the factorisation.
const MIN_PIVOT: f64 = 1e-300;

/// Frequencies at which the damping of the filters is checked: their number and their limits
/// relative to the ends of the table. The damping has its limits of low and high frequency there.
const CHECKED_FREQUENCIES: (u32, [f64; 2]) = (300, [0.01, 100.0]);
/// The same for the final increase of all gains.
const RAISED_FREQUENCIES: (u32, [f64; 2]) = (3000, [1e-3, 1e4]);
/// Factor on the final increase.
const RAISE: f64 = 1.01;
/// Maximum number of sets of constraints, and of sweeps over their multipliers.
const PASSIVITY_ITERATIONS: [usize; 2] = [40, 2000];
/// Damping to which a constraint is set, relative to the sum of the responses times the largest
/// gain: frequencies between the checked frequencies stay passive.
const PASSIVITY_MARGIN: f64 = 1e-5;

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
    /// Largest negative damping of a motion in the table.
    pub(crate) of_table: NegativeDamping,
    /// Largest negative damping of a motion by the filters: they add energy there.
    pub(crate) of_filters: NegativeDamping,
}

/// Negative damping of a motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct NegativeDamping {
    /// Magnitude relative to the largest damping of the table; zero if there is none.
    pub(crate) part: f64,
    /// Frequency [rad/s].
    pub(crate) omega: f64,
}

impl NegativeDamping {
    /// Includes the damping `scaled` at `omega`.
    fn include(&mut self, omega: f64, scaled: &Matrix6<f64>) {
        let part = -scaled.symmetric_eigenvalues().min();
        if part > self.part {
            *self = Self { part, omega };
        }
    }
}

/// One equation of the least squares problem: the factors of the gains and of A∞, and the table
/// value on the right-hand side.
struct Row {
    factors: Vec<f64>,
    matrix: Matrix,
    /// Factor on the entries of `matrix`.
    weight: f64,
}

impl Row {
    /// Returns the right-hand side for the axes `i` and `j`, the mean of both entries.
    fn value(&self, i: usize, j: usize) -> f64 {
        0.5 * (self.weight * self.matrix[i][j] + self.weight * self.matrix[j][i])
    }
}

/// Fits `n` filters to a table. `size` is the characteristic length of the body [m].
pub fn fit(table: &BemTable, n: usize, size: f64) -> Fit {
    let (low, high) = (
        FILTER_RANGE[0] * table.omega[0],
        FILTER_RANGE[1] * table.omega[table.omega.len() - 1],
    );
    let n = n.min(table.omega.len() + 2);
    let ratio = libm::pow(high / low, 1.0 / (n - 1) as f64);
    let width = 0.5 * WIDTH * (ratio - 1.0 / ratio);
    let poles: Vec<(f64, f64)> = (0..n)
        .map(|m| low * libm::pow(ratio, m as f64))
        .map(|omega| (omega, 2.0 * width * omega))
        .collect();
    let unit = (low * high).sqrt();
    let rows = build_rows(table, &poles, unit);
    let factor = factor_normal_matrix(&rows, n);
    let mut gains = vec![[[0.0; 6]; 6]; n];
    let mut fast = [[0.0; 6]; 6];
    for i in 0..6 {
        for j in i..6 {
            let mut right = DVector::<f64>::zeros(n + 1);
            for row in &rows {
                let y = row.value(i, j);
                right
                    .iter_mut()
                    .zip(&row.factors)
                    .for_each(|(sum, f)| *sum += f * y);
            }
            let x = factor
                .as_ref()
                .map_or_else(|| DVector::zeros(n + 1), |factor| factor.solve(&right));
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
        of_table: NegativeDamping::default(),
        of_filters: NegativeDamping::default(),
    };
    let scales = axis_scales(table, size);
    for (omega, damping) in table.omega.iter().zip(&table.damping) {
        fit.of_table.include(*omega, &scaled(damping, &scales));
    }
    let checked = checked_frequencies(table, CHECKED_FREQUENCIES);
    if let Some(factor) = &factor {
        make_passive(&mut fit, factor, &scales, unit, &checked);
    }
    fit.symmetrise(table);
    fit.raise_damping(table, &scales);
    fit.symmetrise(table);
    for omega in checked {
        let (_, damping) = fit.matrices_at(omega);
        fit.of_filters.include(omega, &scaled(&damping, &scales));
    }
    fit.error = fit_error(table, &fit, size);
    fit
}

/// Returns `count` frequencies between these limits relative to the ends of the table [rad/s].
fn checked_frequencies(table: &BemTable, (count, [low, high]): (u32, [f64; 2])) -> Vec<f64> {
    let (first, last) = (
        low * table.omega[0],
        high * table.omega[table.omega.len() - 1],
    );
    (0..count)
        .map(|k| first * libm::pow(last / first, f64::from(k) / f64::from(count - 1)))
        .collect()
}

/// Constraint v'B(ω)v >= margin on the damping of the filters, in scaled axes.
struct Constraint {
    motion: Vector6<f64>,
    /// Responses of the filters to the unknowns of the least squares problem.
    response: DVector<f64>,
    /// The normal matrix's inverse times `response`.
    direction: DVector<f64>,
    /// Damping that is missing without a change.
    missing: f64,
    /// Multiplier λ of the constraint.
    multiplier: f64,
}

/// Makes the filters passive by (2) and (3), if they are not.
fn make_passive(
    fit: &mut Fit,
    factor: &Cholesky<f64, Dyn>,
    scales: &[f64; 6],
    unit: f64,
    checked: &[f64],
) {
    let original = fit.clone();
    let largest = original
        .filters
        .iter()
        .map(|(_, _, gain)| scaled(gain, scales).norm());
    let largest = largest.fold(0.0, f64::max);
    let mut constraints: Vec<Constraint> = Vec::new();
    for _ in 0..PASSIVITY_ITERATIONS[0] {
        let eigen: Vec<_> = checked
            .iter()
            .map(|omega| SymmetricEigen::new(scaled(&fit.matrices_at(*omega).1, scales)))
            .collect();
        let smallest: Vec<f64> = eigen.iter().map(|e| e.eigenvalues.min()).collect();
        let mut is_passive = true;
        for k in (0..checked.len()).filter(|k| smallest[*k] < 0.0) {
            is_passive = false;
            let neighbours = &smallest[k.saturating_sub(1)..(k + 2).min(checked.len())];
            if neighbours.iter().any(|value| *value < smallest[k]) {
                continue;
            }
            let columns = eigen[k].eigenvectors.column_iter();
            for (value, motion) in eigen[k].eigenvalues.iter().zip(columns) {
                if *value < 0.0 {
                    let at = (checked[k], motion.into_owned());
                    constraints.push(original.constraint(at, factor, scales, (unit, largest)));
                }
            }
        }
        if is_passive {
            return;
        }
        solve_multipliers(&mut constraints);
        constraints.retain(|constraint| constraint.multiplier > 0.0);
        *fit = original.changed_by(&constraints, scales, unit);
    }
}

/// Solves the dual of (2) for the multipliers by Gauss-Seidel sweeps, from their present values.
fn solve_multipliers(constraints: &mut [Constraint]) {
    let n = constraints.len();
    let gram = DMatrix::from_fn(n, n, |k, l| {
        let (a, b) = (&constraints[k], &constraints[l]);
        let alignment = a.motion.dot(&b.motion);
        alignment * alignment * a.response.dot(&b.direction)
    });
    for _ in 0..PASSIVITY_ITERATIONS[1] {
        let mut change = 0.0_f64;
        for k in 0..n {
            let reached: f64 = (0..n)
                .map(|l| gram[(l, k)] * constraints[l].multiplier)
                .sum();
            let constraint = &mut constraints[k];
            let present = constraint.multiplier;
            let step = (constraint.missing - reached) / gram[(k, k)];
            constraint.multiplier = (present + step).max(0.0);
            change = change.max((constraint.multiplier - present).abs() / (present + 1e-300));
        }
        if change < 1e-9 {
            return;
        }
    }
}

/// Returns the factors that make motions comparable: the inverse square root of the largest damping
/// of each axis, for a body of the size `length` [m].
fn axis_scales(table: &BemTable, length: f64) -> [f64; 6] {
    let largest = |i: usize| table.damping.iter().map(|b| b[i][i]).fold(1e-300, f64::max);
    let push = (0..3).map(largest).fold(0.0, f64::max);
    std::array::from_fn(|i| {
        let floor = if i < 3 {
            1e-2 * push
        } else {
            1e-2 * push * length * length
        };
        1.0 / largest(i).max(floor).sqrt()
    })
}

/// Returns the symmetric part of a matrix in scaled axes.
fn scaled(m: &Matrix, scales: &[f64; 6]) -> Matrix6<f64> {
    Matrix6::from_fn(|i, j| 0.5 * (m[i][j] + m[j][i]) * scales[i] * scales[j])
}

/// Returns the real and imaginary part of s/(s² + d s + ωₘ²) at s = iω, divided by ω.
fn response((pole, damping): (f64, f64), omega: f64) -> (f64, f64) {
    let real = pole * pole - omega * omega;
    let imaginary = damping * omega;
    let square = real * real + imaginary * imaginary;
    (imaginary / square, real / square)
}

/// Builds the equations of the table, of its limits, and of the damping beyond the table.
fn build_rows(table: &BemTable, poles: &[(f64, f64)], unit: f64) -> Vec<Row> {
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
            matrix,
            weight,
        });
    };
    for (k, omega) in table.omega.iter().enumerate() {
        add(factors(*omega, true, 1.0), table.added[k], 1.0);
        add(factors(*omega, false, 1.0), table.damping[k], 1.0 / omega);
    }
    // below the table the damping decays to zero
    let slowest = table.omega[0];
    for part in LOW_FREQUENCIES {
        let weight = LOW_FREQUENCY_WEIGHT;
        add(
            factors(part * slowest, false, weight),
            table.damping[0],
            weight * part * part / slowest,
        );
    }
    let last = table.omega.len() - 1;
    let fastest = table.omega[last];
    for times in HIGH_FREQUENCIES {
        let decay: f64 = std::iter::repeat_n(times, HIGH_FREQUENCY_DECAY).product();
        add(
            factors(times * fastest, false, 1.0),
            table.damping[last],
            1.0 / (decay * fastest),
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

/// Returns the Cholesky factor of the normal matrix of the least squares problem with the ridge.
fn factor_normal_matrix(rows: &[Row], n: usize) -> Option<Cholesky<f64, Dyn>> {
    let mut a = DMatrix::<f64>::zeros(n + 1, n + 1);
    for row in rows {
        // the factorisation reads the lower triangle
        for (i, fi) in row.factors.iter().enumerate() {
            for (j, fj) in row.factors.iter().enumerate().take(i + 1) {
                a[(i, j)] += fi * fj;
            }
        }
    }
    for i in 0..=n {
        a[(i, i)] += if i < n {
            RIDGE * RIDGE
        } else {
            ADDED_MASS_RIDGE
        };
    }
    Cholesky::new_with_substitute(a, MIN_PIVOT)
}

impl Fit {
    /// Averages all gains over the symmetries of the table.
    fn symmetrise(&mut self, table: &BemTable) {
        let matrices = self.filters.iter_mut().map(|(_, _, gain)| gain);
        for matrix in matrices.chain([&mut self.added_infinite]) {
            *matrix = table.symmetrised(matrix);
        }
    }

    /// Increases the gains of all filters by the same diagonal matrix times their squared
    /// frequency, so that no damping between or beyond the frequencies of [`make_passive`] is
    /// negative.
    fn raise_damping(&mut self, table: &BemTable, scales: &[f64; 6]) {
        let mut raise = 0.0_f64;
        for omega in checked_frequencies(table, RAISED_FREQUENCIES) {
            let damping = scaled(&self.matrices_at(omega).1, scales);
            let least = damping.symmetric_eigenvalues().min();
            let of_filter = |(pole, width, _): &(f64, f64, Matrix)| {
                pole * pole * response((*pole, *width), omega).0
            };
            let all: f64 = self.filters.iter().map(of_filter).sum();
            raise = raise.max(-RAISE * least / (omega * all));
        }
        for i in 0..6 {
            if self.filters.iter().any(|(_, _, gain)| gain[i][i] != 0.0) {
                for (pole, _, gain) in &mut self.filters {
                    gain[i][i] += raise * *pole * *pole / (scales[i] * scales[i]);
                }
            }
        }
    }

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

    /// Returns the constraint on the damping of `motion` at a frequency [rad/s]. `largest` is the
    /// largest gain in scaled axes.
    fn constraint(
        &self,
        (omega, motion): (f64, Vector6<f64>),
        factor: &Cholesky<f64, Dyn>,
        scales: &[f64; 6],
        (unit, largest): (f64, f64),
    ) -> Constraint {
        let of_filter = |(pole, width, _): &(f64, f64, Matrix)| {
            response((*pole, *width), omega).0 * omega * unit * unit
        };
        let n = self.filters.len();
        let response =
            DVector::from_iterator(n + 1, self.filters.iter().map(of_filter).chain([0.0]));
        let (_, damping) = self.matrices_at(omega);
        let found = motion.dot(&(scaled(&damping, scales) * motion));
        let margin = PASSIVITY_MARGIN * response.sum() / (unit * unit) * largest;
        Constraint {
            motion,
            direction: factor.solve(&response),
            response,
            missing: margin - found,
            multiplier: 0.0,
        }
    }

    /// Returns the fit with the change (3).
    fn changed_by(&self, constraints: &[Constraint], scales: &[f64; 6], unit: f64) -> Self {
        let mut fit = self.clone();
        let n = fit.filters.len();
        for constraint in constraints {
            for i in 0..6 {
                for j in 0..6 {
                    let motion = constraint.motion[i] * constraint.motion[j];
                    let change = constraint.multiplier * motion / (scales[i] * scales[j]);
                    for (m, (_, _, gain)) in fit.filters.iter_mut().enumerate() {
                        gain[i][j] += change * constraint.direction[m] * unit * unit;
                    }
                    fit.added_infinite[i][j] += change * constraint.direction[n];
                }
            }
        }
        fit
    }
}

/// Returns 0 for translation, 1 for coupling and 2 for rotation.
fn motion_kind(i: usize, j: usize) -> usize {
    usize::from(i > 2) + usize::from(j > 2)
}

fn fit_error(table: &BemTable, fit: &Fit, size: f64) -> f64 {
    let mut largest = [0.0_f64; 3];
    let mut worst = [0.0_f64; 3];
    for (k, omega) in table.omega.iter().enumerate() {
        let (added, damping) = fit.matrices_at(*omega);
        for i in 0..6 {
            for j in 0..6 {
                let kind = motion_kind(i, j);
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
