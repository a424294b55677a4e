//! Patterns that look like chance and are functions of place alone: for clouds, foam and sand.

/// A number in 0..1 of a cell.
fn of_cell(x: i64, y: i64, seed: u64) -> f64 {
    let mut h = (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ (y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f)
        ^ seed.wrapping_mul(0x1656_67b1_9e37_79f9);
    h = (h ^ (h >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h = (h ^ (h >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((h ^ (h >> 32)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Smooth between cells of size 1, 0..1.
pub fn value(x: f64, y: f64, seed: u64) -> f64 {
    if !(x.abs() < 1e12 && y.abs() < 1e12) {
        return 0.5;
    }
    let (i, j) = (x.floor(), y.floor());
    let ease = |u: f64| u * u * (3.0 - 2.0 * u);
    let (u, v) = (ease(x - i), ease(y - j));
    let (i, j) = (i as i64, j as i64);
    let low = of_cell(i, j, seed) * (1.0 - u) + of_cell(i + 1, j, seed) * u;
    let high = of_cell(i, j + 1, seed) * (1.0 - u) + of_cell(i + 1, j + 1, seed) * u;
    low * (1.0 - v) + high * v
}

/// Octaves of [`value`], each of half the size and weight of the one before, turned so that no grid shows; 0..1, 0.5 in the mean.
pub fn octaves(x: f64, y: f64, n: usize, seed: u64) -> f64 {
    let (mut sum, mut weights, mut weight) = (0.0, 0.0, 1.0);
    let (mut x, mut y) = (x, y);
    for k in 0..n {
        sum += weight * value(x, y, seed.wrapping_add(k as u64));
        weights += weight;
        weight *= 0.5;
        (x, y) = (1.6 * x - 1.2 * y + 17.3, 1.2 * x + 1.6 * y - 9.1);
    }
    sum / weights
}

/// From 0 to 1 between `low` and `high`, smoothly.
pub fn step(low: f64, high: f64, x: f64) -> f64 {
    let u = ((x - low) / (high - low)).clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}
