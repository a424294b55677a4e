//! Tests of the block matrix against the same dense matrix.

use crate::contact::solver::blocks::*;

/// Returns a pseudo-random numbers in -1..1.
fn noise(seed: &mut u64) -> f64 {
    *seed = seed
        .wrapping_mul(6364136223846793005)
        .wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Robots of several sizes, some pairs, dominant diagonals: the solution multiplied by the matrix
/// is the right-hand side. Tolerance: rounding of 40 coordinates with a condition number of about
/// 100.
#[test]
fn factor_solves_linear_system() {
    let mut seed = 7;
    for (sizes, pairs) in [
        (vec![6_u32], vec![]),
        (
            vec![6, 1, 10, 6, 6, 3],
            vec![[0, 1], [0, 3], [1, 2], [1, 3], [2, 5], [3, 4]],
        ),
        (
            vec![6, 6, 6, 6, 6],
            vec![[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [3, 4]],
        ),
    ] {
        let mut at = 0;
        let bodies: Vec<CoordinateRange> = sizes
            .iter()
            .map(|n| {
                at += n;
                CoordinateRange { v: at - n, n: *n }
            })
            .collect();
        let size = at as usize;
        let mut blocks = BlockMatrix::default();
        blocks.plan(&bodies, &pairs);
        let mut full = vec![0.0; size * size];
        for (k, body) in bodies.iter().enumerate() {
            let (n, v, to) = (body.n as usize, body.v as usize, blocks.diagonal(k as u32));
            for i in 0..n {
                for j in 0..=i {
                    let x = noise(&mut seed) + if i == j { 10.0 } else { 0.0 };
                    for (i, j) in [(i, j), (j, i)] {
                        full[(v + i) * size + v + j] = x;
                        blocks.values[to + i * n + j] = x;
                    }
                }
            }
        }
        for [a, b] in &pairs {
            let position = blocks.pair_block([*a, *b]);
            let (early, late) = if position.is_transposed {
                (*b, *a)
            } else {
                (*a, *b)
            };
            let (e, l) = (bodies[early as usize], bodies[late as usize]);
            for i in 0..e.n as usize {
                for j in 0..l.n as usize {
                    let x = 0.5 * noise(&mut seed);
                    blocks.values[position.at as usize + i * l.n as usize + j] = x;
                    let (i, j) = (e.v as usize + i, l.v as usize + j);
                    full[i * size + j] = x;
                    full[j * size + i] = x;
                }
            }
        }
        let right_hand_side: Vec<f64> = (0..size).map(|_| noise(&mut seed)).collect();
        let mut x = right_hand_side.clone();
        blocks.factor();
        blocks.solve(&mut x);
        for (i, right_hand_side) in right_hand_side.iter().enumerate() {
            let product: f64 = (0..size).map(|j| full[i * size + j] * x[j]).sum();
            assert!(
                (product - right_hand_side).abs() < 1e-13,
                "row {i} of {sizes:?}: {product} instead of {right_hand_side}"
            );
        }
    }
}
