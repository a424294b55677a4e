//! Scalar type of the dynamics kernel: one `f64`, or several lanes with one robot each.
//!
//! The kernel is written once over [`Real`]. With `f64` it steps one robot. With [`Lanes`] it steps
//! four robots of the same model together. Every lane has the bits of the single robot, because
//! both variants use the same operations in the same order. Multiply and add are separate (never
//! fused), so that builds for different processors agree. Sine and cosine are the functions below,
//! not from the C library.

use crate::{Mat3, SpatialInertia, inertia_rotation};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// Maximum number of lanes of a scalar type.
pub const MAX_LANES: usize = 4;

/// Scalar of the dynamics kernel. The arithmetic follows IEEE 754 and is never fused.
pub trait Real:
    Copy
    + std::fmt::Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + Mul<f64, Output = Self>
    + Default
{
    /// Number of lanes (robots) in one value.
    const LANES: usize;
    /// Whether values exist only on processors with AVX2, so that code for other processors is not
    /// generated.
    const REQUIRES_AVX2: bool = false;
    /// Returns the same number in every lane.
    fn splat(x: f64) -> Self;
    /// Returns the number in lane `i`.
    fn lane(self, i: usize) -> f64;
    /// Builds a value from one number per lane.
    fn from_lanes(f: impl FnMut(usize) -> f64) -> Self;
    /// Computes the square root.
    fn sqrt(self) -> Self;
    /// Computes the absolute value.
    fn abs(self) -> Self;
    /// Computes sine and cosine of an angle [rad]; |error| < 2e-16 for |x| < 1e5.
    fn sin_cos(self) -> (Self, Self);
    /// Computes sine and cosine of up to four angles [rad], bit-identical to [`Real::sin_cos`].
    #[inline(always)]
    fn sin_cos_all(x: &[Self]) -> [(Self, Self); 4] {
        let mut out = [(Self::zero(), Self::one()); 4];
        for (x, out) in x.iter().zip(&mut out) {
            *out = x.sin_cos();
        }
        out
    }
    /// Rotates an inertia: `R I Rᵀ`. See [`crate::inertia_rotation`].
    #[inline(always)]
    fn rotate_inertia(inertia: &SpatialInertia<Self>, R: &Mat3<Self>) -> SpatialInertia<Self> {
        inertia_rotation::rotate_blocks(inertia, R)
    }
    /// Selects per lane: `self` where `keep(lane)` is true, otherwise `other`.
    fn select_lanes(self, other: Self, keep: impl Fn(usize) -> bool) -> Self {
        Self::from_lanes(|i| if keep(i) { self.lane(i) } else { other.lane(i) })
    }
    /// Returns the product `k * self`, as the vectors and matrices do.
    #[inline(always)]
    fn scale(self, k: Self) -> Self {
        self * k
    }
    /// Returns zero in every lane.
    fn zero() -> Self {
        Self::splat(0.0)
    }
    /// Returns one in every lane.
    fn one() -> Self {
        Self::splat(1.0)
    }
}

/// Operations beyond [`Real`] for sums over long lists: loads and stores, and bit operations on
/// integer-valued numbers.
pub trait Packed: Real {
    /// Loads the first `LANES` numbers of a slice, which must be at least that long.
    fn read(x: &[f64]) -> Self;
    /// Stores the lanes at the start of a slice.
    fn write(self, out: &mut [f64]);
    /// Negates each lane in which the integer in the lowest mantissa bits of `n` is odd.
    fn negate_if_odd(self, n: Self) -> Self;
    /// Computes 2 to the power of the integer in the lowest mantissa bits of `n`, between -1022 and
    /// 1023.
    fn power_of_two(n: Self) -> Self;
    /// Returns the maximum of each lane and `low`.
    fn lane_max(self, low: f64) -> Self;
    /// Returns the minimum of each lane and `high`.
    fn lane_min(self, high: f64) -> Self;
    /// Rounds each lane down to an integer.
    fn floor(self) -> Self;
    /// Returns a bit mask of the lanes that are greater than zero: bit `i` for lane `i`.
    fn positive_mask(self) -> u32;
}

impl Packed for f64 {
    #[inline(always)]
    fn read(x: &[f64]) -> Self {
        x[0]
    }
    #[inline(always)]
    fn write(self, out: &mut [f64]) {
        out[0] = self;
    }
    #[inline(always)]
    fn negate_if_odd(self, n: Self) -> Self {
        f64::from_bits(self.to_bits() ^ n.to_bits() << 63)
    }
    #[inline(always)]
    fn power_of_two(n: Self) -> Self {
        f64::from_bits((1023_u64 << 52).wrapping_add(n.to_bits() << 52))
    }
    #[inline(always)]
    fn lane_max(self, low: f64) -> Self {
        if self < low { low } else { self }
    }
    #[inline(always)]
    fn lane_min(self, high: f64) -> Self {
        if self > high { high } else { self }
    }
    #[inline(always)]
    fn floor(self) -> Self {
        f64::floor(self)
    }
    #[inline(always)]
    fn positive_mask(self) -> u32 {
        u32::from(self > 0.0)
    }
}

/// Lanes in which a condition is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneCondition {
    /// The condition is true in all lanes.
    All,
    /// The condition is true in some lanes but not in all; impossible with one lane.
    Some,
    /// The condition is true in no lane.
    None,
}

impl LaneCondition {
    /// Evaluates `condition(lane)` for all lanes of `T`.
    #[inline(always)]
    pub fn evaluate<T: Real>(condition: impl Fn(usize) -> bool) -> Self {
        if (0..T::LANES).all(&condition) {
            Self::All
        } else if T::LANES > 1 && (0..T::LANES).any(condition) {
            Self::Some
        } else {
            Self::None
        }
    }
}

impl Real for f64 {
    const LANES: usize = 1;
    #[inline(always)]
    fn splat(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn lane(self, _: usize) -> f64 {
        self
    }
    #[inline(always)]
    fn from_lanes(mut f: impl FnMut(usize) -> f64) -> Self {
        f(0)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        sin_cos(self)
    }
    #[inline(always)]
    fn sin_cos_all(x: &[Self]) -> [(Self, Self); 4] {
        let (s, c) = sin_cos_each::<4>(std::array::from_fn(|i| x.get(i).copied().unwrap_or(0.0)));
        std::array::from_fn(|i| (s[i], c[i]))
    }
    #[inline(always)]
    fn rotate_inertia(inertia: &SpatialInertia, R: &Mat3) -> SpatialInertia {
        inertia_rotation::rotate_paired(inertia, R)
    }
}

/// Four lanes with one robot of the same model each, for any processor. [`crate::F64x4`] is the
/// AVX2 version.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lanes(pub [f64; 4]);

// unrolled by hand: the thousands of lane loops in the kernel would add minutes of compile time
macro_rules! lanewise {
    ($op:ident, $f:ident, $sym:tt) => {
        impl $op for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $f(self, o: Self) -> Self {
                let ([a, b, c, d], [e, f, g, h]) = (self.0, o.0);
                Lanes([a $sym e, b $sym f, c $sym g, d $sym h])
            }
        }
    };
}
lanewise!(Add, add, +);
lanewise!(Sub, sub, -);
lanewise!(Mul, mul, *);
lanewise!(Div, div, /);

/// Implements the operators of lanes that follow from the others.
macro_rules! derived_operators {
    ($lanes:ty) => {
        impl std::ops::Mul<f64> for $lanes {
            type Output = Self;
            #[inline(always)]
            fn mul(self, o: f64) -> Self {
                self * Self::splat(o)
            }
        }

        impl std::ops::AddAssign for $lanes {
            #[inline(always)]
            fn add_assign(&mut self, o: Self) {
                *self = *self + o;
            }
        }

        impl std::ops::SubAssign for $lanes {
            #[inline(always)]
            fn sub_assign(&mut self, o: Self) {
                *self = *self - o;
            }
        }
    };
}
pub(crate) use derived_operators;
derived_operators!(Lanes);

/// Applies a function to each lane of one value, or of two.
macro_rules! each_lane {
    ($x:expr, $f:path) => {{
        let [a, b, c, d] = $x.0;
        Lanes([$f(a), $f(b), $f(c), $f(d)])
    }};
    ($x:expr, $y:expr, $f:path) => {{
        let ([a, b, c, d], [e, f, g, h]) = ($x.0, $y.0);
        Lanes([$f(a, e), $f(b, f), $f(c, g), $f(d, h)])
    }};
}

impl Neg for Lanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let [a, b, c, d] = self.0;
        Lanes([-a, -b, -c, -d])
    }
}

impl Real for Lanes {
    const LANES: usize = 4;
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Lanes([x; 4])
    }
    #[inline(always)]
    fn lane(self, i: usize) -> f64 {
        self.0[i]
    }
    #[inline(always)]
    fn from_lanes(mut f: impl FnMut(usize) -> f64) -> Self {
        Lanes([f(0), f(1), f(2), f(3)])
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        each_lane!(self, f64::sqrt)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        each_lane!(self, f64::abs)
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = sin_cos_each(self.0);
        (Lanes(s), Lanes(c))
    }
}

impl Packed for Lanes {
    #[inline(always)]
    fn read(x: &[f64]) -> Self {
        let x = &x[..4];
        Lanes([x[0], x[1], x[2], x[3]])
    }
    #[inline(always)]
    fn write(self, out: &mut [f64]) {
        out[..4].copy_from_slice(&self.0);
    }
    #[inline(always)]
    fn negate_if_odd(self, n: Self) -> Self {
        each_lane!(self, n, f64::negate_if_odd)
    }
    #[inline(always)]
    fn power_of_two(n: Self) -> Self {
        each_lane!(n, f64::power_of_two)
    }
    #[inline(always)]
    fn lane_max(self, low: f64) -> Self {
        each_lane!(self, Self::splat(low), f64::lane_max)
    }
    #[inline(always)]
    fn lane_min(self, high: f64) -> Self {
        each_lane!(self, Self::splat(high), f64::lane_min)
    }
    #[inline(always)]
    fn floor(self) -> Self {
        each_lane!(self, f64::floor)
    }
    #[inline(always)]
    fn positive_mask(self) -> u32 {
        let [a, b, c, d] = self.0;
        a.positive_mask() | b.positive_mask() << 1 | c.positive_mask() << 2 | d.positive_mask() << 3
    }
}

/// Computes sine and cosine of `x` [rad] without branches, with identical bits on every machine.
///
/// The angle is reduced to |r| <= pi/4 with pi/2 split into three parts (Cody and Waite 1980). Then
/// two polynomials are evaluated: Taylor terms to x^17 and x^18, with remainders below 1e-18 on
/// that interval. Valid for |x| < 1e5 rad, which exceeds any meaningful joint angle.
#[inline(always)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    let ([s], [c]) = sin_cos_each([x]);
    (s, c)
}

/// Returns the smaller number; `a` if one of them is NaN. A single instruction, unlike `f64::min`.
#[inline(always)]
pub fn fast_min<T: PartialOrd>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

/// Returns the larger number; `a` if one of them is NaN. A single instruction, unlike `f64::max`.
#[inline(always)]
pub fn fast_max<T: PartialOrd>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

/// Wraps an angle [rad] to -π..=π.
pub fn wrap_angle(angle: f64) -> f64 {
    angle - std::f64::consts::TAU * libm::round(angle / std::f64::consts::TAU)
}

/// Computes sine and cosine of several angles [rad]. Each operation is applied to all angles before
/// the next, so that the compiler can vectorise it.
#[inline(always)]
pub(crate) fn sin_cos_each<const N: usize>(x: [f64; N]) -> ([f64; N], [f64; N]) {
    // pi/2 = HI + MID + LO; HI and MID have 33 significant bits, so k*HI and k*MID are exact for k
    // < 2^20
    const HI: f64 = f64::from_bits(0x3FF9_21FB_5440_0000);
    const MID: f64 = f64::from_bits(0x3DD0_B461_1A60_0000);
    const LO: f64 = f64::from_bits(0x3BA3_198A_2E03_7073);
    // adding and subtracting 1.5 * 2^52 rounds to the nearest integer
    const ROUND: f64 = 6_755_399_441_055_744.0;

    let shifted = x.map(|x| x * std::f64::consts::FRAC_2_PI + ROUND);
    let r: [f64; N] = std::array::from_fn(|i| {
        let k = shifted[i] - ROUND;
        ((x[i] - k * HI) - k * MID) - k * LO
    });
    let z = r.map(|r| r * r);
    let [mut s, mut c] = [[SINE[7]; N], [COSINE[8]; N]];
    for k in (0..7).rev() {
        s = std::array::from_fn(|i| SINE[k] + z[i] * s[i]);
    }
    for k in (0..8).rev() {
        c = std::array::from_fn(|i| COSINE[k] + z[i] * c[i]);
    }
    let s: [f64; N] = std::array::from_fn(|i| r[i] + r[i] * z[i] * s[i]);
    let c: [f64; N] = std::array::from_fn(|i| 1.0 + z[i] * c[i]);

    // quarter turns exchange sine and cosine and change their signs
    let rotate = |i: usize, quadrant: u64| {
        let value = if quadrant & 1 == 1 { c[i] } else { s[i] };
        f64::from_bits(value.to_bits() ^ (quadrant & 2) << 62)
    };
    let quarter = shifted.map(f64::to_bits);
    (
        std::array::from_fn(|i| rotate(i, quarter[i])),
        std::array::from_fn(|i| rotate(i, quarter[i].wrapping_add(1))),
    )
}

/// Taylor coefficients (-1)^k / (2k+1)! from k = 1.
const SINE: [f64; 8] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
    1.0 / 355_687_428_096_000.0,
];
/// Taylor coefficients (-1)^k / (2k)! from k = 1.
const COSINE: [f64; 9] = [
    -1.0 / 2.0,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
    -1.0 / 6_402_373_705_728_000.0,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sin_cos_is_within_two_ulp_of_the_c_library() {
        let mut worst = 0.0_f64;
        for i in -200_000..200_000 {
            let x = f64::from(i) * 0.004_937;
            let (s, c) = sin_cos(x);
            worst = worst.max((s - x.sin()).abs()).max((c - x.cos()).abs());
        }
        assert!(worst < 2.3e-16, "worst error {worst:e}");
    }

    #[test]
    fn sin_cos_keeps_precision_for_large_angles() {
        for x in [1e4, 5e4, 99_999.0, -99_999.5] {
            let (s, c) = sin_cos(x);
            assert!(
                (s - x.sin()).abs() < 3e-16 && (c - x.cos()).abs() < 3e-16,
                "{x}"
            );
        }
    }

    #[test]
    fn lanes_and_scalars_give_identical_bits() {
        let a = Lanes([0.3, -1.7, 2.9, 40.1]);
        let b = Lanes([1.1, 0.7, -0.2, 3.3]);
        let mixed = |x: &dyn Fn(usize) -> (f64, f64), i: usize| {
            let (p, q) = x(i);
            let (s, c) = sin_cos(p);
            (s * q + c / q - p).abs().sqrt()
        };
        let (s, c) = a.sin_cos();
        let all = (s * b + c / b - a).abs().sqrt();
        for i in 0..4 {
            let one = mixed(&|i| (a.0[i], b.0[i]), i);
            assert_eq!(all.0[i].to_bits(), one.to_bits());
        }
    }
}
