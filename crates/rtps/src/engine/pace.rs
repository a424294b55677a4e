//! Pace of the datagrams to one destination: a token bucket that slows down after losses.

use super::config::{MILLIS, Nanos, Path};

/// A loss of more than one datagram in this many shows that a buffer overflows.
const OVERFLOW_SHARE: u64 = 12;

/// Minimum number of bursts between two reductions of the rate.
const REDUCTION_BURSTS: usize = 4;

/// Time after which one reduction of the rate ends [ns].
const RECOVERY_PERIOD: u64 = 300 * MILLIS;

/// Time after which an unused bucket is removed [ns].
const IDLE_TIME: u64 = 10_000 * MILLIS;

/// Largest number of reductions, each to three quarters of the rate.
const MAX_REDUCTION: u32 = 7;

/// Memory that a receive buffer needs for a datagram in addition to its content [B].
///
/// Measured on Linux: the default buffer of 212992 B holds 166 datagrams of 200 B (1283 B each), 92
/// of 1472 B (2315 B each).
const DATAGRAM_OVERHEAD: usize = 1000;

/// Maximum number of samples or fragments after the first missing one that a request covers.
const WINDOW: u64 = 256;

/// Number of lost samples or fragments, and number of samples or fragments in the requested range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Losses {
    pub(super) lost: u64,
    pub(super) total: u64,
}

impl Losses {
    /// Returns the losses if `lost` of the `sent` samples since the first missing sample were
    /// requested.
    pub(super) fn new(lost: usize, sent: u64) -> Losses {
        let lost = lost as u64;
        let total = sent.min(WINDOW).max(lost);
        Losses { lost, total }
    }
}

/// Token bucket of one destination.
#[derive(Debug)]
pub(super) struct Bucket {
    path: Path,
    /// Bytes that may be sent now; negative after a burst [B].
    tokens: i64,
    updated: Nanos,
    reduction: u32,
    reduced: Nanos,
    /// Size of the datagrams sent [B] and losses that were requested in the present period.
    sent_bytes: usize,
    losses: Losses,
}

impl Bucket {
    /// Starts a full bucket.
    pub(super) fn new(path: Path, now: Nanos) -> Bucket {
        Bucket {
            path,
            tokens: i64::try_from(path.burst_bytes).unwrap_or(i64::MAX),
            updated: now,
            reduction: 0,
            reduced: now,
            sent_bytes: 0,
            losses: Losses { lost: 0, total: 0 },
        }
    }

    /// Returns true if no data was sent to the destination for so long that its bucket is full
    /// again.
    pub(super) fn is_idle(&self, now: Nanos) -> bool {
        now.since(self.updated) > IDLE_TIME
    }

    fn rate(&self) -> u64 {
        let reduced = (0..self.reduction).fold(self.path.bytes_per_second, |rate, _| rate / 4 * 3);
        reduced.max(1)
    }

    /// Returns `None` if a datagram may be sent at `now`, else when one may be.
    pub(super) fn blocked_until(&mut self, now: Nanos) -> Option<Nanos> {
        if self.reduction > 0 && now.since(self.reduced) >= RECOVERY_PERIOD {
            self.reduction -= 1;
            self.reduced = now;
        }
        let gained = u128::from(now.since(self.updated)) * u128::from(self.rate()) / 1_000_000_000;
        if gained > 0 {
            let burst = i64::try_from(self.path.burst_bytes).unwrap_or(i64::MAX);
            let gained = i64::try_from(gained).unwrap_or(i64::MAX);
            self.tokens = self.tokens.saturating_add(gained).min(burst);
            self.updated = now;
        }
        if self.tokens > 0 {
            return None;
        }
        let lacking = u128::from(self.tokens.unsigned_abs()) + 1;
        let wait = (lacking * 1_000_000_000).div_ceil(u128::from(self.rate()));
        Some(self.updated.plus(u64::try_from(wait).unwrap_or(u64::MAX)))
    }

    /// Takes the tokens of a datagram of `bytes` [B].
    pub(super) fn consume(&mut self, bytes: usize) {
        let charged = bytes.saturating_add(DATAGRAM_OVERHEAD);
        self.tokens -= i64::try_from(charged).unwrap_or(i64::MAX / 2);
        self.sent_bytes = self.sent_bytes.saturating_add(charged);
    }

    /// Notes a request of a reader. Lowers the rate after a period in which the loss shows that a
    /// buffer overflows; a lower loss is caused by the network and independent of the rate.
    ///
    /// The losses are compared with the range of the request, because a reader requests the losses
    /// of a large sample a part at a time, when others are sent already.
    pub(super) fn note_losses(&mut self, now: Nanos, losses: Losses) {
        self.losses.lost += losses.lost;
        self.losses.total += losses.total;
        if self.sent_bytes < REDUCTION_BURSTS * self.path.burst_bytes || self.losses.total < WINDOW
        {
            return;
        }
        if self.losses.lost * OVERFLOW_SHARE > self.losses.total && self.reduction < MAX_REDUCTION {
            self.reduction += 1;
            self.reduced = now;
        }
        (self.sent_bytes, self.losses) = (0, Losses { lost: 0, total: 0 });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes sent in `seconds` [s] of datagrams of 1000 B.
    fn sent(bucket: &mut Bucket, start: Nanos, seconds: u64) -> u64 {
        let (mut now, mut bytes) = (start, 0);
        while now.since(start) < seconds * 1_000_000_000 {
            match bucket.blocked_until(now) {
                Some(later) => {
                    assert!(later > now);
                    now = later;
                }
                None => {
                    bucket.consume(1000);
                    bytes += 1000 + DATAGRAM_OVERHEAD as u64;
                }
            }
        }
        bytes
    }

    fn bucket() -> Bucket {
        let path = Path {
            max_datagram: 1000,
            burst_bytes: 10_000,
            bytes_per_second: 1_000_000,
        };
        Bucket::new(path, Nanos(0))
    }

    #[test]
    fn mean_rate_is_kept() {
        let bytes = sent(&mut bucket(), Nanos(0), 2);
        assert!((2_000_000..2_020_000).contains(&bytes), "{bytes}");
    }

    #[test]
    fn few_losses_do_not_lower_the_rate() {
        let mut bucket = bucket();
        let before = sent(&mut bucket, Nanos(0), 1);
        bucket.note_losses(
            Nanos(1_000_000_000),
            Losses {
                lost: 10,
                total: 256,
            },
        );
        let after = sent(&mut bucket, Nanos(1_000_000_000), 1);
        assert!(after.abs_diff(before) < 20_000, "{before}, then {after}");
    }

    #[test]
    fn losses_lower_the_rate_for_a_while() {
        let mut bucket = bucket();
        let now = Nanos(1_000_000_000);
        sent(&mut bucket, Nanos(0), 1);
        bucket.note_losses(
            now,
            Losses {
                lost: 100,
                total: 256,
            },
        );
        bucket.note_losses(
            now,
            Losses {
                lost: 100,
                total: 256,
            },
        );
        let bytes = sent(&mut bucket, now, 1);
        assert!((910_000..940_000).contains(&bytes), "{bytes}");
    }
}
