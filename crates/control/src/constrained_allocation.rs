//! Constrained thruster allocation: thrusts within their limits for a requested wrench.
//!
//! # Law
//! ```text
//!   min ½ fᵀ f + ½ sᵀ Q s   subject to   B f = τ - s,   f_min <= f <= f_max  (1)
//!   f = clip(Bᵀ λ, f_min, f_max),   s = Q⁻¹ λ                                (2)
//!   F(λ) = Q⁻¹ λ + B clip(Bᵀ λ) - τ = 0                                      (3)
//!   (1) [Fossen 2021, §11.2.3]
//!   (2) [Boyd and Vandenberghe 2004, §5.5.3]
//! ```
//! (1) is a strictly convex quadratic programme, and (2) its optimality conditions. (3) is the
//! gradient of a convex function of the six multipliers λ. Newton's method with the Jacobian
//! `Q⁻¹ + B_f B_fᵀ` over the thrusters f that are not at a limit, and with an exact line search,
//! finds its root. Where no thruster is at a limit, the first iteration is exact.
//!
//! # Symbols
//! f thrusts · B wrench of unit thrusts · τ requested wrench · s part of it that is not produced ·
//! Q weights of s · λ multipliers.
//!
//! # Frames
//! Base frame (FLU), force first.
//!
//! # Limits
//! Q is large but finite: without a thruster at a limit the wrench differs from τ by less than 1e-3
//! of it. Components that the thrusters do not produce independently are left out. In saturation
//! heave and moments have priority over surge and sway.
//!
//! # Checked by
//! tests below; test/analytic/vehicles/motion_control.rs

use merrow_model::scene::robot::firmware::motion_control::MAX_THRUSTERS;

/// Squared weight of the part that is not produced, over the mean squared authority of the
/// thrusters: surge and sway, then heave and moments.
const RELATIVE_WEIGHTS: [f64; 2] = [1e4, 1e7];
/// Maximum number of Newton iterations. The set of thrusters at a limit settles after a few.
const MAX_ITERATIONS: usize = 40;
/// Residual of (3) at which the iteration ends, relative to the wrench.
const TOLERANCE: f64 = 1e-9;

/// Thrusts and the wrench that they produce.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AllocatedThrusts {
    /// One thrust per thruster, then zeros [N].
    pub thrusts: [f64; MAX_THRUSTERS],
    /// Wrench of these thrusts in the independent components, force first [N, N m].
    pub wrench: [f64; 6],
}

/// Problem (1), scaled so that forces and moments have equal weight.
struct Problem<'a> {
    /// Columns of B, one per thruster.
    columns: &'a [[f64; 6]],
    limits: &'a [[f64; 2]],
    /// Diagonal of the matrix Q⁻¹.
    slack: [f64; 6],
    wrench: [f64; 6],
}

/// Allocates `wrench` (force [N] and moment [N m] at the base origin, in B) to thrusters with the
/// `unit_wrenches` and `limits` [N], at most [`MAX_THRUSTERS`], in the components that are
/// `independent`.
pub fn allocate_within_limits(
    unit_wrenches: &[[f64; 6]],
    independent: &[bool; 6],
    limits: &[[f64; 2]],
    wrench: [f64; 6],
) -> AllocatedThrusts {
    let n = limits.len().min(MAX_THRUSTERS);
    let all = &unit_wrenches[..n];
    let arm = mean_arm(all);
    let scale = |i: usize| {
        let used = if independent[i] { 1.0 } else { 0.0 };
        if i < 3 { used } else { used / arm }
    };
    let mut columns = [[0.0; 6]; MAX_THRUSTERS];
    for (column, unit) in columns.iter_mut().zip(all) {
        *column = std::array::from_fn(|i| scale(i) * unit[i]);
    }
    let columns = &columns[..n];
    let squares: f64 = columns.iter().flatten().map(|b| b * b).sum();
    let authority = (squares / 6.0).max(f64::MIN_POSITIVE);
    let problem = Problem {
        columns,
        limits: &limits[..n],
        slack: std::array::from_fn(|i| authority / RELATIVE_WEIGHTS[usize::from(i >= 2)]),
        wrench: std::array::from_fn(|i| scale(i) * wrench[i]),
    };
    let lambda = problem.solve();
    let mut thrusts = [0.0; MAX_THRUSTERS];
    for (k, thrust) in thrusts[..n].iter_mut().enumerate() {
        *thrust = problem.thrust(k, &lambda);
    }
    let sum = |i: usize| -> f64 { all.iter().zip(&thrusts).map(|(b, f)| b[i] * f).sum() };
    let produced = |i: usize| {
        if independent[i] { sum(i) } else { 0.0 }
    };
    AllocatedThrusts {
        thrusts,
        wrench: std::array::from_fn(produced),
    }
}

/// Returns the mean lever arm of the thrusters [m]; 1 if they have none.
fn mean_arm(unit_wrenches: &[[f64; 6]]) -> f64 {
    let norm = |b: &[f64; 6]| (b[3] * b[3] + b[4] * b[4] + b[5] * b[5]).sqrt();
    let sum: f64 = unit_wrenches.iter().map(norm).sum();
    if sum > 0.0 {
        sum / unit_wrenches.len() as f64
    } else {
        1.0
    }
}

impl Problem<'_> {
    /// Returns the multipliers that satisfy (3).
    fn solve(&self) -> [f64; 6] {
        let mut lambda = [0.0; 6];
        let norm = self.wrench.iter().fold(1.0_f64, |m, t| m.max(t.abs()));
        for _ in 0..MAX_ITERATIONS {
            let gradient = self.gradient(&lambda);
            if gradient.iter().all(|g| g.abs() <= TOLERANCE * norm) {
                break;
            }
            let step = solve_cholesky(self.jacobian(&lambda), gradient.map(|g| -g));
            lambda = self.search_along(&lambda, &step);
        }
        lambda
    }

    /// Returns `λ + t Δλ` at the minimum of the convex function along `step`. Its derivative is
    /// piecewise linear in t, with a kink where a thruster reaches or leaves a limit.
    fn search_along(&self, lambda: &[f64; 6], step: &[f64; 6]) -> [f64; 6] {
        let n = self.columns.len();
        let mut along = Along {
            start: [0.0; MAX_THRUSTERS],
            change: [0.0; MAX_THRUSTERS],
            constant: 0.0,
            slope: 0.0,
        };
        for k in 0..n {
            along.start[k] = self.unlimited(k, lambda);
            along.change[k] = self.unlimited(k, step);
        }
        for i in 0..6 {
            along.constant += (self.slack[i] * lambda[i] - self.wrench[i]) * step[i];
            along.slope += self.slack[i] * step[i] * step[i];
        }
        let mut kinks = [f64::INFINITY; 2 * MAX_THRUSTERS];
        for k in 0..n {
            for (i, limit) in self.limits[k].into_iter().enumerate() {
                let t = (limit - along.start[k]) / along.change[k];
                // NaN for a thruster that does not change
                if t > 0.0 {
                    kinks[2 * k + i] = t;
                }
            }
        }
        let kinks = &mut kinks[..2 * n];
        kinks.sort_unstable_by(f64::total_cmp);
        let passed =
            kinks.partition_point(|t| t.is_finite() && along.derivative(*t, self.limits) < 0.0);
        let low = if passed == 0 { 0.0 } else { kinks[passed - 1] };
        let high = match kinks.get(passed) {
            Some(t) if t.is_finite() => *t,
            _ => low + 1.0,
        };
        let (g0, g1) = (
            along.derivative(low, self.limits),
            along.derivative(high, self.limits),
        );
        let t = if g1 > g0 {
            low - g0 * (high - low) / (g1 - g0)
        } else {
            low
        };
        std::array::from_fn(|i| lambda[i] + t * step[i])
    }

    /// Returns the unlimited thrust of thruster `k`: the product of its column and λ.
    fn unlimited(&self, k: usize, lambda: &[f64; 6]) -> f64 {
        self.columns[k].iter().zip(lambda).map(|(b, l)| b * l).sum()
    }

    fn thrust(&self, k: usize, lambda: &[f64; 6]) -> f64 {
        let [low, high] = self.limits[k];
        self.unlimited(k, lambda).max(low).min(high)
    }

    fn gradient(&self, lambda: &[f64; 6]) -> [f64; 6] {
        let mut sum: [f64; 6] = std::array::from_fn(|i| self.slack[i] * lambda[i] - self.wrench[i]);
        for (k, column) in self.columns.iter().enumerate() {
            let f = self.thrust(k, lambda);
            sum.iter_mut().zip(column).for_each(|(s, b)| *s += b * f);
        }
        sum
    }

    /// Returns the lower triangle of the Jacobian of (3).
    fn jacobian(&self, lambda: &[f64; 6]) -> [[f64; 6]; 6] {
        let mut matrix = [[0.0; 6]; 6];
        for (i, row) in matrix.iter_mut().enumerate() {
            row[i] = self.slack[i];
        }
        for (k, b) in self.columns.iter().enumerate() {
            let (u, [low, high]) = (self.unlimited(k, lambda), self.limits[k]);
            if u < low || u > high {
                continue;
            }
            for i in 0..6 {
                for j in 0..=i {
                    matrix[i][j] += b[i] * b[j];
                }
            }
        }
        matrix
    }
}

/// Quantities along a search direction.
struct Along {
    /// Unlimited thrusts at t = 0 [N].
    start: [f64; MAX_THRUSTERS],
    /// Their change per t [N].
    change: [f64; MAX_THRUSTERS],
    /// Derivative at t = 0 without the thrusters.
    constant: f64,
    /// Its change per t.
    slope: f64,
}

impl Along {
    /// Returns the derivative of the convex function at `t`.
    fn derivative(&self, t: f64, limits: &[[f64; 2]]) -> f64 {
        let thrusters = limits.iter().enumerate().map(|(k, [low, high])| {
            let (u, du) = (self.start[k] + t * self.change[k], self.change[k]);
            u.max(*low).min(*high) * du
        });
        self.constant + t * self.slope + thrusters.sum::<f64>()
    }
}

/// Solves `A x = b` for a positive definite A, given by its lower triangle. It runs several times
/// per tick of a controller; nalgebra is for systems that are solved less often.
fn solve_cholesky(mut A: [[f64; 6]; 6], mut b: [f64; 6]) -> [f64; 6] {
    for i in 0..6 {
        for j in 0..=i {
            let sum = (0..j).fold(A[i][j], |sum, k| sum - A[i][k] * A[j][k]);
            A[i][j] = if i == j { sum.sqrt() } else { sum / A[j][j] };
        }
        b[i] = (0..i).fold(b[i], |sum, k| sum - A[i][k] * b[k]) / A[i][i];
    }
    for i in (0..6).rev() {
        b[i] = (i + 1..6).fold(b[i], |sum, k| sum - A[k][i] * b[k]) / A[i][i];
    }
    b
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocation::{independent_components, pseudo_inverse};
    use merrow_math::Vec3;
    use merrow_math::rng::Stream;
    use merrow_model::scene::ThrustAllocation;

    /// Returns the allocation of a vehicle with four horizontal thrusters at 45 deg and four
    /// vertical thrusters.
    fn vectored() -> ThrustAllocation {
        let c = std::f64::consts::FRAC_1_SQRT_2;
        let mut columns = Vec::new();
        for (x, y) in [(0.2, -0.1), (0.2, 0.1), (-0.2, -0.1), (-0.2, 0.1)] {
            let horizontal = Vec3::new(c, if x * y < 0.0 { c } else { -c }, 0.0);
            let vertical = Vec3::new(0.0, 0.0, 1.0);
            for (p, f) in [
                (Vec3::new(x, y, 0.05), horizontal),
                (Vec3::new(x, 2.0 * y, 0.0), vertical),
            ] {
                let m = p.cross(f);
                columns.push([f.x, f.y, f.z, m.x, m.y, m.z]);
            }
        }
        ThrustAllocation {
            matrix: pseudo_inverse(&columns),
            independent: independent_components(&columns),
            unit_wrenches: columns,
            command_timeout_s: None,
        }
    }

    fn allocate(
        allocation: &ThrustAllocation,
        limits: &[[f64; 2]],
        wrench: [f64; 6],
    ) -> AllocatedThrusts {
        let (columns, independent) = (&allocation.unit_wrenches, &allocation.independent);
        allocate_within_limits(columns, independent, limits, wrench)
    }

    #[test]
    fn equals_the_pseudo_inverse_within_the_limits() {
        let allocation = vectored();
        let wrench = [8.0, -5.0, 12.0, 0.4, -0.7, 0.9];
        let found = allocate(&allocation, &[[-40.0, 50.0]; 8], wrench);
        for (k, row) in allocation.matrix.iter().enumerate() {
            let expected: f64 = row.iter().zip(&wrench).map(|(a, t)| a * t).sum();
            // the weights are finite: limit 1e-3 of the largest thrust
            let error = (found.thrusts[k] - expected).abs();
            assert!(error < 5e-3, "{k}: {} {expected}", found.thrusts[k]);
        }
    }

    /// Returns the cost of (1) with the weights of the solver.
    fn cost(problem: &Problem<'_>, thrusts: &[f64]) -> f64 {
        let own: f64 = thrusts.iter().map(|f| 0.5 * f * f).sum();
        let missing = (0..6).map(|i| {
            let produced: f64 = problem
                .columns
                .iter()
                .zip(thrusts)
                .map(|(b, f)| b[i] * f)
                .sum();
            let s = problem.wrench[i] - produced;
            0.5 * s * s / problem.slack[i]
        });
        own + missing.sum::<f64>()
    }

    #[test]
    fn no_other_thrusts_within_the_limits_cost_less() {
        let allocation = vectored();
        let mut draw = Stream::new(5, "wrenches").draw(0);
        for round in 0..200 {
            let wrench: [f64; 6] = std::array::from_fn(|i| {
                let size = if i < 3 { 150.0 } else { 20.0 };
                size * (2.0 * draw.uniform() - 1.0)
            });
            let limits = [[-30.0, 40.0]; 8];
            let problem = Problem {
                columns: &allocation.unit_wrenches,
                limits: &limits,
                slack: [1e-5; 6],
                wrench,
            };
            let lambda = problem.solve();
            let best: Vec<f64> = (0..8).map(|k| problem.thrust(k, &lambda)).collect();
            let residual = problem.gradient(&lambda);
            assert!(
                residual.iter().all(|g| g.abs() < 1e-6),
                "round {round}: {residual:?}"
            );
            let least = cost(&problem, &best);
            for _ in 0..50 {
                let other: Vec<f64> = best
                    .iter()
                    .map(|f| (f + 0.1 * draw.normal()).clamp(-30.0, 40.0))
                    .collect();
                assert!(
                    cost(&problem, &other) >= least * (1.0 - 1e-9),
                    "round {round}"
                );
            }
        }
    }

    #[test]
    fn moments_have_priority_in_saturation() {
        let allocation = vectored();
        let wrench = [400.0, 0.0, 0.0, 0.0, 0.0, 8.0];
        let found = allocate(&allocation, &[[-40.0, 40.0]; 8], wrench);
        assert!((found.wrench[5] - 8.0).abs() < 0.8, "{found:?}");
        assert!(
            found.wrench[0] > 60.0 && found.wrench[0] < 120.0,
            "{found:?}"
        );
    }
}
