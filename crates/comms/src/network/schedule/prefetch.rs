//! Prefetch: loads data into the cache before it is used.
//!
//! The receptions of many frames alternate, so that the processor cannot predict their addresses.

/// Loads the first cache line of `x`, if any, without waiting for it.
#[inline(always)]
pub(crate) fn prefetch<T>(x: Option<&T>) {
    if let Some(x) = x {
        prefetch_at(std::ptr::from_ref(x).cast());
    }
}

/// Loads all cache lines of `x`, if any, without waiting for them.
#[inline(always)]
pub(crate) fn prefetch_all<T>(x: Option<&T>) {
    let Some(x) = x else { return };
    for line in (0..size_of::<T>()).step_by(64) {
        prefetch_at(std::ptr::from_ref(x).cast::<i8>().wrapping_add(line));
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn prefetch_at(at: *const i8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch does not access memory.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at) }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn prefetch_at(_: *const i8) {}
