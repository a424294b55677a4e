//! History of a writer: storage and removal of samples (RTPS 2.5, 8.2.2).

use super::proxy::Proxy;
use super::{HEARTBEAT_PERIOD, PROTECTED, UNACKNOWLEDGED, UNACKNOWLEDGED_TOTAL, Writer};
use crate::engine::config::Nanos;
use crate::engine::event::WriteError;
use crate::engine::outgoing::Change;
use crate::qos::{Durability, History};
use crate::wire::*;

impl Writer {
    /// Appends a sample and evicts the oldest over the depth.
    pub(in crate::engine) fn write(
        &mut self,
        now: Nanos,
        source: Time,
        payload: Payload,
        inline_qos: InlineQos,
    ) -> Result<SequenceNumber, WriteError> {
        self.expire(now);
        let depth = self.depth();
        self.drop_acknowledged();
        let change = Change {
            number: self.last.next(),
            source,
            written: now,
            inline_qos,
            payload,
        };
        if u32::try_from(change.len()).is_err() {
            return Err(WriteError::TooLarge);
        }
        while depth.is_some_and(|depth| self.history.len() >= depth)
            && !self.can_keep(&change)
            && self.evict()
        {}
        self.append_change(change);
        for proxy in self.proxies.values_mut().filter(|proxy| proxy.reliable) {
            proxy.heartbeat_period = HEARTBEAT_PERIOD.0;
            let due = now.plus(HEARTBEAT_PERIOD.0);
            proxy.heartbeat_at = Some(proxy.heartbeat_at.map_or(due, |at| at.min(due)));
        }
        Ok(self.last)
    }

    fn append_change(&mut self, change: Change) {
        self.last = change.number;
        self.bytes += change.len();
        self.disposals += usize::from(change.is_disposal());
        self.history.push_back(change);
        let depth = self.depth();
        let surplus = depth.and_then(|depth| self.history.len().checked_sub(depth + 1));
        let exceeding = surplus.and_then(|index| self.history.get(index));
        let exceeding = exceeding.map_or(0, Change::len);
        self.excess.set(self.excess.bytes() + exceeding);
    }

    /// Returns the depth of the history, `None` if it keeps all samples.
    pub(super) fn depth(&self) -> Option<usize> {
        match self.qos.history {
            History::KeepLast(depth) => Some(depth.max(1) as usize),
            History::KeepAll => None,
        }
    }

    /// Returns true if the oldest sample can be kept together with `change` although the depth is
    /// reached.
    fn can_keep(&self, change: &Change) -> bool {
        let (count, bytes) = UNACKNOWLEDGED;
        let has_room = self.history.len() < count
            && self.bytes + change.len() <= bytes
            && self.excess.total() < UNACKNOWLEDGED_TOTAL;
        has_room && self.history.front().is_some_and(|c| self.is_awaited(c))
    }

    /// Returns true if a reliable reader has not acknowledged a sample that concerns it.
    fn is_awaited(&self, change: &Change) -> bool {
        let number = change.number;
        let awaits = |p: &Proxy| p.reliable && p.unacknowledged <= number && p.first <= number;
        self.proxies.values().any(awaits)
    }

    /// Returns the number of samples in the history.
    #[cfg(test)]
    pub(in crate::engine) fn history_len(&self) -> usize {
        self.history.len()
    }

    /// Drops samples that no reader requires: acknowledged samples over the depth, samples of a
    /// volatile history that keeps all samples, and disposals in a durable one.
    pub(super) fn drop_acknowledged(&mut self) {
        let keep = match self.depth() {
            Some(depth) => depth,
            None if self.qos.durability >= Durability::TransientLocal => {
                return self.drop_disposals();
            }
            None => 0,
        };
        while self.history.len() > keep {
            let unsent = |p: &Proxy, c: &Change| !p.reliable && p.next.0 <= c.number;
            let needed = |c: &Change| {
                keep == 0 && self.proxies.values().any(|p| unsent(p, c))
                    || self.is_awaited(c)
                    || self.is_protected(c)
            };
            if self.history.front().is_some_and(needed) {
                return;
            }
            self.pop_oldest();
        }
    }

    /// Drops the acknowledged disposals of a durable history. A later reader has no use for the
    /// disposal of an instance whose samples it never received.
    fn drop_disposals(&mut self) {
        if self.disposals == 0 {
            return;
        }
        let mut history = std::mem::take(&mut self.history);
        history.retain(|change| !change.is_disposal() || self.is_awaited(change));
        self.disposals = history.iter().filter(|change| change.is_disposal()).count();
        self.bytes = history.iter().map(Change::len).sum();
        self.history = history;
    }

    fn pop_oldest(&mut self) -> Option<Change> {
        self.remove_at(0)
    }

    /// Removes a sample from the history.
    fn remove_at(&mut self, index: usize) -> Option<Change> {
        let surplus = match self.depth() {
            Some(depth) => self.history.len().saturating_sub(depth),
            None => 0,
        };
        // without the sample, the last sample over the depth is within the depth
        let exceeding = surplus.checked_sub(1).map(|last| last.min(index));
        let exceeding = exceeding.and_then(|index| self.history.get(index));
        let exceeding = exceeding.map_or(0, Change::len);
        let change = self.history.remove(index)?;
        self.bytes -= change.len();
        self.excess.set(self.excess.bytes() - exceeding);
        Some(change)
    }

    /// Drops the samples with the key hash `key` of a history that keeps all samples.
    pub(in crate::engine) fn forget(&mut self, key: [u8; 16]) {
        self.history
            .retain(|change| change.inline_qos.key_hash != Some(key));
        self.bytes = self.history.iter().map(Change::len).sum();
    }

    /// Returns whether a part of a sample is sent and the remaining one or a repair is to follow.
    fn is_protected(&self, change: &Change) -> bool {
        let newest = self.history.back().map_or(Nanos(0), |c| c.written);
        let is_recent = newest.since(change.written) < PROTECTED.1;
        is_recent && self.proxies.values().any(|p| p.is_receiving(change.number))
    }

    /// Drops the oldest sample that is not being sent. Returns false if all are.
    fn evict(&mut self) -> bool {
        let first = self.history.iter().take(PROTECTED.0);
        let index = first.take_while(|change| self.is_protected(change)).count();
        let Some(change) = self.remove_at(index) else {
            return false;
        };
        if self.is_awaited(&change) {
            self.evicted_unacknowledged += 1;
        }
        true
    }

    /// Drops samples past their lifespan.
    pub(super) fn expire(&mut self, now: Nanos) {
        let Some(lifespan) = self.qos.lifespan.as_nanos() else {
            return;
        };
        let stale = |change: &Change| now.since(change.written) > lifespan;
        while self.history.front().is_some_and(stale) {
            self.pop_oldest();
        }
    }
}
