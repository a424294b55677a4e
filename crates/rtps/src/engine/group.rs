//! Endpoints of one participant that match one local endpoint (RTPS 2.5, 8.4.7.5, 8.4.10.4).

use std::ops::RangeInclusive;

use crate::wire::{EntityId, Guid, GuidPrefix};

/// Maximum number of endpoints of one participant that match one local endpoint.
pub(super) const MAX_GROUP: usize = 1024;

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

/// Returns the range of the GUIDs of one participant.
pub(super) fn group_of(prefix: GuidPrefix) -> RangeInclusive<Guid> {
    Guid::new(prefix, EntityId::UNKNOWN)..=Guid::new(prefix, EntityId([255; 4]))
}
