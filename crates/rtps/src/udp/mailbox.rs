//! Queue from the I/O thread to the callback thread; it never blocks the I/O thread.
//!
//! Samples of one reader are limited to the depth of its history: a slow callback loses the oldest
//! samples of its own reader only, as KEEP_LAST does (DDS 1.4, 2.2.3.18).

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Queue of events of type `E`; `K` identifies the readers.
#[derive(Debug)]
pub struct Mailbox<K, E> {
    state: Mutex<State<K, E>>,
    filled: Condvar,
}

#[derive(Debug)]
struct State<K, E> {
    order: VecDeque<Entry<K, E>>,
    samples: HashMap<K, VecDeque<E>>,
    dropped: u64,
    closed: bool,
}

/// What [`Mailbox::next`] waited for.
#[derive(Debug, PartialEq, Eq)]
pub enum Next<E> {
    /// The next event or sample.
    Event(E),
    /// No data arrived in time.
    TimedOut,
    /// The queue was closed.
    Closed,
}

/// Entry in the order of arrival.
#[derive(Debug)]
enum Entry<K, E> {
    Event(E),
    /// The oldest sample of a reader.
    Sample(K),
}

impl<K: Eq + Hash + Copy, E> Default for Mailbox<K, E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Eq + Hash + Copy, E> Mailbox<K, E> {
    /// Creates an empty queue.
    pub fn new() -> Self {
        Self {
            state: Mutex::new(State {
                order: VecDeque::new(),
                samples: HashMap::new(),
                dropped: 0,
                closed: false,
            }),
            filled: Condvar::new(),
        }
    }

    /// Appends an event that is never dropped.
    pub fn push_event(&self, event: E) {
        self.state().order.push_back(Entry::Event(event));
        self.filled.notify_one();
    }

    /// Appends a sample; drops the oldest one of `reader` if more than `depth` would wait.
    pub fn push_sample(&self, reader: K, depth: usize, sample: E) {
        let mut state = self.state();
        let waiting = state.samples.entry(reader).or_default();
        waiting.push_back(sample);
        if waiting.len() > depth.max(1) {
            // its entry now represents the next sample of the reader
            waiting.pop_front();
            state.dropped += 1;
            return;
        }
        state.order.push_back(Entry::Sample(reader));
        drop(state);
        self.filled.notify_one();
    }

    /// Waits for the next event or sample, at most for `timeout`.
    pub fn next(&self, timeout: Option<Duration>) -> Next<E> {
        let end = timeout.map(|timeout| Instant::now() + timeout);
        let mut state = self.state();
        loop {
            if state.closed {
                return Next::Closed;
            }
            match state.order.pop_front() {
                Some(Entry::Event(event)) => return Next::Event(event),
                Some(Entry::Sample(reader)) => {
                    let sample = state.samples.get_mut(&reader).and_then(VecDeque::pop_front);
                    if let Some(sample) = sample {
                        return Next::Event(sample);
                    }
                    continue;
                }
                None => {}
            }
            state = match end {
                None => self
                    .filled
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(end) => {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Next::TimedOut;
                    }
                    let (state, _) = self
                        .filled
                        .wait_timeout(state, left)
                        .unwrap_or_else(PoisonError::into_inner);
                    state
                }
            };
        }
    }

    /// Removes the waiting samples of a reader.
    pub fn forget(&self, reader: K) {
        self.state().samples.remove(&reader);
    }

    /// Returns the number of samples dropped because callbacks were too slow.
    pub fn dropped(&self) -> u64 {
        self.state().dropped
    }

    /// Ends [`Mailbox::next`] at once.
    pub fn close(&self) {
        self.state().closed = true;
        self.filled.notify_all();
    }

    fn state(&self) -> MutexGuard<'_, State<K, E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_callback_keeps_the_last_samples_of_its_reader() {
        let mailbox = Mailbox::new();
        mailbox.push_event("matched");
        for sample in ["a1", "a2", "a3"] {
            mailbox.push_sample('a', 2, sample);
        }
        mailbox.push_sample('b', 2, "b1");
        for expected in ["matched", "a2", "a3", "b1"] {
            assert_eq!(mailbox.next(None), Next::Event(expected));
        }
        let nothing = mailbox.next(Some(Duration::from_millis(1)));
        assert_eq!(nothing, Next::TimedOut);
        assert_eq!(mailbox.dropped(), 1);
    }

    #[test]
    fn samples_of_a_removed_reader_are_skipped() {
        let mailbox = Mailbox::new();
        mailbox.push_sample('a', 5, "a1");
        mailbox.push_sample('b', 5, "b1");
        mailbox.forget('a');
        assert_eq!(mailbox.next(None), Next::Event("b1"));
        mailbox.close();
        assert_eq!(mailbox.next(None), Next::Closed);
    }
}
