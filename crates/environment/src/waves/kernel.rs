//! Vectorised sums over wave components.
//!
//! The same sum has two loop orders. For many points the outer loop runs over the components and
//! the inner loop over the points. For one point the components are added in [`LANES`] partial
//! sums. Both use only separate multiplications and additions, and integer operations on bits,
//! written over [`Packed`]. The results are therefore bit-identical with and without registers of
//! four numbers.

use crate::waves::SeaAtInstant;
use merrow_math::real::{MAX_LANES, Packed, Real};
use merrow_model::scene::sea::waves::{Components, LANES};

/// Adding and subtracting 1.5 * 2^52 rounds to the nearest integer, which remains in the lowest
/// bits.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// Returns the angle minus the nearest multiple of pi, |r| <= pi/2, and that multiple in the lowest
/// bits.
#[inline(always)]
fn reduce_half_turns<T: Packed>(x: T) -> (T, T) {
    let shifted = x * std::f64::consts::FRAC_1_PI + T::splat(ROUND);
    let n = shifted - T::splat(ROUND);
    // pi as one constant: the loss is no greater than the rounding of the angle itself
    (x - n * std::f64::consts::PI, shifted)
}

// cos r and sin r / r on [-pi/2, pi/2] in z = r², interpolated at Chebyshev nodes with 50 digits;
// errors 7.6e-13 and 5.1e-14
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

// cos πr on [-1/2, 1/2] in z = r², interpolated in the same way; error 2.3e-10
const COS_OF_HALF_TURNS: [f64; 6] = [
    0.999_999_999_779_154,
    -4.934_802_136_928_946,
    4.058_709_154_763_154,
    -1.335_211_949_390_550_3,
    0.234_937_068_595_086_5,
    -0.024_395_932_097_550_444,
];

/// Evaluates even and odd powers in separate chains, which halves the latency of a single chain.
#[inline(always)]
fn polynomial<T: Real, const N: usize>(c: &[f64; N], z: T) -> T {
    let square = z * z;
    let (mut last, mut other) = (T::splat(c[N - 1]), T::splat(c[N - 2]));
    for k in (0..N - 2).rev() {
        (last, other) = (other, last * square + T::splat(c[k]));
    }
    // the chain `other` ends in c[0], the chain `last` in c[1]
    other + last * z
}

/// Returns the cosine of an angle [rad] below 1e9; the error is below 1e-12 plus 3e-16 of the
/// angle.
#[inline(always)]
pub fn cos<T: Packed>(x: T) -> T {
    let (r, turns) = reduce_half_turns(x);
    polynomial(&COS, r * r).negate_if_odd(turns)
}

/// Returns the cosine and sine of an angle [rad], with the accuracy of [`cos`].
#[inline(always)]
pub(crate) fn cos_sin<T: Packed>(x: T) -> (T, T) {
    let (r, turns) = reduce_half_turns(x);
    let z = r * r;
    let (c, s) = (polynomial(&COS, z), r * polynomial(&SIN, z));
    (c.negate_if_odd(turns), s.negate_if_odd(turns))
}

/// Returns exp(x) for x <= 0 with a relative error below 4e-16; not below exp(-700).
#[inline(always)]
pub(crate) fn exp_nonpositive<T: Packed>(x: T) -> T {
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
    let x = x.lane_max(-700.0);
    let shifted = x * std::f64::consts::LOG2_E + T::splat(ROUND);
    let n = shifted - T::splat(ROUND);
    let r = (x - n * HI) - n * LO;
    polynomial(&C, r) * T::power_of_two(shifted)
}

/// Reduces an angle [rad] by whole turns to the range -pi to pi.
#[inline(always)]
pub(crate) fn reduce_angle(x: f64) -> f64 {
    // 2 pi in three parts; the first two have 33 significant bits
    const HI: f64 = f64::from_bits(0x4019_21FB_5440_0000);
    const MID: f64 = f64::from_bits(0x3DF0_B461_1A60_0000);
    const LO: f64 = f64::from_bits(0x3BC3_198A_2E03_7073);
    let n = (x * (0.5 * std::f64::consts::FRAC_1_PI) + ROUND) - ROUND;
    ((x - n * HI) - n * MID) - n * LO
}

/// Adds `weight` times the elevation [m] of the components with the phases `phase` [rad] at the
/// points (x, y) [m] to `out`.
///
/// `x`, `y` and `out` have the same length.
#[inline(always)]
pub(super) fn add_elevations<T: Packed>(sea: &SeaAtInstant, x: &[f64], y: &[f64], out: &mut [f64]) {
    let (c, phase, weight) = sea.parts();
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<MAX_LANES>(), y.as_chunks::<MAX_LANES>());
    let (out, out_rest) = out.as_chunks_mut::<MAX_LANES>();
    for (i, phase) in phase.iter().enumerate().take(c.a.len()) {
        let size = c.a[i] * weight;
        if size == 0.0 {
            continue;
        }
        let wave = [*phase, c.kx[i], c.ky[i]].map(|angle| angle * std::f64::consts::FRAC_1_PI);
        let cosine = COS_OF_HALF_TURNS.map(|c| c * size);
        for ((x, y), out) in x.iter().zip(y).zip(out.iter_mut()) {
            add_elevation::<T>(&cosine, wave, x, y, out);
        }
        for k in 0..out_rest.len() {
            add_elevation::<f64>(
                &cosine,
                wave,
                &x_rest[k..],
                &y_rest[k..],
                &mut out_rest[k..],
            );
        }
    }
}

/// Adds the elevation of one wave at the first points.
///
/// Angles are in half turns, from which the nearest integer is subtracted without rounding.
/// `cosine` includes the amplitude.
#[inline(always)]
fn add_elevation<T: Packed>(
    cosine: &[f64; 6],
    [phase, kx, ky]: [f64; 3],
    x: &[f64],
    y: &[f64],
    out: &mut [f64],
) {
    let angle = T::splat(phase) + T::read(x) * kx + T::read(y) * ky;
    let shifted = angle + T::splat(ROUND);
    let r = angle - (shifted - T::splat(ROUND));
    (T::read(out) + polynomial(cosine, r * r).negate_if_odd(shifted)).write(out);
}

/// Number of lattice columns that are summed at once.
const COLUMNS_PER_PASS: usize = 64;
/// Number of components that are summed at once.
const COMPONENTS_PER_PASS: usize = 4;

/// Adds `weight` times the elevation [m] of the components with wave numbers up to
/// `max_wave_number` [rad/m] at the points of a lattice to `out`.
///
/// `x` and `y` are the positions of the columns and rows [m]; `out` is row-major. The number of
/// columns is a multiple of the lane count. Cosines of sums are computed from the cosines and sines
/// of the terms.
#[inline(always)]
pub(super) fn add_lattice_elevations<T: Packed>(
    sea: &SeaAtInstant,
    max_wave_number: f64,
    [x, y]: [&[f64]; 2],
    out: &mut [f64],
) {
    let (c, phase, weight) = sea.parts();
    let mut indices = [0; COMPONENTS_PER_PASS];
    let mut n = 0;
    for i in 0..c.a.len().min(phase.len()) {
        if c.a[i] != 0.0 && c.k[i] <= max_wave_number {
            indices[n] = i;
            n += 1;
        }
        if n == COMPONENTS_PER_PASS {
            add_lattice_components::<T, COMPONENTS_PER_PASS>(
                c,
                phase,
                weight,
                indices,
                [x, y],
                out,
            );
            n = 0;
        }
    }
    for i in &indices[..n] {
        add_lattice_components::<T, 1>(c, phase, weight, [*i], [x, y], out);
    }
}

/// Adds `N` components to the lattice.
#[inline(always)]
fn add_lattice_components<T: Packed, const N: usize>(
    c: &Components,
    phase: &[f64],
    weight: f64,
    indices: [usize; N],
    [x, y]: [&[f64]; 2],
    out: &mut [f64],
) {
    let width = x.len();
    let mut east = [[[0.0; COLUMNS_PER_PASS]; 2]; N];
    for first in (0..width).step_by(COLUMNS_PER_PASS) {
        let columns = COLUMNS_PER_PASS.min(width - first);
        for (east, i) in east.iter_mut().zip(indices) {
            for k in (0..columns).step_by(T::LANES) {
                let (cosine, sine) =
                    cos_sin(T::splat(phase[i]) + T::read(&x[first + k..]) * c.kx[i]);
                cosine.write(&mut east[0][k..]);
                sine.write(&mut east[1][k..]);
            }
        }
        for (row, y) in out.chunks_exact_mut(width).zip(y) {
            let mut north = [[0.0; 2]; N];
            for (north, i) in north.iter_mut().zip(indices) {
                let (cosine, sine) = cos_sin(c.ky[i] * y);
                *north = [c.a[i] * weight * cosine, c.a[i] * weight * sine];
            }
            let row = &mut row[first..first + columns];
            for k in (0..columns).step_by(T::LANES) {
                let mut sum = T::read(&row[k..]);
                for (east, north) in east.iter().zip(&north) {
                    sum += T::read(&east[0][k..]) * north[0] - T::read(&east[1][k..]) * north[1];
                }
                sum.write(&mut row[k..]);
            }
        }
    }
}

/// Adds `weight` times the pressure head [m] of the components with the phases `phase` [rad] to
/// `out`.
///
/// The points are (x, y) [m] at the stretched heights z [m]; all slices have the same length.
#[inline(always)]
pub(super) fn add_pressure_heads<T: Packed>(
    sea: &SeaAtInstant,
    [x, y, z]: [&[f64]; 3],
    out: &mut [f64],
) {
    let (c, phase, weight) = sea.parts();
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<MAX_LANES>(), y.as_chunks::<MAX_LANES>());
    let ((z, z_rest), (out, out_rest)) =
        (z.as_chunks::<MAX_LANES>(), out.as_chunks_mut::<MAX_LANES>());
    for (i, phase) in phase.iter().enumerate().take(c.a.len()) {
        let (size, wave) = (
            [c.head[i] * weight, c.k[i], c.q[i]],
            [*phase, c.kx[i], c.ky[i]],
        );
        if size[0] == 0.0 {
            continue;
        }
        for (((x, y), z), out) in x.iter().zip(y).zip(z).zip(out.iter_mut()) {
            add_pressure_head::<T>(size, wave, [x, y, z], out);
        }
        for k in 0..out_rest.len() {
            add_pressure_head::<f64>(
                size,
                wave,
                [&x_rest[k..], &y_rest[k..], &z_rest[k..]],
                &mut out_rest[k..],
            );
        }
    }
}

/// Adds the pressure head of one wave at the first points.
#[inline(always)]
fn add_pressure_head<T: Packed>(
    [head, k, q]: [f64; 3],
    [phase, kx, ky]: [f64; 3],
    [x, y, z]: [&[f64]; 3],
    out: &mut [f64],
) {
    let decay = exp_nonpositive(T::read(z) * k);
    let angle = T::splat(phase) + T::read(x) * kx + T::read(y) * ky;
    let size = (decay + T::splat(q) / decay) * head;
    (T::read(out) + size * cos(angle)).write(out);
}

/// Returns the elevation [m] at (x, y) [m] and its slopes along x and y. `T` holds a part of the
/// [`LANES`] lanes.
#[inline(always)]
pub(crate) fn surface_elevation_and_slope<T: Packed, const KEEP: bool>(
    c: &Components,
    phase: &[f64],
    x: f64,
    y: f64,
    phasors: &mut [Phasors],
) -> [f64; 3] {
    let mut sums = [[T::zero(); 3]; GROUPS];
    for i in 0..c.a.len() / LANES {
        let (phases, a, kx, ky) = (
            lane_group(phase, i),
            lane_group(&c.a, i),
            lane_group(&c.kx, i),
            lane_group(&c.ky, i),
        );
        for (g, [height, east, north]) in sums.iter_mut().enumerate().take(LANES / T::LANES) {
            let (a, kx, ky): (T, T, T) = (group_part(a, g), group_part(kx, g), group_part(ky, g));
            let (cosine, sine) = cos_sin(group_part::<T>(phases, g) + kx * x + ky * y);
            if KEEP {
                cosine.write(&mut phasors[i].cosine[g * T::LANES..]);
                sine.write(&mut phasors[i].sine[g * T::LANES..]);
            }
            let slope = a * sine;
            *height += a * cosine;
            *east -= slope * kx;
            *north -= slope * ky;
        }
    }
    sum_lanes(&sums)
}

/// Cosines and sines of the phases of [`LANES`] components at a point.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Phasors {
    cosine: [f64; LANES],
    sine: [f64; LANES],
}

/// Number of results of [`orbital_motion`].
pub(crate) const ORBITAL_RESULTS: usize = 15;

/// Returns the wave motion at (x, y) and stretched height `z` [m], W; `z` is 0 at the surface.
///
/// The results are velocity (x, y, z) [m/s], local acceleration (x, y, z) [m/s²], pressure head
/// [m], surface rate [m/s], -∂u/∂x, -∂u/∂y, -∂v/∂y, ∂w/∂x and ∂w/∂y [1/s], and the drift (x, y)
/// [m/s] without its factor 1 + z/h. The drift is proportional to the square of the amplitudes.
/// `depth` is the water depth [m]. With `KEPT`, `phasors` are the phasors at (x, y).
#[inline(always)]
pub(super) fn orbital_motion<T: Packed, const KEPT: bool>(
    sea: &SeaAtInstant,
    [x, y, z]: [f64; 3],
    depth: f64,
    phasors: &[Phasors],
) -> [f64; ORBITAL_RESULTS] {
    let (c, phase) = (&sea.field.components, &sea.phase);
    let mut sums = [[T::zero(); ORBITAL_RESULTS]; GROUPS];
    // omit contributions below rounding: short waves at depth
    let count =
        c.k.partition_point(|k| k * z > -40.0)
            .next_multiple_of(LANES)
            .min(c.k.len());
    // the wave reflected by the seabed is exp(-2 k (h + z)) of the other, below rounding here
    let reflecting =
        c.k.partition_point(|k| k * (depth + z) < 19.0)
            .next_multiple_of(LANES)
            .min(count);
    let (with, without) = (0..reflecting / LANES, reflecting / LANES..count / LANES);
    let place = [x, y, z];
    add_orbital_motion::<T, true, KEPT>(c, phase, place, phasors, with, &mut sums);
    add_orbital_motion::<T, false, KEPT>(c, phase, place, phasors, without, &mut sums);
    sum_lanes(&sums)
}

/// Adds the motion of the components in `groups` of [`LANES`] to `sums`. Without `REFLECTS`, the
/// seabed has no effect on them.
#[inline(always)]
fn add_orbital_motion<T: Packed, const REFLECTS: bool, const KEPT: bool>(
    c: &Components,
    phase: &[f64],
    [x, y, z]: [f64; 3],
    phasors: &[Phasors],
    groups: std::ops::Range<usize>,
    sums: &mut [[T; ORBITAL_RESULTS]; GROUPS],
) {
    for i in groups {
        let (phases, k, kx, ky) = (
            lane_group(phase, i),
            lane_group(&c.k, i),
            lane_group(&c.kx, i),
            lane_group(&c.ky, i),
        );
        let (speeds, omegas, q) = (
            lane_group(&c.speed, i),
            lane_group(&c.omega, i),
            lane_group(&c.q, i),
        );
        let (dx, dy, heads) = (
            lane_group(&c.dx, i),
            lane_group(&c.dy, i),
            lane_group(&c.head, i),
        );
        let a = lane_group(&c.a, i);
        for (g, sums) in sums.iter_mut().enumerate().take(LANES / T::LANES) {
            let (kx, ky): (T, T) = (group_part(kx, g), group_part(ky, g));
            let (cosine, sine) = if KEPT {
                let Phasors { cosine, sine } = &phasors[i];
                (group_part(cosine, g), group_part(sine, g))
            } else {
                cos_sin(group_part::<T>(phases, g) + kx * x + ky * y)
            };
            let decay = exp_nonpositive(group_part::<T>(k, g) * z);
            let (speed, omega): (T, T) = (group_part(speeds, g), group_part(omegas, g));
            let (dx, dy, a): (T, T, T) = (group_part(dx, g), group_part(dy, g), group_part(a, g));
            let (even, odd) = if REFLECTS {
                let reflected = group_part::<T>(q, g) / decay;
                (decay + reflected, decay - reflected)
            } else {
                (decay, decay)
            };
            let (horizontal, vertical) = (speed * even, speed * odd);
            let (horizontal_cosine, horizontal_sine) = (horizontal * cosine, horizontal * sine);
            let vertical_cosine = vertical * cosine;
            let (rate, slope) = (horizontal_sine * omega, horizontal_sine * kx);
            let drift = vertical * a * 0.5;
            sums[0] += horizontal_cosine * dx;
            sums[1] += horizontal_cosine * dy;
            sums[2] += vertical * sine;
            sums[3] += rate * dx;
            sums[4] += rate * dy;
            sums[5] -= vertical_cosine * omega;
            sums[6] += group_part::<T>(heads, g) * even * cosine;
            sums[7] += a * omega * sine;
            sums[8] += slope * dx;
            sums[9] += slope * dy;
            sums[10] += horizontal_sine * ky * dy;
            sums[11] += vertical_cosine * kx;
            sums[12] += vertical_cosine * ky;
            sums[13] += drift * kx;
            sums[14] += drift * ky;
        }
    }
}

/// Returns the `i`-th group of components.
#[inline(always)]
fn lane_group(values: &[f64], i: usize) -> &[f64; LANES] {
    &values.as_chunks().0[i]
}

/// Returns the `g`-th part of a group. Not a closure in the callers: a closure would be compiled
/// without their target features.
#[inline(always)]
fn group_part<T: Packed>(values: &[f64; LANES], g: usize) -> T {
    T::read(&values[g * T::LANES..])
}

/// Number of lane groups that `T` may need for all [`LANES`] lanes.
const GROUPS: usize = LANES / MAX_LANES;

/// Sums over the lanes, pairwise.
#[inline(always)]
fn sum_lanes<T: Real, const N: usize>(sums: &[[T; N]; GROUPS]) -> [f64; N] {
    let mut all = [0.0; N];
    for (k, all) in all.iter_mut().enumerate() {
        let s = |i: usize| sums[i / T::LANES][k].lane(i % T::LANES);
        *all = ((s(0) + s(1)) + (s(2) + s(3))) + ((s(4) + s(5)) + (s(6) + s(7)));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::waves::realise::tide_field;
    use merrow_math::real::Lanes;
    use merrow_model::scene::sea::waves::WaveField;
    use std::sync::Arc;

    #[test]
    fn sine_and_cosine_error_is_within_bound() {
        let mut worst = 0.0_f64;
        for i in -300_000..300_000 {
            let x = f64::from(i) * 0.003_917;
            let (c, s) = cos_sin(x);
            worst = worst
                .max((c - libm::cos(x)).abs())
                .max((s - libm::sin(x)).abs());
            assert_eq!(c.to_bits(), cos(x).to_bits());
        }
        assert!(worst < 1e-12, "{worst:e}");
        for x in [1e5, 1.7e6, -2.9e6] {
            assert!(
                (cos(x) - libm::cos(x)).abs() < 1e-12 + 3e-16 * x.abs(),
                "{x}"
            );
        }
    }

    #[test]
    fn wave_elevation_is_cosine() {
        let (x, y): (Vec<f64>, Vec<f64>) = (-2000..2000)
            .map(|i| (f64::from(i) * 0.37, f64::from(i % 91)))
            .unzip();
        let components = Components {
            a: vec![2.0],
            kx: vec![0.3],
            ky: vec![-0.7],
            ..Components::default()
        };
        let sea = SeaAtInstant {
            field: Arc::new(WaveField {
                components,
                n: 1,
                ..tide_field(0.0, &[], f64::INFINITY)
            }),
            weight: 0.5,
            phase: vec![1.1],
            is_tide: false,
        };
        let mut out = vec![0.0; x.len()];
        add_elevations::<Lanes>(&sea, &x, &y, &mut out);
        for ((x, y), out) in x.iter().zip(&y).zip(&out) {
            assert!(
                (out - libm::cos(1.1 + 0.3 * x - 0.7 * y)).abs() < 2.4e-10,
                "{x} {y}"
            );
        }
    }

    #[test]
    fn exp_nonpositive_matches_exponential() {
        for i in 0..70_000 {
            let x = f64::from(-i) * 0.01;
            assert!(
                (exp_nonpositive(x) / libm::exp(x) - 1.0).abs() < 4e-16,
                "{x}"
            );
        }
        assert_eq!(exp_nonpositive(-1e9), exp_nonpositive(-700.0));
    }

    #[test]
    fn reduced_angles_are_equivalent() {
        for i in 0..20_000 {
            let x = f64::from(i) * -17.371;
            let r = reduce_angle(x);
            assert!(
                r.abs() <= std::f64::consts::PI + 1e-9
                    && (libm::cos(r) - libm::cos(x)).abs() < 1e-13
            );
        }
    }
}
