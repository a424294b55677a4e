//! Agenda: receptions that start or end within a time window, in the order of processing.
//!
//! # Law
//! ```text
//!   receptions are processed in the order of (time, end before start, transmission)      (1)
//! ```
//! Transmissions are numbered in the order of their starts. The agenda contains the starts and ends
//! of all transmissions up to the end of the window, sorted once. It is not part of the saved
//! state: every transmission stores the numbers of receptions that have started and ended.
//!
//! # Limits
//! None.
//!
//! # Checked by
//! Tests of this file.

use crate::network::schedule::prefetch::prefetch;
use merrow_model::state::comms::{NetworkState, Transmission};

/// Bits of the index of an entry in a sort key. The bit above it is set for starts, and the upper
/// bits are the time since the start of the window.
const INDEX_BITS: u32 = 39;
/// Longest window [ns]: the time in a sort key has 24 bits.
pub(crate) const MAX_WINDOW: u64 = (1 << (63 - INDEX_BITS)) - 1;

/// Start or end of a reception.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    /// Index of the transmission in `NetworkState::transmissions`.
    pub(crate) transmission: u32,
    /// Index of the reception in `Transmission::receptions`.
    pub(crate) reception: u32,
    /// Index of the receiving modem.
    pub(crate) to: u32,
}

/// Receptions of a window.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    /// Serials and indices of the transmissions in flight, in the order of the serials.
    active: Vec<(u32, u32)>,
    /// Starts and ends in the order of transmissions.
    entries: Vec<Due>,
    /// Sort keys of the entries.
    keys: Vec<u64>,
    /// Keys of a new transmission.
    fresh: Vec<u64>,
    /// Index of the next key.
    next: usize,
    /// Start of the window [ns].
    start_ns: u64,
    /// End of the window [ns]; `None`: no window.
    until_ns: Option<u64>,
    /// Whether an aborted transmission has entries with wrong times.
    is_outdated: bool,
}

impl Agenda {
    /// Opens the window from the time of the state to `until_ns` [ns], at most [`MAX_WINDOW`].
    /// Sets the time of the next reception to the first reception after the window.
    pub(crate) fn open(&mut self, state: &mut NetworkState, until_ns: u64) {
        self.active.clear();
        let transmissions = &state.transmissions;
        self.active
            .extend(transmissions.iter().map(|(k, item)| (item.serial, k)));
        self.active.sort_unstable();
        self.entries.clear();
        self.keys.clear();
        self.next = 0;
        self.start_ns = state.time_ns;
        self.until_ns = Some(until_ns);
        self.is_outdated = false;
        let mut later = u64::MAX;
        for (_, k) in &self.active {
            let window = [self.start_ns, until_ns];
            let lists = (&mut self.entries, &mut self.keys);
            later = later.min(append(state, *k, window, lists));
        }
        self.keys.sort_unstable();
        state.next_reception_ns = later;
    }

    /// Closes the window that is open.
    pub(crate) fn close(&mut self) {
        self.until_ns = None;
    }

    /// Adds a new transmission, which has the largest serial.
    pub(crate) fn add(&mut self, state: &mut NetworkState, k: u32) {
        let Some(until_ns) = self.until_ns else {
            let first = next_ns(&state.transmissions[k]).unwrap_or(u64::MAX);
            state.next_reception_ns = state.next_reception_ns.min(first);
            return;
        };
        self.fresh.clear();
        let lists = (&mut self.entries, &mut self.fresh);
        let window = [self.start_ns, until_ns];
        let later = append(state, k, window, lists);
        state.next_reception_ns = state.next_reception_ns.min(later);
        self.fresh.sort_unstable();
        self.merge();
    }

    /// Merges the keys of a new transmission into the keys that are not processed.
    fn merge(&mut self) {
        let mut old = self.keys.len();
        self.keys.resize(old + self.fresh.len(), 0);
        let mut place = self.keys.len();
        while let Some(key) = self.fresh.pop() {
            while old > self.next && self.keys[old - 1] > key {
                old -= 1;
                place -= 1;
                self.keys[place] = self.keys[old];
            }
            place -= 1;
            self.keys[place] = key;
        }
    }

    /// Marks the entries as outdated, because a transmission was aborted.
    pub(crate) fn invalidate(&mut self) {
        self.is_outdated = true;
    }

    /// Returns true if the entries are outdated.
    pub(crate) fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// Returns the time of the next entry [ns] and whether it is a start, if any.
    pub(crate) fn peek(&self) -> Option<(u64, bool)> {
        let key = self.keys.get(self.next)?;
        let is_start = key >> INDEX_BITS & 1 != 0;
        Some((self.start_ns + (key >> (INDEX_BITS + 1)), is_start))
    }

    /// Returns the entry `ahead` places after the next entry, if any.
    pub(crate) fn entry(&self, ahead: usize) -> Option<&Due> {
        let key = self.keys.get(self.next + ahead)?;
        self.entries.get((key & ((1 << INDEX_BITS) - 1)) as usize)
    }

    /// Removes the next entry.
    pub(crate) fn skip(&mut self) {
        self.next += 1;
    }
}

/// Returns the time of the next start or end of a reception of a transmission [ns], if any.
pub(crate) fn next_ns(transmission: &Transmission) -> Option<u64> {
    let sent = transmission.start_ns;
    let ended = sent + transmission.duration_ns;
    let time = |at: u32, from_ns: u64| {
        let next = transmission.receptions.get(at as usize);
        next.map(|reception| from_ns + reception.delay_ns)
    };
    let start = time(transmission.arrived, sent);
    let end = time(transmission.departed, ended);
    start.into_iter().chain(end).min()
}

/// Appends the starts and ends of a transmission within a window from `start_ns` to `until_ns`
/// [ns]. Returns the time of the first reception after the window [ns]; `u64::MAX`: none.
///
/// The data of the ends is loaded into the cache here, where the loads do not depend on each other.
fn append(
    state: &NetworkState,
    k: u32,
    [start_ns, until_ns]: [u64; 2],
    (entries, keys): (&mut Vec<Due>, &mut Vec<u64>),
) -> u64 {
    let transmission = &state.transmissions[k];
    let copies = match transmission.control {
        None => state.messages.items.get(transmission.message as usize),
        Some(_) => None,
    };
    let copies = copies.map_or(&[][..], |message| &message.copies);
    let n = state.modems.len();
    let links = state.link_signals.get(transmission.from as usize * n..);
    let links = links.unwrap_or_default();
    let mut later = u64::MAX;
    let (arrived, departed) = (transmission.arrived, transmission.departed);
    let sent = transmission.start_ns;
    let ended = sent + transmission.duration_ns;
    for (at, from_ns, class) in [(arrived, sent, 1), (departed, ended, 0)] {
        for (r, reception) in transmission.receptions.iter().enumerate().skip(at as usize) {
            let time = from_ns + reception.delay_ns;
            if time > until_ns {
                later = later.min(time);
                break;
            }
            if class == 0 {
                prefetch(copies.get(reception.copy as usize));
                prefetch(links.get(reception.to as usize));
            }
            let index = entries.len() as u64;
            keys.push(((time - start_ns) << 1 | class) << INDEX_BITS | index);
            entries.push(Due {
                transmission: k,
                reception: r as u32,
                to: reception.to,
            });
        }
    }
    later
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::rng::Stream;
    use merrow_model::state::comms::Reception;

    /// Adds a transmission at the time of the state with random travel times below 100 ns.
    fn launch(state: &mut NetworkState, stream: &Stream) -> u32 {
        let k = state.transmissions.allocate();
        let mut draw = stream.draw(state.sequence);
        let mut delays: Vec<u64> = (0..9).map(|_| (draw.uniform() * 100.0) as u64).collect();
        delays.sort_unstable();
        let transmission = &mut state.transmissions[k];
        transmission.serial = state.sequence as u32;
        transmission.start_ns = state.time_ns;
        transmission.duration_ns = 1 + (draw.uniform() * 30.0) as u64;
        transmission
            .receptions
            .extend(delays.iter().map(|delay_ns| Reception {
                to: 0,
                copy: u32::MAX,
                delay_ns: *delay_ns,
                power: 1.0,
                noise: 1.0,
                doppler: 0.0,
                cause: None,
                is_decodable: true,
            }));
        state.sequence += 1;
        k
    }

    // Law (1). Method: 200 transmissions with equal times of many receptions; windows of 40 ns;
    // half of the transmissions start within a window. Every start and end is processed once.
    #[test]
    fn receptions_are_processed_in_order() {
        let stream = Stream::new(7, "agenda");
        let mut state = NetworkState {
            next_reception_ns: u64::MAX,
            ..NetworkState::default()
        };
        let mut agenda = Agenda::default();
        let mut processed = Vec::new();
        for n in 0..104 {
            state.time_ns = 40 * n;
            if n < 100 {
                let k = launch(&mut state, &stream);
                agenda.add(&mut state, k);
            }
            assert!(state.next_reception_ns >= state.time_ns);
            agenda.open(&mut state, 40 * n + 39);
            let mut is_added = n >= 100;
            while let Some((time_ns, is_start)) = agenda.peek() {
                if !is_added && time_ns >= 40 * n + 20 {
                    state.time_ns = time_ns;
                    let k = launch(&mut state, &stream);
                    agenda.add(&mut state, k);
                    is_added = true;
                    continue;
                }
                let due = *agenda.entry(0).expect("next entry");
                agenda.skip();
                let item = &mut state.transmissions[due.transmission];
                let count = if is_start {
                    &mut item.arrived
                } else {
                    &mut item.departed
                };
                assert_eq!(*count, due.reception);
                *count += 1;
                processed.push((time_ns, is_start, item.serial, due.reception));
            }
            agenda.close();
        }
        assert!(processed.is_sorted());
        assert_eq!(state.next_reception_ns, u64::MAX);
        assert_eq!(processed.len() as u64, state.sequence * 18);
    }
}
