//! SIMD vectors: four numbers in double precision, eight in single precision.

pub mod f32x8;
pub mod f64x4;

/// Defines a function that calls a kernel over lanes: with `F64x4`, compiled for the features that
/// are listed first, if its argument `use_avx2` is true, and otherwise with `Lanes`. The kernel has
/// no fused operations, so both have the same bits.
///
/// The caller passes true only on a processor with these features. A constant argument of the
/// kernel may follow in brackets.
#[macro_export]
macro_rules! with_lanes {
    (
        $features:literal,
        $vis:vis fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(-> $out:ty)?
            = $($kernel:ident)::+ $([$constant:literal])?
    ) => {
        #[inline(always)]
        $vis fn $name(use_avx2: bool, $($arg: $type),*) $(-> $out)? {
            #[cfg(target_arch = "x86_64")]
            if use_avx2 {
                #[target_feature(enable = $features)]
                fn avx2($($arg: $type),*) $(-> $out)? {
                    $($kernel)::+::<$crate::F64x4 $(, $constant)?>($($arg),*)
                }
                // SAFETY: the caller has checked that the processor has these instructions
                return unsafe { avx2($($arg),*) };
            }
            $($kernel)::+::<$crate::Lanes $(, $constant)?>($($arg),*)
        }
    };
}
