//! SIMD vector of eight single-precision numbers: an AVX2 register or a plain array.
//!
//! Both do the same IEEE 754 operations in the same order, never fused, so results are
//! bit-identical on every processor. Minimum and maximum follow the AVX instructions: they return
//! the second operand if both are equal or one is NaN.

/// Vector of eight single-precision numbers.
pub trait F32x8: Copy {
    /// Permutation of eight lanes.
    type Permutation: Copy;
    /// Sets all lanes to the same number.
    fn splat(x: f32) -> Self;
    /// Loads eight consecutive values.
    fn read(x: &[f32; 8]) -> Self;
    /// Stores the eight values to memory.
    fn write(self, out: &mut [f32; 8]);
    /// Returns the lane-wise sum `self + o`.
    fn add(self, o: Self) -> Self;
    /// Returns the lane-wise difference `self - o`.
    fn sub(self, o: Self) -> Self;
    /// Returns the lane-wise product `self * o`.
    fn mul(self, o: Self) -> Self;
    /// Returns the lane-wise quotient `self / o`.
    fn div(self, o: Self) -> Self;
    /// Returns the lane-wise minimum: `self` where it is less, else `o`.
    fn lane_min(self, o: Self) -> Self;
    /// Returns the lane-wise maximum: `self` where it is greater, else `o`.
    fn lane_max(self, o: Self) -> Self;
    /// Returns a bit mask of the lanes where `self <= o`; false where either is NaN.
    fn less_or_equal(self, o: Self) -> u32;
    /// Returns the permutation that moves lane `which[i]` to lane `i`; all indices are below eight.
    fn permutation(which: &[u8; 8]) -> Self::Permutation;
    /// Applies a permutation to the lanes.
    fn permute(self, permutation: Self::Permutation) -> Self;
    /// Prefetches the memory at `x`.
    fn prefetch<T>(x: &T);
}

/// Portable implementation on an array.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Plain([f32; 8]);

macro_rules! each {
    ($name:ident, $a:ident, $b:ident, $what:expr) => {
        #[inline(always)]
        fn $name(self, o: Self) -> Self {
            let mut out = self.0;
            for i in 0..8 {
                let ($a, $b) = (self.0[i], o.0[i]);
                out[i] = $what;
            }
            Self(out)
        }
    };
}

impl F32x8 for Plain {
    type Permutation = [u8; 8];
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; 8])
    }
    #[inline(always)]
    fn read(x: &[f32; 8]) -> Self {
        Self(*x)
    }
    #[inline(always)]
    fn write(self, out: &mut [f32; 8]) {
        *out = self.0;
    }
    each!(add, a, b, a + b);
    each!(sub, a, b, a - b);
    each!(mul, a, b, a * b);
    each!(div, a, b, a / b);
    each!(lane_min, a, b, if a < b { a } else { b });
    each!(lane_max, a, b, if a > b { a } else { b });
    #[inline(always)]
    fn less_or_equal(self, o: Self) -> u32 {
        let mut bits = 0;
        for i in 0..8 {
            bits |= u32::from(self.0[i] <= o.0[i]) << i;
        }
        bits
    }
    #[inline(always)]
    fn permutation(which: &[u8; 8]) -> [u8; 8] {
        *which
    }
    #[inline(always)]
    fn permute(self, permutation: [u8; 8]) -> Self {
        let mut out = [0.0; 8];
        for i in 0..8 {
            out[i] = self.0[usize::from(permutation[i] & 7)];
        }
        Self(out)
    }
    #[inline(always)]
    fn prefetch<T>(_: &T) {}
}

#[cfg(target_arch = "x86_64")]
pub use avx::Register;

#[cfg(target_arch = "x86_64")]
mod avx {
    use super::F32x8;
    use std::arch::x86_64::{
        __m256, __m256i, _CMP_LE_OQ, _MM_HINT_T0, _mm_loadl_epi64, _mm_prefetch, _mm256_add_ps,
        _mm256_cmp_ps, _mm256_cvtepu8_epi32, _mm256_div_ps, _mm256_loadu_ps, _mm256_max_ps,
        _mm256_min_ps, _mm256_movemask_ps, _mm256_mul_ps, _mm256_permutevar8x32_ps, _mm256_set1_ps,
        _mm256_storeu_ps, _mm256_sub_ps,
    };

    /// AVX2 register; valid only where [`crate::f64x4::is_supported`] returns true.
    #[derive(Clone, Copy, Debug)]
    pub struct Register(__m256);

    macro_rules! each {
        ($name:ident, $intrinsic:ident) => {
            #[inline(always)]
            fn $name(self, o: Self) -> Self {
                // SAFETY: a Register is created only after `is_supported` returned true.
                Self(unsafe { $intrinsic(self.0, o.0) })
            }
        };
    }

    impl F32x8 for Register {
        type Permutation = __m256i;
        #[inline(always)]
        fn splat(x: f32) -> Self {
            // SAFETY: as in `each`.
            Self(unsafe { _mm256_set1_ps(x) })
        }
        #[inline(always)]
        fn read(x: &[f32; 8]) -> Self {
            // SAFETY: as in `each`; `x` holds eight numbers.
            Self(unsafe { _mm256_loadu_ps(x.as_ptr()) })
        }
        #[inline(always)]
        fn write(self, out: &mut [f32; 8]) {
            // SAFETY: as in `read`.
            unsafe { _mm256_storeu_ps(out.as_mut_ptr(), self.0) }
        }
        each!(add, _mm256_add_ps);
        each!(sub, _mm256_sub_ps);
        each!(mul, _mm256_mul_ps);
        each!(div, _mm256_div_ps);
        each!(lane_min, _mm256_min_ps);
        each!(lane_max, _mm256_max_ps);
        #[inline(always)]
        fn less_or_equal(self, o: Self) -> u32 {
            // SAFETY: as in `each`.
            unsafe { _mm256_movemask_ps(_mm256_cmp_ps::<_CMP_LE_OQ>(self.0, o.0)) as u32 }
        }
        #[inline(always)]
        fn permutation(which: &[u8; 8]) -> __m256i {
            // SAFETY: as in `read`.
            unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(which.as_ptr().cast())) }
        }
        #[inline(always)]
        fn permute(self, permutation: __m256i) -> Self {
            // SAFETY: as in `each`.
            Self(unsafe { _mm256_permutevar8x32_ps(self.0, permutation) })
        }
        #[inline(always)]
        fn prefetch<T>(x: &T) {
            let mut line = 0;
            while line < size_of::<T>() {
                let at = std::ptr::from_ref(x).cast::<i8>().wrapping_add(line);
                // SAFETY: a prefetch does not access memory.
                unsafe { _mm_prefetch::<_MM_HINT_T0>(at) }
                line += 64;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Both implementations compute bit-identical results. Method: every operation on every pair of
    // special values. Tolerance: skipped without AVX2.
    #[cfg(target_arch = "x86_64")]
    #[test]
    fn avx2_and_portable_operations_agree() {
        if !crate::f64x4::is_supported() {
            return;
        }
        let special = [
            0.0,
            -0.0,
            1.0 / 3.0,
            -1e30,
            f32::INFINITY,
            f32::NAN,
            f32::MIN_POSITIVE,
            7.5,
        ];
        type Operation = (
            fn(Plain, Plain) -> Plain,
            fn(Register, Register) -> Register,
        );
        let all: [Operation; 6] = [
            (Plain::add, Register::add),
            (Plain::sub, Register::sub),
            (Plain::mul, Register::mul),
            (Plain::div, Register::div),
            (Plain::lane_min, Register::lane_min),
            (Plain::lane_max, Register::lane_max),
        ];
        for turn in 0..8 {
            let mut other = special;
            other.rotate_left(turn);
            for (plain, register) in all {
                let (mut a, mut b) = ([0.0; 8], [0.0; 8]);
                plain(Plain::read(&special), Plain::read(&other)).write(&mut a);
                register(Register::read(&special), Register::read(&other)).write(&mut b);
                // NaN has many bit patterns.
                let bits = |x: [f32; 8]| x.map(|x| if x.is_nan() { 0 } else { x.to_bits() });
                assert_eq!(bits(a), bits(b), "{turn}");
            }
            let plain = Plain::read(&special).less_or_equal(Plain::read(&other));
            assert_eq!(
                plain,
                Register::read(&special).less_or_equal(Register::read(&other))
            );
        }
    }
}
