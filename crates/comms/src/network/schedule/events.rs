//! Event queue: a heap that is part of the saved state.
//!
//! # Law
//! ```text
//!   events are processed in the order of (time, class, number)      (1)
//! ```
//! Classes at one instant: ends of transmissions, ends of receptions, decisions and time-outs,
//! starts of receptions. The queue contains no receptions (`agenda.rs`). A reception that ends when
//! another reception starts does not overlap it. A modem that decides at an instant does not sense
//! a signal that starts to arrive at this instant.
//!
//! # Symbols
//! number: counts the scheduled events of a run.
//!
//! # Limits
//! None.
//!
//! # Checked by
//! Tests of this file.

use merrow_model::state::comms::{Event, EventKind, NetworkState};
use std::hint::select_unpredictable;

/// Number of children of a node of the heap. With four children, most events move by a few levels
/// only.
const CHILDREN: usize = 4;
/// Position of the class in the order of an event.
const CLASS_SHIFT: u32 = 60;
/// Class of the ends of receptions: before decisions at the same instant.
pub(crate) const RECEPTION_END: u64 = 1;
/// Class of the starts of receptions: after decisions at the same instant.
pub(crate) const RECEPTION_START: u64 = 3;

/// Adds an event at `time_ns` [ns] to the heap. Events of one class at one instant are processed in
/// the order of these calls.
pub(crate) fn schedule(state: &mut NetworkState, time_ns: u64, kind: EventKind) {
    let class: u64 = match kind {
        EventKind::TransmitEnd { .. } => 0,
        EventKind::Access { .. }
        | EventKind::Repetition { .. }
        | EventKind::Wake { .. }
        | EventKind::PowerCheck { .. } => 2,
    };
    let order = (class << CLASS_SHIFT) | state.sequence;
    state.sequence += 1;
    state.events.push(Event {
        time_ns,
        order,
        kind,
    });
    let last = state.events.len() - 1;
    sift_up(&mut state.events, last);
}

/// Removes the first event.
pub(crate) fn pop(events: &mut Vec<Event>) {
    if !events.is_empty() {
        events.swap_remove(0);
        sift_down(events);
    }
}

/// Returns the class that orders events at one instant, as in the law of this file.
pub(crate) fn class(event: &Event) -> u64 {
    event.order >> CLASS_SHIFT
}

/// Returns the number that orders an event by (1).
fn key(event: &Event) -> u128 {
    (u128::from(event.time_ns) << 64) | u128::from(event.order)
}

fn precedes(a: &Event, b: &Event) -> bool {
    key(a) < key(b)
}

/// Returns the index of the earliest of the children from `first` on. The processor cannot predict
/// which child is the earliest, therefore the selection has no branches.
fn earliest_child(events: &[Event], first: usize) -> usize {
    let earlier = |a: (u128, usize), b: (u128, usize)| {
        let is_second = b.0 < a.0;
        (
            select_unpredictable(is_second, b.0, a.0),
            select_unpredictable(is_second, b.1, a.1),
        )
    };
    let entry = |k: usize| (key(&events[k]), k);
    match events.get(first..first + CHILDREN) {
        Some(_) => {
            let pairs = [0, 2].map(|k| earlier(entry(first + k), entry(first + k + 1)));
            earlier(pairs[0], pairs[1]).1
        }
        None => {
            let mut best = entry(first);
            for k in first + 1..events.len() {
                best = earlier(best, entry(k));
            }
            best.1
        }
    }
}

fn sift_up(events: &mut [Event], mut k: usize) {
    while k > 0 {
        let parent = (k - 1) / CHILDREN;
        if !precedes(&events[k], &events[parent]) {
            return;
        }
        events.swap(k, parent);
        k = parent;
    }
}

fn sift_down(events: &mut [Event]) {
    let Some(moved) = events.first().copied() else {
        return;
    };
    let (mut k, n) = (0, events.len());
    loop {
        let first = CHILDREN * k + 1;
        if first >= n {
            break;
        }
        let child = earliest_child(events, first);
        if !precedes(&events[child], &moved) {
            break;
        }
        events[k] = events[child];
        k = child;
    }
    events[k] = moved;
}

#[cfg(test)]
mod tests {
    use super::*;
    use merrow_math::rng::Stream;

    // Law (1). Method: 2000 events at random times.
    #[test]
    fn events_are_processed_in_order() {
        let mut state = NetworkState::default();
        let stream = Stream::new(3, "events");
        for k in 0..2000 {
            let time = (stream.draw(k).uniform() * 100.0) as u64;
            let kind = match k % 2 {
                0 => EventKind::Wake { modem: 0 },
                _ => EventKind::TransmitEnd {
                    transmission: 0,
                    serial: 0,
                },
            };
            schedule(&mut state, time, kind);
        }
        let mut last = (0, 0);
        let mut k = 0;
        while let Some(first) = state.events.first().copied() {
            assert!((first.time_ns, first.order) > last || k == 0);
            last = (first.time_ns, first.order);
            k += 1;
            pop(&mut state.events);
        }
    }
}
