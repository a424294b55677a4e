//! Bound of the memory for samples that are not delivered yet.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that all readers of a participant hold. Clones share the count.
#[derive(Clone, Debug, Default)]
pub(super) struct Total(Arc<AtomicUsize>);

/// Bytes that one reader holds from one writer; they leave the total when it is dropped.
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

    /// Returns whether `bytes` [B] more stay within `limit` [B], and with those of all others
    /// within
    /// `total` [B].
    pub(super) fn fits(&self, bytes: usize, limit: usize, total: usize) -> bool {
        let all = self.total.0.load(Ordering::Relaxed);
        self.bytes.saturating_add(bytes) <= limit && all.saturating_add(bytes) <= total
    }

    /// Adds `bytes` [B] that the reader holds now.
    pub(super) fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.total.0.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Removes `bytes` [B] that were added.
    pub(super) fn remove(&mut self, bytes: usize) {
        self.bytes -= bytes;
        self.total.0.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Removes everything that was added.
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
