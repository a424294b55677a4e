//! The scalar of the dynamics kernel: one `f64`, or several robots side by side.
//!
//! The kernel is written once over [`Real`]. With `f64` it steps one robot; with [`Lanes`] it steps
//! `N` robots of one model together, and every lane has the bits of the single robot, because both
//! use the same operations in the same order: separate multiply and add (never fused, so that builds
//! for different processors agree) and the sine and cosine below (never the C library's).

use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// Most robots that the lanes of a scalar hold.
pub const MAX_LANES: usize = 8;

/// A scalar of the dynamics kernel; arithmetic is IEEE 754 and never fused.
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
{
    /// How many robots one value holds.
    const LANES: usize;
    /// The same number in every lane.
    fn splat(x: f64) -> Self;
    /// The number in lane `i`.
    fn lane(self, i: usize) -> f64;
    /// A value from one number per lane.
    fn from_lanes(f: impl FnMut(usize) -> f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Magnitude.
    fn abs(self) -> Self;
    /// Sine and cosine of an angle [rad]; |error| < 2e-16 for |x| < 1e5.
    fn sin_cos(self) -> (Self, Self);
    /// Zero in every lane.
    fn zero() -> Self {
        Self::splat(0.0)
    }
    /// One in every lane.
    fn one() -> Self {
        Self::splat(1.0)
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
}

/// `N` robots of one model, stepped together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes<const N: usize>(pub [f64; N]);

macro_rules! lanewise {
    ($op:ident, $f:ident, $sym:tt) => {
        impl<const N: usize> $op for Lanes<N> {
            type Output = Self;
            #[inline(always)]
            fn $f(self, o: Self) -> Self {
                let mut out = self.0;
                for (a, b) in out.iter_mut().zip(o.0) {
                    *a $sym b;
                }
                Lanes(out)
            }
        }
    };
}
lanewise!(Add, add, +=);
lanewise!(Sub, sub, -=);
lanewise!(Mul, mul, *=);
lanewise!(Div, div, /=);

impl<const N: usize> Mul<f64> for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: f64) -> Self {
        let mut out = self.0;
        for a in &mut out {
            *a *= o;
        }
        Lanes(out)
    }
}

impl<const N: usize> Neg for Lanes<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let mut out = self.0;
        for a in &mut out {
            *a = -*a;
        }
        Lanes(out)
    }
}

impl<const N: usize> AddAssign for Lanes<N> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<const N: usize> SubAssign for Lanes<N> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<const N: usize> Real for Lanes<N> {
    const LANES: usize = N;
    #[inline(always)]
    fn splat(x: f64) -> Self {
        Lanes([x; N])
    }
    #[inline(always)]
    fn lane(self, i: usize) -> f64 {
        self.0[i]
    }
    #[inline(always)]
    fn from_lanes(f: impl FnMut(usize) -> f64) -> Self {
        Lanes(std::array::from_fn(f))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        Lanes(self.0.map(f64::sqrt))
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Lanes(self.0.map(f64::abs))
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let mut s = self.0;
        let mut c = self.0;
        for i in 0..N {
            (s[i], c[i]) = sin_cos(self.0[i]);
        }
        (Lanes(s), Lanes(c))
    }
}

/// Sine and cosine of `x` [rad] without branches, the same bits on every machine.
///
/// The angle is reduced to |r| <= pi/4 with pi/2 split in three parts (Cody and Waite 1980), then two
/// polynomials are evaluated: Taylor terms to x^17 and x^18, whose remainders on that interval stay under 1e-18.
/// Good for |x| < 1e5 rad; a joint that turned further has lost its meaning long before.
#[inline(always)]
pub fn sin_cos(x: f64) -> (f64, f64) {
    // pi/2 = HI + MID + LO; HI and MID have 33 significant bits, so k*HI and k*MID are exact for k < 2^20
    const HI: f64 = f64::from_bits(0x3FF9_21FB_5440_0000);
    const MID: f64 = f64::from_bits(0x3DD0_B461_1A60_0000);
    const LO: f64 = f64::from_bits(0x3BA3_198A_2E03_7073);
    // adding and taking away 1.5 * 2^52 rounds to the nearest integer
    const ROUND: f64 = 6_755_399_441_055_744.0;

    let shifted = x * std::f64::consts::FRAC_2_PI + ROUND;
    let k = shifted - ROUND;
    let quadrant = shifted.to_bits();
    let r = ((x - k * HI) - k * MID) - k * LO;
    let z = r * r;

    let s = r + r * z * (S1 + z * (S2 + z * (S3 + z * (S4 + z * (S5 + z * (S6 + z * (S7 + z * S8)))))));
    let c =
        1.0 + z * (C1 + z * (C2 + z * (C3 + z * (C4 + z * (C5 + z * (C6 + z * (C7 + z * (C8 + z * C9))))))));

    let swap = quadrant & 1 == 1;
    let (sin, cos) = if swap { (c, s) } else { (s, c) };
    let sin_sign = (quadrant & 2) << 62;
    let cos_sign = ((quadrant.wrapping_add(1)) & 2) << 62;
    (f64::from_bits(sin.to_bits() ^ sin_sign), f64::from_bits(cos.to_bits() ^ cos_sign))
}

// (-1)^k / (2k+1)!
const S1: f64 = -1.0 / 6.0;
const S2: f64 = 1.0 / 120.0;
const S3: f64 = -1.0 / 5_040.0;
const S4: f64 = 1.0 / 362_880.0;
const S5: f64 = -1.0 / 39_916_800.0;
const S6: f64 = 1.0 / 6_227_020_800.0;
const S7: f64 = -1.0 / 1_307_674_368_000.0;
const S8: f64 = 1.0 / 355_687_428_096_000.0;
// (-1)^k / (2k)!
const C1: f64 = -1.0 / 2.0;
const C2: f64 = 1.0 / 24.0;
const C3: f64 = -1.0 / 720.0;
const C4: f64 = 1.0 / 40_320.0;
const C5: f64 = -1.0 / 3_628_800.0;
const C6: f64 = 1.0 / 479_001_600.0;
const C7: f64 = -1.0 / 87_178_291_200.0;
const C8: f64 = 1.0 / 20_922_789_888_000.0;
const C9: f64 = -1.0 / 6_402_373_705_728_000.0;

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
    fn sin_cos_far_out_keeps_its_precision() {
        for x in [1e4, 5e4, 99_999.0, -99_999.5] {
            let (s, c) = sin_cos(x);
            assert!((s - x.sin()).abs() < 3e-16 && (c - x.cos()).abs() < 3e-16, "{x}");
        }
    }

    #[test]
    fn every_lane_has_the_bits_of_the_single_number() {
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
