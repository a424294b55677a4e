//! Arrivals of sound between modems at rest, kept until an end or the sea changes.

use crate::channel::{Arrival, End};
use merrow_math::Vec3;
use std::cell::{Cell, OnceCell};

/// Maximum number of modems whose arrivals are kept: at most 50 MB.
const MAX_MODEMS: usize = 1024;

/// Arrival with the number of the update in which it was computed; 0: none.
type Entry = Cell<(u64, Arrival)>;

/// Arrivals between modems at rest.
#[derive(Debug, Default)]
pub(super) struct FixedArrivals {
    /// Number of the current update.
    update: u64,
    /// Update in which the place of each modem last changed.
    moved: Vec<u64>,
    /// Update in which the sea last changed.
    sea_changed: u64,
    /// Entries by transmitter and receiver; a transmitter that never rests has none.
    rows: Vec<OnceCell<Box<[Entry]>>>,
}

impl FixedArrivals {
    /// Creates the arrivals between `n` modems.
    pub(super) fn new(n: usize) -> Self {
        let n = if n > MAX_MODEMS { 0 } else { n };
        Self {
            moved: vec![0; n],
            rows: (0..n).map(|_| OnceCell::new()).collect(),
            ..Self::default()
        }
    }

    /// Starts an update. `sea_has_changed` states whether the sea is not that of the last update.
    pub(super) fn start_update(&mut self, sea_has_changed: bool) {
        self.update += 1;
        if sea_has_changed {
            self.sea_changed = self.update;
        }
    }

    /// Notes the places of a modem at the previous and at the current update.
    pub(super) fn note_place(&mut self, modem: usize, before: Option<&End>, now: &End) {
        let is_same = |old: &End| old.p == now.p && old.R_WM == now.R_WM;
        let is_fixed = now.v == Vec3::zero() && before.is_some_and(is_same);
        if let Some(moved) = self.moved.get_mut(modem)
            && !is_fixed
        {
            *moved = self.update;
        }
    }

    /// Returns the arrival from one modem at another. Calls `compute` if an end or the sea has
    /// changed since the last call.
    #[inline]
    pub(super) fn get_or_compute<E>(
        &self,
        [from, to]: [usize; 2],
        compute: impl FnOnce() -> Result<Arrival, E>,
    ) -> Result<Arrival, E> {
        let Some(row) = self.rows.get(from) else {
            return compute();
        };
        let row = row.get_or_init(|| vec![Entry::default(); self.rows.len()].into());
        let (computed, arrival) = row[to].get();
        let changed = self.moved[from].max(self.moved[to]).max(self.sea_changed);
        if computed > 0 && computed >= changed {
            return Ok(arrival);
        }
        let arrival = compute()?;
        row[to].set((self.update, arrival));
        Ok(arrival)
    }
}
