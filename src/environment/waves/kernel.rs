//! Sums over wave components, in the forms that processors do fastest.
//!
//! Two shapes of the same sum. For many points a loop over the components runs outside and one over the points inside; for
//! one point the components stand side by side in [`LANES`] partial sums. Either way the loops hold nothing but
//! separate multiplies and adds and whole-number operations on bits, so that the compiler turns them into vector
//! instructions and the bits are the same with and without those.

use crate::scene::waves::{Components, LANES};

/// Components whose sines are found together: their results stay in the first cache.
const BLOCK: usize = 64;
/// Adding and taking away 1.5 * 2^52 rounds to the nearest integer, which is left in the lowest bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// Angle to the nearest multiple of pi, |r| <= pi/2, and the sign bit that an odd multiple brings.
#[inline(always)]
fn half_turns(x: f64) -> (f64, u64) {
    let shifted = x * std::f64::consts::FRAC_1_PI + ROUND;
    let n = shifted - ROUND;
    // pi in one part: what that loses is no more than the rounding of the angle itself
    (x - n * std::f64::consts::PI, shifted.to_bits() << 63)
}

// cos r and sin r / r on [-pi/2, pi/2] in z = r², interpolated at Chebyshev's nodes in 50 digits; errors 7.6e-13 and 5.1e-14
const COS: [f64; 7] = [
    0.999_999_999_999_247_5,
    -0.499_999_999_970_109_7,
    0.041_666_666_472_755_555,
    -0.001_388_888_416_891_772_4,
    2.480_103_976_555_343_5e-5,
    -2.752_466_398_948_386e-7,
    1.990_741_128_534_039_5e-9,
];
const SIN: [f64; 7] = [
    0.999_999_999_999_949_6,
    -0.166_666_666_664_665_5,
    0.008_333_333_320_351_9,
    -0.000_198_412_666_818_767_87,
    2.755_695_280_400_059e-6,
    -2.503_026_387_632_415e-8,
    1.541_115_620_698_822e-10,
];

#[inline(always)]
fn polynomial<const N: usize>(c: &[f64; N], z: f64) -> f64 {
    let mut sum = c[N - 1];
    for k in (0..N - 1).rev() {
        sum = sum * z + c[k];
    }
    sum
}

/// Cosine of an angle [rad] under 1e9; error under 1e-12, and 3e-16 of the angle.
#[inline(always)]
pub fn cos(x: f64) -> f64 {
    let (r, sign) = half_turns(x);
    f64::from_bits(polynomial(&COS, r * r).to_bits() ^ sign)
}

/// Cosine and sine, as [`cos`].
#[inline(always)]
pub fn cos_sin(x: f64) -> (f64, f64) {
    let (r, sign) = half_turns(x);
    let z = r * r;
    let (c, s) = (polynomial(&COS, z), r * polynomial(&SIN, z));
    (f64::from_bits(c.to_bits() ^ sign), f64::from_bits(s.to_bits() ^ sign))
}

/// exp(x) for x <= 0; relative error under 4e-16, and not under exp(-700).
#[inline(always)]
pub fn decay(x: f64) -> f64 {
    // ln 2 = HI + LO, HI with 32 significant bits
    const HI: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
    const LO: f64 = f64::from_bits(0x3DEA_39EF_3579_3C76);
    // 1/n!
    const C: [f64; 14] = [
        1.0,
        1.0,
        1.0 / 2.0,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5_040.0,
        1.0 / 40_320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
        1.0 / 6_227_020_800.0,
    ];
    let x = if x < -700.0 { -700.0 } else { x };
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * HI) - n * LO;
    let power = f64::from_bits((1023_u64 << 52).wrapping_add(shifted.to_bits() << 52));
    polynomial(&C, r) * power
}

/// The angle [rad] less whole turns, between -pi and pi.
#[inline(always)]
pub fn reduce(x: f64) -> f64 {
    // 2 pi in three parts; the first two have 33 significant bits
    const HI: f64 = f64::from_bits(0x4019_21FB_5440_0000);
    const MID: f64 = f64::from_bits(0x3DF0_B461_1A60_0000);
    const LO: f64 = f64::from_bits(0x3BC3_198A_2E03_7073);
    let n = (x * (0.5 * std::f64::consts::FRAC_1_PI) + ROUND) - ROUND;
    ((x - n * HI) - n * MID) - n * LO
}

/// Adds the elevation [m] of components with these phases at the points (x, y) [m], `weight` times.
#[inline(always)]
pub fn elevations(c: &Components, phase: &[f64], weight: f64, x: &[f64], y: &[f64], out: &mut [f64]) {
    for (((a, phase), kx), ky) in c.a.iter().zip(phase).zip(&c.kx).zip(&c.ky) {
        let a = a * weight;
        if a == 0.0 {
            continue;
        }
        for ((x, y), out) in x.iter().zip(y).zip(out.iter_mut()) {
            *out += a * cos(phase + kx * x + ky * y);
        }
    }
}

/// Adds the pressure head [m] of components with these phases at the points (x, y) [m] and stretched heights z [m],
/// `weight` times.
#[inline(always)]
pub fn heads(c: &Components, phase: &[f64], weight: f64, [x, y, z]: [&[f64]; 3], out: &mut [f64]) {
    for (i, phase) in phase.iter().enumerate().take(c.a.len()) {
        let (k, kx, ky, q, head) = (c.k[i], c.kx[i], c.ky[i], c.q[i], c.head[i] * weight);
        if head == 0.0 {
            continue;
        }
        for (((x, y), z), out) in x.iter().zip(y).zip(z).zip(out.iter_mut()) {
            let sinking = decay(k * z);
            *out += head * (sinking + q / sinking) * cos(phase + kx * x + ky * y);
        }
    }
}

/// Elevation [m] at (x, y) and its slope towards x and y.
#[inline(always)]
pub fn surface(c: &Components, phase: &[f64], x: f64, y: f64) -> [f64; 3] {
    let mut sums = [[0.0; LANES]; 3];
    for from in (0..c.a.len()).step_by(BLOCK) {
        let to = c.a.len().min(from + BLOCK);
        let (kx, ky) = (&c.kx[from..to], &c.ky[from..to]);
        let (mut cosine, mut sine) = ([0.0; BLOCK], [0.0; BLOCK]);
        let angles = phase[from..to].iter().zip(kx).zip(ky);
        for ((cosine, sine), ((phase, kx), ky)) in cosine.iter_mut().zip(&mut sine).zip(angles) {
            (*cosine, *sine) = cos_sin(phase + kx * x + ky * y);
        }
        for k in 0..(to - from) / LANES {
            let a = lanes(&c.a, from / LANES + k);
            let (cosine, sine) = (lanes(&cosine, k), lanes(&sine, k));
            let (kx, ky) = (lanes(kx, k), lanes(ky, k));
            for j in 0..LANES {
                let steep = a[j] * sine[j];
                sums[0][j] += a[j] * cosine[j];
                sums[1][j] -= steep * kx[j];
                sums[2][j] -= steep * ky[j];
            }
        }
    }
    sums.map(total)
}

/// Velocity (x, y, z) [m/s], acceleration (x, y, z) [m/s²] and pressure head [m] at (x, y) and stretched height `z` [m],
/// 0 at the surface.
#[inline(always)]
pub fn orbital(c: &Components, phase: &[f64], x: f64, y: f64, z: f64) -> [f64; 7] {
    let mut sums = [[0.0; LANES]; 7];
    // what is as small as rounding is left out: short waves in the deep
    let felt = c.k.partition_point(|k| k * z > -40.0).next_multiple_of(LANES).min(c.k.len());
    for from in (0..felt).step_by(BLOCK) {
        let to = felt.min(from + BLOCK);
        let (mut cosine, mut sine, mut sinking) = ([0.0; BLOCK], [0.0; BLOCK], [0.0; BLOCK]);
        let angles = phase[from..to].iter().zip(&c.kx[from..to]).zip(&c.ky[from..to]);
        for ((cosine, sine), ((phase, kx), ky)) in cosine.iter_mut().zip(&mut sine).zip(angles) {
            (*cosine, *sine) = cos_sin(phase + kx * x + ky * y);
        }
        for (sinking, k) in sinking.iter_mut().zip(&c.k[from..to]) {
            *sinking = decay(k * z);
        }
        for k in 0..(to - from) / LANES {
            let at = from / LANES + k;
            let (cosine, sine, sinking) = (lanes(&cosine, k), lanes(&sine, k), lanes(&sinking, k));
            let (q, speed, head) = (lanes(&c.q, at), lanes(&c.speed, at), lanes(&c.head, at));
            let (dx, dy, omega) = (lanes(&c.dx, at), lanes(&c.dy, at), lanes(&c.omega, at));
            for j in 0..LANES {
                // the wave that the bottom reflects
                let rising = q[j] / sinking[j];
                let (even, odd) = (sinking[j] + rising, sinking[j] - rising);
                let level = speed[j] * even * cosine[j];
                let upright = speed[j] * odd * sine[j];
                let level_rate = speed[j] * even * sine[j] * omega[j];
                sums[0][j] += level * dx[j];
                sums[1][j] += level * dy[j];
                sums[2][j] += upright;
                sums[3][j] += level_rate * dx[j];
                sums[4][j] += level_rate * dy[j];
                sums[5][j] -= speed[j] * odd * cosine[j] * omega[j];
                sums[6][j] += head[j] * even * cosine[j];
            }
        }
    }
    sums.map(total)
}

/// The `k`-th group of lanes.
#[inline(always)]
fn lanes(values: &[f64], k: usize) -> [f64; LANES] {
    values.as_chunks::<LANES>().0[k]
}

/// Sum over the lanes, in pairs.
#[inline(always)]
fn total(s: [f64; LANES]) -> f64 {
    ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_are_within_their_error() {
        let mut worst = 0.0_f64;
        for i in -300_000..300_000 {
            let x = f64::from(i) * 0.003_917;
            let (c, s) = cos_sin(x);
            worst = worst.max((c - libm::cos(x)).abs()).max((s - libm::sin(x)).abs());
            assert_eq!(c.to_bits(), cos(x).to_bits());
        }
        assert!(worst < 1e-12, "{worst:e}");
        for x in [1e5, 1.7e6, -2.9e6] {
            assert!((cos(x) - libm::cos(x)).abs() < 1e-12 + 3e-16 * x.abs(), "{x}");
        }
    }

    #[test]
    fn decay_is_the_exponential() {
        for i in 0..70_000 {
            let x = f64::from(-i) * 0.01;
            assert!((decay(x) / libm::exp(x) - 1.0).abs() < 4e-16, "{x}");
        }
        assert_eq!(decay(-1e9), decay(-700.0));
    }

    #[test]
    fn reduced_angles_are_the_same_angles() {
        for i in 0..20_000 {
            let x = f64::from(i) * -17.371;
            let r = reduce(x);
            assert!(r.abs() <= std::f64::consts::PI + 1e-9 && (libm::cos(r) - libm::cos(x)).abs() < 1e-13);
        }
    }
}
