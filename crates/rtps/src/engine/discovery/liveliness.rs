//! Assertion of the liveliness of local writers (RTPS 2.5, 8.4.13).

use crate::engine::Engine;
use crate::engine::config::{MILLIS, Nanos};
use crate::qos::LivelinessKind;
use crate::wire::*;

/// Shortest period of assertions of liveliness [ns].
const MIN_ASSERTION: u64 = 5 * MILLIS;

impl Engine {
    /// Returns half the shortest lease of a local writer with automatic liveliness [ns], if one is
    /// finite. Writers with manual liveliness assert it by their samples only.
    pub(in crate::engine) fn liveliness_period(&self) -> Option<u64> {
        let all = self.writers.values().map(|writer| writer.qos().liveliness);
        let automatic = all.filter(|l| l.kind == LivelinessKind::Automatic);
        let finite = automatic.filter_map(|liveliness| liveliness.lease.as_nanos());
        finite.min().map(|lease| (lease / 2).max(MIN_ASSERTION))
    }

    /// Asserts the writers with automatic liveliness (RTPS 2.5, 8.4.13).
    pub(in crate::engine) fn assert_liveliness(&mut self, now: Nanos) {
        self.assert_at = self.liveliness_period().map(|period| now.plus(period));
        if self.assert_at.is_none() {
            return;
        }
        let payload = Payload::Data(automatic_liveliness(self.config.guid_prefix));
        self.write_change(now, EntityId::MESSAGE_WRITER, payload, InlineQos::default());
    }
}
