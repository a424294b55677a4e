//! Arrivals of sound between modems at rest, kept until an end or the sea changes.

use crate::channel::world::is_same;
use crate::channel::{Arrival, End};
use merrow_math::Vec3;
use merrow_model::scene::Sea;
use merrow_model::scene::sea::terrain::Terrain;
use std::cell::{Cell, OnceCell};
use std::sync::Arc;

/// Maximum number of modems whose arrivals are kept: at most 50 MB.
const MAX_MODEMS: usize = 1024;

/// Values of the sea, except its water, on which arrivals depend.
#[derive(Clone, Debug)]
struct SeaKey {
    /// Height and slopes of the seabed, height of the waves.
    values: [f64; 4],
    terrain: Option<Arc<Terrain>>,
}

impl SeaKey {
    fn new(sea: &Sea, wave_height: f64) -> Self {
        Self {
            values: Self::values(sea, wave_height),
            terrain: sea.seabed.terrain.clone(),
        }
    }

    fn values(sea: &Sea, wave_height: f64) -> [f64; 4] {
        let [east, north] = sea.seabed.slope;
        [sea.seabed.z0, east, north, wave_height]
    }

    fn is_current(&self, sea: &Sea, wave_height: f64) -> bool {
        self.values == Self::values(sea, wave_height) && is_same(&self.terrain, &sea.seabed.terrain)
    }
}

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
    sea: Option<SeaKey>,
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

    /// Starts an update. `water_changed` states whether the water of a modem has changed.
    pub(super) fn start_update(&mut self, sea: &Sea, wave_height: f64, water_changed: bool) {
        self.update += 1;
        let is_current = |key: &SeaKey| key.is_current(sea, wave_height);
        if water_changed || !self.sea.as_ref().is_some_and(is_current) {
            self.sea_changed = self.update;
            self.sea = Some(SeaKey::new(sea, wave_height));
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
