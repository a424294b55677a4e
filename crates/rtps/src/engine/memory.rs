//! Bound of the memory for samples that are not delivered yet.
//!
//! An address and a participant may hold at most what they leave free, so that peers that fill the
//! memory never take all of it from the others.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

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

/// Maximum memory that a remote participant uses before it has addressed a message to the local
/// participant [B].
pub(super) const UNVERIFIED_BYTES: usize = 128 << 10;

/// Bytes that all readers hold from one participant, and from all participants of its address.
/// Clones share the counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Share {
    total: Total,
    address: Arc<AtomicUsize>,
    participant: Arc<AtomicUsize>,
    verified: Arc<AtomicBool>,
}

impl Share {
    /// Records that the participant receives the messages of the local participant.
    pub(super) fn verify(&self) {
        self.verified.store(true, Ordering::Relaxed);
    }

    /// Returns whether the address and the participant may hold `bytes` [B] more of `total` [B].
    fn fits(&self, bytes: usize, total: usize) -> bool {
        let [all, address, participant] = [&self.total.0.held, &*self.address, &*self.participant]
            .map(|count| count.load(Ordering::Relaxed));
        let limit = match self.verified.load(Ordering::Relaxed) {
            true => (total / 2).saturating_sub(address),
            false => UNVERIFIED_BYTES,
        };
        address.saturating_add(bytes) <= total.saturating_sub(all)
            && participant.saturating_add(bytes) <= limit
    }

    fn add(&self, bytes: usize) {
        for count in [&self.total.0.held, &*self.address, &*self.participant] {
            count.fetch_add(bytes, Ordering::Relaxed);
        }
    }

    fn remove(&self, bytes: usize) {
        for count in [&self.total.0.held, &*self.address, &*self.participant] {
            count.fetch_sub(bytes, Ordering::Relaxed);
        }
    }
}

/// Shares of the participants in the memory of one engine.
#[derive(Debug, Default)]
pub(super) struct Shares {
    total: Total,
    addresses: HashMap<IpAddr, Weak<AtomicUsize>>,
}

impl Shares {
    /// Returns the share of a new participant at `address`.
    pub(super) fn participant(&mut self, address: IpAddr) -> Share {
        self.addresses.retain(|_, count| count.strong_count() > 0);
        let known = self.addresses.get(&address).and_then(Weak::upgrade);
        let count = known.unwrap_or_default();
        self.addresses.insert(address, Arc::downgrade(&count));
        Share {
            total: self.total.clone(),
            address: count,
            ..Share::default()
        }
    }
}

/// Bytes that a writer keeps over the depth of its history. Clones start at zero and share the
/// total.
#[derive(Debug, Default)]
pub(super) struct Excess {
    bytes: usize,
    total: Arc<AtomicUsize>,
}

impl Clone for Excess {
    fn clone(&self) -> Excess {
        Excess {
            bytes: 0,
            total: Arc::clone(&self.total),
        }
    }
}

impl Excess {
    /// Sets the bytes that the writer keeps [B].
    pub(super) fn set(&mut self, bytes: usize) {
        self.total.fetch_add(bytes, Ordering::Relaxed);
        self.total.fetch_sub(self.bytes, Ordering::Relaxed);
        self.bytes = bytes;
    }

    /// Returns the bytes that the writer keeps [B].
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the bytes that all writers keep [B].
    pub(super) fn total(&self) -> usize {
        self.total.load(Ordering::Relaxed)
    }
}

impl Drop for Excess {
    fn drop(&mut self) {
        self.set(0);
    }
}

/// Bytes that one reader holds from one writer; they leave the total when it is dropped.
#[derive(Debug, Default)]
pub(super) struct Held {
    bytes: usize,
    share: Share,
}

impl Held {
    /// Starts at zero bytes of `share`.
    pub(super) fn new(share: &Share) -> Held {
        Held {
            bytes: 0,
            share: share.clone(),
        }
    }

    /// Returns true if `bytes` [B] more stay within `limit` [B], and together with all other
    /// readers within `total` [B].
    pub(super) fn fits(&self, bytes: usize, limit: usize, total: usize) -> bool {
        self.bytes.saturating_add(bytes) <= limit && self.share.fits(bytes, total)
    }

    /// Returns true if `bytes` [B] may be allocated for an incomplete sample. The allocations
    /// caused by one datagram stay within `limit` [B]: small datagrams would otherwise cost the
    /// time to clear large buffers.
    pub(super) fn allocate(&self, now: Nanos, bytes: usize, limit: usize) -> bool {
        let counts = &self.share.total.0;
        if counts.instant.swap(now.0, Ordering::Relaxed) != now.0 {
            counts.allocated.store(0, Ordering::Relaxed);
        }
        let before = counts.allocated.fetch_add(bytes, Ordering::Relaxed);
        before.saturating_add(bytes) <= limit
    }

    /// Adds `bytes` [B] that the reader holds now.
    pub(super) fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.share.add(bytes);
    }

    /// Removes `bytes` [B] that were added.
    pub(super) fn remove(&mut self, bytes: usize) {
        self.bytes -= bytes;
        self.share.remove(bytes);
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

    /// Returns the shares of verified participants at the addresses 10.0.0.x.
    fn held(shares: &mut Shares, addresses: &[u8]) -> Vec<Held> {
        let share = |host: &u8| {
            let share = shares.participant([10, 0, 0, *host].into());
            share.verify();
            Held::new(&share)
        };
        addresses.iter().map(share).collect()
    }

    /// Adds as much as fits in a total of 1200 B, in steps of 10 B.
    fn fill(held: &mut Held) {
        while held.fits(10, usize::MAX, 1200) {
            held.add(10);
        }
    }

    #[test]
    fn limits_of_one_writer_and_of_a_participant() {
        let shares = &mut Shares::default();
        let mut held = held(shares, &[1]);
        held[0].add(60);
        assert!(held[0].fits(40, 100, 1200));
        assert!(!held[0].fits(41, 100, 1200), "own limit");
        assert!(held[0].fits(480, 1000, 1200));
        assert!(
            !held[0].fits(481, 1000, 1200),
            "half of the half of an address"
        );
    }

    /// Many participants of one address that take all they can leave a part to a further one, and
    /// half to another address. What one drops is available again.
    #[test]
    fn one_participant_leaves_memory_to_others() {
        let shares = &mut Shares::default();
        let mut greedy = held(shares, &[1; 5]);
        greedy.iter_mut().for_each(fill);
        let late = held(shares, &[1, 2]);
        assert!(late[0].fits(10, usize::MAX, 1200), "same address");
        assert!(late[1].fits(290, usize::MAX, 1200), "other address");
        drop(greedy);
        assert!(late[0].fits(300, usize::MAX, 1200));
    }

    #[test]
    fn unverified_participants_have_little_memory() {
        let share = Shares::default().participant([10, 0, 0, 1].into());
        let held = Held::new(&share);
        let fits = |held: &Held| held.fits(UNVERIFIED_BYTES + 1, usize::MAX, 1 << 30);
        assert!(!fits(&held));
        share.verify();
        assert!(fits(&held));
    }
}
