//! Bound of the memory for samples that are not delivered yet.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::config::Nanos;

/// Memory that a sample, an incomplete sample or a range needs in addition to its content [B].
pub(super) const ENTRY_BYTES: usize = 256;

/// Bytes that all readers of a participant hold. Clones share the count.
#[derive(Clone, Debug, Default)]
pub(super) struct Total(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    held: AtomicUsize,
    /// Bytes allocated for incomplete samples at one instant, and the instant [ns].
    allocated: AtomicUsize,
    instant: AtomicU64,
}

/// Bytes that one reader holds from one writer; dropping the value subtracts them from the total.
#[derive(Debug, Default)]
pub(super) struct Held {
    bytes: usize,
    total: Total,
}

impl Held {
    /// Starts at zero bytes of `total`.
    pub(super) fn new(total: &Total) -> Held {
        Held {
            bytes: 0,
            total: total.clone(),
        }
    }

    /// Returns true if `bytes` [B] more stay within `limit` [B], and together with all other
    /// readers within `total` [B].
    pub(super) fn fits(&self, bytes: usize, limit: usize, total: usize) -> bool {
        let all = self.total.0.held.load(Ordering::Relaxed);
        self.bytes.saturating_add(bytes) <= limit && all.saturating_add(bytes) <= total
    }

    /// Returns true if `bytes` [B] may be allocated for an incomplete sample. The allocations
    /// caused by one datagram stay within `limit` [B]: small datagrams would otherwise cost the
    /// time to clear large buffers.
    pub(super) fn allocate(&self, now: Nanos, bytes: usize, limit: usize) -> bool {
        let counts = &self.total.0;
        if counts.instant.swap(now.0, Ordering::Relaxed) != now.0 {
            counts.allocated.store(0, Ordering::Relaxed);
        }
        let before = counts.allocated.fetch_add(bytes, Ordering::Relaxed);
        before.saturating_add(bytes) <= limit
    }

    /// Adds `bytes` [B] that the reader holds now.
    pub(super) fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.total.0.held.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Removes `bytes` [B] that were added.
    pub(super) fn remove(&mut self, bytes: usize) {
        self.bytes -= bytes;
        self.total.0.held.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Removes all bytes that were added.
    pub(super) fn clear(&mut self) {
        self.remove(self.bytes);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_that_of_all() {
        let total = Total::default();
        let (mut first, mut second) = (Held::new(&total), Held::new(&total));
        first.add(60);
        second.add(30);
        assert!(second.fits(10, 40, 100));
        assert!(!second.fits(11, 40, 200), "own limit");
        assert!(!second.fits(11, 90, 100), "limit of all");
        drop(first);
        assert!(second.fits(60, 90, 100));
    }
}
