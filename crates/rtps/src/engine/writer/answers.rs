//! Validity of repair requests: a request may refer to samples that are still in transit. The times
//! correspond to `nackSuppressionDuration` of a writer (RTPS 2.5, 8.4.7.1).
//!
//! A reader answers a heartbeat, often some milliseconds later, with the samples that have not
//! arrived. The writer sends further fragments meanwhile. These can be in transit, so a request for
//! them is no loss.

use std::collections::VecDeque;

use crate::engine::config::{MILLIS, Nanos};
use crate::wire::SequenceNumber;

/// A sample and its fragment, from 1.
pub(super) type Position = (SequenceNumber, u32);

/// Maximum number of stored heartbeats.
const MAX_HEARTBEATS: usize = 64;

/// Minimum pause before a heartbeat whose response time is measured [ns], so that each response
/// belongs to one heartbeat.
const QUIET_TIME: u64 = 50 * MILLIS;

/// Largest delay that is assumed [ns]. The first answers of a reader can be late, because it has to
/// discover the writer.
const MAX_DELAY: u64 = 50 * MILLIS;

/// Heartbeats to one reader, and the shortest time to an answer.
#[derive(Debug, Default)]
pub(super) struct Answers {
    /// Times of the last heartbeats with the next position to send.
    heartbeats: VecDeque<(Nanos, Position)>,
    /// Time of the heartbeat whose answer is measured.
    measured: Option<Nanos>,
    /// Shortest time from a heartbeat to its answer [ns]; slowly growing, for networks that change.
    min_delay: u64,
}

impl Answers {
    /// Records a heartbeat; all samples before `next` were sent. A final heartbeat may have no
    /// answer.
    pub(super) fn note_heartbeat(&mut self, now: Nanos, next: Position, is_final: bool) {
        let last = self.heartbeats.back().map(|(at, _)| *at);
        let quiet = last.is_none_or(|at| now.since(at) >= QUIET_TIME);
        self.measured = (quiet && !is_final).then_some(now);
        if self.heartbeats.len() >= MAX_HEARTBEATS {
            self.heartbeats.pop_front();
        }
        self.heartbeats.push_back((now, next));
    }

    /// Measures the time to an answer that arrives now.
    pub(super) fn note_answer(&mut self, now: Nanos) {
        let Some(sent) = self.measured.take() else {
            return;
        };
        let delay = now.since(sent);
        self.min_delay = match self.min_delay {
            0 => delay,
            known => delay.min(known + known / 8),
        };
    }

    /// Returns the minimum time after which a reader can report a lost sample [ns].
    pub(super) fn delay(&self) -> u64 {
        (self.min_delay - self.min_delay / 8).min(MAX_DELAY)
    }

    /// Returns the position before which a request that arrives at `now` is valid: the position of
    /// the last heartbeat that it can answer. Without heartbeats it is `next`.
    pub(super) fn known_position(&self, now: Nanos, next: Position) -> Position {
        let old = |(at, _): &&(Nanos, Position)| now.since(*at) >= self.delay();
        let first = self.heartbeats.front().map_or(next, |(_, first)| *first);
        let answered = self.heartbeats.iter().rev().find(old);
        answered.map_or(first, |(_, position)| *position).min(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from_millis(ms: u64) -> Nanos {
        Nanos(ms * MILLIS)
    }

    fn position(fragment: u32) -> Position {
        (SequenceNumber(2), fragment)
    }

    #[test]
    fn requests_for_fragments_under_way_are_ignored() {
        let mut answers = Answers::default();
        answers.note_heartbeat(from_millis(0), position(1), false);
        answers.note_answer(from_millis(7));
        for k in 1..=10 {
            answers.note_heartbeat(from_millis(100 + 8 * k), position(100 * k as u32), true);
        }
        // the request answers the heartbeat of 164 ms or an earlier heartbeat
        let known = answers.known_position(from_millis(171), position(910));
        assert_eq!(known, position(800));
        let after_the_stream = answers.known_position(from_millis(190), position(1000));
        assert_eq!(after_the_stream, position(1000));
    }

    #[test]
    fn only_answers_of_single_heartbeats_are_measured() {
        let mut answers = Answers::default();
        answers.note_heartbeat(from_millis(0), position(1), false);
        answers.note_heartbeat(from_millis(10), position(1), false);
        answers.note_answer(from_millis(11));
        assert_eq!(answers.delay(), 0);
        answers.note_heartbeat(from_millis(100), position(1), false);
        answers.note_answer(from_millis(108));
        assert_eq!(answers.delay(), 7 * MILLIS);
    }
}
