//! [`F64x4`]: four `f64` lanes, one per robot, in one AVX2 register.
//!
//! The arithmetic equals [`crate::Lanes`], but uses the vector type of the processor. The compiler
//! does not have to recognise vector operations in loops. The kernel is twice as fast and compiles
//! quickly. Multiply and add are separate, as everywhere in this crate.

#[cfg(target_arch = "x86_64")]
pub use avx::F64x4;
/// Four lanes, one per robot, on targets other than x86-64.
#[cfg(not(target_arch = "x86_64"))]
pub type F64x4 = crate::Lanes;

/// Returns true if the processor supports the instructions that [`F64x4`] uses. An `F64x4` must not
/// be created if this is false.
pub fn is_supported() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx2")
        && std::arch::is_x86_feature_detected!("bmi2")
        && std::arch::is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

#[cfg(target_arch = "x86_64")]
mod avx {
    use crate::Real;
    use crate::real::{Packed, derived_operators, sin_cos_each};
    use std::arch::x86_64::{
        __m256d, _CMP_GT_OQ, _mm256_add_epi64, _mm256_add_pd, _mm256_andnot_pd,
        _mm256_castpd_si256, _mm256_castsi256_pd, _mm256_cmp_pd, _mm256_div_pd, _mm256_floor_pd,
        _mm256_max_pd, _mm256_min_pd, _mm256_movemask_pd, _mm256_mul_pd, _mm256_set1_epi64x,
        _mm256_set1_pd, _mm256_setzero_pd, _mm256_slli_epi64, _mm256_sqrt_pd, _mm256_sub_pd,
        _mm256_xor_pd,
    };
    use std::ops::{Add, Div, Mul, Neg, Sub};

    /// Four lanes, one per robot. Use only if [`is_supported`] returns true.
    #[derive(Clone, Copy, Debug)]
    pub struct F64x4(__m256d);

    impl F64x4 {
        // conversion by type instead of intrinsics: callers that fill and read lanes are compiled
        // without AVX2
        #[inline(always)]
        fn load(x: [f64; 4]) -> Self {
            // SAFETY: both types hold four f64 and every bit pattern is valid
            Self(unsafe { std::mem::transmute::<[f64; 4], __m256d>(x) })
        }

        #[inline(always)]
        fn store(self) -> [f64; 4] {
            // SAFETY: as in `load`
            unsafe { std::mem::transmute::<__m256d, [f64; 4]>(self.0) }
        }
    }

    macro_rules! lanewise {
        ($op:ident, $f:ident, $intrinsic:ident) => {
            impl $op for F64x4 {
                type Output = Self;
                #[inline(always)]
                fn $f(self, o: Self) -> Self {
                    // SAFETY: the creator of an `F64x4` has checked `is_supported`
                    Self(unsafe { $intrinsic(self.0, o.0) })
                }
            }
        };
    }
    lanewise!(Add, add, _mm256_add_pd);
    lanewise!(Sub, sub, _mm256_sub_pd);
    lanewise!(Mul, mul, _mm256_mul_pd);
    lanewise!(Div, div, _mm256_div_pd);

    derived_operators!(F64x4);

    impl Neg for F64x4 {
        type Output = Self;
        #[inline(always)]
        fn neg(self) -> Self {
            // SAFETY: as in `add`
            Self(unsafe { _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)) })
        }
    }

    impl Default for F64x4 {
        fn default() -> Self {
            Self::splat(0.0)
        }
    }

    impl Real for F64x4 {
        const LANES: usize = 4;
        const REQUIRES_AVX2: bool = true;
        #[inline(always)]
        fn splat(x: f64) -> Self {
            // SAFETY: as in `add`
            Self(unsafe { _mm256_set1_pd(x) })
        }
        #[inline(always)]
        fn lane(self, i: usize) -> f64 {
            self.store()[i]
        }
        #[inline(always)]
        fn from_lanes(mut f: impl FnMut(usize) -> f64) -> Self {
            Self::load([f(0), f(1), f(2), f(3)])
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: as in `add`
            Self(unsafe { _mm256_sqrt_pd(self.0) })
        }
        #[inline(always)]
        fn abs(self) -> Self {
            // SAFETY: as in `add`
            Self(unsafe { _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0) })
        }
        #[inline(always)]
        fn sin_cos(self) -> (Self, Self) {
            let (s, c) = sin_cos_each(self.store());
            (Self::load(s), Self::load(c))
        }
    }

    impl Packed for F64x4 {
        #[inline(always)]
        fn read(x: &[f64]) -> Self {
            let x = &x[..4];
            Self::load([x[0], x[1], x[2], x[3]])
        }
        #[inline(always)]
        fn write(self, out: &mut [f64]) {
            out[..4].copy_from_slice(&self.store());
        }
        #[inline(always)]
        fn negate_if_odd(self, n: Self) -> Self {
            // SAFETY: as in `add`
            Self(unsafe {
                let sign = _mm256_slli_epi64::<63>(_mm256_castpd_si256(n.0));
                _mm256_xor_pd(self.0, _mm256_castsi256_pd(sign))
            })
        }
        #[inline(always)]
        fn power_of_two(n: Self) -> Self {
            // SAFETY: as in `add`
            Self(unsafe {
                let power = _mm256_slli_epi64::<52>(_mm256_castpd_si256(n.0));
                _mm256_castsi256_pd(_mm256_add_epi64(_mm256_set1_epi64x(1023 << 52), power))
            })
        }
        #[inline(always)]
        fn lane_max(self, low: f64) -> Self {
            // SAFETY: as in `add`; if one operand is NaN, the instruction returns the second
            Self(unsafe { _mm256_max_pd(_mm256_set1_pd(low), self.0) })
        }
        #[inline(always)]
        fn lane_min(self, high: f64) -> Self {
            // SAFETY: as in `lane_max`
            Self(unsafe { _mm256_min_pd(_mm256_set1_pd(high), self.0) })
        }
        #[inline(always)]
        fn floor(self) -> Self {
            // SAFETY: as in `add`
            Self(unsafe { _mm256_floor_pd(self.0) })
        }
        #[inline(always)]
        fn positive_mask(self) -> u32 {
            // SAFETY: as in `add`
            let bits = unsafe {
                _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_GT_OQ>(self.0, _mm256_setzero_pd()))
            };
            bits as u32
        }
    }
}
