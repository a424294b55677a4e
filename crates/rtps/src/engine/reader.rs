//! Stateful reader: order, repair requests and assembly per writer (RTPS 2.5, 8.4.10 to 8.4.12).

use std::collections::BTreeMap;
use std::net::SocketAddr;

use super::assembly::Assembly;
use super::config::{Limits, MILLIS, Nanos};
use super::count::{Count, CountFilter};
use super::event::Sample;
use super::group::{Added, MAX_GROUP, group_of};
use super::memory::{ENTRY_BYTES, Held, Share};
use super::ranges::Ranges;
use super::{Control, ENCAPSULATION_BYTES};
use crate::qos::{Durability, Qos};
use crate::wire::*;

/// Delay of the response to a heartbeat [ns].
const RESPONSE_DELAY: u64 = MILLIS;

/// First and last period of repeated requests for missing samples [ns]. The writer may not
/// have received a request, and a repair may be lost.
pub(super) const REQUEST_PERIOD: (u64, u64) = (20 * MILLIS, 200 * MILLIS);

/// The same for built-in writers of Fast DDS. They answer 100 ms after the last request, so that an
/// earlier repetition would delay the answer.
const SLOW_REQUEST_PERIOD: (u64, u64) = (250 * MILLIS, 500 * MILLIS);

/// First and last period of the requests for a first heartbeat [ns].
const GREETING_PERIOD: (u64, u64) = (50 * MILLIS, 1000 * MILLIS);

/// Maximum number of samples of one writer that wait for earlier samples.
const WINDOW: i64 = 4096;

/// Maximum number of incomplete samples of one writer.
const MAX_ASSEMBLIES: usize = 64;

/// Maximum number of fragments of one sample.
pub(super) const MAX_FRAGMENTS: u32 = 1 << 17;

/// Maximum number of ranges of irrelevant samples of one writer. Ranges of further GAPs are
/// requested again later.
const MAX_RANGES: usize = 256;

/// Time after the last fragment at which a best-effort and a reliable reader drop an incomplete
/// sample [ns]. A reliable one requests it again.
pub(super) const ASSEMBLY_TIME: (u64, u64) = (1000 * MILLIS, 5000 * MILLIS);

/// Maximum number of incomplete samples that a best-effort reader holds of one writer.
const MAX_UNRELIABLE: usize = 4;

/// Maximum number of fragment requests in one response.
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
    /// Samples that wait for earlier samples.
    waiting: BTreeMap<SequenceNumber, Received>,
    /// Samples after the next sample that the writer declared irrelevant.
    irrelevant: Ranges,
    assemblies: BTreeMap<SequenceNumber, Assembly>,
    held: Held,
    heartbeats: CountFilter,
    heartbeat_frags: CountFilter,
    /// Whether a heartbeat arrived since the match or since the peer stopped sending.
    greeted: bool,
    respond_at: Option<Nanos>,
    /// Whether the response is a repetition, which waits while fragments arrive.
    repeats: bool,
    /// Time until the response is repeated without progress [ns].
    period: u64,
    /// First and last period of repeated requests [ns].
    request_period: (u64, u64),
    /// Samples of the writer that a request without a heartbeat claims to have.
    first_request: SequenceNumber,
    /// Whether the samples that the first heartbeat announces are history that the volatile reader
    /// must not receive. Writers of other vendors declare it irrelevant. Cyclone DDS does so only
    /// for its own readers; a reader of another vendor would request and deliver it.
    skips_history: bool,
}

/// Participant and durability of a remote writer.
#[derive(Clone, Debug, Default)]
pub(super) struct Source {
    /// Vendor of the participant.
    pub(super) vendor: VendorId,
    /// Share of the participant in the memory.
    pub(super) share: Share,
    /// Whether the writer keeps samples for late readers.
    pub(super) durable: bool,
}

/// A local reader and its matched writers.
#[derive(Debug)]
pub(super) struct Reader {
    guid: Guid,
    qos: Qos,
    limits: Limits,
    proxies: BTreeMap<Guid, Proxy>,
    /// Counter of ACKNACK and NACK_FRAG. It never restarts, because peers ignore lower counts.
    count: i32,
    /// Samples skipped because of their size: over the limit or without an encapsulation header.
    pub(super) skipped: u64,
}

impl Reader {
    pub(super) fn new(guid: Guid, qos: Qos, limits: Limits) -> Reader {
        Reader {
            guid,
            qos,
            limits,
            proxies: BTreeMap::new(),
            count: 0,
            skipped: 0,
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

    /// Returns whether all samples that a writer has announced are delivered.
    pub(super) fn is_complete(&self, writer: Guid) -> bool {
        let proxy = self.proxies.get(&writer);
        proxy.is_some_and(|proxy| proxy.greeted && proxy.expected > proxy.last)
    }

    pub(super) fn matched_writers(&self) -> Vec<Guid> {
        self.proxies.keys().copied().collect()
    }

    /// Adds a writer of `vendor` or moves a known writer to another destination. A reliable reader
    /// immediately requests a heartbeat.
    pub(super) fn add(
        &mut self,
        now: Nanos,
        writer: Guid,
        source: &Source,
        to: SocketAddr,
    ) -> Added {
        if let Some(proxy) = self.proxies.get_mut(&writer) {
            proxy.to = to;
            return Added::Known;
        }
        if self.proxies.range(group_of(writer.prefix)).count() >= MAX_GROUP {
            return Added::TooMany;
        }
        let is_cyclone = source.vendor == VendorId::CYCLONE_DDS;
        let is_fast = source.vendor == VendorId::FAST_DDS;
        let volatile = self.qos.durability < Durability::TransientLocal;
        let proxy = Proxy {
            to,
            expected: SequenceNumber(1),
            last: SequenceNumber(0),
            waiting: BTreeMap::new(),
            irrelevant: Ranges::default(),
            assemblies: BTreeMap::new(),
            held: Held::new(&source.share),
            heartbeats: CountFilter::default(),
            heartbeat_frags: CountFilter::default(),
            greeted: false,
            respond_at: self.qos.is_reliable().then_some(now),
            repeats: false,
            period: GREETING_PERIOD.0,
            request_period: match is_fast && writer.entity.is_builtin() {
                true => SLOW_REQUEST_PERIOD,
                false => REQUEST_PERIOD,
            },
            // Fast DDS answers a request that acknowledges no sample at once only with the base 0,
            // which Cyclone DDS refuses
            first_request: SequenceNumber(i64::from(!is_fast)),
            skips_history: source.durable && volatile && is_cyclone,
        };
        self.proxies.insert(writer, proxy);
        Added::New
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
        if matches!(&data.payload, Payload::Data(bytes) if bytes.len() < ENCAPSULATION_BYTES) {
            return match self.expects(writer, data.sequence_number) {
                true => self.refuse(writer, data.sequence_number),
                false => Vec::new(),
            };
        }
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

    /// Returns whether a sample was neither delivered nor received.
    fn expects(&self, writer: Guid, number: SequenceNumber) -> bool {
        let proxy = self.proxies.get(&writer);
        proxy.is_some_and(|proxy| number >= proxy.expected && !proxy.is_known(number))
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
            proxy.expected = number.next();
            proxy.last = number;
            proxy.drop_old_assemblies();
            return vec![received];
        }
        let late = number != proxy.expected;
        let full = !proxy.fits(received.bytes(), &self.limits);
        if late && (full || number.0 - proxy.expected.0 >= WINDOW) {
            return Vec::new();
        }
        proxy.last = proxy.last.max(number);
        proxy.drop_assembly(number);
        proxy.wait(received, late);
        proxy.take_ready()
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
        if number < proxy.expected || proxy.is_known(number) {
            return Vec::new();
        }
        // no sample of ROS has a key, which a fragment with this flag carries instead of a value
        if frag.key || exceeds(frag, &self.limits) {
            return self.refuse(writer, number);
        }
        let other = |assembly: &Assembly| !assembly.accepts(frag);
        if proxy.assemblies.get(&number).is_some_and(other) {
            proxy.drop_assembly(number);
        }
        let reliable = self.qos.is_reliable();
        let is_new = !proxy.assemblies.contains_key(&number);
        if is_new && !proxy.start_assembly(now, frag, reliable, &self.limits) {
            return Vec::new();
        }
        if proxy.repeats {
            proxy.respond_at = Some(now.plus(proxy.request_period.0));
        }
        let assembly = proxy.assemblies.get_mut(&number);
        if !assembly.is_some_and(|assembly| assembly.insert(now, frag)) {
            if !reliable {
                proxy.schedule_drop();
            } else if proxy.respond_at.is_none() {
                proxy.respond_at = Some(now.plus(ASSEMBLY_TIME.1));
            }
            return Vec::new();
        }
        let Some(assembly) = proxy.take_assembly(number) else {
            return Vec::new();
        };
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

    /// Skips a sample that can never be completed, so that it does not delay later samples.
    fn refuse(&mut self, writer: Guid, number: SequenceNumber) -> Vec<Received> {
        self.skipped += 1;
        let Some(proxy) = self
            .proxies
            .get_mut(&writer)
            .filter(|_| self.qos.is_reliable())
        else {
            return Vec::new();
        };
        proxy.mark_irrelevant(number, number.next(), &self.limits);
        self.skip_to(writer, SequenceNumber(0))
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
        proxy.period = proxy.request_period.0;
        proxy.last = proxy.last.max(beat.last);
        let mut ready = Vec::new();
        if std::mem::take(&mut proxy.skips_history) {
            // samples that arrive without a request were written after the match
            let arriving = proxy.assemblies.keys().next().copied();
            let end = beat.last.next();
            ready = self.skip_to(writer, arriving.map_or(end, |first| first.min(end)));
        }
        ready.extend(self.skip_to(writer, beat.first));
        if let Some(proxy) = self.proxies.get_mut(&writer) {
            let missing = proxy.expected <= proxy.last;
            let due = now.plus(RESPONSE_DELAY);
            if !beat.is_final || missing {
                proxy.respond_until(due);
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
        for number in gap.list.iter() {
            proxy.mark_irrelevant(number, number.next(), &self.limits);
        }
        if gap.start > proxy.expected {
            proxy.mark_irrelevant(gap.start, base, &self.limits);
            return self.skip_to(writer, SequenceNumber(0));
        }
        self.skip_to(writer, base)
    }

    /// Processes HEARTBEAT_FRAG (RTPS 2.5, 8.3.8.7): requests the missing fragments among the
    /// announced fragments. A sample without any received fragment is requested after a HEARTBEAT,
    /// because only a HEARTBEAT defines which samples the writer has.
    pub(super) fn heartbeat_frag(&mut self, now: Nanos, writer: Guid, beat: &HeartbeatFrag) {
        let reliable = self.qos.is_reliable();
        let Some(proxy) = self.proxies.get_mut(&writer).filter(|_| reliable) else {
            return;
        };
        if !proxy.heartbeat_frags.accepts(now, beat.count) {
            return;
        }
        let assembly = proxy.assemblies.get_mut(&beat.sequence_number);
        if assembly.is_some_and(|assembly| assembly.announce(beat.last_fragment)) {
            proxy.respond_until(now.plus(RESPONSE_DELAY));
        }
    }

    /// Delivers the samples that arrived before `number` and marks the remaining samples as
    /// irrelevant.
    fn skip_to(&mut self, writer: Guid, number: SequenceNumber) -> Vec<Received> {
        let Some(proxy) = self.proxies.get_mut(&writer) else {
            return Vec::new();
        };
        let mut ready = Vec::new();
        if number > proxy.expected {
            let before = proxy.irrelevant.len();
            proxy.irrelevant.remove_before(number);
            proxy.settle(before);
            while let Some(entry) = proxy.waiting.first_entry() {
                if *entry.key() >= number {
                    break;
                }
                ready.push(entry.remove());
            }
            let bytes = ready.iter().map(Received::bytes).sum();
            proxy.held.remove(bytes);
            proxy.expected = number;
            proxy.drop_old_assemblies();
        }
        ready.extend(proxy.take_ready());
        ready
    }

    /// Returns the number of incomplete samples.
    #[cfg(test)]
    pub(super) fn incomplete(&self) -> usize {
        self.proxies
            .values()
            .map(|proxy| proxy.assemblies.len())
            .sum()
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
            if !self.qos.is_reliable() {
                proxy.drop_stale(now, ASSEMBLY_TIME.0);
                proxy.schedule_drop();
                continue;
            }
            proxy.drop_stale(now, ASSEMBLY_TIME.1);
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
                let missing = assembly.missing(*number <= proxy.last);
                if missing.is_empty() {
                    continue;
                }
                self.count = self.count.wrapping_add(1);
                let nack = NackFrag {
                    reader,
                    writer: writer.entity,
                    sequence_number: *number,
                    missing,
                    count: self.count,
                };
                out.push((to, writer.prefix, Submessage::NackFrag(nack)));
            }
        }
        out
    }

    /// Requests a heartbeat of a writer whose participant was silent: it may delay its heartbeats
    /// for seconds, and earlier samples may be lost.
    pub(super) fn greet(&mut self, now: Nanos, writer: Guid) {
        let reliable = self.qos.is_reliable();
        if let Some(proxy) = self.proxies.get_mut(&writer).filter(|_| reliable) {
            (proxy.greeted, proxy.period) = (false, GREETING_PERIOD.0);
            (proxy.respond_at, proxy.repeats) = (Some(now), false);
        }
    }
}

impl Received {
    /// Returns the size in memory while the sample waits [B].
    fn bytes(&self) -> usize {
        ENTRY_BYTES + self.sample.payload.len()
    }
}

impl Proxy {
    /// Returns true if a sample that is not delivered needs no further data.
    fn is_known(&self, number: SequenceNumber) -> bool {
        self.waiting.contains_key(&number) || self.irrelevant.contains(number)
    }

    /// Stores a sample until the earlier samples are delivered.
    fn wait(&mut self, mut received: Received, late: bool) {
        let number = received.sample.sequence_number;
        if self.is_known(number) {
            return;
        }
        if late {
            // a slice would keep the whole datagram, which may be much larger
            let payload = &mut received.sample.payload;
            *payload = bytes::Bytes::copy_from_slice(payload);
        }
        self.held.add(received.bytes());
        self.waiting.insert(number, received);
    }

    /// Marks the samples from `start` up to and excluding `end` as irrelevant, as far as they are
    /// in the window and the limits permit.
    fn mark_irrelevant(&mut self, start: SequenceNumber, end: SequenceNumber, limits: &Limits) {
        let start = start.max(self.expected);
        let end = end.min(self.expected.plus(WINDOW));
        if self.irrelevant.len() >= MAX_RANGES || !self.fits(ENTRY_BYTES, limits) {
            return;
        }
        let before = self.irrelevant.len();
        self.irrelevant.insert(start, end);
        self.settle(before);
        while let Some((number, _)) = self.assemblies.range(start..end.max(start)).next() {
            let number = *number;
            self.drop_assembly(number);
        }
    }

    /// Requests a response at `due` or before.
    fn respond_until(&mut self, due: Nanos) {
        self.respond_at = Some(self.respond_at.map_or(due, |at| at.min(due)));
        self.repeats = false;
    }

    /// Sets the time at which a best-effort reader drops its oldest incomplete sample.
    fn schedule_drop(&mut self) {
        let oldest = self.assemblies.values().map(Assembly::changed).min();
        self.respond_at = oldest.map(|at| at.plus(ASSEMBLY_TIME.0));
    }

    /// Drops incomplete samples that received no fragment for `time` [ns].
    fn drop_stale(&mut self, now: Nanos, time: u64) {
        let stale = |a: &Assembly| now.since(a.changed()) >= time;
        let assemblies = self.assemblies.iter();
        let stale = assemblies.filter(|(_, assembly)| stale(assembly));
        for number in stale.map(|(number, _)| *number).collect::<Vec<_>>() {
            self.drop_assembly(number);
        }
    }

    /// Sets the time of the next response, unless a heartbeat requests an earlier response.
    fn schedule_repetition(&mut self, now: Nanos, is_missing: bool) {
        let longest = match self.greeted {
            false => GREETING_PERIOD.1,
            true => self.request_period.1,
        };
        self.repeats = !self.greeted || is_missing || !self.assemblies.is_empty();
        self.respond_at = self.repeats.then(|| now.plus(self.period));
        self.period = (2 * self.period).min(longest);
    }

    /// Resets the state of a writer that has lost its state.
    fn forget(&mut self) {
        self.waiting.clear();
        self.irrelevant.clear();
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
            if let Some(end) = self.irrelevant.end_after(number) {
                number = end;
                continue;
            }
            let arriving = self.assemblies.contains_key(&number);
            if !arriving && !self.waiting.contains_key(&number) {
                set.insert(number);
            }
            number = number.next();
        }
        set
    }

    fn take_ready(&mut self) -> Vec<Received> {
        let mut ready = Vec::new();
        loop {
            if let Some(received) = self.waiting.remove(&self.expected) {
                self.held.remove(received.bytes());
                ready.push(received);
                self.expected = self.expected.next();
            } else if let Some(end) = self.irrelevant.end_after(self.expected) {
                let before = self.irrelevant.len();
                self.irrelevant.remove_before(end);
                self.settle(before);
                self.expected = end;
            } else {
                return ready;
            }
            self.period = self.request_period.0;
        }
    }

    /// Counts the memory of the irrelevant ranges; `before` is their previous number.
    fn settle(&mut self, before: usize) {
        let after = self.irrelevant.len();
        self.held.add(after.saturating_sub(before) * ENTRY_BYTES);
        self.held.remove(before.saturating_sub(after) * ENTRY_BYTES);
    }

    /// Returns true if a sample of `bytes` [B] fits into the limits.
    fn fits(&self, bytes: usize, limits: &Limits) -> bool {
        self.held
            .fits(bytes, limits.pending_bytes, limits.total_bytes)
    }

    /// Returns true if an incomplete sample of `bytes` [B] fits into the limits.
    fn has_room(&self, bytes: usize, limits: &Limits) -> bool {
        self.fits(bytes, limits) && self.assemblies.len() < MAX_ASSEMBLIES
    }

    /// Drops the latest samples until one of `bytes` [B] fits into the limits. They are requested
    /// again; without room for the next sample no sample would be delivered again.
    fn make_room(&mut self, bytes: usize, limits: &Limits) {
        while !self.has_room(bytes, limits) {
            if let Some((_, assembly)) = self.assemblies.pop_last() {
                self.held.remove(assembly.bytes());
            } else if let Some((_, received)) = self.waiting.pop_last() {
                self.held.remove(received.bytes());
            } else {
                return;
            }
        }
    }

    /// Starts the sample to which `frag` belongs. Returns false if it exceeds the limits.
    fn start_assembly(
        &mut self,
        now: Nanos,
        frag: &DataFrag,
        reliable: bool,
        limits: &Limits,
    ) -> bool {
        let number = frag.sequence_number;
        // A best-effort reader drops its oldest incomplete sample for a new sample.
        while !reliable && self.assemblies.len() >= MAX_UNRELIABLE {
            let oldest = self.assemblies.pop_first();
            let bytes = oldest.map_or(0, |(_, assembly)| assembly.bytes());
            self.held.remove(bytes);
        }
        let bytes = Assembly::bytes_for(frag);
        let is_next = number == self.expected;
        let far = number.0 - self.expected.0 >= WINDOW && reliable;
        let full = !self.has_room(bytes, limits);
        if far || (full && !is_next) {
            return false;
        }
        self.make_room(bytes, limits);
        if !self.fits(bytes, limits) || !self.held.allocate(now, bytes, limits.total_bytes / 4) {
            return false;
        }
        self.held.add(bytes);
        self.assemblies.insert(number, Assembly::new(frag));
        true
    }

    /// Removes an incomplete or just completed sample.
    fn take_assembly(&mut self, number: SequenceNumber) -> Option<Assembly> {
        let assembly = self.assemblies.remove(&number)?;
        self.held.remove(assembly.bytes());
        Some(assembly)
    }

    fn drop_assembly(&mut self, number: SequenceNumber) {
        self.take_assembly(number);
    }

    fn drop_old_assemblies(&mut self) {
        while let Some(entry) = self.assemblies.first_entry() {
            if *entry.key() >= self.expected {
                return;
            }
            self.held.remove(entry.remove().bytes());
        }
    }
}

/// Returns whether a sample is larger or smaller than permitted.
fn exceeds(frag: &DataFrag, limits: &Limits) -> bool {
    let size = frag.sample_size as usize;
    let allowed = ENCAPSULATION_BYTES..=limits.sample_bytes;
    !allowed.contains(&size) || frag.total_fragments() > MAX_FRAGMENTS
}
