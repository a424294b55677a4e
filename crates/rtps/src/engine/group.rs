//! Endpoints of one participant that match one local endpoint (RTPS 2.5, 8.4.7.5, 8.4.10.4).

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::wire::{EntityId, Guid, GuidPrefix};

/// Maximum number of endpoints of one participant that match one local endpoint.
pub(super) const MAX_GROUP: usize = 1024;

/// Number of the matched endpoints of each participant.
#[derive(Debug, Default)]
pub(super) struct Groups(HashMap<GuidPrefix, usize>);

/// Result of matching a remote endpoint with a local endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// The endpoints match now.
    New,
    /// The endpoints matched before.
    Known,
    /// Too many endpoints of the participant match.
    TooMany,
}

impl Groups {
    /// Adds an endpoint of a participant. Returns false if too many of its endpoints match.
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
