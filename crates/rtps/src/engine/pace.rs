//! Pace of the datagrams to one destination: a token bucket that slows down after losses.
//!
//! The rate increases while it limits reliable readers that acknowledge the samples.

use super::config::{MILLIS, Nanos, Path};

/// A loss of more than one datagram in this number shows that a buffer overflows.
const OVERFLOW_SHARE: u64 = 12;

/// A loss of less than one datagram in this number of sent datagrams does not lower the rate: the
/// network or a short pause of the reader caused it, and the repairs cost less than a lower rate.
/// A request can cover few datagrams in addition to the missing and the overtaken datagrams.
const NETWORK_SHARE: u64 = 8;

/// Minimum number of bursts between two reductions of the rate.
const REDUCTION_BURSTS: usize = 4;

/// Minimum time over which losses are counted before a reduction of the rate [ns]. A short pause of
/// the reader loses many datagrams in sequence, although the rate is not too high.
const LOSS_PERIOD: u64 = 100 * MILLIS;

/// Time after which one reduction of the rate ends [ns].
const RECOVERY_PERIOD: u64 = 300 * MILLIS;

/// Time after which an unused bucket is removed [ns].
const IDLE_TIME: u64 = 10_000 * MILLIS;

/// Largest number of reductions, each to three quarters of the rate, and of increases, each by a
/// third: from 0.13 to 4.2 times the rate of the path.
const MAX_REDUCTION: i32 = 7;
const MAX_INCREASE: i32 = 5;

/// Time after a loss at an increased rate in which the rate stays below it [ns].
const CEILING_TIME: u64 = 10_000 * MILLIS;

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
    /// Size of the samples that the reader has acknowledged since its last request [B].
    pub(super) acknowledged: u64,
}

impl Losses {
    /// Returns the losses if `lost` of the `sent` samples since the first missing sample were
    /// requested.
    pub(super) fn new(lost: usize, sent: u64) -> Losses {
        let lost = lost as u64;
        let total = sent.min(WINDOW).max(lost);
        Losses {
            lost,
            total,
            acknowledged: 0,
        }
    }

    /// Adds the size of newly acknowledged samples [B].
    pub(super) fn with_acknowledged(self, acknowledged: u64) -> Losses {
        Losses {
            acknowledged,
            ..self
        }
    }
}

/// Token bucket of one destination.
#[derive(Debug)]
pub(super) struct Bucket {
    path: Path,
    /// Bytes that may be sent now; negative after a burst [B].
    tokens: i64,
    updated: Nanos,
    /// Number of increases of the rate, negative for reductions, and the time of the last change.
    level: i32,
    changed: Nanos,
    /// Largest level until a time.
    ceiling: (i32, Nanos),
    /// Start of the period after which the rate may increase, and the bytes that were sent and
    /// acknowledged in it [B].
    period: (Nanos, u64, u64),
    /// Size of the datagrams sent [B] and losses that were requested in the current period.
    sent_bytes: usize,
    losses: Losses,
    /// Start of the current period.
    counted_since: Nanos,
}

impl Bucket {
    /// Starts a full bucket.
    pub(super) fn new(path: Path, now: Nanos) -> Bucket {
        Bucket {
            path,
            tokens: i64::try_from(path.burst_bytes).unwrap_or(i64::MAX),
            updated: now,
            level: 0,
            changed: now,
            ceiling: (0, now),
            period: (now, 0, 0),
            sent_bytes: 0,
            losses: Losses::new(0, 0),
            counted_since: now,
        }
    }

    /// Returns true if no data was sent to the destination for so long that its bucket is full
    /// again.
    pub(super) fn is_idle(&self, now: Nanos) -> bool {
        now.since(self.updated) > IDLE_TIME
    }

    fn rate(&self) -> u64 {
        let rate = self.path.bytes_per_second;
        let reduced = (self.level..0).fold(rate, |rate, _| rate / 4 * 3);
        (0..self.level).fold(reduced.max(1), |rate, _| rate / 3 * 4)
    }

    /// Changes the rate after a period: back from a reduction; up if more than half of the rate was
    /// used and reliable readers acknowledged more than a third of the data; down if an increased
    /// rate was used to less than an eighth.
    fn adapt(&mut self, now: Nanos) {
        if self.level < 0 && now.since(self.changed) >= RECOVERY_PERIOD {
            (self.level, self.changed) = (self.level + 1, now);
        }
        let (start, sent, acknowledged) = self.period;
        if now.since(start) < RECOVERY_PERIOD {
            return;
        }
        let capacity = u128::from(now.since(start)) * u128::from(self.rate()) / 1_000_000_000;
        let (is_limiting, is_idle) = (
            2 * u128::from(sent) > capacity,
            8 * u128::from(sent) < capacity,
        );
        let limit = match now < self.ceiling.1 {
            true => self.ceiling.0,
            false => MAX_INCREASE,
        };
        if is_limiting && 3 * acknowledged > sent && (0..limit).contains(&self.level) {
            self.level += 1;
        } else if is_idle && self.level > 0 {
            self.level -= 1;
        }
        self.period = (now, 0, 0);
    }

    /// Returns `None` if a datagram may be sent at `now`, else when one may be.
    pub(super) fn blocked_until(&mut self, now: Nanos) -> Option<Nanos> {
        self.adapt(now);
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

    /// Takes the tokens of a datagram of `bytes` [B]: more if its reader is best-effort.
    pub(super) fn consume(&mut self, bytes: usize, is_best_effort: bool) {
        let mut charged = bytes.saturating_add(DATAGRAM_OVERHEAD);
        if is_best_effort {
            let rate = self.path.best_effort_bytes_per_second.max(1);
            let scaled =
                charged as u128 * u128::from(self.path.bytes_per_second) / u128::from(rate);
            charged = usize::try_from(scaled).unwrap_or(usize::MAX);
        }
        self.tokens -= i64::try_from(charged).unwrap_or(i64::MAX / 2);
        self.sent_bytes = self.sent_bytes.saturating_add(charged);
        self.period.1 = self.period.1.saturating_add(charged as u64);
    }

    /// Notes a request of a reader. Lowers the rate after a period in which the loss shows that a
    /// buffer overflows; a lower loss is caused by the network and independent of the rate.
    ///
    /// The losses are compared with the range of the request, because a reader requests the losses
    /// of a large sample a part at a time, when others are sent already.
    pub(super) fn note_losses(&mut self, now: Nanos, losses: Losses) {
        self.losses.lost += losses.lost;
        self.losses.total += losses.total;
        self.period.2 = self.period.2.saturating_add(losses.acknowledged);
        if self.sent_bytes < REDUCTION_BURSTS * self.path.burst_bytes
            || self.losses.total < WINDOW
            || now.since(self.counted_since) < LOSS_PERIOD
        {
            return;
        }
        let datagram = (self.path.max_datagram + DATAGRAM_OVERHEAD) as u64;
        let share = self.losses.lost * datagram * NETWORK_SHARE;
        if self.losses.lost * OVERFLOW_SHARE > self.losses.total && share > self.sent_bytes as u64 {
            if self.level > 0 {
                self.ceiling = (self.level - 1, now.plus(CEILING_TIME));
            }
            (self.level, self.changed) = ((self.level - 1).max(-MAX_REDUCTION), now);
        }
        (self.sent_bytes, self.losses) = (0, Losses::new(0, 0));
        self.counted_since = now;
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
                    bucket.consume(1000, false);
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
            best_effort_bytes_per_second: 500_000,
        };
        Bucket::new(path, Nanos(0))
    }

    #[test]
    fn mean_rate_is_kept() {
        let bytes = sent(&mut bucket(), Nanos(0), 2);
        assert!((2_000_000..2_020_000).contains(&bytes), "{bytes}");
    }

    #[test]
    fn best_effort_readers_have_their_own_rate() {
        let mut bucket = bucket();
        let (mut now, mut bytes) = (Nanos(0), 0);
        while now < Nanos(2_000_000_000) {
            match bucket.blocked_until(now) {
                Some(later) => now = later,
                None => {
                    bucket.consume(1000, true);
                    bytes += 1000 + DATAGRAM_OVERHEAD;
                }
            }
        }
        assert!((1_000_000..1_020_000).contains(&bytes), "{bytes}");
    }

    #[test]
    fn few_losses_do_not_lower_the_rate() {
        let mut bucket = bucket();
        let before = sent(&mut bucket, Nanos(0), 1);
        bucket.note_losses(Nanos(1_000_000_000), Losses::new(10, 256));
        let after = sent(&mut bucket, Nanos(1_000_000_000), 1);
        assert!(after.abs_diff(before) < 20_000, "{before}, then {after}");
    }

    /// Requests that each cover only what is missing are no overflow while nearly all arrives.
    #[test]
    fn single_losses_do_not_lower_the_rate() {
        let mut bucket = bucket();
        sent(&mut bucket, Nanos(0), 60);
        let now = Nanos(60_000_000_000);
        (0..300).for_each(|_| bucket.note_losses(now, Losses::new(1, 1)));
        assert_eq!(bucket.level, 0);
    }

    #[test]
    fn losses_lower_the_rate_for_a_while() {
        let mut bucket = bucket();
        let now = Nanos(1_000_000_000);
        sent(&mut bucket, Nanos(0), 1);
        bucket.note_losses(now, Losses::new(100, 256));
        bucket.note_losses(now, Losses::new(100, 256));
        let bytes = sent(&mut bucket, now, 1);
        assert!((910_000..940_000).contains(&bytes), "{bytes}");
    }

    /// Sends for a second in periods of 1 ms; a reader acknowledges all datagrams.
    fn acknowledged_second(bucket: &mut Bucket, start: Nanos) -> u64 {
        let mut total = 0;
        for k in 0..1000 {
            let now = start.plus(k * MILLIS);
            while bucket.blocked_until(now).is_none() {
                bucket.consume(1000, false);
                total += 1000;
                let losses = Losses::new(0, 1).with_acknowledged(1000);
                bucket.note_losses(now, losses);
            }
        }
        total
    }

    /// Acknowledged data raises the rate, up to its limit; a loss lowers it by a step that is not
    /// taken again for ten seconds.
    #[test]
    fn acknowledged_data_raises_the_rate() {
        let mut bucket = bucket();
        let first = acknowledged_second(&mut bucket, Nanos(0));
        for second in 1..5 {
            acknowledged_second(&mut bucket, Nanos(second * 1_000_000_000));
        }
        assert_eq!(bucket.level, MAX_INCREASE);
        let raised = acknowledged_second(&mut bucket, Nanos(5_000_000_000));
        assert!(raised < 5 * first, "{first} B, then {raised} B");
        let now = Nanos(6_000_000_000).plus(LOSS_PERIOD);
        bucket.note_losses(now, Losses::new(200, 256));
        assert_eq!(bucket.level, MAX_INCREASE - 1);
        acknowledged_second(&mut bucket, now);
        assert_eq!(bucket.level, MAX_INCREASE - 1);
    }

    /// Without acknowledgements, as of best-effort readers, losses are unknown.
    #[test]
    fn unacknowledged_data_does_not_raise_the_rate() {
        let mut bucket = bucket();
        sent(&mut bucket, Nanos(0), 3);
        assert_eq!(bucket.level, 0);
    }

    /// Losses in less than the period do not lower the rate.
    #[test]
    fn a_pause_of_the_reader_does_not_lower_the_rate() {
        let mut bucket = bucket();
        for k in 1..10 {
            bucket.consume(100_000, false);
            bucket.note_losses(Nanos(k * 10 * MILLIS), Losses::new(256, 256));
        }
        assert_eq!(bucket.level, 0);
    }

    /// The rate falls by at most seven steps and recovers one step every 0.3 s.
    #[test]
    fn the_rate_falls_and_recovers_in_steps() {
        let mut bucket = bucket();
        let mut now = Nanos(0);
        for _ in 0..10 {
            now = now.plus(LOSS_PERIOD);
            bucket.consume(100_000, false);
            bucket.note_losses(now, Losses::new(256, 256));
        }
        assert_eq!(bucket.level, -7);
        for level in [-6, -5] {
            now = now.plus(300 * MILLIS);
            let _ = bucket.blocked_until(now);
            assert_eq!(bucket.level, level);
        }
    }
}
