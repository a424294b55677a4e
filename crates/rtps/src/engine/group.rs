//! Endpoints of one participant that match one local endpoint (RTPS 2.5, 8.4.7.5, 8.4.10.4).

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::wire::{EntityId, Guid, GuidPrefix};

/// Largest count of endpoints of one participant that match one local endpoint.
pub(super) const MAX_GROUP: usize = 1024;

/// Number of the matched endpoints of each participant.
#[derive(Debug, Default)]
pub(super) struct Groups(HashMap<GuidPrefix, usize>);

/// What became of an endpoint that was to be matched with a local one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// It matches now.
    New,
    /// It matched before.
    Known,
    /// Its participant has too many that match.
    TooMany,
}

impl Groups {
    /// Adds an endpoint of a participant. Returns false if it has too many.
    pub(super) fn add(&mut self, prefix: GuidPrefix) -> bool {
        let count = self.0.entry(prefix).or_default();
        let fits = *count < MAX_GROUP;
        *count += usize::from(fits);
        fits
    }

    /// Removes an endpoint of a participant that was added.
    pub(super) fn remove(&mut self, prefix: GuidPrefix) {
        if let Some(count) = self.0.get_mut(&prefix) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(&prefix);
            }
        }
    }
}

/// Returns the range of the GUIDs of one participant.
pub(super) fn group_of(prefix: GuidPrefix) -> RangeInclusive<Guid> {
    Guid::new(prefix, EntityId::UNKNOWN)..=Guid::new(prefix, EntityId([255; 4]))
}
