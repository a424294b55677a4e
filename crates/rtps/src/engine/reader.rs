//! Stateful reader: order, repair requests and assembly per writer (RTPS 2.5, 8.4.10 to 8.4.12).

use std::collections::BTreeMap;
use std::net::SocketAddr;

use super::Control;
use super::assembly::Assembly;
use super::config::{Limits, MILLIS, Nanos};
use super::count::{Count, CountFilter};
use super::event::{ReaderCounters, Sample};
use super::memory::{Held, Total};
use crate::qos::Qos;
use crate::wire::*;

/// Delay of the response to a heartbeat [ns].
const RESPONSE_DELAY: u64 = MILLIS;

/// First and last period of repeated requests for missing samples [ns]. The writer may not know
/// that a request or a repair was lost.
const REQUEST_PERIOD: (u64, u64) = (20 * MILLIS, 200 * MILLIS);

/// First and last period of the requests for a first heartbeat [ns].
const GREETING_PERIOD: (u64, u64) = (50 * MILLIS, 1000 * MILLIS);

/// Largest count of samples that wait for earlier ones of one writer.
const WINDOW: i64 = 4096;

/// Largest count of incomplete samples of one writer.
const MAX_ASSEMBLIES: usize = 64;

/// Largest count of fragments of one sample.
const MAX_FRAGMENTS: u32 = 1 << 17;

/// Payloads up to this size are copied out of their datagram while they wait [B], so that they do
/// not keep a large one.
const MAX_COPIED: usize = 4096;

/// Largest count of fragment requests in one response.
const MAX_NACK_FRAGS: usize = 8;

/// Received change: a sample or, for built-in readers, the disposal or unregistration of an
/// instance.
#[derive(Debug)]
pub(super) struct Received {
    /// Sample; its payload is the key if the instance ended.
    pub(super) sample: Sample,
    /// Parameters of the sample.
    pub(super) inline_qos: InlineQos,
    /// Whether the payload is a value.
    pub(super) is_value: bool,
}

/// A remote writer that matches a local reader.
#[derive(Debug)]
struct Proxy {
    to: SocketAddr,
    /// Next sample to deliver.
    expected: SequenceNumber,
    /// Last sample that the writer announced.
    last: SequenceNumber,
    /// Samples that wait for earlier ones; `None` is irrelevant.
    waiting: BTreeMap<SequenceNumber, Option<Received>>,
    assemblies: BTreeMap<SequenceNumber, Assembly>,
    held: Held,
    heartbeats: CountFilter,
    /// Whether a heartbeat arrived since the match or since the peer stopped sending.
    greeted: bool,
    respond_at: Option<Nanos>,
    /// Whether the response is a repetition, which waits while fragments arrive.
    repeats: bool,
    /// Time until the response is repeated without progress [ns].
    period: u64,
    /// Samples of the writer that a request without a heartbeat claims to have.
    first_request: SequenceNumber,
}

/// A local reader and its matched writers.
#[derive(Debug)]
pub(super) struct Reader {
    guid: Guid,
    qos: Qos,
    limits: Limits,
    /// Bytes that all readers of the participant hold.
    total: Total,
    proxies: BTreeMap<Guid, Proxy>,
    /// Count of ACKNACK and NACK_FRAG. It never starts again, because peers ignore lower counts.
    count: i32,
    counters: ReaderCounters,
}

impl Reader {
    pub(super) fn new(guid: Guid, qos: Qos, limits: Limits, total: &Total) -> Reader {
        Reader {
            guid,
            qos,
            limits,
            total: total.clone(),
            proxies: BTreeMap::new(),
            count: 0,
            counters: ReaderCounters::default(),
        }
    }

    pub(super) fn qos(&self) -> &Qos {
        &self.qos
    }

    pub(super) fn matched(&self) -> usize {
        self.proxies.len()
    }

    pub(super) fn is_matched(&self, writer: Guid) -> bool {
        self.proxies.contains_key(&writer)
    }

    pub(super) fn matched_writers(&self) -> Vec<Guid> {
        self.proxies.keys().copied().collect()
    }

    pub(super) fn counters(&self) -> ReaderCounters {
        let matched = self.proxies.len();
        ReaderCounters {
            matched,
            ..self.counters
        }
    }

    /// Adds a writer of `vendor` or moves a known one to another destination. A reliable reader
    /// immediately requests a heartbeat.
    pub(super) fn add(
        &mut self,
        now: Nanos,
        writer: Guid,
        vendor: VendorId,
        to: SocketAddr,
    ) -> bool {
        if let Some(proxy) = self.proxies.get_mut(&writer) {
            proxy.to = to;
            return false;
        }
        let proxy = Proxy {
            to,
            expected: SequenceNumber(1),
            last: SequenceNumber(0),
            waiting: BTreeMap::new(),
            assemblies: BTreeMap::new(),
            held: Held::new(&self.total),
            heartbeats: CountFilter::default(),
            greeted: false,
            respond_at: self.qos.is_reliable().then_some(now),
            repeats: false,
            period: GREETING_PERIOD.0,
            // Fast DDS answers a request that acknowledges nothing at once only with the base 0,
            // which Cyclone DDS refuses
            first_request: SequenceNumber(i64::from(vendor != VendorId::FAST_DDS)),
        };
        self.proxies.insert(writer, proxy);
        true
    }

    pub(super) fn remove(&mut self, writer: Guid) -> bool {
        self.proxies.remove(&writer).is_some()
    }

    /// Processes DATA (RTPS 2.5, 8.4.12.1.4). Returns the samples that are now in order.
    pub(super) fn data(
        &mut self,
        writer: Guid,
        source_timestamp: Option<Time>,
        data: &Data,
    ) -> Vec<Received> {
        let (is_value, payload) = match &data.payload {
            Payload::None => (false, bytes::Bytes::new()),
            Payload::Data(bytes) => (true, bytes.clone()),
            Payload::Key(bytes) => (false, bytes.clone()),
        };
        let sample = Sample {
            reader: self.guid,
            writer,
            sequence_number: data.sequence_number,
            source_timestamp,
            related: data.inline_qos.related,
            payload,
        };
        self.accept(Received {
            sample,
            inline_qos: data.inline_qos,
            is_value,
        })
    }

    fn accept(&mut self, received: Received) -> Vec<Received> {
        let number = received.sample.sequence_number;
        let Some(proxy) = self.proxies.get_mut(&received.sample.writer) else {
            return Vec::new();
        };
        if number < proxy.expected {
            return Vec::new();
        }
        if !self.qos.is_reliable() {
            let missed = u64::try_from(number.0 - proxy.expected.0).unwrap_or(0);
            if proxy.last.0 > 0 {
                self.counters.lost += missed;
            }
            proxy.expected = number.next();
            proxy.last = number;
            proxy.drop_old_assemblies();
            self.counters.delivered += 1;
            return vec![received];
        }
        let bytes = received.sample.payload.len();
        let late = number != proxy.expected;
        let full = !proxy.fits(bytes, &self.limits);
        if late && (full || number.0 - proxy.expected.0 >= WINDOW) {
            self.counters.refused += 1;
            return Vec::new();
        }
        proxy.last = proxy.last.max(number);
        if let Some(assembly) = proxy.assemblies.remove(&number) {
            proxy.held.remove(assembly.len());
        }
        if let std::collections::btree_map::Entry::Vacant(entry) = proxy.waiting.entry(number) {
            let mut received = received;
            if late && bytes <= MAX_COPIED {
                let payload = &mut received.sample.payload;
                *payload = bytes::Bytes::copy_from_slice(payload);
            }
            entry.insert(Some(received));
            proxy.held.add(bytes);
        }
        let ready = proxy.take_ready();
        self.counters.delivered += ready.len() as u64;
        ready
    }

    /// Processes DATA_FRAG (RTPS 2.5, 8.4.14.1).
    pub(super) fn data_frag(
        &mut self,
        now: Nanos,
        writer: Guid,
        source_timestamp: Option<Time>,
        frag: &DataFrag,
    ) -> Vec<Received> {
        let number = frag.sequence_number;
        let Some(proxy) = self.proxies.get_mut(&writer) else {
            return Vec::new();
        };
        let known = proxy.waiting.contains_key(&number);
        if number < proxy.expected || known || frag.key {
            return Vec::new();
        }
        if proxy
            .assemblies
            .get(&number)
            .is_some_and(|a| !a.accepts(frag))
        {
            proxy.drop_assembly(number);
        }
        let is_new = !proxy.assemblies.contains_key(&number);
        if is_new && !proxy.start_assembly(frag, self.qos.is_reliable(), &self.limits) {
            self.counters.refused += 1;
            return Vec::new();
        }
        if proxy.repeats {
            proxy.respond_at = Some(now.plus(REQUEST_PERIOD.0));
        }
        let assembly = proxy.assemblies.get_mut(&number);
        if !assembly.is_some_and(|assembly| assembly.insert(frag)) {
            return Vec::new();
        }
        let Some(assembly) = proxy.assemblies.remove(&number) else {
            return Vec::new();
        };
        proxy.held.remove(assembly.len());
        let related = assembly.related;
        let sample = Sample {
            reader: self.guid,
            writer,
            sequence_number: number,
            source_timestamp,
            related,
            payload: assembly.finish(),
        };
        self.accept(Received {
            sample,
            inline_qos: frag.inline_qos,
            is_value: true,
        })
    }

    /// Processes HEARTBEAT (RTPS 2.5, 8.4.12.2.5).
    pub(super) fn heartbeat(
        &mut self,
        now: Nanos,
        writer: Guid,
        beat: &Heartbeat,
    ) -> Vec<Received> {
        let reliable = self.qos.is_reliable();
        let Some(proxy) = self.proxies.get_mut(&writer) else {
            return Vec::new();
        };
        if !reliable {
            return Vec::new();
        }
        match proxy.heartbeats.check(now, beat.count) {
            Count::Repeated => return Vec::new(),
            Count::Restarted if beat.last.0 < proxy.expected.0 - 1 => proxy.forget(),
            _ => {}
        }
        if !std::mem::replace(&mut proxy.greeted, true) {
            proxy.respond_at = None;
        }
        proxy.period = REQUEST_PERIOD.0;
        proxy.last = proxy.last.max(beat.last);
        let ready = self.skip_to(writer, beat.first);
        if let Some(proxy) = self.proxies.get_mut(&writer) {
            let missing = proxy.expected <= proxy.last;
            let due = now.plus(RESPONSE_DELAY);
            if !beat.is_final || missing {
                proxy.respond_at = Some(proxy.respond_at.map_or(due, |at| at.min(due)));
                proxy.repeats = false;
            }
        }
        ready
    }

    /// Processes GAP (RTPS 2.5, 8.4.12.2.6).
    pub(super) fn gap(&mut self, writer: Guid, gap: &Gap) -> Vec<Received> {
        let reliable = self.qos.is_reliable();
        let Some(proxy) = self.proxies.get_mut(&writer).filter(|_| reliable) else {
            return Vec::new();
        };
        let base = gap.list.base();
        let horizon = proxy.expected.plus(WINDOW);
        if gap.start > proxy.expected {
            let mut number = gap.start;
            while number < base.min(horizon) {
                proxy.waiting.entry(number).or_insert(None);
                proxy.drop_assembly(number);
                number = number.next();
            }
        }
        for number in gap.list.iter() {
            if number >= proxy.expected && number < horizon {
                proxy.waiting.entry(number).or_insert(None);
                proxy.drop_assembly(number);
            }
        }
        let to = if gap.start <= proxy.expected {
            base
        } else {
            SequenceNumber(0)
        };
        self.skip_to(writer, to)
    }

    /// Delivers the samples that arrived before `number` and marks the remaining ones as
    /// irrelevant.
    fn skip_to(&mut self, writer: Guid, number: SequenceNumber) -> Vec<Received> {
        let Some(proxy) = self.proxies.get_mut(&writer) else {
            return Vec::new();
        };
        let mut ready = Vec::new();
        if number > proxy.expected {
            let later = proxy.waiting.split_off(&number);
            let before = std::mem::replace(&mut proxy.waiting, later);
            let missed = number.0 - proxy.expected.0;
            let arrived = i64::try_from(before.len()).unwrap_or(i64::MAX);
            // The first heartbeat defines the start of the history; earlier samples do not count
            // as lost.
            if proxy.expected.0 > 1 {
                self.counters.lost += u64::try_from(missed - arrived).unwrap_or(0);
            }
            ready.extend(before.into_values().flatten());
            for received in &ready {
                proxy.held.remove(received.sample.payload.len());
            }
            proxy.expected = number;
            proxy.drop_old_assemblies();
        }
        ready.extend(proxy.take_ready());
        self.counters.delivered += ready.len() as u64;
        ready
    }

    /// Returns when a response is due.
    pub(super) fn deadline(&self) -> Option<Nanos> {
        self.proxies.values().filter_map(|p| p.respond_at).min()
    }

    /// Returns the responses that are due: ACKNACK and NACK_FRAG (RTPS 2.5, 8.4.12.2).
    pub(super) fn responses(&mut self, now: Nanos) -> Vec<Control> {
        let mut out = Vec::new();
        for (writer, proxy) in &mut self.proxies {
            if proxy.respond_at.is_none_or(|at| at > now) {
                continue;
            }
            let (reader, to) = (self.guid.entity, proxy.to);
            let missing = proxy.missing();
            proxy.schedule_repetition(now, !missing.is_empty());
            self.count = self.count.wrapping_add(1);
            let acknack = AckNack {
                reader,
                writer: writer.entity,
                missing,
                count: self.count,
                is_final: proxy.greeted,
            };
            out.push((to, writer.prefix, Submessage::AckNack(acknack)));
            for (number, assembly) in proxy.assemblies.iter().take(MAX_NACK_FRAGS) {
                self.count = self.count.wrapping_add(1);
                let nack = NackFrag {
                    reader,
                    writer: writer.entity,
                    sequence_number: *number,
                    missing: assembly.missing(),
                    count: self.count,
                };
                out.push((to, writer.prefix, Submessage::NackFrag(nack)));
            }
        }
        out
    }

    /// Requests a heartbeat of a writer whose participant was silent: it may hold its heartbeats
    /// back for seconds, and samples of the time before may be lost.
    pub(super) fn greet(&mut self, now: Nanos, writer: Guid) {
        let reliable = self.qos.is_reliable();
        if let Some(proxy) = self.proxies.get_mut(&writer).filter(|_| reliable) {
            (proxy.greeted, proxy.period) = (false, GREETING_PERIOD.0);
            (proxy.respond_at, proxy.repeats) = (Some(now), false);
        }
    }
}

impl Proxy {
    /// Sets the time of the next response, unless a heartbeat requests an earlier one.
    fn schedule_repetition(&mut self, now: Nanos, is_missing: bool) {
        let longest = match self.greeted {
            false => GREETING_PERIOD.1,
            true => REQUEST_PERIOD.1,
        };
        self.repeats = !self.greeted || is_missing || !self.assemblies.is_empty();
        self.respond_at = self.repeats.then(|| now.plus(self.period));
        self.period = (2 * self.period).min(longest);
    }

    /// Starts again with a writer that has lost its state.
    fn forget(&mut self) {
        self.waiting.clear();
        self.assemblies.clear();
        self.held.clear();
        (self.expected, self.last) = (SequenceNumber(1), SequenceNumber(0));
    }

    /// Returns the samples without any received part. An incomplete sample is requested by its
    /// fragments.
    fn missing(&self) -> SequenceNumberSet {
        if !self.greeted && self.expected.0 == 1 && self.last.0 == 0 {
            return SequenceNumberSet::new(self.first_request);
        }
        let mut set = SequenceNumberSet::new(self.expected);
        let mut number = self.expected;
        while number <= self.last && number.0 - self.expected.0 < 256 {
            let known = self.waiting.contains_key(&number) || self.assemblies.contains_key(&number);
            if !known {
                set.insert(number);
            }
            number = number.next();
        }
        set
    }

    fn take_ready(&mut self) -> Vec<Received> {
        let mut ready = Vec::new();
        while let Some(entry) = self.waiting.remove(&self.expected) {
            self.period = REQUEST_PERIOD.0;
            self.expected = self.expected.next();
            if let Some(received) = entry {
                self.held.remove(received.sample.payload.len());
                ready.push(received);
            }
        }
        ready
    }

    /// Whether a sample of `bytes` [B] fits into the limits.
    fn fits(&self, bytes: usize, limits: &Limits) -> bool {
        self.held
            .fits(bytes, limits.pending_bytes, limits.total_bytes)
    }

    /// Whether an incomplete sample of `bytes` [B] fits into the limits.
    fn has_room(&self, bytes: usize, limits: &Limits) -> bool {
        self.fits(bytes, limits) && self.assemblies.len() < MAX_ASSEMBLIES
    }

    /// Drops the latest samples until one of `bytes` [B] fits into the limits. They are requested
    /// again; without room for the next sample no sample would be delivered again.
    fn make_room(&mut self, bytes: usize, limits: &Limits) {
        while !self.has_room(bytes, limits) {
            if let Some((_, assembly)) = self.assemblies.pop_last() {
                self.held.remove(assembly.len());
            } else if let Some((_, entry)) = self.waiting.pop_last() {
                self.held
                    .remove(entry.map_or(0, |received| received.sample.payload.len()));
            } else {
                return;
            }
        }
    }

    /// Starts the sample to which `frag` belongs. Returns false if it exceeds the limits.
    fn start_assembly(&mut self, frag: &DataFrag, reliable: bool, limits: &Limits) -> bool {
        let (number, size) = (frag.sequence_number, frag.sample_size as usize);
        // A best-effort reader drops its oldest incomplete sample for a new one.
        while !reliable && self.assemblies.len() >= 4 {
            let oldest = self.assemblies.keys().next().copied();
            oldest
                .into_iter()
                .for_each(|oldest| self.drop_assembly(oldest));
        }
        let is_next = number == self.expected;
        let far = number.0 - self.expected.0 >= WINDOW && reliable;
        let full = !self.has_room(size, limits);
        let divided = frag.total_fragments() > MAX_FRAGMENTS;
        if size > limits.sample_bytes || divided || far || (full && !is_next) {
            return false;
        }
        self.make_room(size, limits);
        if !self.fits(size, limits) {
            return false;
        }
        self.held.add(size);
        self.assemblies.insert(number, Assembly::new(frag));
        true
    }

    fn drop_assembly(&mut self, number: SequenceNumber) {
        if let Some(assembly) = self.assemblies.remove(&number) {
            self.held.remove(assembly.len());
        }
    }

    fn drop_old_assemblies(&mut self) {
        let later = self.assemblies.split_off(&self.expected);
        let old = std::mem::replace(&mut self.assemblies, later);
        let bytes: usize = old.values().map(Assembly::len).sum();
        self.held.remove(bytes);
    }
}
