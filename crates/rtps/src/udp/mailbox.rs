//! Queue from the I/O thread to the callback thread; it never blocks the I/O thread.
//!
//! Samples of one reader are limited to the depth of its history and to [`MAX_BYTES`]: a slow
//! callback loses the oldest samples of its own reader only, as KEEP_LAST does (DDS 1.4, 2.2.3.18).
//! If all samples exceed their bound, the reader that holds most bytes loses its
//! oldest samples.

use parking_lot::{Condvar, Mutex};
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::time::{Duration, Instant};

/// Bounds of the waiting samples of one reader and of all readers [bytes].
const MAX_BYTES: (usize, usize) = (64 << 20, 256 << 20);

/// Memory of a waiting sample in addition to its payload [bytes].
const ENTRY_BYTES: usize = 256;

/// Maximum number of waiting reports. Further reports are dropped.
const MAX_REPORTS: usize = 256;

/// Queue of events of type `E`; `K` identifies the readers.
#[derive(Debug)]
pub struct Mailbox<K, E> {
    state: Mutex<State<K, E>>,
    filled: Condvar,
}

#[derive(Debug)]
struct State<K, E> {
    order: VecDeque<Entry<K, E>>,
    samples: HashMap<K, Samples<E>>,
    /// Size of all waiting samples [bytes], and number of waiting reports.
    bytes: usize,
    reports: usize,
    dropped: u64,
    closed: bool,
}

/// Waiting samples of one reader.
#[derive(Debug)]
struct Samples<E> {
    queue: VecDeque<(usize, E)>,
    /// Entries of the reader in the order of arrival; more than samples after some were dropped.
    entries: usize,
    bytes: usize,
}

impl<E> Samples<E> {
    fn pop(&mut self) -> Option<(usize, E)> {
        let (bytes, sample) = self.queue.pop_front()?;
        self.bytes -= bytes;
        Some((bytes, sample))
    }
}

impl<E> Default for Samples<E> {
    fn default() -> Self {
        Self {
            queue: VecDeque::new(),
            entries: 0,
            bytes: 0,
        }
    }
}

impl<K: Eq + Hash + Copy, E> State<K, E> {
    /// Drops the oldest sample of `reader`. Returns whether there was one.
    fn drop_oldest(&mut self, reader: K) -> bool {
        let samples = self.samples.get_mut(&reader);
        let Some((bytes, _)) = samples.and_then(Samples::pop) else {
            return false;
        };
        self.bytes -= bytes;
        self.dropped += 1;
        true
    }

    /// Drops samples of the readers that hold most until all samples are within their bound.
    fn limit_all(&mut self) {
        while self.bytes > MAX_BYTES.1 {
            let largest = self.samples.iter().max_by_key(|(_, samples)| samples.bytes);
            let reader = largest.map(|(reader, _)| *reader);
            if !reader.is_some_and(|reader| self.drop_oldest(reader)) {
                return;
            }
        }
    }

    /// Returns the oldest sample of `reader` for one of its entries.
    fn take(&mut self, reader: K) -> Option<E> {
        let samples = self.samples.get_mut(&reader)?;
        samples.entries = samples.entries.saturating_sub(1);
        let (bytes, sample) = samples.pop()?;
        self.bytes -= bytes;
        Some(sample)
    }
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
    /// An event of the network.
    Report(E),
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
                bytes: 0,
                reports: 0,
                dropped: 0,
                closed: false,
            }),
            filled: Condvar::new(),
        }
    }

    /// Appends an event that is never dropped.
    pub fn push_event(&self, event: E) {
        self.state.lock().order.push_back(Entry::Event(event));
        self.filled.notify_one();
    }

    /// Appends an event of the network. It is dropped if too many wait.
    pub fn push_report(&self, event: E) {
        let mut state = self.state.lock();
        if state.reports < MAX_REPORTS {
            state.reports += 1;
            state.order.push_back(Entry::Report(event));
            drop(state);
            self.filled.notify_one();
        }
    }

    /// Appends a sample with a payload of `bytes` [bytes]. Drops the oldest samples of `reader` if
    /// more than `depth` samples or more than [`MAX_BYTES`] would wait; keeps the last sample in
    /// any case.
    pub fn push_sample(&self, reader: K, depth: usize, bytes: usize, sample: E) {
        let mut state = self.state.lock();
        let bytes = bytes.saturating_add(ENTRY_BYTES);
        state.bytes += bytes;
        let waiting = state.samples.entry(reader).or_default();
        waiting.queue.push_back((bytes, sample));
        waiting.bytes += bytes;
        let over = |samples: &Samples<E>| {
            let count = samples.queue.len();
            count > depth.max(1) || (count > 1 && samples.bytes > MAX_BYTES.0)
        };
        while state.samples.get(&reader).is_some_and(over) {
            state.drop_oldest(reader);
        }
        state.limit_all();
        // the entry of a dropped sample now refers to the next sample of the reader
        let samples = state.samples.entry(reader).or_default();
        if samples.entries < samples.queue.len() {
            samples.entries += 1;
            state.order.push_back(Entry::Sample(reader));
            drop(state);
            self.filled.notify_one();
        }
    }

    /// Waits for the next event or sample, at most for `timeout`.
    pub fn next(&self, timeout: Option<Duration>) -> Next<E> {
        let end = timeout.map(|timeout| Instant::now() + timeout);
        let mut state = self.state.lock();
        loop {
            if state.closed {
                return Next::Closed;
            }
            match state.order.pop_front() {
                Some(Entry::Event(event)) => return Next::Event(event),
                Some(Entry::Report(event)) => {
                    state.reports -= 1;
                    return Next::Event(event);
                }
                Some(Entry::Sample(reader)) => {
                    if let Some(sample) = state.take(reader) {
                        return Next::Event(sample);
                    }
                    continue;
                }
                None => {}
            }
            match end {
                None => self.filled.wait(&mut state),
                Some(end) => {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Next::TimedOut;
                    }
                    self.filled.wait_for(&mut state, left);
                }
            }
        }
    }

    /// Removes the waiting samples of a reader.
    pub fn forget(&self, reader: K) {
        let mut state = self.state.lock();
        let samples = state.samples.remove(&reader);
        state.bytes -= samples.map_or(0, |samples| samples.bytes);
    }

    /// Returns the number of samples dropped because callbacks were too slow.
    pub fn dropped(&self) -> u64 {
        self.state.lock().dropped
    }

    /// Ends [`Mailbox::next`] at once.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.filled.notify_all();
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
            mailbox.push_sample('a', 2, 10, sample);
        }
        mailbox.push_sample('b', 2, 10, "b1");
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
        mailbox.push_sample('a', 5, 10, "a1");
        mailbox.push_sample('b', 5, 10, "b1");
        mailbox.forget('a');
        assert_eq!(mailbox.next(None), Next::Event("b1"));
        mailbox.close();
        assert_eq!(mailbox.next(None), Next::Closed);
    }

    /// A reader holds 64 MB, its last sample in any case; all readers hold 256 MB, and the reader
    /// with most of it makes room.
    #[test]
    fn samples_are_limited_by_size() {
        let mailbox = Mailbox::new();
        let mega = 1 << 20;
        (0..10).for_each(|number| mailbox.push_sample('a', 4096, 20 * mega, number));
        assert_eq!(mailbox.dropped(), 7);
        mailbox.push_sample('b', 4096, 100 * mega, 100);
        assert_eq!(mailbox.dropped(), 7);
        for reader in 'c'..='h' {
            mailbox.push_sample(reader, 4096, 30 * mega, 200);
        }
        assert_eq!(mailbox.dropped(), 8, "the sample of 100 MB");
        let order = std::iter::from_fn(|| match mailbox.next(Some(Duration::ZERO)) {
            Next::Event(number) => Some(number),
            _ => None,
        });
        let expected = [7, 8, 9, 200, 200, 200, 200, 200, 200];
        assert_eq!(order.collect::<Vec<_>>(), expected);
        assert_eq!(mailbox.state.lock().bytes, 0);
    }

    #[test]
    fn reports_are_limited_and_other_events_are_not() {
        let mailbox: Mailbox<char, u32> = Mailbox::new();
        (0..1000).for_each(|number| mailbox.push_report(number));
        (0..1000).for_each(|number| mailbox.push_event(number));
        let count = |mailbox: &Mailbox<char, u32>| {
            std::iter::from_fn(|| match mailbox.next(Some(Duration::ZERO)) {
                Next::Event(number) => Some(number),
                _ => None,
            })
            .count()
        };
        assert_eq!(count(&mailbox), MAX_REPORTS + 1000);
        mailbox.push_report(0);
        assert_eq!(count(&mailbox), 1);
    }
}
