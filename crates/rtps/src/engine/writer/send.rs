//! Datagrams of a writer: samples, fragments and repairs (RTPS 2.5, 8.4.9).

use super::proxy::{Proxy, SURROUNDINGS};
use super::{Buckets, Destination, Writer};
use crate::engine::config::Nanos;
use crate::engine::group::group_of;
use crate::engine::outgoing::Outgoing;
use crate::engine::pace::Bucket;
use crate::wire::*;

impl Writer {
    /// Fills an empty datagram with samples. Returns its destination, or when the pace allows one.
    pub(in crate::engine) fn poll(
        &mut self,
        now: Nanos,
        buckets: &mut Buckets,
        builder: &mut MessageBuilder,
    ) -> Result<Option<Destination>, Nanos> {
        let mut blocked: Option<Nanos> = None;
        let last = self.last;
        let mut candidates = Vec::new();
        // during a flood of forged participants hundreds of readers are held
        for (guid, proxy) in self.proxies.iter().filter(|(_, p)| p.is_busy(last)) {
            match proxy.held_until(now) {
                Some(at) => blocked = Some(blocked.map_or(at, |earlier| earlier.min(at))),
                None => candidates.push(*guid),
            }
        }
        for guid in candidates {
            let Some(proxy) = self.proxies.get(&guid) else {
                continue;
            };
            let Proxy {
                to, path, reliable, ..
            } = *proxy;
            let bucket = buckets.entry(to).or_insert_with(|| Bucket::new(path, now));
            if let Some(at) = bucket.blocked_until(now) {
                blocked = Some(blocked.map_or(at, |earlier| earlier.min(at)));
                continue;
            }
            if self.fill(now, guid, builder) {
                return Ok(Some(Destination {
                    to,
                    prefix: guid.prefix,
                    max_datagram: path.max_datagram,
                    is_best_effort: !reliable,
                }));
            }
        }
        blocked.map_or(Ok(None), Err)
    }

    /// Appends samples to a datagram that another writer has begun, as far as there is room.
    pub(in crate::engine) fn append(
        &mut self,
        now: Nanos,
        to: &Destination,
        builder: &mut MessageBuilder,
    ) {
        let last = self.last;
        let waits = |proxy: &Proxy| {
            proxy.to == to.to && proxy.is_busy(last) && proxy.held_until(now).is_none()
        };
        let readers = self.of_participant(to.prefix);
        let readers = readers.filter(|(_, proxy)| waits(proxy));
        for reader in readers.map(|(guid, _)| *guid).collect::<Vec<_>>() {
            self.fill(now, reader, builder);
        }
    }

    /// Appends samples for `reader` and for the readers of its participant in the same state.
    /// Returns true if there were any.
    fn fill(&mut self, now: Nanos, reader: Guid, builder: &mut MessageBuilder) -> bool {
        let Some(proxy) = self.proxies.get(&reader) else {
            return false;
        };
        let max = proxy.path.max_datagram;
        let start = builder.len();
        while let Some(submessage) = self.peek(reader) {
            if builder.is_empty() {
                builder.info_destination(reader.prefix);
            } else {
                let size = builder.len() + submessage.size() + SURROUNDINGS;
                if size > max || builder.is_full() {
                    break;
                }
            }
            let target = self.advance(now, reader, &submessage);
            submessage.append(builder, target, self.guid.entity);
        }
        if builder.len() == start {
            return false;
        }
        self.append_heartbeat(now, reader, builder);
        true
    }

    /// Returns the next sample or fragment for `reader`: repairs first.
    fn peek(&mut self, reader: Guid) -> Option<Outgoing> {
        loop {
            let proxy = self.proxies.get(&reader)?;
            let repair = proxy.requested.first().copied();
            let at = repair.unwrap_or(proxy.next);
            if at.0 > self.last {
                return None;
            }
            let change = self
                .change(at.0)
                .filter(|change| change.number >= proxy.first);
            if let Some(change) = change {
                let (total, size) = proxy.division(change);
                return Some(Outgoing::new(change, at, total, size, repair.is_some()));
            }
            let end = self.next_relevant(at.0, proxy.first);
            if repair.is_some() {
                return Some(Outgoing::gap(at, end));
            }
            // samples are written faster than sent: the newest one is the most useful
            let newest = self.history.back().filter(|_| !proxy.reliable);
            let newest = newest.filter(|change| proxy.division(change).0 > 1);
            let end = newest.map_or(end, |change| change.number.max(end));
            self.proxies.get_mut(&reader)?.next = (end, 1);
        }
    }

    /// Returns the first sample after `number` that the history has for a reader whose first sample
    /// is `first`, or the number after the last sample.
    fn next_relevant(&self, number: SequenceNumber, first: SequenceNumber) -> SequenceNumber {
        let start = number.next().max(first);
        let index = self.history.partition_point(|c| c.number < start);
        let next = self.history.get(index).map(|change| change.number);
        next.unwrap_or(self.last.next())
    }

    /// Notes that `sent` is sent to `reader`. Returns the reader to address: unknown if all
    /// matched readers of the participant take it.
    fn advance(&mut self, now: Nanos, reader: Guid, sent: &Outgoing) -> EntityId {
        let after = sent.after();
        if sent.repair {
            if let Some(proxy) = self.proxies.get_mut(&reader) {
                proxy.requested.remove(&sent.at);
                if sent.is_gap() {
                    // one GAP answers the requests of all samples and fragments in its range
                    proxy.drop_requests(after.0);
                } else {
                    proxy.repairs.add(now, sent.at);
                }
            }
            return reader.entity;
        }
        let to = self.proxies.get(&reader).map(|proxy| proxy.to);
        let same = |p: &Proxy| Some(p.to) == to && p.next == sent.at;
        if self.of_participant(reader.prefix).all(|(_, p)| same(p)) {
            for (_, proxy) in self.proxies.range_mut(group_of(reader.prefix)) {
                proxy.next = after;
            }
            return EntityId::UNKNOWN;
        }
        if let Some(proxy) = self.proxies.get_mut(&reader) {
            proxy.next = after;
        }
        reader.entity
    }
}
