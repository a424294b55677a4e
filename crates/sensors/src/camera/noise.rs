//! Value noise: pseudo-random patterns that depend only on position, for clouds, foam and sand.

use std::sync::OnceLock;

/// Side length of the table of random numbers, a power of two; the pattern has this period.
const CELLS: usize = 256;

/// Adding and subtracting 1.5 * 2^52 rounds to the nearest integer, which is left in the lowest
/// bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// One random number per cell.
type Table = [[f32; CELLS]; CELLS];

/// Returns the table of a random number in 0..1 for every cell; it is the same in every process.
fn table() -> &'static Table {
    static TABLE: OnceLock<Box<Table>> = OnceLock::new();
    TABLE.get_or_init(|| {
        let mut rows = Box::new([[0.0; CELLS]; CELLS]);
        for (k, number) in rows.as_flattened_mut().iter_mut().enumerate() {
            *number = hash_cell(k as u64);
        }
        rows
    })
}

fn hash_cell(k: u64) -> f32 {
    let mut h = k.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1656_67b1_9e37_79f9;
    h = (h ^ (h >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    h = (h ^ (h >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((h ^ (h >> 32)) >> 40) as f32 / (1_u32 << 24) as f32
}

/// Splits `x` into the unit cell that contains it and the position within that cell, 0..=1.
///
/// The cell is returned as the lowest bits of its index. On the border of two cells either may
/// result.
#[inline(always)]
pub fn cell(x: f64) -> (usize, f32) {
    let shifted = x - 0.5 + ROUND;
    (shifted.to_bits() as usize, (x - (shifted - ROUND)) as f32)
}

/// Returns the value noise on unit cells with smooth interpolation, 0..1.
#[inline]
pub(crate) fn value_noise(x: f64, y: f64, seed: u64) -> f64 {
    between_cells(table(), x, y, seed)
}

#[inline(always)]
fn between_cells(table: &Table, x: f64, y: f64, seed: u64) -> f64 {
    let ((i, u), (j, v)) = (cell(x), cell(y));
    let ease = |u: f32| u * u * (3.0 - 2.0 * u);
    let (u, v) = (ease(u), ease(v));
    // Each seed uses a different part of the table.
    let (i, j) = (
        i.wrapping_add(37_usize.wrapping_mul(seed as usize)),
        j.wrapping_add(91_usize.wrapping_mul(seed as usize)),
    );
    let wrap = |k: usize| k & (CELLS - 1);
    let (low, high) = (&table[wrap(j)], &table[wrap(j.wrapping_add(1))]);
    let (remaining, right) = (wrap(i), wrap(i.wrapping_add(1)));
    let below = low[remaining] + (low[right] - low[remaining]) * u;
    let above = high[remaining] + (high[right] - high[remaining]) * u;
    f64::from(below + (above - below) * v)
}

/// Sums `n` octaves of [`value_noise`], each of half the size and weight of the preceding octave,
/// normalised to 0..1 with the mean 0.5. Each octave is rotated, so that no grid is visible.
pub(crate) fn fractal_noise(x: f64, y: f64, n: usize, seed: u64) -> f64 {
    fractal_noise_above(x, y, n, seed, f64::NEG_INFINITY).unwrap_or_default()
}

/// Computes [`fractal_noise`] if the result exceeds `min_value`. Returns `None` as soon as the
/// first octaves show that it does not.
pub(crate) fn fractal_noise_above(
    x: f64,
    y: f64,
    n: usize,
    seed: u64,
    min_value: f64,
) -> Option<f64> {
    let all = 2.0 - 1.0 / (1_u64 << (n - 1).min(62)) as f64;
    let (mut sum, mut remaining, mut weight) = (0.0, all, 1.0);
    let (mut x, mut y) = (x, y);
    let table = table();
    for k in 0..n {
        sum += weight * between_cells(table, x, y, seed.wrapping_add(k as u64));
        remaining -= weight;
        if sum + remaining <= min_value * all {
            return None;
        }
        weight *= 0.5;
        (x, y) = (1.6 * x - 1.2 * y + 17.3, 1.2 * x + 1.6 * y - 9.1);
    }
    Some(sum / all)
}

/// Returns the smooth step from 0 at `low` to 1 at `high`.
pub(crate) fn smooth_step(low: f64, high: f64, x: f64) -> f64 {
    let u = ((x - low) / (high - low)).clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}
