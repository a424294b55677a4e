//! Counts that mark repeated messages (RTPS 2.5, 8.3.8.1.3, 8.3.8.6.3).

use super::config::{MILLIS, Nanos};

/// Silence after which a lower count is accepted, because the peer has restarted its counter [ns].
const RESTART: u64 = 500 * MILLIS;

/// Filter of the messages of one kind from one endpoint.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CountFilter {
    last: Option<(i32, Nanos)>,
    /// Lower count after a silence, which is confirmed by a higher one.
    suspect: Option<i32>,
}

/// Class of a message, see [`CountFilter::check`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Count {
    /// The message follows the last message.
    New,
    /// The peer has restarted its counter.
    Restarted,
    /// The message or a later message was already processed.
    Repeated,
}

impl CountFilter {
    /// Classifies a message by its count. A large step back is a wrapped counter.
    pub(super) fn check(&mut self, now: Nanos, count: i32) -> Count {
        let result = match self.last {
            None => Count::New,
            Some((last, _)) if count.wrapping_sub(last) > 0 => Count::New,
            Some((_, at)) if now.since(at) > RESTART => {
                let before = self.suspect.replace(count);
                if before.is_none_or(|before| count.wrapping_sub(before) <= 0) {
                    return Count::Repeated;
                }
                Count::Restarted
            }
            Some(_) => return Count::Repeated,
        };
        (self.last, self.suspect) = (Some((count, now)), None);
        result
    }

    /// Stores `count` as the first counter value from a peer.
    pub(super) fn restart(&mut self, now: Nanos, count: i32) {
        (self.last, self.suspect) = (Some((count, now)), None);
    }

    /// Returns true if a message with this count is to be processed.
    pub(super) fn accepts(&mut self, now: Nanos, count: i32) -> bool {
        self.check(now, count) != Count::Repeated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_counts_are_refused() {
        let mut filter = CountFilter::default();
        let checks = [(0, 5), (1, 5), (2, 4), (3, i32::MAX), (4, i32::MIN + 6)];
        let results = checks.map(|(ms, count)| filter.check(Nanos(ms * MILLIS), count));
        let expected = [
            Count::New,
            Count::Repeated,
            Count::Repeated,
            Count::New,
            Count::New,
        ];
        assert_eq!(results, expected);
    }

    #[test]
    fn counts_may_restart_after_silence() {
        let mut filter = CountFilter::default();
        assert!(filter.accepts(Nanos(0), 100));
        assert!(!filter.accepts(Nanos(RESTART), 1));
        assert_eq!(filter.check(Nanos(RESTART + 1), 1), Count::Repeated);
        assert_eq!(filter.check(Nanos(RESTART + 2), 2), Count::Restarted);
        assert!(filter.accepts(Nanos(RESTART + 3), 3));
    }

    #[test]
    fn a_late_duplicate_is_no_restart() {
        let mut filter = CountFilter::default();
        assert!(filter.accepts(Nanos(0), 100));
        for count in [7, 7, 6] {
            assert!(!filter.accepts(Nanos(RESTART + 1), count));
        }
        assert!(filter.accepts(Nanos(RESTART + 2), 101));
        assert!(!filter.accepts(Nanos(2 * RESTART + 3), 7));
    }
}
