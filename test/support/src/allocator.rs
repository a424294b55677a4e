//! Allocator that counts per thread, so that concurrent tests do not disturb each other.
//!
//! ```
//! use merrow_testing::allocator::{self, Counting};
//!
//! #[global_allocator]
//! static ALLOCATOR: Counting = Counting;
//!
//! let before = allocator::allocations();
//! drop(std::hint::black_box(Box::new(1_u64)));
//! assert_eq!(allocator::allocations(), before + 1);
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Number of allocations, and live bytes with their peak.
#[derive(Clone, Copy)]
struct Counts {
    allocations: u64,
    live: isize,
    peak: isize,
}

thread_local! {
    // const, so that the counts themselves do not allocate
    static COUNTS: Cell<Counts> = const {
        Cell::new(Counts { allocations: 0, live: 0, peak: 0 })
    };
}

/// The system allocator, which counts the allocations and the bytes of each thread.
#[derive(Debug)]
pub struct Counting;

fn add(allocations: u64, bytes: isize) {
    // At the end of a thread its counts may no longer exist.
    let _ = COUNTS.try_with(|counts| {
        let mut now = counts.get();
        now.allocations += allocations;
        now.live += bytes;
        now.peak = now.peak.max(now.live);
        counts.set(now);
    });
}

// SAFETY: every call is forwarded unchanged to the system allocator, which fulfils the contract.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(1, layout.size().cast_signed());
        // SAFETY: as above
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(1, layout.size().cast_signed());
        // SAFETY: as above
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, p: *mut u8, layout: Layout) {
        add(0, -layout.size().cast_signed());
        // SAFETY: as above
        unsafe { System.dealloc(p, layout) }
    }
    unsafe fn realloc(&self, p: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(1, size.cast_signed() - layout.size().cast_signed());
        // SAFETY: as above
        unsafe { System.realloc(p, layout, size) }
    }
}

/// Returns the number of allocations of this thread.
pub fn allocations() -> u64 {
    COUNTS.with(Cell::get).allocations
}

/// Returns the bytes that this thread has allocated and not freed [B].
pub fn live() -> isize {
    COUNTS.with(Cell::get).live
}

/// Returns the most bytes that `call` had allocated at once [B], and its result.
pub fn peak<R>(call: impl FnOnce() -> R) -> (isize, R) {
    let start = COUNTS.with(|counts| {
        let mut now = counts.get();
        now.peak = now.live;
        counts.set(now);
        now.live
    });
    let result = call();
    (COUNTS.with(Cell::get).peak - start, result)
}
