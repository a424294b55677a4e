//! Disparities of a rectified pair of images, by census transform and block matching.
//!
//! # Law
//! ```text
//!   c(p) = bits [I(q) < I(p)],  q in a window of 9 x 7 px around p                     (1)
//!   C(p, d) = Σ |c_l(q) xor c_r(q - (d, 0))|,  q in a block of 11 x 11 px around p       (2)
//!   D(p) = argmin C(p, d),  0 <= d <= d_max                                           (3)
//!   C(p, D) < u C(p, d)  for all |d - D| > 1                                          (4)
//!   |D_r(p - (D, 0)) - D(p)| <= 1,  D_r(p) = argmin C(p + (d, 0), d)                   (5)
//!   δ = (C₋ - C₊)/(2 (max(C₋, C₊) - C(p, D))),  C± = C(p, D ± 1)                       (6)
//! ```
//! (1), (2) census transform and its Hamming distance [Zabih and Woodfill 1994]; (5) consistency of both
//! views [Fua 1993]; (6) the part of a pixel between two lines of equal slope [Haller and Nedevschi 2012].
//! A disparity is kept if it is unique by (4), the same in both views by (5), in a block whose grey values
//! differ by more than the noise, and in a region of equal disparities that is large enough.
//!
//! # Symbols
//! I grey value · d, D disparity [px] · u largest ratio of the costs of the best and another disparity.
//!
//! # Limits
//! What has no texture, such as a clear sky or calm water, or a repeated one, has no disparity. Blocks at
//! the border of an object spread it by up to 8 px. The first d_max columns have no disparity. A mirror image has the disparity of what it shows, so
//! that it lies behind the mirror: below the water.
//!
//! # Checked by
//! tests below: planes of known disparity, no texture, repeated texture, noise; `tests/rendered_stereo.rs`
//! compares rendered pairs with their depth

use image::GrayImage;

/// Half of the window of (1): 62 bits [px].
const CENSUS: [i64; 2] = [4, 3];
/// Half of the edge of the blocks of (2) [px].
const BLOCK: usize = 5;
/// Largest ratio u of (4).
const UNIQUE: f64 = 0.85;
/// Least standard deviation of the grey values of a block; that of the noise is about 1.
const TEXTURE: f64 = 2.0;
/// Least number of pixels of a region.
const REGION_PX: usize = 60;
/// Largest difference of the disparities of neighbours in a region [px].
const REGION_STEP: f32 = 1.0;
/// Cost of a pixel without a partner, half of the bits of (1).
const NO_PARTNER: u16 = 31;

/// Returns the disparity of every pixel of the left image by rows [px]; NaN where it is not known.
/// Disparities up to `max` are tried, and 0 and `max` are not kept.
///
/// # Panics
/// The images have different sizes.
#[must_use]
pub fn disparities(left: &GrayImage, right: &GrayImage, max: usize) -> Vec<f32> {
    assert_eq!(left.dimensions(), right.dimensions());
    let [width, height] = [left.width() as usize, left.height() as usize];
    let bits = [census(left), census(right)];
    // costs by disparity, then by pixel
    let costs: Vec<Vec<u16>> = (0..=max)
        .map(|d| {
            let distance = |k: usize| match k % width >= d {
                true => (bits[0][k] ^ bits[1][k - d]).count_ones() as u16,
                false => NO_PARTNER,
            };
            let distances: Vec<u16> = (0..width * height).map(distance).collect();
            block_sums(&distances, width)
        })
        .collect();
    let best_right: Vec<usize> = (0..width * height)
        .map(|k| {
            let last = max.min(width - 1 - k % width);
            (0..=last).min_by_key(|d| costs[*d][k + d]).unwrap_or(0)
        })
        .collect();
    let deviations = deviations(left);
    let disparity = |k: usize| -> Option<f32> {
        let best = (0..=max).min_by_key(|d| costs[*d][k])?;
        // near the left border not all disparities can be compared
        if k % width < max || best == 0 || best == max || deviations[k] < TEXTURE {
            return None;
        }
        let cost = f64::from(costs[best][k]);
        let others = (0..=max).filter(|d| d.abs_diff(best) > 1);
        let is_unique = others
            .map(|d| f64::from(costs[d][k]))
            .all(|other| cost < UNIQUE * other);
        if !is_unique || best_right[k - best].abs_diff(best) > 1 {
            return None;
        }
        let [before, after] = [best - 1, best + 1].map(|d| f64::from(costs[d][k]));
        let slope = before.max(after) - cost;
        let part = match slope > 0.0 {
            true => 0.5 * (before - after) / slope,
            false => 0.0,
        };
        Some((best as f64 + part) as f32)
    };
    let mut found: Vec<f32> = (0..width * height)
        .map(|k| disparity(k).unwrap_or(f32::NAN))
        .collect();
    remove_small_regions(&mut found, width);
    found
}

/// Computes (1) for every pixel by rows.
fn census(image: &GrayImage) -> Vec<u64> {
    let [width, height] = [image.width(), image.height()].map(i64::from);
    let grey = image.as_raw();
    let mut all = Vec::with_capacity(grey.len());
    for y in 0..height {
        for x in 0..width {
            let own = grey[(y * width + x) as usize];
            let mut bits = 0;
            for v in y - CENSUS[1]..=y + CENSUS[1] {
                let row = v.clamp(0, height - 1) * width;
                for u in x - CENSUS[0]..=x + CENSUS[0] {
                    if (u, v) != (x, y) {
                        let other = grey[(row + u.clamp(0, width - 1)) as usize];
                        bits = (bits << 1) | u64::from(other < own);
                    }
                }
            }
            all.push(bits);
        }
    }
    all
}

/// Sums values over the block around every pixel, with the nearest row and column outside of the image.
fn block_sums(values: &[u16], width: usize) -> Vec<u16> {
    let along = |line: &[u16], sums: &mut [u16]| {
        let last = line.len() - 1;
        let at = |k: usize| line[k.saturating_sub(BLOCK).min(last)];
        let mut sum: u16 = (0..2 * BLOCK).map(at).sum();
        for (k, out) in sums.iter_mut().enumerate() {
            sum += at(k + 2 * BLOCK);
            *out = sum;
            sum -= at(k);
        }
    };
    let height = values.len() / width;
    let mut rows = vec![0; values.len()];
    for (line, sums) in values.chunks_exact(width).zip(rows.chunks_exact_mut(width)) {
        along(line, sums);
    }
    let mut all = vec![0; values.len()];
    let row = |y: usize| {
        let start = y.saturating_sub(BLOCK).min(height - 1) * width;
        start..start + width
    };
    let mut sums = vec![0_u16; width];
    for y in 0..2 * BLOCK {
        sums.iter_mut()
            .zip(&rows[row(y)])
            .for_each(|(s, v)| *s += v);
    }
    for (y, out) in all.chunks_exact_mut(width).enumerate() {
        let (new, old) = (&rows[row(y + 2 * BLOCK)], &rows[row(y)]);
        for (x, out) in out.iter_mut().enumerate() {
            sums[x] += new[x];
            *out = sums[x];
            sums[x] -= old[x];
        }
    }
    all
}

/// Returns the standard deviations of the grey values of the blocks.
fn deviations(image: &GrayImage) -> Vec<f64> {
    let width = image.width() as usize;
    let count = ((2 * BLOCK + 1) * (2 * BLOCK + 1)) as f64;
    let grey: Vec<u16> = image.as_raw().iter().map(|v| u16::from(*v)).collect();
    let means = block_sums(&grey, width);
    // squares of the differences to the mean, at most 255: larger ones have texture anyhow
    let squares: Vec<u16> = grey
        .iter()
        .zip(&means)
        .map(|(v, sum)| {
            let d = f64::from(*v) - f64::from(*sum) / count;
            (d * d).min(255.0).round() as u16
        })
        .collect();
    let sums = block_sums(&squares, width);
    sums.iter()
        .map(|sum| (f64::from(*sum) / count).sqrt())
        .collect()
}

/// Removes the regions of neighbours with about the same disparity that are too small.
fn remove_small_regions(disparities: &mut [f32], width: usize) {
    let count = disparities.len();
    let mut is_seen = vec![false; count];
    let mut region = Vec::new();
    for start in 0..count {
        if is_seen[start] || disparities[start].is_nan() {
            continue;
        }
        region.clear();
        region.push(start);
        is_seen[start] = true;
        let mut next = 0;
        while let Some(&k) = region.get(next) {
            next += 1;
            let column = k % width;
            let neighbours = [
                (column > 0).then(|| k - 1),
                (column + 1 < width).then(|| k + 1),
                k.checked_sub(width),
                Some(k + width).filter(|k| *k < count),
            ];
            for j in neighbours.into_iter().flatten() {
                // false for NaN, too
                let is_near = (disparities[j] - disparities[k]).abs() <= REGION_STEP;
                if is_near && !is_seen[j] {
                    is_seen[j] = true;
                    region.push(j);
                }
            }
        }
        if region.len() < REGION_PX {
            region.iter().for_each(|k| disparities[*k] = f32::NAN);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::rng::Stream;

    const SIZE: [u32; 2] = [120, 80];

    /// Smooth texture with values of 0 to 255 at a place [px].
    fn texture(x: f64, y: f64) -> f64 {
        let wave = |a: f64, b: f64, c: f64| libm::sin(a * x + b * y + c);
        let sum = wave(0.9, 0.3, 0.0) + wave(-0.5, 0.8, 1.0) + wave(0.23, 0.61, 2.0);
        127.5 + 30.0 * (sum + wave(1.3, -0.77, 0.5))
    }

    /// Image of `grey` at columns and rows, with noise of a standard deviation.
    fn image(seed: u64, noise: f64, grey: impl Fn(f64, f64) -> f64) -> GrayImage {
        let mut draws = Stream::new(seed, "noise").draw(0);
        GrayImage::from_fn(SIZE[0], SIZE[1], |x, y| {
            let sum: f64 = (0..12).map(|_| draws.uniform()).sum();
            let value = grey(f64::from(x), f64::from(y)) + noise * (sum - 6.0);
            image::Luma([value.round().clamp(0.0, 255.0) as u8])
        })
    }

    // A square with 14.3 px before a plane with 6.6 px: both are measured to a part of a pixel.
    #[test]
    fn planes_have_their_disparities() {
        let is_square = |x: f64, y: f64| (40.0..80.0).contains(&x) && (20.0..60.0).contains(&y);
        let left = image(1, 1.0, |x, y| match is_square(x, y) {
            true => texture(x + 300.0, y),
            false => texture(x, y),
        });
        let right = image(2, 1.0, |x, y| match is_square(x + 14.3, y) {
            true => texture(x + 300.0 + 14.3, y),
            false => texture(x + 6.6, y),
        });
        let found = disparities(&left, &right, 30);
        let errors = |columns: std::ops::Range<usize>, truth: f64| -> Vec<f64> {
            let all = (26..54).flat_map(|y| columns.clone().map(move |x| y * 120 + x));
            let known = all.map(|k| f64::from(found[k])).filter(|d| !d.is_nan());
            known.map(|d| (d - truth).abs()).collect()
        };
        for (columns, truth) in [(47..73, 14.3), (88..112, 6.6)] {
            let all = 28 * columns.len();
            let mut errors = errors(columns, truth);
            assert!(
                errors.len() * 10 > all * 9,
                "{truth}: {} of {all}",
                errors.len()
            );
            errors.sort_by(f64::total_cmp);
            assert!(errors[errors.len() / 2] < 0.15, "{truth}: {errors:?}");
            assert!(errors[errors.len() * 98 / 100] < 0.6, "{truth}: {errors:?}");
        }
    }

    // Sky, calm water, a fence: nothing is invented.
    #[test]
    fn no_texture_noise_and_repeated_texture_have_no_disparity() {
        let count = |left: &GrayImage, right: &GrayImage| {
            let found = disparities(left, right, 30);
            found.iter().filter(|d| !d.is_nan()).count()
        };
        let plain = |seed: u64, noise: f64| image(seed, noise, |_, _| 120.0);
        assert_eq!(count(&plain(1, 0.0), &plain(2, 0.0)), 0);
        assert_eq!(count(&plain(1, 1.0), &plain(2, 1.0)), 0);
        assert!(count(&plain(1, 8.0), &plain(2, 8.0)) < 20, "noise only");
        let fence = |shift: f64| {
            image(3, 1.0, move |x, _| {
                120.0 + 60.0 * libm::sin(std::f64::consts::TAU * (x + shift) / 8.0)
            })
        };
        assert_eq!(count(&fence(0.0), &fence(4.0)), 0);
    }

    #[test]
    fn sums_are_those_of_the_blocks() {
        let values: Vec<u16> = (0..30 * 20).map(|k| (k * 7919 % 62) as u16).collect();
        let sums = block_sums(&values, 30);
        for (x, y) in [(0_i64, 0_i64), (29, 19), (13, 7), (2, 18)] {
            let mut sum = 0;
            for v in y - 5..=y + 5 {
                for u in x - 5..=x + 5 {
                    sum += values[(v.clamp(0, 19) * 30 + u.clamp(0, 29)) as usize];
                }
            }
            assert_eq!(sums[(y * 30 + x) as usize], sum, "{x} {y}");
        }
    }
}
