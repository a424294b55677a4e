//! Stateful writer: history, state of each matched reader, repairs (RTPS 2.5, 8.4.7 to 8.4.9).
//!
//! A sample that fits in one datagram counts as one fragment.

mod answers;
mod proxy;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::net::SocketAddr;

use crate::engine::Control;
use crate::engine::config::{MILLIS, Nanos, Path, ReaderFilter};
use crate::engine::count::CountFilter;
use crate::engine::event::{WriteError, WriterCounters};
use crate::engine::group::{Added, Groups, group_of};
use crate::engine::memory::Excess;
use crate::engine::outgoing::{Change, Outgoing};
use crate::engine::pace::{Bucket, Losses};
use crate::qos::{Durability, History, Qos};
use crate::wire::*;
use answers::Answers;
use proxy::{Proxy, Repairs, SURROUNDINGS};

/// First and last period of heartbeats without progress [ns].
const HEARTBEAT_PERIOD: (u64, u64) = (10 * MILLIS, 200 * MILLIS);

/// Shortest time between heartbeats while samples are still to be sent [ns].
///
/// Fast DDS answers 5 ms after the last heartbeat, so that one in every datagram would delay the
/// requests for lost fragments until the end of the stream.
pub(super) const HEARTBEAT_SPACING: u64 = 8 * MILLIS;

/// Period of heartbeats that request an answer while samples are sent [ns]. The others are final: a
/// reader without missing samples does not answer them.
pub(super) const ANSWER_PERIOD: u64 = 50 * MILLIS;

/// Number of unacknowledged samples from which each heartbeat requests an answer.
const MAX_UNANSWERED: i64 = 32;

/// Bounds of the samples over the depth that a writer keeps because a reliable reader has not
/// acknowledged them: count and size [B].
///
/// KEEP_LAST permits dropping them. Readers that are briefly late would then lose samples of a
/// burst, such as many steps in lock-step.
pub(super) const UNACKNOWLEDGED: (usize, usize) = (8192, 16 << 20);

/// Bound of these samples of all writers of the participant [B].
pub(super) const UNACKNOWLEDGED_TOTAL: usize = 256 << 20;

/// Samples that are not evicted because they are being sent: count, and time since they were
/// written [ns]. Without them a reader would receive no sample if sending one takes longer than the
/// history lasts.
pub(super) const PROTECTED: (usize, u64) = (4, 2000 * MILLIS);

/// Largest count of fragments that a reader can have requested at a time, and of those that the
/// readers of one writer can request at one instant, which is that of one datagram.
pub(super) const MAX_REQUESTS: usize = 1 << 17;

/// Participant to which a datagram goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Destination {
    pub(super) to: SocketAddr,
    pub(super) prefix: GuidPrefix,
    pub(super) max_datagram: usize,
}

/// Buckets of all destinations.
pub(super) type Buckets = HashMap<SocketAddr, Bucket>;

/// A local writer, its history and its matched readers.
#[derive(Debug)]
pub(super) struct Writer {
    guid: Guid,
    qos: Qos,
    /// Selects the readers that may match.
    accepts: ReaderFilter,
    history: VecDeque<Change>,
    /// Number of disposals that were written to the history and not dropped since.
    disposals: usize,
    /// Size of the history [B], and of its samples over the depth.
    bytes: usize,
    excess: Excess,
    last: SequenceNumber,
    proxies: BTreeMap<Guid, Proxy>,
    groups: Groups,
    count: i32,
    /// Number of the fragments that were requested at one instant, and the instant.
    requests: (Nanos, usize),
    counters: WriterCounters,
}

impl Writer {
    pub(super) fn new(guid: Guid, qos: Qos, excess: &Excess) -> Writer {
        Writer {
            guid,
            qos,
            accepts: |_, _| true,
            history: VecDeque::new(),
            disposals: 0,
            bytes: 0,
            excess: excess.clone(),
            last: SequenceNumber(0),
            proxies: BTreeMap::new(),
            groups: Groups::default(),
            count: 0,
            requests: (Nanos(0), 0),
            counters: WriterCounters::default(),
        }
    }

    /// Limits the readers that match to those for which `accepts` returns true.
    pub(super) fn limit_readers(&mut self, accepts: ReaderFilter) {
        self.accepts = accepts;
    }

    /// Returns whether a reader of a participant of `vendor` may match.
    pub(super) fn accepts(&self, reader: &EndpointData, vendor: VendorId) -> bool {
        (self.accepts)(reader, vendor)
    }

    pub(super) fn qos(&self) -> &Qos {
        &self.qos
    }

    pub(super) fn matched(&self) -> usize {
        self.proxies.len()
    }

    pub(super) fn is_matched(&self, reader: Guid) -> bool {
        self.proxies.contains_key(&reader)
    }

    /// Returns the readers that will receive the next sample.
    pub(super) fn ready_readers(&self) -> Vec<Guid> {
        let ready = |p: &Proxy| !p.reliable || p.answered;
        let ready = self.proxies.iter().filter(|(_, proxy)| ready(proxy));
        ready.map(|(guid, _)| *guid).collect()
    }

    /// Returns true if samples are to be sent.
    pub(super) fn is_sending(&self) -> bool {
        self.proxies.values().any(|proxy| proxy.is_busy(self.last))
    }

    /// Returns true if a reliable reader has not acknowledged all samples.
    pub(super) fn is_unacknowledged(&self) -> bool {
        let awaits = |p: &Proxy| p.reliable && p.unacknowledged.max(p.first) <= self.last;
        self.proxies.values().any(awaits)
    }

    pub(super) fn counters(&self) -> WriterCounters {
        let matched = self.proxies.len();
        WriterCounters {
            matched,
            ..self.counters
        }
    }

    fn first(&self) -> SequenceNumber {
        let first = self.history.front().map(|change| change.number);
        first.unwrap_or(self.last.next())
    }

    fn change(&self, number: SequenceNumber) -> Option<&Change> {
        let index = self.history.binary_search_by_key(&number, |c| c.number);
        index.ok().and_then(|index| self.history.get(index))
    }

    /// Adds a reader or moves a known reader to another destination.
    pub(super) fn add(
        &mut self,
        now: Nanos,
        reader: Guid,
        qos: &Qos,
        to: SocketAddr,
        path: Path,
    ) -> Added {
        let durable = qos.durability >= Durability::TransientLocal
            && self.qos.durability >= Durability::TransientLocal;
        let reliable = qos.is_reliable() && self.qos.is_reliable();
        let other = |proxy: &Proxy| (proxy.durable, proxy.reliable) != (durable, reliable);
        if self.proxies.get(&reader).is_some_and(other) {
            self.remove(reader);
        }
        if let Some(proxy) = self.proxies.get_mut(&reader) {
            if proxy.path.max_datagram != path.max_datagram {
                // the sample in progress is divided again
                proxy.requested.clear();
                proxy.repairs = Repairs::default();
                proxy.next.1 = 1;
            }
            (proxy.to, proxy.path) = (to, path);
            return Added::Known;
        }
        if !self.groups.add(reader.prefix) {
            return Added::TooMany;
        }
        let first = if durable {
            self.first_for_late_readers()
        } else {
            self.last.next()
        };
        let proxy = Proxy {
            to,
            path,
            reliable,
            durable,
            waits: self.guid.entity.is_builtin(),
            added: now,
            answered: false,
            first,
            unacknowledged: first,
            next: (first, 1),
            requested: BTreeSet::new(),
            heartbeat_at: reliable.then_some(now),
            heartbeat_sent: None,
            heartbeat_requested_at: None,
            heartbeat_period: HEARTBEAT_PERIOD.0,
            acknacks: CountFilter::default(),
            nack_frags: CountFilter::default(),
            repairs: Repairs::default(),
            answers: Answers::default(),
        };
        self.proxies.insert(reader, proxy);
        Added::New
    }

    /// Returns the first sample that a durable reader receives when it matches.
    fn first_for_late_readers(&self) -> SequenceNumber {
        match self.depth() {
            None => self.first(),
            Some(depth) => {
                let older = self.history.len().saturating_sub(depth);
                let oldest = self.history.get(older);
                oldest.map_or(self.last.next(), |change| change.number)
            }
        }
    }

    pub(super) fn remove(&mut self, reader: Guid) -> bool {
        let removed = self.proxies.remove(&reader).is_some();
        if removed {
            self.groups.remove(reader.prefix);
            self.drop_acknowledged();
        }
        removed
    }

    /// Appends a sample and evicts the oldest over the depth.
    pub(super) fn write(
        &mut self,
        now: Nanos,
        source: Time,
        payload: Payload,
        inline_qos: InlineQos,
    ) -> Result<SequenceNumber, WriteError> {
        self.expire(now);
        let depth = self.depth();
        self.drop_acknowledged();
        let limit = self.qos.resource_limits.max_samples;
        if depth.is_none() && limit.is_some_and(|limit| self.history.len() >= limit as usize) {
            return Err(WriteError::Full);
        }
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
    fn depth(&self) -> Option<usize> {
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
    pub(super) fn history_len(&self) -> usize {
        self.history.len()
    }

    /// Drops samples that no reader requires: acknowledged samples over the depth, samples of a
    /// volatile history that keeps all samples, and disposals in a durable one.
    fn drop_acknowledged(&mut self) {
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
        // without the sample, the last one over the depth is within it
        let exceeding = surplus.checked_sub(1).map(|last| last.min(index));
        let exceeding = exceeding.and_then(|index| self.history.get(index));
        let exceeding = exceeding.map_or(0, Change::len);
        let change = self.history.remove(index)?;
        self.bytes -= change.len();
        self.excess.set(self.excess.bytes() - exceeding);
        Some(change)
    }

    /// Drops the samples with the key hash `key` of a history that keeps all samples.
    pub(super) fn forget(&mut self, key: [u8; 16]) {
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
            self.counters.evicted_unacknowledged += 1;
        }
        true
    }

    /// Drops samples past their lifespan.
    fn expire(&mut self, now: Nanos) {
        let Some(lifespan) = self.qos.lifespan.as_nanos() else {
            return;
        };
        let stale = |change: &Change| now.since(change.written) > lifespan;
        while self.history.front().is_some_and(stale) {
            self.pop_oldest();
        }
    }

    /// Processes ACKNACK (RTPS 2.5, 8.4.9.3). Returns the destination and the newly requested
    /// samples and fragments.
    ///
    /// A non-final ACKNACK is answered with a heartbeat. A non-final ACKNACK that acknowledges no
    /// sample is preemptive: the first of a reader, or the first after it has lost its state.
    pub(super) fn acknack(
        &mut self,
        now: Nanos,
        reader: Guid,
        acknack: &AckNack,
    ) -> Option<(SocketAddr, Losses)> {
        let (last, first) = (self.last, self.first_for_late_readers());
        let proxy = self.proxies.get_mut(&reader)?;
        let asks = !acknack.is_final && acknack.missing.is_empty();
        let preemptive = asks && acknack.missing.base().0 <= 1;
        if !proxy.reliable || !(proxy.acknacks.accepts(now, acknack.count) || preemptive) {
            return None;
        }
        if preemptive {
            proxy.acknacks.restart(now, acknack.count);
            if proxy.answered && last.0 > 0 {
                proxy.restart(now, first);
            }
        }
        if !preemptive {
            proxy.answers.note_answer(now);
        }
        proxy.answered |= proxy.heartbeat_sent.is_some() && !preemptive;
        let base = acknack.missing.base().min(last.next());
        let before = proxy.unacknowledged;
        if base > proxy.unacknowledged {
            proxy.unacknowledged = base;
            proxy.heartbeat_period = HEARTBEAT_PERIOD.0;
            proxy.drop_requests(base);
            proxy.next = proxy.next.max((base, 1));
        }
        if asks {
            let next = |sent: Nanos| sent.plus(HEARTBEAT_SPACING).max(now);
            proxy.heartbeat_at = Some(proxy.heartbeat_sent.map_or(now, next));
        } else if proxy.unacknowledged > last {
            proxy.heartbeat_at = None;
        }
        let mut requests: Vec<_> = acknack.missing.iter().collect();
        let known = proxy.answers.known_position(now, proxy.next);
        requests.retain(|number| *number < known.0 && *number <= last);
        let (to, next) = (proxy.to, known.0.min(last.next()));
        let received = (next.0 - base.0).saturating_sub(requests.len() as i64);
        let mut lost = 0;
        for number in requests {
            lost += self.request(now, reader, number, None);
        }
        let acknowledged = self.bytes_between(before, base);
        self.drop_acknowledged();
        let received = u64::try_from(received).unwrap_or(0);
        let losses = Losses::new(lost, received + lost as u64);
        Some((to, losses.with_acknowledged(acknowledged)))
    }

    /// Returns the size of the samples from `start` up to and excluding `end` [B].
    fn bytes_between(&self, start: SequenceNumber, end: SequenceNumber) -> u64 {
        let index = self.history.partition_point(|c| c.number < start);
        let samples = self.history.range(index..);
        let samples = samples.take_while(|change| change.number < end);
        samples.map(|change| change.len() as u64).sum()
    }

    /// Processes NACK_FRAG (RTPS 2.5, 8.4.14.2). Returns the destination and the newly requested
    /// fragments.
    pub(super) fn nack_frag(
        &mut self,
        now: Nanos,
        reader: Guid,
        nack: &NackFrag,
    ) -> Option<(SocketAddr, Losses)> {
        let proxy = self.proxies.get_mut(&reader)?;
        let number = nack.sequence_number;
        if !proxy.reliable || !proxy.nack_frags.accepts(now, nack.count) {
            return None;
        }
        let to = proxy.to;
        let base = nack.missing.base().0;
        // all fragments of the samples before the next sample are sent
        let known = proxy.answers.known_position(now, proxy.next);
        let sent = match known {
            (next, fragment) if next == number => u64::from(fragment.saturating_sub(base)),
            (next, _) if next < number => 0,
            _ => u64::MAX,
        };
        let lost = self.request(now, reader, number, Some(&nack.missing));
        Some((to, Losses::new(lost, sent)))
    }

    /// Records repair requests. Returns the number of new requests.
    fn request(
        &mut self,
        now: Nanos,
        reader: Guid,
        number: SequenceNumber,
        fragments: Option<&FragmentNumberSet>,
    ) -> usize {
        let index = self.history.binary_search_by_key(&number, |c| c.number);
        let change = index.ok().and_then(|index| self.history.get(index));
        let Some(proxy) = self.proxies.get_mut(&reader) else {
            return 0;
        };
        if self.requests.0 != now {
            self.requests = (now, 0);
        }
        let before = proxy.requested.len();
        // Without the change the request is answered with GAP.
        let change = change.filter(|change| change.number >= proxy.first);
        let total = change.map_or(1, |change| proxy.division(change).0);
        proxy.repairs.forget(now, proxy.answers.delay());
        let known = proxy.answers.known_position(now, proxy.next);
        let mut record = |fragment: u32| {
            self.requests.1 += 1;
            let has_room = proxy.requested.len().max(self.requests.1) <= MAX_REQUESTS;
            let at = (number, fragment);
            let is_sent = fragment <= total && at < known;
            if has_room && is_sent && !proxy.repairs.contains(at) {
                proxy.requested.insert(at);
            }
            has_room && is_sent
        };
        match fragments {
            Some(set) if total > 1 => {
                for fragment in set.iter() {
                    record(fragment.0);
                }
            }
            _ => {
                let _ = (1..=total).all(record);
            }
        }
        proxy.requested.len() - before
    }

    /// Returns when a heartbeat is due.
    pub(super) fn deadline(&self) -> Option<Nanos> {
        self.proxies.values().filter_map(|p| p.heartbeat_at).min()
    }

    /// Returns the heartbeats that are due (RTPS 2.5, 8.4.15.4). A reader with pending samples
    /// receives its heartbeat with the last pending sample.
    pub(super) fn heartbeats(&mut self, now: Nanos) -> Vec<Control> {
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

    /// Returns the matched readers of one participant.
    fn of_participant(&self, prefix: GuidPrefix) -> impl Iterator<Item = (&Guid, &Proxy)> {
        self.proxies.range(group_of(prefix))
    }

    /// Fills an empty datagram with samples. Returns its destination, or when the pace allows one.
    pub(super) fn poll(
        &mut self,
        now: Nanos,
        buckets: &mut Buckets,
        builder: &mut MessageBuilder,
    ) -> Result<Option<Destination>, Nanos> {
        let mut blocked: Option<Nanos> = None;
        let last = self.last;
        let candidates: Vec<Guid> = self
            .proxies
            .iter()
            .filter(|(_, p)| p.is_busy(last))
            .map(|(g, _)| *g)
            .collect();
        for guid in candidates {
            let Some(proxy) = self.proxies.get(&guid) else {
                continue;
            };
            if let Some(at) = proxy.held_until(now) {
                blocked = Some(blocked.map_or(at, |earlier| earlier.min(at)));
                continue;
            }
            let Proxy { to, path, .. } = *proxy;
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
                }));
            }
        }
        blocked.map_or(Ok(None), Err)
    }

    /// Appends samples to a datagram that another writer has begun, as far as there is room.
    pub(super) fn append(&mut self, now: Nanos, to: &Destination, builder: &mut MessageBuilder) {
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

    /// Appends a heartbeat to the samples for `reader`, if it is reliable.
    fn append_heartbeat(&mut self, now: Nanos, reader: Guid, builder: &mut MessageBuilder) {
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
        builder.heartbeat(&Heartbeat {
            reader: reader.entity,
            writer: self.guid.entity,
            first,
            last,
            count: self.count,
            is_final,
            liveliness: false,
        });
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
            self.counters.repaired += 1;
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
        self.counters.sent += 1;
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
