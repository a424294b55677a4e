//! Position from ranges to known positions (trilateration), by damped least squares.
//!
//! # Law
//! ```text
//!   min Σ (|x - n_k| - r_k)²/σ_k² + (z - z_0)²/σ_z²                    (1)
//!   (Jᵀ W J + λ D) δ = Jᵀ W e,   P = (Jᵀ W J)⁻¹                        (2)  [Marquardt 1963]
//! ```
//! # Symbols
//! x unknown position, z its height · n_k known positions · r_k ranges, σ_k their standard
//! deviations · z_0 independently known height, σ_z its standard deviation · J rows (x - n_k)/|x -
//! n_k| · W diagonal matrix of 1/σ² · λ damping · D diagonal of JᵀWJ · δ step of x · e residuals ·
//! P covariance.
//!
//! # Frames
//! All positions are in the same frame, which is arbitrary.
//!
//! # Limits
//! If the known positions lie in a plane there are two solutions, mirrored in this plane. The
//! solver returns the solution on the side of the start. P does not contain the errors of the known
//! positions and of the speed of sound.
//!
//! # Checked by
//! tests below; test/sensors/acoustic.rs

use merrow_math::{Mat3, Sym3, Vec3};

/// Lower limit of the standard deviation of a range [m].
const MIN_STD: f64 = 1e-3;
const MAX_ITERATIONS: usize = 60;

/// Known position with the range to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownRange {
    /// Known position in the common frame [m].
    pub p: Vec3,
    /// Range to the known position [m].
    pub range: f64,
    /// Standard deviation of the range [m].
    pub std: f64,
}

struct NormalEquations {
    normal: Mat3,
    right: Vec3,
    cost: f64,
}

fn normal_equations(known: &[KnownRange], height: Option<[f64; 2]>, x: Vec3) -> NormalEquations {
    let mut sums = NormalEquations {
        normal: Mat3::zero(),
        right: Vec3::zero(),
        cost: 0.0,
    };
    let mut add = |row: Vec3, residual: f64, std: f64| {
        let weight = 1.0 / (std * std).max(MIN_STD * MIN_STD);
        for i in 0..3 {
            sums.normal.r[i] += row.scale(weight * row[i]);
        }
        sums.right += row.scale(weight * residual);
        sums.cost += weight * residual * residual;
    };
    for k in known {
        let offset = x - k.p;
        let r = offset.norm().max(1e-9);
        add(offset.scale(1.0 / r), k.range - r, k.std);
    }
    if let Some([z, std]) = height {
        add(Vec3::new(0.0, 0.0, 1.0), z - x.z, std);
    }
    sums
}

/// Computes the position [m] and its covariance [m²] by (1), starting from `start` [m]. `height` is
/// a known height and its standard deviation [m]. Returns `None` with fewer than three ranges or if
/// the ranges do not determine the position.
pub(crate) fn solve_position(
    known: &[KnownRange],
    height: Option<[f64; 2]>,
    start: Vec3,
) -> Option<(Vec3, Mat3)> {
    if known.len() < 3 {
        return None;
    }
    let (mut x, mut damping) = (start, 1e-3);
    let mut now = normal_equations(known, height, x);
    for _ in 0..MAX_ITERATIONS {
        let mut damped = now.normal;
        for i in 0..3 {
            damped.r[i][i] += damping * damped.r[i][i] + 1e-12;
        }
        let step = Sym3::upper(&damped).inverse().mul_vec(now.right); // (2)
        let next = normal_equations(known, height, x + step);
        if next.cost <= now.cost {
            (x, now, damping) = (x + step, next, (0.1 * damping).max(1e-12));
            if step.norm() < 1e-9 {
                break;
            }
        } else {
            damping *= 10.0;
        }
    }
    let covariance = Sym3::upper(&now.normal).inverse().full();
    let fixed = (0..3).all(|i| covariance.r[i][i] > 0.0 && covariance.r[i][i] < 1e8);
    (fixed && x.is_finite()).then_some((x, covariance))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(x: Vec3, nodes: &[[f64; 3]]) -> Vec<KnownRange> {
        let known = |p: &[f64; 3]| {
            let p = Vec3::from(*p);
            KnownRange {
                p,
                range: (x - p).norm(),
                std: 0.1,
            }
        };
        nodes.iter().map(known).collect()
    }

    #[test]
    fn exact_ranges_give_exact_position() {
        let x = Vec3::new(3.0, -4.0, -11.0);
        let nodes = [
            [-1.0, -1.0, 0.0],
            [1.0, -1.0, 0.0],
            [1.0, 1.0, 0.0],
            [-1.0, 1.0, 0.0],
        ];
        let known = ranges(x, &nodes);
        let (found, _) =
            solve_position(&known, None, Vec3::new(0.0, 0.0, -5.0)).expect("a position");
        assert!((found - x).norm() < 1e-6, "{found:?}");
        // from a start above the plane the mirrored solution results
        let (found, _) =
            solve_position(&known, None, Vec3::new(0.0, 0.0, 5.0)).expect("a position");
        assert!(
            (found - Vec3::new(3.0, -4.0, 11.0)).norm() < 1e-6,
            "{found:?}"
        );
        assert!(solve_position(&known[..2], Some([-11.0, 0.1]), Vec3::zero()).is_none());
    }

    // with nodes on three axes at the same distance each range determines one coordinate: P = σ² I
    #[test]
    fn covariance_matches_orthogonal_ranges() {
        let known = ranges(
            Vec3::zero(),
            &[[50.0, 0.0, 0.0], [0.0, 50.0, 0.0], [0.0, 0.0, 50.0]],
        );
        let (_, p) = solve_position(&known, None, Vec3::new(1.0, 2.0, -3.0)).expect("a position");
        for i in 0..3 {
            for j in 0..3 {
                let expected = if i == j { 0.01 } else { 0.0 };
                assert!((p.r[i][j] - expected).abs() < 1e-9, "{p:?}");
            }
        }
    }

    #[test]
    fn collinear_nodes_give_no_fix() {
        let known = ranges(
            Vec3::new(0.0, 0.0, -9.0),
            &[[-9.0, 0.0, 0.0], [1.0, 0.0, 0.0], [4.0, 0.0, 0.0]],
        );
        // rotation about the line is free
        assert!(solve_position(&known, None, Vec3::new(0.0, 0.0, -5.0)).is_none());
    }
}
