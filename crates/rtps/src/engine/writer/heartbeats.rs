//! Heartbeats of a writer (RTPS 2.5, 8.4.15.4).

use super::proxy::Proxy;
use super::{ANSWER_PERIOD, HEARTBEAT_PERIOD, HEARTBEAT_SPACING, REQUESTED_SPACING, Writer};
use crate::engine::Control;
use crate::engine::config::Nanos;
use crate::wire::*;

/// Number of unacknowledged samples from which each heartbeat requests an answer.
const MAX_UNANSWERED: i64 = 32;

impl Writer {
    /// Returns when a heartbeat is due.
    pub(in crate::engine) fn deadline(&self) -> Option<Nanos> {
        self.proxies.values().filter_map(|p| p.heartbeat_at).min()
    }

    /// Makes the heartbeats due to which the readers answer that lack an acknowledgement.
    pub(in crate::engine) fn request_acknowledgments(&mut self, now: Nanos) {
        let last = self.last;
        for proxy in self.proxies.values_mut().filter(|p| p.is_awaited(last)) {
            let earliest = proxy.heartbeat_requested_at;
            let at = earliest.map_or(now, |at| now.max(at.plus(REQUESTED_SPACING)));
            proxy.heartbeat_at = Some(proxy.heartbeat_at.map_or(at, |due| due.min(at)));
        }
    }

    /// Returns the heartbeats that are due (RTPS 2.5, 8.4.15.4). A reader with pending samples
    /// receives its heartbeat with the last pending sample.
    pub(in crate::engine) fn heartbeats(&mut self, now: Nanos) -> Vec<Control> {
        self.expire(now);
        let last = self.last;
        let mut out = Vec::new();
        let is_due = |proxy: &Proxy| proxy.heartbeat_at.is_some_and(|at| at <= now);
        let due = self.proxies.iter().filter(|(_, proxy)| is_due(proxy));
        let due: Vec<_> = due.map(|(guid, _)| *guid).collect();
        let mut group = None;
        for guid in due {
            let lacked = match group {
                Some((prefix, lacked)) if prefix == guid.prefix => lacked,
                _ => self.first_lacked(guid.prefix),
            };
            group = Some((guid.prefix, lacked));
            let first = self.heartbeat_first(guid, lacked);
            let Some(proxy) = self.proxies.get_mut(&guid) else {
                continue;
            };
            let period = proxy.heartbeat_period;
            let done = proxy.answered && proxy.unacknowledged > last;
            proxy.heartbeat_at = (!done).then(|| now.plus(period));
            let held = proxy.held_until(now).is_some();
            if proxy.next.0 <= last && proxy.next != (proxy.first, 1) && !held {
                continue;
            }
            // a durable reader has to request its history
            let last = match held && !proxy.durable {
                true => proxy.next.0.plus(-1),
                false => last,
            };
            // all held samples may have left the history; the empty range ends before its start
            let last = last.max(first.plus(-1));
            proxy.heartbeat_period = (2 * period).min(HEARTBEAT_PERIOD.1);
            (proxy.heartbeat_sent, proxy.heartbeat_requested_at) = (Some(now), Some(now));
            proxy.answers.note_heartbeat(now, proxy.next, false);
            self.count = self.count.wrapping_add(1);
            let heartbeat = Submessage::Heartbeat(Heartbeat {
                reader: guid.entity,
                writer: self.guid.entity,
                first,
                last,
                count: self.count,
                is_final: false,
                liveliness: false,
            });
            out.push((proxy.to, guid.prefix, heartbeat));
        }
        out
    }

    /// Returns the first sample that a heartbeat to `reader` announces, where a reader of the same
    /// participant lacks `lacked`.
    ///
    /// Cyclone DDS discards earlier samples for all readers of the participant, so the number must
    /// not exceed the first sample that any of them lacks.
    fn heartbeat_first(&self, reader: Guid, lacked: Option<SequenceNumber>) -> SequenceNumber {
        let own = self.proxies.get(&reader).map(|proxy| proxy.first);
        let first = own.into_iter().chain(lacked).min();
        first.unwrap_or(self.last.next()).max(self.first())
    }

    /// Returns the first sample that a reliable reader of a participant lacks.
    fn first_lacked(&self, prefix: GuidPrefix) -> Option<SequenceNumber> {
        let lacks = |proxy: &&Proxy| proxy.reliable && proxy.unacknowledged <= self.last;
        let group = self.of_participant(prefix).map(|(_, proxy)| proxy);
        let lacked = group.filter(lacks);
        lacked.map(|p| p.unacknowledged.max(p.first)).min()
    }

    /// Appends a heartbeat to the samples for `reader`, if it is reliable.
    pub(super) fn append_heartbeat(
        &mut self,
        now: Nanos,
        reader: Guid,
        builder: &mut MessageBuilder,
    ) {
        let first = self.heartbeat_first(reader, self.first_lacked(reader.prefix));
        let last = self.last;
        let Some(proxy) = self.proxies.get_mut(&reader) else {
            return;
        };
        let since = |at: Option<Nanos>| at.map_or(u64::MAX, |at| now.since(at));
        let waits = proxy.is_busy(last) && since(proxy.heartbeat_sent) < HEARTBEAT_SPACING;
        if !proxy.reliable || waits {
            return;
        }
        let is_final = proxy.answered
            && last.0 - proxy.unacknowledged.0 < MAX_UNANSWERED
            && since(proxy.heartbeat_requested_at) < ANSWER_PERIOD;
        proxy.heartbeat_sent = Some(now);
        proxy.answers.note_heartbeat(now, proxy.next, is_final);
        let due = match (is_final, proxy.heartbeat_requested_at) {
            (true, Some(requested)) => requested.plus(ANSWER_PERIOD),
            _ => {
                proxy.heartbeat_requested_at = Some(now);
                now.plus(proxy.heartbeat_period)
            }
        };
        proxy.heartbeat_at = Some(due);
        self.count = self.count.wrapping_add(1);
        builder.fixed(&Heartbeat {
            reader: reader.entity,
            writer: self.guid.entity,
            first,
            last,
            count: self.count,
            is_final,
            liveliness: false,
        });
    }
}
